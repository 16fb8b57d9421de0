//! Moves that the public gets only once they are completed (`publish_at = "completed"`).
//!
//! The events are the same either way; only which of them are public differs. What the public gets late it
//! gets in the order of play: a completed move releases every one before it, so that spectators never see
//! a line with a hole. A move that is withdrawn before that leaves no public trace. A mate threat tells of the
//! move that made it, and waits with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::rules::laws::Name;

use super::public::copy;
use super::{Body, Event, Finding, Numbered, PublicEvent, Status, publish};

/// The record that waits with the move that it is about.
const THREAT: Name = Name::MateThreat;

/// How far an event goes whose name is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Publicity {
    /// As far as its name says.
    #[default]
    Usual,
    /// Not yet, or not at all.
    Withheld,
    /// As far as its name says, and so many events that waited go out before it.
    Releases(u32),
}

/// Marks the events of one board.
#[derive(Debug, Clone, Default)]
pub struct Withholding {
    /// The plies of the game that are out.
    released: u32,
    /// Open threats of plies that are not: record and ply. A threatened king has one, so they are few.
    threats: Vec<(u32, u32)>,
}

impl Withholding {
    /// Says of the next event of the board how far it goes.
    pub fn mark(&mut self, event: &mut Event) {
        event.publicity = match &event.body {
            Body::GameOpened(_) => {
                *self = Self::default();
                Publicity::Usual
            }
            Body::MoveMade(_) => Publicity::Withheld,
            Body::MoveCompleted(completed) if completed.ply > self.released => {
                let moves = completed.ply - self.released;
                self.released = completed.ply;
                let waiting = self.threats.len();
                self.threats.retain(|&(_, ply)| ply > completed.ply);
                Publicity::Releases(moves + u32::try_from(waiting - self.threats.len()).unwrap_or(0))
            }
            Body::MoveRetracted(retracted) if retracted.ply > self.released => Publicity::Withheld,
            Body::MoveRetracted(retracted) => {
                self.released = retracted.ply - 1;
                Publicity::Usual
            }
            Body::Finding(finding) if finding.name == THREAT => self.threat(finding),
            _ => Publicity::Usual,
        };
    }

    /// What becomes of a threat that waits is withheld like itself.
    fn threat(&mut self, finding: &Finding) -> Publicity {
        if let Some(waiting) = self.threats.iter().position(|&(record, _)| record == finding.record) {
            self.threats.remove(waiting);
            return Publicity::Withheld;
        }
        let ply = u32::try_from(ply(&finding.payload)).unwrap_or(u32::MAX);
        if finding.status != Status::Open || ply <= self.released {
            return Publicity::Usual;
        }
        self.threats.push((finding.record, ply));
        Publicity::Withheld
    }
}

/// Turns stored events into public ones, in their order: keeps the moves that wait to be completed, and what is said of them.
#[derive(Debug, Clone, Default)]
pub struct Publisher {
    withheld: BTreeMap<Arc<str>, Vec<Map<String, Value>>>,
}

impl Publisher {
    /// What goes out with `event`, in order. Every event has to come by, public or not.
    pub fn publish(&mut self, event: &Numbered) -> Vec<PublicEvent> {
        let ply = ply(&event.json);
        let waiting = self.withheld.get_mut(&event.board);
        match (event.name.as_str(), waiting) {
            ("game-opened", Some(waiting)) => waiting.clear(),
            ("move-retracted", Some(waiting)) => waiting.retain(|made| self::ply(made) < ply),
            ("move-made", _) if event.public_id.is_none() => {
                self.withheld.entry(Arc::clone(&event.board)).or_default().push(event.json.clone());
            }
            (name, _) if THREAT == name && event.public_id.is_none() => {
                let waiting = self.withheld.entry(Arc::clone(&event.board)).or_default();
                let (before, record) = (waiting.len(), event.json.get("record"));
                waiting.retain(|known| known.get("record") != record);
                let is_open = event.json.get("status").and_then(Value::as_str) == Some(Status::Open.name());
                if is_open && waiting.len() == before {
                    waiting.push(event.json.clone());
                }
            }
            ("move-completed", Some(waiting)) => return release(waiting, ply, event),
            _ => {}
        }
        publish(event).into_iter().collect()
    }
}

/// What is `waiting` up to `ply`, and then the event that completes it: its number is the last one.
fn release(waiting: &mut Vec<Map<String, Value>>, ply: u64, event: &Numbered) -> Vec<PublicEvent> {
    let Some(id) = event.public_id else { return Vec::new() };
    let count = waiting.iter().take_while(|made| self::ply(made) <= ply).count();
    let ids = id.saturating_sub(count as u64)..id;
    let name = |json: &Map<String, Value>| {
        json.get("type").and_then(Value::as_str).unwrap_or("move-made").to_owned()
    };
    let waited = ids.zip(waiting.drain(..count)).map(|(id, json)| copy(id, &name(&json), &json));
    waited.chain(publish(event)).collect()
}

