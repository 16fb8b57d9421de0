//! A board whose squares are changed by hand: each situation of a test reads like a sentence.

use adoube_core::capture::{Header, Item, Line, pieces_frame};
use adoube_rules::sensor::{ClockReading, Content, Frame, Side};
use adoube_rules::stamp::MS;
use adoube_rules::{GameKind, letter, man_from_letter, square_from_name};

use crate::seen::{Seen, replay};

/// The array from which a game starts.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// How long the start array stands before anything is touched: longer than it takes to open a game.
const STOOD_MS: u64 = 4_000;

/// How long a hand holds a piece, where a test says nothing else.
const HAND_MS: u64 = 400;

/// From a move to the next one, where a test says nothing else: longer than anything waits for.
const THOUGHT_MS: u64 = 3_000;

/// What either side has on its clock at the start: more than any test takes.
const TIME_MS: u64 = 1_800_000;

/// A clock tells its times so often.
const TICK_MS: u64 = 1_000;

/// A clock that runs: whose time it is, and what is left.
#[derive(Debug, Clone, Copy)]
struct Running {
    side: Side,
    left_ms: [u64; 2],
    next_tick_ms: u64,
    /// It tells of a press with the next tick only.
    is_late: bool,
}

/// What a board can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sensor {
    Identity,
    Occupancy,
}

/// A board under construction: what stands on it, what time it is, and what it said so far.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    header: Header,
    sensor: Sensor,
    turned: bool,
    /// It says nothing: the link is lost, or several things happen at once.
    silent: bool,
    contents: Vec<Content>,
    /// The clock that was started, if there is one.
    running: Option<Running>,
    t_ms: u64,
    lines: Vec<Line>,
}

impl Board {
    fn empty(sensor: Sensor) -> Self {
        let header = Header { board: "1".to_owned(), protocol: "frames".to_owned(), ..Header::default() };
        Self {
            header,
            sensor,
            turned: false,
            silent: false,
            contents: vec![Content::EMPTY; 64],
            running: None,
            t_ms: 0,
            lines: Vec::new(),
        }
    }

    /// A board on which the start array has stood for a while.
    pub(crate) fn new(sensor: Sensor) -> Self {
        let mut board = Self::empty(sensor);
        board.set_up(START).wait(STOOD_MS);
        board
    }

    /// The same, lying the other way round.
    pub(crate) fn turned(sensor: Sensor) -> Self {
        let mut board = Self { turned: true, ..Self::empty(sensor) };
        board.set_up(START).wait(STOOD_MS);
        board
    }

    /// A board for a game from a given position, which stands there.
    pub(crate) fn from_fen(sensor: Sensor, fen: &str) -> Self {
        Self::from_header(sensor, fen, |_| {})
    }

    /// The same, lying the other way round; nobody said so.
    pub(crate) fn turned_from_fen(sensor: Sensor, fen: &str) -> Self {
        let mut board = Self { turned: true, ..Self::empty(sensor) };
        board.header.start = Some(fen.to_owned());
        board.set_up(fen.split(' ').next().unwrap()).wait(STOOD_MS);
        board
    }

    /// A board for a game of Chess960 from a given position.
    pub(crate) fn chess960(sensor: Sensor, fen: &str) -> Self {
        Self::from_header(sensor, fen, |header| header.variant = Some(GameKind::Chess960))
    }

    fn from_header(sensor: Sensor, fen: &str, change: impl FnOnce(&mut Header)) -> Self {
        let mut board = Self::empty(sensor);
        board.header.start = Some(fen.to_owned());
        change(&mut board.header);
        board.set_up(fen.split(' ').next().unwrap()).wait(STOOD_MS);
        board
    }

    /// Puts these men on the board, all at once.
    pub(crate) fn set_up(&mut self, placement: &str) -> &mut Self {
        let Frame::Identity(contents) = pieces_frame(placement).unwrap() else { unreachable!() };
        self.contents = contents;
        self.show()
    }

    /// Takes whatever stands on the square away.
    pub(crate) fn lift(&mut self, square: &str) -> &mut Self {
        let place = self.square(square);
        assert!(!place.is_empty(), "nothing stands on {square}");
        *place = Content::EMPTY;
        self.show()
    }

    /// Puts a man on the square, in the place of whatever stands there.
    pub(crate) fn place(&mut self, square: &str, man: char) -> &mut Self {
        *self.square(square) = man_from_letter(man).unwrap();
        self.show()
    }

    fn square(&mut self, name: &str) -> &mut Content {
        &mut self.contents[square_from_name(name).unwrap()]
    }

    /// The man on the square.
    pub(crate) fn man_on(&self, square: &str) -> Option<char> {
        letter(self.contents[square_from_name(square).unwrap()])
    }

    /// What time it is.
    pub(crate) fn now_ms(&self) -> u64 {
        self.t_ms
    }

    /// Lets time pass; a running clock ticks.
    pub(crate) fn wait(&mut self, ms: u64) -> &mut Self {
        let until_ms = self.t_ms + ms;
        while let Some(running) = self.running.as_mut().filter(|running| running.next_tick_ms <= until_ms) {
            let tick_ms = running.next_tick_ms;
            running.next_tick_ms += TICK_MS;
            self.pass_until(tick_ms);
            self.tell_times();
        }
        self.pass_until(until_ms);
        self
    }

