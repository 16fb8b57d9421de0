//! What a start reads out of the journal: where to go on, and what each board needs to be replayed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::Value;

use super::chain::{self, Link};
use super::files::{self, JournalFile, Part};
use super::handle::Shared;
use super::hold::{Hold, Lost};
use super::note::Note;
use super::reader::{StoredEvent, stored_event};
use super::schema::{self, Meta};
use super::store::{Position, Store};
use super::writer::Writer;
use super::{InputKind, JournalError, JournalState, Options, StoredInput};
use adoube_core::event::Numbering;
use adoube_rules::stamp::Stamp;

/// What a restart needs.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Stamp of the last input; stamps go on from here (DESIGN 2.1, rule 5).
    pub last_stamp: Option<Stamp>,
    /// Names the numbers: an id of another epoch is not one of this journal.
    pub epoch: String,
    /// The last `seq`, 0 for none.
    pub last_seq: u64,
    /// The last public number, 0 for none.
    pub last_public: u64,
    /// The boards that were ever opened, by name.
    pub boards: Vec<RecoveredBoard>,
    /// The last input of kind [`InputKind::Pairings`].
    pub pairings: Option<Vec<u8>>,
    /// How far each feed had sent.
    pub sent: BTreeMap<String, u64>,
    /// What was not as it should be, a sentence each, for the log and the arbiter.
    pub remarks: Vec<String>,
}

/// One board since it was opened.
#[derive(Debug)]
pub struct RecoveredBoard {
    /// Its name.
    pub board: Arc<str>,
    /// Did the same `CORE` make all of its events? Else they need not replay to the same.
    pub is_same_core: bool,
    /// Are all inputs here? Not after a gap in which some were lost: a replay would differ.
    pub is_whole: bool,
    /// The game that is open there. Without one there is nothing to go on with, and of the inputs only the first and those
    /// about the link are here.
    pub game: Option<String>,
    /// Its inputs from the last [`InputKind::Open`] on, in order.
    pub inputs: Vec<StoredInput>,
    /// The events of those inputs, in order.
    pub events: Vec<StoredEvent>,
}

/// Where the writer goes on.
pub(super) struct Resume {
    store: Option<Store>,
    next_file: u32,
    position: Position,
    numbering: Numbering,
    epoch: String,
    latest: Stamp,
    sent: BTreeMap<String, u64>,
    pairings: Option<Vec<u8>>,
    hold: Option<Hold>,
}

impl Resume {
    pub(super) fn state(&self) -> JournalState {
        let degraded = |hold: &Hold| JournalState::Degraded {
            since: hold.since(),
            reason: "numbers of the last run were lost; they are noted with the next commit".into(),
        };
        self.hold.as_ref().map_or(JournalState::Ok, degraded)
    }

    /// The numbers that come next.
    pub(super) fn numbering(&self) -> Numbering {
        self.numbering.clone()
    }

    pub(super) fn writer<S>(
        self,
        dir: &Path,
        core: u32,
        options: Options,
        shared: Arc<Shared>,
        sink: S,
    ) -> Writer<S> {
        let Self { store, next_file, position, numbering: _, epoch, latest, sent, pairings, hold } = self;
        let retry_at = hold.as_ref().map(|_| super::writer::now());
        let dir = dir.to_owned();
        let is_sent_stored = true;
        Writer {
            dir,
            options,
            core,
            epoch,
            store,
            next_file,
            position,
            sent,
            is_sent_stored,
            pairings,
            latest,
            hold,
            retry_at,
            measured_at: None,
            shared,
            sink,
        }
    }
}

/// Where the rows end.
struct End {
    position: Position,
    stamp: Option<Stamp>,
    /// The file, if it can be gone on with.
    file: Option<(JournalFile, Meta)>,
    epoch: Option<String>,
    sent: BTreeMap<String, u64>,
    remarks: Vec<String>,
}

