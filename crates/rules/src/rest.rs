//! What a man may still do where he was set down: is he there, or on his way?

use shakmaty::{CastlingSide, Move, Rank, Role, Square, attacks};

use super::{ChessPosition, Position as _};

/// The loss of a pawn is no reason to doubt a move (see [`gain`](super::Position::gain)).
pub(super) const ODD: i32 = -2;

/// No exchange counts for more than a queen does.
pub(super) const GAIN_MAX: i32 = 8;

/// The squares on which the kings signal a result.
pub(super) const CENTRE: [Square; 4] = [Square::D4, Square::E4, Square::D5, Square::E5];

/// What a man may still do who rests on his new square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Hardly anything: he captured, gave check, or cannot go far from here.
    Final,
    /// He could go elsewhere: a man of long range, or a move that leaves a man to be taken.
    Doubtful,
    /// He may be on his way to a square beyond.
    OnTheWay,
    /// He could be taken for nothing, or for less: few players mean that.
    Odd,
    /// A rook that stands as it would after castling, while the king may still come over it; in Chess960 a king, too,
    /// while the rook may still come.
    Castling,
    /// A king on a square on which kings signal a result.
    Centre,
}

/// What a piece is worth, in pawns; the king more than any.
pub(super) fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 20,
    }
}

pub(super) fn rest(position: &ChessPosition, mv: Move) -> Rest {
    let Move::Normal { role, from, to, capture, promotion } = mv else { return Rest::Final };
    match role {
        Role::King if CENTRE.contains(&to) => return Rest::Centre,
        Role::Rook | Role::King if capture.is_none() && begins_castling(position, role, from, to) => {
            // A move that ends the game waits for no press (5.1.1).
            let is_end = position.is_chess960() && position.play(mv).end().is_some();
            return if is_end { Rest::Final } else { Rest::Castling };
        }
        _ if capture.is_some() || promotion.is_some() => return Rest::Final,
        Role::King if may_castle(position, from, to) => return Rest::OnTheWay,
        _ => {}
    }
    if position.gain(mv) <= ODD {
        Rest::Odd
    } else if may_go_on(position, role, from, to) {
        Rest::OnTheWay
    } else if matches!(role, Role::Bishop | Role::Rook | Role::Queen) || position.gain(mv) < 0 {
        Rest::Doubtful
    } else {
        Rest::Final
    }
}

/// A king on his first step towards the rook with which he may castle.
fn may_castle(position: &ChessPosition, from: Square, to: Square) -> bool {
    let rooks = position.castling_rights() & position.board().by_color(position.color());
    rooks.into_iter().any(|rook| attacks::between(from, rook).contains(to) || rook == to)
}

/// A rook that comes to rest where it would stand after castling, while the king may still come over it; in Chess960,
/// where both may go in any order and by one step, either of them, if that castling is legal.
fn begins_castling(position: &ChessPosition, role: Role, from: Square, to: Square) -> bool {
    let turn = position.color();
    if !position.is_chess960() {
        return role == Role::Rook
            && position.castling_rights().contains(from)
            && CastlingSide::ALL.iter().any(|side| side.rook_to(turn) == to);
    }
    let arrives = |mv: Move| {
        let Move::Castle { king, rook } = mv else { return false };
        let side = CastlingSide::from_king_side(rook > king);
        [(king, side.king_to(turn)), (rook, side.rook_to(turn))].contains(&(from, to))
    };
    let mut moves = Vec::new();
    if !position.castling_rights().is_empty() {
        position.legal_moves(&mut moves);
    }
    moves.into_iter().any(arrives)
}

/// A piece that has room ahead in the direction in which it came.
fn may_go_on(position: &ChessPosition, role: Role, from: Square, to: Square) -> bool {
    let occupied = position.board().occupied();
    match role {
        Role::Knight | Role::King => false,
        Role::Pawn => {
            matches!((from.rank(), to.rank()), (Rank::Second, Rank::Third) | (Rank::Seventh, Rank::Sixth))
        }
        // A man of the opponent ahead can be captured there; one's own cannot.
        Role::Bishop | Role::Rook | Role::Queen => {
            let own = position.board().by_color(position.color());
            let next = attacks::ray(from, to) & attacks::king_attacks(to) & !attacks::between(from, to);
            next.without(from).into_iter().any(|square| !(occupied & own).contains(square))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Move as _;

    #[test]
    fn a_man_is_there_or_on_his_way() {
        let position = ChessPosition::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", false).unwrap();
        let rests =
            |role, from, to| rest(&position, Move::Normal { role, from, capture: None, to, promotion: None });
        assert_eq!(rests(Role::Rook, Square::A1, Square::A4), Rest::OnTheWay);
        assert_eq!(rests(Role::Rook, Square::A1, Square::A8), Rest::Doubtful);
        assert_eq!(rests(Role::Rook, Square::A1, Square::D1), Rest::Castling);
        assert_eq!(rests(Role::Rook, Square::A1, Square::C1), Rest::OnTheWay);
        assert_eq!(rests(Role::King, Square::E1, Square::D1), Rest::OnTheWay);
        assert_eq!(rests(Role::King, Square::E1, Square::F1), Rest::Final);
        assert_eq!(rests(Role::King, Square::E3, Square::E4), Rest::Centre);
    }

    #[test]
    fn a_dragged_man_comes_over_the_square_before() {
        let step =
            |role, from, to| Move::Normal { role, from, capture: None, to, promotion: None }.last_step();
        assert_eq!(step(Role::Bishop, Square::F1, Square::C4), Some(Square::D3.into()));
        assert_eq!(step(Role::Pawn, Square::E2, Square::E4), Some(Square::E3.into()));
        assert_eq!(step(Role::King, Square::E1, Square::E2), Some(Square::E1.into()));
        assert_eq!(step(Role::Knight, Square::G1, Square::F3), None);
    }
}
