//! A station from its journal: the same inputs give the same events.

use std::sync::Arc;

use crate::event::{Event, Numbered, Numbering};
use crate::journal::{InputKind, JournalHandle, RecoveredBoard, StoredInput};
use crate::ruling::Ruling;
use crate::station::{Input, Open, Output, Station};

/// A station as it was, with the events that brought it there.
#[derive(Debug)]
pub struct Rebuilt {
    /// The station.
    pub station: Station,
    /// What it was opened with.
    pub open: Open,
    /// What it says to its inputs, in order.
    pub events: Vec<Event>,
}

/// Puts the inputs of a board through a new station.
///
/// # Errors
/// A sentence that says which input cannot be understood.
pub fn rebuild(inputs: &[StoredInput]) -> Result<Rebuilt, String> {
    let Some((first, rest)) = inputs.split_first().filter(|(first, _)| first.kind == InputKind::Open) else {
        return Err("the board was never opened".to_owned());
    };
    let open = opened(first)?;
    let mut station =
        Station::open(open.clone(), first.stamp).map_err(|error| format!("input {}: {error}", first.id))?;
    let mut output = Output::default();
    for stored in rest {
        let input = input(stored).ok_or_else(|| format!("input {}: not understood", stored.id))?;
        station.handle(&input, stored.stamp, &mut output);
        output.writes.clear();
    }
    Ok(Rebuilt { station, open, events: output.events })
}

/// What a board was opened with, of the input that says so.
pub(super) fn opened(stored: &StoredInput) -> Result<Open, String> {
    serde_json::from_slice(&stored.data)
        .map_err(|error| format!("input {}: what the board was opened with: {error}", stored.id))
}

/// The input that lies in the journal; `None` if it is none that a station takes.
#[must_use]
pub fn input(stored: &StoredInput) -> Option<Input> {
    match stored.kind {
        InputKind::Bytes => Some(Input::Bytes(stored.data.clone())),
        InputKind::Link if stored.data == UP => Some(Input::LinkUp),
        InputKind::Link if stored.data == DOWN => Some(Input::LinkDown),
        InputKind::Link if stored.data == REMOVED => Some(Input::Removed),
        InputKind::Link => {
            let port = stored.data.strip_prefix(AT)?;
            Some(Input::Placed(String::from_utf8(port.to_vec()).ok()?))
        }
        InputKind::Ruling => {
            let json = serde_json::from_slice(&stored.data).ok()?;
            Some(Input::Ruling(Ruling::parse(&json).ok()?))
        }
        InputKind::Neighbour => Some(Input::Neighbour(serde_json::from_slice(&stored.data).ok()?)),
        InputKind::Pairing => Some(Input::Pairing(serde_json::from_slice(&stored.data).ok()?)),
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
        Input::Removed => (InputKind::Link, REMOVED.to_vec()),
        Input::Placed(port) => (InputKind::Link, [AT, port.as_bytes()].concat()),
        Input::Ruling(ruling) => (InputKind::Ruling, ruling.to_json().to_string().into_bytes()),
        // Plain texts and numbers: that cannot fail.
        Input::Neighbour(neighbour) => {
            (InputKind::Neighbour, serde_json::to_vec(neighbour).unwrap_or_default())
        }
        Input::Pairing(pairing) => (InputKind::Pairing, serde_json::to_vec(pairing).unwrap_or_default()),
        Input::Wake | Input::Announce(_) | Input::Reading(_) => (InputKind::Wake, Vec::new()),
    }
}

const UP: &[u8] = b"up";
const DOWN: &[u8] = b"down";
const REMOVED: &[u8] = b"removed";
/// Before the port at which the board is from then on.
const AT: &[u8] = b"at ";

/// The station of a game that was open, if it replays to what was said.
pub(super) fn go_on(journal: &JournalHandle, board: &RecoveredBoard, open: &Open) -> Option<Station> {
    let name = &board.board;
    if !board.is_same_core || !board.is_whole {
        tracing::warn!(board = %name, "recorded by another version or with a gap; it starts afresh");
        return None;
    }
    let rebuilt = match rebuild(&board.inputs) {
        Ok(rebuilt) => rebuilt,
        Err(error) => {
            tracing::error!(board = %name, "{error}; it starts afresh");
            return None;
        }
    };
    if let Some(difference) = replay_difference(board, &rebuilt.events) {
        tracing::error!("the replay differs, the table starts afresh: {difference}");
        return None;
    }
    // A board that was configured otherwise (where it is does not matter), or has no game to go on with, starts afresh.
    let is_same = Open { port: open.port.clone(), ..rebuilt.open } == *open;
    if !is_same || !rebuilt.station.is_playing() {
        return None;
    }
    for (event, stored) in rebuilt.events.iter().zip(&board.events) {
        journal.recall(event, stored);
    }
    Some(rebuilt.station)
}

/// Compares what the core says now with what it said then; the first difference in words.
#[must_use]
pub fn replay_difference(board: &RecoveredBoard, events: &[Event]) -> Option<String> {
    let mut numbering = Numbering::default();
    for (event, stored) in events.iter().zip(&board.events) {
        if let Some(difference) = difference(&mut numbering, &board.board, event, stored) {
            return Some(difference);
        }
    }
    (events.len() != board.events.len()).then(|| {
        format!(
            "board {}: {} events are stored, the replay gives {}",
            board.board,
            board.events.len(),
            events.len()
        )
    })
}

fn difference(
    numbering: &mut Numbering,
    board: &Arc<str>,
    event: &Event,
    stored: &Numbered,
) -> Option<String> {
    numbering.recall(event, stored);
    let again = numbering.render(board, event, stored.seq);
    (again != stored.json).then(|| {
        let again = serde_json::to_string(&again).unwrap_or_default();
        format!("board {board}, seq {}: stored {}, replayed {again}", stored.seq, stored.to_line())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor::Side;
    use crate::stamp::Stamp;
    use crate::table::{Neighbour, Pressed};

    #[test]
    fn where_a_board_is_comes_back_from_the_journal() {
        for said in
            [Input::Placed("serial:/dev/x y".to_owned()), Input::Removed, Input::LinkUp, Input::LinkDown]
        {
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
        };
        let said = Input::Neighbour(neighbour);
        let (kind, data) = stored(&said);
        assert_eq!(kind, InputKind::Neighbour);
        assert_eq!(input(&StoredInput { id: 1, stamp: Stamp::default(), kind, data }), Some(said));
    }
}
