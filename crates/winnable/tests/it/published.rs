//! Who can still mate, against published verdicts, with what the Laws' parameters allow.

use std::fmt::Write as _;

use adoube_winnable::{CanMate, can_mate, cannot_mate, check};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, Position as _, PositionError};

use crate::depth::cases;
use crate::{data, proven};

/// `mate_search_nodes`, as every profile of the Laws has it.
const NODES: u32 = 200_000;
/// Questions of a chunk: some seconds of those that were made to be hard, less of the others.
const HARD: usize = 50;
const EASY: usize = 1_000;

/// Published as "cannot", but Black can mate (data/README.md).
const WRONGLY_PUBLISHED: &str = "8/8/5p1p/5PkP/6P1/6PP/6K1/8 w - -";

/// What stays unknown with 200,000 positions, and who was asked about.
#[rustfmt::skip]
const UNKNOWN: &[(&str, Color)] = &[
    // Can mate: kings shut in on both sides, and few pawn moves left before stalemate, or a man has to be given up at the
    // end of a long way. The mates are long, and no aim of the search by depth leads straight there.
    ("8/8/5p1Q/2p1pPbr/2PbPk1R/2pBpBp1/2P1P1P1/5BRK b - -", Color::White),
    ("8/8/5p2/2p1pP2/2PbPkpb/2pBp1pB/2P1P1P1/5BRK w - -", Color::White),
    ("8/8/5p2/2p1pP2/2PbPk1b/2pBpBp1/2P1P1P1/5BRK w - -", Color::White),
    ("8/8/5p2/2p1pPk1/2PbP1Bb/2pBp1p1/2P1P1P1/5BRK b - -", Color::White),
    ("1k6/1P1p1p1p/BP6/1P5p/8/8/3P1PKP/8 w - -", Color::Black),
    ("8/p1p1p3/8/4k3/8/6p1/P1P1P1Pp/7K w - -", Color::White),
    // As walled in as those; playing everything would find it after 380,000 positions.
    ("BbK1kb2/b1p1p1p1/1pP1P1P1/1P6/8/8/8/1B2b2B b - -", Color::White),
    // Cannot mate: a piece of Black's gets out and a pawn may promote in time; what has promoted may be anywhere in the
    // proof, and from there in the way of every line.
    ("1k4b1/1P1p4/BP1Pp1p1/1P2P1P1/pB6/Pp2K3/1P5B/8 b - -", Color::White),
    ("k1b1b1b1/8/8/BpBpBpBp/1PbP1PpP/6P1/6P1/K1B5 w - -", Color::Black),
];

/// Nine queens and impossible checks included: they were asked about.
fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().unwrap();
    let position = fen.into_position(CastlingMode::Standard);
    let position = position.or_else(PositionError::ignore_too_much_material);
    position.or_else(PositionError::ignore_impossible_check).unwrap()
}

/// The side not to move.
fn waiting(fen: &str) -> Color {
    if fen.split(' ').nth(1) == Some("w") { Color::Black } else { Color::White }
}

/// `VV fen`: who of White and Black can mate.
fn both(text: &str) -> Vec<(&str, Color, bool)> {
    let questions = text.lines().flat_map(|line| {
        let (verdict, fen) = line.split_at(3);
        [(fen, Color::White, verdict.starts_with('W')), (fen, Color::Black, &verdict[1..2] == "B")]
    });
    questions.collect()
}

/// Asks the questions whose turn it is, and fails on a wrong answer, on a line that does not mate and on a proof that
/// does not hold; and on none, but for those that are listed.
fn answered(set: &str, chunk: usize, questions: &[(&str, Color, bool)]) {
    let chunks: Vec<_> = questions.chunks(chunk).collect();
    proven::holds(set, chunks.len(), |number| {
        chunks[number].iter().fold(String::new(), |mut answers, &(fen, winner, can)| {
            let can = can || fen == WRONGLY_PUBLISHED && winner == Color::Black;
            writeln!(answers, "{fen} {winner:?} {}", answer(fen, winner, can)).unwrap();
            answers
        })
    });
}

/// The answer, to the last move.
fn answer(fen: &str, winner: Color, can: bool) -> String {
    let chess = position(fen);
    if can && !chess.is_checkmate() {
        assert_eq!(cannot_mate(&chess, winner), None, "{fen} {winner:?}");
    }
    match can_mate(&chess, winner, NODES) {
        CanMate::Yes(line) => {
            assert!(can, "{fen} {winner:?}: {line:?}");
            assert_mates(chess, winner, &line);
            format!("{line:?}")
        }
        CanMate::No(proof) => {
            assert!(!can, "{fen} {winner:?}: {:?}", proof.reason());
            assert_eq!(check(&chess, winner, &proof), Ok(()), "{fen} {winner:?}");
            format!("{:?}", proof.reason())
        }
        CanMate::Unknown(effort) => {
            assert!(UNKNOWN.contains(&(fen, winner)), "{fen} {winner:?}: {effort:?}");
            format!("{effort:?}")
        }
    }
}

/// The moves are legal and mate, and before none of them anybody says that they cannot.
fn assert_mates(mut chess: Chess, winner: Color, line: &[shakmaty::Move]) {
    for &mv in line {
        assert_eq!(cannot_mate(&chess, winner), None, "{mv:?}");
        assert!(chess.legal_moves().contains(&mv), "{mv:?}");
        chess.play_unchecked(mv);
    }
    assert!(chess.is_checkmate() && chess.turn() != winner);
}

/// Constructed to be hard.
#[test]
fn hard_positions_are_answered_but_for_those_that_are_listed() {
    let Some(text) = data::text("unwin/cha-positions.txt") else { return };
    answered("cha-positions", HARD, &both(&text));
}

/// Games of an open server, either side.
#[test]
fn positions_of_real_games_are_all_answered() {
    let Some(text) = data::text("unwin/cha-lichess.txt") else { return };
    answered("cha-lichess", EASY, &both(&text));
}

/// `w fen` or `u fen`: can the side not to move mate?
#[test]
fn games_lost_on_time_are_all_answered() {
    let Some(text) = data::text("unwin/lost-on-time-30k.txt") else { return };
    let questions = text.lines().map(|line| (&line[2..], waiting(&line[2..]), line.starts_with('w')));
    answered("lost-on-time", EASY, &questions.collect::<Vec<_>>());
}

/// Real games in which the side not to move could not mate.
#[test]
fn unfair_timeouts_are_all_answered() {
    let Some(text) = data::text("unwin/unfair-timeouts.txt") else { return };
    let questions = text.lines().map(|fen| (fen, waiting(fen), false));
    answered("unfair-timeouts", EASY, &questions.collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64)))]

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
        for winner in Color::ALL {
            if let CanMate::Yes(line) = can_mate(&chess, winner, 2_000) {
                assert_mates(chess.clone(), winner, &line);
            }
        }
    }
}
