//! What spectators are told aside: which games are awaited on the boards.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Beside, Hub, Inner, Kept, Outgoing, Told};
use crate::feed::view::Awaited;
use adoube_core::event::PublicEvent;

/// The games that are awaited on the boards, all of them each time: `games`. What happened is said by events; this says
/// who plays, and has no number that could tell how much is still held back.
pub const PAIRINGS: &str = "pairings";

/// What the public hub keeps beside the games.
#[derive(Debug, Default)]
pub struct PublicSide {
    /// As it was told last.
    awaited: Option<Map<String, Value>>,
}

impl Beside<PublicEvent> for PublicSide {
    fn take(&mut self, _: &PublicEvent) {}

    fn snapshot(&self) -> Map<String, Value> {
        Map::new()
    }

    fn board(&self, _: &str) -> Map<String, Value> {
        Map::new()
    }

    fn forget(&mut self, _: &str) {}

    fn told(&self) -> Vec<Told<'_>> {
        self.awaited.iter().map(|json| Told { name: PAIRINGS, json }).collect()
    }

    fn keep_awaited(&mut self, json: Map<String, Value>) -> Option<&Map<String, Value>> {
        Some(self.awaited.insert(json))
    }
}

impl<E: Outgoing> Hub<E> {
    /// These games are awaited from `at` on, RFC 3339, and no others; who watches is told of what is new.
    pub fn await_games(&self, awaited: Vec<Awaited>, at: &str) {
        self.with(|inner| {
            inner.awaited = (awaited.into(), at.to_owned());
            if inner.view.await_games(&inner.awaited.0, at) {
                self.send_awaited(inner);
            }
        });
    }

    /// All games that were said to be awaited, also those that have begun since.
    #[must_use]
    pub fn awaited(&self) -> Arc<[Awaited]> {
        self.with(|inner| Arc::clone(&inner.awaited.0))
    }

    /// Says which games are awaited on the boards.
    pub(super) fn send_awaited(&self, inner: &mut Inner<E::Beside>) {
        let games = serde_json::to_value(inner.view.awaited_on_boards().collect::<Vec<_>>());
        let json = Map::from_iter([("games".to_owned(), games.unwrap_or_default())]);
        inner.kept.iter_mut().for_each(Kept::forget);
        if let Some(json) = inner.beside.keep_awaited(json).cloned() {
            self.send_aside(inner, PAIRINGS, &json);
        }
    }
}
