//! Files of pairings, as pairing programs write them: PGN, TRF16 and TRF26, CSV.
//!
//! Which one it is, its content says. Each format makes [`rows::Row`]s, and [`rows::assemble`] makes rounds of
//! them; whatever cannot be taken as it stands is an error with its line.

mod csv;
mod field;
mod pgn;
mod rows;
mod teams;
mod text;
mod trf;
mod trf_order;
mod twice;

use super::Pairings;
use crate::event::Player;
pub use encoding_rs::Encoding;
use field::Field;
use rows::Found;

/// The largest file that is read, bytes: a report of a thousand players over eleven rounds has a quarter of a
/// megabyte, the games of a large event a few.
pub const FILE_BYTES: usize = 8 * 1024 * 1024;

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct ReadError {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What is wrong there, and what to do.
    pub what: String,
}

impl ReadError {
    /// Without the name of the file: `line 12: …`.
    #[must_use]
    pub fn detail(&self) -> String {
        format!("line {}: {}", self.line, self.what)
    }
}

/// What is wrong in a line; the file's name is put to it at the end.
#[derive(Debug)]
struct Fault {
    line: u32,
    what: String,
}

impl Fault {
    fn new(line: u32, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

/// Reads a file of pairings, told by its content: PGN, TRF16, TRF26 or CSV. `name` stands in messages alone.
///
/// # Errors
/// [`ReadError`]: the first thing that cannot be taken as it stands.
pub fn read(name: &str, bytes: &[u8]) -> Result<Pairings, ReadError> {
    read_round(name, bytes, None, None)
}

/// The encoding of that name: `windows-1253`, `latin1`, `utf-8` (as the web's standard calls them).
///
/// # Errors
/// It is none.
pub fn encoding(name: &str) -> Result<&'static Encoding, String> {
    Encoding::for_label_no_replacement(name.as_bytes()).ok_or_else(|| {
        format!("\"{name}\" is no encoding; write utf-8, windows-1250, windows-1252, windows-1253, …")
    })
}

/// The same of one round: the others are left out, and what does not say its round is of this one. What does not say its
/// encoding either is read in that one, or as it looks.
///
/// # Errors
/// [`ReadError`].
pub fn read_round(
    name: &str,
    bytes: &[u8],
    round: Option<u32>,
    encoding: Option<&'static Encoding>,
) -> Result<Pairings, ReadError> {
    found(bytes, round, encoding)
        .and_then(|found| rows::assemble(found, round))
        .map_err(|Fault { line, what }| ReadError { file: name.to_owned(), line, what })
}

/// The tournament report `bytes`, named `name`, with the results of `games` in it, and of how many games it has others now:
/// what goes back to the pairing program (TRF16, TRF26). Everything else stays as it was, encoding and line ends too.
///
/// # Errors
/// [`ReadError`] if it is no report that can be read.
pub fn report_with_results(
    name: &str,
    bytes: &[u8],
    games: &Pairings,
) -> Result<(Vec<u8>, usize), ReadError> {
    let filled = || {
        let decoded = text::decode(bytes, text::lossless(bytes))?;
        match text::format(&decoded.text)? {
            text::Format::Trf => {
                let (text, written) = trf::with_results(&decoded.text, games)?;
                Ok((text::encode_as(bytes, &decoded, &text), written))
            }
            text::Format::Pgn | text::Format::Csv(_) => {
                Err(Fault::new(1, "this is no tournament report (lines like \"001 …\")"))
            }
        }
    };
    filled().map_err(|Fault { line, what }| ReadError { file: name.to_owned(), line, what })
}

/// A player as a person wrote him down, with the same rules as in files.
///
/// # Errors
/// What cannot be so.
pub fn checked(player: Player) -> Result<Player, String> {
    let mut checked = Player::default();
    let number = |number: Option<String>| number.unwrap_or_default();
    for (field, value) in [
        (Field::Name, player.name.unwrap_or_default()),
        (Field::Title, player.title.unwrap_or_default()),
        (Field::Elo, number(player.elo.map(|elo| elo.to_string()))),
        (Field::FideId, number(player.fide_id.map(|id| id.to_string()))),
        (Field::Federation, player.federation.unwrap_or_default()),
        (Field::Team, player.team.unwrap_or_default()),
    ] {
        field.put(&mut checked, &value)?;
    }
    Ok(checked)
}

fn found(bytes: &[u8], round: Option<u32>, encoding: Option<&'static Encoding>) -> Result<Found, Fault> {
    if bytes.len() > FILE_BYTES {
        let most = FILE_BYTES / (1024 * 1024);
        return Err(Fault::new(
            1,
            format!("the file is larger than {most} MiB; import one round or one event"),
        ));
    }
    let text::Decoded { text, remark, .. } = text::decode(bytes, encoding)?;
    let mut found = match text::format(&text)? {
        text::Format::Pgn => pgn::read(&text, round)?,
        text::Format::Trf => trf::read(&text)?,
        text::Format::Csv(delimiter) => csv::read(&text, delimiter, round)?,
    };
    found.remarks.extend(remark);
    Ok(found)
}

#[cfg(test)]
mod tests;
