//! The way of a board's inputs into the journal.

use serde::Serialize;
use std::sync::Arc;

use super::BoardTask;
use crate::hall::quiet::Quiet;
use crate::journal::{InputKind, Place, Submission};
use adoube_core::event::Event;
use adoube_core::station::Station;
use adoube_rules::stamp::Stamp;

/// A board on which nothing is played is opened again in the journal after so many inputs: a restart goes through
/// them in some ten milliseconds.
const MANY: u32 = 2_000;

impl BoardTask {
    /// Records that the board was opened, afresh or where it stood: what lies before is history.
    pub(in crate::hall) async fn opened(&mut self, how: &impl Serialize, at: Stamp) {
        // Plain texts and numbers: that cannot fail.
        let data = serde_json::to_vec(how).unwrap_or_default();
        if let Some(place) = self.next_room().await {
            self.hand_in(place, at, InputKind::Open, data, Vec::new());
        }
        self.since_open = 0;
    }

    /// Opens the board again where it stands, if a game has just opened, or is about to and the one before is closed,
    /// or if much has come since it was opened; and if it is quiet. A restart reads no further back.
    pub(super) async fn open_again(&mut self, is_new_game: bool, at: Stamp) {
        let is_due = self.since_open > 0 && (is_new_game || self.since_open >= MANY);
        // Whether it is quiet is asked first: the name, which only the writer knows, makes it commit.
        if !is_due || self.station.carry(Some("")).is_none() {
            return;
        }
        let name = match self.station.free_game() {
            Some(number) => self.journal.game_name(&self.board, number).await,
            None => None,
        };
        let Some(opening) = self.station.carry(name.as_deref()) else { return };
        match Station::resume(opening.clone(), at) {
            Ok(station) if station.picture().contents == self.station.picture().contents => {
                self.opened(&opening, at).await;
                self.station = station;
            }
            Ok(_) => {
                tracing::error!(board = %self.board, "it would not go on as it stands, and is not opened again");
            }
            Err(error) => tracing::error!(board = %self.board, "{error}; it is not opened again"),
        }
    }

    /// The place of the next input in the journal; `None` if the journal is closed.
    pub(super) async fn next_room(&mut self) -> Option<Place> {
        match self.room.take() {
            Some(place) => Some(place),
            None => self.journal.place(self.clock.now()).await.ok(),
        }
    }

    /// The last bytes came once more, and said nothing: that waits for more of it.
    pub(super) fn quieten(&mut self, place: Place, at: Stamp) {
        self.since_open = self.since_open.saturating_add(1);
        if self.quiet.as_mut().is_some_and(|quiet| quiet.again(&self.last, at)) {
            self.room = Some(place);
        } else {
            self.hand_in_quiet(at);
            self.quiet = Some(Quiet::new(self.last.clone(), at, place));
        }
    }

    /// What was said again and again is handed in before anything else is.
    pub(super) fn hand_in_quiet(&mut self, stamp: Stamp) {
        let Some(quiet) = self.quiet.take() else { return };
        let (data, place) = quiet.stored(stamp);
        self.submit(place, stamp, InputKind::Quiet, data, Vec::new());
    }

    pub(super) fn hand_in(
        &mut self,
        place: Place,
        stamp: Stamp,
        kind: InputKind,
        data: Vec<u8>,
        events: Vec<Event>,
    ) {
        self.hand_in_quiet(stamp);
        self.since_open = self.since_open.saturating_add(1);
        self.submit(place, stamp, kind, data, events);
    }

    fn submit(&self, place: Place, stamp: Stamp, kind: InputKind, data: Vec<u8>, events: Vec<Event>) {
        let submission = Submission { board: Arc::clone(&self.board), stamp, kind, data, events };
        if let Err(error) = self.journal.hand_in(place, submission) {
            tracing::error!(board = %self.board, %error, "an input is not in the journal");
        }
    }
}

impl Drop for BoardTask {
    /// However it ends, what it has heard is handed in.
    fn drop(&mut self) {
        self.hand_in_quiet(self.clock.now());
    }
}
