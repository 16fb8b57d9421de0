//! A search that plays every move before it weighs it: slower than `search`, and it gets where that is lost.

use std::collections::BinaryHeap;

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Role, Square, attacks};

use super::seen::Seen;
use super::{Found, quick_no};
use crate::rules::draw::Key;

/// A position that was reached, and how.
struct Node {
    parent: usize,
    mv: Move,
    /// Taken out when its moves are looked at.
    chess: Option<Chess>,
}

struct Search {
    winner: Color,
    /// At the start, so that no plan is drawn to throwing everything else away.
    is_lone_minor: bool,
    nodes: Vec<Node>,
    seen: Seen,
    /// The same open positions in the order of each plan; the plans take turns, so that one that
    /// leads nowhere costs no more than the others.
    plans: [BinaryHeap<(i32, usize)>; PLANS],
    turn: usize,
}

const PLANS: usize = 3;
/// The parent of the first position.
const NO_PARENT: usize = usize::MAX;

/// Looks for a mate by `winner`, both sides helping, over at most `limit` positions.
///
/// The most promising positions come first, but none that could matter is left out: if the search
/// ends by itself there is no mate.
pub(super) fn helpmate(chess: &Chess, winner: Color, limit: u32) -> Found {
    let board = chess.board();
    let men = board.by_color(winner) & !board.kings();
    let mut search = Search {
        winner,
        is_lone_minor: men.count() == 1 && men.is_subset(board.knights() | board.bishops()),
        nodes: Vec::new(),
        seen: Seen::new(),
        plans: [BinaryHeap::new(), BinaryHeap::new(), BinaryHeap::new()],
        turn: 0,
    };
    let mut looked_at = 0;
    let mut position = chess.clone();
    let mut at = NO_PARENT;
    loop {
        for mv in position.legal_moves() {
            if looked_at == limit {
                return Found::Limit { nodes: looked_at };
            }
            looked_at += 1;
            let mut next = position.clone();
            next.play_unchecked(mv);
            if next.turn() != winner && next.is_checkmate() {
                return Found::Mate(search.line(at, mv));
            }
            // What a quick look rules out needs no search; only such moves change what it sees.
            if mv.is_zeroing() && quick_no(&next, winner).is_some() {
                continue;
            }
            if search.seen.insert(Key::from(&next)) {
                search.open(at, mv, next);
            }
        }
        let Some((next_at, next)) = search.next() else {
            return Found::Nothing { nodes: looked_at };
        };
        (at, position) = (next_at, next);
    }
}

impl Search {
    fn open(&mut self, parent: usize, mv: Move, chess: Chess) {
        let number = self.nodes.len();
        for (plan, score) in self.plans.iter_mut().zip(scores(&chess, self.winner, self.is_lone_minor)) {
            plan.push((-score, number));
        }
        self.nodes.push(Node { parent, mv, chess: Some(chess) });
    }

    fn next(&mut self) -> Option<(usize, Chess)> {
        for _ in 0..PLANS {
            let plan = self.turn;
            self.turn = (plan + 1) % PLANS;
            while let Some((_, number)) = self.plans[plan].pop() {
                if let Some(chess) = self.nodes[number].chess.take() {
                    return Some((number, chess));
                }
            }
        }
        None
    }

    fn line(&self, mut at: usize, last: Move) -> Vec<Move> {
        let mut line = vec![last];
        while at != NO_PARENT {
            line.push(self.nodes[at].mv);
            at = self.nodes[at].parent;
        }
        line.reverse();
        line
    }
}

/// How far from a mate a position looks to each plan; less is nearer.
///
/// The figures only order the search: no answer depends on them.
fn scores(chess: &Chess, winner: Color, is_lone_minor: bool) -> [i32; PLANS] {
    let board = chess.board();
    let (Some(ours), Some(theirs)) = (board.king_of(winner), board.king_of(!winner)) else {
        return [0; PLANS];
    };
    let our_men = board.by_color(winner).without(ours);
    let their_men = board.by_color(!winner).without(theirs);
    let escapes = escapes(board, theirs, winner);
    let near = 10 * escapes + 4 * from_corner(theirs, corners(board, our_men)) + 3 * distance(ours, theirs);
    let has_major = (our_men & board.rooks_and_queens()).any();
    let to_promotion = promotion_distance(board, winner, ours);
    let to_victim = their_men.into_iter().map(|square| distance(square, ours)).min().unwrap_or(0);
    let count = |men: Bitboard| i32::try_from(men.count()).unwrap_or(0);
    // How far all pieces of a side are from the losing king.
    let way = |men: Bitboard| -> i32 {
        (men & !board.pawns()).into_iter().map(|square| distance(square, theirs)).sum()
    };
    let shut_in = if is_lone_minor {
        net(board, our_men, ours, their_men, theirs)
    } else {
        near + 2 * way(our_men) + 2 * way(their_men) + 3 * promotion_distance(board, !winner, theirs)
    };
    [
        // A strong man against a king that has nobody left to help it.
        near + if has_major { 0 } else { 8 * to_promotion } + 12 * count(their_men) + 2 * to_victim,
        // The losing king's own men shut it in.
        shut_in,
        // Pawns first, wherever the kings are.
        escapes + 20 * to_promotion + 2 * count(their_men),
    ]
}

