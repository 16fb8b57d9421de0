//! Is a proof that a side cannot mate one? Slow and plain, so that it can be seen that what passes is true.
//!
//! This shares nothing with what makes the proofs: it goes by what they say alone. Each kind of proof is an invariant.
//! The position in question fulfils it, every legal move keeps it, and no mate fulfils it.

mod fence;
mod scenes;

use std::collections::BTreeSet;

use shakmaty::{Bitboard, Chess, Color, Position as _, Role, Square};

use super::{Certificate, Closed, Material};
use crate::Key;

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
        flaw: Box<Self>,
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
pub fn check(chess: &Chess, winner: Color, certificate: &Certificate) -> Result<(), Flaw> {
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

#[cfg(test)]
mod tests {
    use super::super::{CanMate, Fence, Roamed, Roamer, Scene, can_mate};
    use super::*;
    use crate::testing::read;

    /// As many looks at scenes as there ever are.
    const NODES: u32 = 20_000;
    const BARE_KING: (&str, Color) = ("4k3/8/8/8/8/8/8/q3K3 w - - 0 1", Color::White);
    const FENCED: [(&str, Color); 2] = [
        ("8/5k2/8/p1p1p1p1/P1P1P1P1/8/5K2/8 b - - 0 1", Color::White),
        ("2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1", Color::White),
    ];
    const ROAMED: [(&str, Color); 3] = [
        ("8/8/3b3p/2b2p1P/3b1p1K/2b2Pp1/6P1/5kb1 w - - 0 1", Color::Black),
        ("b4B2/8/4k2B/1p6/1Pp1p1p1/ppP1P1P1/rp6/1K6 b - - 0 1", Color::White),
        ("B2b4/8/4k3/8/1p1p1p1p/1PpP1P1P/K1P4b/RB6 b - - 0 1", Color::White),
    ];
    const CLOSED: (&str, Color) = ("1r6/8/8/8/8/3p4/1Qk5/K2b4 b - - 0 1", Color::Black);

    fn position(fen: &str) -> Chess {
        read(fen)
    }

    fn proof((fen, winner): (&str, Color)) -> Certificate {
        match can_mate(&position(fen), winner, NODES) {
            CanMate::No(certificate) => certificate,
            other => panic!("{fen}: {other:?}"),
        }
    }

    fn flaw((fen, winner): (&str, Color), certificate: &Certificate) -> Option<Flaw> {
        check(&position(fen), winner, certificate).err()
    }

    fn fence(question: (&str, Color)) -> Fence {
        let Certificate::Fence(fence) = proof(question) else { panic!("{question:?}") };
        *fence
    }

    fn roamed(question: (&str, Color)) -> Roamed {
        let Certificate::Roamed(roamed) = proof(question) else { panic!("{question:?}") };
        *roamed
    }

    fn closed(question: (&str, Color)) -> Closed {
        let Certificate::Closed(closed) = proof(question) else { panic!("{question:?}") };
        *closed
    }

    #[test]
    fn a_proof_passes_for_its_position_alone() {
        let over = ("7k/p5Q1/6K1/8/8/8/8/8 b - - 0 1", Color::Black);
        let questions: Vec<_> = [over, BARE_KING, CLOSED].into_iter().chain(FENCED).chain(ROAMED).collect();
        for &question in &questions {
            let certificate = proof(question);
            for &other in &questions {
                assert_eq!(flaw(other, &certificate).is_none(), other == question, "{question:?} {other:?}");
            }
        }
    }

    #[test]
    fn material_has_to_be_as_it_says() {
        let rows = [
            ("4k3/8/8/8/8/8/8/q3K1N1 w - - 0 1", Material::LoneKnight),
            ("4k3/r7/8/8/8/8/8/4KB2 w - - 0 1", Material::OneColouredBishops),
            ("4k3/r7/8/8/8/8/8/4K3 w - - 0 1", Material::BareKing),
        ];
        for (fen, row) in rows {
            assert_eq!(flaw((fen, Color::White), &Certificate::Material(row)), None, "{fen}");
        }
        let neighbours = [
            ("4k3/8/8/8/8/8/8/r3K1N1 w - - 0 1", Material::LoneKnight),
            ("4k3/8/8/8/8/8/8/4K1NN w - - 0 1", Material::LoneKnight),
            ("4k3/8/8/8/8/8/8/b3KB2 w - - 0 1", Material::OneColouredBishops),
            ("4k3/7p/8/8/8/8/8/4KB2 w - - 0 1", Material::OneColouredBishops),
            ("4k3/7n/8/8/8/8/8/4KB2 w - - 0 1", Material::OneColouredBishops),
            ("4k3/8/8/8/8/8/8/4KBR1 w - - 0 1", Material::OneColouredBishops),
            ("4k3/8/8/8/8/8/7P/4K3 w - - 0 1", Material::BareKing),
        ];
        for (fen, row) in neighbours {
            assert_eq!(
                flaw((fen, Color::White), &Certificate::Material(row)),
                Some(Flaw::Material(row)),
                "{fen}"
            );
        }
    }

    #[test]
    fn a_game_that_goes_on_or_is_won_is_not_over() {
        let goes_on = flaw(BARE_KING, &Certificate::GameOver);
        assert_eq!(goes_on, Some(Flaw::GoesOn));
        let mate = ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Color::White);
        assert_eq!(flaw(mate, &Certificate::GameOver), Some(Flaw::Mated { number: 0 }));
    }

    /// Nothing in a fence is idle: less of it is no proof.
    #[test]
    fn a_fence_with_a_gap_is_refused() {
        for question in FENCED {
            let fence = fence(question);
            let refused = |men| flaw(question, &Certificate::Fence(Box::new(Fence { men }))).is_some();
            for number in 0..fence.men.len() {
                let man = fence.men[number];
                let mut fewer = fence.men.clone();
                fewer.remove(number);
                assert!(refused(fewer), "{man:?}");
                for square in man.squares {
                    let mut men = fence.men.clone();
                    men[number].squares.discard(square);
                    assert!(refused(men), "{man:?} {square}");
                }
                if man.may_be_taken {
                    let mut men = fence.men.clone();
                    men[number].may_be_taken = false;
                    assert!(refused(men), "{man:?}");
                }
            }
        }
    }

    #[test]
    fn scenes_with_a_gap_are_refused() {
        for question in ROAMED {
            let roamed = roamed(question);
            let refused = |roamed| flaw(question, &Certificate::Roamed(Box::new(roamed))).is_some();
            let every = roamed.scenes.len() / 10 + 1;
            for number in (0..roamed.scenes.len()).step_by(every) {
                let mut fewer = roamed.clone();
                fewer.scenes.remove(number);
                assert!(refused(fewer), "{question:?} {number}");
                for roamer in 0..roamed.roamers.len() {
                    let realm = roamed.scenes[number].realms[roamer];
                    for square in [realm.first(), realm.last()].into_iter().flatten() {
                        let mut fewer = roamed.clone();
                        fewer.scenes[number].realms[roamer].discard(square);
                        assert!(refused(fewer), "{question:?} {number} {roamer} {square}");
                    }
                }
                let mut other = roamed.clone();
                other.scenes[number].has_promoted ^= true;
                assert!(refused(other), "{question:?} {number}");
            }
        }
    }

    /// A check along a line is also met by going between.
    #[test]
    fn a_roamer_may_go_between() {
        let question = ("4k3/8/8/8/8/5N2/5pPP/4br1K w - - 0 1", Color::White);
        let chess = position(question.0);
        let roamer = Roamer { color: Color::White, role: Role::Knight, origin: Square::F3 };
        let mut board = chess.board().clone();
        board.discard_piece_at(roamer.origin);
        let realms = vec![Bitboard::from_square(roamer.origin)];
        let turn = Color::White;
        let scene =
            Scene { board, turn, passed: None, has_promoted: false, landed: None, left: None, realms };
        let roamed = Roamed { roamers: vec![roamer], scenes: vec![scene] };
        let flaw = flaw(question, &Certificate::Roamed(Box::new(roamed)));
        assert!(matches!(flaw, Some(Flaw::StepMissing { number: 0, .. })), "{flaw:?}");
    }

    #[test]
    fn a_tree_with_a_gap_is_refused() {
        let question = ("7k/8/8/8/8/8/6q1/7K w - - 0 1", Color::Black);
        let closed = closed(question);
        let refused = |closed| flaw(question, &Certificate::Closed(Box::new(closed))).is_some();
        for number in 0..closed.positions.len() {
            let mut fewer = closed.clone();
            fewer.positions.remove(number);
            assert!(refused(fewer), "{number}");
        }
        assert!(!closed.leaves.is_empty());
        for number in 0..closed.leaves.len() {
            let (mut fewer, mut wrong) = (closed.clone(), closed.clone());
            fewer.leaves.remove(number);
            assert!(refused(fewer), "{number}");
            wrong.leaves[number].1 = Certificate::GameOver;
            assert!(refused(wrong), "{number}");
        }
    }
}
