//! Draws by repetition and by counting moves (Article 9; laws-model 9).

pub use adoube_winnable::Key;

use super::{ChessPosition, Position as _, Variant};
use crate::sensor::Side;

/// The same position this often may be claimed as a draw (9.2).
pub const THREEFOLD: usize = 3;
/// The same position this often is a draw without a claim (9.6.1).
pub const FIVEFOLD: usize = 5;
/// Fifty moves by each of two players: what may be claimed (9.3).
pub const FIFTY_MOVES_HALFMOVES: u32 = fifty_moves_halfmoves(2);
/// Fifty moves by each of so many players, in half-moves (9.3; four-player R-21).
#[must_use]
pub(crate) const fn fifty_moves_halfmoves(players: u32) -> u32 {
    50 * players
}

/// Seventy-five moves by each player: a draw without a claim (9.6.2).
pub const SEVENTY_FIVE_MOVES_HALFMOVES: u32 = 150;

impl From<&ChessPosition> for Key {
    fn from(position: &ChessPosition) -> Self {
        Self::of(position.board(), position.color(), position.castling_rights(), position.legal_en_passant())
    }
}

/// The positions of a line from its start, and what the rules of Article 9 say about them.
///
/// A ply is an index: 0 is the start, n the position after n moves.
#[derive(Debug, Clone)]
pub struct History<V: Variant> {
    positions: Vec<V::Position>,
    keys: Vec<V::Key>,
    /// How often each position had stood by its ply, itself included: as `keys` tell.
    occurrences: Vec<usize>,
    /// Plies that did not follow from the one before by a move on record.
    breaks: Vec<usize>,
}

impl<V: Variant> History<V> {
    /// A line of its start alone; a half-move clock in it counts.
    #[must_use]
    pub fn new(start: &V::Position) -> Self {
        Self {
            keys: vec![start.key()],
            occurrences: vec![1],
            positions: vec![start.clone()],
            breaks: Vec::new(),
        }
    }

    /// Adds the position that a move led to.
    pub fn push(&mut self, position: &V::Position) {
        let key = position.key();
        self.occurrences.push(self.plies_of(key, self.ply()).count() + 1);
        self.keys.push(key);
        self.positions.push(position.clone());
    }

    /// Adds a position that no move on record led to: one that was set, or one behind a gap.
    pub fn push_break(&mut self, position: &V::Position) {
        self.breaks.push(self.positions.len());
        self.push(position);
    }

    /// Takes back every position after this ply.
    pub fn truncate(&mut self, ply: usize) {
        self.keys.truncate(ply + 1);
        self.occurrences.truncate(ply + 1);
        self.positions.truncate(ply + 1);
        self.breaks.retain(|&at| at <= ply);
    }

    /// The last ply.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.positions.len() - 1
    }

    /// The position at a ply of the line.
    #[must_use]
    pub fn position(&self, ply: usize) -> Option<&V::Position> {
        self.positions.get(ply)
    }

    /// How often the position of this ply had stood by then, itself included.
    #[must_use]
    pub fn occurrences(&self, ply: usize) -> usize {
        self.occurrences[ply]
    }

    /// The plies up to this one at which its position stood.
    #[must_use]
    pub fn same(&self, ply: usize) -> Vec<usize> {
        self.plies_of(self.keys[ply], ply).collect()
    }

    /// The position of this ply stood for the third time or more (9.2.1.2).
    #[must_use]
    pub fn threefold(&self, ply: usize) -> bool {
        self.occurrences(ply) >= THREEFOLD
    }

    /// The position of this ply stood for the fifth time or more (9.6.1).
    #[must_use]
    pub fn fivefold(&self, ply: usize) -> bool {
        self.occurrences(ply) >= FIVEFOLD
    }

    /// Half-moves up to this ply without a pawn move or a capture.
    #[must_use]
    pub fn halfmoves(&self, ply: usize) -> u32 {
        self.positions[ply].halfmoves()
    }

    /// Seventy-five moves by each without a pawn move or a capture (9.6.2); a mate comes first.
    #[must_use]
    pub fn seventy_five(&self, ply: usize) -> bool {
        self.halfmoves(ply) >= SEVENTY_FIVE_MOVES_HALFMOVES
    }

    /// The last break at or before this ply: a position that was set, or a gap in the record.
    #[must_use]
    pub fn broken_at(&self, ply: usize) -> Option<usize> {
        self.breaks.iter().copied().rfind(|&at| at <= ply)
    }

    fn plies_of(&self, key: V::Key, last: usize) -> impl Iterator<Item = usize> {
        let keys = self.keys[..=last].iter().enumerate();
        keys.filter(move |&(_, &other)| other == key).map(|(ply, _)| ply)
    }

    fn last(&self) -> &V::Position {
        &self.positions[self.ply()]
    }
}

