//! Whether there is a last move, and moves before it.

use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Color, File, Rank, Role, Setup, Square, attacks,
};

use super::Reason;
use super::count::{self, name};
use super::locked::behind;

/// Half-moves taken back. Deeper looks find little more: one free man ends each.
const DEPTH: u32 = 4;
/// Positions looked at before giving up.
const NODES_MAX: u32 = 4_000;

/// The reason if no series of last moves leads to the position. Where another reason `is_known`, only what
/// is plain to see is added.
pub(super) fn reason(setup: &Setup, mode: CastlingMode, is_known: bool) -> Option<Reason> {
    let mut search = Search { mode, nodes: NODES_MAX };
    let has_past = if is_known { search.has_past(setup, 1) } else { search.has_past(setup, DEPTH) };
    // The men of the start array may not have moved at all.
    if has_past || super::proof::is_start(setup, mode) {
        return None;
    }
    let king = setup.board.king_of(setup.turn)?;
    let checkers = setup.board.attacks_to(king, !setup.turn, setup.board.occupied());
    let squares: Vec<String> = checkers.into_iter().map(|square| square.to_string()).collect();
    let squares = squares.join(" and ");
    let (name, text) = match checkers.count() {
        0 => ("no-last-move", format!("{} has no last move that leads here.", name(!setup.turn))),
        1 => ("impossible-check", format!("No last move gives the check from {squares}.")),
        2 => ("impossible-check", format!("No last move gives check from {squares} at once.")),
        _ => ("triple-check", format!("No move gives check from {squares} at once.")),
    };
    Some(Reason::new(name, text))
}

struct Search {
    mode: CastlingMode,
    nodes: u32,
}

impl Search {
    /// True if `depth` half-moves can be taken back, or if that took too long to find out.
    fn has_past(&mut self, setup: &Setup, depth: u32) -> bool {
        depth == 0
            || super::proof::is_start(setup, self.mode)
            || predecessors(setup, self.mode, &mut |before| {
                self.nodes = self.nodes.saturating_sub(1);
                self.nodes == 0
                    || is_possible(before)
                        && self.has_past(before, depth - 1)
                        && (depth < DEPTH || super::history(before, self.mode).is_empty())
            })
    }
}

/// What every position of a game fulfils, as far as it is cheap to see.
fn is_possible(setup: &Setup) -> bool {
    let board = &setup.board;
    let is_safe = board
        .king_of(!setup.turn)
        .is_some_and(|king| board.attacks_to(king, setup.turn, board.occupied()).is_empty());
    is_safe && count::is_possible(board)
}

/// Takes back every last move in turn until `found` is content with one.
fn predecessors(setup: &Setup, mode: CastlingMode, found: &mut dyn FnMut(&Setup) -> bool) -> bool {
    let mover = !setup.turn;
    let back = Back { setup, mover, may_uncapture: setup.board.by_color(setup.turn).count() < 16 };
    if let Some(square) = setup.ep_square {
        return back.double_step(square, found);
    }
    // A man that may still castle has not moved.
    let own = setup.board.by_color(mover) & !setup.castling_rights;
    let king_may_castle = (setup.castling_rights & setup.board.by_color(mover)).any();
    own.into_iter().any(|square| match setup.board.role_at(square) {
        Some(Role::King) if king_may_castle => false,
        Some(Role::Pawn) => back.pawn(square, found),
        Some(role) => back.officer(role, square, found) || back.promotion(square, found),
        None => false,
    }) || !king_may_castle && back.castling(mode, found)
}

/// The position whose last move is taken back.
struct Back<'a> {
    setup: &'a Setup,
    mover: Color,
    may_uncapture: bool,
}

