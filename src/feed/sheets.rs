//! The games of a hub as PGN, each written again only when it has changed, and how they lie in files.
//!
//! Files, HTTP and Lichess show the same sheets. A look at the hub takes copies of those games that have changed
//! and nothing more: whoever waits for the hub does not wait for PGN.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use super::hub::{Hub, Outgoing};
use super::parts::LivePgn;
use super::pgn::{self, EventTags};
use super::unseen::Unseen;
use super::view::{GameView, HallView};

/// The file of a folder in which all of its games are.
pub const ALL_GAMES: &str = "games.pgn";

/// As soon as that an arbiter who bears plies out sees it.
const LOOK: Duration = Duration::from_secs(1);

/// What live PGN shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// What the tags say about the event.
    pub tags: EventTags,
    /// What there is of a game that is not one line of legal moves.
    pub live: LivePgn,
    /// Its last move, or only once that stands.
    pub publish_at: PublishAt,
    /// Moves that nobody saw are marked.
    pub marks_recovered: bool,
}

impl Default for Shown {
    fn default() -> Self {
        let (tags, live, publish_at) = Default::default();
        Self { tags, live, publish_at, marks_recovered: true }
    }
}

/// Which moves a feed shows: whoever follows a game at Lichess stays with a move that is taken back (DESIGN 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishAt {
    /// Every move that was published.
    Made,
    /// Those that stand: they were completed, answered, or not taken back for [`STANDS`].
    #[default]
    Stands,
    /// Those that were completed, or answered by one that was.
    Completed,
}

/// As long as a piece has to rest until its move stands (`release_dwell_ms`): it rests before its move is published.
pub const STANDS: Duration = Duration::from_millis(1_500);

impl PublishAt {
    /// Takes the last moves out of `game` that are not to be shown yet; the last one was let out at `made`, if not long ago.
    /// How long it is until they may be.
    fn hold(self, game: &mut GameView, made: Option<Instant>) -> Option<Duration> {
        // What ended a game stands.
        if game.closed || game.result != "*" {
            return None;
        }
        let moves = game.moves.all();
        let completed = moves.iter().rposition(|mv| mv.completed).map_or(0, |at| at + 1);
        let (shown, wait) = match self {
            Self::Made => return None,
            Self::Completed => (completed, Duration::MAX),
            Self::Stands => (moves.len().saturating_sub(1), STANDS.checked_sub(made?.elapsed())?),
        };
        if shown >= moves.len() || completed == moves.len() {
            return None;
        }
        game.moves.edit().truncate(shown);
        game.threats.clear();
        Some(wait)
    }
}

/// A game as PGN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// Its name.
    pub game: String,
    /// Its round, if there is one.
    pub round: Option<u32>,
    /// Its number in the round, or of the day.
    pub number: u32,
    /// Its parts, each a game of PGN.
    pub parts: Vec<PartSheet>,
    /// Everybody who plays has a name.
    pub is_named: bool,
    /// It is of four players: what it says is a record, and no PGN of chess.
    pub is_of_four: bool,
    /// It does not count.
    pub is_annulled: bool,
    /// `round-5`, or the day of a game without a round: `free-20260501`.
    pub folder: String,
    /// Its place in the order in which games were opened.
    opened: usize,
    /// Its round is not open yet: nobody plays.
    pub is_to_come: bool,
    /// Its round is open, and it has not begun.
    is_awaited: bool,
    /// It is of no round, and nobody has moved.
    is_untouched: bool,
    /// Moves are made, and it has no result.
    pub is_played: bool,
    revision: u64,
}

/// A part of a game as PGN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSheet {
    /// Its `GameId`.
    pub id: Arc<str>,
    /// Tags, moves, and a blank line.
    pub text: Arc<str>,
    /// Live PGN shows it.
    pub is_shown: bool,
}

