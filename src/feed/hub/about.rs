//! What a snapshot says beside the games.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::feed::delay::Delays;

/// What a snapshot says beside the games.
#[derive(Debug, Clone)]
pub struct About {
    /// Now, RFC 3339; for spectators the instant that they are shown.
    pub now: String,
    /// By how much spectators are behind.
    pub delays: Arc<Delays>,
    /// How many times as fast as the world time goes.
    pub speed: f64,
    /// `ok` or `degraded`.
    pub journal: &'static str,
    /// Name of the tournament.
    pub name: Option<String>,
    /// Where it is.
    pub site: Option<String>,
    /// What is played at boards that are for something else than chess.
    pub variants: BTreeMap<String, String>,
    /// How old what is shown is, far from the hall.
    pub heard: Option<Heard>,
}

impl Default for About {
    fn default() -> Self {
        let (now, delays) = (String::new(), Arc::default());
        let (name, site, heard, variants) = Default::default();
        Self { now, delays, speed: 1.0, journal: "ok", name, site, heard, variants }
    }
}

/// A relay that has not had all that the stream held for so long says so: it makes sure every two seconds.
const OLD_S: u64 = 10;

/// How old what a relay has of its hall is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Heard {
    /// How long ago it had all that the stream held, seconds.
    pub checked_s: u64,
    /// How long ago the hall said its last word, seconds; none if it has not said any yet.
    pub event_s: Option<u64>,
}

impl Heard {
    /// Is there more behind than usual?
    #[must_use]
    pub fn is_old(&self) -> bool {
        self.checked_s >= OLD_S
    }
}
