//! How a board is: what its task says, for who asks.

use serde::Serialize;
use utoipa::ToSchema;

use crate::link::Port;
use adoube_core::station::{Open, Station};
use adoube_rules::stamp::{Stamp, ms};

/// Who wanted a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The configuration.
    Configured,
    /// Somebody, while the daemon ran.
    Added,
    /// Nobody: it was found.
    Found,
}

impl Origin {
    /// The text of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Configured => "configured",
            Self::Added => "added",
            Self::Found => "found",
        }
    }
}

/// How a board is, for pages, scripts and whoever looks for boards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BoardStatus {
    /// Its name.
    #[schema(example = "12")]
    pub board: String,
    /// Protocol that it speaks.
    #[schema(example = "dgt")]
    pub protocol: String,
    /// Where it is; null: nobody knows.
    #[schema(example = "serial:/dev/ttyACM0")]
    pub port: Option<String>,
    /// Its own number, as it told it.
    #[schema(example = "10001")]
    pub serial: Option<String>,
    /// `waiting`: it was not found yet; `fresh`: it was heard within 15 s; `stale`: its link stands, and nothing
    /// was heard for so long; `lost`: its link is down, or nothing came through it yet.
    #[schema(example = "fresh")]
    pub state: &'static str,
    /// When it was last heard, RFC 3339.
    pub heard_utc: Option<String>,
    /// How long ago that was, milliseconds.
    pub age_ms: Option<u64>,
    /// What was last wrong with its link, and what to do.
    pub reason: Option<String>,
    /// How many readings there were since it was opened.
    pub readings: u64,
    /// Could its port be opened at all, since it is there?
    #[serde(skip)]
    pub was_opened: bool,
    /// `configured`, `added` or `found`.
    #[schema(example = "configured")]
    pub origin: &'static str,
}

/// How a board is.
#[derive(Debug, Default)]
pub(in crate::hall) struct Condition {
    port: Option<Port>,
    is_linked: bool,
    was_opened: bool,
    is_answering: bool,
    is_stale: bool,
    serial: Option<String>,
    heard_ns: Option<u64>,
    readings: u64,
    /// What was last wrong with the link.
    pub(in crate::hall) reason: Option<String>,
}

impl Condition {
    /// What the task of the board knows.
    pub(in crate::hall) fn update(&mut self, port: Option<&Port>, is_linked: bool, station: &Station) {
        if self.port.as_ref() != port {
            self.port = port.cloned();
            self.was_opened = false;
        }
        self.was_opened |= is_linked;
        self.is_linked = is_linked;
        self.is_answering = station.is_answering();
        self.is_stale = station.is_stale();
        if station.identity().serial.is_some() && self.serial != station.identity().serial {
            self.serial.clone_from(&station.identity().serial);
        }
        self.heard_ns = station.heard_ns();
        self.readings = station.readings();
        if is_linked && self.is_answering {
            self.reason = None;
        }
    }

    /// Its task is gone, and nobody asked it to go.
    pub(super) fn failed(&mut self) {
        self.is_linked = false;
        self.reason =
            Some("an error of adoube ended this board's task; restart adoube, its game goes on".to_owned());
    }

    /// The same in words.
    pub(super) fn status(&self, open: &Open, origin: Origin, now: Stamp) -> BoardStatus {
        let state = match self {
            Self { port: None, .. } => "waiting",
            Self { is_linked: false, .. } | Self { is_answering: false, .. } => "lost",
            Self { is_stale: true, .. } => "stale",
            _ => "fresh",
        };
        BoardStatus {
            board: open.board.clone(),
            protocol: open.protocol.clone(),
            port: self.port.as_ref().map(Port::to_string),
            serial: self.serial.clone(),
            state,
            heard_utc: self.heard_ns.map(|at_ns| now.at(at_ns).rfc3339()),
            age_ms: self.heard_ns.map(|at_ns| ms(now.mono_ns.saturating_sub(at_ns))),
            reason: self.reason.clone(),
            readings: self.readings,
            was_opened: self.was_opened,
            origin: origin.name(),
        }
    }
}