impl Sheet {
    fn new(game: &GameView, shown: &Shown) -> Self {
        let texts = pgn::texts(game, &shown.tags, shown.marks_recovered);
        let count = texts.len();
        let part = |(index, part): (usize, pgn::PartText)| PartSheet {
            id: part.id.into(),
            text: part.text.into(),
            is_shown: shown.live.shows(index, count),
        };
        Self {
            game: game.game.clone(),
            round: game.round,
            number: game.number,
            parts: texts.into_iter().enumerate().map(part).collect(),
            is_named: game.is_named(),
            is_of_four: game.is_of_four(),
            is_annulled: game.annulled,
            folder: folder(game),
            opened: game.place,
            is_to_come: game.awaited && !game.is_in_open_round,
            is_awaited: game.awaited && game.is_in_open_round,
            is_untouched: game.round.is_none() && game.moves.is_empty(),
            is_played: !game.moves.is_empty() && game.result == "*" && !game.closed,
            revision: game.revision,
        }
    }

    /// The parts that live PGN shows.
    #[must_use]
    pub fn shown(&self) -> String {
        self.parts.iter().filter(|part| part.is_shown).map(|part| &*part.text).collect()
    }
}

fn folder(game: &GameView) -> String {
    game.round.map_or_else(
        || game.game.rsplit_once('-').map_or("free", |(day, _)| day).to_owned(),
        |round| format!("round-{round}"),
    )
}

/// The sheets of a hub.
#[derive(Debug)]
pub struct Sheets {
    shown: Shown,
    /// The epoch that the games are of.
    epoch: String,
    games: BTreeMap<String, Sheet>,
    /// What holds back plies that nobody saw, and the games of which some wait.
    unseen: Option<Unseen>,
    held: BTreeSet<String>,
    /// When the first of those is to be looked at again.
    look: Duration,
}

impl Sheets {
    /// None yet.
    #[must_use]
    pub fn new(shown: Shown) -> Self {
        Self {
            shown,
            epoch: String::new(),
            games: BTreeMap::new(),
            unseen: None,
            held: BTreeSet::new(),
            look: Duration::MAX,
        }
    }

    /// None yet; plies that nobody saw are held back.
    pub(crate) fn holding(shown: Shown, unseen: Option<Unseen>) -> Self {
        Self { unseen, ..Self::new(shown) }
    }

    /// Plies wait for which nothing in the hub changes when they may be shown: it is to be looked at again before long.
    #[must_use]
    pub(crate) fn next_look(&self) -> Duration {
        self.look
    }

    /// Nothing is held back any more: it is the last look.
    pub(crate) fn release(&mut self) {
        self.unseen = None;
        self.shown.publish_at = PublishAt::Made;
        self.games.values_mut().for_each(|sheet| sheet.revision = u64::MAX);
    }

    /// Writes those that have changed; gives the folders in which something is different now and every game is known.
    pub fn update<E: Outgoing>(&mut self, hub: &Hub<E>) -> BTreeSet<String> {
        let mut touched = self.forget_gone(hub);
        let (known, held) = (&self.games, &self.held);
        self.look = Duration::MAX;
        let (changed, fresh, incomplete) = hub.with_fresh(|view, fresh| {
            let is_old = |game: &GameView| {
                let is_same = |sheet: &Sheet| sheet.revision == game.revision;
                known.get(&game.game).is_some_and(is_same) && !held.contains(&game.game)
            };
            let changed: Vec<GameView> =
                view.games().filter(|game| !game.is_outlined && !is_old(game)).cloned().collect();
            let incomplete: BTreeSet<String> =
                view.games().filter(|game| game.is_outlined).map(folder).collect();
            (changed, fresh.clone(), incomplete)
        });
        for game in changed {
            let mut game = game.unpacked();
            let unseen = self.unseen.as_ref().is_some_and(|unseen| unseen.hold(&mut game)).then_some(LOOK);
            let made = fresh.get(&game.game).copied();
            let wait = unseen.or_else(|| self.shown.publish_at.hold(&mut game, made));
            // What waits for an event is looked at with it.
            if let Some(wait) = wait.filter(|wait| *wait < Duration::MAX) {
                self.look = self.look.min(wait);
                self.held.insert(game.game.clone());
            } else {
                self.held.remove(&game.game);
            }
            let sheet = Sheet::new(&game, &self.shown);
            if self.games.get(&game.game) == Some(&sheet) {
                continue;
            }
            touched.insert(sheet.folder.clone());
            // A game without a round may get one.
            touched.extend(self.games.insert(game.game, sheet).map(|before| before.folder));
        }
        touched.retain(|folder| !incomplete.contains(folder));
        touched
    }

