//! Positions in which one thing decides whether White mates at once: each with its neighbour, where it does not.

use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, FromSetup as _, Position as _, Square};

use super::exhaustion::{Exhausted, exhaust};
use super::{CanMate, Certificate, can_mate, check, roaming};
use crate::testing::read;

/// Does White mate within so many moves of either side?
#[derive(Clone, Copy)]
pub(super) struct Case {
    pub(super) fen: &'static str,
    pub(super) plies: u32,
    pub(super) mates: bool,
}

const fn case(fen: &'static str, plies: u32, mates: bool) -> Case {
    Case { fen, plies, mates }
}

pub(super) const CASES: [Case; 24] = [
    // Ng6 mates: the pawn that would take is pinned by the rook. On g1 the rook pins nothing.
    case("6bk/6pp/8/4N3/8/8/8/K6R w - - 0 1", 1, true),
    case("6bk/6pp/8/4N3/8/8/8/K5R1 w - - 0 1", 1, false),
    // Nh6 mates: as the knight leaves, the rook pins the pawn. From h1 it does not.
    case("5rkb/5ppp/8/8/6N1/8/8/K5R1 w - - 0 1", 1, true),
    case("5rkb/5ppp/8/8/6N1/8/8/K6R w - - 0 1", 1, false),
    // fxg6 in passing opens the bishop's line to h6 by what it takes; without it there is no mate.
    case("8/5p2/5P1k/5PpP/6P1/8/3B4/K7 w - g6 0 1", 1, true),
    case("8/5p2/5P1k/5PpP/6P1/8/3B4/K7 w - - 0 1", 1, false),
    // The king steps out of its rook's line. Beside that line it shields nothing.
    case("kr6/1p6/8/K7/8/8/8/R7 w - - 0 1", 1, true),
    case("kr6/1p6/8/K7/8/8/8/1R6 w - - 0 1", 1, false),
    // Nf7 mates while the rook stands in the way of its king.
    case("6rk/7p/5K2/4N3/8/8/8/8 w - - 0 1", 1, true),
    case("r6k/7p/5K2/4N3/8/8/8/8 w - - 0 1", 1, false),
    // After g1=R Nf2 mates: what has promoted stands in the way of its king. Without that pawn it gets out.
    case("8/8/8/8/6N1/5K2/6pp/7k b - - 0 1", 2, true),
    case("8/8/8/8/6N1/5K2/7p/7k b - - 0 1", 2, false),
    // Only f8=N mates. A rank behind, the pawn does not.
    case("6br/5Ppk/6pp/8/8/8/8/K7 w - - 0 1", 1, true),
    case("6br/6pk/5Ppp/8/8/8/8/K7 w - - 0 1", 1, false),
    // Bg7 mates: it is guarded, and the king does not take it.
    case("5Bbk/5p1p/5P1P/8/8/8/8/K7 w - - 0 1", 1, true),
    // Nf7 mates: the knight stands in the way of the rook that would take.
    case("6rk/6pp/8/4N3/5n2/8/K7/5r2 w - - 0 1", 1, true),
    // g5 meets the check, and fxg6 in passing mates.
    case("8/5pp1/5P1k/5P1P/6P1/8/3B4/K7 b - - 0 1", 2, true),
    // Ra1 mates: the king stays on the rook's line.
    case("8/8/8/8/8/k1K5/8/6R1 w - - 0 1", 1, true),
    // The pawn takes a piece and mates.
    case("k1K5/pn6/2P5/8/8/8/8/8 w - - 0 1", 1, true),
    // The knight opens the rook's line, wherever it goes.
    case("kr6/1p6/8/N7/8/8/8/R5K1 w - - 0 1", 1, true),
    // Black has to open the line on which Bg2 mates. When White is to move it is shut.
    case("k1K5/pp6/8/8/8/8/8/5B2 b - - 0 1", 2, true),
    case("k1K5/pp6/8/8/8/8/8/5B2 w - - 0 1", 1, false),
    // The knight takes, and mates from where it took. From a3 it takes as well, and Nd6 is not to be had in time.
    case("6rk/p5pp/8/4p3/8/3N4/8/7K w - - 0 1", 3, true),
    case("6rk/p5pp/8/4p3/2p5/N7/8/7K w - - 0 1", 3, false),
];