/// What a claim rests on, for the arbiter and the players to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// The plies at which the position stood; the ply to come, for an intended move.
    Same(Vec<usize>),
    /// Half-moves without a pawn move or a capture, an intended move among them.
    Halfmoves {
        /// How many.
        count: u32,
        /// How many of them each side made.
        by: [(Side, u32); 2],
        /// The ply after the last pawn move or capture; none if that was before the start or a break.
        since: Option<usize>,
    },
    /// The intended move is not legal here.
    IllegalMove,
}

/// What a claim under 9.2 or 9.3 comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimVerdict {
    /// The record bears the claim out.
    pub is_correct: bool,
    /// What it rests on.
    pub evidence: Evidence,
    /// The last break in the record: what was before it is not counted for certain.
    pub broken_at: Option<usize>,
}

/// The last position stands for the third time or more (9.2.1.2).
#[must_use]
pub fn claim_threefold<V: Variant>(history: &History<V>) -> ClaimVerdict {
    repetition(history, history.same(history.ply()))
}

/// The position after this move would stand for the third time or more (9.2.1.1).
#[must_use]
pub fn claim_threefold_intended<V: Variant>(history: &History<V>, mv: V::Move) -> ClaimVerdict {
    let Some(next) = played(history, mv) else { return illegal(history) };
    let mut plies: Vec<usize> = history.plies_of(next.key(), history.ply()).collect();
    plies.push(history.ply() + 1);
    repetition(history, plies)
}

/// The last fifty moves by each were made without a pawn move or a capture (9.3.2).
#[must_use]
pub fn claim_fifty<V: Variant>(history: &History<V>) -> ClaimVerdict {
    counted(history, history.last(), history.ply())
}

/// With this move the last fifty by each would have no pawn move and no capture (9.3.1).
#[must_use]
pub fn claim_fifty_intended<V: Variant>(history: &History<V>, mv: V::Move) -> ClaimVerdict {
    played(history, mv).map_or_else(|| illegal(history), |next| counted(history, &next, history.ply() + 1))
}

/// The side to move could claim now: the position stands for the third time, or a legal move
/// would make one stand for the third time.
#[must_use]
pub fn is_threefold_claimable<V: Variant>(history: &History<V>) -> bool {
    // Each return of a position takes two moves by each player, none of which changed anything for good.
    let undone = history.halfmoves(history.ply()).min(u32::try_from(history.ply()).unwrap_or(u32::MAX));
    if undone + 1 < 4 * players::<V>() {
        return false;
    }
    if history.threefold(history.ply()) {
        return true;
    }
    // What comes for the third time has stood twice.
    if history.occurrences.iter().all(|&occurrences| occurrences < THREEFOLD - 1) {
        return false;
    }
    moves(history).into_iter().any(|mv| {
        let next = history.last().play(mv);
        // Behind a pawn move or a capture no earlier position can come back.
        next.halfmoves() > 0 && history.plies_of(next.key(), history.ply()).count() + 1 >= THREEFOLD
    })
}

/// The side to move could claim now: fifty moves by each are made, or it has a quiet move that
/// makes them so.
#[must_use]
pub fn is_fifty_claimable<V: Variant>(history: &History<V>) -> bool {
    let made = history.halfmoves(history.ply());
    let has_quiet_move = || moves(history).into_iter().any(|mv| history.last().play(mv).halfmoves() > 0);
    let needed = fifty_moves_halfmoves(players::<V>());
    made >= needed || (made + 1 == needed && has_quiet_move())
}

fn players<V: Variant>() -> u32 {
    u32::try_from(V::ARMIES).expect("a handful of players")
}

fn moves<V: Variant>(history: &History<V>) -> Vec<V::Move> {
    let mut moves = Vec::new();
    history.last().legal_moves(&mut moves);
    moves
}

fn played<V: Variant>(history: &History<V>, mv: V::Move) -> Option<V::Position> {
    // A move written down may be of another position; only the list of legal moves is to be trusted.
    moves(history).contains(&mv).then(|| history.last().play(mv))
}

fn illegal<V: Variant>(history: &History<V>) -> ClaimVerdict {
    let broken_at = history.broken_at(history.ply());
    ClaimVerdict { is_correct: false, evidence: Evidence::IllegalMove, broken_at }
}

fn repetition<V: Variant>(history: &History<V>, plies: Vec<usize>) -> ClaimVerdict {
    let broken_at = history.broken_at(history.ply());
    ClaimVerdict { is_correct: plies.len() >= THREEFOLD, evidence: Evidence::Same(plies), broken_at }
}

