//! Players break off, the men go home for the next game, and the record is what was played.

use std::fmt::Write as _;

use adoube_rules::pgn::read_games;
use adoube_rules::square::Square;
use adoube_rules::{ChessPosition, Position as _, letter, square_name};

use super::script::{Clock, game};
use crate::seen::{lawful_moves, positions};
use crate::slots::computing;

/// Games that are broken off.
const SEEDS: u64 = 30;

const CLOCKS: &[Clock] = &[Clock::None, Clock::Prompt, Clock::Late];

/// `line` is the record of the first game, `hands` set up the array after it, and the next game opens.
#[track_caller]
fn keeps(line: &str, hands: &str, clocks: &'static [Clock]) {
    let mut faults = Vec::new();
    for told in game(format!("{line} 2000 {hands} 5000")).clocks(clocks).told() {
        let lines: Vec<String> =
            (0..told.seen.games.len()).map(|index| told.seen.moves(index).join(" ")).collect();
        // A tilde in a script is a press that is left out.
        if lines != [line.replace('~', "").as_str(), ""] {
            faults.push(format!("{}: {lines:?}", told.label));
        }
    }
    assert!(faults.is_empty(), "{line} / {hands}\n{}", faults.join("\n"));
}

/// Every man by himself, one after the other, in any order: each order begins otherwise.
#[test]
fn in_any_order() {
    let _slot = computing();
    const MEN: [&str; 7] =
        ["-f3 +g1=N", "-c6 +b8=n", "-e4 +e2=P", "-e5 +e7=p", "-c4 +f1=B", "-c5 +f8=b", "-d3 +d2=P"];
    for stride in 1..4 {
        for first in (stride % 2..MEN.len()).step_by(2) {
            let order: Vec<&str> =
                (0..MEN.len()).map(|nth| MEN[(first + nth * stride) % MEN.len()]).collect();
            let hands = order.join(if first % 4 < 2 { " 200 " } else { " 900 " });
            keeps("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 d2d3", &hands, CLOCKS);
        }
    }
}

/// One ply after the other, as if all of them were taken back.
#[test]
fn in_the_order_of_play_backwards() {
    let back = "-c5 +f8=b 900 -c4 +f1=B 900 -c6 +b8=n 900 -f3 +g1=N 900 -e5 +e7=p 900 -e4 +e2=P";
    keeps("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", back, CLOCKS);
}

#[test]
fn king_and_rook_from_where_they_castled() {
    let _slot = computing();
    let line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 -e1 +g1=K -h1 +f1=R . g8f6";
    let others = "-c6 +b8=n -f6 +g8=n 500 -c5 +f8=b -e5 +e7=p -c4 +f1=B -f3 +g1=N -e4 +e2=P";
    for rook in ["-f1 +h1=R 300 -g1 +e1=K", "-g1 +e1=K 300 -f1 +h1=R", "-g1 -f1 +e1=K +h1=R"] {
        let mut faults = Vec::new();
        for told in game(format!("{line} 2000 {rook} 400 {others} 5000")).told() {
            let played = told.seen.moves(0).join(" ");
            if played != "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6" || told.seen.games.len() != 2 {
                faults.push(format!("{}: {played}", told.label));
            }
        }
        assert!(faults.is_empty(), "{rook}\n{}", faults.join("\n"));
    }
}

/// Men that were captured come back beside those that go home.
#[test]
fn with_captured_men_out_of_the_box() {
    let back =
        "-c6 +c8=b 400 +b8=n 400 -e5 +e7=p 400 -e4 +e2=P 300 +f1=B 300 -f3 +g1=N 500 -d7 +d8=q 200 +d7=p";
    let line = "e2e4 e7e5 g1f3 b8c6 f1b5 d7d6 b5c6 c8d7 c6d7 d8d7";
    let back = back.replace("-c6 +c8=b 400 ", "+c8=b 400 -d6 300 ");
    keeps(line, &back, CLOCKS);
}

/// A retreat that was pressed or answered is play, however much it looks like going home.
#[test]
fn a_retreat_is_play() {
    let back = "-e4 +e2=P 300 -e5 +e7=p 300 -c6 +b8=n";
    keeps("e2e4 e7e5 g1f3 b8c6 f3g1", back, &[Clock::Prompt, Clock::Late]);
    let back = "-d6 +d7=p 300 -e4 +e2=P 300 -e5 +e7=p 300 -c6 +b8=n";
    keeps("e2e4 e7e5 g1f3 b8c6 f3g1 d7d6", back, CLOCKS);
}

