//! What a check found.

use serde::Serialize;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// Nothing to do.
    Ok,
    /// It works now, and may not when it matters.
    Warning,
    /// Something must be done.
    Problem,
}

impl Level {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "PROBLEM",
        }
    }
}

/// A check, what it found, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    /// Its name.
    pub(super) check: &'static str,
    /// How bad it is.
    pub(super) level: Level,
    /// What was found.
    pub(super) what: String,
    /// A command, or what else to do.
    pub(super) fix: Option<String>,
}

impl Check {
    pub(super) fn ok(check: &'static str, what: impl Into<String>) -> Self {
        Self { check, level: Level::Ok, what: what.into(), fix: None }
    }

    pub(super) fn warning(check: &'static str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check, level: Level::Warning, what: what.into(), fix: Some(fix.into()) }
    }

    pub(super) fn problem(check: &'static str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check, level: Level::Problem, what: what.into(), fix: Some(fix.into()) }
    }
}
