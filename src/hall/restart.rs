//! A station from its journal: the same inputs give the same events.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::quiet;
use crate::journal::{InputKind, JournalHandle, Look, RecoveredBoard, StoredEvent, StoredInput};
use adoube_core::afterwards::Afterwards;
use adoube_core::event::{Numbered, Numbering};
use adoube_core::ruling::Ruled;
use adoube_core::station::{Carried, Input, Moved, Open, Opening, Output, Station};
use adoube_rules::stamp::Stamp;

/// What a board was told when it was opened, of the input that says so.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn opened(stored: &StoredInput) -> Result<Open, String> {
    read(stored).map(|(open, _)| open)
}

/// The station that an input of the kind `open` begins: afresh, or where another one stood.
///
/// # Errors
/// A sentence that says why this version cannot.
pub fn station(stored: &StoredInput) -> Result<Station, String> {
    let station = match read(stored)? {
        (open, None) => Station::open(open, stored.stamp),
        (open, Some(carried)) => Station::resume(Opening { open, carried }, stored.stamp),
    };
    station.map_err(|error| format!("input {}: {error}", stored.id))
}

fn read(stored: &StoredInput) -> Result<(Open, Option<Box<Carried>>), String> {
    let wrong = |error| format!("input {}: what the board was opened with: {error}", stored.id);
    let json: Value = serde_json::from_slice(&stored.data).map_err(wrong)?;
    if json.get("carried").is_some() {
        let Opening { open, carried } = serde_json::from_value(json).map_err(wrong)?;
        Ok((open, Some(carried)))
    } else {
        Ok((serde_json::from_value(json).map_err(wrong)?, None))
    }
}

/// The inputs that lie in the journal as one, each with its stamp; `None` if it is none that a station takes.
#[must_use]
pub fn inputs(stored: &StoredInput) -> Option<Vec<(Input, Stamp)>> {
    match stored.kind {
        InputKind::Quiet => quiet::heard(&stored.data, stored.stamp),
        _ => Some(vec![(input(stored)?, stored.stamp)]),
    }
}

/// One that is not [`InputKind::Quiet`].
pub(super) fn input(stored: &StoredInput) -> Option<Input> {
    match stored.kind {
        InputKind::Bytes => Some(Input::Bytes(stored.data.clone())),
        InputKind::Link if stored.data == UP => Some(Input::LinkUp),
        InputKind::Link if stored.data == DOWN => Some(Input::LinkDown),
        InputKind::Link if stored.data == RESTARTED => Some(Input::Restarted),
        InputKind::Link if stored.data == REMOVED => Some(Input::Removed),
        InputKind::Link => {
            let port = stored.data.strip_prefix(AT)?;
            Some(Input::Placed(String::from_utf8(port.to_vec()).ok()?))
        }
        InputKind::Ruling => {
            let json = serde_json::from_slice(&stored.data).ok()?;
            Some(Input::Ruling(Ruled::parse(&json).ok()?))
        }
        InputKind::Neighbour => Some(Input::Neighbour(serde_json::from_slice(&stored.data).ok()?)),
        InputKind::Pairing => Some(Input::Pairing(serde_json::from_slice(&stored.data).ok()?)),
        InputKind::Moved => Some(Input::Moved(serde_json::from_slice(&stored.data).ok()?)),
        InputKind::Sick => Some(Input::Sick(serde_json::from_slice(&stored.data).ok()?)),
        InputKind::Wake => Some(Input::Wake),
        _ => None,
    }
}

/// How an input lies in the journal.
pub(super) fn stored(input: &Input) -> (InputKind, Vec<u8>) {
    match input {
        Input::Bytes(bytes) => (InputKind::Bytes, bytes.clone()),
        Input::LinkUp => (InputKind::Link, UP.to_vec()),
        Input::LinkDown => (InputKind::Link, DOWN.to_vec()),
        Input::Restarted => (InputKind::Link, RESTARTED.to_vec()),
        Input::Removed => (InputKind::Link, REMOVED.to_vec()),
        Input::Placed(port) => (InputKind::Link, [AT, port.as_bytes()].concat()),
        Input::Ruling(ruling) => (InputKind::Ruling, ruling.to_json().to_string().into_bytes()),
        // Plain texts and numbers: that cannot fail.
        Input::Neighbour(neighbour) => {
            (InputKind::Neighbour, serde_json::to_vec(neighbour).unwrap_or_default())
        }
        Input::Pairing(pairing) => (InputKind::Pairing, serde_json::to_vec(pairing).unwrap_or_default()),
        Input::Moved(moved) => (InputKind::Moved, serde_json::to_vec(moved).unwrap_or_default()),
        Input::Sick(squares) => (InputKind::Sick, serde_json::to_vec(squares).unwrap_or_default()),
        Input::Wake | Input::Announce(_) | Input::Reading(_) => (InputKind::Wake, Vec::new()),
    }
}

const UP: &[u8] = b"up";
const DOWN: &[u8] = b"down";
const RESTARTED: &[u8] = b"restarted";
const REMOVED: &[u8] = b"removed";
/// Before the port at which the board is from then on.
const AT: &[u8] = b"at ";

