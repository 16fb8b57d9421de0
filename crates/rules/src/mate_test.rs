//! Whether a side can still mate, as records tell it: the answer in words and moves that need no board,
//! whatever the game (5.1.2, 5.2.2, 6.9, 7.5.5, III.5; laws-model 9).

use super::mate::{Basis, Reason};
use super::{Position, Shown};
use crate::words::words;

/// So many plies of a line are written out. Lines are shorter as a rule, and a record is sent anew with each
/// change of its status.
pub const LINE_MAX: usize = 200;

words! {
    /// Why a side can never mate, as events write it.
    MateReason {
        /// The game is over.
        GameOver = "game-over",
        /// It has its king alone.
        BareKing = "bare-king",
        /// It has one knight, against queens at most.
        LoneKnight = "lone-knight",
        /// Its bishops go over squares of one colour.
        OneColouredBishops = "one-coloured-bishops",
        /// Pawns block the way.
        Blocked = "blocked",
        /// Everything was played.
        AllPlayed = "all-played",
    }

    /// What speaks for one or the other where it was not settled.
    MateBasis {
        /// The material would suffice.
        MaterialSufficient = "material sufficient",
        /// No pawn of that side gets through as the pawns stand.
        Blocked = "blocked",
        /// It cannot be asked: the rules of the game do not hold for the position.
        NoRegularPosition = "no regular position",
        /// Nobody has an answer for four players.
        FourPlayers = "four players",
        /// Playing found nothing.
        NothingFound = "nothing found by playing",
    }
}

/// The answer, with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MateTest {
    /// These moves, both sides helping, end in mate.
    Yes(MateLine),
    /// No series of legal moves mates.
    No(CannotMate),
    /// It was not settled: the arbiter decides.
    Unknown {
        /// What speaks for one or the other.
        basis: MateBasis,
        /// Positions that were looked at for nothing.
        nodes: u32,
    },
}

/// Moves that end in mate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MateLine {
    /// The moves; of a long line the first [`LINE_MAX`].
    pub moves: Vec<MateMove>,
    /// How many plies it is to the mate.
    pub plies: usize,
    /// The mate.
    pub end: Shown,
}

/// A move of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MateMove {
    /// From-to notation, as `move-made` has it.
    pub uci: String,
    /// Standard algebraic notation, with the signs of check and mate.
    pub san: String,
}

/// Why a side can never mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CannotMate {
    /// The reason.
    pub reason: MateReason,
    /// How many positions were played through, where that is the reason.
    pub positions: Option<u32>,
}

impl MateTest {
    /// The answer in a word, as events write it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Yes(_) => "yes",
            Self::No(_) => "no",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// True if it is proved that the side cannot mate.
    #[must_use]
    pub fn is_no(&self) -> bool {
        matches!(self, Self::No(_))
    }
}

impl MateLine {
    /// The line of these moves from `position`.
    #[must_use]
    pub fn of<P: Position>(position: &P, line: &[P::Move]) -> Self {
        let mut position = position.clone();
        let mut moves = Vec::with_capacity(line.len().min(LINE_MAX));
        for &mv in line {
            if moves.len() < LINE_MAX {
                let played = position.played(mv);
                moves.push(MateMove { uci: played.uci(), san: played.san() });
            }
            position = position.play(mv);
        }
        Self { moves, plies: line.len(), end: position.shown() }
    }
}

impl From<Basis> for MateBasis {
    fn from(basis: Basis) -> Self {
        match basis {
            Basis::MaterialSufficient => Self::MaterialSufficient,
            Basis::Blocked => Self::Blocked,
        }
    }
}

impl From<Reason> for CannotMate {
    fn from(reason: Reason) -> Self {
        let (reason, positions) = match reason {
            Reason::NoLegalMove => (MateReason::GameOver, None),
            Reason::BareKing => (MateReason::BareKing, None),
            Reason::LoneKnight => (MateReason::LoneKnight, None),
            Reason::OneColouredBishops => (MateReason::OneColouredBishops, None),
            Reason::Blocked => (MateReason::Blocked, None),
            Reason::Exhausted(positions) => (MateReason::AllPlayed, Some(positions)),
        };
        Self { reason, positions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChessPosition;

    /// Kings that walk to and fro, so many plies.
    fn walk(plies: usize) -> MateLine {
        let start = ChessPosition::from_fen("k7/8/8/8/8/8/8/K6R w - - 0 1", false).unwrap();
        let mut position = start.clone();
        let mut line = Vec::new();
        for uci in ["a1a2", "a8a7", "a2a1", "a7a8"].into_iter().cycle().take(plies) {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let mv = moves.into_iter().find(|&mv| position.played(mv).uci() == uci).unwrap();
            line.push(mv);
            position = position.play(mv);
        }
        MateLine::of(&start, &line)
    }

    #[test]
    fn a_long_line_is_cut_and_keeps_its_length_and_its_end() {
        let whole = walk(LINE_MAX);
        assert_eq!((whole.moves.len(), whole.plies), (LINE_MAX, LINE_MAX));
        let cut = walk(LINE_MAX + 3);
        assert_eq!((cut.moves.len(), cut.plies), (LINE_MAX, LINE_MAX + 3));
        assert_eq!(cut.moves, whole.moves);
        assert_eq!(cut.end.fen(), "8/k7/8/8/8/8/8/K6R b - - 203 102");
        assert_eq!(cut.moves[1], MateMove { uci: "a8a7".into(), san: "Ka7".into() });
    }
}