fn escapes(board: &Board, king: Square, winner: Color) -> i32 {
    let occupied = board.occupied().without(king);
    let free = attacks::king_attacks(king) & !board.by_color(!winner);
    free.into_iter().map(|square| i32::from(board.attacks_to(square, winner, occupied).is_empty())).sum()
}

/// How far a lone knight or bishop is from the only kind of mate that it has: the losing king in a
/// corner, one of its own men beside it on the edge, the winning king guarding the other side.
fn net(board: &Board, our_men: Bitboard, ours: Square, their_men: Bitboard, theirs: Square) -> i32 {
    let nearest = |men: Bitboard, to: Bitboard| -> i32 {
        let pairs = men.into_iter().flat_map(|man| to.into_iter().map(move |square| distance(man, square)));
        // None at all: not in this corner.
        pairs.min().unwrap_or(32)
    };
    let edges =
        |corner: Square| attacks::king_attacks(corner) & attacks::rook_attacks(corner, Bitboard::EMPTY);
    let nets = corners(board, our_men).into_iter().flat_map(|corner| {
        edges(corner).into_iter().map(move |blocked| {
            let guarded = edges(corner).without(blocked);
            let guards = guarded.into_iter().flat_map(attacks::king_attacks).collect::<Bitboard>();
            // A bishop of the corner's colour finds the diagonal from anywhere.
            let has_knight = !board.knights().is_disjoint(our_men);
            let checks = if has_knight { attacks::knight_attacks(corner) } else { Bitboard::FULL };
            // A bishop never gets to a square of the other colour.
            let other_colour =
                if blocked.is_light() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES };
            let blockers = their_men & !(board.bishops() & other_colour);
            let guards = guards & !attacks::king_attacks(corner).with(corner);
            4 * distance(theirs, corner)
                + 3 * nearest(blockers, Bitboard::from_square(blocked))
                + 3 * nearest(Bitboard::from_square(ours), guards)
                + 2 * nearest(our_men, checks)
        })
    });
    nets.min().unwrap_or(0)
}

/// The corners in which these men can mate: bishops on squares of one colour have only two.
fn corners(board: &Board, men: Bitboard) -> Bitboard {
    let of_one_colour =
        [Bitboard::LIGHT_SQUARES, Bitboard::DARK_SQUARES].into_iter().find(|&colour| men.is_subset(colour));
    let colour = of_one_colour.filter(|_| men.is_subset(board.bishops()));
    Bitboard::CORNERS & colour.unwrap_or(Bitboard::FULL)
}

fn from_corner(square: Square, corners: Bitboard) -> i32 {
    let steps =
        |corner: Square| square.file().distance(corner.file()) + square.rank().distance(corner.rank());
    corners.into_iter().map(steps).min().map_or(0, |steps| i32::try_from(steps).unwrap_or(0))
}

fn distance(a: Square, b: Square) -> i32 {
    i32::try_from(a.distance(b)).unwrap_or(8)
}

/// Steps of the foremost pawn to its last rank; the king has to clear the way of what stands on it.
fn promotion_distance(board: &Board, color: Color, king: Square) -> i32 {
    let pawns = board.by_piece(Role::Pawn.of(color));
    let steps = pawns.into_iter().map(|pawn| {
        let rank = i32::from(pawn.rank() as u8);
        let ahead = (1..8).filter_map(|step| pawn.offset(color.fold_wb(8, -8) * step));
        let in_the_way = ahead.filter(|&square| board.occupied().contains(square));
        let clearing: i32 = in_the_way
            .map(|square| if board.pawns().contains(square) { 1 + distance(king, square) } else { 1 })
            .sum();
        color.fold_wb(7 - rank, rank) + clearing
    });
    steps.min().unwrap_or(0)
}