/// A station that goes on, and what its records and rulings are called.
#[derive(Debug)]
pub(super) struct GoneOn {
    station: Station,
    numbering: Numbering,
    /// The game goes on as it was published: the board is opened so in the journal.
    taken_over: Option<Opening>,
    /// What the board was about to take when the daemon ended.
    owed: Option<Box<Moved>>,
}

/// The station of a game that was open: as its inputs replay, if they give what was said; otherwise with the game as it
/// was published, out of the journal in `folder`. It takes the time of the game's inputs.
pub(super) fn go_on(board: &RecoveredBoard, folder: &Path, owed: Option<Box<Moved>>) -> Option<GoneOn> {
    let game = board.game.as_deref()?;
    let name = &board.board;
    let begun = board.inputs.first()?;
    let afresh = |reason: String| tracing::error!(board = %name, "{reason}; it starts afresh");
    let difference = if board.is_whole {
        match replayed(board) {
            Ok(gone_on) => return gone_on.map(|gone_on| GoneOn { owed, ..gone_on }),
            Err(difference) => difference,
        }
    } else {
        "some of its readings are lost".to_owned()
    };
    // What is read again still says which way the board lies, and what its clock shows.
    let mut station = station(begun).map_err(afresh).ok()?;
    let mut output = Output::default();
    for (input, at) in board.inputs[1..].iter().filter_map(inputs).flatten() {
        output.clear();
        station.handle(&input, at, &mut output);
    }
    // A game that opened on a quiet board was opened before the board was.
    let mut said = said(folder, name, game).map_err(afresh).ok()?;
    if owed.is_some() {
        // Under its name another board has told of its own game since.
        said.retain(|event| *event.board == **name);
    }
    let Some(opening) = station.take_over(&said) else {
        afresh(difference);
        return None;
    };
    if board.is_same_core && board.is_whole {
        tracing::error!(board = %name, "an error of adoube: {difference}; the game goes on as it was published");
    } else {
        tracing::warn!(board = %name, "{difference}; the game goes on as it was published");
    }
    let mut numbering = Numbering::default();
    opening.carried.records().for_each(|record| numbering.carry(name, record));
    Some(GoneOn { station, numbering, taken_over: Some(opening), owed })
}

/// What was said of a game. What another version wrote and this one cannot read is left out, if it is no move.
fn said(folder: &Path, board: &str, game: &str) -> Result<Vec<Numbered>, String> {
    let look = Look::open(folder);
    let events = look.of_game(game).into_iter().filter_map(|seq| look.told(seq));
    let mut said = Vec::new();
    for stored in events {
        match stored.numbered() {
            Ok(event) => said.push(event),
            Err(error) if stored.name.starts_with("game-") || stored.name.starts_with("move-") => {
                return Err(format!("seq {}: {error}", stored.seq));
            }
            Err(error) => tracing::warn!(board, seq = stored.seq, "an event cannot be read: {error}"),
        }
    }
    Ok(said)
}

/// The station, if its inputs give what was said and a game is open there; or where they differ.
fn replayed(board: &RecoveredBoard) -> Result<Option<GoneOn>, String> {
    let mut inputs = board.inputs.iter();
    let Some(begun) = inputs.next() else { return Ok(None) };
    let mut replay = Replay::begin(begun)?;
    let mut stored = board.events.iter();
    for input in inputs {
        replay.take(input, &mut stored)?;
    }
    if let Some(more) = stored.next() {
        return Err(format!("board {}: the replay lacks seq {}", board.board, more.seq));
    }
    let Replay { station, numbering, .. } = replay;
    Ok(station.is_playing().then_some(GoneOn { station, numbering, taken_over: None, owed: None }))
}

/// Of two boards that were to exchange their games, the one that had not when the daemon ended: what it was about to take.
pub(super) fn exchanges_owed(boards: &[RecoveredBoard]) -> BTreeMap<String, Box<Moved>> {
    let mut owed = BTreeMap::new();
    for board in boards {
        let moved =
            board.inputs.iter().rev().filter(|stored| stored.kind == InputKind::Moved).find_map(input);
        let Some(Input::Moved(moved)) = moved else { continue };
        let Some((other, theirs)) = moved.exchange.and_then(|exchange| exchange.other) else { continue };
        // It still has the name that is this board's now.
        if boards.iter().any(|waiting| *waiting.board == *other && waiting.game == board.game) {
            owed.insert(other, theirs);
        }
    }
    owed
}

impl GoneOn {
    /// The station, if the board is to be opened as it was (where it is does not matter), and what the journal is told if
    /// it has to be opened there again. The journal takes over what it said.
    pub(super) fn opened(
        self,
        open: &Open,
        at: Stamp,
        journal: &JournalHandle,
    ) -> Option<(Station, Option<Opening>, Option<Box<Moved>>)> {
        let was = self.station.opened_with();
        if (Open { port: open.port.clone(), ..was.clone() }) != *open {
            return None;
        }
        let station = match self.taken_over.clone().map(|opening| Station::resume(opening, at)) {
            None => self.station,
            Some(Ok(station)) => station,
            Some(Err(error)) => {
                tracing::error!(board = open.board, "{error}; it starts afresh");
                return None;
            }
        };
        journal.recall(self.numbering);
        Some((station, self.taken_over, self.owed))
    }
}

