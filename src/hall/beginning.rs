//! With what the hubs begin: the games that are not over, or not yet seen to the end by everybody, with all that was
//! said of them; of the others who played and how it ended. Their moves come afterwards (`backfill`).

use std::collections::BTreeSet;
use std::path::Path;

use crate::feed::delay::Delays;
use crate::feed::view::{GameView, HallView};
use crate::journal::{Look, StoredEvent};
use adoube_core::event::Numbered;
use adoube_rules::stamp::{SECOND, Stamp};

/// So many of the last events are there in any case: a viewer that comes back finds what it missed.
/// (In tests a few, so that their journals have more.)
const LAST: u64 = if cfg!(test) { 10 } else { 10_000 };

/// Spectators have seen everything that is older than their delay by so much: clocks that were put right, and events
/// that were decided a moment before they were stored.
const MARGIN_NS: i64 = 60 * SECOND as i64;

/// Which of the events that the journal holds are shown at the start.
#[derive(Debug, Default)]
pub(crate) struct Beginning {
    /// The numbers of those before [`Beginning::from`], in order.
    before: Vec<u64>,
    /// From this number on all are.
    pub(super) from: u64,
    /// Up to this one: what comes after it is shown when it is committed.
    pub(super) last: u64,
    /// The last public number before it: spectators have seen everything up to there.
    pub(super) public: u64,
    /// The games of which only the outline is shown, in the order in which they were opened.
    pub(crate) outlined: Vec<String>,
}

impl Beginning {
    /// Looks into the journal in `folder`, of which the event `last_seq` was the last when the daemon started and
    /// `last_stamp` the time of its last input.
    pub(crate) fn of(folder: &Path, (last_seq, last_stamp): (u64, Option<Stamp>), delays: &Delays) -> Self {
        let look = Look::open(folder);
        let mut outline = look.outline();
        outline.retain(|event| event.seq <= last_seq);
        let mut from = last_seq.saturating_sub(LAST) + 1;
        if let Some(last) = last_stamp {
            let seen_ns = last.utc_ns - i64::from(delays.longest_s()) * SECOND as i64 - MARGIN_NS;
            from = from.min(look.first_since(seen_ns));
        }
        let mut view = HallView::default();
        let mut before = BTreeSet::new();
        for event in &outline {
            if let Some(event) = numbered(event) {
                view.apply_private(&event);
            }
            before.insert(event.seq);
        }
        let is_over = |game: &&GameView| game.closed && game.result != "*";
        let rounds: BTreeSet<u32> =
            view.games().filter(|game| !game.closed).filter_map(|game| game.round).collect();
        let on_boards: BTreeSet<&str> = view.boards().filter_map(|board| board.game.as_deref()).collect();
        let mut outlined = Vec::new();
        for game in view.games() {
            let is_open_round = game.round.is_some_and(|round| rounds.contains(&round));
            let is_late = || look.last_of_game(&game.game) >= from;
            if !is_over(&game) || is_open_round || on_boards.contains(&*game.game) || is_late() {
                before.extend(look.of_game(&game.game));
            } else {
                outlined.push(game.game.clone());
            }
        }
        let before = before.range(..from).copied().collect();
        Self { before, from, last: last_seq, public: look.public_before(from), outlined }
    }

    /// The events before [`Beginning::from`], in order.
    pub(super) fn before(&self, folder: &Path) -> impl Iterator<Item = Numbered> {
        let look = Look::open(folder);
        self.before.iter().filter_map(move |&seq| numbered(&look.told(seq)?))
    }
}

