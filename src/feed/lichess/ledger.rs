//! What Lichess has of each game, what it does not want, and so what to send next.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Item;
use crate::feed::status::GameProblem;

/// Games in a push; more are refused (feeds.md 3.3).
const MOST: usize = 100;

/// What is said of a game that Lichess leaves out.
const NAMELESS: &str = "a player has no name: Lichess does not show the game before both have one";

/// What is said of a game that is never sent.
const NO_CHESS: &str = "four-player chess: Lichess has no board for it, and does not get it";

/// The books of one Lichess round.
#[derive(Debug)]
pub(super) struct Ledger {
    /// What is to be there, in the order of the boards.
    wanted: Vec<Item>,
    /// What Lichess has taken, by id; an empty text where nobody knows.
    accepted: BTreeMap<Arc<str>, Arc<str>>,
    /// What it does not want, and why.
    refused: BTreeMap<Arc<str>, (Arc<str>, String)>,
    /// Since when something waits: who has waited longest comes first, so that games that change every second do
    /// not keep one back that stands still.
    waiting: BTreeMap<Arc<str>, u64>,
    /// Counts on, so that later is more.
    clock: u64,
    /// How many games the next push may have.
    limit: usize,
}

impl Ledger {
    pub(super) fn new() -> Self {
        Self {
            wanted: Vec::new(),
            accepted: BTreeMap::new(),
            refused: BTreeMap::new(),
            waiting: BTreeMap::new(),
            clock: 0,
            limit: MOST,
        }
    }

    /// From now on, this is to be there.
    pub(super) fn want(&mut self, items: Vec<Item>) {
        self.wanted = items;
        let is_wanted: BTreeSet<Arc<str>> = self.wanted.iter().map(|item| Arc::clone(&item.id)).collect();
        self.refused.retain(|id, _| is_wanted.contains(id));
        self.recount();
    }

    /// Lichess has nothing any more.
    pub(super) fn forget(&mut self) {
        self.accepted.clear();
        self.recount();
    }

    /// Has Lichess taken anything yet?
    pub(super) fn has_accepted(&self) -> bool {
        !self.accepted.is_empty()
    }

    /// How many games it lacks.
    pub(super) fn pending(&self) -> usize {
        self.waiting.len()
    }

    /// What is sent next: those that have waited longest, in the order of the boards.
    pub(super) fn batch(&self) -> Vec<Item> {
        let mut waiting: Vec<(u64, &Arc<str>)> =
            self.waiting.iter().map(|(id, since)| (*since, id)).collect();
        waiting.sort_by_key(|(since, _)| *since);
        let next: BTreeSet<&Arc<str>> = waiting.into_iter().take(self.limit).map(|(_, id)| id).collect();
        self.wanted.iter().filter(|item| next.contains(&item.id)).cloned().collect()
    }

    /// Lichess has taken `batch`, but for the games with an error. Gives how many it took.
    pub(super) fn took(&mut self, batch: &[Item], errors: Vec<Option<String>>) -> u64 {
        let mut count = 0;
        for (item, error) in batch.iter().zip(errors) {
            match error {
                Some(error) => self.refuse(item, error),
                None => {
                    self.accepted.insert(Arc::clone(&item.id), Arc::clone(&item.text));
                    self.refused.remove(&item.id);
                    count += 1;
                }
            }
        }
        self.limit = (self.limit * 2).min(MOST);
        self.recount();
        count
    }

    /// Lichess refused `batch` as a whole: half of it may do, and one game alone is the culprit.
    pub(super) fn refused(&mut self, batch: &[Item], error: String) {
        match batch {
            [culprit] => {
                self.refuse(culprit, error);
                self.limit = (self.limit * 2).min(MOST);
                self.recount();
            }
            _ => self.limit = (batch.len() / 2).max(1),
        }
    }

    /// Nobody knows whether Lichess has taken `batch`, so that what it had before counts no more: a move that it may
    /// have got is taken back there too.
    pub(super) fn doubted(&mut self, batch: &[Item]) {
        for item in batch {
            self.accepted.insert(Arc::clone(&item.id), Arc::default());
        }
        self.recount();
    }

    fn refuse(&mut self, item: &Item, error: String) {
        self.refused.insert(Arc::clone(&item.id), (Arc::clone(&item.text), error));
    }

    /// What is wrong with which game now.
    pub(super) fn problems(&self) -> Vec<GameProblem> {
        let mut problems: Vec<GameProblem> =
            self.wanted.iter().filter_map(|item| self.problem(item)).collect();
        problems.dedup();
        problems
    }

    fn problem(&self, item: &Item) -> Option<GameProblem> {
        let of_variant = (!item.is_chess).then(|| NO_CHESS.to_owned());
        let refused = || self.refused.get(&item.id).map(|(_, error)| error.clone());
        let nameless = || (item.is_shown && !item.is_named).then(|| NAMELESS.to_owned());
        let error = of_variant.or_else(refused).or_else(nameless)?;
        Some(GameProblem { game: item.game.clone(), error })
    }

    /// Finds out what waits now.
    fn recount(&mut self) {
        let lacking: Vec<Arc<str>> = self
            .wanted
            .iter()
            .filter(|item| self.is_lacking(item))
            .map(|item| Arc::clone(&item.id))
            .collect();
        let before = std::mem::take(&mut self.waiting);
        for id in lacking {
            self.clock += 1;
            let since = before.get(&id).copied().unwrap_or(self.clock);
            self.waiting.insert(id, since);
        }
    }