/// Whatever the last move was, it is not lost with what follows it.
#[test]
fn the_last_move_is_kept() {
    let _slot = computing();
    for (line, back) in [
        ("d2d4 d7d5 g1f3 g8f6 b1d2", "-d2 +b1=N 300 -f3 +g1=N -f6 +g8=n 300 -d4 +d2=P -d5 +d7=p"),
        (
            "e2e4 e7e5 f1c4 f8c5 d1e2 d8e7",
            "-e7 +d8=q 300 -c5 +f8=b -e5 +e7=p 300 -e2 +d1=Q -c4 +f1=B -e4 +e2=P",
        ),
        ("e2e4 f7f5 f1c4 f5e4 c4g8", "-g8 +g8=n 300 -e4 +f7=p 300 +e2=P 300 +f1=B"),
        ("e2e4 d7d5 e4d5 d8d5", "-d5 +d8=q 300 +d7=p 300 +e2=P"),
    ] {
        keeps(line, back, CLOCKS);
    }
}

/// White made the last move, and Black's man goes home first, as if he were replying.
#[test]
fn black_goes_home_first() {
    let back = "-f6 +g8=n 300 -c6 +b8=n 300 -c3 +b1=N 300 -e4 +e2=P 300 -e5 +e7=p 300 -f3 +g1=N";
    keeps(
        "e2e4 e7e5 g1f3 b8c6 b1c3 g8f6 c3d5 f6g8 d5c3 g8f6 c3d5 f6g8 d5c3 g8f6 h2h3",
        &format!("{back} 300 -h3 +h2=P"),
        CLOCKS,
    );
}

/// A long game, few men left: they go home as they come to hand, the others come out of the box.
#[test]
fn after_a_long_game() {
    let _slot = computing();
    let mut line = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 f3e5 d8d4 e5f3 d4e4 d1e2 e4e2 e1e2".to_owned();
    line += " c8g4 h2h3 g4c8 h3h4 a8b8 b1c3 b8a8 c3b1 h7h6 h1g1 h6h5 g1h1";
    for _ in 0..12 {
        line += " a8b8 h1g1 b8a8 g1h1";
    }
    line += " c8e6";
    let back = "-e6 +c8=b 400 -e2 +e1=K 400 -f3 +g1=N 300 -c6 +c7=p 300 +d7=p 300 +b8=n 500 -h4 +h2=P 300 \
        -h5 +h7=p 300 -a6 +a7=p 300 +d1=Q 200 +d8=q 300 +f1=B 200 +e2=P 300 +e7=p";
    keeps(&line, back, CLOCKS);
}

/// A ply that was not pressed and after which nobody went on: it goes with the men.
#[test]
fn what_was_not_pressed_goes_home() {
    let hands = "-c6 +b8=n 4000 -f3 +g1=N 400 -e5 +e7=p 400 -e4 +e2=P 400 -b5 +f1=B";
    keeps("e2e4 e7e5 g1f3 b8c6 f1b5", hands, &[Clock::Prompt, Clock::Late]);
}

/// A move that was made just before the hands began to set up, and not pressed, was made all the same.
#[test]
fn the_last_move_was_made_without_a_press() {
    keeps("e2e4 e7e5 g1f3 b8c6 f1b5~", "-c6 +b8=n 400 -f3 +g1=N 400 -e5 +e7=p -b5 +f1=B -e4 +e2=P", CLOCKS);
}

/// Men are straightened on the way, and one stands on a wrong square first.
#[test]
fn with_men_put_right() {
    let back =
        "-f3 +g1=N 400 -g1 +g1=N 400 -d8 +d8=q 300 -c6 +g6=n 400 -e4 +e2=P 500 -g6 +b8=n 300 -e5 +e7=p";
    keeps("e2e4 e7e5 g1f3 b8c6", back, CLOCKS);
}

/// Two plies to the start and on: they are taken back.
#[test]
fn two_plies_taken_back_to_the_start() {
    game("e2e4 e7e5 -e5 +e7=p 500 -e4 +e2=P 4000 d2d4~ d7d5").undoing("e2e4 e7e5").never_wrong("d2d4 d7d5");
}

/// Numbers without a pattern, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

fn man_on(position: &ChessPosition, square: Square) -> Option<char> {
    letter(position.content(square))
}

