//! A game goes on as it was published, although its readings are not all there, or say something else now: another
//! version read them (DESIGN 2.1, rule 7). What was said of it and stands is carried into a table of its own; what
//! happens then is inferred from what the board shows.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::illegal::COMPLETED;
use super::records::Record;
use super::resolution::Resolution;
use super::{Carried, Game, Known, Mode, Table};
use crate::event::finding::{Fields, Finding};
use crate::event::said::{CompletedSaid, GameSaid, MadeSaid};
use crate::event::{Cause, CompletedBy, GameInfo, GameName, Numbered, Said, Status, Times};
use crate::infer::{Published, squares};
use crate::ply::Ply;
use adoube_rules::laws::Name;
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, ms};
use adoube_rules::{Position as _, Variant};

/// A game as it was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TakenOver {
    /// How the board lies under it, degrees.
    turned: u32,
    /// What was said of it and stands, from its opening on.
    said: Vec<Stands>,
    /// The position that an arbiter has set after the last move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    /// From when its times count; none: from when the board was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since_ns: Option<u64>,
}

/// An event, as the journal has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stands(Numbered);

impl Serialize for Stands {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Stands {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        Numbered::from_fields(&fields, None).map(Self).map_err(serde::de::Error::custom)
    }
}

/// Of all that was said of a board, what stands of the game that is open there, from its opening on; nothing if none is
/// open. A disk that failed may have lost moves: none of those that come after them stands, as nobody
/// sees them whom the journal tells. Whether it is all that was said.
fn standing(said: &[Numbered]) -> (Vec<Stands>, bool) {
    let mut stands: Vec<Stands> = Vec::new();
    let (mut plies, mut is_whole) = (Ply::START, true);
    for event in said {
        match &event.said {
            Said::GameOpened(_) | Said::GameClosed(_) => {
                stands.clear();
                (plies, is_whole) = (Ply::START, true);
            }
            Said::GameChanged(_) => stands.retain(|other| !matches!(other.0.said, Said::GameChanged(_))),
            Said::MoveRetracted(gone) => {
                stands.retain(|other| other.ply().is_none_or(|ply| ply < gone.ply));
                plies = plies.min(gone.ply.before());
                continue;
            }
            Said::Record(recorded) => stands.retain(
                |other| !matches!(&other.0.said, Said::Record(before) if before.record == recorded.record),
            ),
            Said::MoveMade(made) if made.ply == plies.next() => plies = made.ply,
            Said::MoveCompleted(completed) if completed.ply <= plies => {}
            Said::MoveMade(_) | Said::MoveCompleted(_) => {
                is_whole = false;
                continue;
            }
            _ => continue,
        }
        if !matches!(event.said, Said::GameClosed(_)) {
            stands.push(Stands(event.clone()));
        }
    }
    let is_open = stands.first().is_some_and(|first| matches!(first.0.said, Said::GameOpened(_)));
    if is_open { (stands, is_whole) } else { (Vec::new(), is_whole) }
}

/// It says that the game is over.
fn is_over(event: &Stands) -> bool {
    let Said::Record(recorded) = &event.0.said else { return false };
    event.0.name() == Name::GameOver && recorded.status == Status::Confirmed
}

impl Stands {
    pub(super) fn said(&self) -> &Said {
        &self.0.said
    }

    pub(super) fn is_made(&self) -> bool {
        matches!(self.0.said, Said::MoveMade(_))
    }

    /// The ply that was made or completed.
    fn ply(&self) -> Option<Ply> {
        match &self.0.said {
            Said::MoveMade(made) => Some(made.ply),
            Said::MoveCompleted(completed) => Some(completed.ply),
            _ => None,
        }
    }
}

fn info_of(name: &str, said: &GameSaid) -> GameInfo {
    GameInfo {
        name: GameName::Given(name.into()),
        round: said.round,
        number: said.number,
        variant: said.variant,
        start: said.start.clone(),
        time_control: said.time_control.clone(),
        players: [said.white.clone(), said.black.clone()],
        red_blue: said.red.clone().zip(said.blue.clone()).map(|others| Box::new(others.into())),
        team_match: said.team_match,
    }
}

fn times(clock: Option<crate::event::finding::BothTimes>) -> Option<Times> {
    clock.map(Times::from)
}

impl Carried {
    /// What was said of the game and stands, if it goes on as it was published.
    pub(crate) fn said(&self) -> impl Iterator<Item = &Numbered> {
        self.taken_over.iter().flat_map(TakenOver::said)
    }
}

impl TakenOver {
    /// What was said of the game and stands, from its opening on.
    pub(super) fn said(&self) -> impl Iterator<Item = &Numbered> {
        self.said.iter().map(|event| &event.0)
    }

