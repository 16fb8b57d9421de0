//! Files that commands read: captures and PGN, plain or zstd, with errors that say where.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal as _, Read as _};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};

use adoube_core::capture::{CaptureError, Header, Line};
use adoube_rules::four::record;
use adoube_rules::pgn::{PgnGame, read_games};

/// The four bytes with which zstd begins.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens a file, or the standard input for `-`, unpacking it if it is zstd.
pub(super) fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return unpacked(BufReader::new(std::io::stdin()), "standard input");
    }
    let name = path.display();
    let file = File::open(path).map_err(|error| anyhow!("{name}: {}", reason(&error)))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        bail!("{name}: is a folder; name the files in it");
    }
    unpacked(BufReader::new(file), &name.to_string())
}

fn unpacked(mut reader: impl BufRead + 'static, name: &str) -> anyhow::Result<Box<dyn BufRead>> {
    let magic = reader.fill_buf().map_err(|error| anyhow!("{name}: {}", reason(&error)))?;
    if magic.starts_with(&ZSTD) {
        let decoder = zstd::Decoder::with_buffer(reader);
        let decoder = decoder.with_context(|| format!("{name}: not readable as zstd"))?;
        return Ok(Box::new(BufReader::new(decoder)));
    }
    Ok(Box::new(reader))
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be read; check its permissions".to_owned(),
        _ => error.to_string(),
    }
}

/// A capture, line by line.
pub(super) struct CaptureFile {
    name: String,
    reader: Box<dyn BufRead>,
    number: usize,
    line: Vec<u8>,
    last_ns: u64,
    /// Its first line.
    pub(super) header: Header,
}

/// Longer lines are no capture: a dump of an EEPROM is 16 kB of digits.
const LINE_MAX: u64 = 1 << 20;

impl CaptureFile {
    /// Opens a capture and reads its first line.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let mut reader = open(path)?;
        let mut line = Vec::new();
        let read = (&mut reader).take(LINE_MAX).read_until(b'\n', &mut line);
        read.with_context(|| name.clone())?;
        if line.is_empty() {
            bail!("{name}: the file is empty");
        }
        let text = String::from_utf8_lossy(&line);
        let header = Header::parse(text.trim_end()).with_context(|| format!("{name}, line 1"))?;
        Ok(Self { name, reader, number: 1, line, last_ns: 0, header })
    }

    /// The next line. A last line that was cut off is reported and left out.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<Line>> {
        loop {
            self.line.clear();
            self.number += 1;
            let read = (&mut self.reader).take(LINE_MAX).read_until(b'\n', &mut self.line);
            read.with_context(|| format!("{}, line {}", self.name, self.number))?;
            if self.line.is_empty() {
                return Ok(None);
            }
            let is_whole = self.line.ends_with(b"\n");
            let text = String::from_utf8_lossy(&self.line);
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let line = match Line::parse(text) {
                Err(CaptureError::Json(error)) if error.is_eof() && !is_whole => {
                    eprintln!("adoube: {}, line {}: cut off; left out", self.name, self.number);
                    return Ok(None);
                }
                other => other.with_context(|| format!("{}, line {}", self.name, self.number))?,
            };
            if line.t_ns < self.last_ns {
                bail!(
                    "{}, line {}: \"t_ms\" falls; the lines of a capture are in order of time",
                    self.name,
                    self.number
                );
            }
            self.last_ns = line.t_ns;
            return Ok(Some(line));
        }
    }
}

/// The games of PGN files. A game with a move that cannot be is reported; it stays with the moves
/// before that.
pub(super) fn games(path: &Path) -> anyhow::Result<Vec<PgnGame>> {
    let games = read_games(open(path)?).with_context(|| path.display().to_string())?;
    if games.is_empty() {
        bail!("{}: no games found; this must be a PGN file", path.display());
    }
    if let Some(game) = games.iter().find(|game| game.tag("Variant") == Some(record::VARIANT)) {
        let (name, number) = (path.display(), game.number);
        bail!("{name}, game {number}: is of the four-player game; say --variant four-player");
    }
    for game in &games {
        if let Some(fault) = &game.fault {
            eprintln!("adoube: {}, game {} ({}): {fault}", path.display(), game.number, game.title());
        }
    }
    Ok(games)
}

/// A progress bar on stderr where somebody is looking; otherwise one that shows nothing.
pub(super) fn progress(total: u64, what: &str) -> ProgressBar {
    if total < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style).with_message(what.to_owned())
}

/// The same where nobody knows how many there are.
pub(super) fn counter(what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {msg} {pos}, {per_sec}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::no_length().with_style(style).with_message(what.to_owned())
}
