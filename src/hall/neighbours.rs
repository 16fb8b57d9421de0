//! What boards of a hall tell each other: the newest word of each, never a queue, so nobody waits.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use adoube_core::table::Neighbour;

/// What was said to one board, by who said it.
pub(super) type Said = BTreeMap<String, Neighbour>;

/// The ears of all boards, also of those that are not there yet.
#[derive(Debug, Default)]
pub(super) struct Neighbours(Mutex<BTreeMap<String, watch::Sender<Said>>>);

impl Neighbours {
    /// What is said to `board` from now on.
    pub(super) fn ear(&self, board: &str) -> watch::Receiver<Said> {
        self.with(board, watch::Sender::subscribe)
    }

    /// Tells `board` something.
    pub(super) fn tell(&self, board: &str, news: &Neighbour) {
        self.with(board, |ear| {
            ear.send_modify(|said| {
                said.insert(news.board.clone(), news.clone());
            });
        });
    }

    fn with<T>(&self, board: &str, work: impl FnOnce(&watch::Sender<Said>) -> T) -> T {
        let mut ears = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(ears.entry(board.to_owned()).or_insert_with(|| watch::Sender::new(Said::new())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_word_of_each_is_heard_also_from_before() {
        let neighbours = Neighbours::default();
        let news = |board: &str, made_ns| Neighbour {
            board: board.to_owned(),
            made_ns: Some(made_ns),
            ..Neighbour::default()
        };
        neighbours.tell("4", &news("5", 1));
        let mut ear = neighbours.ear("4");
        neighbours.tell("4", &news("5", 2));
        neighbours.tell("4", &news("3", 7));
        neighbours.tell("3", &news("4", 9));
        assert!(ear.has_changed().unwrap());
        let heard: Vec<Neighbour> = ear.borrow_and_update().values().cloned().collect();
        assert_eq!(heard, [news("3", 7), news("5", 2)]);
        assert!(!ear.has_changed().unwrap());
    }
}
