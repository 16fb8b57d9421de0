//! Moves that the public gets only once they are completed (`publish_at = "completed"`).
//!
//! The events are the same either way; only which of them are public differs. What the public gets late it
//! gets in the order of play: a completed move releases every one before it, so that spectators never see
//! a line with a hole. A move that is withdrawn before that leaves no public trace. A mate threat tells of the
//! move that made it, and waits with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::finding::MateThreat;
use super::{Body, Event, Finding, Numbered, PublicEvent, RecordId, Recorded, Said, Status, publish};
use crate::ply::Ply;

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
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withholding {
    /// The plies of the game that are out.
    released: Ply,
    /// Open threats of plies that are not: record and ply. A threatened king has one, so they are few.
    threats: Vec<(RecordId, Ply)>,
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
            Body::MoveCompleted(completed) => self.completed(completed.ply),
            Body::Again(said) => match &**said {
                Said::MoveMade(_) => Publicity::Withheld,
                Said::MoveCompleted(completed) => self.completed(completed.ply),
                Said::MoveRetracted(retracted) => self.retracted(retracted.ply),
                _ => Publicity::Usual,
            },
            Body::MoveRetracted(retracted) => self.retracted(retracted.ply),
            Body::Record(recorded) => self.threat(recorded),
            _ => Publicity::Usual,
        };
    }

    /// A completed move lets out those before it.
    fn completed(&mut self, ply: Ply) -> Publicity {
        if ply <= self.released {
            return Publicity::Usual;
        }
        let moves = ply.number() - self.released.number();
        self.released = ply;
        let waiting = self.threats.len();
        self.threats.retain(|&(_, waits)| waits > ply);
        Publicity::Releases(moves + u32::try_from(waiting - self.threats.len()).unwrap_or(0))
    }

    /// A move that was let out is withdrawn where it was seen.
    fn retracted(&mut self, ply: Ply) -> Publicity {
        if ply > self.released {
            return Publicity::Withheld;
        }
        self.released = ply.before();
        Publicity::Usual
    }

    /// What was marked so far, of a board of which this was said.
    pub(crate) fn after(said: &[Numbered]) -> Self {
        let mut withholding = Self::default();
        for event in said {
            match &event.said {
                Said::GameOpened(_) => withholding = Self::default(),
                Said::MoveCompleted(completed) if completed.ply > withholding.released => {
                    withholding.released = completed.ply;
                    withholding.threats.retain(|&(_, ply)| ply > completed.ply);
                }
                Said::MoveRetracted(retracted) => {
                    withholding.released = withholding.released.min(retracted.ply.before());
                }
                Said::Record(recorded) => {
                    let recorded = Recorded { record: recorded.record.in_journal(), ..(**recorded).clone() };
                    withholding.threat(&recorded);
                }
                _ => {}
            }
        }
        withholding
    }

    /// What becomes of a threat that waits is withheld like itself.
    fn threat(&mut self, recorded: &Recorded) -> Publicity {
        let Finding::MateThreat(MateThreat { ply, .. }) = recorded.finding else { return Publicity::Usual };
        if let Some(waiting) = self.threats.iter().position(|&(record, _)| record == recorded.record) {
            self.threats.remove(waiting);
            return Publicity::Withheld;
        }
        if recorded.status != Status::Open || ply <= self.released {
            return Publicity::Usual;
        }
        self.threats.push((recorded.record, ply));
        Publicity::Withheld
    }
}

/// Turns stored events into public ones, in their order: keeps the moves that wait to be completed, and what is said of them.
#[derive(Debug, Clone, Default)]
pub struct Publisher {
    withheld: BTreeMap<Arc<str>, Vec<Numbered>>,
    /// The last public number.
    last: u64,
}