/// Reads everything that a start needs.
pub(super) fn recover(dir: &Path, core: u32, options: &Options) -> Result<(Recovered, Resume), JournalError> {
    let files = files::list(dir)?;
    let next_file = files.last().map_or(1, |file| file.number + 1);
    let End { position, stamp, file, epoch, sent, mut remarks } = end(files)?;
    let note = Note::read(&options.notes);
    let (seq, public) = note.as_ref().map_or((0, 0), |note| (note.seq, note.public));
    let lost = lost(note.as_ref(), position);
    let is_new = epoch.is_none() || lost.is_some();
    if lost.is_some() {
        remarks.push(format!("events {} to {seq} were said and are not on disk", position.seq + 1));
    }
    let epoch = epoch.filter(|_| !is_new).unwrap_or_else(new_epoch);
    let (last_seq, last_public) = (position.seq.max(seq), position.public.max(public));
    let is_lost = lost.is_some();
    let latest = stamp.unwrap_or_default();
    // A file that failed, or that another core wrote, is not gone on with.
    let store = file.filter(|(_, meta)| note.is_none() && meta.core == core && meta.epoch == epoch);
    let store =
        store.and_then(|(file, meta)| Store::resume(&file.path, meta, position, options.wal_bytes).ok());
    if !is_lost {
        Note::remove(&options.notes);
    }
    let (boards, pairings) = boards(dir, core, is_lost, &mut remarks);
    let resume = Resume {
        store,
        next_file,
        position,
        numbering: Numbering::after(last_seq, last_public),
        epoch: epoch.clone(),
        latest,
        sent: sent.clone(),
        pairings: pairings.clone(),
        hold: lost.map(|lost| Hold::after_restart(latest, lost)),
    };
    Ok((
        Recovered { last_stamp: stamp, epoch, last_seq, last_public, boards, pairings, sent, remarks },
        resume,
    ))
}

/// A short random text.
pub(super) fn new_epoch() -> String {
    // 40 bits: two epochs of one journal are never the same, and it is short enough to be read out.
    let mut bytes = [0; 5];
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::warn!(%error, "no randomness; the epoch is the number of this process");
        return format!("p{}", std::process::id());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the last run said and could not store.
fn lost(note: Option<&Note>, stored: Position) -> Option<Lost> {
    let note = note?;
    let first = note.first_lost.unwrap_or(stored.seq + 1).min(stored.seq + 1);
    if note.seq <= stored.seq && note.first_lost.is_none() {
        return None;
    }
    let range = Some([first, note.seq]);
    let events = (note.seq + 1).saturating_sub(first);
    Some(Lost {
        inputs: None,
        range,
        events,
        public: note.public.saturating_sub(stored.public),
        boards: None,
    })
}

/// Finds the last row. Files in which nothing was ever acknowledged are removed.
fn end(mut files: Vec<JournalFile>) -> Result<End, JournalError> {
    let mut remarks = Vec::new();
    let mut skipped_bytes = 0;
    let mut is_last = true;
    while let Some(file) = files.pop() {
        match end_of(&file) {
            Ok(Some((meta, position, stamp, sent))) => {
                let is_damaged = skipped_bytes > 0;
                let position = Position {
                    // No event takes less than a byte: numbers beyond that were never used.
                    seq: position.seq + skipped_bytes,
                    public: position.public + skipped_bytes,
                    input: position.input + skipped_bytes,
                    ..position
                };
                let epoch = Some(meta.epoch.clone()).filter(|_| !is_damaged);
                let has_rows = position.input >= meta.first_input;
                if !has_rows && is_last {
                    files::remove(&file.path);
                }
                let file = Some((file, meta)).filter(|_| is_last && has_rows);
                return Ok(End { position, stamp, file, epoch, sent, remarks });
            }
            Ok(None) => files::remove(&file.path),
            Err(error @ JournalError::Newer { .. }) => return Err(error),
            Err(error) => {
                remarks.push(format!("{error}; the file is left as it is, `adoube verify` says more"));
                skipped_bytes += bytes(&file.path);
            }
        }
        is_last = false;
    }
    let position =
        Position { input: skipped_bytes, seq: skipped_bytes, public: skipped_bytes, link: chain::START };
    Ok(End { position, stamp: None, file: None, epoch: None, sent: BTreeMap::new(), remarks })
}

fn bytes(path: &Path) -> u64 {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    length(path) + length(&files::beside(path, "-wal"))
}

type FileEnd = (Meta, Position, Option<Stamp>, BTreeMap<String, u64>);

/// The last row of one file; `None` if it was never finished.
fn end_of(file: &JournalFile) -> Result<Option<FileEnd>, JournalError> {
    let Some((connection, meta)) = files::open(file)? else { return Ok(None) };
    let sqlite = |source| JournalError::Sqlite { path: file.path.clone(), source };
    let before = Position {
        input: meta.first_input.saturating_sub(1),
        seq: meta.first_seq.saturating_sub(1),
        public: meta.first_public.saturating_sub(1),
        link: meta.chain,
    };
    let (position, stamp) = last_row(&connection, before).map_err(sqlite)?;
    let sent = connection
        .prepare("SELECT feed, seq FROM sent")
        .and_then(|mut rows| {
            rows.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned())))?.collect()
        })
        .map_err(sqlite)?;
    Ok(Some((meta, position, stamp, sent)))
}

