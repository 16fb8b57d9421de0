//! A search of what can be played: a mate found is a yes, nothing left to look at is a no.

mod frontier;
mod glance;
mod plans;
mod seen;

use shakmaty::{Chess, Color, Move, Position as _};

use self::frontier::{Frontier, Step};
use self::glance::{Glance, Plan};
use self::plans::{FIRST_NODES, GROWTH, LAST_NODES, PLANS};
use self::seen::Seen;
use super::{Found, quick_no};
use crate::rules::draw::Key;

/// A position that was looked at, and how it was reached.
struct Node {
    parent: u32,
    /// None leads to the first.
    mv: Option<Move>,
    chess: Chess,
}

/// One plan followed over a number of positions.
struct Search {
    winner: Color,
    plan: Plan,
    nodes: Vec<Node>,
    seen: Seen,
    frontier: Frontier,
    looked_at: u32,
    limit: u32,
}

/// Nodes that there is room for at once; most searches end with fewer.
const NODES: usize = 128;

/// Looks for a mate by `winner`, both sides helping, over at most `limit` positions.
///
/// Each plan has a few positions to show what it is good for, then all of them more: where one is lost for
/// long another is there at once. The most promising moves come first, but none that could matter is left
/// out: if a plan comes to an end by itself there is no mate.
pub(super) fn helpmate(chess: &Chess, winner: Color, limit: u32) -> Found {
    let mut looked_at = 0;
    let mut share = FIRST_NODES;
    loop {
        for (number, &plan) in (0..).zip(&PLANS) {
            let left = limit - looked_at;
            let plans_left = u32::try_from(PLANS.len()).unwrap_or(1) - number;
            let share = if share > LAST_NODES { left / plans_left } else { share };
            let mut search = Search::new(winner, plan, share.min(left));
            match search.run(chess) {
                Found::Limit { nodes } => looked_at += nodes,
                Found::Nothing { nodes } => return Found::Nothing { nodes: looked_at + nodes },
                found @ Found::Mate(_) => return found,
            }
            if looked_at >= limit {
                return Found::Limit { nodes: looked_at };
            }
        }
        share *= GROWTH;
    }
}

impl Search {
    fn new(winner: Color, plan: Plan, limit: u32) -> Self {
        Self {
            winner,
            plan,
            nodes: Vec::with_capacity(NODES),
            seen: Seen::new(),
            frontier: Frontier::new(),
            looked_at: 0,
            limit,
        }
    }

    fn run(&mut self, chess: &Chess) -> Found {
        self.seen.insert(Key::from(chess));
        let start = Node { parent: 0, mv: None, chess: chess.clone() };
        if let Some(line) = self.open(start, &chess.legal_moves()) {
            return Found::Mate(line);
        }
        while let Some(Step { parent, mv }) = self.frontier.pop() {
            let Some(next) = self.play(&self.nodes[parent as usize].chess.clone(), mv) else {
                return Found::Limit { nodes: self.looked_at };
            };
            if !self.seen.insert(Key::from(&next)) {
                continue;
            }
            let moves = next.legal_moves();
            if moves.is_empty() {
                if next.turn() != self.winner && next.is_check() {
                    return Found::Mate(self.line(parent, mv));
                }
                continue;
            }
            // What a quick look rules out needs no search; only such moves change what it sees.
            if mv.is_zeroing() && quick_no(&next, self.winner).is_some() {
                continue;
            }
            if let Some(line) = self.open(Node { parent, mv: Some(mv), chess: next }, &moves) {
                return Found::Mate(line);
            }
        }
        Found::Nothing { nodes: self.looked_at }
    }

    /// Adds the moves of a position to those that wait, unless one mates.
    fn open(&mut self, node: Node, moves: &[Move]) -> Option<Vec<Move>> {
        let parent = u32::try_from(self.nodes.len()).expect("fewer positions than a u32 counts");
        let plan = self.plan;
        let glance = Glance::new(&node.chess, self.winner, &plan);
        let mut mate = None;
        for &mv in moves {
            let score = glance.score(mv);
            // Nothing is better than what might be mate: it is tried at once.
            if score == 0 && self.play(&node.chess, mv).is_some_and(|next| next.is_checkmate()) {
                mate = Some(mv);
                break;
            }
            self.frontier.push(score, Step { parent, mv });
        }
        self.nodes.push(node);
        mate.map(|mv| self.line(parent, mv))
    }

    /// The position after a move, unless enough was looked at.
    fn play(&mut self, chess: &Chess, mv: Move) -> Option<Chess> {
        if self.looked_at >= self.limit {
            return None;
        }
        self.looked_at += 1;
        let mut next = chess.clone();
        next.play_unchecked(mv);
        Some(next)
    }

    fn line(&self, mut parent: u32, last: Move) -> Vec<Move> {
        let mut line = vec![last];
        while let Node { parent: before, mv: Some(mv), .. } = self.nodes[parent as usize] {
            line.push(mv);
            parent = before;
        }
        line.reverse();
        line
    }
}
