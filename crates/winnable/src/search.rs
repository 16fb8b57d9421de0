//! A search of what can be played: a mate found is a yes, nothing left to look at is a no.

mod frontier;
mod glance;
mod plans;

use shakmaty::{Chess, Color, Move, Position as _};

use self::frontier::{Frontier, OfEquals, Step};
use self::glance::{Glance, MIGHT_BE_MATE, Plan};
use self::plans::{FIRST_NODES, GROWTH, HARD_PLANS, LAST_NODES, PLANS, QUICK_PLANS};
use super::nets::{Men, Net};
use super::seen::Seen;
use super::{Found, quick_no};
use crate::Key;

/// A position that was looked at, and how it was reached.
struct Node {
    parent: u32,
    /// None leads to the first.
    mv: Option<Move>,
    chess: Chess,
}

/// What orders the moves.
#[derive(Clone, Copy)]
enum Guide<'a> {
    Plan(&'a Plan),
    Net(&'a Net),
}

/// A position as a guide sees it.
enum Look<'a> {
    Glance(Glance<'a>),
    Men(Men<'a>, &'a Chess),
}

/// One guide followed over a number of positions.
struct Search<'a> {
    winner: Color,
    guide: Guide<'a>,
    nodes: Vec<Node>,
    seen: Seen,
    frontier: Frontier,
    looked_at: u32,
    limit: u32,
}

/// What a net has; of positions with four men hardly one needs more.
const NET_NODES: u32 = 1_000;

/// Nodes that there is room for at once; most searches end with fewer.
const NODES: usize = 128;