    /// Forgets games that are not there any more; gives their folders.
    fn forget_gone<E: Outgoing>(&mut self, hub: &Hub<E>) -> BTreeSet<String> {
        let epoch = hub.epoch();
        // Those of another journal have the same names.
        let is_other = std::mem::replace(&mut self.epoch, epoch.clone()) != epoch;
        let is_gone = |view: &HallView, game: &String| is_other || view.game(game).is_none();
        let gone: Vec<String> =
            hub.with_view(|view| self.games.keys().filter(|game| is_gone(view, game)).cloned().collect());
        gone.iter().filter_map(|game| self.games.remove(game)).map(|sheet| sheet.folder).collect()
    }

    /// All of them in the order of their numbers, whatever the order in which they were opened.
    #[must_use]
    pub fn sorted(&self) -> Vec<&Sheet> {
        let mut sheets: Vec<&Sheet> = self.games.values().collect();
        sheets.sort_by_key(|sheet| (sheet.round, sheet.number, sheet.opened));
        sheets
    }

    /// Those that count, in that order: an annulled game only as long as no other has taken its place.
    #[must_use]
    pub fn counting(&self) -> Vec<&Sheet> {
        let sorted = self.sorted();
        let place = |sheet: &Sheet| (sheet.folder.clone(), sheet.number);
        let mut last: BTreeMap<(String, u32), usize> = BTreeMap::new();
        last.extend(sorted.iter().map(|sheet| (place(sheet), sheet.opened)));
        let is_replaced = |sheet: &Sheet| sheet.is_annulled && last[&place(sheet)] != sheet.opened;
        sorted.iter().filter(|sheet| !is_replaced(sheet)).copied().collect()
    }

    /// The folder in which the game lies that was opened last: that of the current round.
    #[must_use]
    pub fn current(&self) -> Option<&str> {
        // A board at rest may be seen set up only after its round was published: then it waits for that.
        let is_published = self.games.values().any(|sheet| sheet.is_awaited);
        // Before the first game of all the first that will be.
        let place = |sheet: &&Sheet| match sheet.is_to_come {
            true => (0, usize::MAX - sheet.opened),
            false if sheet.is_untouched && is_published => (1, sheet.opened),
            false => (2, sheet.opened),
        };
        let last = self.games.values().max_by_key(place)?;
        Some(&last.folder)
    }