    /// Of all that was said of a game, its moves that stand, when they were completed, and what is settled.
    pub(super) fn settled(said: &[Numbered]) -> Vec<Stands> {
        let (mut stands, _) = standing(said);
        stands.retain(|event| match &event.0.said {
            // A threat has passed with the move that met it.
            Said::Record(recorded) => {
                recorded.status != Status::Open && !matches!(recorded.finding, Finding::MateThreat(_))
            }
            _ => event.ply().is_some(),
        });
        stands
    }

    /// The same, as if what is found so had not been.
    pub(super) fn without(mut self, is_left: impl Fn(&Finding) -> bool) -> Self {
        self.said
            .retain(|event| !matches!(&event.0.said, Said::Record(recorded) if is_left(&recorded.finding)));
        self
    }

    /// How many plies were played.
    pub(super) fn plies(&self) -> usize {
        self.said().filter(|event| matches!(event.said, Said::MoveMade(_))).count()
    }

    /// The same with times that do not count from when a board was opened: each board of a game has its own. `table`
    /// has the game, and knows them.
    pub(super) fn by_the_clock_of_the_hall<V: Variant>(mut self, table: &Table<V>) -> Self {
        let Some(game) = &table.scene.game else { return self };
        for event in &mut self.said {
            match &mut event.0.said {
                Said::MoveMade(said) => {
                    let said = Arc::make_mut(said);
                    (said.first_lift_ms, said.made_ms) =
                        (ms(game.tracker.lifted_ns(said.ply)), ms(game.tracker.made_ns(said.ply)));
                }
                Said::MoveCompleted(said) => {
                    let known = game.plies.get(said.ply).and_then(|known| known.completed_ns);
                    Arc::make_mut(said).completed_ms = ms(known.unwrap_or(table.scene.now.mono_ns));
                }
                _ => {}
            }
        }
        self.since_ns = Some(0);
        self
    }
}

impl<V: Variant> Table<V> {
    /// What a table needs that goes on with the game that was published: `said` is all that was said of the board since
    /// some time before it opened, in order; this table has taken its readings, as far as they are there. `None` if no
    /// game is open by what was said, or if something else than play goes on.
    #[must_use]
    pub fn take_over(&self, said: &[Numbered]) -> Option<Carried> {
        // Where the men were set up again, the array tells so once more.
        if !matches!(self.scene.mode(), Mode::Running | Mode::AtHome | Mode::Moved) {
            return None;
        }
        let game = self.as_published(said)?;
        let mut carried = self.all_carried(None);
        // A game that waits for its array waits on.
        if !self.scene.is_waiting() || game.said.iter().any(|event| event.ply().is_some()) {
            carried.taken_over = Some(game);
        }
        Some(carried)
    }

    /// The open game as it was published; `None` if none is by what was said.
    pub(super) fn as_published(&self, said: &[Numbered]) -> Option<TakenOver> {
        let set = self.position_set(said);
        let (said, is_whole) = standing(said);
        let position = set.filter(|_| is_whole);
        let turned = self.scene.game.as_ref().map_or(0, |game| game.turned);
        let goes_on = !said.is_empty() && !said.iter().any(is_over);
        goes_on.then_some(TakenOver { turned, said, position, since_ns: None })
    }

    /// The position that holds because something was ruled after the last move, if the same moves led there.
    fn position_set(&self, said: &[Numbered]) -> Option<String> {
        let is_move = |event: &&Numbered| matches!(event.said, Said::MoveMade(_) | Said::MoveRetracted(_));
        let (last, ruled) =
            (said.iter().rfind(is_move), said.iter().rfind(|event| event.name() == Name::Ruled));
        let (game, _) = self
            .scene
            .game
            .as_ref()
            .zip(ruled.filter(|ruled| last.is_none_or(|last| last.seq < ruled.seq)))?;
        let plies = match last.map(|event| &event.said) {
            Some(Said::MoveMade(made)) => made.ply,
            Some(Said::MoveRetracted(gone)) => gone.ply.before(),
            _ => Ply::START,
        };
        (game.tracker.plies() == plies).then(|| game.tracker.best().fen())
    }

