//! How many moves a picture is away at least: what keeps a search for the way to it short.
//!
//! Counted as if nothing stood in the way: each man that the picture shows on another square needs so
//! many moves as on an empty board, and each man that is missing was taken by a move of the other side.
//! That is never more than it takes.

use shakmaty::{Bitboard, Board, CastlingSide, Color, Rank, Role, Square, attacks};

use super::chess::piece;
use super::{ChessPosition, Reach};
use crate::sensor::{Content, Side};

/// The fewest moves that are still needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Need {
    /// By each side, by [`Side::index`].
    pub moves: [u32; 2],
    /// By both together, where the sensor does not tell whose man it is.
    pub together: u32,
}

impl Need {
    /// Can `plies` plies, of which the first is by `turn`, bring it?
    #[must_use]
    pub fn is_met_by(&self, turn: Side, plies: u32) -> bool {
        self.moves[turn.index()] <= plies.div_ceil(2)
            && self.moves[turn.other().index()] <= plies / 2
            && self.together <= plies
    }
}

/// A picture of a chess board, ready to be compared with positions.
#[derive(Debug, Clone)]
pub enum ChessReach {
    /// Every man.
    Identity(Board),
    /// Occupied squares.
    Occupancy(Bitboard),
}

impl Reach<ChessPosition> for ChessReach {
    fn new(contents: &[Content], named: bool) -> Self {
        let shown = || Square::ALL.iter().zip(contents).filter(|(_, content)| !content.is_empty());
        if named {
            Self::Identity(
                shown().filter_map(|(&square, &content)| Some((square, piece(content)?))).collect(),
            )
        } else {
            Self::Occupancy(shown().map(|(&square, _)| square).collect())
        }
    }

    fn need(&self, position: &ChessPosition) -> Option<Need> {
        match self {
            Self::Identity(shown) => need_of_men(position, shown),
            Self::Occupancy(shown) => need_of_squares(position, *shown),
        }
    }
}

fn need_of_men(position: &ChessPosition, shown: &Board) -> Option<Need> {
    let board = position.board();
    let mut armies = [Lacking::default(); 2];
    for (army, color) in armies.iter_mut().zip(COLORS) {
        let stay = shown.by_color(color).count();
        army.lost = u32::try_from(board.by_color(color).count().checked_sub(stay)?).ok()?;
    }
    for side in 0..2 {
        let captures = armies[1 - side].lost;
        move_army(&mut armies[side], position, shown, COLORS[side], captures)?;
    }
    // A man that is missing was taken where he stood, by one who is still there or was on his way; or he
    // had moved, or the one who took him is missing too: a move more, of one man or the other.
    let beside = |side: usize| {
        let (own, other) = (&armies[side], &armies[1 - side]);
        let count = |squares: Bitboard| u32::try_from(squares.count()).unwrap_or(u32::MAX);
        let taken_where_it_stood = count(own.left & other.filled) + count(own.passed & other.filled);
        own.lost.saturating_sub(taken_where_it_stood + other.landings)
    };
    let together = armies[0].moves + armies[1].moves + beside(0).max(beside(1));
    Some(Need { moves: [armies[0].moves.max(armies[1].lost), armies[1].moves.max(armies[0].lost)], together })
}

const COLORS: [Color; 2] = [Color::White, Color::Black];

/// What has to happen to the men of one colour.
#[derive(Debug, Clone, Copy, Default)]
struct Lacking {
    /// How many are missing.
    lost: u32,
    /// Squares on which they stand and the picture shows none of them of that kind.
    left: Bitboard,
    /// Squares behind pawns among them that may be taken in passing.
    passed: Bitboard,
    /// Squares on which the picture shows them and they do not stand.
    filled: Bitboard,
    /// The moves that those need who arrive there.
    moves: u32,
    /// Squares on which they land before.
    landings: u32,
}

/// Counts the moves that the men of `color` need if they take `captures` men on their way.
fn move_army(
    army: &mut Lacking,
    position: &ChessPosition,
    shown: &Board,
    color: Color,
    captures: u32,
) -> Option<()> {
    let board = position.board();
    let (mut moves, mut taken) = (0, 0);
    // The king's moves and the dearest of a rook: castling may save them.
    let (mut by_king, mut by_rook) = (0, 0);
    let pawns = board.by_piece(Role::Pawn.of(color));
    let gone_pawns = pawns & !shown.by_piece(Role::Pawn.of(color));
    let double_steps = gone_pawns & Bitboard::from_rank(color.relative_rank(Rank::Fourth));
    army.passed = double_steps.shift(color.fold_wb(-8, 8));
    for role in Role::ALL {
        let (stand, stay) = (board.by_piece(role.of(color)), shown.by_piece(role.of(color)));
        army.left |= stand & !stay;
        army.filled |= stay & !stand;
        for to in stay & !stand {
            let mut fewest: Option<Way> = None;
            for from in stand & !stay {
                fewest = fewer(fewest, way(color, role, from, to));
            }
            if !matches!(role, Role::Pawn | Role::King) {
                for from in gone_pawns {
                    fewest = fewer(fewest, promoted_way(color, role, from, to));
                }
            }
            let fewest = fewest?;
            moves += fewest.moves;
            taken += fewest.captures;
            army.landings += fewest.moves - 1;
            match role {
                Role::King => by_king = fewest.moves,
                Role::Rook => by_rook = by_rook.max(fewest.moves),
                _ => {}
            }
        }
    }
    army.moves = moves.min(castled(position, shown, color, moves - by_king - by_rook));
    (taken <= captures).then_some(())
}

