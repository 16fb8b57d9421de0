//! The numbers that the journal gives to events, in one place for the daemon and for `replay`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;

use super::finding::Fields;
use super::said::{self, Millis, Said};
use super::{Body, Event, GameName, Publicity, RecordId};
use crate::ruling::{About, Ruled, RulingError, inapplicable};
use adoube_rules::laws::Name;

/// An event with its place in the journal: what the desk, the journal and NATS have of it (DESIGN 5.3).
#[derive(Debug, Clone, PartialEq)]
pub struct Numbered {
    /// Gapless over all boards.
    pub seq: u64,
    /// Gapless among public events; `None` if it is not public, or goes out later with another one.
    pub public_id: Option<u64>,
    /// So many public numbers before its own belong to events that go out with it.
    pub releases: u32,
    /// When it was decided, RFC 3339.
    pub at: Arc<str>,
    /// The same, since the board was opened.
    pub t_ms: Millis,
    /// Whose board it is from.
    pub board: Arc<str>,
    /// Its game.
    pub game: Option<Arc<str>>,
    /// What it says.
    pub said: Said,
    /// It is on disk.
    pub is_durable: bool,
}

/// The fields that every event has but for its number.
pub(super) fn envelope(
    at: &str,
    t_ms: Millis,
    board: &str,
    game: Option<&str>,
    name: Name,
    fields: &mut Fields,
) {
    fields.insert("at".into(), at.into());
    fields.insert("t_ms".into(), serde_json::to_value(t_ms).unwrap_or_default());
    fields.insert("board".into(), board.into());
    fields.insert("game".into(), game.into());
    fields.insert("type".into(), name.into());
    fields.insert("kind".into(), name.row().kind.into());
}

impl Numbered {
    /// Reads an event back from the JSON that the journal holds.
    ///
    /// # Errors
    /// The field that is missing or of the wrong kind.
    pub fn from_json(text: &str, public_id: Option<u64>) -> Result<Self, String> {
        let fields: Fields = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Self::from_fields(&fields, public_id)
    }

    pub(crate) fn from_fields(fields: &Fields, public_id: Option<u64>) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Envelope {
            seq: u64,
            at: Arc<str>,
            t_ms: Millis,
            board: Arc<str>,
            game: Option<Arc<str>>,
            #[serde(rename = "type")]
            name: Name,
            durable: Option<bool>,
        }
        let Envelope { seq, at, t_ms, board, game, name, durable } = said::read(fields)?;
        let said = Said::read(name, fields).map_err(|error| format!("{name}: {error}"))?;
        let is_durable = durable.unwrap_or(true);
        Ok(Self { seq, public_id, releases: 0, at, t_ms, board, game, said, is_durable })
    }

    /// Its type.
    #[must_use]
    pub fn name(&self) -> Name {
        self.said.name()
    }

    /// The whole object, envelope included.
    #[must_use]
    pub fn json(&self) -> Fields {
        let mut fields = Fields::new();
        fields.insert("seq".into(), self.seq.into());
        envelope(&self.at, self.t_ms, &self.board, self.game.as_deref(), self.name(), &mut fields);
        self.said.write(&mut fields);
        if !self.is_durable {
            fields.insert("durable".into(), false.into());
        }
        fields
    }

    /// The JSON on one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(&self.json()).unwrap_or_default()
    }
}

/// Gives out `seq`, public numbers and record numbers.
///
/// A table numbers its records by itself, because it knows nothing of other boards; here each of
/// them becomes the `seq` of the event that opened it.
#[derive(Debug, Clone, Default)]
pub struct Numbering {
    last_seq: u64,
    last_public: u64,
    records: BTreeMap<(Arc<str>, RecordId), RecordId>,
    /// The `ruled` events of each board, in order: a table counts its rulings.
    rulings: BTreeMap<Arc<str>, Vec<u64>>,
    /// Names of games without a pairing, by board and the table's own number.
    games: BTreeMap<(Arc<str>, u32), Arc<str>>,
    /// The records that tables have taken over, which have no other number there.
    taken_over: BTreeSet<(Arc<str>, RecordId)>,
    /// The last free number of each day (`20260501`).
    free: BTreeMap<String, u32>,
}

impl Numbering {
    /// Goes on after these numbers; nothing that was said is said again under another one.
    #[must_use]
    pub fn after(last_seq: u64, last_public: u64) -> Self {
        Self { last_seq, last_public, ..Self::default() }
    }

