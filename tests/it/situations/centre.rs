//! Kings on the centre squares: a result, or a move that is held back until it is known to be one.

use adoube_rules::sensor::Side;

use super::script::{Clock, NAMED, Situation, act, from, game};
use crate::board::{BOTH, Board, Sensor};

/// The kings rest as `hands` has put them: the game is over with `result`, and only `line` was played.
#[track_caller]
fn signals(situation: &Situation, line: &str, result: &str) {
    let mut faults = Vec::new();
    for told in situation.told() {
        let mut fault = |text: String| faults.push(format!("{}: {text}", told.label));
        if told.seen.moves(0).join(" ") != line {
            fault(format!("the line is {}", told.seen.moves(0).join(" ")));
        }
        let signals = told.seen.of_type("result-signalled");
        let is_heard = signals.len() == 1 && signals[0]["result"] == result;
        if !is_heard || told.seen.games[0].result != result {
            fault(format!("signalled {signals:?}, result {}", told.seen.games[0].result));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// White's king may go to d4 and e4, Black's to d5 and e5.
const NEAR: &str = "8/8/3k4/8/8/4K3/P6p/8 w - - 0 50";

#[test]
fn kings_to_the_centre_adjacent_squares() {
    let both_lifted = "a2a4 -h2 +h1=q . -e3 -d6 +e4=K +d5=k 7000";
    signals(&from(NEAR, both_lifted).on(NAMED), "a2a4 h2h1q", "1-0");
    for one_after_the_other in [
        "a2a4 -h2 +h1=q . -e3 +e4=K 500 -d6 +d5=k 7000",
        "a2a4 -h2 +h1=q . -e3 +e4=K 3000 -d6 +d5=k 7000",
        "a2a4 -h2 +h1=q . -e3 +e4=K 8000 -d6 +d5=k 7000",
    ] {
        signals(&from(NEAR, one_after_the_other).on(NAMED), "a2a4 h2h1q", "1-0");
    }
}

#[test]
fn kings_to_the_centre_far() {
    signals(&game("a2a3 a7a6 -e1 -e8 +d4=K +d5=k 7000").on(NAMED), "a2a3 a7a6", "1/2-1/2");
    signals(&game("a2a3 a7a6 -e1 +e4=K 1500 -e8 +d5=k 7000").on(NAMED), "a2a3 a7a6", "1-0");
    signals(&game("a2a3 a7a6 -e8 +e5=k 1500 -e1 +d4=K 7000").on(NAMED), "a2a3 a7a6", "0-1");
}

/// The king that is not to move goes first, so that nothing is a legal move.
#[test]
fn kings_to_the_centre_the_waiting_king_first() {
    signals(&from(NEAR, "a2a4 -h2 +h1=q . -d6 +d5=k 1000 -e3 +e4=K 7000").on(NAMED), "a2a4 h2h1q", "1-0");
}

/// The men in the way are taken off first, and nothing of it is a move.
#[test]
fn kings_to_the_centre_over_men_in_the_way() {
    let taken_off = "d2d4 d7d5 e2e4 e7e5 -d4 300 -e4 300 -d5 300 -e5 500 -e1 +e4=K 800 -e8 +d5=k 7000";
    signals(&game(taken_off).on(NAMED), "d2d4 d7d5 e2e4 e7e5", "1-0");
}

/// A king's step that is meant, and the game goes on: nothing is lost by holding it back.
#[test]
fn kings_that_cross_the_centre_in_play() {
    let line = "e3d4 d6c6 d4e4 c6d6 a2a3 d6c5 e4f3";
    for told in from(NEAR, line).never_wrong(line) {
        assert!(told.seen.of_type("result-signalled").is_empty(), "{}", told.label);
    }
}

/// The other king is lifted half a second later: there was time to wait.
#[test]
fn a_king_that_the_other_follows_at_once_is_never_announced() {
    let situation = from(NEAR, "a2a4 -h2 +h1=q . -e3 +d4=K 500 -d6 +e5=k 7000").on(NAMED);
    for told in situation.told() {
        assert!(told.seen.of_type("move-retracted").is_empty(), "{}", told.label);
    }
    signals(&situation, "a2a4 h2h1q", "0-1");
}

/// White's king has been set down on d4 just now.
fn king_on_d4(sensor: Sensor, is_clocked: bool) -> Board {
    let mut board = Board::from_fen(sensor, NEAR);
    if is_clocked {
        board.start_clock(Side::White).wait(2_000);
    }
    act(&mut board, "-e3 300 +d4=K 0");
    board
}

/// When the king's step is announced first, from its arrival at `arrived_ms`.
fn announced_after_ms(board: &Board, arrived_ms: u64) -> Option<u64> {
    let seen = board.seen();
    let made = seen.of_type("move-made").into_iter().find(|event| event["uci"] == "e3d4")?;
    Some(made["t_ms"].as_f64().unwrap() as u64 - arrived_ms)
}

#[test]
fn a_king_that_arrives_in_the_centre_is_held_back_for_5_s() {
    for (sensor, is_clocked) in [(BOTH[0], false), (BOTH[0], true), (BOTH[1], false), (BOTH[1], true)] {
        let mut board = king_on_d4(sensor, is_clocked);
        let arrived_ms = board.now_ms();
        board.wait(20_000);
        let after_ms = announced_after_ms(&board, arrived_ms);
        assert_eq!(after_ms, Some(5_000), "{sensor:?}, clock {is_clocked}");
    }
}

#[test]
fn a_king_that_arrives_in_the_centre_is_held_back_until_the_press() {
    for sensor in BOTH {
        let mut board = king_on_d4(sensor, true);
        let arrived_ms = board.now_ms();
        board.wait(1_700).press().wait(20_000);
        assert_eq!(announced_after_ms(&board, arrived_ms), Some(1_700), "{sensor:?}");
    }
}

#[test]
fn a_king_that_arrives_in_the_centre_is_held_back_until_the_opponent_lifts() {
    for sensor in BOTH {
        let mut board = king_on_d4(sensor, false);
        let arrived_ms = board.now_ms();
        act(&mut board, "1700 -h2 400 +h1=q 20000");
        // The lift has to last for longer than a flicker does.
        let after_ms = announced_after_ms(&board, arrived_ms);
        assert!(after_ms.is_some_and(|ms| (1_700..=2_200).contains(&ms)), "{sensor:?}: {after_ms:?}");
    }
}

#[test]
fn a_flicker_of_the_opponents_man_does_not_let_the_king_go() {
    for sensor in BOTH {
        let mut board = king_on_d4(sensor, false);
        let arrived_ms = board.now_ms();
        act(&mut board, "1700 -h2 100 +h2=p 20000");
        assert_eq!(announced_after_ms(&board, arrived_ms), Some(5_000), "{sensor:?}");
    }
}

#[test]
fn a_king_that_only_rests_in_the_centre_is_never_announced_there() {
    from(NEAR, "-e3 +d4=K 3000 -d4 +d3=K . h2h1~").clocks(&[Clock::None]).told().iter().for_each(|told| {
        let made: Vec<_> = told.seen.of_type("move-made").iter().map(|event| event["uci"].clone()).collect();
        assert_eq!(made[0], "e3d3", "{}: {made:?}", told.label);
    });
}

#[test]
fn a_king_announced_after_5_s_is_withdrawn_when_the_other_follows() {
    let situation = from(NEAR, "a2a4 -h2 +h1=q . -e3 +d4=K 9000 -d6 +e5=k 7000").on(NAMED);
    for told in situation.told() {
        let withdrawn = told.seen.of_type("move-retracted");
        assert_eq!(withdrawn.len(), 1, "{}", told.label);
        assert_eq!(withdrawn[0]["uci"], "e3d4", "{}", told.label);
    }
    signals(&situation, "a2a4 h2h1q", "0-1");
}
