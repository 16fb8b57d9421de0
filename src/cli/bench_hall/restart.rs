//! A daemon that starts on a journal: a process of its own, so that nothing else takes memory there.
//!
//! It is told the ports of the boards on its input, and prints how long it took until the first page could be asked and
//! until what every board first said was taken, and what it took.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use rusqlite::{Connection, OpenFlags, params};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep, timeout};

use super::super::Answer;
use super::orders::{self, Orders};
use super::{PATIENCE, start};
use crate::{process, world};

/// The restart of "bench hall"
#[derive(Debug, Args)]
pub(in crate::cli) struct Restart {
    #[arg(long)]
    journal: PathBuf,
}

/// What a start took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Started {
    /// Until pages could be asked.
    pub(super) ready_s: f64,
    /// Until the first that each board said was taken.
    pub(super) heard_s: f64,
    /// Memory then, and the most until then.
    pub(super) resident_kib: u64,
    pub(super) peak_kib: u64,
}

impl Restart {
    #[tokio::main]
    pub(in crate::cli) async fn run(&self) -> anyhow::Result<Answer> {
        process::allow_many_files();
        let ports = Orders::read().next().await.context("no boards")?;
        let last = last_input(&self.journal)?;
        let (began, began_ns) = (Instant::now(), i64::try_from(world::now().as_nanosecond())?);
        let daemon = start(&ports, &self.journal, 1.0).await?;
        let ready_s = began.elapsed().as_secs_f64();
        let heard = async {
            while daemon.hall.boards_now().iter().any(|board| board.state != "fresh") {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, heard).await.context("not every board was heard")?;
        let [resident_kib, peak_kib] =
            [process::resident_kib, process::peak_kib].map(|of| of(std::process::id()));
        // The hall's line of stamps may be ahead of the world's: it never goes back behind what the journal has.
        let ahead_ns = daemon.hall.clock().now().utc_ns - i64::try_from(world::now().as_nanosecond())?;
        daemon.stop().await;
        let heard_ns = last_first_heard(&self.journal, last)? - ahead_ns - began_ns;
        let heard_s = heard_ns as f64 / 1e9;
        let started = Started { ready_s, heard_s, resident_kib, peak_kib };
        orders::answer(&serde_json::to_string(&started)?)?;
        Ok(Answer::Yes)
    }
}

/// The files of a journal, to be read; none if it has not begun.
fn files(journal: &Path) -> anyhow::Result<Vec<Connection>> {
    let mut found = Vec::new();
    if !journal.is_dir() {
        return Ok(found);
    }
    for entry in std::fs::read_dir(journal).with_context(|| journal.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "db") {
            found.push(Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?);
        }
    }
    Ok(found)
}

/// The number of the last input.
fn last_input(journal: &Path) -> anyhow::Result<i64> {
    let last = |file: &Connection| file.query_row("SELECT MAX(id) FROM input", [], |row| row.get(0));
    let last: Result<Vec<Option<i64>>, _> = files(journal)?.iter().map(last).collect();
    Ok(last?.into_iter().flatten().max().unwrap_or(0))
}

/// When the last board was first heard, of what came after that input, nanoseconds of UTC.
fn last_first_heard(journal: &Path, after: i64) -> anyhow::Result<i64> {
    let sql = "SELECT board, MIN(utc_ns) FROM input WHERE id > ?1 AND kind = 'bytes' GROUP BY board";
    let mut first: BTreeMap<String, i64> = BTreeMap::new();
    for file in files(journal)? {
        let mut asked = file.prepare(sql)?;
        let mut rows = asked.query(params![after])?;
        while let Some(row) = rows.next()? {
            let (board, at_ns) = (row.get(0)?, row.get(1)?);
            let known = first.entry(board).or_insert(at_ns);
            *known = at_ns.min(*known);
        }
    }
    first.into_values().max().context("nothing was heard")
}
