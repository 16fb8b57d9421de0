//! Is the journal whole? Reads every file and changes none.
//!
//! For each file: SQLite's own check, the `meta` row that ties it to the file before, then input by
//! input the numbers, the events that belong to it, and the link of the chain over both.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row, Rows, params};
use serde_json::Value;

use adoube_core::event::{Body, Finding, Numbered, Publisher, Said};
use adoube_core::rounds::{Book, Entered};
use adoube_rules::laws::Name;
use adoube_rules::stamp::Stamp;

use super::InputKind;
use super::chain::{self, Chain, Link};
use super::files::{self, JournalFile};
use super::retention::Removed;
use super::schema::Meta;
use super::store::Position;

/// What a journal is like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Files read.
    pub files: usize,
    /// Inputs found good.
    pub inputs: u64,
    /// Events found good.
    pub events: u64,
    /// The last link, in hex. Written down somewhere else it shows that nothing was cut off later.
    pub link: Option<String>,
    /// Things to know that are no damage.
    pub remarks: Vec<String>,
    /// The first thing that is wrong; nothing behind it was looked at.
    pub problem: Option<Problem>,
}

/// Something wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {place}: {what}", file.display())]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The row, or the part of the file.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
}

/// Reads the journal in `dir` and says whether it is whole. Damaged files are reported, whatever
/// they hold.
#[must_use]
pub fn verify(dir: &Path) -> Report {
    let mut report = Report::default();
    let result = files::list(dir)
        .map_err(|error| problem(dir, "directory", error))
        .and_then(|files| verify_files(dir, &files, &mut report));
    report.problem = result.err();
    report
}

fn problem(file: &Path, place: impl Into<String>, what: impl ToString) -> Problem {
    Problem { file: file.to_owned(), place: place.into(), what: what.to_string() }
}

fn verify_files(dir: &Path, files: &[JournalFile], report: &mut Report) -> Result<(), Problem> {
    let mut opened = Vec::new();
    for file in files {
        match files::open(file).map_err(|error| problem(&file.path, "file", error))? {
            Some((connection, meta)) => opened.push((file, connection, meta)),
            None => report.remarks.push(format!("{}: nothing was written to it", file.path.display())),
        }
    }
    if let Some((file, _, meta)) = opened.first().filter(|(_, _, meta)| meta.first_input > 1) {
        let place = file.path.display();
        let why = Removed::told(dir, meta).unwrap_or_else(|| "earlier files are not here".into());
        report.remarks.push(format!("begins with {place}, input {}; {why}", meta.first_input));
    }
    let mut walk: Option<Walk> = None;
    for (at, (file, connection, meta)) in opened.iter().enumerate() {
        let mut next_walk = walk.take().unwrap_or_else(|| Walk::before(meta));
        let end = opened.get(at + 1).map(|(_, _, next)| (next.first_input, next.first_seq));
        let part = Check { path: &file.path, connection, meta, end: end.unwrap_or((u64::MAX, u64::MAX)) };
        part.check(&mut next_walk, report)?;
        report.files += 1;
        report.link = Some(chain::to_hex(&next_walk.last.link));
        walk = Some(next_walk);
    }
    match (walk, opened.last()) {
        (Some(walk), Some((file, ..))) => walk.finish(&file.path),
        _ => Ok(()),
    }
}

/// Where the walk through the rows stands, over all files.
struct Walk {
    last: Position,
    /// Numbers that are not there: first, how many.
    missing: Vec<(u64, u64)>,
    missing_public: u64,
    /// What `journal-gap` events say is lost: first, last, how many.
    explained: Vec<(u64, u64, u64)>,
    explained_public: u64,
    publisher: Publisher,
    /// Pairings and rounds; unknown where the journal does not begin with its first file.
    book: Option<Book>,
}

impl Walk {
    fn before(meta: &Meta) -> Self {
        let last = Position {
            input: meta.first_input.saturating_sub(1),
            seq: meta.first_seq.saturating_sub(1),
            public: meta.first_public.saturating_sub(1),
            link: meta.chain,
        };
        Self {
            last,
            missing: Vec::new(),
            missing_public: 0,
            explained: Vec::new(),
            explained_public: 0,
            publisher: Publisher::default(),
            book: (meta.first_input == 1).then(Book::default),
        }
    }

