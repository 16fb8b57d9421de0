//! What the number of men alone rules out.

use shakmaty::{Bitboard, Board, Color, Rank, Role};

use super::Reason;

/// The officers with which a side starts, but for bishops, which count by the colour of their squares.
const OFFICERS: [(Role, usize); 3] = [(Role::Queen, 1), (Role::Rook, 2), (Role::Knight, 2)];

/// The first and the last rank, where no pawn ever stands.
fn outer_ranks() -> Bitboard {
    Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth)
}

/// A side's name at the beginning of a sentence.
pub(super) fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// Officers that only promotion can have brought, bishops counted by the colour of their squares.
pub(super) fn promoted(board: &Board, color: Color) -> usize {
    let light = board.by_piece(color.bishop()) & Bitboard::LIGHT_SQUARES;
    let dark = board.by_piece(color.bishop()) & Bitboard::DARK_SQUARES;
    officers_beyond_start(board, color) + light.count().saturating_sub(1) + dark.count().saturating_sub(1)
}

fn officers_beyond_start(board: &Board, color: Color) -> usize {
    let count = |role: Role| board.by_piece(role.of(color)).count();
    OFFICERS.into_iter().map(|(role, start)| count(role).saturating_sub(start)).sum()
}

/// True if the men of each side can be those of a game; cheap enough for every retraction.
pub(super) fn is_possible(board: &Board) -> bool {
    board.pawns().is_disjoint(outer_ranks())
        && Color::ALL.into_iter().all(|color| {
            let pawns = (board.pawns() & board.by_color(color)).count();
            board.by_color(color).count() <= 16 && pawns + promoted(board, color) <= 8
        })
}

/// Everything that is wrong with the numbers.
pub(super) fn reasons(board: &Board) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for color in Color::ALL {
        let side = name(color);
        let men = board.by_color(color).count();
        let kings = board.by_piece(color.king()).count();
        let pawns = board.by_piece(color.pawn()).count();
        match kings {
            0 => reasons.push(Reason::new("king-missing", format!("{side} has no king."))),
            1 => {}
            _ => reasons.push(Reason::new("kings-too-many", format!("{side} has {kings} kings."))),
        }
        if men > 16 {
            reasons.push(Reason::new("men-too-many", format!("{side} has {men} men, more than 16.")));
        }
        if pawns > 8 {
            reasons.push(Reason::new("pawns-too-many", format!("{side} has {pawns} pawns, more than 8.")));
            continue;
        }
        reasons.extend(promotions(board, color, 8 - pawns));
    }
    let outer: Vec<String> =
        (board.pawns() & outer_ranks()).into_iter().map(|square| square.to_string()).collect();
    if !outer.is_empty() {
        let text = format!("No pawn can stand on {}.", outer.join(", "));
        reasons.push(Reason::new("pawn-on-outer-rank", text));
    }
    reasons
}

fn promotions(board: &Board, color: Color, missing: usize) -> Option<Reason> {
    let promoted = promoted(board, color);
    if promoted <= missing {
        return None;
    }
    let text = format!(
        "{} has at least {promoted} promoted {}, but only {missing} of its pawns {} missing.",
        name(color),
        if promoted == 1 { "man" } else { "men" },
        if missing == 1 { "is" } else { "are" },
    );
    // Without the bishops it would do.
    Some(Reason::new(
        if officers_beyond_start(board, color) <= missing {
            "same-colour-bishops"
        } else {
            "promotions-too-many"
        },
        text,
    ))
}
