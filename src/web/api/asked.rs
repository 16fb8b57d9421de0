//! What the desk's handlers share.

use std::sync::{Arc, Weak};

use axum::http::StatusCode;
use tokio::sync::Semaphore;

use super::Problem;
use super::boards::unknown;
use crate::hall::Hall;

/// Looks into the journal that may run at one time: the tables need the disk and the processors more.
const LOOKS: usize = 2;

/// What the desk's handlers share.
#[derive(Debug, Clone)]
pub(in crate::web) struct Desk {
    /// Pages that are still open must not keep a stopped hall alive.
    hall: Weak<Hall>,
    looks: Arc<Semaphore>,
}

impl Desk {
    /// The desk of a hall.
    pub(in crate::web) fn new(hall: &Arc<Hall>) -> Self {
        Self { hall: Arc::downgrade(hall), looks: Arc::new(Semaphore::new(LOOKS)) }
    }

    /// The hall, as long as it is there.
    pub(super) fn hall(&self) -> Result<Arc<Hall>, Problem> {
        let gone = || Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the daemon is being stopped");
        self.hall.upgrade().ok_or_else(gone)
    }

    /// The hall, if it has a board of that name.
    pub(super) fn hall_of(&self, board: &str) -> Result<Arc<Hall>, Problem> {
        let hall = self.hall()?;
        if hall.opened(board).is_some() { Ok(hall) } else { Err(unknown(board)) }
    }

    /// Has `look` done where it may take its time, a few at once.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let failed = |error: String| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error);
        let place =
            Arc::clone(&self.looks).acquire_owned().await.map_err(|error| failed(error.to_string()))?;
        let work = tokio::task::spawn_blocking(move || {
            let looked = look();
            // A viewer that went away frees the place only when the work is done.
            drop(place);
            looked
        });
        work.await.map_err(|error| failed(error.to_string()))?
    }
}