    /// The last `seq` and the last public number given out, 0 for none.
    #[must_use]
    pub fn last(&self) -> (u64, u64) {
        (self.last_seq, self.last_public)
    }

    /// The name of the game without a pairing that the table of `board` calls by `number`.
    #[must_use]
    pub fn free_game(&self, board: &Arc<str>, number: u32) -> Option<Arc<str>> {
        self.games.get(&(Arc::clone(board), number)).cloned()
    }

    /// Forgets the records and free games of `board`: its table starts afresh, or goes on with a game of which
    /// nothing was played and whose name it knows.
    pub fn reopen(&mut self, board: &Arc<str>) {
        self.records.retain(|(of, _), _| of != board);
        self.rulings.remove(board);
        self.games.retain(|(of, _), _| of != board);
    }

    /// A stored event of `game`: if that is a free one, its name is taken.
    pub fn seen(&mut self, game: Option<&str>) {
        let Some(name) = game else { return };
        if let Some((day, number)) = name.strip_prefix("free-").and_then(|name| name.split_once('-')) {
            let last = self.free.entry(day.to_owned()).or_default();
            *last = (*last).max(number.parse().unwrap_or(0));
        }
    }

    /// The table of `board` goes on with a record that it did not open.
    pub fn carry(&mut self, board: &Arc<str>, record: RecordId) {
        self.taken_over.insert((Arc::clone(board), record));
    }

    /// Takes over what a stored event was called, when a journal is read back: `event` is what the core of `board`
    /// decided again, `seq` and `game` are what the journal has of it.
    pub fn recall(&mut self, board: &Arc<str>, event: &Event, seq: u64, game: Option<&str>) {
        self.seen(game);
        if let Body::Record(recorded) = &event.body {
            self.opened(board, recorded.record, seq);
        }
        if let Body::Ruled(_) = &event.body {
            self.rulings.entry(Arc::clone(board)).or_default().push(seq);
        }
        if let (Some(GameName::Free(number)), Some(name)) = (&event.game, game) {
            self.games.entry((Arc::clone(board), *number)).or_insert_with(|| name.into());
        }
    }

    /// Takes over what another one recalled of its boards.
    pub fn take_over(&mut self, other: Self) {
        self.records.extend(other.records);
        self.taken_over.extend(other.taken_over);
        self.rulings.extend(other.rulings);
        self.games.extend(other.games);
        for (day, number) in other.free {
            let last = self.free.entry(day).or_default();
            *last = (*last).max(number);
        }
    }

    /// `ruled` as the table of `board` takes it: records, touches and rulings that it calls by their
    /// `seq` have other numbers there.
    ///
    /// # Errors
    /// [`RulingError::Inapplicable`] if nothing of that board has such a number.
    pub fn own(&self, board: &Arc<str>, mut ruled: Ruled) -> Result<Ruled, RulingError> {
        let Some((about, number)) = ruled.ruling.refers() else { return Ok(ruled) };
        let seq = *number;
        let own = match about {
            About::Ruling => {
                let place =
                    self.rulings.get(board).and_then(|ruled| ruled.iter().position(|known| *known == seq));
                place.map(|place| place as u64 + 1)
            }
            About::Record | About::Touch => {
                let ends = [0, u64::MAX].map(|number| (Arc::clone(board), RecordId(number)));
                let [first, last] = ends;
                let mut of_board = self.records.range(first..=last);
                let opened = of_board.find(|(_, known)| known.0 == seq).map(|((_, own), _)| own.0);
                let is_taken_over = self.taken_over.contains(&(Arc::clone(board), RecordId(seq)));
                opened.or_else(|| is_taken_over.then(|| RecordId(seq).in_journal().0))
            }
        };
        let Some(own) = own else {
            let what = format!("nothing on this board has the {} number {seq}", about.argument());
            return Err(ruled.ruling.refused(inapplicable(what)));
        };
        *number = own;
        Ok(ruled)
    }

    /// The `seq` of the record that a table calls by `own`.
    fn seq_of(&self, board: &Arc<str>, own: RecordId) -> Option<RecordId> {
        own.taken_over().or_else(|| self.records.get(&(Arc::clone(board), own)).copied())
    }

    /// The event `seq` says what there is of a record: it is called so, if it was not said before.
    fn opened(&mut self, board: &Arc<str>, own: RecordId, seq: u64) {
        match own.taken_over() {
            // Of a game that has come from another board.
            Some(known) => drop(self.taken_over.insert((Arc::clone(board), known))),
            None => drop(self.records.entry((Arc::clone(board), own)).or_insert(RecordId(seq))),
        }
    }

