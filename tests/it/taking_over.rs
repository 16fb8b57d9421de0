//! A game goes on as it was published, whatever its readings say now: after another version, or a gap.

use std::collections::BTreeMap;
use std::sync::Arc;

use adoube_core::capture::Item;
use adoube_core::event::{Numbered, Numbering, Said, Status};
use adoube_core::ruling::Ruled;
use adoube_core::station::{FRAMES, Input, Open, Opening, Output, Station};
use adoube_rules::GameKind;
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::stamp::Stamp;
use adoube_sim::{BoardConfig, Noise};
use serde_json::json;

use crate::carrying::two_games;
use crate::daemon::{PATIENCE, Site, awaited};
use crate::four_hands::capture;
use crate::http::{game, moves};
use crate::played::{self, Played, SHORT, demo_game};
use crate::slots::computing;

/// What a board and its clock showed that was opened so, as neutral readings.
fn readings(open: &Open, inputs: &[(Stamp, Input)], is_named: bool) -> Vec<(Stamp, Input)> {
    let mut station = Station::open(open.clone(), inputs[0].0).unwrap();
    let (mut found, mut before, mut clock) = (Vec::new(), Vec::new(), None);
    for (at, input) in inputs {
        let mut output = Output { seen: Some(Vec::new()), ..Output::default() };
        station.handle(input, *at, &mut output);
        for seen in output.seen.unwrap() {
            let shown = seen.picture.contents;
            if seen.picture.clock != clock {
                clock = seen.picture.clock;
                found.push((seen.at, Input::Reading(Reading::Clock(clock))));
            }
            if shown != before {
                found.push((seen.at, shows(&shown, is_named)));
                before = shown;
            }
        }
    }
    found
}

fn shows(contents: &[Content], is_named: bool) -> Input {
    Input::Reading(Reading::Frame(if is_named {
        Frame::Identity(contents.to_vec())
    } else {
        Frame::Occupancy(contents.iter().map(|content| content.occupancy()).collect())
    }))
}

/// A board, and all that was said of it.
struct Board {
    station: Station,
    numbering: Numbering,
    said: Vec<Numbered>,
}

impl Board {
    fn new(variant: GameKind, at: Stamp) -> Self {
        let open = Open { variant, ..Open::new("1", FRAMES, "test") };
        let station = Station::open(open, at).unwrap();
        Self { station, numbering: Numbering::default(), said: Vec::new() }
    }

    fn takes(&mut self, input: &Input, at: Stamp) {
        let board: Arc<str> = "1".into();
        let mut output = Output::default();
        self.station.handle(input, at, &mut output);
        assert_eq!(output.refused, None);
        self.said.extend(output.events.iter().map(|event| self.numbering.number(&board, event)));
    }

    /// The board as another version goes on with it.
    fn taken_over(&self, at: Stamp) -> Option<Self> {
        let opening = self.station.take_over(&self.said)?;
        let line = serde_json::to_string(&opening).unwrap();
        let again: Opening = serde_json::from_str(&line).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), line);
        let mut numbering = self.numbering.clone();
        numbering.reopen(&"1".into());
        again.carried.records().for_each(|record| numbering.carry(&"1".into(), record));
        let station = Station::resume(again, at).unwrap();
        Some(Self { station, numbering, said: self.said.clone() })
    }

    /// The moves of each game as they stand.
    fn games(&self) -> BTreeMap<Arc<str>, Vec<String>> {
        let mut games: BTreeMap<Arc<str>, Vec<String>> = BTreeMap::new();
        for event in &self.said {
            let Some(game) = &event.game else { continue };
            let moves = games.entry(Arc::clone(game)).or_default();
            match &event.said {
                Said::MoveMade(made) => {
                    assert_eq!(made.ply.count(), moves.len() + 1, "seq {}", event.seq);
                    moves.push(made.uci.clone());
                }
                Said::MoveRetracted(gone) => moves.truncate(gone.ply.before().count()),
                _ => {}
            }
        }
        games
    }

    /// The names of the records that are open, by their numbers.
    fn open(&self) -> BTreeMap<u64, String> {
        let mut open: BTreeMap<u64, String> = BTreeMap::new();
        for event in &self.said {
            if let Said::Record(recorded) = &event.said {
                open.remove(&recorded.record.0);
                if recorded.status == Status::Open {
                    open.insert(recorded.record.0, event.name().to_string());
                }
            }
        }
        open
    }
}

