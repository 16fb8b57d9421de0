//! Is the board there? What its link and its silence say.

use serde::{Deserialize, Serialize};

use adoube_rules::stamp::SECOND;

/// A board that has been silent for so long while its link stands is stale (issue of the service, part 1). One
/// that can be asked was given up long before.
const STALE_NS: u64 = 15 * SECOND;

/// A board that has a number tells it with its first words; one that has read for so long without has none.
const NUMBER_NS: u64 = 2 * SECOND;

/// What is to be said of a board without having been asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// It has been silent for so long, nanoseconds.
    Stale(u64),
    /// It is there, and tells no number.
    Unnumbered,
}

/// What is known of a board's link.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Presence {
    linked_ns: Option<u64>,
    heard_ns: Option<u64>,
    /// Something was read since the link was opened.
    pub(super) is_answering: bool,
    pub(super) is_stale: bool,
    /// It was said that the board is there.
    is_said: bool,
    number_due_ns: Option<u64>,
    pub(super) readings: u64,
}

impl Presence {
    /// The link was opened, or lost.
    pub(super) fn linked(&mut self, at_ns: Option<u64>) {
        let Self { heard_ns, readings, .. } = *self;
        *self = Self { linked_ns: at_ns, heard_ns, readings, ..Self::default() };
    }

    /// The board said something. Gives whether that ends a silence.
    pub(super) fn heard(&mut self, at_ns: u64) -> bool {
        self.heard_ns = Some(at_ns);
        std::mem::take(&mut self.is_stale)
    }

    /// A reading came.
    pub(super) fn read(&mut self, at_ns: u64) {
        self.is_answering = true;
        self.readings += 1;
        if self.linked_ns.is_some() && !self.is_said && self.number_due_ns.is_none() {
            self.number_due_ns = Some(at_ns + NUMBER_NS);
        }
    }

    /// It was said that the board is there.
    pub(super) fn said(&mut self) {
        (self.is_said, self.number_due_ns) = (true, None);
    }

    /// When the board was last heard.
    pub(super) fn heard_ns(&self) -> Option<u64> {
        self.heard_ns
    }

    /// When [`Presence::due`] has something to say.
    pub(super) fn wake_at_ns(&self) -> Option<u64> {
        [self.stale_due_ns(), self.number_due_ns].into_iter().flatten().min()
    }

    fn silent_since_ns(&self) -> Option<u64> {
        self.linked_ns.map(|linked_ns| self.heard_ns.map_or(linked_ns, |heard_ns| heard_ns.max(linked_ns)))
    }

    fn stale_due_ns(&self) -> Option<u64> {
        self.silent_since_ns().filter(|_| !self.is_stale).map(|since_ns| since_ns + STALE_NS)
    }

    /// What is to be said at `at_ns`, if anything; each thing once.
    pub(super) fn due(&mut self, at_ns: u64) -> Option<News> {
        if self.number_due_ns.is_some_and(|due_ns| due_ns <= at_ns) {
            return Some(News::Unnumbered);
        }
        self.stale_due_ns().filter(|&due_ns| due_ns <= at_ns)?;
        self.is_stale = true;
        let since_ns = self.heard_ns.or(self.linked_ns)?;
        Some(News::Stale(at_ns.saturating_sub(since_ns)))
    }
}

#[cfg(test)]
mod tests {
    use crate::event::{Body, Event};
    use crate::station::{FRAMES, Input, Open, Output, Station};
    use adoube_rules::sensor::{Frame, Reading};
    use adoube_rules::stamp::{MS, Stamp};

    struct Board(Station, Output);

    impl Board {
        fn new() -> Self {
            Self(Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap(), Output::default())
        }

        /// What is said of the board's presence: the events' names, with their instants and ages.
        fn at(&mut self, at_ms: u64, input: &Input) -> Vec<(u64, String)> {
            self.1.clear();
            self.0.handle(input, Stamp::default().at(at_ms * MS), &mut self.1);
            let said = |event: &Event| match &event.body {
                Body::BoardStale { age_ms } => Some(format!("stale {age_ms}")),
                Body::BoardLost { age_ms } => Some(format!("lost {age_ms}")),
                Body::BoardConnected { serial, .. } => Some(format!("connected {serial:?}")),
                _ => None,
            };
            self.1.events.iter().filter_map(|event| Some((event.elapsed_ns / MS, said(event)?))).collect()
        }
    }

    fn frame() -> Input {
        Input::Reading(Reading::Frame(Frame::Occupancy(vec![adoube_rules::sensor::Content::EMPTY; 64])))
    }

    #[test]
    fn a_silent_board_is_stale_after_fifteen_seconds_once_and_back_with_its_next_word() {
        let mut board = Board::new();
        assert_eq!(board.at(0, &Input::LinkUp), []);
        assert_eq!(board.at(1_000, &frame()), []);
        let connected = |at_ms| (at_ms, "connected None".to_owned());
        assert_eq!(board.at(3_500, &Input::Wake), [connected(3_000)], "it tells no number");
        assert_eq!(board.at(4_000, &frame()), []);
        assert_eq!(board.at(4_000 + 14_900, &Input::Wake), []);
        assert!(!board.0.is_stale());
        assert_eq!(board.0.wake_at_ns(), Some(19_000 * MS));
        // However late somebody looks, it was then.
        assert_eq!(board.at(4_000 + 15_100, &Input::Wake), [(19_000, "stale 15000".to_owned())]);
        assert!(board.0.is_stale());
        assert_eq!(board.at(90_000, &Input::Wake), []);
        assert_eq!(board.at(91_000, &frame()), [connected(91_000)]);
        assert!(!board.0.is_stale());
        assert_eq!(board.at(92_000, &Input::LinkDown), [(92_000, "lost 1000".to_owned())]);
        assert_eq!(board.at(200_000, &Input::Wake), [], "a link that is down is no silence");
    }

    #[test]
    fn a_board_that_never_says_a_word_is_stale_too() {
        let mut board = Board::new();
        assert_eq!(board.at(5_000, &Input::LinkUp), []);
        assert_eq!(board.at(20_500, &Input::Wake), [(20_000, "stale 15000".to_owned())]);
    }

    #[test]
    fn whoever_has_no_link_is_not_silent() {
        let mut board = Board::new();
        assert_eq!(board.at(1_000, &frame()), []);
        assert_eq!(board.at(60_000, &Input::Wake), []);
    }
}
