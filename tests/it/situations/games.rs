//! Where games begin, repeat and go on.

use super::script::{Clock, from, game};

use crate::slots::computing;

#[test]
fn third_occurrence_of_a_position_play_goes_on() {
    game("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4 e7e5")
        .never_wrong("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4 e7e5");
}

#[test]
fn starting_position_reached_again_by_play_game_goes_on() {
    for told in game("g1f3 g8f6 f3g1 f6g8 10000 e2e4 e7e5").never_wrong("g1f3 g8f6 f3g1 f6g8 e2e4 e7e5") {
        assert_eq!(told.seen.of_type("game-opened").len(), 1, "{}", told.label);
    }
}

#[test]
fn board_rotated_180_degrees() {
    let line = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6";
    for told in game(line).turned().never_wrong(line) {
        assert_eq!(told.seen.of_type("board-rotated-180").len(), 1, "{}", told.label);
    }
}

/// What comes of two games on one board; `wrong` may be announced in between and withdrawn. (Without a
/// clock: it is set anew between them.)
#[track_caller]
fn two_games(hands: &str, wrong: &str, first: &str, second: &str) {
    let mut faults = Vec::new();
    for told in game(hands).clocks(&[Clock::None]).told() {
        let lines: Vec<String> =
            (0..told.seen.games.len()).map(|index| told.seen.moves(index).join(" ")).collect();
        if lines != [first, second] {
            faults.push(format!("{}: {lines:?}", told.label));
        }
        let withdrawn = told.seen.of_type("move-retracted");
        faults.extend(
            withdrawn
                .iter()
                .filter(|event| !wrong.split(' ').any(|uci| event["uci"] == uci))
                .map(|event| format!("{}: {} withdrawn at {}", told.label, event["uci"], event["t_ms"])),
        );
    }
    assert!(faults.is_empty(), "{hands}\n{}", faults.join("\n"));
}

#[test]
fn new_game_set_up_after_four_plies_then_d4() {
    // With both hands; a board that does not see all of it at once may take some of it for a move.
    let back = "e2e4 e7e5 g1f3 b8c6 2000 -f3 100 -e4 400 +e2=P 100 +g1=N 500 -e5 100 -c6 400 +b8=n 100 +e7=p \
        5000 d2d4 d7d5";
    two_games(back, "f3g1 f3e5", "e2e4 e7e5 g1f3 b8c6", "d2d4 d7d5");
}

/// The first man that goes home could be a move; that all the others follow says that it was none.
#[test]
fn new_game_set_up_that_begins_like_a_move() {
    let back = "e2e4 e7e5 g1f3 b8c6 2000 -f3 +g1=N 200 -e4 +e2=P 200 -c6 +b8=n 200 -e5 +e7=p 5000 d2d4 d7d5";
    two_games(back, "f3g1", "e2e4 e7e5 g1f3 b8c6", "d2d4 d7d5");
}

/// The first man that goes home could be a move taken back.
#[test]
fn new_game_set_up_that_begins_like_a_takeback() {
    let back = "e2e4 e7e5 g1f3 b8c6 2000 -c6 +b8=n 200 -e5 +e7=p 200 -f3 +g1=N 200 -e4 +e2=P 5000 d2d4 d7d5";
    two_games(back, "b8c6 e2e4", "e2e4 e7e5 g1f3 b8c6", "d2d4 d7d5");
}

/// The men are swept off and set up again.
#[test]
fn new_game_set_up_out_of_the_box() {
    let _slot = computing();
    let swept = "e2e4 e7e5 g1f3 b8c6 2000 =8/8/8/8/8/8/8/8 4000 \
        =rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR 5000 d2d4 d7d5";
    two_games(swept, "", "e2e4 e7e5 g1f3 b8c6", "d2d4 d7d5");
}

/// Both knights go out and home by different ways; the third occurrence is not even the last.
#[test]
fn starting_position_reached_by_a_longer_way() {
    let line = "g1f3 b8c6 b1c3 g8f6 f3g1 f6g8 c3b1 c6b8 g1f3 b8c6 f3g1 c6b8 d2d4 d7d5";
    game(line).never_wrong(line);
}

/// By occupancy a king and a queen that stand the other way round look right: only moves tell.
#[test]
fn board_rotated_180_degrees_with_the_queens_pawn_and_castling() {
    game("d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 -e1 +c1=K 500 -a1 +d1=R . -e8 +c8=k 500 -a8 +d8=r .")
        .turned()
        .never_wrong("d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 e1c1 e8c8");
}

/// Five times the same position: the arbiter has to say so, until then the board is followed.
#[test]
fn fifth_occurrence_of_a_position_is_followed() {
    const ENDGAME: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let line = "e1d1 e8d8 d1e1 d8e8 e1d1 e8d8 d1e1 d8e8 e1d1 e8d8 d1e1 d8e8 e1d1 e8d8 d1e1 d8e8 e2e4 e8e7";
    from(ENDGAME, line).never_wrong(line);
}
