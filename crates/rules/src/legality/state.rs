//! What the position itself forbids: checks, castling rights, the en passant field.

use shakmaty::{Bitboard, Castles, CastlingMode, Color, Rank, Setup, Square, attacks};

use super::Reason;
use super::count::name;
use super::locked::behind;

/// Everything that is wrong with checks, rights and the en passant field. Each side has one king.
pub(super) fn reasons(setup: &Setup, mode: CastlingMode) -> Vec<Reason> {
    let mut reasons = Vec::new();
    reasons.extend(checks(setup));
    if let Err(possible) = Castles::from_setup(setup, mode) {
        let refused: Vec<String> = (setup.castling_rights & !possible.castling_rights())
            .into_iter()
            .map(|square| square.to_string())
            .collect();
        let hint = if mode.is_chess960() { "" } else { " (in Chess960 other squares are possible)" };
        let text = format!(
            "No castling with a rook on {}: king and rook must stand where they began{hint}.",
            refused.join(" and ")
        );
        reasons.push(Reason::new("castling-rights", text));
    }
    if let Some(square) = setup.ep_square.filter(|&square| !is_jumped(setup, square)) {
        let text =
            format!("The en passant square {square} is not behind a pawn that just moved two squares.");
        reasons.push(Reason::new("en-passant-square", text));
    }
    reasons
}

/// True if a pawn of the side that moved can just have jumped over the square.
fn is_jumped(setup: &Setup, over: Square) -> bool {
    let (board, mover) = (&setup.board, !setup.turn);
    let (Some(from), Some(to)) = (behind(mover, over), behind(setup.turn, over)) else { return false };
    over.rank() == mover.relative_rank(Rank::Third)
        && board.piece_at(to) == Some(mover.pawn())
        && board.occupied().is_disjoint(Bitboard::from(over).with(from))
}

fn checks(setup: &Setup) -> Option<Reason> {
    let board = &setup.board;
    let king = |color| board.king_of(color);
    let (white, black) = (king(Color::White)?, king(Color::Black)?);
    if attacks::king_attacks(white).contains(black) {
        return Some(Reason::new("kings-adjacent", "The kings stand beside each other."));
    }
    let waits = !setup.turn;
    let checkers = |color| -> Bitboard {
        king(color).map_or(Bitboard::EMPTY, |king| board.attacks_to(king, !color, board.occupied()))
    };
    if checkers(waits).is_empty() {
        return None;
    }
    if checkers(setup.turn).any() {
        return Some(Reason::new("both-in-check", "Both kings are in check."));
    }
    let text = format!("{} has moved and is in check.", name(waits));
    Some(Reason::new("side-not-to-move-in-check", text))
}
