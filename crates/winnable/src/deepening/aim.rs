//! Where everybody has to go for a mate in a corner.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Rank, Role, Square};

use crate::nets::Net;
use crate::ways::{FAR, NOWHERE, Way, index, way};

/// A corner for the losing king, and how far from their places the men are. The figures only order the search: no answer
/// depends on them.
pub(super) struct Aim {
    winner: Color,
    /// For each kind of man of the winner, and of the other side, how many moves it is from each square to its place.
    ours: [Way; 6],
    theirs: [Way; 6],
    /// One man alone is to mate: nothing else is to be taken, or to be promoted.
    is_lone: bool,
}

/// Bishops come this near and then wait for their turn.
const NEAR: u8 = 2;
/// With fewer men left nothing is in anybody's way.
const FULL: usize = 6;

impl Aim {
    /// All aims of the men on this board, to be followed in turns.
    pub(super) fn all(board: &Board, winner: Color) -> Vec<Self> {
        let is_lone = (board.by_color(winner) & !board.kings()).count() == 1;
        let nets = if is_lone { Net::all(board, winner) } else { Vec::new() };
        if !nets.is_empty() {
            return nets.into_iter().map(|net| Self::net(net, winner)).collect();
        }
        let ours = board.bishops() & board.by_color(winner);
        let theirs = board.bishops() & board.by_color(!winner);
        // Where the winner has none, bishops of the other colour stand beside their own king.
        let (dark, light) = if ours.any() {
            (ours & Bitboard::DARK_SQUARES, ours & Bitboard::LIGHT_SQUARES)
        } else {
            (theirs & Bitboard::LIGHT_SQUARES, theirs & Bitboard::DARK_SQUARES)
        };
        let both = dark.any() == light.any();
        let colours =
            [Bitboard::DARK_SQUARES & Bitboard::CORNERS, Bitboard::LIGHT_SQUARES & Bitboard::CORNERS];
        let wanted = colours.into_iter().zip([dark, light]).filter(|(_, men)| both || men.any());
        let mut corners: Vec<Square> = wanted.flat_map(|(corners, _)| corners).collect();
        // Those at the losing side's own end of the board first: there its king is shut in by its own men.
        let end = winner.fold_wb(Rank::Eighth, Rank::First);
        corners.sort_by_key(|corner| corner.rank() != end);
        corners.into_iter().map(|corner| Self::gathering(board, winner, corner)).collect()
    }

    /// Everything comes to the corner.
    fn gathering(board: &Board, winner: Color, corner: Square) -> Self {
        let standing = standing(board);
        // Seen from the corner: files and ranks inwards.
        let at = |file: i32, rank: i32| {
            let (corner_file, corner_rank) = (corner.file() as i32, corner.rank() as i32);
            let from = |start: i32, steps: i32| if start == 0 { steps } else { start - steps };
            let number = from(corner_rank, rank) * 8 + from(corner_file, file);
            Bitboard::from_iter(u32::try_from(number).ok().map(Square::new))
        };
        let beside = at(0, 0) | at(1, 0) | at(0, 1);
        let bishop = way(Role::Bishop, beside, standing);
        let mut aim = Self { winner, ours: [NOWHERE; 6], theirs: [NOWHERE; 6], is_lone: false };
        aim.ours[index(Role::King)] = way(Role::King, at(1, 1), Bitboard::EMPTY);
        aim.ours[index(Role::Knight)] = way(Role::Knight, at(3, 3), Bitboard::EMPTY);
        aim.ours[index(Role::Bishop)] = bishop;
        aim.theirs[index(Role::King)] = way(Role::King, at(0, 0), Bitboard::EMPTY);
        aim.theirs[index(Role::Knight)] = way(Role::Knight, at(1, 0), Bitboard::EMPTY);
        aim.theirs[index(Role::Bishop)] = bishop;
        aim
    }

    /// Everybody comes to his place in a net. Bishops move last: one of them has its place in a move whenever it is its
    /// turn.
    fn net(net: &Net, winner: Color) -> Self {
        let (mut ours, theirs) = (net.checking, net.blocking);
        ours[index(Role::Bishop)] = NOWHERE;
        Self { winner, ours, theirs, is_lone: true }
    }

    /// Does this move lead towards the mate? Pawns that go on do, of either side: who is shut in opens his way, or has
    /// one more man beside his king.
    pub(super) fn is_progress(&self, chess: &Chess, mv: Move) -> bool {
        let Some(from) = mv.from() else { return false };
        let (to, role) = (mv.to(), mv.role());
        let is_ours = chess.turn() == self.winner;
        let way = if is_ours { &self.ours[index(role)] } else { &self.theirs[index(role)] };
        let (before, after) = (way[from as usize], way[to as usize]);
        let is_nearer = after < before && before != FAR;
        if self.is_lone {
            is_nearer || role == Role::Pawn && !mv.is_capture()
        } else if is_ours {
            let is_check_near = role == Role::Bishop && before < NEAR && after > before && after != FAR;
            let is_approach = is_nearer && (role != Role::Bishop || before > NEAR);
            role == Role::Pawn || mv.is_capture() || is_approach || is_check_near
        } else {
            let is_full = chess.board().occupied().count() >= FULL;
            is_nearer || role == Role::Pawn || is_full && mv.capture() == Some(Role::Pawn)
        }
    }
}

/// Pawns that stand before each other.
fn standing(board: &Board) -> Bitboard {
    let pawns = |color: Color| board.by_piece(Role::Pawn.of(color));
    let white = pawns(Color::White) & pawns(Color::Black).shift(-8);
    white | white.shift(8)
}
