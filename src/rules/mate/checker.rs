//! Is a proof that a side cannot mate one? Slow and plain, so that it can be seen that what passes is true.
//!
//! This shares nothing with what makes the proofs: it goes by what they say alone. Each kind of proof is an invariant.
//! The position in question fulfils it, every legal move keeps it, and no mate fulfils it.

mod fence;
mod scenes;

use std::collections::BTreeSet;

use shakmaty::{Bitboard, Chess, Color, Position as _, Role, Square};

use super::{Certificate, Closed, Material};
use crate::rules::draw::Key;
use crate::sensor::Side;

/// What is wrong with a proof, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// Somebody can move.
    #[error("the game is not over: there are legal moves")]
    GoesOn,
    /// The side in question has mated.
    #[error("position {number} is a mate by that side")]
    Mated {
        /// Its place in the proof, from 0.
        number: usize,
    },
    /// Other men than it says.
    #[error("the material is not as it says ({0:?})")]
    Material(Material),
    /// A proof of something else.
    #[error("the position in question is not part of the proof")]
    NotThisPosition,
    /// A move that was forgotten.
    #[error("position {number}: {mv} leads to a position that the proof does not have")]
    MoveMissing {
        /// The position's place in the proof, from 0.
        number: usize,
        /// The move, from square to square.
        mv: String,
    },
    /// The proof of a part is wrong.
    #[error("leaf {number}: {flaw}")]
    Leaf {
        /// Its place among the leaves, from 0.
        number: usize,
        /// What is wrong with it.
        flaw: Box<Flaw>,
    },
    /// A leaf that is a tree itself: nobody makes one.
    #[error("a leaf has to be proved without playing on")]
    TooDeep,
    /// The men of the proof are not those of the board.
    #[error("what the proof says of {0} is not what stands there")]
    NotThisMan(Square),
    /// A man may go where the proof says that it does not.
    #[error("the man of {origin} may come to {to}, which the proof leaves out")]
    SquareMissing {
        /// Where the man stands in the position in question.
        origin: Square,
        /// Where it may go.
        to: Square,
    },
    /// A man may be taken, and the proof says that it is not.
    #[error("the man of {origin} may be taken on {on}, which the proof leaves out")]
    CaptureMissing {
        /// Where the man stands in the position in question.
        origin: Square,
        /// Where it may be taken.
        on: Square,
    },
    /// A pawn of the side in question may get through.
    #[error("the pawn of {0} may promote, and then nothing is shown")]
    Promotes(Square),
    /// A mate that the proof does not rule out.
    #[error("a king on {0} may be mated")]
    MateFits(Square),
    /// Somebody may castle: such a proof says nothing about that.
    #[error("a proof by scenes needs a position without castling rights")]
    Castling,
    /// There are not as many realms as roamers.
    #[error("scene {number} has {realms} realms for {roamers} roamers")]
    Realms {
        /// The scene's place in the proof, from 0.
        number: usize,
        /// How many realms it has.
        realms: usize,
        /// How many it should have.
        roamers: usize,
    },
    /// A step that was forgotten.
    #[error("scene {number}: {step} leads to a scene that the proof does not have")]
    StepMissing {
        /// The scene's place in the proof, from 0.
        number: usize,
        /// What happens.
        step: String,
    },
    /// A step that may be a mate.
    #[error("scene {number}: {step} may be a mate")]
    StepMates {
        /// The scene's place in the proof, from 0.
        number: usize,
        /// What happens.
        step: String,
    },
}

/// Checks a proof that no series of legal moves from `chess` lets `winner` mate.
///
/// # Errors
/// The first thing that is wrong with it. A proof that is none may still be of something true.
pub fn check(chess: &Chess, winner: Side, certificate: &Certificate) -> Result<(), Flaw> {
    let winner = Color::from_white(winner == Side::White);
    match certificate {
        Certificate::Closed(proof) => closed(chess, winner, proof),
        other => at_once(chess, winner, other),
    }
}

/// All proofs but those that play on.
fn at_once(chess: &Chess, winner: Color, certificate: &Certificate) -> Result<(), Flaw> {
    if is_mate(chess, winner) {
        return Err(Flaw::Mated { number: 0 });
    }
    match certificate {
        Certificate::GameOver if chess.legal_moves().is_empty() => Ok(()),
        Certificate::GameOver => Err(Flaw::GoesOn),
        Certificate::Material(row) if holds(chess, winner, *row) => Ok(()),
        Certificate::Material(row) => Err(Flaw::Material(*row)),
        Certificate::Fence(proof) => fence::check(chess, winner, proof),
        Certificate::Roamed(proof) => scenes::check(chess, winner, proof),
        Certificate::Closed(_) => Err(Flaw::TooDeep),
    }
}

fn is_mate(chess: &Chess, winner: Color) -> bool {
    chess.turn() != winner && chess.is_checkmate()
}

/// The rows of laws-model 9, steps 1 to 3; why they are true stands in `material`.
fn holds(chess: &Chess, winner: Color, row: Material) -> bool {
    let men = |color: Color| -> Vec<Role> {
        let men = chess.board().iter().filter(|(_, piece)| piece.color == color);
        men.map(|(_, piece)| piece.role).filter(|&role| role != Role::King).collect()
    };
    let (ours, theirs) = (men(winner), men(!winner));
    match row {
        Material::BareKing => ours.is_empty(),
        Material::LoneKnight => ours == [Role::Knight] && theirs.iter().all(|&role| role == Role::Queen),
        Material::OneColouredBishops => {
            let bishops = chess.board().bishops();
            let is_light = |square: Square| square.is_light();
            ours.iter().all(|&role| role == Role::Bishop)
                && theirs.iter().all(|&role| role != Role::Pawn && role != Role::Knight)
                && (bishops.into_iter().all(is_light) || !bishops.into_iter().any(is_light))
        }
    }
}

/// Whatever is played from one of the positions leads to one of them, or to a leaf.
fn closed(chess: &Chess, winner: Color, proof: &Closed) -> Result<(), Flaw> {
    let positions: BTreeSet<Key> = proof.positions.iter().map(Key::from).collect();
    let leaves: BTreeSet<Key> = proof.leaves.iter().map(|(leaf, _)| Key::from(leaf)).collect();
    if !positions.contains(&Key::from(chess)) {
        return Err(Flaw::NotThisPosition);
    }
    for (number, position) in proof.positions.iter().enumerate() {
        if is_mate(position, winner) {
            return Err(Flaw::Mated { number });
        }
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(mv);
            let key = Key::from(&next);
            if !positions.contains(&key) && !leaves.contains(&key) {
                return Err(Flaw::MoveMissing { number, mv: mv.to_string() });
            }
        }
    }
    for (number, (leaf, certificate)) in proof.leaves.iter().enumerate() {
        at_once(leaf, winner, certificate).map_err(|flaw| Flaw::Leaf { number, flaw: Box::new(flaw) })?;
    }
    Ok(())
}

/// Could a different man stand on each of the squares at once, each man on squares of its own?
///
/// If they could, any of the squares taken together would have as many men for them.
fn may_be_filled(squares: Bitboard, men: &[Bitboard]) -> bool {
    squares.carry_rippler().all(|some| {
        let fit = men.iter().filter(|man| (**man & some).any()).count();
        fit >= some.count()
    })
}