fn last_row(connection: &Connection, before: Position) -> rusqlite::Result<(Position, Option<Stamp>)> {
    let input = "SELECT id, chain, mono_ns, utc_ns FROM input ORDER BY id DESC LIMIT 1";
    let input: Option<(i64, Link, Stamp)> = connection
        .query_row(input, [], |row| Ok((row.get(0)?, row.get(1)?, stamp(row.get(2)?, row.get(3)?))))
        .optional()?;
    let Some((id, link, stamp)) = input else { return Ok((before, None)) };
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).optional();
    let seq = number("SELECT seq FROM event ORDER BY seq DESC LIMIT 1")?;
    let public = number("SELECT public_id FROM event WHERE public_id IS NOT NULL ORDER BY seq DESC LIMIT 1")?;
    let position = Position {
        input: id.cast_unsigned(),
        seq: seq.map_or(before.seq, i64::cast_unsigned),
        public: public.map_or(before.public, i64::cast_unsigned),
        link,
    };
    Ok((position, Some(stamp)))
}

fn stamp(mono_ns: i64, utc_ns: i64) -> Stamp {
    Stamp { mono_ns: mono_ns.cast_unsigned(), utc_ns }
}

/// The boards that were ever opened, for who only looks: nothing is locked and nothing is mended.
/// The sentences say what could not be read.
#[must_use]
pub fn boards_since_open(dir: &Path, core: u32) -> (Vec<RecoveredBoard>, Vec<String>) {
    let mut remarks = Vec::new();
    (boards(dir, core, false, &mut remarks).0, remarks)
}

/// Reads every board that was ever opened, as far as the files can be read; and the pairings, which each file
/// has again.
fn boards(
    dir: &Path,
    core: u32,
    is_lost: bool,
    remarks: &mut Vec<String>,
) -> (Vec<RecoveredBoard>, Option<Vec<u8>>) {
    let (parts, errors) = files::readable_parts(dir);
    let mut is_torn = is_lost || !errors.is_empty();
    let mut found = Found::default();
    let mut read = |step: &str, result: Result<(), Failure>, part: &Part| {
        if let Err(error) = result {
            remarks.push(format!("{}: {step}: {error}", part.file.path.display()));
            is_torn = true;
        }
    };
    for part in &parts {
        let looked = found.look(part, core);
        read("which boards there are", looked, part);
    }
    let from = found.first_needed();
    for part in parts.iter().filter(|part| part.end_input > from) {
        let taken = found.take(part, from);
        read("what was played", taken, part);
    }
    for board in found.boards.values_mut() {
        board.is_whole &= !is_torn;
    }
    (found.boards.into_values().collect(), found.pairings)
}

/// What a start finds out in two steps: first, by the indexes, which boards there are and which of them have a game;
/// then the inputs of those, and no others.
#[derive(Default)]
struct Found {
    boards: BTreeMap<Arc<str>, RecoveredBoard>,
    pairings: Option<Vec<u8>>,
}