impl Back<'_> {
    /// The position with the mover to move and no en passant field.
    fn before(&self, board: Board) -> Setup {
        Setup { board, turn: self.mover, ep_square: None, ..self.setup.clone() }
    }

    /// Puts the man that went to `to` back on `from` as `role`, with whatever it can have captured.
    fn step(
        &self,
        role: Role,
        from: Square,
        to: Square,
        is_capture: bool,
        found: &mut dyn FnMut(&Setup) -> bool,
    ) -> bool {
        let mut board = self.setup.board.clone();
        board.discard_piece_at(to);
        board.set_piece_at(from, role.of(self.mover));
        if !is_capture {
            return found(&self.before(board));
        }
        if !self.may_uncapture {
            return false;
        }
        let is_outer = to.rank() == Rank::First || to.rank() == Rank::Eighth;
        [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::Pawn].into_iter().any(|victim| {
            if victim == Role::Pawn && is_outer {
                return false;
            }
            let mut board = board.clone();
            board.set_piece_at(to, victim.of(!self.mover));
            found(&self.before(board))
        })
    }

    fn officer(&self, role: Role, to: Square, found: &mut dyn FnMut(&Setup) -> bool) -> bool {
        let occupied = self.setup.board.occupied();
        let from = attacks::attacks(to, role.of(self.mover), occupied) & !occupied;
        [false, true]
            .into_iter()
            .any(|is_capture| from.into_iter().any(|from| self.step(role, from, to, is_capture, &mut *found)))
    }

    fn promotion(&self, to: Square, found: &mut dyn FnMut(&Setup) -> bool) -> bool {
        to.rank() == self.mover.relative_rank(Rank::Eighth) && self.pawn_step(to, found)
    }

    fn pawn_step(&self, to: Square, found: &mut dyn FnMut(&Setup) -> bool) -> bool {
        let occupied = self.setup.board.occupied();
        let straight = behind(self.mover, to).filter(|&from| !occupied.contains(from));
        let aside = attacks::pawn_attacks(!self.mover, to) & !occupied;
        straight.is_some_and(|from| self.step(Role::Pawn, from, to, false, &mut *found))
            || aside.into_iter().any(|from| self.step(Role::Pawn, from, to, true, &mut *found))
    }

    fn pawn(&self, to: Square, found: &mut dyn FnMut(&Setup) -> bool) -> bool {
        if to.rank() == self.mover.relative_rank(Rank::Second) {
            return false;
        }
        let has_jumped = to.rank() == self.mover.relative_rank(Rank::Fourth)
            && behind(self.mover, to).is_some_and(|over| self.double_step(over, &mut *found));
        has_jumped || self.pawn_step(to, &mut *found) || self.en_passant(to, found)
    }

    /// Takes back the double step over `over`.
    fn double_step(&self, over: Square, found: &mut dyn FnMut(&Setup) -> bool) -> bool {
        let occupied = self.setup.board.occupied();
        let (Some(from), Some(to)) = (behind(self.mover, over), behind(!self.mover, over)) else {
            return false;
        };
        occupied.is_disjoint(Bitboard::from(over).with(from))
            && self.setup.board.piece_at(to) == Some(self.mover.pawn())
            && self.step(Role::Pawn, from, to, false, found)
    }

    fn en_passant(&self, to: Square, found: &mut dyn FnMut(&Setup) -> bool) -> bool {
        let occupied = self.setup.board.occupied();
        let (Some(victim), Some(start)) = (behind(self.mover, to), behind(!self.mover, to)) else {
            return false;
        };
        if to.rank() != self.mover.relative_rank(Rank::Sixth)
            || !self.may_uncapture
            || occupied.contains(victim)
            || occupied.contains(start)
        {
            return false;
        }
        (attacks::pawn_attacks(!self.mover, to) & !occupied).into_iter().any(|from| {
            let mut board = self.setup.board.clone();
            board.discard_piece_at(to);
            board.set_piece_at(from, self.mover.pawn());
            board.set_piece_at(victim, (!self.mover).pawn());
            found(&Setup { ep_square: Some(to), ..self.before(board) })
        })
    }

    /// Takes back castling; in Chess960 king and rook can have come from anywhere on their rank.
    fn castling(&self, mode: CastlingMode, found: &mut dyn FnMut(&Setup) -> bool) -> bool {
        let rank = self.mover.backrank();
        let (king_man, rook_man) = (self.mover.king(), self.mover.rook());
        CastlingSide::ALL.into_iter().any(|side| {
            let (king_to, rook_to) = (side.king_to(self.mover), side.rook_to(self.mover));
            let board = &self.setup.board;
            if board.piece_at(king_to) != Some(king_man) || board.piece_at(rook_to) != Some(rook_man) {
                return false;
            }
            let mut emptied = board.clone();
            emptied.discard_piece_at(king_to);
            emptied.discard_piece_at(rook_to);
            let squares = Bitboard::from_rank(rank) & !emptied.occupied();
            squares.into_iter().any(|king| {
                squares.into_iter().any(|rook| {
                    let usual_rook = if side.is_king_side() { File::H } else { File::A };
                    let is_side = if side.is_king_side() { rook > king } else { rook < king };
                    let is_usual = king.file() == File::E && rook.file() == usual_rook;
                    if !is_side || !(is_usual || mode.is_chess960()) {
                        return false;
                    }
                    let mut board = emptied.clone();
                    board.set_piece_at(king, king_man);
                    board.set_piece_at(rook, rook_man);
                    let rights = self.setup.castling_rights.with(rook);
                    found(&Setup { castling_rights: rights, ..self.before(board) })
                })
            })
        })
    }
}