/// The hands that make the move from one position to the next.
fn hands(before: &ChessPosition, after: &ChessPosition) -> String {
    let changed = || Square::all().take(64).filter(|&square| man_on(before, square) != man_on(after, square));
    let mut filled: Vec<Square> = changed().filter(|&square| man_on(after, square).is_some()).collect();
    let mut left: Vec<Square> = changed().filter(|square| !filled.contains(square)).collect();
    // The king before his rook, the captor before the pawn that he takes in passing.
    filled.sort_by_key(|&square| !matches!(man_on(after, square), Some('K' | 'k')));
    left.sort_by_key(|&square| {
        let is_king = matches!(man_on(before, square), Some('K' | 'k'));
        (!is_king, before.content(square).seat_role().unwrap().0.side() != before.turn())
    });
    let mut acts = String::new();
    for (nth, &square) in left.iter().enumerate() {
        if let Some(&to) = filled.get(nth) {
            if man_on(before, to).is_some() {
                write!(acts, "-{} ", square_name(to)).unwrap();
            }
            write!(acts, "-{} +{}={} ", square_name(square), square_name(to), man_on(after, to).unwrap())
                .unwrap();
        } else {
            write!(acts, "-{} ", square_name(square)).unwrap();
        }
    }
    acts + "."
}

/// The men go home one after the other as they come to hand; who is in the way, or was captured, comes
/// later.
fn home(position: &ChessPosition, start: &ChessPosition, dice: &mut Dice) -> String {
    let mut men: Vec<Option<char>> = Square::all().take(64).map(|square| man_on(position, square)).collect();
    let home: Vec<Option<char>> = Square::all().take(64).map(|square| man_on(start, square)).collect();
    let name = |square: usize| square_name(Square::new(u8::try_from(square).unwrap()));
    let pace_ms = [50, 300, 700, 1_200][dice.below(4)];
    let mut acts = String::new();
    while men != home {
        let astray: Vec<usize> =
            (0..64).filter(|&square| men[square].is_some() && men[square] != home[square]).collect();
        let lacking: Vec<usize> =
            (0..64).filter(|&square| men[square].is_none() && home[square].is_some()).collect();
        let from = (!astray.is_empty()).then(|| astray[dice.below(astray.len())]);
        let man = from.and_then(|from| men[from].take());
        let fitting: Vec<usize> =
            lacking.iter().copied().filter(|&square| man.is_none() || home[square] == man).collect();
        if let Some(from) = from {
            write!(acts, "-{} ", name(from)).unwrap();
        }
        if !fitting.is_empty() {
            let to = fitting[dice.below(fitting.len())];
            men[to] = home[to];
            write!(acts, "+{}={} ", name(to), home[to].unwrap()).unwrap();
        }
        write!(acts, "{} ", pace_ms + 50 * dice.below(8)).unwrap();
    }
    acts
}

/// Games of masters, broken off anywhere: hardly ever a ply too many or too few. (Without a clock nothing
/// tells a last move that is a retreat from the first man that goes home.)
#[test]
fn games_broken_off_anywhere() {
    let _slot = computing();
    let games = read_games(include_str!("../../../src/demo/games.pgn").as_bytes()).unwrap();
    let (mut faults, mut count) = (Vec::new(), 0);
    for seed in 1..=SEEDS {
        let mut dice = Dice(seed);
        let game_number = dice.below(games.len());
        let moves = lawful_moves(&games[game_number]);
        let plies = 3 + dice.below(40).min(moves.len() - 5);
        let positions = positions(&games[game_number].start, &moves[..plies]);
        let mut script: String = positions.windows(2).map(|pair| hands(&pair[0], &pair[1]) + " ").collect();
        write!(script, "2000 {} 5000", home(&positions[plies], &positions[0], &mut dice)).unwrap();
        for told in game(script.as_str()).told() {
            let lines: Vec<String> =
                (0..told.seen.games.len()).map(|index| told.seen.moves(index).join(" ")).collect();
            count += 1;
            if lines != [moves[..plies].join(" ").as_str(), ""] {
                faults.push(format!(
                    "{seed}: {}: {}\n {script}\n  {lines:?}",
                    told.label,
                    moves[..plies].join(" ")
                ));
            }
        }
    }
    assert!(faults.len() * 50 <= count, "{} of {count}\n{}", faults.len(), faults.join("\n"));
}