impl Publisher {
    /// What goes out with `event`, in order. Every event has to come by, public or not.
    pub fn publish(&mut self, event: &Numbered) -> Vec<PublicEvent> {
        let free = event.public_id.map_or(0, |id| id.saturating_sub(self.last + 1));
        self.last = event.public_id.unwrap_or(self.last);
        if matches!(event.said, Said::GameChanged(_)) {
            self.goes_along(event);
        }
        let waiting = self.withheld.entry(Arc::clone(&event.board)).or_default();
        match &event.said {
            Said::GameOpened(_) => waiting.clear(),
            Said::MoveRetracted(retracted) => waiting.retain(|made| ply(made) < retracted.ply),
            Said::MoveMade(made) if event.public_id.is_none() => {
                // What stood in its place without being withdrawn was behind a gap.
                waiting.retain(|known| ply(known) < made.ply);
                waiting.push(event.clone());
            }
            Said::Record(threat) if event.public_id.is_none() && is_threat(threat) => {
                let before = waiting.len();
                let record = |known: &Numbered| match &known.said {
                    Said::Record(known) => Some(known.record),
                    _ => None,
                };
                waiting.retain(|known| record(known) != Some(threat.record));
                if threat.status == Status::Open && waiting.len() == before {
                    waiting.push(event.clone());
                }
            }
            Said::MoveCompleted(completed) => return release(waiting, completed.ply, event, free),
            _ => {}
        }
        publish(event).into_iter().collect()
    }

    /// What waits of a game that goes on at another board waits there.
    fn goes_along(&mut self, event: &Numbered) {
        let is_left = |(board, waiting): (&Arc<str>, &Vec<Numbered>)| {
            let is_of_game = waiting.first().is_some_and(|first| first.game == event.game);
            (is_of_game && *board != event.board).then(|| Arc::clone(board))
        };
        if let Some(left) = self.withheld.iter().find_map(is_left)
            && let Some(waiting) = self.withheld.remove(&left)
        {
            self.withheld.insert(Arc::clone(&event.board), waiting);
        }
    }
}

fn is_threat(recorded: &Recorded) -> bool {
    matches!(recorded.finding, Finding::MateThreat(_))
}

/// What is `waiting` up to `ply`, and then the event that completes it: its number is the last one. So many are `free`
/// before it; of what has none, the event that completed it is lost.
fn release(waiting: &mut Vec<Numbered>, ply: Ply, event: &Numbered, free: u64) -> Vec<PublicEvent> {
    let Some(id) = event.public_id else { return Vec::new() };
    let count = waiting.iter().take_while(|made| self::ply(made) <= ply).count();
    let released = usize::try_from(free).unwrap_or(usize::MAX).min(count);
    let ids = id.saturating_sub(released as u64)..id;
    let waited = waiting.drain(..count).skip(count - released);
    let waited = ids.zip(waited).filter_map(|(id, made)| made.published_as(id));
    waited.chain(publish(event)).collect()
}

