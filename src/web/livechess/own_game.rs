//! A game that a program set up: its moves are found from what the board shows, by a station of its own. The
//! hall's game on the board is not touched by it.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::eboard::men;
use super::subscription::Line;
use crate::feed::view::HallView;
use adoube_core::capture::pieces_frame;
use adoube_core::event::Numbering;
use adoube_core::station::{Announce, FRAMES, Input, Open, Output, Seen, SeenKind, Station};
use adoube_rules::GameKind;
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::square::Square;
use adoube_rules::stamp::Stamp;

/// A game of a program's own.
#[derive(Debug)]
pub(super) struct OwnGame {
    /// The position from which it starts, as the program wrote it.
    fen: String,
    /// The men of that position.
    expected: Vec<Content>,
    station: Station,
    numbering: Numbering,
    view: HallView,
    output: Output,
    /// What the board showed last; `None` until it has shown the position.
    shown: Option<Vec<Content>>,
    /// When it did.
    shown_ns: u64,
    /// There are no more of them than places.
    _place: OwnedSemaphorePermit,
}

impl OwnGame {
    /// A game from `fen`, which begins when the board shows that.
    ///
    /// # Errors
    /// What is wrong with the position, for the program.
    pub(super) fn new(
        fen: &str,
        announce: Announce,
        at: Stamp,
        place: OwnedSemaphorePermit,
    ) -> Result<Self, String> {
        let expected = pieces_frame(fen.split(' ').next().unwrap_or_default());
        let expected = expected.map_err(|error| format!("setup: \"{fen}\": {error}"))?.contents().to_vec();
        let mut open = Open::new("1", FRAMES, "setup");
        open.start = Some(fen.to_owned());
        // It may begin anywhere, and nobody sets the clock for it.
        open.in_progress = true;
        open.announce = announce;
        let castling = fen.split(' ').nth(2).unwrap_or_default();
        if castling.contains(|letter| !"KQkq-".contains(letter)) {
            open.variant = GameKind::Chess960;
        }
        let station = Station::open(open, at).map_err(|error| format!("setup: {error}"))?;
        Ok(Self {
            fen: fen.to_owned(),
            expected,
            station,
            numbering: Numbering::default(),
            view: HallView::default(),
            output: Output::default(),
            shown: None,
            shown_ns: 0,
            _place: place,
        })
    }

    /// Takes what the board showed.
    pub(super) fn see(&mut self, seen: &Seen) {
        // A picture that was on its way while a newer one was looked up.
        if seen.at.mono_ns < self.shown_ns {
            return;
        }
        self.shown_ns = seen.at.mono_ns;
        if let SeenKind::Link(is_up) = seen.kind {
            if self.shown.is_some() {
                self.take(if is_up { &Input::LinkUp } else { &Input::LinkDown }, seen.at);
            }
            return;
        }
        let Some(men) = men(seen) else { return };
        let changed = self.shown.as_ref().map(|shown| {
            let squares = Square::all().zip(shown.iter().zip(men));
            squares.filter(|(_, (before, now))| before != now).map(|(square, _)| square).collect::<Vec<_>>()
        });
        let reading = match changed.as_deref() {
            None if !self.is_expected(men) => return,
            Some([]) => return,
            // As the board said it.
            Some(&[square]) => Reading::Square { square, content: men[square] },
            None | Some(_) => Reading::Frame(Frame::Identity(men.to_vec())),
        };
        self.shown = Some(men.to_vec());
        self.take(&Input::Reading(reading), seen.at);
    }

    /// Does the board show the position, whichever way round it lies?
    fn is_expected(&self, men: &[Content]) -> bool {
        men == self.expected || men.iter().rev().eq(&self.expected)
    }

    /// When it wants to be woken.
    pub(super) fn wake_at_ns(&self) -> Option<u64> {
        self.station.wake_at_ns()
    }

    /// Lets time pass up to `at`.
    pub(super) fn wake(&mut self, at: Stamp) {
        self.take(&Input::Wake, at);
    }

    fn take(&mut self, input: &Input, at: Stamp) {
        self.output.clear();
        self.station.handle(input, at, &mut self.output);
        let board: Arc<str> = self.station.board().into();
        for event in &self.output.events {
            self.view.apply_private(&self.numbering.number(&board, event));
        }
    }

    /// The men as they stand in the game; `None` until the board has shown its position.
    pub(super) fn men(&self) -> Option<Vec<Content>> {
        self.shown.as_ref().map(|_| self.station.picture().contents)
    }

    /// Its moves.
    pub(super) fn line(&self) -> Line {
        let line = self.view.games().next().and_then(Line::of).filter(|line| !line.san.is_empty());
        let (san, end) = line.map_or_else(|| (Vec::new(), self.fen.clone()), |line| (line.san, line.end));
        Line { start: self.fen.clone(), san, end }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;
    use adoube_core::table::Picture;
    use adoube_rules::stamp::SECOND;

    const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

    fn at(second: u64) -> Stamp {
        Stamp { mono_ns: second * SECOND, utc_ns: 0 }
    }

    /// A game from the array whose board shows these things, a second each.
    fn game(placements: &[&str]) -> OwnGame {
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let mut game =
            OwnGame::new(&format!("{ARRAY} w KQkq - 0 1"), Announce::Balanced, at(0), place).unwrap();
        for (second, placement) in (1..).zip(placements) {
            game.see(&seen(placement, second));
        }
        game.wake(at(60));
        game
    }

    fn seen(placement: &str, second: u64) -> Seen {
        let contents = pieces_frame(placement).unwrap().contents().to_vec();
        let picture = Picture { input: second, contents, is_named: true, clock: None, clock_ns: None };
        Seen { kind: SeenKind::Reading, at: at(second), picture, events_before: 0 }
    }

    #[test]
    fn it_begins_with_its_position_and_not_before() {
        assert_eq!(game(&[ARRAY, LIFTED, E4]).line().san, ["e4"]);
        let game = game(&[E4, LIFTED, E4]);
        assert_eq!((game.line().san.len(), game.men()), (0, None));
    }

    #[test]
    fn a_picture_from_before_is_none_of_now() {
        let mut game = game(&[ARRAY, LIFTED, E4]);
        game.see(&seen(ARRAY, 2));
        game.wake(at(120));
        assert_eq!(game.line().san, ["e4"]);
        assert_eq!(game.men(), Some(pieces_frame(E4).unwrap().contents().to_vec()));
    }
}