/// What the board and its clock showed last of these.
fn shown(readings: &[(Stamp, Input)]) -> Vec<Input> {
    let last = |is_it: fn(&Reading) -> bool| {
        let is_it = |(_, input): &&(Stamp, Input)| matches!(input, Input::Reading(reading) if is_it(reading));
        readings.iter().rfind(is_it).map(|(_, input)| input.clone())
    };
    let frame = last(|reading| matches!(reading, Reading::Frame(_)));
    frame.into_iter().chain(last(|reading| matches!(reading, Reading::Clock(_)))).collect()
}

/// Takes the board over at every so many readings: it goes on as after a restart of the same version. How often.
fn goes_on_everywhere(variant: GameKind, readings: &[(Stamp, Input)], every: usize) -> usize {
    let mut count = 0;
    for cut in (every..readings.len()).step_by(every) {
        let (before, after) = readings.split_at(cut);
        let mut same = Board::new(variant, before[0].0);
        before.iter().for_each(|(at, input)| same.takes(input, *at));
        let at = after[0].0;
        let Some(mut other) = same.taken_over(at) else { continue };
        for board in [&mut same, &mut other] {
            board.takes(&Input::Restarted, at);
            board.takes(&Input::LinkUp, at);
            shown(before).iter().for_each(|seen| board.takes(seen, at));
            after.iter().for_each(|(at, input)| board.takes(input, *at));
        }
        count += 1;
        assert!(same.games().values().any(|moves| moves.len() > 20), "nothing was played");
        assert_eq!(other.games(), same.games(), "{variant}, reading {cut}");
        let names = |board: &Board| board.open().into_values().collect::<Vec<_>>();
        assert_eq!(names(&other), names(&same), "{variant}, reading {cut}");
    }
    count
}

#[test]
fn a_game_goes_on_from_wherever_it_was_published() {
    let _slot = computing();
    let open = Open::new("1", "dgt", "test");
    for noise in [Noise::Clean, Noise::Light] {
        let inputs = two_games(noise);
        for (is_named, every) in [(true, 37), (false, 41)] {
            let readings = readings(&open, &inputs, is_named);
            assert!(goes_on_everywhere(GameKind::Chess, &readings, every) > 10);
        }
    }
}

#[test]
fn a_game_of_four_players_goes_on_from_wherever_it_was_published() {
    let _slot = computing();
    let (header, lines, _) = capture(3, BoardConfig::default());
    let start = Stamp { mono_ns: 0, utc_ns: 1_767_000_000_000_000_000 };
    let received = lines.iter().filter_map(|line| match &line.items[..] {
        [Item::Received(bytes)] => Some((start.at(line.t_ns + 1), Input::Bytes(bytes.clone()))),
        _ => None,
    });
    let inputs: Vec<(Stamp, Input)> = std::iter::once((start, Input::LinkUp)).chain(received).collect();
    let readings = readings(&adoube_core::replay::open(&header), &inputs, true);
    assert!(goes_on_everywhere(GameKind::FourPlayer, &readings, 11) > 10);
}

/// A disk that failed for hours: what the journal has of the game has a hole, and the board stands far behind it.
#[test]
fn a_game_with_a_hole_goes_on_and_the_arbiter_is_told() {
    let readings = readings(&Open::new("1", "dgt", "test"), &two_games(Noise::Clean), true);
    let mut board = Board::new(GameKind::Chess, readings[0].0);
    let lost = |event: &Numbered| match &event.said {
        // One ply is there of which nobody heard that it was completed.
        Said::MoveMade(made) => (9..=20).contains(&made.ply.number()),
        Said::MoveCompleted(completed) => (6..=20).contains(&completed.ply.number()),
        _ => false,
    };
    let plies = |board: &Board| board.games().values().map(Vec::len).max().unwrap_or(0);
    let until = readings.iter().position(|(at, input)| {
        board.takes(input, *at);
        plies(&board) == 26
    });
    let said = board.said.clone();
    board.said.retain(|event| !lost(event));
    let (until, at) = (until.unwrap(), readings[until.unwrap() + 1].0);
    let mut other = board.taken_over(at).unwrap();
    // The others behind the hole were shown to nobody since.
    other.said.retain(|event| !matches!(&event.said, Said::MoveMade(made) if made.ply.number() > 8));
    other.takes(&Input::Restarted, at);
    other.takes(&Input::LinkUp, at);
    shown(&readings[..=until]).iter().for_each(|seen| other.takes(seen, at));
    readings[until + 1..].iter().take(60).for_each(|(at, input)| other.takes(input, *at));
    let open: Vec<String> = other.open().into_values().collect();
    assert!(open.iter().any(|name| name == "record-gap"), "{open:?}");
    // What is played since goes on from what stood there.
    let played = other.said.iter().rev().find_map(|event| match &event.said {
        Said::MoveMade(made) => Some(made.uci.clone()),
        _ => None,
    });
    let mut whole = Board { said, ..board };
    readings[until + 1..].iter().take(60).for_each(|(at, input)| whole.takes(input, *at));
    assert!(plies(&other) > 8 && whole.games().values().any(|moves| moves.last() == played.as_ref()));
}