    /// Goes on with the game as it was published.
    pub(super) fn goes_on_as_published(&mut self, TakenOver { turned, said, position, since_ns }: TakenOver) {
        let (mut info, mut made, mut completed, mut records) = (None, Vec::new(), Vec::new(), Vec::new());
        for event in said.iter().map(|event| &event.0) {
            match &event.said {
                Said::GameOpened(said) | Said::GameChanged(said) => {
                    info = event.game.as_deref().map(|name| info_of(name, said));
                }
                Said::MoveMade(said) => made.push(said),
                Said::MoveCompleted(said) => completed.push(said),
                Said::Record(recorded) => {
                    records.push(Record::taken_over(recorded, squares_of::<V>(&recorded.finding)));
                }
                _ => {}
            }
        }
        let usual = self.scene.setting.agreed.as_ref().unwrap_or(&self.scene.setting.usual);
        let Some((info, start)) = info.and_then(|info| {
            let start = V::read(&info.start, usual).ok()?;
            Some((info, start))
        }) else {
            return;
        };
        self.scene.paired.waits_no_more();
        self.begin(start, turned, &mut Vec::new());
        records.sort_by_key(|record: &Record| record.number);
        self.records.take_over(records);
        self.resolution = Resolution::taken_over(&self.records);
        let is_started = !made.is_empty() || self.records.iter().any(|said| said.name() == Name::GameStarted);
        self.scene.timing.is_started |= is_started;
        let since_ns = since_ns.unwrap_or(self.scene.opened_ns);
        let mut known: Vec<Known> =
            made.iter().map(|made| self.known_of(made, &completed, since_ns)).collect();
        // What told that it was completed may be lost: its player's next move has completed it since (6.2.1.2).
        let next_moves = made.iter().skip(2).filter(|_| self.scene.profile.retro_completion);
        for (known, next) in known.iter_mut().zip(next_moves) {
            known.completed_ns.get_or_insert(since_ns + next.made_ms * MS);
            known.completed_by.get_or_insert(CompletedBy::NextMove);
        }
        let at_ns = self.scene.now.mono_ns;
        let Some(game) = &mut self.scene.game else { return };
        game.info = Some(Box::new(GameInfo { variant: self.scene.setting.variant, ..info }));
        game.is_started = is_started;
        for (made, known) in made.iter().zip(known) {
            let published = published::<V>(game, made, since_ns);
            if !game.tracker.takes_over(published) {
                break;
            }
            if known.completed_by == Some(CompletedBy::Press) {
                game.tracker.was_pressed(made.ply, at_ns);
            }
            game.plies.push(known);
        }
        let set = position.and_then(|position| V::read(&position, game.tracker.best()).ok());
        if let Some(set) = set.filter(|set| set.fen() != game.tracker.best().fen()) {
            game.tracker.revise(set);
        }
        // One that was not completed may not have been judged yet.
        let last = game.plies.last();
        let is_judged = game.plies.newest().is_none_or(|known| known.completed_ns.is_some());
        if let Some(known) = game.plies.get_mut(last) {
            known.is_judged = is_judged;
        }
        game.tracker.stands_as_taken_over(is_judged, at_ns);
        self.push_history();
    }

    /// What the board shows otherwise than the game has it is seen when it shows it again.
    pub(super) fn shows_what_was_published(&mut self) {
        let Some(game) = self.scene.game.as_ref().filter(|_| !self.scene.sensed.is_empty()) else { return };
        let position = game.tracker.best();
        for square in squares::<V>() {
            let sensed = V::turned(square, (360 - game.turned) % 360);
            self.scene.sensed[sensed] = self.scene.view.see(position.content(square));
        }
    }

    /// What is known of the ply that was announced as `made`.
    fn known_of(&self, made: &MadeSaid, completed: &[&Arc<CompletedSaid>], since_ns: u64) -> Known {
        let completed = completed.iter().rfind(|completed| completed.ply == made.ply);
        let is_its = |record: &&Record| {
            let is_breach = COMPLETED.contains(&record.name()) || record.name() == Name::RecordGap;
            record.key.ply == made.ply && is_breach
        };
        Known {
            clock: times(completed.and_then(|completed| completed.clock).or(made.clock)),
            completed_ns: completed.map(|completed| since_ns + completed.completed_ms * MS),
            completed_by: completed.map(|completed| completed.by),
            illegal: self.records.iter().find(is_its).filter(|_| !made.legal).map(|record| record.number),
            is_held: false,
            made: None,
            is_recovered: made.cause == Cause::Recovered,
            is_judged: true,
        }
    }
}

/// The squares that a finding names.
fn squares_of<V: Variant>(finding: &Finding) -> Vec<Square> {
    let mut fields = Fields::new();
    finding.write(&mut fields);
    let names = match (fields.get("squares"), fields.get("square")) {
        (Some(Value::Array(names)), _) => names.as_slice(),
        (_, Some(name)) => std::slice::from_ref(name),
        _ => &[],
    };
    names.iter().filter_map(|name| V::FAMILY.square(name.as_str()?)).collect()
}

/// A ply as the tracker takes it over: a legal move, or the position that stood after it.
fn published<V: Variant>(game: &Game<V>, made: &MadeSaid, since_ns: u64) -> Published<V> {
    let position = game.tracker.best();
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    // Where a position was set in between, no move leads there.
    let is_it = |mv: V::Move| position.played(mv).uci() == made.uci && position.play(mv).fen() == made.fen;
    let mv = moves.into_iter().find(|&mv| made.legal && is_it(mv));
    Published {
        mv,
        position: V::read(&made.fen, position).ok(),
        first_lift_ns: since_ns + made.first_lift_ms * MS,
        made_ns: since_ns + made.made_ms * MS,
        is_recovered: made.cause == Cause::Recovered,
    }
}