impl Found {
    /// The boards of one file and how they stand. An `open` begins its board afresh.
    fn look(&mut self, part: &Part, core: u32) -> Result<(), Failure> {
        let Some((connection, _)) = files::open(&part.file)? else { return Ok(()) };
        let is_same_core = part.meta.core == core;
        for board in self.boards.values_mut() {
            board.is_same_core &= is_same_core;
        }
        let end = limit(part.end_input);
        let opens = format!(
            "SELECT {INPUT} FROM input WHERE id IN \
             (SELECT MAX(id) FROM input {} WHERE kind = 'open' AND id < ?1 GROUP BY board)",
            schema::by(&connection, "input_open")?
        );
        for (board, open) in stored_inputs(&connection, &opens, params![end])? {
            let game = self.boards.get(&board).and_then(|before| before.game.clone());
            let (inputs, events) = (vec![open], Vec::new());
            let name = Arc::clone(&board);
            let found = RecoveredBoard { board, is_same_core, is_whole: true, game, inputs, events };
            self.boards.insert(name, found);
        }
        let by = schema::by(&connection, "input_rare")?;
        let rare = format!(
            "SELECT {INPUT} FROM input {by} WHERE kind IN ('link', 'journal') AND id < ?1 ORDER BY id"
        );
        for (board, input) in stored_inputs(&connection, &rare, params![end])? {
            if input.kind == InputKind::Journal {
                self.tear(&input);
            } else if let Some(board) = self.boards.get_mut(&board).filter(|board| board.opened() < input.id)
            {
                board.inputs.push(input);
            }
        }
        let by = schema::by(&connection, "input_pairings")?;
        let last = format!(
            "SELECT data FROM input {by} WHERE kind = 'pairings' AND id < ?1 ORDER BY id DESC LIMIT 1"
        );
        let last = connection.query_row(&last, params![end], |row| row.get(0)).optional()?;
        self.pairings = last.or_else(|| self.pairings.take());
        self.games(&connection, limit(part.end_seq))?;
        Ok(())
    }

    /// Which boards have a game that is open.
    fn games(&mut self, connection: &Connection, end: i64) -> rusqlite::Result<()> {
        let by = schema::by(connection, "event_outline")?;
        let sql = format!(
            "SELECT board, type, game FROM event {by} WHERE type IN ({}) AND seq < ?1 ORDER BY seq",
            schema::OUTLINE
        );
        let mut rows = connection.prepare(&sql)?;
        let mut rows = rows.query(params![end])?;
        while let Some(row) = rows.next()? {
            let (board, name): (String, String) = (row.get(0)?, row.get(1)?);
            match name.as_str() {
                "game-opened" => self.plays(&board, row.get(2)?),
                "game-closed" => self.plays(&board, None),
                "game-changed" => self.goes_on_at(&board, row.get(2)?),
                _ => {}
            }
        }
        Ok(())
    }

    fn plays(&mut self, board: &str, game: Option<String>) {
        if let Some(board) = self.boards.get_mut(board) {
            board.game = game;
        }
    }

    /// What is said of an open game is said by the board at which it is played. The board from which it came may not have
    /// said yet that it let go of it.
    fn goes_on_at(&mut self, board: &str, game: Option<String>) {
        let is_left = |(other, known): &(&Arc<str>, &mut RecoveredBoard)| {
            &***other != board && game.is_some() && known.game == game
        };
        if let Some((_, left)) = self.boards.iter_mut().find(is_left) {
            left.game = None;
            self.plays(board, game);
        }
    }

    /// The first input that is needed.
    fn first_needed(&self) -> u64 {
        let playing = self.boards.values().filter(|board| board.game.is_some());
        playing.map(RecoveredBoard::opened).min().unwrap_or(u64::MAX)
    }

    /// Takes the inputs and events of one file, from the input `from` on, of the boards that have a game: both at once, as
    /// a start waits for nothing else.
    fn take(&mut self, part: &Part, from: u64) -> Result<(), Failure> {
        let playing = |board: &&RecoveredBoard| board.game.is_some();
        let opened = self.boards.values().filter(playing);
        let opened: Opened = opened.map(|board| (Arc::clone(&board.board), board.opened())).collect();
        // What comes before a damaged page is of use.
        let (mut inputs, mut events) = (Vec::new(), Vec::new());
        let (inputs_read, events_read) = std::thread::scope(|scope| {
            let read = scope.spawn(|| inputs_since(part, from, &opened, &mut inputs));
            let events_read = events_since(part, from, &opened, &mut events);
            (read.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), events_read)
        });
        for (board, input) in inputs {
            if let Some(board) = self.boards.get_mut(&board) {
                board.inputs.push(input);
            }
        }
        for event in events {
            if let Some(board) = self.boards.get_mut(event.board.as_str()) {
                board.events.push(event);
            }
        }
        for board in self.boards.values_mut() {
            // Those about the link were found before the others.
            board.inputs.sort_by_key(|input| input.id);
        }
        inputs_read.and(events_read)
    }

    /// Marks the boards that lost inputs in a gap of the journal.
    fn tear(&mut self, remark: &StoredInput) {
        let json: Value = serde_json::from_slice(&remark.data).unwrap_or_default();
        let Some(lost) = json.get("lost_boards") else { return };
        let lost = lost.as_array();
        for (name, board) in &mut self.boards {
            let is_named = lost.is_none_or(|lost| lost.iter().any(|lost| lost.as_str() == Some(name)));
            board.is_whole &= board.opened() > remark.id || !is_named;
        }
    }
}