/// The ply of a move or a threat that waits.
fn ply(event: &Numbered) -> Ply {
    match &event.said {
        Said::MoveMade(made) => made.ply,
        Said::Record(threat) => threat.finding.about().ply,
        _ => Ply::START,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{
        Cause, CompletedBy, GameInfo, GameName, MoveCompleted, MoveMade, MoveRetracted, Numbering, Player,
    };
    use adoube_rules::stamp::Stamp;
    use adoube_rules::{ChessPosition, Played, Position as _};
    use serde_json::Value;

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
            variant: adoube_rules::GameKind::Chess,
            start: String::new(),
            time_control: None,
            players: [Player::default(), Player::default()],
            red_blue: None,
            team_match: None,
        }))
    }

    fn made(ply: Ply, uci: &str) -> Body {
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

    fn completed(ply: Ply, uci: &str) -> Body {
        let (played, by) = (played(uci), CompletedBy::Press);
        Body::MoveCompleted(Box::new(MoveCompleted { ply, played, by, completed_ns: 0, clock: None }))
    }

    fn retracted(ply: Ply) -> Body {
        let (played, fen, cause) = (played("e2e4"), String::new(), Cause::Played);
        Body::MoveRetracted(Box::new(MoveRetracted { ply, played, fen, cause }))
    }

    /// What the public gets with each of these: name and ply, by its number.
    fn public(bodies: Vec<Body>) -> Vec<Vec<(u64, String, u64)>> {
        public_at(bodies.into_iter().map(|body| ("1", body)).collect())
    }

    /// The same of a game that may go on at another board.
    fn public_at(bodies: Vec<(&str, Body)>) -> Vec<Vec<(u64, String, u64)>> {
        let (mut withholding, mut numbering) = (Withholding::default(), Numbering::default());
        let mut publisher = Publisher::default();
        let mut said = |(board, body): (&str, Body)| {
            let board: Arc<str> = board.into();
            let game = Some(GameName::Given("1-1".into()));
            let mut event =
                Event { at: Stamp::default(), elapsed_ns: 0, game, publicity: Publicity::Usual, body };
            withholding.mark(&mut event);
            let numbered = numbering.number(&board, &event);
            // As the journal gives it back.
            let stored = Numbered::from_json(&numbered.to_line(), numbered.public_id).unwrap();
            let public = publisher.publish(&stored);
            assert!(public.is_empty() || public.len() as u64 == 1 + u64::from(numbered.releases));
            let ply = |one: &PublicEvent| one.json().get("ply").and_then(Value::as_u64).unwrap_or(0);
            public.iter().map(|one| (one.id, one.name().to_string(), ply(one))).collect()
        };
        bodies.into_iter().map(&mut said).collect()
    }

    fn is(id: u64, name: &str, ply: u64) -> (u64, String, u64) {
        (id, name.to_owned(), ply)
    }

    #[test]
    fn what_waits_goes_along_when_the_game_goes_on_at_another_board() {
        let Body::GameOpened(info) = opened() else { unreachable!("it is opened") };
        let said = public_at(vec![
            ("1", opened()),
            ("1", made(Ply::FIRST, "e2e4")),
            ("2", Body::GameChanged { info, result: None }),
            ("2", completed(Ply::FIRST, "e2e4")),
        ]);
        assert_eq!(said[3], [is(3, "move-made", 1), is(4, "move-completed", 1)]);
    }

    #[test]
    fn a_completed_move_releases_those_before_it() {
        let said = public(vec![
            opened(),
            made(Ply::FIRST, "e2e4"),
            made(Ply::new(2), "d2d4"),
            completed(Ply::new(2), "d2d4"),
            completed(Ply::FIRST, "e2e4"),
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
            made(Ply::FIRST, "e2e4"),
            completed(Ply::FIRST, "e2e4"),
            made(Ply::new(2), "g1f3"),
            retracted(Ply::new(2)),
            made(Ply::new(2), "b1c3"),
            retracted(Ply::FIRST),
            made(Ply::FIRST, "d2d4"),
            completed(Ply::FIRST, "d2d4"),
        ]);
        assert_eq!(said[3..6], [vec![], vec![], vec![]]);
        assert_eq!(said[6], [is(4, "move-retracted", 1)]);
        assert_eq!(said[8], [is(5, "move-made", 1), is(6, "move-completed", 1)]);
    }

    fn threat(record: u64, ply: Ply, status: Status) -> Body {
        let finding = MateThreat { ply, side: adoube_rules::sensor::Side::White };
        Body::Record(Box::new(Recorded::of(RecordId(record), status, finding)))
    }

    #[test]
    fn a_threat_waits_with_its_move() {
        let said = public(vec![
            opened(),
            made(Ply::FIRST, "e2e4"),
            threat(7, Ply::FIRST, Status::Open),
            retracted(Ply::FIRST),
            threat(7, Ply::FIRST, Status::Withdrawn),
            made(Ply::FIRST, "d2d4"),
            threat(8, Ply::FIRST, Status::Open),
            completed(Ply::FIRST, "d2d4"),
            threat(8, Ply::FIRST, Status::Withdrawn),
        ]);
        assert_eq!(said[1..7], vec![vec![]; 6]);
        assert_eq!(said[7], [is(2, "move-made", 1), is(3, "mate-threat", 1), is(4, "move-completed", 1)]);
        assert_eq!(said[8], [is(5, "mate-threat", 1)]);
    }

    #[test]
    fn the_next_game_begins_afresh() {
        let said = public(vec![
            opened(),
            made(Ply::FIRST, "e2e4"),
            opened(),
            made(Ply::FIRST, "d2d4"),
            completed(Ply::FIRST, "d2d4"),
        ]);
        assert_eq!(said[4], [is(3, "move-made", 1), is(4, "move-completed", 1)]);
    }
}