#[test]
fn what_waits_for_the_arbiter_is_decided_by_the_number_that_it_had() {
    let readings = readings(&Open::new("1", "dgt", "test"), &two_games(Noise::Heavy), true);
    let mut board = Board::new(GameKind::Chess, readings[0].0);
    let mut decided = 0;
    for (at, input) in &readings {
        board.takes(input, *at);
        let Some(&record) = board.open().keys().next() else { continue };
        let Some(mut other) = board.taken_over(*at) else { continue };
        let ruling = json!({ "name": "reject", "record": record });
        let ruling = other.numbering.own(&"1".into(), Ruled::parse(&ruling).unwrap()).unwrap();
        other.takes(&Input::Ruling(ruling), *at);
        assert!(!other.open().contains_key(&record), "{:?}", other.open());
        let again: Vec<u64> = other.said[board.said.len()..].iter().filter_map(record_of).collect();
        assert!(again.contains(&record), "{again:?}");
        assert!(again.iter().all(|number| *number <= other.said.last().unwrap().seq), "{again:?}");
        // And what was decided can be undone.
        let ruled = other.said.iter().rfind(|event| event.name() == "ruled").unwrap().seq;
        let undo = Ruled::parse(&json!({ "name": "undo", "ruling": ruled })).unwrap();
        let undo = other.numbering.own(&"1".into(), undo).unwrap();
        other.takes(&Input::Ruling(undo), *at);
        assert!(other.open().contains_key(&record), "{:?}", other.open());
        decided += 1;
    }
    assert!(decided > 10, "{decided}");
}

fn record_of(event: &Numbered) -> Option<u64> {
    match &event.said {
        Said::Record(recorded) => Some(recorded.record.0),
        _ => None,
    }
}

/// Plays a game during which the daemon is started anew three times: twice after `change` was made to the journal's files,
/// and once more as it is. The log of each start.
async fn plays_on_after(change: &str) -> Vec<String> {
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 5), 10.0);
    let site = Site::new(10.0, &[port]);
    let (mut logs, mut before) = (Vec::new(), 0);
    for (quarter, change) in (1..).zip([change, change, ""]) {
        let daemon = site.start();
        let has_come = || players.plies() * 4 >= players.truth().len() * quarter;
        awaited("a quarter of a game", PATIENCE, async || has_come().then_some(())).await;
        assert_eq!(daemon.terminate().await, Some(0));
        logs.push(site.log()[before..].to_owned());
        before = site.log().len();
        for file in std::fs::read_dir(&site.journal).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "db") {
                rusqlite::Connection::open(path).unwrap().execute_batch(change).unwrap();
            }
        }
    }
    let _daemon = site.start();
    let result = async || game(site.public, "1").await.filter(|game| game["result"] != "*");
    let finished = awaited("the result", PATIENCE, result).await;
    assert_eq!(moves(&finished), players.truth(), "{}", site.log());
    assert_eq!(finished["result"], "1-0");
    let opened = site.exported().iter().filter(|line| line.contains("\"type\":\"game-opened\"")).count();
    assert_eq!(opened, 1);
    logs.push(site.log()[before..].to_owned());
    assert!(!logs.iter().any(|log| log.contains("afresh")), "{logs:?}");
    logs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_version_that_reads_a_game_alike_goes_on_with_it() {
    let logs = plays_on_after("UPDATE meta SET value = '1' WHERE key = 'core'").await;
    assert!(!logs.iter().any(|log| log.contains("as it was published")), "{logs:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_version_that_reads_a_game_otherwise_goes_on_with_what_was_published() {
    // As another version may have seen it: surer of no move.
    let otherwise = "UPDATE meta SET value = '1' WHERE key = 'core';
        UPDATE event SET json = replace(json, '\"confidence\":1.0,', '\"confidence\":0.9,') WHERE type = 'move-made'";
    let logs = plays_on_after(otherwise).await;
    let is_taken_over: Vec<bool> =
        logs.iter().map(|log| log.contains("goes on as it was published")).collect();
    // From the last time on it can be replayed, and the next start does.
    assert_eq!(is_taken_over, [false, true, true, false], "{logs:?}");
}
