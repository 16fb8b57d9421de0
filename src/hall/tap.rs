//! The tap of readings: what the boards show, for who looks on, once it is on disk.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{broadcast, watch};

use crate::journal::Pictures;
use adoube_core::station::Seen;

/// Pictures that a listener may be behind: a busy board gives ten a second, so this is half a minute.
const BEHIND: usize = 256;

/// The taps of all boards.
#[derive(Debug, Default)]
pub(crate) struct Tap(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    boards: BTreeMap<Arc<str>, OfBoard>,
    /// Pictures are wanted whether or not anybody listens.
    is_kept: bool,
}

#[derive(Debug)]
struct OfBoard {
    wanted: watch::Sender<bool>,
    listeners: broadcast::Sender<Arc<Seen>>,
    last: Option<Arc<Seen>>,
}

impl Tap {
    /// For the board's task: whether anybody looks on, from now on.
    pub(crate) fn of(&self, board: &str) -> watch::Receiver<bool> {
        self.with(|inner| {
            let of_board = inner.boards.entry(board.into()).or_insert_with(|| OfBoard {
                wanted: watch::Sender::new(false),
                listeners: broadcast::Sender::new(BEHIND),
                last: None,
            });
            of_board.wanted.send_replace(inner.is_kept);
            of_board.wanted.subscribe()
        })
    }

    /// What `board` shows from now on; `None` if there is no such board.
    pub(crate) fn listen(&self, board: &str) -> Option<broadcast::Receiver<Arc<Seen>>> {
        self.with(|inner| {
            let of_board = inner.boards.get(board)?;
            let listener = of_board.listeners.subscribe();
            of_board.want(true);
            Some(listener)
        })
    }

    /// What `board` showed last, as long as somebody listens.
    pub(crate) fn last(&self, board: &str) -> Option<Arc<Seen>> {
        self.with(|inner| inner.boards.get(board)?.last.clone())
    }

    /// From now on the pictures of all boards are wanted.
    pub(crate) fn keep(&self) {
        self.with(|inner| {
            inner.is_kept = true;
            inner.boards.values().for_each(|of_board| of_board.want(true));
        });
    }

    /// Shows what a board showed.
    pub(crate) fn show(&self, pictures: Pictures) {
        self.with(|inner| {
            let Some(of_board) = inner.boards.get_mut(&pictures.board) else { return };
            for seen in pictures.seen {
                let seen = Arc::new(seen);
                of_board.last = Some(Arc::clone(&seen));
                let is_heard = of_board.listeners.send(seen).is_ok();
                if !is_heard && !inner.is_kept {
                    // The last one has gone; a picture that is not kept up to date would mislead.
                    of_board.want(false);
                    of_board.last = None;
                }
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl OfBoard {
    fn want(&self, is_wanted: bool) {
        self.wanted.send_if_modified(|before| std::mem::replace(before, is_wanted) != is_wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::station::{FRAMES, Open, SeenKind, Station};
    use adoube_rules::stamp::Stamp;

    fn pictures(board: &str, mono_ns: &[u64]) -> Pictures {
        let station = Station::open(Open::new(board, FRAMES, "test"), Stamp::default()).unwrap();
        let seen = |&mono_ns: &u64| Seen {
            kind: SeenKind::Reading,
            at: Stamp { mono_ns, utc_ns: 0 },
            picture: station.picture(),
            events_before: 0,
        };
        Pictures { board: board.into(), seen: mono_ns.iter().map(seen).collect() }
    }

    #[test]
    fn a_board_is_asked_for_pictures_while_somebody_listens() {
        let tap = Tap::default();
        let wanted = tap.of("1");
        assert!(!*wanted.borrow() && tap.listen("2").is_none());
        let mut listener = tap.listen("1").unwrap();
        assert!(*wanted.borrow());
        tap.show(pictures("1", &[5, 7]));
        let heard = [listener.try_recv(), listener.try_recv()].map(|seen| seen.unwrap().at.mono_ns);
        assert_eq!((heard, tap.last("1").unwrap().at.mono_ns), ([5, 7], 7));
        drop(listener);
        tap.show(pictures("1", &[9]));
        assert!(!*wanted.borrow() && tap.last("1").is_none());
    }

    #[test]
    fn pictures_that_are_kept_need_no_listener() {
        let tap = Tap::default();
        let before = tap.of("1");
        tap.keep();
        let after = tap.of("2");
        assert!(*before.borrow() && *after.borrow());
        for board in ["1", "2"] {
            tap.show(pictures(board, &[3]));
            assert_eq!(tap.last(board).unwrap().at.mono_ns, 3);
        }
        assert!(*before.borrow());
    }
}