    /// Every number that is not there must be one of which the journal said that it is lost.
    fn finish(&self, path: &Path) -> Result<(), Problem> {
        for &(first, count) in &self.missing {
            let is_explained = |&&(from, to, _): &&(u64, u64, u64)| from <= first && first + count - 1 <= to;
            if !self.explained.iter().any(|gap| is_explained(&gap)) {
                return Err(problem(path, format!("event {first}"), format!("{count} events are missing")));
            }
        }
        let missing: u64 = self.missing.iter().map(|(_, count)| count).sum();
        let explained: u64 = self.explained.iter().map(|(_, _, count)| count).sum();
        if missing > explained {
            return Err(problem(
                path,
                "events",
                format!("{missing} are missing, of which {explained} are explained"),
            ));
        }
        if self.missing_public > self.explained_public {
            return Err(problem(path, "public numbers", format!("{} are missing", self.missing_public)));
        }
        Ok(())
    }

    fn explain(&mut self, event: &Numbered) {
        if let Said::Record(recorded) = &event.said
            && let Finding::JournalGap(gap) = &recorded.finding
            && let Some((first, last)) = gap.first_lost.zip(gap.last_lost)
        {
            self.explained.push((first, last, gap.lost_events));
            self.explained_public += gap.lost_public;
        }
    }
}

/// One file under check.
struct Check<'a> {
    path: &'a Path,
    connection: &'a Connection,
    meta: &'a Meta,
    /// Input and `seq` with which the next file begins.
    end: (u64, u64),
}

/// An event as the table has it.
struct EventRow {
    seq: u64,
    public_id: Option<u64>,
    input: u64,
    board: String,
    game: Option<String>,
    name: String,
    json: String,
}

