//! Plies that nobody saw, at feeds from which a move is hard to take back (DESIGN 5.5): they wait for the arbiter's word,
//! until what is played later bears them out, or for two minutes.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;

use super::hub::DeskHub;
use super::records::{Record, record_of};
use super::view::{GameView, MoveView};
use adoube_core::event::finding::{Finding, Score};
use adoube_core::ply::Ply;

/// So many later plies that were completed bear an order out: another one would have shown by then.
const BORNE_OUT_PLIES: usize = 6;

/// Nobody is kept waiting for longer, milliseconds: the arbiter may have other things to do.
const WAIT_MS: i64 = 120_000;

/// When a feed shows plies that nobody saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveredAtFeeds {
    /// Once somebody or something bears them out.
    #[default]
    Confirmed,
    /// As soon as they are found.
    AtOnce,
}

impl RecoveredAtFeeds {
    /// What holds them back, if anything does; `now_ms` tells milliseconds since 1970.
    pub(crate) fn held(
        self,
        desk: &Arc<DeskHub>,
        now_ms: impl Fn() -> i64 + Send + Sync + 'static,
    ) -> Option<Unseen> {
        (self == Self::Confirmed).then(|| Unseen { desk: Arc::clone(desk), now_ms: Arc::new(now_ms) })
    }
}

/// Who knows which gaps wait for the arbiter.
#[derive(Clone)]
pub(crate) struct Unseen {
    desk: Arc<DeskHub>,
    now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
}

impl fmt::Debug for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unseen").finish_non_exhaustive()
    }
}

impl Unseen {
    /// Takes out of `game` the first plies that have to wait, and what followed them. True if there are any.
    pub(crate) fn hold(&self, game: &mut GameView) -> bool {
        if !game.moves.all().iter().any(|mv| mv.recovered) {
            return false;
        }
        let is_its = |record: &Record| record.is_open() && record.event.game.as_deref() == Some(&*game.game);
        let gaps: Vec<(Ply, i64)> = self.desk.records(is_its).iter().filter_map(gap).collect();
        let Some(stands) = waits_from(&game.moves.all(), &gaps, (self.now_ms)()) else { return false };
        game.moves.edit().truncate(stands);
        game.threats.clear();
        // How it ended is known when its moves are.
        Score(None).as_str().clone_into(&mut game.result);
        true
    }
}

/// After which ply a gap lies, and when it was found, milliseconds since 1970.
fn gap(record: &Record) -> Option<(Ply, i64)> {
    let Finding::RecordGap(gap) = &record_of(&record.event)?.finding else { return None };
    let opened: Timestamp = record.opened_at.parse().ok()?;
    Some((gap.since_ply, opened.as_millisecond()))
}