/// Puts the inputs of a board through a station again and compares what it says with what it said then.
#[derive(Debug)]
pub struct Replay {
    station: Station,
    board: Arc<str>,
    numbering: Numbering,
    output: Output,
}

impl Replay {
    /// Begins with an input of the kind `open`.
    ///
    /// # Errors
    /// A sentence that says why this version cannot.
    pub fn begin(open: &StoredInput) -> Result<Self, String> {
        let station = station(open)?;
        let board: Arc<str> = station.board().into();
        let mut numbering = Numbering::default();
        if let (_, Some(carried)) = read(open)? {
            carried.records().for_each(|record| numbering.carry(&board, record));
        }
        Ok(Self { station, board, numbering, output: Output::default() })
    }

    /// Takes the next input. `stored` are the events that follow in the journal: as many are taken from it as are
    /// said now.
    ///
    /// # Errors
    /// A sentence that says where it differs, or that the input is not understood.
    pub fn take<'a>(
        &mut self,
        input: &StoredInput,
        stored: &mut impl Iterator<Item = &'a StoredEvent>,
    ) -> Result<(), String> {
        self.output.clear();
        self.hear(input).ok_or_else(|| format!("input {}: not understood", input.id))?;
        let board = &self.board;
        for event in self.output.events.drain(..) {
            let Some(stored) = stored.next() else {
                let name = event.body.name();
                return Err(format!("board {board}, input {}: the replay says {name} as well", input.id));
            };
            let seq = stored.seq;
            self.numbering.recall(board, &event, seq, stored.game.as_deref());
            let again = self.numbering.render(board, &event, seq).to_line();
            if again == stored.json {
                continue;
            }
            // An older version may have written the same otherwise.
            let stored = stored.numbered().map_err(|error| format!("seq {seq}: {error}"))?.to_line();
            if again != stored {
                return Err(format!("board {board}, seq {seq}: stored {stored}, replayed {again}"));
            }
        }
        Ok(())
    }

    /// Has the station take the input; what is of a game that it has no more needs none.
    fn hear(&mut self, input: &StoredInput) -> Option<()> {
        if input.kind == InputKind::Game {
            let afterwards: Afterwards = serde_json::from_slice(&input.data).ok()?;
            self.output.events = afterwards.events(input.stamp);
            return Some(());
        }
        for (known, at) in inputs(input)? {
            self.station.handle(&known, at, &mut self.output);
        }
        Some(())
    }

    /// Does the input open the board again as it stands now? What its players are shown changes no event, and is not
    /// in the journal: neither the conversation nor the lamps need be the same.
    #[must_use]
    pub fn leads_to(&self, open: &StoredInput) -> bool {
        let Ok((_, Some(carried))) = read(open) else { return true };
        if carried.is_taken_over() {
            return true;
        }
        let heard = |mut opening: Value| {
            let carried = opening.get_mut("carried")?.as_object_mut()?;
            carried.retain(|key, _| !["session", "lamps"].contains(&key.as_str()));
            Some(opening)
        };
        let now = self.station.carry(carried.game()).and_then(|now| serde_json::to_value(now).ok());
        let then = serde_json::from_slice(&open.data).ok();
        now.is_some() && now.and_then(heard) == then.and_then(heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::event::GameName;
    use adoube_core::table::{Ended, Neighbour, Pressed};
    use adoube_rules::GameResult;
    use adoube_rules::laws::Name;
    use adoube_rules::sensor::Side;

    #[test]
    fn where_a_board_is_comes_back_from_the_journal() {
        for said in [
            Input::Placed("serial:/dev/x y".to_owned()),
            Input::Removed,
            Input::LinkUp,
            Input::LinkDown,
            Input::Restarted,
        ] {
            let (kind, data) = stored(&said);
            assert_eq!(input(&StoredInput { id: 1, stamp: Stamp::default(), kind, data }), Some(said));
        }
    }

    #[test]
    fn what_a_neighbour_said_comes_back_from_the_journal() {
        let neighbour = Neighbour {
            board: "5".to_owned(),
            made_ns: Some(7),
            pressed: Some(Pressed { side: Side::Black, at_ns: 9, left_ms: [1, 2] }),
            line: Some(vec!["e2e4".to_owned()]),
            game: Some(GameName::Given("5-2".into())),
            ended: Some(Ended {
                by: Name::Resignation.into(),
                result: GameResult::WhiteWins,
                is_heard: true,
            }),
        };
        let said = Input::Neighbour(neighbour);
        let (kind, data) = stored(&said);
        assert_eq!(kind, InputKind::Neighbour);
        assert_eq!(input(&StoredInput { id: 1, stamp: Stamp::default(), kind, data }), Some(said));
    }
}