/// An event out of the journal; what cannot be read is left out, and said.
pub(super) fn numbered(event: &StoredEvent) -> Option<Numbered> {
    event.numbered().inspect_err(|error| tracing::error!("journal, seq {}: {error}", event.seq)).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Arc;

    use tokio::sync::watch;

    use super::*;
    use crate::feed::hub::{DeskHub, PublicHub};
    use crate::hall::backfill;
    use crate::hall::clock::Clock;
    use crate::hall::metrics::Metrics;
    use crate::hall::showing::{Release, Showing};
    use crate::journal::{InputKind, Journal, JournalHandle, Submission};
    use adoube_core::event::{Body, Cause, Event, GameInfo, GameName, MoveMade, Publicity, Publisher};
    use adoube_core::ply::Ply;
    use adoube_rules::{ChessPosition, GameResult, Position as _};

    const START: i64 = 1_767_000_000 * SECOND as i64;

    fn at(second: u64) -> Stamp {
        Stamp { mono_ns: 0, utc_ns: START }.at(second * SECOND)
    }

    fn opened(round: u32, number: u32) -> Body {
        Body::GameOpened(Box::new(GameInfo {
            name: GameName::Given(format!("{round}-{number}").into()),
            round: Some(round),
            number,
            variant: adoube_rules::GameKind::Chess,
            start: ChessPosition::default().fen(),
            time_control: None,
            players: Default::default(),
            red_blue: None,
            team_match: None,
        }))
    }

    fn made() -> Body {
        let position = ChessPosition::default();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        Body::MoveMade(Box::new(MoveMade {
            ply: Ply::FIRST,
            played: position.played(moves[0]),
            confidence_milli: 1_000,
            first_lift_ns: 0,
            made_ns: 0,
            clock: None,
            cause: Cause::Played,
        }))
    }

    /// Three rounds at two boards. The first two are over, but for a game that was closed without a result; of the
    /// third, one game goes on.
    async fn play(journal: &JournalHandle) {
        let mut second = 0;
        for round in 1..=3 {
            for number in 1..=2 {
                let result = (round, number) != (1, 2);
                let result = result.then_some(GameResult::WhiteWins);
                let is_over = (round, number) != (3, 2);
                let closed = is_over.then_some(Body::GameClosed { result });
                for body in [opened(round, number), Body::ClockRead(None), made()].into_iter().chain(closed) {
                    second += 100;
                    let at = at(second);
                    let game = Some(GameName::Given(format!("{round}-{number}").into()));
                    let event = Event { at, elapsed_ns: at.mono_ns, game, publicity: Publicity::Usual, body };
                    let (board, kind) = (Arc::from(number.to_string()), InputKind::Bytes);
                    let submission =
                        Submission { board, stamp: at, kind, data: Vec::new(), events: vec![event] };
                    journal.submit(submission).await.unwrap();
                }
            }
        }
        journal.settled().await.unwrap();
    }

    /// The games as hubs show them, each with how many moves.
    fn games(view: &HallView) -> Vec<(String, String, usize, bool)> {
        let shown =
            |game: &GameView| (game.game.clone(), game.result.clone(), game.moves.len(), game.is_outlined);
        view.games().map(shown).collect()
    }

    #[tokio::test]
    async fn games_that_are_over_have_their_results_at_once_and_their_moves_later() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = Journal::open(folder.path(), 1, drop).unwrap();
        play(&journal).await;
        journal.close();
        let (journal, recovered) = Journal::open(folder.path(), 1, drop).unwrap();
        let delays = Delays::default();
        let beginning = Beginning::of(folder.path(), (recovered.last_seq, recovered.last_stamp), &delays);
        // 1-2 may still be played; the third round is open, and 2-2 has one of the last ten events.
        assert_eq!(beginning.outlined, ["1-1", "2-1"]);
        let (desk, public) = (Arc::<DeskHub>::default(), Arc::<PublicHub>::default());
        let clock = Clock::start(recovered.last_stamp, 1.0);
        let release =
            Release::new(&delays, Arc::clone(&public), clock, journal.clone(), (folder.path(), &recovered));
        let metrics = Arc::new(Metrics::new(journal.figures()));
        let mut showing = Showing::new(Arc::clone(&desk), Arc::default(), release, metrics);
        showing.load(folder.path(), &beginning, VecDeque::default(), &std::sync::mpsc::channel().1);

        let (mut all, mut public_all, mut publisher) =
            (HallView::default(), HallView::default(), Publisher::default());
        let look = Look::open(folder.path());
        for event in (1..=recovered.last_seq).filter_map(|seq| numbered(&look.event(seq).unwrap())) {
            all.apply_private(&event);
            publisher.publish(&event).iter().for_each(|event| public_all.apply(event));
        }
        drop(look);
        let expected = |view: &HallView| {
            let mut games = games(view);
            for (_, _, moves, is_outlined) in
                games.iter_mut().filter(|game| ["1-1", "2-1"].contains(&&*game.0))
            {
                (*moves, *is_outlined) = (0, true);
            }
            games
        };
        assert_eq!(desk.with_view(games), expected(&all));
        assert_eq!(public.with_view(games), expected(&public_all));

        let (_stop, stopped) = watch::channel(false);
        let hubs = (Arc::clone(&desk), Arc::clone(&public));
        backfill::run(Arc::from(folder.path()), beginning.outlined, hubs, stopped).await;
        assert_eq!(desk.with_view(games), games(&all));
        assert_eq!(public.with_view(games), games(&public_all));
        assert!(games(&all).iter().all(|(_, _, moves, is_outlined)| *moves == 1 && !is_outlined));
        journal.close();
    }

    #[test]
    fn what_is_not_yet_seen_by_everybody_is_shown_with_all_that_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (journal, _) = Journal::open(folder.path(), 1, drop).unwrap();
        runtime.block_on(play(&journal));
        journal.close();
        let (journal, recovered) = Journal::open(folder.path(), 1, drop).unwrap();
        // The last event came after 2,300 s.
        let delays = |usual_s| Delays { usual_s, ..Delays::default() };
        let from = |usual_s| {
            Beginning::of(folder.path(), (recovered.last_seq, recovered.last_stamp), &delays(usual_s)).from
        };
        assert_eq!((from(0), from(1_200), from(90_000)), (14, 11, 1));
        let all = Beginning::of(folder.path(), (recovered.last_seq, recovered.last_stamp), &delays(90_000));
        assert_eq!((all.before.len(), all.public, all.outlined.len()), (0, 0, 0));
        journal.close();
    }
}
