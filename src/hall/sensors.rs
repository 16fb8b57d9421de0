//! What games have told of the boards' sensors: it lies in the state folder and outlives a restart, by the board's own
//! number, and of a board without one by its place.
//!
//! Nothing that was said rests on it: a board is told what is known of it, and that is an input like any other. A file
//! that is lost or damaged costs what the next game finds out again.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use adoube_core::event::{Body, Event};
use adoube_core::infer::SickSquare;
use adoube_core::station::{Input, Station};

/// Its name in the state folder.
const NAME: &str = "sensors.json";
/// So many boards with sick squares are remembered, those of which something was learned last: more than any hall has.
const BOARDS_MAX: usize = 4_096;

/// Which board it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Owner {
    /// It tells this number.
    Number(String),
    /// It tells none, and is here.
    Place(String),
}

/// A board of which some squares are sick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    board: Owner,
    squares: Vec<SickSquare>,
}

#[derive(Debug, Default)]
struct Memory {
    known: Vec<Known>,
    is_being_written: bool,
    is_changed: bool,
}

/// What is known of all boards. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Sensors {
    path: PathBuf,
    memory: Arc<Mutex<Memory>>,
}

impl Sensors {
    /// What was known when the daemon ended; nothing if there is no file.
    pub(crate) fn load(folder: &Path) -> Self {
        let path = folder.join(NAME);
        let known = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                tracing::warn!(path = %path.display(), %error, "what was known of sick squares cannot be read, and is learned again");
                Vec::new()
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "what was known of sick squares cannot be read, and is learned again");
                Vec::new()
            }
        };
        Self { path, memory: Arc::new(Mutex::new(Memory { known, ..Memory::default() })) }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Memory) -> T) -> T {
        work(&mut self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The squares of `board` that were sick when it was last heard of.
    pub(super) fn of(&self, board: &Owner) -> Vec<SickSquare> {
        self.with(|memory| {
            let known = memory.known.iter().find(|known| known.board == *board);
            known.map(|known| known.squares.clone()).unwrap_or_default()
        })
    }

    /// These squares of `board` are sick now. Nobody waits for the disk.
    pub(super) fn learn(&self, board: &Owner, squares: &[SickSquare]) {
        let is_idle = self.with(|memory| {
            memory.known.retain(|known| known.board != *board);
            if !squares.is_empty() {
                memory.known.push(Known { board: board.clone(), squares: squares.to_vec() });
            }
            let surplus = memory.known.len().saturating_sub(BOARDS_MAX);
            memory.known.drain(..surplus);
            memory.is_changed = true;
            !std::mem::replace(&mut memory.is_being_written, true)
        });
        if is_idle {
            let sensors = self.clone();
            tokio::task::spawn_blocking(move || sensors.write_all());
        }
    }

    /// Writes until nothing has changed meanwhile.
    fn write_all(&self) {
        let changed = || {
            self.with(|memory| {
                memory.is_being_written = std::mem::take(&mut memory.is_changed);
                memory.is_being_written.then(|| memory.known.clone())
            })
        };
        while let Some(known) = changed() {
            if let Err(error) = self.write(&known) {
                tracing::warn!(path = %self.path.display(), %error, "what is known of sick squares is not stored, and a restart learns it again");
            }
        }
    }

    /// The file is the old one or the new one, and never half of it.
    fn write(&self, known: &[Known]) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or_else(|| Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, known)?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        std::fs::File::open(folder)?.sync_all()
    }
}

/// What is known of the board of one task.
#[derive(Debug)]
pub(super) struct Remembered {
    sensors: Sensors,
    /// Which board is there.
    there: Option<Owner>,
    /// The board of which the station knows.
    known: Option<Owner>,
    /// What is remembered of that one.
    squares: Vec<SickSquare>,
}

impl Remembered {
    pub(super) fn new(sensors: Sensors) -> Self {
        Self { sensors, there: None, known: None, squares: Vec::new() }
    }

    /// The board said `events`. Gives what its station is to be told of its squares; what it has found out itself is
    /// remembered. While a game is played neither is done: it knows best.
    pub(super) fn after(&mut self, events: &[Event], station: &Station) -> Option<Input> {
        if let Some(owner) = events.iter().rev().find_map(owner) {
            self.there = Some(owner);
        }
        let there = self.there.as_ref()?;
        let (is_under_way, sick) = (station.is_under_way(), station.sick_squares());
        // What goes on after a restart has had the same board all the time, and the journal stands above the file.
        if self.known.is_none() && (is_under_way || !sick.is_empty()) {
            (self.known, self.squares) = (Some(there.clone()), self.sensors.of(there));
        }
        if is_under_way {
            return None;
        }
        if self.known.as_ref() != Some(there) {
            (self.known, self.squares) = (Some(there.clone()), self.sensors.of(there));
            return (self.squares != sick).then(|| Input::Sick(self.squares.clone()));
        }
        if self.squares != sick {
            self.sensors.learn(there, &sick);
            self.squares = sick;
        }
        None
    }
}

