//! A board that is opened again where it stands, so that a restart need not know what was before.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{Numbered, RecordId, Said, Withholding};
use crate::table;
use crate::wire::Identity;
use adoube_rules::stamp::Stamp;

use super::lamps::Lamps;
use super::presence::Presence;
use super::table::{Table, of};
use super::{Open, OpenError, Station};

/// What a board is opened with, as the journal holds it: an [`Open`], and where the board stood if it had been open
/// before.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// What it was told.
    pub open: Open,
    /// What it knew.
    pub carried: Box<Carried>,
}

/// All that a board knows that is quiet: no game is open, or nothing of it has been played.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// The conversation with the board; none with neutral frames.
    session: Option<Value>,
    identity: Identity,
    presence: Presence,
    lamps: Lamps,
    /// What the public has not got yet of a game that goes on as it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    withholding: Option<Withholding>,
    table: table::Carried,
}

impl Carried {
    /// The records of a game that goes on as it was published, by their numbers in the journal.
    pub fn records(&self) -> impl Iterator<Item = RecordId> {
        self.table.said().filter_map(|event| match &event.said {
            Said::Record(recorded) => Some(recorded.record),
            _ => None,
        })
    }

    /// A game goes on as it was published, whatever its readings say.
    #[must_use]
    pub fn is_taken_over(&self) -> bool {
        self.table.said().next().is_some()
    }

    /// The name of the game that is open, if its array stands.
    #[must_use]
    pub fn game(&self) -> Option<&str> {
        self.table.game()
    }
}

impl Station {
    /// The number of the game that is open, if it has none of a pairing: the journal calls it by another name.
    #[must_use]
    pub fn free_game(&self) -> Option<u32> {
        of!(&self.table, table => table.free_game())
    }

    /// The array of a game stands that is not open yet.
    #[must_use]
    pub fn is_set_up(&self) -> bool {
        of!(&self.table, table => table.is_set_up())
    }

    /// What a station needs to go on from here, if nothing of the open game has been played and nothing waits for the
    /// arbiter; `None` otherwise. `name` is what the journal calls [`Station::free_game`].
    #[must_use]
    pub fn carry(&self, name: Option<&str>) -> Option<Opening> {
        Some(self.opening(of!(&self.table, table => table.carry(name))?))
    }

    /// What a station needs to go on with the game as it was published: `said` is what was said of the board, in order, from
    /// some time before the game opened, and this station has taken the readings that there are. `None` if no game is open
    /// by what was said, or if something else than play goes on.
    #[must_use]
    pub fn take_over(&self, said: &[Numbered]) -> Option<Opening> {
        let table = of!(&self.table, table => table.take_over(said))?;
        let mut opening = self.opening(table);
        // Of what stands: spectators see nothing that comes after a hole.
        let stands: Vec<Numbered> = opening.carried.table.said().cloned().collect();
        let said = if stands.is_empty() { said } else { &stands };
        opening.carried.withholding = self.withholding.is_some().then(|| Withholding::after(said));
        Some(opening)
    }

    fn opening(&self, table: table::Carried) -> Opening {
        let carried = Carried {
            table,
            session: self.session.as_ref().map(|session| session.state()),
            identity: self.identity.clone(),
            presence: self.presence.clone(),
            lamps: self.lamps.clone(),
            withholding: None,
        };
        Opening { open: self.open.clone(), carried: Box::new(carried) }
    }

    /// Goes on from where another station stood.
    ///
    /// # Errors
    /// [`OpenError`] if that cannot be.
    pub fn resume(opening: Opening, at: Stamp) -> Result<Self, OpenError> {
        let Opening { open, carried } = opening;
        let Carried { session, identity, presence, lamps, withholding, table } = *carried;
        let session = match (open.protocol()?, session) {
            (Some(protocol), Some(state)) => Some((protocol.resume)(&state).map_err(OpenError::Carried)?),
            (None, None) => None,
            _ => return Err(OpenError::Carried(format!("no conversation in {}", open.protocol))),
        };
        let mut station = Self { session, identity, presence, lamps, ..Self::open(open, at)? };
        station.withholding = station.withholding.map(|new| withholding.unwrap_or(new));
        station.table = Table::open(&station.open, Some(table), at)?;
        Ok(station)
    }
}