    fn pass_until(&mut self, t_ms: u64) {
        if let Some(running) = &mut self.running {
            running.left_ms[running.side.index()] -= t_ms - self.t_ms;
        }
        self.t_ms = t_ms;
    }

    /// Several things that the sensor sees as one.
    pub(crate) fn at_once(&mut self, acts: impl FnOnce(&mut Self)) -> &mut Self {
        let was_silent = std::mem::replace(&mut self.silent, true);
        acts(self);
        self.silent = was_silent;
        self.show()
    }

    /// What happens while the link is lost.
    pub(crate) fn unseen(&mut self, acts: impl FnOnce(&mut Self)) -> &mut Self {
        self.lose_link();
        acts(self);
        self.restore_link()
    }

    /// The link is lost; the board and the clock go on unheard.
    pub(crate) fn lose_link(&mut self) -> &mut Self {
        self.say(Item::LinkLost);
        self.silent = true;
        self
    }

    /// The link is back, and the board and the clock say how things stand.
    pub(crate) fn restore_link(&mut self) -> &mut Self {
        self.silent = false;
        self.say(Item::LinkBack);
        self.show();
        self.tell_times()
    }

    /// An ordinary move: `e2e4`. A piece that stands on the second square is taken off first.
    pub(crate) fn play(&mut self, mv: &str) -> &mut Self {
        let (from, to) = mv.split_at(2);
        let man = self.man_on(from).unwrap_or_else(|| panic!("{from} is empty"));
        if !self.square(to).is_empty() {
            self.lift(to).wait(HAND_MS);
        }
        self.lift(from).wait(HAND_MS).place(to, man).wait(THOUGHT_MS)
    }

    /// Several ordinary moves: `e2e4 e7e5`.
    pub(crate) fn play_all(&mut self, moves: &str) -> &mut Self {
        for mv in moves.split_whitespace() {
            self.play(mv);
        }
        self
    }

    /// The clock runs for `running`, five minutes on either side.
    pub(crate) fn clock(&mut self, running: Side) -> &mut Self {
        self.say(Item::Clock(Some(ClockReading {
            left_ms: [300_000; 2],
            running: Some(running),
            lever: Some(running),
            flags: [false; 2],
            counter: None,
            by_end: false,
        })))
    }

    /// The clock is started, and `side` has the move.
    pub(crate) fn start_clock(&mut self, side: Side) -> &mut Self {
        let next_tick_ms = self.t_ms + TICK_MS;
        self.running = Some(Running { side, left_ms: [TIME_MS; 2], next_tick_ms, is_late: false });
        self.tell_times()
    }

    /// From now on the clock tells of presses up to a second late.
    pub(crate) fn delay_clock(&mut self) -> &mut Self {
        if let Some(running) = &mut self.running {
            running.is_late = true;
        }
        self
    }

    /// Whoever's time runs presses the clock, if one was started.
    pub(crate) fn press(&mut self) -> &mut Self {
        let Some(running) = &mut self.running else { return self };
        running.side = running.side.other();
        if running.is_late { self } else { self.tell_times() }
    }

    fn tell_times(&mut self) -> &mut Self {
        let Some(Running { side, left_ms, .. }) = self.running else { return self };
        let reading = ClockReading {
            left_ms,
            running: Some(side),
            lever: Some(side),
            flags: [false; 2],
            counter: None,
            by_end: false,
        };
        self.say_unless_silent(Item::Clock(Some(reading)))
    }

    fn show(&mut self) -> &mut Self {
        let mut contents = self.contents.clone();
        if self.turned {
            contents.reverse();
        }
        let frame = match self.sensor {
            Sensor::Identity => Frame::Identity(contents),
            Sensor::Occupancy => Frame::Occupancy(contents.into_iter().map(Content::occupancy).collect()),
        };
        self.say_unless_silent(Item::Frame(frame))
    }

    fn say_unless_silent(&mut self, item: Item) -> &mut Self {
        if self.silent { self } else { self.say(item) }
    }

    fn say(&mut self, item: Item) -> &mut Self {
        self.lines.push(Line { t_ns: self.t_ms * MS, items: vec![item] });
        self
    }

    /// The recording.
    pub(crate) fn capture(&self) -> (Header, Vec<Line>) {
        (self.header.clone(), self.lines.clone())
    }

    /// What came of it all.
    pub(crate) fn seen(&self) -> Seen {
        replay(&self.header, &self.lines)
    }

    /// What would have come of it, had the board told `change` of its lines.
    pub(crate) fn seen_through(&self, change: impl FnOnce(&[Line]) -> Vec<Line>) -> Seen {
        replay(&self.header, &change(&self.lines))
    }

    /// Asserts that exactly these moves came out, in one game.
    #[track_caller]
    pub(crate) fn gives(&self, moves: &str) -> Seen {
        let seen = self.seen();
        let expected: Vec<&str> = moves.split_whitespace().collect();
        assert_eq!(seen.moves(0), expected, "on an {:?} board", self.sensor);
        assert_eq!(seen.games.len(), 1, "on an {:?} board", self.sensor);
        seen
    }
}

/// Both kinds of board, for what either of them can tell.
pub(crate) const BOTH: [Sensor; 2] = [Sensor::Identity, Sensor::Occupancy];