    fn is_lacking(&self, item: &Item) -> bool {
        let accepted = self.accepted.get(&item.id);
        let is_refused = self.refused.get(&item.id).is_some_and(|(text, _)| *text == item.text);
        let has_it = accepted == Some(&item.text);
        // What Lichess shows has to be right, whether or not it shall be shown.
        item.is_chess && !has_it && !is_refused && (item.is_shown || accepted.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, text: &str) -> Item {
        Item {
            id: id.into(),
            game: id.to_owned(),
            text: text.into(),
            is_shown: true,
            is_named: true,
            is_chess: true,
        }
    }

    fn ids(batch: &[Item]) -> Vec<&str> {
        batch.iter().map(|item| &*item.id).collect()
    }

    #[test]
    fn only_what_changed_goes_out() {
        let mut ledger = Ledger::new();
        ledger.want(vec![item("1", "a"), item("2", "a")]);
        let first = ledger.batch();
        assert_eq!(ids(&first), ["1", "2"]);
        // It changes while the push is under way.
        ledger.want(vec![item("1", "a"), item("2", "b")]);
        assert_eq!(ledger.took(&first, vec![None, None]), 2);
        assert_eq!(ids(&ledger.batch()), ["2"]);
        ledger.took(&ledger.batch(), vec![None]);
        assert_eq!(ledger.pending(), 0);
    }

    #[test]
    fn a_refused_game_waits_for_its_next_move() {
        let mut ledger = Ledger::new();
        ledger.want(vec![item("1", "a"), item("2", "a")]);
        ledger.took(&ledger.batch(), vec![None, Some("no".to_owned())]);
        assert_eq!((ledger.pending(), ledger.problems().len()), (0, 1));
        ledger.want(vec![item("1", "a"), item("2", "b")]);
        assert_eq!(ids(&ledger.batch()), ["2"]);
        ledger.took(&ledger.batch(), vec![None]);
        assert_eq!(ledger.problems(), []);
    }

    #[test]
    fn what_may_have_been_taken_is_taken_back() {
        let mut ledger = Ledger::new();
        ledger.want(vec![item("1", "e4")]);
        ledger.took(&ledger.batch(), vec![None]);
        ledger.want(vec![item("1", "e4 e5")]);
        ledger.doubted(&ledger.batch());
        ledger.want(vec![item("1", "e4")]);
        assert_eq!(ids(&ledger.batch()), ["1"]);
        ledger.took(&ledger.batch(), vec![None]);
        assert_eq!(ledger.pending(), 0);
    }

    #[test]
    fn a_culprit_is_found_while_other_games_go_on() {
        let mut ledger = Ledger::new();
        let games = |version: usize| -> Vec<Item> {
            (0..20)
                .map(|n| {
                    if n == 17 { item("bad", "bad") } else { item(&format!("{n:02}"), &version.to_string()) }
                })
                .collect()
        };
        let mut pushes = 0;
        // Every game but the bad one changes before every push.
        while ledger.problems().is_empty() {
            pushes += 1;
            assert!(pushes < 30, "{ledger:?}");
            ledger.want(games(pushes));
            let batch = ledger.batch();
            if batch.iter().any(|item| &*item.id == "bad") {
                ledger.refused(&batch, "Cannot parse moves".to_owned());
            } else {
                ledger.took(&batch, vec![None; batch.len()]);
            }
        }
        assert_eq!(ledger.problems()[0].game, "bad");
    }

    #[test]
    fn what_is_not_shown_any_more_is_kept_right() {
        let mut ledger = Ledger::new();
        let hidden = |text: &str| Item { is_shown: false, ..item("1", text) };
        ledger.want(vec![hidden("a")]);
        assert_eq!(ledger.pending(), 0, "Lichess never had it");
        ledger.want(vec![item("1", "a")]);
        ledger.took(&ledger.batch(), vec![None]);
        ledger.want(vec![hidden("b")]);
        assert_eq!(ids(&ledger.batch()), ["1"]);
    }

    #[test]
    fn a_game_of_four_players_is_never_sent_and_said_once() {
        let mut ledger = Ledger::new();
        let part = |id: &str, text: &str| Item { game: "5-1".to_owned(), is_chess: false, ..item(id, text) };
        for text in ["a", "b"] {
            ledger.want(vec![part("5-1", text), part("5-1/b", text), item("5-2", text)]);
            let batch = ledger.batch();
            assert_eq!(ids(&batch), ["5-2"]);
            ledger.took(&batch, vec![None]);
            assert_eq!(ledger.pending(), 0);
            let said: Vec<String> = ledger.problems().into_iter().map(|problem| problem.game).collect();
            assert_eq!(said, ["5-1"]);
        }
    }

    #[test]
    fn no_push_is_too_big() {
        let mut ledger = Ledger::new();
        ledger.want((0..250).map(|n| item(&format!("{n:03}"), "a")).collect());
        let mut sizes = Vec::new();
        while ledger.pending() > 0 {
            let batch = ledger.batch();
            sizes.push(batch.len());
            ledger.took(&batch, vec![None; batch.len()]);
        }
        assert_eq!(sizes, [100, 100, 50]);
    }
}
