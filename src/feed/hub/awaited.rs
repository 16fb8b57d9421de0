//! What spectators are told aside: which games are awaited on the boards.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::{Beside, Frame, Hub, Inner, Kept, Outgoing, Told};
use crate::feed::view::Awaited;

/// Which games are awaited: `boards`, by name the game that each shows now (all of them for who comes back, else those
/// that show another one), and `games`, those of them that are awaited. What happened is said by events; this says who
/// plays, and has no number that could tell how much is still held back.
pub const PAIRINGS: &str = "pairings";

/// The games that a hub was told to await, also those that have begun since; nothing before anybody has told it.
pub type Published = Option<Arc<[Awaited]>>;

impl<E: Outgoing> Hub<E> {
    /// These games are awaited from `at` on, RFC 3339, and no others; who watches is told of what is new.
    pub fn await_games(&self, awaited: Vec<Awaited>, at: &str) {
        self.with(|inner| {
            inner.has_awaited |= !awaited.is_empty();
            inner.view.await_games(&awaited, at);
            self.tell_awaited(inner);
            inner.published.send_replace(Some(awaited.into()));
        });
    }

    /// What this hub was told to await, whenever it is told anew.
    #[must_use]
    pub fn published(&self) -> watch::Receiver<Published> {
        self.with(|inner| inner.published.subscribe())
    }

    /// Tells who watches of the boards that show another awaited game than before.
    pub(super) fn tell_awaited(&self, inner: &mut Inner<E::Beside>) {
        let boards = inner.view.boards_to_tell();
        if boards.is_empty() {
            return;
        }
        inner.kept.iter_mut().for_each(Kept::forget);
        inner.awaited = None;
        // Nobody listening is no error.
        let _listeners = inner.sender.send(inner.frame_of_awaited::<E>(Some(&boards)));
    }
}

impl<S> Inner<S> {
    /// What is told of all boards, for whoever comes back: made once for all of them.
    pub(super) fn all_awaited<E: Outgoing<Beside = S>>(&mut self) -> Option<Arc<Frame>>
    where
        S: Beside<E>,
    {
        if self.awaited.is_none() && self.has_awaited {
            self.awaited = Some(self.frame_of_awaited::<E>(None));
        }
        self.awaited.clone()
    }

    fn frame_of_awaited<E: Outgoing<Beside = S>>(&self, of: Option<&BTreeSet<String>>) -> Arc<Frame>
    where
        S: Beside<E>,
    {
        let awaited = |name: &Option<String>| self.view.game(name.as_ref()?).filter(|game| game.awaited);
        let is_told = |board: &str| of.is_none_or(|boards| boards.contains(board));
        let told: Vec<_> = self.view.boards().filter(|board| is_told(&board.board)).collect();
        // One that was taken away shows none.
        let gone = of.into_iter().flatten().map(|board| (board.clone(), Value::Null));
        let boards: Map<String, Value> =
            gone.chain(told.iter().map(|board| (board.board.clone(), json!(board.game)))).collect();
        let games: Vec<_> = told.iter().filter_map(|board| awaited(&board.game)).collect();
        let fields =
            [("boards", Value::Object(boards)), ("games", serde_json::to_value(games).unwrap_or_default())];
        let json = fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        self.aside(Told { name: PAIRINGS, json: &json })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::hub::{About, Moves, PublicHub, Start};
    use adoube_core::event::testing::public;

    fn awaited(number: u32) -> Awaited {
        let said = json!({ "round": 5, "number": number, "variant": "chess", "start": "", "time_control": null,
            "white": {}, "black": {}, "result": "*" });
        let said = serde_json::from_value(said).unwrap();
        Awaited { game: format!("5-{number}"), board: number.to_string(), is_open: true, said }
    }

    fn opened(id: u64) -> adoube_core::event::PublicEvent {
        public(json!({ "id": id, "type": "game-opened", "board": "1", "game": "5-1", "round": 5, "number": 1,
            "variant": "chess", "start": "", "time_control": null, "white": {}, "black": {}, "result": "*" }))
    }

    /// What whoever comes back after the event `number` is told aside.
    fn told(hub: &PublicHub, number: u64) -> Vec<Value> {
        let Start::Resume(missed) = hub.subscribe(Some(("e", number))).0 else { panic!("no resume") };
        let asides = missed.iter().filter(|frame| frame.is_aside);
        asides.map(|frame| serde_json::from_str(&frame.line).unwrap()).collect()
    }

    #[test]
    fn who_comes_back_is_told_of_the_games_that_are_awaited_still() {
        let hub = PublicHub::default();
        hub.set_epoch("e");
        // A hall without pairings says nothing of them, also not to relays.
        hub.await_games(Vec::new(), "now");
        assert_eq!(told(&hub, 0), [Value::Null; 0]);
        hub.await_games(vec![awaited(1), awaited(2)], "now");
        assert_eq!(told(&hub, 0)[0]["boards"], json!({ "1": "5-1", "2": "5-2" }));
        hub.push(&opened(1));
        let said = &told(&hub, 1)[0];
        assert_eq!(said["boards"], json!({ "1": "5-1", "2": "5-2" }));
        assert_eq!(said["games"].as_array().unwrap().len(), 1);
        // What a snapshot holds is not told beside it, however many come.
        for _ in 0..20 {
            assert!(hub.snapshot(&About::default(), Moves::All).since.is_empty());
        }
    }

    #[test]
    fn a_hub_that_becomes_another_awaits_what_it_awaited_before() {
        let (hub, next) = (PublicHub::default(), PublicHub::default());
        let mut published = hub.published();
        hub.await_games(vec![awaited(1), awaited(2)], "now");
        next.push(&opened(1));
        hub.replace(next);
        let games = |hub: &PublicHub| {
            hub.with_view(|view| {
                view.games().map(|game| (game.game.clone(), game.awaited)).collect::<Vec<_>>()
            })
        };
        assert_eq!(games(&hub), [("5-1".to_owned(), false), ("5-2".to_owned(), true)]);
        assert_eq!(published.borrow_and_update().as_ref().unwrap().len(), 2);
        hub.await_games(Vec::new(), "now");
        assert!(published.has_changed().unwrap());
    }
}
