//! What is wrong with a scenario file, and where.

/// A place in the text and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Bytes from the beginning of the text.
    pub(super) at: usize,
    /// What is wrong, with the nearest valid choice.
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }

    /// The same fault, of a text that begins at `offset` in another one.
    pub(super) fn inside(self, offset: usize) -> Self {
        Self { at: self.at + offset, ..self }
    }

    /// With the line that a reader can go to.
    pub(super) fn in_text(self, text: &str) -> ScenarioError {
        let at = self.at.min(text.len());
        let before = &text.as_bytes()[..at];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        ScenarioError { line, column, what: self.what }
    }
}

/// `what` is not known; the nearest of `known` is.
pub(super) fn unknown<'a>(at: usize, kind: &str, given: &str, known: impl Iterator<Item = &'a str>) -> Fault {
    let nearest = adoube_rules::spelling::nearest(given, known);
    Fault::new(at, format!("no {kind} is called \"{given}\"; did you mean \"{nearest}\"?"))
}

/// A scenario file that cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct ScenarioError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong there, with the nearest valid choice.
    pub what: String,
}