impl RecoveredBoard {
    /// The number of the input with which it was opened.
    fn opened(&self) -> u64 {
        self.inputs.first().map_or(0, |open| open.id)
    }
}

/// An input and whose it is.
type OfBoard = (Arc<str>, StoredInput);

/// The boards that have a game, and the number of the input with which each was opened.
type Opened = BTreeMap<Arc<str>, u64>;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The inputs of one file, from the input `from` on, of those boards since they were opened, but for those about the link.
fn inputs_since(part: &Part, from: u64, opened: &Opened, inputs: &mut Vec<OfBoard>) -> Result<(), Failure> {
    let Some((connection, _)) = files::open(&part.file)? else { return Ok(()) };
    let sql = format!("SELECT {INPUT} FROM input WHERE id >= ?1 AND id < ?2 ORDER BY id");
    let mut rows = connection.prepare(&sql)?;
    let mut rows = rows.query(params![limit(from), limit(part.end_input)])?;
    while let Some(row) = rows.next()? {
        // Most rows of a busy hall are of no use here, and their bytes need not be copied.
        let is_known = row.get_ref(4)?.as_str()? == InputKind::Link.name();
        let since = opened.get(row.get_ref(1)?.as_str()?).filter(|_| !is_known);
        if since.is_some_and(|&since| row.get::<_, i64>(0).is_ok_and(|id| id.cast_unsigned() > since)) {
            inputs.push(stored_input(row)?);
        }
    }
    Ok(())
}

/// The events of those inputs.
fn events_since(
    part: &Part,
    from: u64,
    opened: &Opened,
    events: &mut Vec<StoredEvent>,
) -> Result<(), Failure> {
    let Some((connection, _)) = files::open(&part.file)? else { return Ok(()) };
    let first = super::inputs::first_event(&connection, from)?;
    let sql = "SELECT seq, public_id, board, game, type, json, input FROM event \
               WHERE seq >= ?1 AND seq < ?2 ORDER BY seq";
    let mut rows = connection.prepare(sql)?;
    let mut rows = rows.query(params![limit(first), limit(part.end_seq)])?;
    while let Some(row) = rows.next()? {
        let Some(&since) = opened.get(row.get_ref(2)?.as_str()?) else { continue };
        if row.get::<_, i64>(6)?.cast_unsigned() >= since {
            events.push(stored_event(row)?);
        }
    }
    Ok(())
}

/// The columns of an input, in the order in which [`stored_input`] reads them.
const INPUT: &str = "id, board, mono_ns, utc_ns, kind, data";

fn stored_input(row: &Row<'_>) -> Result<OfBoard, Failure> {
    let (id, kind) = (row.get::<_, i64>(0)?.cast_unsigned(), row.get_ref(4)?.as_str()?);
    let kind = InputKind::from_name(kind).ok_or_else(|| format!("input {id} is of no known kind: {kind}"))?;
    let input = StoredInput { id, stamp: stamp(row.get(2)?, row.get(3)?), kind, data: row.get(5)? };
    Ok((row.get_ref(1)?.as_str()?.into(), input))
}

fn stored_inputs(
    connection: &Connection,
    sql: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<Vec<OfBoard>, Failure> {
    let mut rows = connection.prepare(sql)?;
    let mut rows = rows.query(values)?;
    let mut inputs = Vec::new();
    while let Some(row) = rows.next()? {
        inputs.push(stored_input(row)?);
    }
    Ok(inputs)
}

/// A bound of SQL: `u64::MAX` stands for none.
fn limit(end: u64) -> i64 {
    i64::try_from(end).unwrap_or(i64::MAX)
}
