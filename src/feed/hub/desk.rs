//! What the desk's hub keeps beside the games: records, and what is told aside.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::snapshot::Kept;
use super::{Beside, Hub, Told};
use super::{HEARD, PAIRINGS};
use crate::feed::records::{Record, Records};
use adoube_core::event::Numbered;

/// What the arbiter is shown beside the games.
#[derive(Debug, Default)]
pub struct DeskSide {
    records: Records,
    /// What was last told aside, by board and name.
    told: BTreeMap<(String, &'static str), Map<String, Value>>,
}

impl Beside<Numbered> for DeskSide {
    fn take(&mut self, event: &Numbered) {
        self.records.apply(event);
    }

    fn snapshot(&self) -> Map<String, Value> {
        let records: Vec<&Record> = self.records.all().collect();
        Map::from_iter([("records".to_owned(), json!(records))])
    }

    fn board(&self, board: &str) -> Map<String, Value> {
        let mut shown = Map::new();
        let told = |name| self.told.get(&(board.to_owned(), name));
        if let Some(json) =
            told(READINESS).filter(|json| json.get("ready").is_some_and(|ready| !ready.is_null()))
        {
            shown.insert(READINESS.to_owned(), Value::Object(json.clone()));
        }
        let stage = told(READINESS).and_then(|json| json.get("stage"));
        if let Some(stage) = stage.filter(|stage| !stage.is_null()) {
            shown.insert("stage".to_owned(), stage.clone());
        }
        if let Some(json) = told(PLAY) {
            shown.insert(PLAY.to_owned(), Value::Object(json.clone()));
        }
        if let Some(json) =
            told(ALTERNATIVES).filter(|json| json.get("doubtful_ply").is_some_and(|ply| !ply.is_null()))
        {
            let fields = ["doubtful_ply", "alternatives"];
            shown.extend(fields.map(|key| (key.to_owned(), json.get(key).cloned().unwrap_or_default())));
        }
        shown
    }

    fn forget(&mut self, board: &str) {
        self.told.retain(|(of, _), _| of != board);
    }

    fn told(&self) -> Vec<Told<'_>> {
        self.told.iter().map(|((_, name), json)| Told { name, json }).collect()
    }
}

/// What is told of a board before a game; its `ready` is null while one is under way.
pub const READINESS: &str = "readiness";

/// A game against somebody who does not sit at the board (`play`): what its player has to do.
pub const PLAY: &str = "play";

/// A board was added while the hall is open, or taken away: its `here` says which.
pub const BOARDS: &str = "boards";

/// How the journal is, `ok` or `degraded`: as long as its disk hangs it cannot say so itself.
pub const JOURNAL: &str = "journal";

/// All that is told aside.
pub const ASIDES: [&str; 7] = [ALTERNATIVES, READINESS, PLAY, BOARDS, JOURNAL, PAIRINGS, HEARD];

/// Moves that a ply could have been ([`crate::feed::alternatives`]).
pub const ALTERNATIVES: &str = "alternatives";

// Only the desk has records and is told anything aside: a public hub has no place for either.
impl Hub<Numbered> {
    /// Tells something of `board` that is no event: how it stands, not what happened.
    pub fn tell(&self, name: &'static str, board: &str, json: Map<String, Value>) {
        self.with(|inner| {
            self.send_aside(inner, name, &json);
            inner.beside.told.insert((board.to_owned(), name), json);
        });
    }

    /// The table of `board` begins afresh.
    pub fn reopen(&self, board: &str) {
        self.with(|inner| {
            inner.beside.records.reopen(board);
            inner.kept.iter_mut().for_each(Kept::forget);
        });
    }

    /// The records that `choose` chooses, in the order in which they were opened.
    pub fn records(&self, choose: impl Fn(&Record) -> bool) -> Vec<Record> {
        self.with(|inner| inner.beside.records.all().filter(|record| choose(record)).cloned().collect())
    }

    /// The records of one board that wait for the arbiter, and what is told of it aside.
    pub fn of_board(&self, board: &str) -> (Vec<Record>, Map<String, Value>) {
        let is_its = |record: &Record| *record.event.board == *board;
        self.with(|inner| {
            let its = inner.beside.records.all().filter(|record| is_its(record)).cloned().collect();
            (its, inner.beside.board(board))
        })
    }

    /// What was told aside under that name, of all boards.
    pub fn told(&self, name: &str) -> Vec<Map<String, Value>> {
        self.with(|inner| {
            let told = inner.beside.told.iter().filter(|((_, of), _)| *of == name);
            told.map(|(_, json)| json.clone()).collect()
        })
    }

    /// A record that is kept.
    #[must_use]
    pub fn record(&self, number: u64) -> Option<Record> {
        self.with(|inner| inner.beside.records.get(number).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::hub::{About, DeskHub, Moves};
    use adoube_core::event::testing::numbered;

    #[test]
    fn a_snapshot_holds_the_records_and_what_was_told() {
        let hub = DeskHub::default();
        hub.add_board("7");
        hub.push(&numbered(json!({ "type": "board-disconnected", "status": "open", "board": "7" })));
        hub.tell(READINESS, "7", Map::from_iter([("ready".to_owned(), json!(true))]));
        let about = About::default();
        let text = hub.snapshot(&about, Moves::All).text();
        let snapshot: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(snapshot["records"][0]["type"], "board-disconnected");
        assert_eq!(snapshot["boards"][0]["readiness"]["ready"], true);
        assert_eq!(snapshot["boards"][0].get("alternatives"), None);
        assert!(hub.record(1).unwrap().is_open());
    }

    #[test]
    fn a_list_of_boards_needs_a_kilobyte_for_each() {
        let hub = DeskHub::default();
        let mut seq = 0;
        let mut push = |board: usize, name: &str, json: Value| {
            seq += 1;
            let mut event =
                json!({ "type": name, "board": board.to_string(), "game": format!("1-{board}"), "seq": seq });
            event.as_object_mut().unwrap().extend(json.as_object().unwrap().clone());
            hub.push(&numbered(event));
        };
        for board in 1..=100 {
            let player = json!({ "name": "Surname, Forename", "elo": 2_000, "federation": "GRE" });
            push(
                board,
                "game-opened",
                json!({ "number": board, "round": 1, "variant": "chess",
                "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "white": player, "black": player }),
            );
            for ply in 1..=80 {
                push(
                    board,
                    "move-made",
                    json!({ "ply": ply, "side": "white", "san": "Nxe5", "uci": "f3e5",
                    "fen": "r1bqkb1r/pppp1ppp/2n2n2/4N3/4P3/8/PPPP1PPP/RNBQKB1R b KQkq - 0 4", "made_ms": ply * 30_000,
                    "clock": { "white_ms": 5_400_000, "black_ms": 5_400_000 } }),
                );
            }
        }
        let about = About::default();
        let last = hub.snapshot(&about, Moves::Last).text();
        let shown: Value = serde_json::from_str(&last).unwrap();
        let game = &shown["boards"][99]["game"];
        assert_eq!((&game["plies"], &game["moves"][0]["ply"]), (&json!(80), &json!(80)));
        assert!(last.len() < 100 * 1_000, "{} bytes", last.len());
        assert!(hub.snapshot(&about, Moves::All).text().len() > 15 * last.len());
    }
}
