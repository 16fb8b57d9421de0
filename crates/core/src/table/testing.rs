//! Two boards of one hall, and all that was said in it, for tests of what goes from one to the other.

use std::sync::Arc;

use serde_json::{Value, json};

use super::moving::Moved;
use crate::capture::pieces_frame;
use crate::event::{Numbered, Numbering, Said};
use crate::ruling::Ruled;
use crate::station::{FRAMES, Input, Open, Output, Station};
use adoube_rules::laws::Name;
use adoube_rules::sensor::{ClockReading, Content, Frame, Reading, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{SECOND, Stamp};

pub(super) const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
pub(super) const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
pub(super) const E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
pub(super) const NF3: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
/// The pawn goes from e4 to e6, over another one.
pub(super) const E6: &str = "rnbqkbnr/pppp1ppp/4P3/4p3/8/8/PPPP1PPP/RNBQKBNR";

/// Boards of one hall, with all that was said in it.
pub(super) struct Hall {
    pub(super) boards: [Station; 2],
    pub(super) numbering: Numbering,
    pub(super) said: Vec<Numbered>,
    pub(super) second: u64,
}

impl Hall {
    /// White has played 1. e4 and Black e5 at board 1, a minute each; at board 2 the array stands.
    pub(super) fn new() -> Self {
        Self::opened_with(|_| ())
    }

    pub(super) fn opened_with(setting: impl Fn(&mut Open)) -> Self {
        let station = |board: &str| {
            let mut open = Open::new(board, FRAMES, "test");
            setting(&mut open);
            open.time_control = Some("5400".to_owned());
            Station::open(open, Stamp::default()).unwrap()
        };
        let boards = [station("1"), station("2")];
        let mut hall = Self { boards, numbering: Numbering::default(), said: Vec::new(), second: 0 };
        for board in [1, 2] {
            hall.clock(board, [5_400, 5_400], None);
            hall.shows(board, ARRAY);
        }
        (0..5).for_each(|_| hall.clock(1, [5_400, 5_400], None));
        hall.clock(1, [5_400, 5_400], Some(Side::White));
        hall.moves(1, E4, [5_340, 5_400], Side::Black);
        hall.moves(1, E5, [5_340, 5_340], Side::White);
        hall
    }

    pub(super) fn take(&mut self, board: usize, input: &Input) -> Option<String> {
        self.second += 1;
        let (name, mut output): (Arc<str>, _) = (board.to_string().into(), Output::default());
        self.boards[board - 1].handle(input, Stamp::default().at(self.second * SECOND), &mut output);
        self.said.extend(output.events.iter().map(|event| self.numbering.number(&name, event)));
        output.refused.map(|error| error.to_string())
    }

    pub(super) fn shows(&mut self, board: usize, placement: &str) {
        self.take(board, &Input::Reading(Reading::Frame(pieces_frame(placement).unwrap())));
    }

    /// The same by a board that lies the other way round.
    pub(super) fn shows_turned(&mut self, board: usize, placement: &str) {
        let frame = pieces_frame(placement).unwrap();
        let mut contents = vec![Content::EMPTY; 64];
        for (square, &content) in Square::all().zip(frame.contents()) {
            contents[63 - square.index()] = content;
        }
        self.take(board, &Input::Reading(Reading::Frame(Frame::Identity(contents))));
    }

    pub(super) fn clock(&mut self, board: usize, left_s: [u64; 2], running: Option<Side>) {
        let (left_ms, lever) = (left_s.map(|left_s| left_s * 1_000), running.or(Some(Side::White)));
        let reading =
            ClockReading { left_ms, running, lever, flags: [false; 2], counter: None, by_end: false };
        self.take(board, &Input::Reading(Reading::Clock(Some(reading))));
    }

    /// A move, and a press after which `running` has the move.
    pub(super) fn moves(&mut self, board: usize, placement: &str, left_s: [u64; 2], running: Side) {
        self.shows(board, placement);
        self.second += 2;
        self.clock(board, left_s, Some(running));
        self.second += 3;
        self.clock(board, left_s, Some(running));
    }

    pub(super) fn rules(&mut self, board: usize, ruling: &Value) -> Option<String> {
        let ruled = self.numbering.own(&board.to_string().into(), Ruled::parse(ruling).unwrap()).unwrap();
        self.take(board, &Input::Ruling(ruled))
    }

    /// The game goes from one board to the other, as the hall has it done.
    pub(super) fn moved(&mut self, from: usize, to: usize) -> Result<(), String> {
        let game =
            self.said.iter().rev().find(|event| *event.board == *from.to_string()).unwrap().game.clone();
        let said: Vec<Numbered> = self.said.iter().filter(|event| event.game == game).cloned().collect();
        let handed = self.boards[from - 1].hand_over(&said)?;
        let ruling = json!({ "name": "move-to-board", "board": to.to_string() });
        let ruled = Ruled::parse(&ruling).unwrap();
        let comes = Moved { ruled: ruled.clone(), game: Some(Box::new(handed)), exchange: None };
        let stored = serde_json::to_string(&comes).unwrap();
        let comes: Moved = serde_json::from_str(&stored).unwrap();
        assert_eq!(serde_json::to_string(&comes).unwrap(), stored);
        self.take(to, &Input::Moved(Box::new(comes))).map_or(Ok(()), Err)?;
        assert_eq!(
            self.take(from, &Input::Moved(Box::new(Moved { ruled, game: None, exchange: None }))),
            None
        );
        Ok(())
    }

    /// What was said at a board since the event of that number, but for what hands did.
    pub(super) fn names(&self, board: usize, after: u64) -> Vec<&'static str> {
        let is_it = |event: &&Numbered| event.seq > after && *event.board == board.to_string();
        let names = self.said.iter().filter(is_it).map(|event| event.name().as_str());
        names.filter(|name| !["piece-lifted", "piece-placed", "piece-touched"].contains(name)).collect()
    }

    pub(super) fn last(&self, name: Name) -> Value {
        Value::Object(self.said.iter().rfind(|event| event.name() == name).unwrap().json())
    }

    pub(super) fn moves_made(&self, board: usize) -> Vec<String> {
        let made = self.said.iter().filter(|event| *event.board == board.to_string());
        made.filter_map(|event| match &event.said {
            Said::MoveMade(made) => Some(made.uci.clone()),
            _ => None,
        })
        .collect()
    }
}