fn ply(json: &Map<String, Value>) -> u64 {
    json.get("ply").and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{
        Cause, CompletedBy, GameInfo, GameName, MoveCompleted, MoveMade, MoveRetracted, Numbering, Player,
    };
    use crate::rules::{ChessPosition, Played, Position as _};
    use crate::stamp::Stamp;

    fn played(uci: &str) -> Played {
        let position = ChessPosition::default();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().map(|mv| position.played(mv)).find(|played| played.uci() == uci).unwrap()
    }

    fn opened() -> Body {
        Body::GameOpened(Box::new(GameInfo {
            name: GameName::Given("1-1".into()),
            round: None,
            number: 1,
            variant: "chess",
            start: String::new(),
            time_control: None,
            players: [Player::default(), Player::default()],
            red_blue: None,
            team_match: None,
        }))
    }

    fn made(ply: u32, uci: &str) -> Body {
        let (confidence_milli, first_lift_ns, made_ns, clock) = (1_000, 0, 0, None);
        let (played, cause) = (played(uci), Cause::Played);
        Body::MoveMade(Box::new(MoveMade {
            ply,
            played,
            confidence_milli,
            first_lift_ns,
            made_ns,
            clock,
            cause,
        }))
    }

    fn completed(ply: u32, uci: &str) -> Body {
        let (played, by) = (played(uci), CompletedBy::Press);
        Body::MoveCompleted(Box::new(MoveCompleted { ply, played, by, completed_ns: 0, clock: None }))
    }

    fn retracted(ply: u32) -> Body {
        let (played, fen, cause) = (played("e2e4"), String::new(), Cause::Played);
        Body::MoveRetracted(Box::new(MoveRetracted { ply, played, fen, cause }))
    }

    /// What the public gets with each of these: name and ply, by its number.
    fn public(bodies: Vec<Body>) -> Vec<Vec<(u64, String, u64)>> {
        let board: Arc<str> = "1".into();
        let (mut withholding, mut numbering) = (Withholding::default(), Numbering::default());
        let mut publisher = Publisher::default();
        let mut said = |body| {
            let game = Some(GameName::Given("1-1".into()));
            let mut event =
                Event { at: Stamp::default(), elapsed_ns: 0, game, publicity: Publicity::Usual, body };
            withholding.mark(&mut event);
            let numbered = numbering.number(&board, &event);
            // As the journal gives it back.
            let stored = Numbered::from_json(&numbered.to_line(), numbered.public_id).unwrap();
            let public = publisher.publish(&stored);
            assert!(public.is_empty() || public.len() as u64 == 1 + u64::from(numbered.releases));
            public.iter().map(|one| (one.id(), one.name().to_owned(), ply(one.json()))).collect()
        };
        bodies.into_iter().map(&mut said).collect()
    }

    fn is(id: u64, name: &str, ply: u64) -> (u64, String, u64) {
        (id, name.to_owned(), ply)
    }

    #[test]
    fn a_completed_move_releases_those_before_it() {
        let said = public(vec![
            opened(),
            made(1, "e2e4"),
            made(2, "d2d4"),
            completed(2, "d2d4"),
            completed(1, "e2e4"),
        ]);
        assert_eq!(said[0].len(), 1);
        assert_eq!(said[1..3], [vec![], vec![]]);
        assert_eq!(said[3], [is(2, "move-made", 1), is(3, "move-made", 2), is(4, "move-completed", 2)]);
        assert_eq!(said[4], [is(5, "move-completed", 1)]);
    }

    #[test]
    fn what_was_withdrawn_before_leaves_no_trace_and_what_was_out_is_withdrawn() {
        let said = public(vec![
            opened(),
            made(1, "e2e4"),
            completed(1, "e2e4"),
            made(2, "g1f3"),
            retracted(2),
            made(2, "b1c3"),
            retracted(1),
            made(1, "d2d4"),
            completed(1, "d2d4"),
        ]);
        assert_eq!(said[3..6], [vec![], vec![], vec![]]);
        assert_eq!(said[6], [is(4, "move-retracted", 1)]);
        assert_eq!(said[8], [is(5, "move-made", 1), is(6, "move-completed", 1)]);
    }

    fn threat(record: u32, ply: u32, status: Status) -> Body {
        let mut payload = Map::new();
        payload.insert("ply".to_owned(), ply.into());
        payload.insert("side".to_owned(), "white".into());
        Body::Finding(Box::new(Finding {
            name: THREAT,
            record,
            status,
            edition: crate::rules::laws::Edition::default(),
            article: None,
            severity: None,
            window: None,
            fens: None,
            clock: None,
            readings: (0, 0),
            payload,
            references: Vec::new(),
        }))
    }

    #[test]
    fn a_threat_waits_with_its_move() {
        let said = public(vec![
            opened(),
            made(1, "e2e4"),
            threat(7, 1, Status::Open),
            retracted(1),
            threat(7, 1, Status::Withdrawn),
            made(1, "d2d4"),
            threat(8, 1, Status::Open),
            completed(1, "d2d4"),
            threat(8, 1, Status::Withdrawn),
        ]);
        assert_eq!(said[1..7], vec![vec![]; 6]);
        assert_eq!(said[7], [is(2, "move-made", 1), is(3, "mate-threat", 1), is(4, "move-completed", 1)]);
        assert_eq!(said[8], [is(5, "mate-threat", 1)]);
    }

    #[test]
    fn the_next_game_begins_afresh() {
        let said = public(vec![opened(), made(1, "e2e4"), opened(), made(1, "d2d4"), completed(1, "d2d4")]);
        assert_eq!(said[4], [is(3, "move-made", 1), is(4, "move-completed", 1)]);
    }
}
