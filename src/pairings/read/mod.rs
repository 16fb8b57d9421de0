//! Files of pairings, as pairing programs write them.

use super::Pairings;

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

/// Reads a file of pairings, told by its content: PGN, TRF16, TRF26 or CSV. `name` stands in messages alone.
///
/// # Errors
/// [`ReadError`]: the first thing that cannot be taken as it stands.
pub fn read(name: &str, bytes: &[u8]) -> Result<Pairings, ReadError> {
    read_round(name, bytes, None)
}

/// The same of one round: the others are left out, and what does not say its round is of this one.
///
/// # Errors
/// [`ReadError`].
pub fn read_round(name: &str, _bytes: &[u8], _round: Option<u32>) -> Result<Pairings, ReadError> {
    Err(ReadError { file: name.to_owned(), line: 1, what: "nothing is read yet".to_owned() })
}
