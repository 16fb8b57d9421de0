use super::super::super::cases::{self, Case};
use super::*;
use shakmaty::Piece;

use crate::testing::read;

/// May White mate within so many moves of either side, as far as these pieces are placed?
fn may_mate(chess: &Chess, placed: Bitboard, plies: u32) -> bool {
    let is_roamer = |&(origin, piece): &(Square, Piece)| {
        !matches!(piece.role, Role::King | Role::Pawn) && !placed.contains(origin)
    };
    let roamers = chess.board().iter().filter(is_roamer);
    let roamers = roamers.map(|(origin, Piece { color, role })| Roamer { color, role, origin });
    let roamers: Vec<Roamer> = roamers.collect();
    let proof = Proof { roamers: &roamers, winner: Color::White };
    may_mate_from(&proof, &proof.start(chess).unwrap(), plies)
}

fn may_mate_from(proof: &Proof<'_>, scene: &Scene, plies: u32) -> bool {
    let Ok(steps) = proof.steps(scene) else { return true };
    steps.iter().any(|step| {
        let is_mate = step.scene.turn != proof.winner && proof.may_be_mate(step);
        is_mate || (plies > 1 && may_mate_from(proof, &step.scene, plies - 1))
    })
}

/// Whichever pieces roam; and none if those of the other side are told.
#[test]
fn no_mate_is_overlooked_and_none_is_made_up() {
    for Case { fen, plies, mates } in cases::CASES {
        cases::mirrored(fen, |chess| {
            let pieces = chess.board().occupied() & !chess.board().pawns() & !chess.board().kings();
            for placed in pieces.carry_rippler() {
                let is_told = placed.is_superset(pieces & chess.board().black());
                assert!(!mates || may_mate(chess, placed, plies), "{fen} {placed:?}");
                assert!(mates || !is_told || !may_mate(chess, placed, plies), "{fen} {placed:?}");
            }
        });
    }
}

/// Scenes without roamers, one for each of these positions.
fn placed(fens: &[&str]) -> Roamed {
    let scene = |fen: &&str| {
        let position = read(fen);
        let proof = Proof { roamers: &[], winner: Color::White };
        proof.start(&position).unwrap()
    };
    Roamed { roamers: Vec::new(), scenes: fens.iter().map(scene).collect() }
}

/// b7 is the only move, and mates: that both scenes are there is not enough.
#[test]
fn scenes_with_a_mate_are_refused() {
    let fens = ["K1k5/P1Pp4/1P1P4/8/8/8/8/8 w - - 0 1", "K1k5/PPPp4/3P4/8/8/8/8/8 b - - 0 1"];
    let position = read(fens[0]);
    let flaw = check(&position, Color::White, &placed(&fens));
    assert_eq!(flaw, Err(Flaw::StepMates { number: 0, step: "b6-b7".to_owned() }));
}

#[test]
fn scenes_say_nothing_while_somebody_may_castle() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let position = read(fen);
    let flaw = check(&position, Color::White, &placed(&[fen]));
    assert_eq!(flaw, Err(Flaw::Castling));
}

/// The pawn has just opened the rook's line. Where two give check nothing helps but a move of the king.
#[test]
fn something_promoted_may_go_between() {
    let is_step = |fen: &str| {
        let position = read(fen);
        let board = position.board().clone();
        let (turn, left, realms) = (Color::Black, Some(Square::E4), Vec::new());
        let scene = Scene { board, turn, passed: None, has_promoted: true, landed: None, left, realms };
        let between = Scene { turn: Color::White, left: None, ..scene.clone() };
        let proof = Proof { roamers: &[], winner: Color::White };
        proof.steps(&scene).unwrap().iter().any(|step| step.scene == between)
    };
    assert!(is_step("8/8/8/4P3/3k1R2/8/8/7K b - - 0 1"));
    assert!(!is_step("8/8/8/4P3/3k1R2/8/4N3/7K b - - 0 1"));
}

/// It takes whatever stands there; in check only what gives it.
#[test]
fn something_promoted_may_take() {
    let is_step = |fen: &str, taken: Square| {
        let position = read(fen);
        let board = position.board().clone();
        let (turn, passed, realms) = (Color::Black, None, Vec::new());
        let scene = Scene { board, turn, passed, has_promoted: true, landed: None, left: None, realms };
        let mut after = Scene { turn: Color::White, ..scene.clone() };
        after.board.discard_piece_at(taken);
        let proof = Proof { roamers: &[], winner: Color::White };
        proof.steps(&scene).unwrap().iter().any(|step| step.scene == after)
    };
    assert!(is_step("8/8/8/8/3k4/8/P7/7K b - - 0 1", Square::A2));
    assert!(is_step("8/8/8/8/3k4/4P3/P7/7K b - - 0 1", Square::E3));
    assert!(!is_step("8/8/8/8/3k4/4P3/P7/7K b - - 0 1", Square::A2));
}

/// The king has to take, and White is left with its own; or with a pawn, of which the scenes say nothing.
#[test]
fn where_the_winner_has_lost_all_a_proof_ends() {
    let flaw = |fen: &str| {
        let position = read(fen);
        check(&position, Color::White, &placed(&[fen])).err()
    };
    assert_eq!(flaw("6bk/6Pp/8/8/8/8/8/K7 b - - 0 1"), None);
    let missing = Flaw::StepMissing { number: 0, step: "h8-g7".to_owned() };
    assert_eq!(flaw("6bk/6Pp/8/8/8/8/P7/K7 b - - 0 1"), Some(missing));
}