fn counted<V: Variant>(history: &History<V>, last: &V::Position, ply: usize) -> ClaimVerdict {
    let count = last.halfmoves();
    // The side that is not to move made the last one, so it made the odd one.
    let mover = last.turn().other();
    let by = Side::BOTH.map(|side| (side, if side == mover { count.div_ceil(2) } else { count / 2 }));
    let broken_at = history.broken_at(history.ply());
    let since = usize::try_from(count).ok().and_then(|count| ply.checked_sub(count));
    let since = since.filter(|&since| broken_at.is_none_or(|at| at <= since));
    ClaimVerdict {
        is_correct: count >= fifty_moves_halfmoves(players::<V>()),
        evidence: Evidence::Halfmoves { count, by, since },
        broken_at,
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::san::San;

    use super::*;
    use crate::Chess;

    fn line(start: &str, moves: &str) -> History<Chess> {
        let mut history = History::<Chess>::new(&ChessPosition::from_fen(start, false).unwrap());
        for san in moves.split_whitespace() {
            let last = history.position(history.ply()).unwrap();
            let next = last.play(read(&history, san));
            history.push(&next);
        }
        history
    }

    fn read(history: &History<Chess>, san: &str) -> shakmaty::Move {
        san.parse::<San>().unwrap().to_move(history.last().regular().unwrap()).unwrap()
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// S-091: the kings lost their castling rights after the first occurrence.
    #[test]
    fn lost_castling_rights_make_another_position() {
        let moves = "e4 e5 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8";
        let history = line(START, moves);
        assert_eq!(history.occurrences(history.ply()), 2);
        assert!(!claim_threefold(&history).is_correct);
        let history = line(START, &format!("{moves} Ke2 Ke7 Ke1 Ke8"));
        assert_eq!(claim_threefold(&history).evidence, Evidence::Same(vec![6, 10, 14]));
        assert!(is_threefold_claimable(&history));
    }

    /// S-092: only a capture in passing that was legal makes another position.
    #[test]
    fn en_passant_counts_only_where_it_was_legal() {
        let count = |start, moves| {
            let history = line(start, moves);
            history.occurrences(history.ply())
        };
        assert_eq!(count(START, "e4 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3 Ng8 Ng1"), 3);
        assert_eq!(count(START, "a3 d5 a4 d4 e4 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3 Ng8 Ng1"), 2);
        assert_eq!(count("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e4 Ka5 Kf1 Ka4 Ke1 Ka5 Kf1 Ka4 Ke1"), 3);
    }

    /// S-093a: the move need not be played.
    #[test]
    fn an_intended_move_is_enough() {
        let history = line(START, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1");
        assert!(!claim_threefold(&history).is_correct);
        assert!(is_threefold_claimable(&history));
        let verdict = claim_threefold_intended(&history, read(&history, "Ng8"));
        let expected = Evidence::Same(vec![0, 4, 8]);
        assert_eq!(verdict, ClaimVerdict { is_correct: true, evidence: expected, broken_at: None });
        assert!(!claim_threefold_intended(&history, read(&history, "Nd5")).is_correct);
        let elsewhere = read(&line(START, ""), "e4");
        assert_eq!(claim_threefold_intended(&history, elsewhere).evidence, Evidence::IllegalMove);
    }

    /// S-095b: five occurrences, the moves between them not the same.
    #[test]
    fn five_occurrences_need_not_follow_each_other() {
        let moves = "Nf3 Nf6 Ng1 Ng8 Nc3 Nc6 Nb1 Nb8";
        let mut history = line(START, &format!("{moves} {moves}"));
        assert_eq!(history.same(16), [0, 4, 8, 12, 16]);
        assert!(history.fivefold(16) && !history.fivefold(15));
        history.truncate(12);
        assert_eq!((history.ply(), history.occurrences(12)), (12, 4));
    }

    /// S-097: the half-move clock of the start counts; seventy-five moves are made.
    #[test]
    fn the_clock_of_the_start_counts() {
        let history = line("7k/8/6K1/8/8/8/8/R7 w - - 149 120", "Ra2");
        assert!(!history.seventy_five(0) && history.seventy_five(1));
        let expected =
            Evidence::Halfmoves { count: 150, by: [(Side::White, 75), (Side::Black, 75)], since: None };
        assert_eq!(claim_fifty(&history).evidence, expected);
    }

    #[test]
    fn at_ninety_nine_a_quiet_move_has_to_be_announced() {
        let history = line("7k/p7/6K1/8/8/8/8/R7 w - - 99 80", "");
        assert!(!claim_fifty(&history).is_correct);
        assert!(is_fifty_claimable(&history));
        assert!(claim_fifty_intended(&history, read(&history, "Ra2")).is_correct);
        assert!(!claim_fifty_intended(&history, read(&history, "Rxa7")).is_correct);
        // All that White may do is to move a pawn.
        assert!(!is_fifty_claimable(&line("k7/8/8/8/8/1q6/7P/K7 w - - 99 80", "")));
    }

    #[test]
    fn a_break_is_reported_until_it_is_taken_back() {
        let mut history = line(START, "Nf3 Nf6");
        history.push_break(&ChessPosition::default());
        let verdict = claim_threefold(&history);
        assert_eq!((verdict.evidence, verdict.broken_at), (Evidence::Same(vec![0, 3]), Some(3)));
        history.truncate(2);
        assert_eq!(history.broken_at(2), None);
    }
}
