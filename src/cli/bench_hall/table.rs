//! One board on which games are played by the clock: what it says, and when. No line, no time of its own.

use std::collections::VecDeque;
use std::sync::Arc;

use shakmaty::{Role, Square as ChessSquare};

use super::Pace;
use adoube_core::wire::dgt::{ClockEnd, ClockTimes, EndTime, Message};
use adoube_rules::pgn::PgnGame;
use adoube_rules::sensor::{Army, Content};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};
use adoube_rules::{ChessPosition, GameResult, Position as _};

/// As the daemon's boards are told.
pub(super) const TIME_CONTROL: &str = "5400+30";
/// The first move has its increment from the start.
const STARTED_NS: u64 = 5_430 * SECOND;
const INCREMENT_NS: u64 = 30 * SECOND;

/// How long kings stay on the centre squares, and how long the array stands before the next game: the daemon
/// asks for five seconds of the one and three of the other.
const STAY_NS: u64 = 6 * SECOND;

/// Squares that are set up in one scan.
const SET_UP: usize = 8;

/// Plies of a mix are thought about so many times as long as the quickest, by turns: 9 on average, and a
/// minute with the increment now and then.
const THOUGHT: [u64; 7] = [1, 1, 2, 4, 8, 15, 30];

/// A ply that is pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pressed {
    pub(super) game: usize,
    pub(super) ply: usize,
    pub(super) uci: String,
    pub(super) due_ns: u64,
}

enum Act {
    Squares(Vec<(Square, Content)>),
    Press(Pressed),
    StartClock,
    StopClock,
    /// The times of the next game.
    Reset,
}

/// A board, its clock and what the players will do.
pub(super) struct Table {
    number: usize,
    pace: Pace,
    games: Arc<Vec<PgnGame>>,
    game: usize,
    contents: Vec<Content>,
    left_ns: [u64; 2],
    /// Whose time runs or would run.
    turn: usize,
    /// Since when it runs, and when the display shows the next second.
    running: Option<(u64, u64)>,
    coming: VecDeque<(u64, Act)>,
    /// The last thing that happened was done to the men.
    is_moving: bool,
}

impl Table {
    /// A board on which the array stands.
    pub(super) fn new(number: usize, pace: Pace, games: Arc<Vec<PgnGame>>) -> Self {
        Self {
            number,
            pace,
            games,
            game: 0,
            contents: ChessPosition::default().contents(),
            left_ns: [STARTED_NS; 2],
            turn: 0,
            running: None,
            coming: VecDeque::new(),
            is_moving: false,
        }
    }

    /// What stands on it.
    pub(super) fn contents(&self) -> Option<Box<[Content; 64]>> {
        Some(Box::new(self.contents.clone().try_into().ok()?))
    }

    /// What its clock shows.
    pub(super) fn clock(&self, now_ns: u64) -> Message {
        let left = |side: usize| {
            let used_ns = match self.running {
                Some((since_ns, _)) if self.turn == side => now_ns.saturating_sub(since_ns),
                _ => 0,
            };
            let seconds = self.left_ns[side].saturating_sub(used_ns) / SECOND;
            EndTime { seconds: u16::try_from(seconds).unwrap_or(0), per_move: true, ..EndTime::default() }
        };
        let lever = if self.turn == 0 { ClockEnd::Left } else { ClockEnd::Right };
        Message::Clock(ClockTimes::new(left(0), left(1), self.running.is_some(), lever))
    }

    /// The players begin at `at_ns`.
    pub(super) fn begin(&mut self, at_ns: u64) {
        self.plan(at_ns);
    }

    /// They make no move any more, beside the one that is on its way.
    pub(super) fn end(&mut self) {
        let is_squares = |act: &&(u64, Act)| matches!(act.1, Act::Squares(_));
        let squares = self.coming.iter().take_while(is_squares).count();
        let is_ply = self.coming.get(squares).is_some_and(|(_, act)| matches!(act, Act::Press(_)));
        self.coming.truncate(if is_ply && self.is_moving { squares + 1 } else { 0 });
        if self.coming.is_empty() {
            self.running = None;
        }
    }

    /// When there is something to say, if nobody asks before.
    pub(super) fn due_ns(&self) -> Option<u64> {
        let act = self.coming.front().map(|(at_ns, _)| *at_ns);
        act.into_iter().chain(self.running.map(|(_, tick_ns)| tick_ns)).min()
    }