/// Which board it is that says it is there.
fn owner(event: &Event) -> Option<Owner> {
    match &event.body {
        Body::BoardConnected { serial: Some(number), .. } => Some(Owner::Number(number.clone())),
        Body::BoardConnected { port, .. } => Some(Owner::Place(port.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::capture::pieces_frame;
    use adoube_core::infer::Sickness;
    use adoube_core::ruling::Ruled;
    use adoube_core::station::{FRAMES, Open, Output};
    use adoube_rules::sensor::Reading;
    use adoube_rules::square::Square;
    use adoube_rules::stamp::{SECOND, Stamp};
    use serde_json::json;

    fn sick(square: u8) -> Vec<SickSquare> {
        vec![(Square::new(square), Sickness::Dead)]
    }

    fn number(number: &str) -> Owner {
        Owner::Number(number.to_owned())
    }

    /// Whoever opens the folder next, once all is written.
    async fn again(sensors: &Sensors, folder: &Path) -> Sensors {
        while sensors.with(|memory| memory.is_being_written) {
            tokio::task::yield_now().await;
        }
        Sensors::load(folder)
    }

    #[tokio::test]
    async fn what_is_known_comes_back_and_what_behaves_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let sensors = Sensors::load(folder.path());
        let place = Owner::Place("tcp://127.0.0.1:1".to_owned());
        sensors.learn(&number("4711"), &sick(11));
        sensors.learn(&place, &sick(12));
        let again_known = again(&sensors, folder.path()).await;
        assert_eq!((again_known.of(&number("4711")), again_known.of(&place)), (sick(11), sick(12)));
        assert_eq!(again_known.of(&Owner::Place("4711".to_owned())), [], "a place is no number");
        sensors.learn(&number("4711"), &[]);
        assert_eq!(again(&sensors, folder.path()).await.with(|memory| memory.known.len()), 1);
    }

    fn connected(station: &mut Station, second: u64, inputs: &[Input]) -> Vec<Event> {
        let mut output = Output::default();
        for input in inputs {
            station.handle(input, Stamp::default().at(second * SECOND), &mut output);
        }
        output.events
    }

    fn is_there(owner: &Owner) -> Vec<Event> {
        let mut station = station();
        let mut events = connected(&mut station, 1, &[Input::LinkUp, shows(START)]);
        events.extend(connected(&mut station, 9, &[Input::Wake]));
        for event in &mut events {
            if let (Body::BoardConnected { serial, .. }, Owner::Number(number)) = (&mut event.body, owner) {
                *serial = Some(number.clone());
            }
        }
        events.retain(|event| matches!(event.body, Body::BoardConnected { .. }));
        assert_eq!(events.len(), 1);
        events
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

    const NO_D2: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR";
    const E4_NO_D2: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPP2PPP/RNBQKBNR";

    fn shows(placement: &str) -> Input {
        Input::Reading(Reading::Frame(pieces_frame(placement).unwrap()))
    }

    fn station() -> Station {
        Station::open(Open::new("1", FRAMES, "here"), Stamp::default()).unwrap()
    }

    #[tokio::test]
    async fn a_station_is_told_once_and_of_another_board_when_its_game_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let sensors = Sensors::load(folder.path());
        sensors.learn(&number("1"), &sick(11));
        sensors.learn(&number("2"), &sick(12));
        let (mut remembered, mut station) = (Remembered::new(sensors.clone()), station());
        let one = is_there(&number("1"));
        let told = remembered.after(&one, &station).unwrap();
        assert_eq!(told, Input::Sick(sick(11)));
        connected(&mut station, 1, &[told, shows(NO_D2)]);
        assert_eq!(remembered.after(&one, &station), None, "it knows");
        connected(&mut station, 9, &[shows(E4_NO_D2)]);
        connected(&mut station, 14, &[Input::Wake]);
        // The cable of another board, and back: the game is its own.
        for board in ["2", "1"] {
            assert_eq!(remembered.after(&is_there(&number(board)), &station), None, "a game is played");
        }
        let result = json!({ "name": "result", "value": "1-0" });
        connected(&mut station, 20, &[Input::Ruling(Ruled::parse(&result).unwrap())]);
        assert_eq!(remembered.after(&[], &station), None);
        let told = remembered.after(&is_there(&number("2")), &station);
        assert_eq!(told, Some(Input::Sick(sick(12))));
        connected(&mut station, 21, &[told.unwrap()]);
        assert_eq!(remembered.after(&[], &station), None);
        assert_eq!(
            (sensors.of(&number("1")), sensors.of(&number("2"))),
            (sick(11), sick(12)),
            "neither is the other"
        );
    }

    #[tokio::test]
    async fn what_behaved_in_a_game_that_went_on_after_a_restart_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let sensors = Sensors::load(folder.path());
        sensors.learn(&number("1"), &sick(28));
        let (mut remembered, mut station) = (Remembered::new(sensors.clone()), station());
        connected(&mut station, 1, &[shows(START)]);
        connected(&mut station, 9, &[shows(E4)]);
        connected(&mut station, 14, &[Input::Wake]);
        assert_eq!(remembered.after(&is_there(&number("1")), &station), None);
        let result = json!({ "name": "result", "value": "1-0" });
        connected(&mut station, 20, &[Input::Ruling(Ruled::parse(&result).unwrap())]);
        assert_eq!(remembered.after(&[], &station), None);
        assert_eq!(sensors.of(&number("1")), [], "the game had found it well");
    }

    #[tokio::test]
    async fn of_too_many_boards_the_last_are_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let sensors = Sensors::load(folder.path());
        for board in 0..=BOARDS_MAX {
            sensors.learn(&number(&board.to_string()), &sick(11));
        }
        let known = again(&sensors, folder.path()).await;
        assert_eq!((known.of(&number("0")), known.of(&number("1"))), (Vec::new(), sick(11)));
    }

    #[tokio::test]
    async fn a_damaged_file_or_a_folder_that_takes_nothing_stops_nobody() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(NAME), "[{").unwrap();
        let sensors = Sensors::load(folder.path());
        assert_eq!(sensors.of(&number("1")), []);
        drop(folder);
        sensors.learn(&number("1"), &sick(11));
        while sensors.with(|memory| memory.is_being_written) {
            tokio::task::yield_now().await;
        }
        assert_eq!(sensors.of(&number("1")), sick(11), "in memory it holds");
    }
}
