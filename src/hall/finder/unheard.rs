//! Boards that are where the configuration has them, and are not understood: perhaps they speak something else.
//!
//! Their ports are taken from them for as long as it takes to ask, unless the configuration says what they speak.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use super::{BoardStatus, Wanted};
use crate::link::Port;

/// A board that is heard at all is heard within this time of being linked.
const UNHEARD: Duration = Duration::from_secs(8);
/// Asking takes the port from a board that may only be switched off, so there is some time in between.
const AGAIN: Duration = Duration::from_secs(60);

/// Who was not heard, and whose port is being asked.
#[derive(Debug, Default)]
pub(super) struct Unheard {
    due: BTreeMap<String, Instant>,
    asking: BTreeMap<String, Port>,
}

impl Unheard {
    /// The boards whose ports are to be asked from now on.
    pub(super) fn begin(&mut self, boards: &[BoardStatus], wanted: &[Wanted]) -> Vec<(String, Port)> {
        let now = Instant::now();
        let may_speak_anything = |board: &str| {
            wanted.iter().any(|wanted| wanted.board == board && !wanted.is_auto && wanted.protocol.is_none())
        };
        let mut begun = Vec::new();
        for status in boards {
            let place = status.port.as_deref().and_then(|port| port.parse::<Port>().ok());
            let Some(port) = place.filter(|_| may_speak_anything(&status.board)) else { continue };
            if status.state != "lost" || status.readings > 0 || !status.was_opened {
                self.due.remove(&status.board);
                continue;
            }
            let due = self.due.entry(status.board.clone()).or_insert(now + UNHEARD);
            if *due <= now {
                *due = now + AGAIN;
                self.asking.insert(status.board.clone(), port.clone());
                begun.push((status.board.clone(), port));
            }
        }
        begun
    }

    /// The ports that are being asked, and for whom.
    pub(super) fn asking(&self) -> impl Iterator<Item = (&String, &Port)> {
        self.asking.iter()
    }

    /// Is that board's port being asked?
    pub(super) fn is_asking(&self, board: &str) -> bool {
        self.asking.contains_key(board)
    }

    /// It is known who is there, or that nobody is.
    pub(super) fn end(&mut self, board: &str) {
        self.asking.remove(board);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(state: &'static str, readings: u64) -> BoardStatus {
        BoardStatus {
            board: "1".to_owned(),
            protocol: "dgt".to_owned(),
            port: Some("tcp://127.0.0.1:9".to_owned()),
            serial: None,
            state,
            heard_utc: None,
            age_ms: None,
            reason: None,
            readings,
            was_opened: true,
            origin: "configured",
        }
    }

    fn wanted(protocol: Option<&str>) -> [Wanted; 1] {
        let protocol = protocol.map(str::to_owned);
        [Wanted { board: "1".to_owned(), serial: None, protocol, is_auto: false }]
    }

    #[tokio::test(start_paused = true)]
    async fn only_who_was_never_heard_is_asked_and_not_all_the_time() {
        let mut unheard = Unheard::default();
        let lost = [status("lost", 0)];
        assert!(unheard.begin(&lost, &wanted(None)).is_empty(), "not at once");
        tokio::time::advance(UNHEARD).await;
        assert!(unheard.begin(&[status("lost", 3)], &wanted(None)).is_empty(), "it was heard before");
        assert!(unheard.begin(&lost, &wanted(None)).is_empty(), "the time begins anew");
        tokio::time::advance(UNHEARD).await;
        let closed = [BoardStatus { was_opened: false, ..status("lost", 0) }];
        assert!(unheard.begin(&closed, &wanted(None)).is_empty(), "nobody can be asked there");
        assert!(unheard.begin(&lost, &wanted(None)).is_empty(), "the time begins anew");
        tokio::time::advance(UNHEARD).await;
        assert!(unheard.begin(&lost, &wanted(Some("dgt"))).is_empty(), "it is said what it speaks");
        assert_eq!(unheard.begin(&lost, &wanted(None)).len(), 1);
        assert!(unheard.is_asking("1"));
        unheard.end("1");
        assert!(unheard.begin(&lost, &wanted(None)).is_empty());
        tokio::time::advance(AGAIN).await;
        assert_eq!(unheard.begin(&lost, &wanted(None)).len(), 1);
    }
}