    /// `ruled`, which a table took, as others know it: what it refers to has its `seq`.
    fn by_seq(&self, board: &Arc<str>, ruled: &Ruled) -> Ruled {
        let mut ruled = ruled.clone();
        if let Some((about, number)) = ruled.ruling.refers() {
            let seq = match about {
                About::Ruling if RecordId(*number).taken_over().is_some() => {
                    RecordId(*number).taken_over().map(|seq| seq.0)
                }
                About::Ruling => {
                    let place = usize::try_from(*number).ok().and_then(|own| own.checked_sub(1));
                    place.and_then(|place| self.rulings.get(board)?.get(place).copied())
                }
                About::Record | About::Touch => self.seq_of(board, RecordId(*number)).map(|seq| seq.0),
            };
            *number = seq.unwrap_or(*number);
        }
        ruled
    }

    fn game(&mut self, board: &Arc<str>, event: &Event) -> Option<Arc<str>> {
        match event.game.as_ref()? {
            GameName::Given(name) => Some(Arc::clone(name)),
            GameName::Free(number) => {
                let free = &mut self.free;
                let name = self.games.entry((Arc::clone(board), *number)).or_insert_with(|| {
                    let day = event.at.rfc3339()[..10].replace('-', "");
                    let last = free.entry(day.clone()).or_default();
                    *last += 1;
                    format!("free-{day}-{last}").into()
                });
                Some(Arc::clone(name))
            }
        }
    }

    /// Numbers `event` of `board`.
    pub fn number(&mut self, board: &Arc<str>, event: &Event) -> Numbered {
        self.last_seq += 1;
        let mut numbered = self.render(board, event, self.last_seq);
        if let Body::Ruled(_) = &event.body {
            self.rulings.entry(Arc::clone(board)).or_default().push(self.last_seq);
        }
        if let Publicity::Releases(count) = event.publicity {
            numbered.releases = count;
        }
        if numbered.said.is_public() && event.publicity != Publicity::Withheld {
            self.last_public += u64::from(numbered.releases) + 1;
            numbered.public_id = Some(self.last_public);
        }
        numbered
    }

    /// Gives out a number to an event that nobody will read.
    pub fn pass_over(&mut self) {
        self.last_seq += 1;
    }