/// The moves with castling among them: `others` are needed beside those of the king and of one rook.
fn castled(position: &ChessPosition, shown: &Board, color: Color, others: u32) -> u32 {
    let rooks = position.castling_rights() & Bitboard::from_rank(color.backrank());
    let (Some(king), Some(at)) = (position.board().king_of(color), shown.king_of(color)) else {
        return u32::MAX;
    };
    let sides = rooks.into_iter().map(|rook| CastlingSide::from_king_side(rook > king));
    let after = sides.map(|side| king_moves(side.king_to(color), at)).min();
    after.map_or(u32::MAX, |after| others + 1 + after)
}

fn may_castle(position: &ChessPosition, color: Color) -> bool {
    (position.castling_rights() & Bitboard::from_rank(color.backrank())).any()
}

/// How one man gets to a square: moves in all, and captures among them that it cannot do without.
#[derive(Debug, Clone, Copy)]
struct Way {
    moves: u32,
    captures: u32,
}

fn fewer(one: Option<Way>, other: Option<Way>) -> Option<Way> {
    match (one, other) {
        (Some(one), Some(other)) => {
            Some(Way { moves: one.moves.min(other.moves), captures: one.captures.min(other.captures) })
        }
        (one, other) => one.or(other),
    }
}

fn king_moves(from: Square, to: Square) -> u32 {
    from.distance(to)
}

fn way(color: Color, role: Role, from: Square, to: Square) -> Option<Way> {
    let moves = match role {
        Role::Pawn => return pawn_way(color, from, to),
        Role::Knight => knight_moves(from, to),
        Role::Bishop if from.is_light() != to.is_light() => return None,
        Role::Bishop => line_moves(attacks::bishop_attacks(from, Bitboard::EMPTY), to),
        Role::Rook => line_moves(attacks::rook_attacks(from, Bitboard::EMPTY), to),
        Role::Queen => line_moves(attacks::queen_attacks(from, Bitboard::EMPTY), to),
        Role::King => king_moves(from, to),
    };
    Some(Way { moves, captures: 0 })
}

/// One move along a line, or two.
fn line_moves(attacked: Bitboard, to: Square) -> u32 {
    if attacked.contains(to) { 1 } else { 2 }
}

fn knight_moves(from: Square, to: Square) -> u32 {
    let mut reached = attacks::knight_attacks(from);
    let mut moves = 1;
    // Six moves lead from anywhere to anywhere.
    while !reached.contains(to) && moves < 6 {
        reached = reached.into_iter().fold(reached, |all, square| all | attacks::knight_attacks(square));
        moves += 1;
    }
    moves
}

fn pawn_way(color: Color, from: Square, to: Square) -> Option<Way> {
    let rank = |square: Square| u32::from(color.relative_rank(square.rank()));
    let forward = rank(to).checked_sub(rank(from)).filter(|&forward| forward > 0)?;
    let aside = from.file().distance(to.file());
    let straight = forward.checked_sub(aside)?;
    let is_double = rank(from) == 1 && straight >= 2;
    Some(Way { moves: forward - u32::from(is_double), captures: aside })
}

/// A pawn that promotes to `role` and goes on to `to`.
fn promoted_way(color: Color, role: Role, from: Square, to: Square) -> Option<Way> {
    let last = Bitboard::from_rank(color.relative_rank(Rank::Eighth));
    let mut fewest: Option<Way> = None;
    for square in last {
        let Some(pawn) = pawn_way(color, from, square) else { continue };
        let rest =
            if square == to { 0 } else { way(color, role, square, to).map_or(u32::MAX, |way| way.moves) };
        if let Some(moves) = pawn.moves.checked_add(rest) {
            fewest = fewer(fewest, Some(Way { moves, captures: pawn.captures }));
        }
    }
    fewest
}

/// Each ply leaves one square and fills one at most; castling leaves and fills two, a capture en passant
/// leaves two.
fn need_of_squares(position: &ChessPosition, shown: Bitboard) -> Option<Need> {
    let occupied = position.board().occupied();
    let count = |squares: Bitboard| u32::try_from(squares.count()).ok();
    let captures = count(occupied)?.checked_sub(count(shown)?)?;
    let castlings: u32 = Color::ALL.into_iter().map(|color| u32::from(may_castle(position, color))).sum();
    let (left, filled) = (count(occupied & !shown)?, count(shown & !occupied)?);
    let together =
        filled.saturating_sub(castlings).max(left.saturating_sub(castlings + captures)).max(captures);
    Some(Need { moves: [0; 2], together })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position as _;

    /// No walk of moves is shorter than what was said to be needed.
    #[test]
    fn what_is_needed_is_never_more_than_was_played() {
        for start in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/PP4k1/8/2pP4/8/8/pp4K1/8 w - c6 0 1",
        ] {
            for walk in 0..300_usize {
                let mut positions = vec![ChessPosition::from_fen(start, false).unwrap()];
                let mut state = walk.wrapping_mul(0x9e37_79b9) + 1;
                for _ in 0..12 {
                    let position = positions.last().unwrap();
                    let mut moves = Vec::new();
                    position.legal_moves(&mut moves);
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let Some(&mv) = moves.get((state >> 33) % moves.len().max(1)) else { break };
                    positions.push(position.play(mv));
                }
                for (first, from) in positions.iter().enumerate() {
                    for (plies, to) in (0..).zip(&positions[first..]) {
                        for named in [true, false] {
                            let contents: Vec<Content> = to
                                .contents()
                                .into_iter()
                                .map(|content| if named { content } else { content.occupancy() })
                                .collect();
                            let need = ChessReach::new(&contents, named).need(from);
                            let turn = from.turn();
                            let is_met = need.is_some_and(|need| need.is_met_by(turn, plies));
                            assert!(is_met, "{need:?}, {plies} plies from {} to {}", from.fen(), to.fen());
                        }
                    }
                }
            }
        }
    }
}