/// Looks for a mate by `winner`, both sides helping, over at most `limit` positions.
///
/// Where one or two pieces have to mate in a corner each way of doing it is gone first. Then each plan has a few
/// positions to show what it is good for, then all of them more: where one is lost for long another is there at
/// once. The most promising moves come first, but none that could matter is left out: if a search comes to an end by
/// itself there is no mate.
pub(super) fn helpmate(chess: &Chess, winner: Color, limit: u32) -> Found {
    let mut looked_at = 0;
    for net in Net::all(chess.board(), winner) {
        let mut search = Search::new(winner, Guide::Net(net), NET_NODES.min(limit - looked_at));
        match search.run(chess) {
            Found::Limit { nodes } => looked_at += nodes,
            Found::Nothing { nodes } => return Found::Nothing { nodes: looked_at + nodes },
            found @ Found::Mate(_) => return found,
        }
    }
    let mut share = FIRST_NODES;
    let mut plans = &PLANS[..QUICK_PLANS];
    loop {
        for (number, plan) in plans.iter().enumerate() {
            let left = limit - looked_at;
            // In the last round each has half of what is left: one of them may come to an end by itself.
            let plans_left = u32::try_from(plans.len() - number).unwrap_or(1);
            let share = if share > LAST_NODES { left / plans_left.min(2) } else { share };
            let mut search = Search::new(winner, Guide::Plan(plan), share.min(left));
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
        plans = if share > LAST_NODES { &PLANS[HARD_PLANS..] } else { &PLANS };
    }
}

impl<'a> Guide<'a> {
    /// Many positions are as far from a net as others: somebody is in the way, or it is not his turn.
    fn of_equals(self) -> OfEquals {
        match self {
            Self::Plan(_) => OfEquals::Newest,
            Self::Net(_) => OfEquals::Oldest,
        }
    }

    fn look(self, chess: &'a Chess, winner: Color) -> Look<'a> {
        match self {
            Self::Plan(plan) => Look::Glance(Glance::new(chess, winner, plan)),
            Self::Net(net) => Look::Men(Men::of(chess.board(), net), chess),
        }
    }
}

impl Look<'_> {
    fn score(&self, mv: Move) -> i32 {
        match self {
            Self::Glance(glance) => glance.score(mv),
            Self::Men(men, chess) => MIGHT_BE_MATE + men.distance_after(chess, mv),
        }
    }
}

impl<'a> Search<'a> {
    fn new(winner: Color, guide: Guide<'a>, limit: u32) -> Self {
        Self {
            winner,
            guide,
            nodes: Vec::with_capacity(NODES),
            seen: Seen::new(),
            frontier: Frontier::new(guide.of_equals()),
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
            if !self.may_look() {
                return Found::Limit { nodes: self.looked_at };
            }
            let next = after(&self.nodes[parent as usize].chess, mv);
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
        let look = self.guide.look(&node.chess, self.winner);
        let mut mate = None;
        for &mv in moves {
            let score = look.score(mv);
            if score == MIGHT_BE_MATE && self.is_mate(&node.chess, mv) {
                mate = Some(mv);
                break;
            }
            self.frontier.push(score, Step { parent, mv });
        }
        self.nodes.push(node);
        mate.map(|mv| self.line(parent, mv))
    }

    fn is_mate(&mut self, chess: &Chess, mv: Move) -> bool {
        chess.turn() == self.winner && self.may_look() && after(chess, mv).is_checkmate()
    }

    /// Counts one more position, unless enough was looked at.
    fn may_look(&mut self) -> bool {
        let may = self.looked_at < self.limit;
        self.looked_at += u32::from(may);
        may
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

fn after(chess: &Chess, mv: Move) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(mv);
    next
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use super::*;

    const NODES: u32 = 200_000;

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Chess960).unwrap()
    }

    fn mates(chess: &Chess, winner: Color, line: &[Move]) -> bool {
        let mut chess = chess.clone();
        for &mv in line {
            assert!(chess.is_legal(mv), "{mv:?} in {line:?}");
            chess.play_unchecked(mv);
        }
        chess.turn() != winner && chess.is_checkmate()
    }

    /// What can be played out is, whatever the men.
    #[test]
    fn a_line_is_legal_and_mates() {
        use Color::{Black, White};
        for (fen, winner) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", White),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Black),
            ("4k3/8/8/8/8/8/8/3QK3 b - - 0 1", White),
            ("4k3/8/8/8/8/8/8/r3K1N1 w - - 0 1", White),
            ("4k3/7p/8/8/8/8/8/4KB2 w - - 0 1", White),
            ("4k3/8/8/8/8/8/8/b3KB2 w - - 0 1", Black),
            ("4k3/8/8/2pPp3/2P1P3/8/8/4K3 w - c6 0 1", Black),
            ("rk5r/8/8/8/8/8/8/RK5R w KQkq - 0 1", Black),
        ] {
            let chess = position(fen);
            let Found::Mate(line) = helpmate(&chess, winner, NODES) else { panic!("{fen}") };
            assert!(mates(&chess, winner, &line), "{fen}: {line:?}");
        }
    }

    /// One or two pieces go straight to a corner, whoever is to be there with them.
    #[test]
    fn a_net_is_found_over_a_few_positions() {
        for fen in [
            "8/8/8/6K1/8/8/8/1B2k2n b - - 0 1",
            "8/8/1K6/p7/3Nk3/8/8/8 w - - 0 1",
            "8/2K5/8/3p4/8/8/8/3k1B2 w - - 0 1",
            "1r6/4N3/8/4K2k/8/8/8/8 w - - 0 1",
            "8/6B1/1K6/6k1/8/8/8/7B w - - 0 1",
            "BN6/8/6k1/8/8/6K1/8/8 b - - 0 1",
            "7N/2k5/8/8/3K4/8/8/6N1 b - - 0 1",
            "8/8/4n3/3k4/3N4/6P1/5K1P/8 w - - 0 1",
        ] {
            let chess = position(fen);
            let winner = Color::from_white(chess.board().pawns().count() < 2);
            let Found::Mate(line) = helpmate(&chess, winner, 2_500) else { panic!("{fen}") };
            assert!(mates(&chess, winner, &line), "{fen}: {line:?}");
        }
    }

    /// The loser may be the one whose move ends it, and then it is no mate by the winner.
    #[test]
    fn only_the_winner_mates() {
        // White mates in one; Black never does.
        let chess = position("7k/8/6K1/8/8/8/8/R7 w - - 0 1");
        assert!(!matches!(helpmate(&chess, Color::Black, 2_000), Found::Mate(_)));
    }

    #[test]
    fn nothing_is_left_out() {
        for (fen, winner) in [
            ("7k/8/8/8/8/8/6q1/7K w - - 0 1", Color::Black),
            ("1r6/8/8/8/8/3p4/1Qk5/K2b4 b - - 0 1", Color::Black),
        ] {
            assert!(matches!(helpmate(&position(fen), winner, NODES), Found::Nothing { .. }), "{fen}");
        }
        // A mate at the end of the only line there is.
        let chess = position("k7/8/K7/8/8/8/7p/1R6 b - - 0 1");
        assert!(matches!(helpmate(&chess, Color::White, NODES), Found::Mate(_)));
    }

    #[test]
    fn the_budget_is_kept() {
        let chess = position("8/5k2/8/p1p1p1p1/P1P1P3/6P1/5K2/8 w - - 0 1");
        for limit in [0, 1, 2, 7, 64, 149, 150, 151, 601, 5_000] {
            match helpmate(&chess, Color::White, limit) {
                Found::Limit { nodes } => assert_eq!(nodes, limit),
                Found::Nothing { .. } => panic!("White can mate"),
                Found::Mate(line) => assert!(mates(&chess, Color::White, &line)),
            }
        }
    }

    #[test]
    fn the_same_question_has_the_same_answer() {
        let chess = position("r1bq1rk1/ppp2ppp/2n2n2/3pp3/3PP3/2N2N2/PPP2PPP/R1BQ1RK1 w - - 0 1");
        let ask = || match helpmate(&chess, Color::White, NODES) {
            Found::Mate(line) => line,
            _ => Vec::new(),
        };
        let line = ask();
        assert!(!line.is_empty());
        assert_eq!(line, ask());
    }
}