    /// `event` under the number `seq`, without giving out a number.
    pub fn render(&mut self, board: &Arc<str>, event: &Event, seq: u64) -> Numbered {
        let mut said = event.body.said();
        match &mut said {
            // What is ruled afterwards no table has numbered.
            Said::Ruled(ruled) if matches!(event.body, Body::Ruled(_)) => **ruled = self.by_seq(board, ruled),
            Said::Record(recorded) => {
                self.opened(board, recorded.record, seq);
                recorded.each_record(&mut |own| *own = self.seq_of(board, *own).unwrap_or(*own));
            }
            _ => {}
        }
        Numbered {
            seq,
            public_id: None,
            releases: 0,
            at: event.at.rfc3339().into(),
            t_ms: Millis::of_ns(event.elapsed_ns),
            board: Arc::clone(board),
            game: self.game(board, event),
            said,
            is_durable: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value, json};

    use crate::event::finding::{BoardDisconnected, PressedDuringDisplacement, SetPosition};
    use crate::event::{Finding, OfRecord, Recorded, Status};
    use crate::ply::Ply;
    use crate::ruling::{Field, Shape};
    use adoube_rules::sensor::Side;
    use adoube_rules::stamp::Stamp;

    fn event(body: Body) -> Event {
        Event { at: Stamp::default(), elapsed_ns: 0, game: None, publicity: Publicity::Usual, body }
    }

    fn record(number: u64) -> Event {
        finding(number, BoardDisconnected {})
    }

    fn finding(number: u64, finding: impl Into<Finding>) -> Event {
        event(Body::Record(Box::new(Recorded::of(RecordId(number), Status::Open, finding))))
    }

    fn ruling(json: &Value) -> Ruled {
        Ruled::parse(json).unwrap()
    }

    #[test]
    fn payloads_call_records_by_seq() {
        let board: Arc<str> = "1".into();
        let mut numbering = Numbering::after(100, 0);
        numbering.number(&board, &record(1)); // 101
        let displaced = RecordId(1);
        let found =
            PressedDuringDisplacement { by: Side::White, ply: Ply::FIRST, displaced, clock_before: None };
        let said = numbering.number(&board, &finding(2, found)).json();
        assert_eq!(["record", "displaced", "ply"].map(|key| said[key].as_u64()), [102, 101, 1].map(Some));
        let mut proposal = Recorded::of(RecordId(3), Status::Open, SetPosition { fen: String::new() });
        proposal.of = Some(OfRecord { of: Name::BoardDisconnected, of_record: RecordId(1) });
        let said = numbering.number(&board, &event(Body::Record(Box::new(proposal)))).json();
        assert_eq!(
            (said["of_record"].as_u64(), said["of"].as_str()),
            (Some(101), Some("board-disconnected"))
        );
    }

    #[test]
    fn the_event_of_every_ruling_keeps_its_envelope() {
        let board: Arc<str> = "1".into();
        let mut numbering = Numbering::after(100, 0);
        let plain = numbering
            .number(&board, &event(Body::Ruled(Box::new(ruling(&json!({ "name": "draw-agreed" }))))));
        let envelope = ["at", "t_ms", "board", "game", "type", "kind"];
        for form in crate::ruling::FORMS {
            let name = form.name;
            let given = |field: &Field| match field.shape {
                Shape::Text => json!("given"),
                Shape::Choice(choices) => json!(choices[0]),
                Shape::Whole | Shape::Signed | Shape::Event | Shape::Amount => json!(0),
                Shape::Names => json!(["given"]),
            };
            let mut object =
                Map::from_iter([("name".to_owned(), name.into()), ("by".to_owned(), "arbiter".into())]);
            let fields = form.fields.iter().filter(|field| field.name != "by");
            object.extend(fields.clone().map(|field| (field.name.to_owned(), given(field))));
            let ruling = ruling(&Value::Object(object.clone()));
            let said = numbering.number(&board, &event(Body::Ruled(Box::new(ruling))));
            assert_eq!(said.json()["seq"], said.seq, "{name}");
            for key in envelope {
                assert_eq!(said.json()[key], plain.json()[key], "{key} of {name}");
            }
            assert_eq!((&said.json()["name"], &said.json()["by"]), (&json!(name), &json!("arbiter")));
            // Nothing of what was ruled is lost.
            for field in fields {
                let argument = field.name;
                let is_taken = argument == "seq" || envelope.contains(&argument);
                let told = if is_taken { format!("argument_{argument}") } else { argument.to_owned() };
                assert_eq!(said.json()[&told], given(field), "{argument} of {name}");
            }
        }
    }

    #[test]
    fn a_ruling_calls_records_by_seq_and_the_table_by_its_own_numbers() {
        let [one, two]: [Arc<str>; 2] = ["1".into(), "2".into()];
        let mut numbering = Numbering::after(100, 0);
        numbering.number(&one, &record(1)); // 101
        numbering.number(&two, &record(1)); // 102
        numbering.number(&two, &record(2)); // 103
        let confirm = ruling(&json!({ "name": "confirm", "record": 103 }));
        let own = numbering.own(&two, confirm.clone()).unwrap();
        assert_eq!(own.to_json()["record"], 2);
        let said = numbering.number(&two, &event(Body::Ruled(Box::new(own)))); // 104
        assert_eq!(said.json()["record"], 103, "whoever reads it knows it by its seq as well");
        let undo = ruling(&json!({ "name": "undo", "ruling": 104 }));
        assert_eq!(numbering.own(&two, undo.clone()).unwrap().to_json()["ruling"], 1);
        // Another board's, or none at all.
        let refused = numbering.own(&one, confirm).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "ruling \"confirm\" cannot apply: nothing on this board has the record number 103"
        );
        assert!(numbering.own(&one, undo).is_err());
        // A struck touch does not take the place of the event's own number.
        let strike = numbering.own(&two, ruling(&json!({ "name": "strike-touch", "seq": 102 }))).unwrap();
        let said = numbering.number(&two, &event(Body::Ruled(Box::new(strike)))); // 105
        assert_eq!((&said.json()["seq"], &said.json()["argument_seq"]), (&json!(105), &json!(102)));
        // By its type, or about no event: as it is.
        let named = ruling(&json!({ "name": "confirm", "record": "claim-threefold" }));
        assert_eq!(numbering.own(&two, named.clone()), Ok(named));
        // After a restart the numbers are those of the journal.
        let mut restarted = Numbering::after(105, 0);
        restarted.recall(&two, &record(2), 103, None);
        assert_eq!(
            restarted.own(&two, ruling(&json!({ "name": "reject", "record": 103 }))).unwrap().to_json()["record"],
            2
        );
    }
}
