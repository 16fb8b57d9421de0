//! With what the hubs begin: the games that are not over, or not yet seen to the end by everybody, with all that was
//! said of them; of the others who played and how it ended. Their moves come afterwards (`backfill`).

use std::collections::BTreeSet;
use std::path::Path;

use crate::event::Numbered;
use crate::feed::delay::Delays;
use crate::feed::view::{GameView, HallView};
use crate::journal::{Look, Recovered, StoredEvent};
use crate::stamp::SECOND;

/// So many of the last events are there in any case: a viewer that comes back finds what it missed.
const LAST: u64 = 10_000;

/// Spectators have seen everything that is older than their delay by so much: clocks that were put right, and events
/// that were decided a moment before they were stored.
const MARGIN_NS: i64 = 60 * SECOND as i64;

/// Which of the events that the journal holds are shown at the start.
#[derive(Debug, Default)]
pub(super) struct Beginning {
    /// The numbers of those before [`Beginning::from`], in order.
    before: Vec<u64>,
    /// From this number on all are.
    pub(super) from: u64,
    /// The last public number before it: spectators have seen everything up to there.
    pub(super) public: u64,
    /// The games of which only the outline is shown, in the order in which they were opened.
    pub(super) outlined: Vec<String>,
}

impl Beginning {
    /// Looks into the journal in `folder`, out of which came `recovered`.
    pub(super) fn of(folder: &Path, recovered: &Recovered, delays: &Delays) -> Self {
        let look = Look::open(folder);
        let outline = look.outline();
        let mut from = recovered.last_seq.saturating_sub(LAST) + 1;
        if let Some(last) = recovered.last_stamp {
            let seen_ns = last.utc_ns - i64::from(delays.longest_s()) * SECOND as i64 - MARGIN_NS;
            from = from.min(look.first_since(seen_ns));
        }
        let mut view = HallView::default();
        let mut before = BTreeSet::new();
        for event in &outline {
            if let Some(event) = numbered(event) {
                view.apply(&event.json);
            }
            before.insert(event.seq);
        }
        let is_over = |game: &&GameView| game.closed && game.result != "*";
        let rounds: BTreeSet<u64> =
            view.games().filter(|game| !game.closed).filter_map(|game| game.round).collect();
        let on_boards: BTreeSet<&str> = view.boards().filter_map(|board| board.game.as_deref()).collect();
        let mut outlined = Vec::new();
        for game in view.games() {
            let numbers = look.of_game(&game.game);
            let is_open_round = game.round.is_some_and(|round| rounds.contains(&round));
            let is_late = numbers.last().is_some_and(|&last| last >= from);
            if !is_over(&game) || is_open_round || is_late || on_boards.contains(&*game.game) {
                before.extend(numbers);
            } else {
                outlined.push(game.game.clone());
            }
        }
        let before = before.range(..from).copied().collect();
        Self { before, from, public: look.public_before(from), outlined }
    }

    /// The events before [`Beginning::from`], in order.
    pub(super) fn before(&self, folder: &Path) -> impl Iterator<Item = Numbered> {
        let look = Look::open(folder);
        self.before.iter().filter_map(move |&seq| numbered(&look.event(seq)?))
    }
}

/// An event out of the journal; what cannot be read is left out, and said.
pub(super) fn numbered(event: &StoredEvent) -> Option<Numbered> {
    event.numbered().inspect_err(|error| tracing::error!("journal, seq {}: {error}", event.seq)).ok()
}
