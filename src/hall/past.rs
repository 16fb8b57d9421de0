//! Events that the hubs have no more, from the journal.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::feed::hub::Frame;
use crate::feed::nats::Past;
use crate::journal::Reader;
use adoube_core::event::{Numbered, PublicEvent, Publisher};

/// May spectators see an event by now?
pub(super) type IsReleased = dyn Fn(&PublicEvent) -> bool + Send + Sync;

/// The arbiter's events.
#[derive(Debug)]
pub(crate) struct DeskPast {
    folder: PathBuf,
}

impl DeskPast {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }
}

impl Past for DeskPast {
    fn after(&self, after: u64, limit: usize) -> Vec<Arc<Frame>> {
        stored(&self.folder, after + 1).take(limit).map(|event| Arc::new(Frame::past(&event))).collect()
    }
}

/// The public events, as far as they are released.
pub(crate) struct PublicPast {
    folder: PathBuf,
    is_released: Box<IsReleased>,
    /// Where the last call came to: the next one goes on there, as a rule.
    place: Mutex<Option<Place>>,
}

/// A place in the journal. What is public there depends on everything before it: a move that was announced may
/// have waited for its completion.
struct Place {
    events: Box<dyn Iterator<Item = Numbered> + Send>,
    publisher: Publisher,
    /// Public already, and not yet asked for.
    ready: VecDeque<PublicEvent>,
    /// The last that was given, or passed over.
    last: u64,
}

impl PublicPast {
    pub(crate) fn new(folder: &Path, is_released: Box<IsReleased>) -> Self {
        Self { folder: folder.to_owned(), is_released, place: Mutex::default() }
    }

    fn begin(&self) -> Place {
        let events = Box::new(stored(&self.folder, 1));
        Place { events, publisher: Publisher::default(), ready: VecDeque::new(), last: 0 }
    }
}

impl std::fmt::Debug for PublicPast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublicPast").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Place {
    fn next(&mut self) -> Option<PublicEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.last = event.id();
                return Some(event);
            }
            self.ready.extend(self.publisher.publish(&self.events.next()?));
        }
    }
}

impl Past for PublicPast {
    fn after(&self, after: u64, limit: usize) -> Vec<Arc<Frame>> {
        let mut kept = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        // What was passed over then may be released by now.
        let mut place = kept.take().filter(|place| place.last == after).unwrap_or_else(|| self.begin());
        let mut frames = Vec::new();
        while frames.len() < limit {
            // At its end the next call begins anew: the files are other ones then.
            let Some(event) = place.next() else { return frames };
            if event.id() > after && (self.is_released)(&event) {
                frames.push(Arc::new(Frame::past(&event)));
            }
        }
        *kept = Some(place);
        frames
    }
}

/// The events that the journal holds, from the number `first` on.
fn stored(folder: &Path, first: u64) -> impl Iterator<Item = Numbered> + Send + use<> {
    Reader::open(folder, first).filter_map(|stored| {
        let event = stored.map_err(|error| error.to_string()).and_then(|stored| stored.numbered());
        event.inspect_err(|error| tracing::error!("journal: {error}")).ok()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use adoube_core::event::testing::numbered;

    fn public(id: u64) -> PublicEvent {
        let event = numbered(json!({ "type": "clock-read", "seq": id }));
        adoube_core::event::publish(&Numbered { public_id: Some(id), ..event }).unwrap()
    }

    #[test]
    fn it_goes_on_where_it_was_and_leaves_out_what_is_not_released() {
        let folder = tempfile::tempdir().unwrap();
        let past = PublicPast::new(folder.path(), Box::new(|event| event.id() != 3));
        let place = |last| Place {
            events: Box::new(std::iter::empty()),
            publisher: Publisher::default(),
            ready: (last + 1..=6).map(public).collect(),
            last,
        };
        *past.place.lock().unwrap() = Some(place(1));
        let numbers = |frames: Vec<Arc<Frame>>| frames.iter().map(|frame| frame.number).collect::<Vec<_>>();
        assert_eq!(numbers(past.after(1, 2)), [2, 4]);
        assert_eq!(numbers(past.after(4, 9)), [5, 6]);
        // It was at its end; and the journal here is empty.
        assert_eq!(numbers(past.after(6, 9)), [0; 0]);
        *past.place.lock().unwrap() = Some(place(1));
        assert_eq!(numbers(past.after(4, 9)), [0; 0], "another place is none of its own");
    }
}
