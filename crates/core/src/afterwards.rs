//! Rulings on a game that is closed and that no table has any more: a result is a fact of the game, wherever and
//! whenever it was played (DESIGN 2.6).
//!
//! [`Afterwards`] is what the journal holds of one; what it says follows from that alone, as a board's events follow
//! from its inputs.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::finding::{Finding, GameAnnulled, ResultChanged, Score};
use crate::event::{Body, Event, GameName, Numbered, Publicity, RecordId, Recorded, Said, Status};
use crate::ruling::{Outcome, Reference, Ruled, Ruling, RulingError, inapplicable};
use adoube_rules::laws::{Case, Edition, Profile};
use adoube_rules::stamp::Stamp;

/// What was ruled on a closed game, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Afterwards {
    game: String,
    profile: String,
    #[serde(with = "crate::ruling::as_json")]
    ruled: Ruled,
    from: Score,
    to: Score,
    /// It counts no more (true), or again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annuls: Option<bool>,
    /// The record by which it was annulled, and why, if that is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annulled_by: Option<(RecordId, String)>,
}

/// A closed game, as it stands.
struct Closed {
    result: Score,
    is_annulled: bool,
    /// What was ruled on it since it was closed, in order.
    rulings: Vec<Earlier>,
}

/// A ruling on a closed game that was made before.
struct Earlier {
    seq: u64,
    undid: Option<u64>,
    /// The result before it.
    from: Option<Score>,
    /// The record by which it annulled the game or let it count again, why, and which of the two.
    annulled: Option<(RecordId, String, bool)>,
}