/// The first of `moves` that nobody saw and that have to wait, as long as its gap is among those that are open.
fn waits_from(moves: &[MoveView], gaps: &[(Ply, i64)], now_ms: i64) -> Option<usize> {
    let begins = |&at: &usize| moves[at].recovered && (at == 0 || !moves[at - 1].recovered);
    (0..moves.len()).filter(begins).find(|&first| {
        let later = moves[first..].iter().skip_while(|mv| mv.recovered);
        let is_borne_out = later.filter(|mv| mv.completed).count() >= BORNE_OUT_PLIES;
        let is_due = |&(since_ply, opened_ms): &(Ply, i64)| {
            since_ply.next() == moves[first].ply && now_ms - opened_ms < WAIT_MS
        };
        !is_borne_out && gaps.iter().any(is_due)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::feed::sheets::{Sheets, Shown};
    use adoube_core::event::testing::numbered;
    use adoube_rules::GameResult;
    use adoube_rules::pgn::read_games;
    use adoube_rules::sensor::Side;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    /// The moves, in coordinates and as they are written.
    const MOVES: [(&str, &str); 12] = [
        ("e2e4", "e4"),
        ("e7e5", "e5"),
        ("g1f3", "Nf3"),
        ("b8c6", "Nc6"),
        ("f1b5", "Bb5"),
        ("a7a6", "a6"),
        ("b5a4", "Ba4"),
        ("g8f6", "Nf6"),
        ("e1g1", "O-O"),
        ("f8e7", "Be7"),
        ("f1e1", "Re1"),
        ("b7b5", "b5"),
    ];

    struct Hall {
        desk: Arc<DeskHub>,
        sheets: Sheets,
        seq: u64,
        plies: usize,
    }

    impl Hall {
        /// A game with a gap of two plies after its second one.
        fn new(recovered: RecoveredAtFeeds) -> Self {
            let desk = Arc::new(DeskHub::default());
            let held = recovered.held(&desk, || crate::world::now().as_millisecond());
            let sheets = Sheets::holding(Shown::default(), held);
            let mut hall = Self { desk, sheets, seq: 0, plies: 0 };
            hall.say(json!({ "type": "game-opened", "round": 5, "number": 1, "variant": "chess",
                "start": START, "white": {"name": "A"}, "black": {"name": "B"} }));
            for _ in 0..2 {
                hall.plays("played");
            }
            for _ in 0..2 {
                hall.plays("recovered");
            }
            hall
        }

        fn say(&mut self, mut event: Value) {
            self.seq += 1;
            event["board"] = "1".into();
            event["game"] = "5-1".into();
            event["seq"] = self.seq.into();
            self.desk.push(&numbered(event));
        }

        /// The next move, completed.
        fn plays(&mut self, cause: &str) {
            let (uci, san) = MOVES[self.plies];
            self.plies += 1;
            let (ply, side) = (self.plies, if self.plies % 2 == 1 { "white" } else { "black" });
            let of = json!({ "ply": ply, "side": side, "san": san, "uci": uci, "fen": START });
            let with = |name: &str, more: Value| {
                let mut event = of.clone();
                event["type"] = name.into();
                event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                event
            };
            self.say(with(
                "move-made",
                json!({ "cause": cause, "confidence": 1.0, "legal": true,
                "first_lift_ms": 1, "made_ms": 2, "clock": null }),
            ));
            self.say(with(
                "move-completed",
                json!({ "by": "press", "legal": true, "completed_ms": 3, "clock": null }),
            ));
        }

        /// The gap is found so many seconds ago, or decided.
        fn gap(&mut self, status: &str, seconds_ago: i64) {
            let at = crate::world::now() - jiff::SignedDuration::from_secs(seconds_ago);
            self.say(json!({ "type": "record-gap", "at": at.to_string(), "record": 9,
                "status": status, "ply": 3, "since_ply": 2, "paths": 1, "recovered": ["Nf3", "Nc6"] }));
        }

        /// How many plies the feed shows, and the result.
        fn shown(&mut self) -> (usize, Option<GameResult>) {
            self.sheets.update(&*self.desk);
            let text = self.sheets.sorted()[0].shown();
            let game = &read_games(text.as_bytes()).unwrap()[0];
            (game.moves.len(), game.result)
        }
    }

    #[test]
    fn plies_that_nobody_saw_wait_for_the_arbiter() {
        let mut hall = Hall::new(RecoveredAtFeeds::Confirmed);
        hall.gap("open", 0);
        assert_eq!(hall.shown(), (2, None));
        hall.plays("played");
        hall.say(json!({ "type": "game-over", "status": "confirmed", "result": "1-0" }));
        assert_eq!(hall.shown(), (2, None), "what follows rests on them");
        assert!(hall.sheets.next_look() < Duration::from_secs(5), "nothing in the hub says when");
        hall.gap("confirmed", 0);
        assert_eq!(hall.shown(), (5, Some(GameResult::win(Side::White))));
        assert_eq!(hall.sheets.next_look(), Duration::MAX);
    }

    #[test]
    fn six_later_plies_bear_them_out() {
        let mut hall = Hall::new(RecoveredAtFeeds::Confirmed);
        hall.gap("open", 0);
        for _ in 0..5 {
            hall.plays("played");
        }
        assert_eq!(hall.shown().0, 2);
        hall.plays("played");
        assert_eq!(hall.shown().0, 10);
    }

    #[test]
    fn nobody_waits_for_longer_than_two_minutes_and_at_the_end_nobody_waits() {
        for (seconds_ago, plies) in [(119, 2), (121, 4)] {
            let mut hall = Hall::new(RecoveredAtFeeds::Confirmed);
            hall.gap("open", seconds_ago);
            assert_eq!(hall.shown().0, plies);
            hall.sheets.release();
            assert_eq!(hall.shown().0, 4);
        }
    }

    #[test]
    fn a_feed_may_show_them_at_once() {
        let mut hall = Hall::new(RecoveredAtFeeds::AtOnce);
        hall.gap("open", 0);
        assert_eq!(hall.shown().0, 4);
    }
}