/// The position and its mirror image, king's and queen's side exchanged.
pub(super) fn mirrored(fen: &str, with: impl Fn(&Chess)) {
    let position = read(fen);
    let chess = &position;
    with(chess);
    with(&image(chess, false));
}

fn image(chess: &Chess, does_turn: bool) -> Chess {
    let mut setup = chess.to_setup(EnPassantMode::Legal);
    if does_turn {
        setup.mirror();
    } else {
        setup.board.flip_horizontal();
        setup.ep_square = setup.ep_square.map(Square::flip_horizontal);
    }
    Chess::from_setup(setup, CastlingMode::Standard).unwrap()
}

/// How many moves the shortest mate takes, if so many positions show it.
fn shortest(chess: &Chess, winner: Color) -> Option<usize> {
    let Exhausted::Mate(line) = exhaust(chess, winner, 2_000) else { return None };
    Some(line.len())
}

/// What [`can_mate`] says is not wrong: its moves mate, its proof is one.
fn holds(chess: &Chess, winner: Color) {
    match can_mate(chess, winner, 2_500) {
        CanMate::Yes(line) => {
            let mut end = chess.clone();
            line.into_iter().for_each(|mv| end = end.clone().play(mv).unwrap());
            assert!(end.is_checkmate() && end.turn() != winner, "{chess:?}");
        }
        CanMate::No(proof) => {
            assert_eq!(check(chess, winner, &proof), Ok(()), "{chess:?}");
            assert_eq!(shortest(chess, winner), None, "{chess:?}");
        }
        CanMate::Unknown(_) => {}
    }
}

#[test]
fn every_case_is_as_it_says_whoever_has_which_colour() {
    for Case { fen, plies, mates } in CASES {
        mirrored(fen, |chess| {
            let is_soon =
                |chess, winner| shortest(chess, winner).is_some_and(|moves| moves <= plies as usize);
            assert_eq!(is_soon(chess, Color::White), mates, "{fen}");
            let turned = image(chess, true);
            assert_eq!(is_soon(&turned, Color::Black), mates, "{fen}");
            for winner in Color::ALL {
                holds(chess, winner);
                holds(&turned, winner);
            }
        });
    }
}

/// Castling mates; scenes say nothing about it. Without the right to it the king gets out by g2.
#[test]
fn castling_mates() {
    for (rights, is_mate) in [("K", true), ("-", false)] {
        let fen = format!("8/8/8/8/6p1/2N1pkp1/8/4K2R w {rights} - 0 1");
        let position = read(&fen);
        for chess in [position.clone(), image(&position, true)] {
            let winner = chess.turn();
            assert_eq!(shortest(&chess, winner) == Some(1), is_mate, "{fen}");
            Color::ALL.into_iter().for_each(|side| holds(&chess, side));
        }
    }
}

/// A capture in passing opens the wall; where it is not to be had scenes show that the wall holds.
#[test]
fn only_a_capture_in_passing_opens_the_wall() {
    for (passed, is_open) in [("g6", true), ("-", false)] {
        let fen = format!("4k3/8/5p2/p1p1pPp1/P1P1P1P1/8/8/4K3 w - {passed} 0 1");
        mirrored(&fen, |chess| {
            for (chess, winner) in [(chess.clone(), Color::White), (image(chess, true), Color::Black)] {
                assert_eq!(matches!(can_mate(&chess, winner, 2_500), CanMate::Yes(_)), is_open, "{fen}");
                holds(&chess, winner);
                let proof = roaming::roamed(&chess, winner, 20_000);
                assert_eq!(proof.is_none(), is_open, "{fen}");
                if let Some(proof) = proof.map(Box::new).map(Certificate::Roamed) {
                    assert_eq!(check(&chess, winner, &proof), Ok(()), "{fen}");
                }
            }
        });
    }
}