/// How a game stands of which this was said, in order; `None` if it is not closed.
fn closed(said: &[Numbered]) -> Option<Closed> {
    let mut closed: Option<Closed> = None;
    let mut is_annulled = false;
    for event in said {
        match (&event.said, &mut closed) {
            (Said::GameOpened(_), _) => (closed, is_annulled) = (None, false),
            (Said::GameClosed(said), _) => {
                closed = Some(Closed { result: said.result, is_annulled, rulings: Vec::new() });
            }
            (Said::Ruled(ruled), Some(closed)) => {
                let undid = match &ruled.ruling {
                    Ruling::Undo { ruling: Reference::Number(seq) } => Some(*seq),
                    _ => None,
                };
                closed.rulings.push(Earlier { seq: event.seq, undid, from: None, annulled: None });
            }
            (Said::Record(recorded), closed) => match (&recorded.finding, closed) {
                (Finding::GameAnnulled(annulled), closed) => {
                    is_annulled = recorded.status == Status::Confirmed;
                    if let Some(closed) = closed {
                        closed.is_annulled = is_annulled;
                        if let Some(last) = closed.rulings.last_mut() {
                            last.annulled = Some((recorded.record, annulled.reason.clone(), is_annulled));
                        }
                    }
                }
                (Finding::ResultChanged(changed), Some(closed)) => {
                    closed.result = changed.result;
                    if let Some(last) = closed.rulings.last_mut() {
                        last.from = Some(changed.from);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    closed
}

/// The ruling that can be undone: the last that stands, or the last of all if that undid another one.
fn undoable(earlier: &[Earlier]) -> Option<&Earlier> {
    let mut undone = BTreeSet::new();
    for one in earlier.iter().rev().filter_map(|one| one.undid.map(|undid| (one.seq, undid))) {
        if !undone.contains(&one.0) {
            undone.insert(one.1);
        }
    }
    let stands = |one: &&Earlier| one.undid.is_none() && !undone.contains(&one.seq);
    earlier.iter().rev().find(|one| stands(one) && (one.from.is_some() || one.annulled.is_some()))
}

impl Closed {
    /// The ruling that an undoing means, if that can be undone: the last that stands, or the undoing that came last.
    fn undone(&self, meant: &Reference) -> Option<&Earlier> {
        let last = self.rulings.last().filter(|last| last.undid.is_some());
        let is_meant = |earlier: &&Earlier| matches!(meant, Reference::Number(seq) if *seq == earlier.seq);
        undoable(&self.rulings).into_iter().chain(last).find(is_meant)
    }
}

impl Afterwards {
    /// What comes of `ruled`, which is about `game`, played under the profile of that full name: `said` is all that was
    /// said of the game, in order. `None` if no table need be passed by: the game is not closed, or what it would undo was
    /// ruled before.
    ///
    /// # Errors
    /// [`RulingError`] if it cannot apply to a game that is closed.
    pub fn new(
        ruled: Ruled,
        game: &str,
        profile: &str,
        said: &[Numbered],
    ) -> Option<Result<Self, RulingError>> {
        let closed = closed(said)?;
        if let Ruling::Undo { ruling: Reference::Number(seq) } = &ruled.ruling
            && !closed.rulings.iter().any(|earlier| earlier.seq == *seq)
        {
            return None;
        }
        let mut afterwards = Self {
            game: game.to_owned(),
            profile: profile.to_owned(),
            ruled,
            from: closed.result,
            to: closed.result,
            annuls: None,
            annulled_by: None,
        };
        let decided = afterwards.decide(&closed).and_then(|()| afterwards.check_sum());
        Some(match decided {
            Ok(()) => Ok(afterwards),
            Err(refusal) => Err(afterwards.ruled.ruling.refused(refusal)),
        })
    }

    fn decide(&mut self, closed: &Closed) -> Outcome {
        let game = &self.game;
        match &self.ruled.ruling {
            Ruling::Note { .. } => {}
            Ruling::Undo { ruling } => {
                let undone = closed.undone(ruling).ok_or_else(|| {
                    inapplicable(match undoable(&closed.rulings) {
                        Some(last) => format!(
                            "of what was ruled on {game} since it was closed, the last that stands has the number {}",
                            last.seq
                        ),
                        None => format!("nothing that was ruled on {game} since it was closed can be undone"),
                    })
                })?;
                self.to = undone.from.unwrap_or(self.from);
                if let Some((record, reason, is_annulled)) = &undone.annulled {
                    self.annuls = Some(!is_annulled);
                    self.annulled_by = Some((*record, reason.clone()));
                }
            }
            _ if closed.is_annulled => {
                return Err(inapplicable(format!("{game} is annulled; undo that first")));
            }
            Ruling::AnnulGame { .. } => (self.to, self.annuls) = (Score(None), Some(true)),
            Ruling::Result { value, .. } | Ruling::ChangeResult { value } if self.from.0 == Some(*value) => {
                return Err(inapplicable(format!("the result is {value} already")));
            }
            Ruling::Result { .. } if self.from.0.is_some() => {
                return Err(inapplicable("the game has a result; use \"change-result\""));
            }
            Ruling::ChangeResult { .. } if self.from.0.is_none() => {
                return Err(inapplicable("the game has no result; use \"result\""));
            }
            Ruling::Result { value, .. } | Ruling::ChangeResult { value } => self.to = Score(Some(*value)),
            _ => {
                return Err(inapplicable(format!(
                    "{game} is closed: its result can be changed, it can be annulled, and a note taken"
                )));
            }
        }
        Ok(())
    }

    /// No game gives more than one point, where the edition says so (10.2).
    fn check_sum(&self) -> Outcome {
        let is_capped = self.laws().is_none_or(|laws| laws.edition != Edition::Fide2005);
        match self.to.0.filter(|to| is_capped && to.halves().iter().sum::<u8>() > 2) {
            Some(to) => Err(inapplicable(format!("no game gives {to}: it has one point (10.2)"))),
            None => Ok(()),
        }
    }

    fn laws(&self) -> Option<Profile> {
        Profile::named(&self.profile).ok()
    }

    /// The game counts no more (true), or again; `None` if nothing was said of that.
    #[must_use]
    pub fn annuls(&self) -> Option<bool> {
        self.annuls
    }

    /// What it says, at `at`.
    #[must_use]
    pub fn events(&self, at: Stamp) -> Vec<Event> {
        let mut said = vec![Body::RuledAfterwards(Box::new(self.ruled.clone()))];
        // No table's own number is so high.
        let number = RecordId(at.mono_ns.max(1) | 1 << 61);
        if self.from != self.to {
            let by = self.ruled.by.clone();
            let changed = ResultChanged { from: self.from, to: self.to, result: self.to, by };
            said.push(self.record(number, Status::Confirmed, changed));
        }
        let annulment = match (&self.annulled_by, &self.ruled.ruling) {
            (Some((record, reason)), _) => Some((record.in_journal(), reason)),
            (None, Ruling::AnnulGame { reason }) => Some((RecordId(number.0 | 1 << 60), reason)),
            (None, _) => None,
        };
        if let Some((is_annulled, (number, reason))) = self.annuls.zip(annulment) {
            let status = if is_annulled { Status::Confirmed } else { Status::Withdrawn };
            said.push(self.record(number, status, GameAnnulled { reason: reason.clone() }));
        }
        let game = GameName::Given(self.game.as_str().into());
        let event = |body| Event {
            at,
            elapsed_ns: at.mono_ns,
            game: Some(game.clone()),
            publicity: Publicity::Usual,
            body,
        };
        said.into_iter().map(event).collect()
    }

    fn record(&self, record: RecordId, status: Status, finding: impl Into<Finding>) -> Body {
        let finding = finding.into();
        let (laws, name) = (self.laws().unwrap_or_default(), finding.name());
        let case = Case { about: finding.speaks_of(), ..Case::default() };
        Body::Record(Box::new(Recorded {
            record,
            status,
            edition: laws.edition,
            article: name.cited(&laws, &case),
            severity: laws.severity(name),
            window: None,
            fens: None,
            clock: None,
            readings: (0, 0),
            finding,
            of: None,
            seated: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{GameInfo, Numbering};
    use adoube_rules::{GameKind, GameResult};
    use serde_json::{Value, json};
    use std::sync::Arc;

    /// A game that was closed as drawn, and all that was said of it since.
    struct Game(Numbering, Vec<Numbered>);

    impl Game {
        fn new() -> Self {
            let info = GameInfo {
                name: GameName::Given("1-1".into()),
                round: Some(1),
                number: 1,
                variant: GameKind::Chess,
                start: String::new(),
                time_control: None,
                players: Default::default(),
                red_blue: None,
                team_match: None,
            };
            let mut game = Self(Numbering::after(100, 0), Vec::new());
            game.says(Body::GameOpened(Box::new(info)));
            game.says(Body::GameClosed { result: Some(GameResult::Draw) });
            game
        }

        fn says(&mut self, body: Body) {
            let (at, game) = (Stamp::default(), Some(GameName::Given("1-1".into())));
            self.hears(&[Event { at, elapsed_ns: 0, game, publicity: Publicity::Usual, body }]);
        }

        fn hears(&mut self, events: &[Event]) {
            let board: Arc<str> = "1".into();
            self.1.extend(events.iter().map(|event| self.0.number(&board, event)));
        }

        /// What is said to a ruling, in short, or why it is refused.
        fn ruled(&mut self, ruling: &Value) -> Result<Vec<String>, String> {
            let ruled = Ruled::parse(ruling).unwrap();
            let afterwards = Afterwards::new(ruled, "1-1", "fide-2018-standard", &self.1).unwrap();
            let afterwards = afterwards.map_err(|error| error.to_string())?;
            let stored = serde_json::to_string(&afterwards).unwrap();
            assert_eq!(serde_json::from_str::<Afterwards>(&stored).unwrap(), afterwards);
            let before = self.1.len();
            self.hears(&afterwards.events(Stamp::default().at(before as u64)));
            let said = |event: &Numbered| {
                let json = event.json();
                let shown = ["from", "to", "status", "record", "article"].map(|key| json.get(key).cloned());
                let shown: Vec<String> = shown.into_iter().flatten().map(|value| value.to_string()).collect();
                format!("{} {}", event.name(), shown.join(" ")).replace('"', "").trim().to_owned()
            };
            Ok(self.1[before..].iter().map(said).collect())
        }

        fn undo(&mut self, seq: u64) -> Result<Vec<String>, String> {
            self.ruled(&json!({ "name": "undo", "ruling": seq }))
        }
    }

    #[test]
    fn a_game_that_is_annulled_counts_again_when_that_is_undone() {
        let mut game = Game::new();
        let annul = json!({ "name": "annul-game", "reason": "colours-reversed" });
        assert_eq!(
            game.ruled(&annul).unwrap(),
            ["ruled", "result-changed 1/2-1/2 * confirmed 104 8.7", "game-annulled confirmed 105 7.3"]
        );
        let refused = game.ruled(&json!({ "name": "change-result", "value": "1-0" })).unwrap_err();
        assert!(refused.contains("annulled; undo that first"), "{refused}");
        assert_eq!(
            game.undo(103).unwrap(),
            ["ruled", "result-changed * 1/2-1/2 confirmed 107 8.7", "game-annulled withdrawn 105 7.3"]
        );
        assert_eq!(game.undo(106).unwrap()[2], "game-annulled confirmed 105 7.3", "the undoing is undone");
    }

    #[test]
    fn what_was_ruled_last_is_undone_first() {
        let mut game = Game::new();
        let result = |value: &str| json!({ "name": "change-result", "value": value });
        assert_eq!(game.ruled(&result("1-0")).unwrap()[1], "result-changed 1/2-1/2 1-0 confirmed 104 8.7");
        game.ruled(&json!({ "name": "note", "text": "both have signed" })).unwrap();
        assert_eq!(game.ruled(&result("0-1")).unwrap()[1], "result-changed 1-0 0-1 confirmed 107 8.7");
        let refused = game.undo(103).unwrap_err();
        assert!(refused.contains("the last that stands has the number 106"), "{refused}");
        assert_eq!(game.undo(106).unwrap()[1], "result-changed 0-1 1-0 confirmed 109 8.7");
        assert_eq!(game.undo(103).unwrap()[1], "result-changed 1-0 1/2-1/2 confirmed 111 8.7");
        assert!(game.undo(103).is_err());
        for (ruling, why) in [
            (json!({ "name": "result", "value": "1-0" }), "use \"change-result\""),
            (json!({ "name": "change-result", "value": "1-1" }), "10.2"),
            (json!({ "name": "pause" }), "1-1 is closed"),
        ] {
            let refused = game.ruled(&ruling).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn what_was_ruled_before_the_game_was_closed_is_its_tables() {
        let game = Game::new();
        let undo = Ruled::parse(&json!({ "name": "undo", "ruling": 7 })).unwrap();
        assert!(Afterwards::new(undo, "1-1", "", &game.1).is_none());
        let change = Ruled::parse(&json!({ "name": "change-result", "value": "1-0" })).unwrap();
        assert!(Afterwards::new(change, "1-1", "", &game.1[..1]).is_none(), "it is not closed");
    }
}