    /// The files of a folder as LiveChess lays them out, by their names: `games.pgn` with every game, and `game-12.pgn`
    /// with one; a second game of a pairing is in `game-12-2.pgn`. None if there is no such folder.
    #[must_use]
    pub fn files(&self, folder: &str) -> BTreeMap<String, String> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for sheet in self.counting().into_iter().filter(|sheet| sheet.folder == folder) {
            let text = sheet.shown();
            files.entry(ALL_GAMES.to_owned()).or_default().push_str(&text);
            let name = |nth: u32| match nth {
                1 => format!("game-{}.pgn", sheet.number),
                _ => format!("game-{}-{nth}.pgn", sheet.number),
            };
            if let Some(free) = (1..).map(name).find(|name| !files.contains_key(name)) {
                files.insert(free, text);
            }
        }
        files
    }

    /// Does this file's first game have a `GameId` of ours?
    #[must_use]
    pub fn is_ours(&self, text: &str) -> bool {
        let id = text.lines().find_map(|line| line.strip_prefix("[GameId \"")?.strip_suffix("\"]"));
        let parts = || self.games.values().flat_map(|sheet| &sheet.parts);
        id.is_some_and(|id| parts().any(|part| &*part.id == id))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::feed::hub::DeskHub;
    use adoube_core::event::testing::numbered;
    use adoube_rules::pgn::read_games;

    struct Hall {
        hub: DeskHub,
        seq: u64,
        sheets: Sheets,
    }

    impl Hall {
        fn new() -> Self {
            let tags = EventTags { event: Some("City Open".to_owned()), site: None };
            Self {
                hub: DeskHub::default(),
                seq: 0,
                sheets: Sheets::new(Shown { tags, publish_at: PublishAt::Made, ..Shown::default() }),
            }
        }

        fn say(&mut self, game: &str, name: &str, mut event: Value) {
            self.seq += 1;
            event["type"] = name.into();
            event["board"] = "7".into();
            event["game"] = game.into();
            event["seq"] = self.seq.into();
            self.hub.push(&numbered(event));
        }

        fn open(&mut self, game: &str, round: Option<u64>, number: u64) {
            self.say(
                game,
                "game-opened",
                json!({ "at": "2026-05-01T10:00:00.000Z", "round": round, "number": number,
                "variant": "chess", "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "white": {"name": "A"}, "black": {"name": "B"} }),
            );
        }

        /// Move `ply`, announced and not completed.
        fn says_move(&mut self, ply: u64, san: &str) {
            let (fen, side) =
                ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ["black", "white"]);
            self.say(
                "5-1",
                "move-made",
                json!({ "ply": ply, "side": side[ply as usize % 2], "san": san, "uci": "", "fen": fen, "made_ms": 1,
                "legal": true, "confidence": 1.0, "clock": null, "cause": "played" }),
            );
        }

        /// The files, and the ids of the games in them.
        fn files(&mut self) -> BTreeMap<String, Vec<String>> {
            let folders = self.sheets.update(&self.hub);
            let ids = |text: &String| {
                let games = read_games(text.as_bytes()).unwrap();
                games.iter().map(|game| game.tag("GameId").unwrap().to_owned()).collect()
            };
            let of = |folder: &String| {
                let files = self.sheets.files(folder).into_iter();
                files.map(|(name, text)| (format!("{folder}/{name}"), ids(&text))).collect::<Vec<_>>()
            };
            folders.iter().flat_map(of).collect()
        }
    }

    fn files(expected: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        let owned = |ids: &[&str]| ids.iter().map(|id| format!("city-open-{id}")).collect();
        expected.iter().map(|(name, ids)| ((*name).to_owned(), owned(ids))).collect()
    }

    #[test]
    fn games_lie_in_the_order_of_their_numbers() {
        let mut hall = Hall::new();
        for number in [10, 2, 1] {
            hall.open(&format!("5-{number}"), Some(5), number);
        }
        hall.open("free-20260501-3", None, 3);
        let expected = files(&[
            ("free-20260501/game-3.pgn", &["free-20260501-3"]),
            ("free-20260501/games.pgn", &["free-20260501-3"]),
            ("round-5/game-1.pgn", &["5-1"]),
            ("round-5/game-10.pgn", &["5-10"]),
            ("round-5/game-2.pgn", &["5-2"]),
            ("round-5/games.pgn", &["5-1", "5-2", "5-10"]),
        ]);
        assert_eq!(hall.files(), expected);
        assert_eq!(hall.sheets.current(), Some("free-20260501"));
    }

    #[test]
    fn an_annulled_game_gives_its_place_to_the_next() {
        let mut hall = Hall::new();
        hall.open("5-1", Some(5), 1);
        hall.say("5-1", "game-over", json!({ "result": "1-0", "status": "confirmed" }));
        hall.say("5-1", "game-annulled", json!({ "status": "confirmed" }));
        hall.files();
        let text = &hall.sheets.files("round-5")[ALL_GAMES];
        assert!(text.contains("[Result \"*\"]") && text.ends_with("\n{annulled} *\n\n"), "{text}");
        hall.open("5-1-2", Some(5), 1);
        let replaced = files(&[("round-5/game-1.pgn", &["5-1-2"]), ("round-5/games.pgn", &["5-1-2"])]);
        assert_eq!(hall.files(), replaced);
        // A play-off replaces nothing.
        hall.open("5-1-3", Some(5), 1);
        let both = files(&[
            ("round-5/game-1-2.pgn", &["5-1-3"]),
            ("round-5/game-1.pgn", &["5-1-2"]),
            ("round-5/games.pgn", &["5-1-2", "5-1-3"]),
        ]);
        assert_eq!(hall.files(), both);
    }

    #[test]
    fn only_what_has_changed_is_written_again() {
        let mut hall = Hall::new();
        hall.open("5-1", Some(5), 1);
        hall.open("5-2", Some(5), 2);
        assert_eq!(hall.sheets.update(&hall.hub).len(), 1);
        assert!(hall.sheets.update(&hall.hub).is_empty());
        let before: Vec<Arc<str>> =
            hall.sheets.sorted().iter().map(|sheet| sheet.parts[0].text.clone()).collect();
        hall.say(
            "5-2",
            "game-changed",
            json!({ "white": {"name": "C"}, "black": {"name": "B"}, "result": "*" }),
        );
        assert_eq!(hall.sheets.update(&hall.hub).len(), 1);
        let after: Vec<Arc<str>> =
            hall.sheets.sorted().iter().map(|sheet| sheet.parts[0].text.clone()).collect();
        assert!(Arc::ptr_eq(&before[0], &after[0]), "the other one was written again");
        assert!(after[1].contains("[White \"C\"]"), "{}", after[1]);
    }

    /// How many plies are in the file of the round.
    fn plies(sheets: &Sheets) -> usize {
        let text = sheets.files("round-5").remove(ALL_GAMES).unwrap();
        let games = read_games(text.as_bytes()).unwrap();
        games[0].moves.len()
    }

    #[tokio::test(start_paused = true)]
    async fn a_move_is_shown_once_it_stands() {
        let mut hall = Hall::new();
        hall.open("5-1", Some(5), 1);
        let mut made = Sheets::new(Shown { publish_at: PublishAt::Made, ..Shown::default() });
        let mut stands = Sheets::new(Shown::default());
        let mut completed = Sheets::new(Shown { publish_at: PublishAt::Completed, ..Shown::default() });
        let mut shown = |hall: &Hall| {
            [&mut made, &mut stands, &mut completed].map(|sheets| {
                sheets.update(&hall.hub);
                (plies(sheets), sheets.next_look() < Duration::from_secs(2))
            })
        };
        hall.says_move(1, "e4");
        assert_eq!(shown(&hall), [(1, false), (0, true), (0, false)]);
        tokio::time::advance(STANDS - Duration::from_millis(1)).await;
        assert_eq!(shown(&hall), [(1, false), (0, true), (0, false)]);
        tokio::time::advance(Duration::from_millis(2)).await;
        assert_eq!(shown(&hall), [(1, false), (1, false), (0, false)]);
        // An answer or a press bears it out.
        hall.says_move(2, "e5");
        assert_eq!(shown(&hall), [(2, false), (1, true), (0, false)]);
        hall.say(
            "5-1",
            "move-completed",
            json!({ "ply": 2, "side": "black", "san": "e5", "uci": "e7e5", "by": "press",
            "completed_ms": 1, "clock": null }),
        );
        assert_eq!(shown(&hall), [(2, false), (2, false), (2, false)]);
        // A move that is taken back leaves the one before it, which stood.
        hall.says_move(3, "Nc3");
        hall.say("5-1", "move-retracted", json!({ "ply": 3, "fen": "", "san": "Nc3", "uci": "b1c3" }));
        assert_eq!(shown(&hall)[1], (2, false));
        // So does the end of the game.
        hall.says_move(3, "Nf3");
        assert_eq!(shown(&hall)[1..], [(2, true), (2, false)]);
        hall.say("5-1", "game-over", json!({ "result": "1-0", "status": "confirmed" }));
        assert_eq!(shown(&hall)[1..], [(3, false), (3, false)]);
    }

    /// As at a relay, when the hall has begun a new journal.
    #[test]
    fn games_of_another_journal_are_forgotten_whatever_they_are_called() {
        let (mut hall, mut other) = (Hall::new(), Hall::new());
        hall.hub.set_epoch("one");
        hall.open("5-1", Some(5), 1);
        hall.open("5-2", Some(5), 2);
        hall.files();
        other.hub.set_epoch("other");
        other.open("5-1", Some(5), 1);
        other.says_move(1, "e4");
        other.says_move(2, "e5");
        hall.says_move(1, "d4");
        hall.says_move(2, "d5");
        hall.files();
        hall.hub.replace(other.hub);
        assert_eq!(hall.files()["round-5/games.pgn"], ["city-open-5-1"]);
        assert!(hall.sheets.files("round-5")[ALL_GAMES].contains("1. e4 e5"));
    }
}
