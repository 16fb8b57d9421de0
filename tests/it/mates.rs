//! Who can still mate, against published verdicts and by itself.

use adoube::rules::ChessPosition;
use adoube::rules::mate::{CanMate, can_mate, cannot_mate};
use adoube::sensor::Side;
use proptest::prelude::*;
use shakmaty::{Chess, Position as _};

use crate::data;

/// Published as "cannot", but Black can mate (data/README.md).
const WRONGLY_PUBLISHED: &str = "8/8/5p1p/5PkP/6P1/6PP/6K1/8 w - -";

fn position(fen: &str) -> Option<Chess> {
    let rights_by_file = ChessPosition::from_fen(&format!("{fen} 0 1"), true).unwrap();
    rights_by_file.regular().cloned()
}

/// The side not to move.
fn waiting(fen: &str) -> Side {
    if fen.split(' ').nth(1) == Some("w") { Side::Black } else { Side::White }
}

/// Asks each question, fails on a wrong answer, and gives the share that was decided, in tenths of
/// a per cent.
fn decided<'a>(questions: impl Iterator<Item = (&'a str, Side, bool)>, nodes: u32) -> usize {
    let (mut all, mut decided) = (0, 0);
    for (fen, winner, can) in questions {
        // Nine queens and the like: no position that `shakmaty` plays from.
        let Some(chess) = position(fen) else { continue };
        let can = can || fen == WRONGLY_PUBLISHED && winner == Side::Black;
        if can && !chess.is_checkmate() {
            assert_eq!(cannot_mate(&chess, winner), None, "{fen} {winner:?}");
        }
        all += 1;
        decided += 1;
        match can_mate(&chess, winner, nodes) {
            CanMate::Yes(line) => {
                assert!(can, "{fen} {winner:?}: {line:?}");
                assert_mates(chess, winner, &line);
            }
            CanMate::No(reason) => assert!(!can, "{fen} {winner:?}: {reason:?}"),
            CanMate::Unknown(_) => decided -= 1,
        }
    }
    println!("{decided} of {all} decided with {nodes} nodes");
    1000 * decided / all
}

/// The moves are legal and mate, and before none of them anybody says that they cannot.
fn assert_mates(mut chess: Chess, winner: Side, line: &[shakmaty::Move]) {
    for &mv in line {
        assert_eq!(cannot_mate(&chess, winner), None, "{mv:?}");
        assert!(chess.legal_moves().contains(&mv), "{mv:?}");
        chess.play_unchecked(mv);
    }
    assert!(chess.is_checkmate() && chess.turn().is_white() == (winner == Side::Black));
}

/// Constructed to be hard: `VV fen`, who of White and Black can mate.
#[test]
fn hard_positions_are_never_wrong() {
    let Some(text) = data::text("unwin/cha-positions.txt") else { return };
    let questions = text.lines().flat_map(|line| {
        let (verdict, fen) = line.split_at(3);
        [(fen, Side::White, verdict.starts_with('W')), (fen, Side::Black, &verdict[1..2] == "B")]
    });
    let share = decided(questions, 2_000);
    // Measured: 79.5 %; with a hundred times the nodes 96 %.
    assert!(share >= 790, "{share}");
}

/// Real games lost on time: `w fen` or `u fen`, can the side not to move mate?
#[test]
fn games_lost_on_time_are_never_wrong() {
    let Some(text) = data::text("unwin/lost-on-time-30k.txt") else { return };
    let questions =
        text.lines().step_by(31).map(|line| (&line[2..], waiting(&line[2..]), line.starts_with('w')));
    let share = decided(questions, 10_000);
    // Measured: 99.5 %; with twice the nodes all.
    assert!(share >= 990, "{share}");
}

/// Real games in which the side not to move could not mate.
#[test]
fn unfair_timeouts_are_never_wrong() {
    let Some(text) = data::text("unwin/unfair-timeouts.txt") else { return };
    let questions = text.lines().step_by(3).map(|fen| (fen, waiting(fen), false));
    let share = decided(questions, 10_000);
    // Measured: all.
    assert!(share >= 998, "{share}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// From any position of any game.
    #[test]
    fn a_line_found_really_mates(choices in prop::collection::vec(any::<prop::sample::Index>(), 0..160)) {
        let mut chess = Chess::default();
        for choice in choices {
            let moves = chess.legal_moves();
            if moves.is_empty() {
                break;
            }
            chess.play_unchecked(moves[choice.index(moves.len())]);
        }
        for winner in Side::BOTH {
            if let CanMate::Yes(line) = can_mate(&chess, winner, 2_000) {
                assert_mates(chess.clone(), winner, &line);
            }
        }
    }
}