impl Check<'_> {
    fn problem(&self, place: impl Into<String>, what: impl ToString) -> Problem {
        problem(self.path, place, what)
    }

    fn check(&self, walk: &mut Walk, report: &mut Report) -> Result<(), Problem> {
        let sqlite = |error: rusqlite::Error| self.problem("file", error);
        let integrity: String =
            self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(sqlite)?;
        if integrity != "ok" {
            return Err(self.problem("file", integrity));
        }
        self.check_meta(&walk.last)?;
        walk.last.link = self.meta.link();
        let inputs =
            "SELECT id, board, mono_ns, utc_ns, kind, data, chain FROM input WHERE id < ?1 ORDER BY id";
        let events =
            "SELECT seq, public_id, input, board, game, type, json FROM event WHERE seq < ?1 ORDER BY seq";
        let mut inputs = self.connection.prepare(inputs).map_err(sqlite)?;
        let mut events = self.connection.prepare(events).map_err(sqlite)?;
        let bound = |end: u64| i64::try_from(end).unwrap_or(i64::MAX);
        let mut inputs = inputs.query(params![bound(self.end.0)]).map_err(sqlite)?;
        let mut events = events.query(params![bound(self.end.1)]).map_err(sqlite)?;
        let mut waiting = next_event(&mut events).map_err(sqlite)?;
        loop {
            let after = format!("after input {}", walk.last.input);
            let Some(row) = inputs.next().map_err(|error| self.problem(&after, error))? else { break };
            let id = row.get::<_, i64>(0).map_err(|error| self.problem(&after, error))?.cast_unsigned();
            let mut own = Vec::new();
            while let Some(event) = waiting.take_if(|event| event.input == id) {
                own.push(event);
                waiting =
                    next_event(&mut events).map_err(|error| self.problem(format!("input {id}"), error))?;
            }
            self.check_input(id, row, &own, walk)?;
            report.inputs += 1;
            report.events += own.len() as u64;
        }
        if let Some(event) = waiting {
            let place = format!("event {}", event.seq);
            return Err(self.problem(place, format!("its input {} is not in its place", event.input)));
        }
        self.check_end(walk)
    }

    /// Does the file follow the one before?
    fn check_meta(&self, last: &Position) -> Result<(), Problem> {
        let Meta { first_input, first_seq, first_public, chain, .. } = *self.meta;
        let begin =
            Position { input: last.input + 1, seq: last.seq + 1, public: last.public + 1, link: last.link };
        if begin != (Position { input: first_input, seq: first_seq, public: first_public, link: chain }) {
            return Err(self.problem("meta", "does not follow the file before"));
        }
        Ok(())
    }

    /// Does the file reach the next one?
    fn check_end(&self, walk: &Walk) -> Result<(), Problem> {
        let (input, seq) = (walk.last.input + 1, walk.last.seq + 1);
        let (end_input, end_seq) = self.end;
        if (end_input != u64::MAX && input != end_input) || (end_seq != u64::MAX && seq != end_seq) {
            return Err(self.problem(format!("input {input}"), "missing, as all until the next file"));
        }
        Ok(())
    }

    fn check_input(
        &self,
        id: u64,
        row: &Row<'_>,
        events: &[EventRow],
        walk: &mut Walk,
    ) -> Result<(), Problem> {
        let place = || format!("input {id}");
        if id != walk.last.input + 1 {
            return Err(self.problem(format!("input {}", walk.last.input + 1), "missing"));
        }
        let (stored, stamp, board, kind, data) =
            columns(row).map_err(|error| self.problem(place(), error))?;
        if InputKind::from_name(&kind).is_none() {
            return Err(self.problem(place(), format!("of no known kind: {kind}")));
        }
        let mut chain = Chain::after(&walk.last.link);
        chain.input(id, &board, stamp, &kind, &data, events.len());
        for event in events {
            chain.event(event.seq, event.public_id, event.game.as_deref(), &event.name, &event.json);
        }
        let link = chain.link();
        if link != stored {
            return Err(self.problem(
                place(),
                "the chain is broken: the row, its events or a row before it were changed",
            ));
        }
        for event in events {
            self.check_event(event, &board, walk)?;
        }
        if kind == InputKind::Pairings.name() {
            self.check_rounds(id, &data, events, walk)?;
        } else if kind == InputKind::Journal.name() {
            // What was lost in a gap may have been pairings.
            walk.book = None;
        }
        (walk.last.input, walk.last.link) = (id, link);
        Ok(())
    }

    /// Were the rounds opened and closed that the pairings say?
    fn check_rounds(
        &self,
        id: u64,
        data: &[u8],
        events: &[EventRow],
        walk: &mut Walk,
    ) -> Result<(), Problem> {
        let place = || format!("input {id}");
        let entered: Entered = serde_json::from_slice(data).map_err(|error| self.problem(place(), error))?;
        // A file begins with them once more, for who has that file alone.
        let is_copy = id == self.meta.first_input && events.is_empty();
        let before = walk.book.clone().filter(|_| !is_copy);
        let said = |event: &EventRow| {
            let json: Value = serde_json::from_str(&event.json).unwrap_or_default();
            (Name::read(&event.name), json["round"].as_u64())
        };
        let follows = |before: &Book| {
            let bodies = before.events(&entered.book).into_iter();
            let round =
                |body: &Body| if let Body::Round { round, .. } = body { Some((*round).into()) } else { None };
            bodies.map(|body| (Some(body.name()), round(&body))).collect::<Vec<_>>()
        };
        if before.is_some_and(|before| follows(&before) != events.iter().map(said).collect::<Vec<_>>()) {
            return Err(
                self.problem(place(), "the rounds that it opens and closes are not those of its events")
            );
        }
        if !is_copy || walk.book.is_none() {
            walk.book = Some(entered.book);
        }
        Ok(())
    }

    /// Are the numbers gapless, and do columns and JSON say the same?
    fn check_event(&self, event: &EventRow, board: &str, walk: &mut Walk) -> Result<(), Problem> {
        let place = || format!("event {}", event.seq);
        let last = &mut walk.last;
        if event.seq > last.seq + 1 {
            walk.missing.push((last.seq + 1, event.seq - last.seq - 1));
        }
        last.seq = event.seq;
        let said =
            Numbered::from_json(&event.json, event.public_id).map_err(|what| self.problem(place(), what))?;
        // Moves that waited to be completed have the numbers before it.
        let published = walk.publisher.publish(&said);
        if let (Some(first), Some(public_id)) = (published.first(), event.public_id) {
            if first.id <= last.public {
                return Err(self.problem(place(), format!("public number {} for the second time", first.id)));
            }
            walk.missing_public += first.id - last.public - 1;
            last.public = public_id;
        }
        let columns = (event.seq, event.board.as_str(), event.game.as_deref(), event.name.as_str());
        if columns != (said.seq, &said.board, said.game.as_deref(), said.name().as_str())
            || event.board != board
        {
            return Err(self.problem(place(), "its columns and its JSON differ"));
        }
        walk.explain(&said);
        Ok(())
    }
}

type Columns = (Link, Stamp, String, String, Vec<u8>);

fn columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    let stamp = Stamp { mono_ns: row.get::<_, i64>(2)?.cast_unsigned(), utc_ns: row.get(3)? };
    Ok((row.get(6)?, stamp, row.get(1)?, row.get(4)?, row.get(5)?))
}

fn next_event(rows: &mut Rows<'_>) -> rusqlite::Result<Option<EventRow>> {
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(EventRow {
        seq: row.get::<_, i64>(0)?.cast_unsigned(),
        public_id: row.get::<_, Option<i64>>(1)?.map(i64::cast_unsigned),
        input: row.get::<_, i64>(2)?.cast_unsigned(),
        board: row.get(3)?,
        game: row.get(4)?,
        name: row.get(5)?,
        json: row.get(6)?,
    }))
}
