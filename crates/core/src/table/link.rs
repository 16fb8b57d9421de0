//! The link to the board: lost for a moment it is nobody's business, lost for longer it is the arbiter's.

use super::records::Draft;
use super::{Table, sensing};
use crate::event::finding::BoardDisconnected;
use crate::event::{Body, Event, Status};
use adoube_rules::Variant;
use adoube_rules::laws::{Name, Severity};
use adoube_rules::stamp::{SECOND, Stamp, ms};

/// What is new of the link to a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkNews {
    /// It is back.
    Back,
    /// It is lost.
    Lost,
    /// Whoever reads the board was away, and opens the link anew: what happened meanwhile was not seen.
    Restarted,
}

/// A link that is not there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Link {
    /// When it has been away for too long.
    due_ns: Option<u64>,
}

impl Link {
    pub(super) fn due_ns(&self) -> Option<u64> {
        self.due_ns
    }
}

impl<V: Variant> Table<V> {
    /// Something is new of the link to the board.
    pub fn link(&mut self, news: LinkNews, at: Stamp, out: &mut Vec<Event>) {
        self.advance(at, out);
        self.scene.inputs += 1;
        self.link.due_ns = None;
        self.scene.link_back_ns = None;
        if news == LinkNews::Back {
            self.scene.link_back_ns = Some(at.mono_ns);
            return self.close_all(sensing::is_of_link, Status::Corrected, out);
        }
        self.unseen_from_now_on();
        self.emit(Body::BoardLost { age_ms: ms(at.mono_ns.saturating_sub(self.heard_ns)) }, out);
        // Our own absence is no fault of the board's, unless it stays away.
        if news == LinkNews::Lost && self.scene.playing().is_some() {
            self.open(Draft::open(BoardDisconnected {}).severity(Severity::Info), out);
        }
        self.link.due_ns = Some(at.mono_ns + u64::from(self.scene.profile.disconnect_alert_s) * SECOND);
    }

    /// The board has been away so long that somebody should look at its cable.
    pub(super) fn link_stays_away(&mut self, out: &mut Vec<Event>) {
        self.link.due_ns = None;
        if self.scene.playing().is_none() {
            return;
        }
        let open = self.records.open_record(Name::BoardDisconnected);
        match open.map(|open| (open.number, open.severity)) {
            // It is one already.
            Some((_, None)) => {}
            Some((record, _)) => self.amend(record, |record| record.severity = None, out),
            None => drop(self.open(Draft::open(BoardDisconnected {}), out)),
        }
    }

    /// What happens now is not seen, and what hands had begun is not seen to its end.
    fn unseen_from_now_on(&mut self) {
        self.pending.touches.clear();
        self.pending.signal_ns = None;
        self.pending.unseen_presses = [None; 2];
        self.clock_unseen();
        self.goes_on_no_more();
        let at_ns = self.scene.now.mono_ns;
        if let Some(game) = &mut self.scene.game {
            game.tracker.lost(at_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::pieces_frame;
    use crate::station::{FRAMES, Input, Open, Output, Station};
    use adoube_rules::sensor::Reading;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    /// What is said of the link when this happens in these seconds of a game, each with its second, status and severity.
    fn said(inputs: &[(u64, Input)]) -> Vec<(u64, Status, Option<Severity>)> {
        let mut open = Open::new("1", FRAMES, "test");
        open.start = Some(format!("{START} w KQkq - 0 1"));
        open.in_progress = true;
        let mut station = Station::open(open, Stamp::default()).unwrap();
        let mut output = Output::default();
        let frame = Input::Reading(Reading::Frame(pieces_frame(START).unwrap()));
        for (second, input) in std::iter::once(&(0, frame)).chain(inputs) {
            station.handle(input, Stamp::default().at(second * SECOND), &mut output);
        }
        let said = |event: &Event| match &event.body {
            Body::Record(recorded) if event.body.name() == Name::BoardDisconnected => {
                Some((event.elapsed_ns / SECOND, recorded.status, recorded.severity))
            }
            _ => None,
        };
        output.events.iter().filter_map(said).collect()
    }

    #[test]
    fn a_link_that_is_back_soon_alerts_nobody() {
        assert_eq!(
            said(&[(10, Input::LinkDown), (19, Input::LinkUp), (60, Input::Wake)]),
            [(10, Status::Open, Some(Severity::Info)), (19, Status::Corrected, Some(Severity::Info))]
        );
    }

    #[test]
    fn a_link_that_stays_away_is_an_alert() {
        assert_eq!(
            said(&[(10, Input::LinkDown), (60, Input::LinkUp)]),
            [
                (10, Status::Open, Some(Severity::Info)),
                (20, Status::Open, Some(Severity::Alert)),
                (60, Status::Corrected, Some(Severity::Alert))
            ]
        );
    }

    #[test]
    fn our_own_absence_is_nobodys_business_unless_the_board_stays_away() {
        assert_eq!(said(&[(10, Input::Restarted), (12, Input::LinkUp), (60, Input::Wake)]), []);
        assert_eq!(
            said(&[(10, Input::Restarted), (60, Input::Wake)]),
            [(20, Status::Open, Some(Severity::Alert))]
        );
        // A link that was lost before is lost longer.
        assert_eq!(
            said(&[(10, Input::LinkDown), (15, Input::Restarted), (60, Input::Wake)]),
            [(10, Status::Open, Some(Severity::Info)), (25, Status::Open, Some(Severity::Alert))]
        );
    }
}