    /// What is said by `now_ns`, and the ply whose press is the last of it.
    pub(super) fn act(&mut self, now_ns: u64, said: &mut Vec<u8>) -> Option<Pressed> {
        while let Some(due_ns) = self.due_ns().filter(|&due_ns| due_ns <= now_ns) {
            if self.running.is_some_and(|(_, tick_ns)| tick_ns == due_ns) {
                said.extend(self.clock(due_ns).encode());
                self.running = self.running.map(|(since_ns, tick_ns)| (since_ns, tick_ns + SECOND));
                continue;
            }
            let Some((_, act)) = self.coming.pop_front() else { break };
            self.is_moving = matches!(act, Act::Squares(_));
            match act {
                Act::Squares(changes) => {
                    for (square, content) in changes {
                        self.contents[square] = content;
                        said.extend(Message::FieldUpdate { square, content }.encode());
                    }
                    continue;
                }
                Act::Press(pressed) => {
                    self.stop(due_ns);
                    self.left_ns[self.turn] += INCREMENT_NS;
                    self.turn = 1 - self.turn;
                    self.running = Some((due_ns, due_ns + SECOND));
                    said.extend(self.clock(due_ns).encode());
                    return Some(pressed);
                }
                Act::StartClock => self.running = Some((due_ns, due_ns + SECOND)),
                Act::StopClock => self.stop(due_ns),
                Act::Reset => {
                    (self.left_ns, self.turn) = ([STARTED_NS; 2], 0);
                    self.plan(due_ns + STAY_NS);
                }
            }
            said.extend(self.clock(due_ns).encode());
        }
        None
    }

    fn stop(&mut self, at_ns: u64) {
        if let Some((since_ns, _)) = self.running.take() {
            let left_ns = &mut self.left_ns[self.turn];
            *left_ns = left_ns.saturating_sub(at_ns.saturating_sub(since_ns));
        }
    }

    /// All of the next game, from the start of its clock at `at_ns` to the array of the one after it.
    fn plan(&mut self, mut at_ns: u64) {
        let games = Arc::clone(&self.games);
        let game = &games[(self.number + self.game) % games.len()];
        self.coming.push_back((at_ns, Act::StartClock));
        let mut position = ChessPosition::default();
        for (index, &mv) in game.moves.iter().enumerate() {
            let after = position.play(mv);
            let all_ns = self.pace.ply_ns * self.thought(index);
            // The hand is quick, however long the thought was: lifted, put down and pressed in half a ply.
            let hand_ns = self.pace.ply_ns / 2;
            let changed = changes(&position.contents(), &after.contents());
            for (step, change) in (0..).zip(changed) {
                let step_ns = (step * 100 * MS).min(hand_ns / 2);
                self.coming.push_back((at_ns + all_ns - hand_ns + step_ns, Act::Squares(vec![change])));
            }
            at_ns += all_ns;
            let due_ns = at_ns - hand_ns / 4;
            let uci = position.played(mv).uci();
            let pressed = Pressed { game: self.game, ply: index + 1, uci, due_ns };
            self.coming.push_back((due_ns, Act::Press(pressed)));
            position = after;
        }
        self.coming.push_back((at_ns + SECOND, Act::StopClock));
        let mut standing = position.contents();
        // Mate needs no kings to tell the result.
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        if !moves.is_empty() {
            let signalled = kings(&position, game.result);
            let (off, on) =
                changes(&standing, &signalled).into_iter().partition(|(_, content)| content.is_empty());
            self.coming.push_back((at_ns + 2 * SECOND, Act::Squares(off)));
            self.coming.push_back((at_ns + 3 * SECOND, Act::Squares(on)));
            standing = signalled;
        }
        at_ns += 3 * SECOND + STAY_NS;
        for part in changes(&standing, &ChessPosition::default().contents()).chunks(SET_UP) {
            self.coming.push_back((at_ns, Act::Squares(part.to_vec())));
            at_ns += SECOND / 4;
        }
        self.game += 1;
        self.coming.push_back((at_ns, Act::Reset));
    }

    fn thought(&self, index: usize) -> u64 {
        if !self.pace.is_mixed {
            return 1;
        }
        // Neither the boards nor the plies of one think alike.
        let turn = (self.number * 31 + self.game * 17 + index * 11 + index / 7) % THOUGHT.len();
        THOUGHT[turn]
    }
}

/// The kings where they tell the result (dgt-protocol 4.5): a draw, where the game has none.
fn kings(position: &ChessPosition, result: Option<GameResult>) -> Vec<Content> {
    let mut contents = position.contents();
    let places = match result {
        Some(GameResult::WhiteWins) => [ChessSquare::E4, ChessSquare::D5],
        Some(GameResult::BlackWins) => [ChessSquare::D4, ChessSquare::E5],
        _ => [ChessSquare::D4, ChessSquare::E4],
    };
    for square in position.board().kings() {
        contents[usize::from(square)] = Content::EMPTY;
    }
    for (army, square) in Army::ALL.into_iter().zip(places) {
        contents[usize::from(square)] = Content::man(army, Role::King);
    }
    contents
}

/// The squares that differ: first those that were left.
pub(in crate::cli) fn changes(before: &[Content], after: &[Content]) -> Vec<(Square, Content)> {
    let squares = Square::all().zip(before.iter().zip(after));
    let mut changed: Vec<(Square, Content)> = squares
        .filter(|(_, (before, after))| before != after)
        .map(|(square, (_, after))| (square, *after))
        .collect();
    changed.sort_by_key(|(_, content)| !content.is_empty());
    changed
}
