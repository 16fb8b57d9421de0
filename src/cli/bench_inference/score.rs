//! What was said about a game, held against what happened: counts and latencies. Pure.

use serde::Serialize;

use crate::config::PublishAt;
use adoube_core::event::finding::Finding;
use adoube_core::event::{Body, Event, GameName, RecordId};

/// What really happened in one ply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ply {
    /// The move.
    pub(super) uci: String,
    /// When its last man came to rest or left the board.
    pub(super) placed_ns: u64,
    /// When the clock was pressed after it, if it was.
    pub(super) pressed_ns: Option<u64>,
    /// A king that arrives on d4, e4, d5 or e5: such a move may be half of a result, and is held back.
    pub(super) is_king_to_centre: bool,
}

/// What really happened in a game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Truth {
    /// The plies that hands played.
    pub(super) plies: Vec<Ply>,
    /// After so many the Laws end the game, or the players do; what was played later may be left out.
    pub(super) lawful: usize,
    /// The square that does not say what stands on it.
    pub(super) sick: Option<Sick>,
}

/// A square that does not say what stands on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sick {
    pub(super) square: String,
    /// Something stood on it, or seemed to.
    pub(super) matters: bool,
}

/// What an event says about the moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// A move is announced.
    Made {
        /// Its number, from 1.
        ply: usize,
        /// The move.
        uci: String,
    },
    /// A move is completed.
    Completed {
        /// Its number.
        ply: usize,
    },
    /// A move and all later ones are withdrawn.
    Retracted {
        /// Its number.
        ply: usize,
    },
    /// A move is announced as one of another game than the first.
    Elsewhere,
    /// A square is said not to be trusted.
    Fault {
        /// Which it is.
        square: String,
    },
    /// A player is said to have touched a man that he did not move.
    Touch,
}

/// Tells what events say about the moves of the first game that has any.
#[derive(Debug, Default)]
pub(super) struct Listener {
    game: Option<GameName>,
    /// The last record that was heard of for the first time.
    heard: Option<RecordId>,
}

impl Listener {
    /// When `event` was decided and what it says, if it is about moves.
    pub(super) fn hear(&mut self, event: &Event) -> Option<(u64, Said)> {
        let said = match &event.body {
            Body::MoveMade(made) => Said::Made { ply: made.ply.count(), uci: made.played.uci() },
            Body::MoveCompleted(completed) => Said::Completed { ply: completed.ply.count() },
            Body::MoveRetracted(retracted) => Said::Retracted { ply: retracted.ply.count() },
            Body::Record(record) => {
                // Numbers grow: what is said of an older record is not new.
                if self.heard >= Some(record.record) {
                    return None;
                }
                self.heard = Some(record.record);
                let said = match &record.finding {
                    Finding::SensorFault(fault) => Said::Fault { square: fault.square.clone()?.0 },
                    Finding::TouchMoveSuspected(_) => Said::Touch,
                    _ => return None,
                };
                return Some((event.elapsed_ns, said));
            }
            _ => return None,
        };
        self.game = self.game.take().or_else(|| event.game.clone());
        let is_elsewhere = event.game != self.game;
        match said {
            Said::Made { .. } if is_elsewhere => Some((event.elapsed_ns, Said::Elsewhere)),
            _ if is_elsewhere => None,
            said => Some((event.elapsed_ns, said)),
        }
    }
}

/// Figures of games, which add up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) games: usize,
    /// The whole list of moves is right in the end.
    pub(super) games_right: usize,
    pub(super) plies: usize,
    /// Right in the end, and everything before them.
    pub(super) plies_right: usize,
    /// Moves published that are not those of that ply; each time that one is published counts.
    pub(super) wrong: usize,
    /// Withdrawals of something published, each of one move or more.
    pub(super) retracted: usize,
    /// Right moves after right ones that were completed, and withdrawn all the same; each time.
    pub(super) undone: usize,
    /// Of which any move was published.
    pub(super) games_begun: usize,
    /// In which a square was sick and mattered, and of these the ones in which it was named.
    pub(super) sick: usize,
    pub(super) sick_named: usize,
    /// Healthy squares that were called sick.
    pub(super) healthy_named: usize,
    /// Players who were said to have touched a man that they did not move.
    pub(super) touches: usize,
    /// From the last man's rest to the right move being published, nanoseconds.
    pub(super) made_ns: Vec<u64>,
    /// The same for kings that arrive on the centre squares.
    pub(super) kings_ns: Vec<u64>,
    /// From the press to the right move being completed.
    pub(super) completed_ns: Vec<u64>,
    /// The games that did not come out right.
    pub(super) missed: Vec<Missed>,
}

/// A game of which something was wrong, in the end or on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Missed {
    /// Which of its kind, from 1.
    pub(super) number: usize,
    /// The square that lied, and whether it was named.
    pub(super) sick: Option<(String, bool)>,
    /// Squares that were named though nothing was wrong with them.
    pub(super) healthy_named: usize,
    /// Right moves that were pressed and withdrawn.
    pub(super) undone: usize,
    /// The first ply that is wrong in the end, from 1.
    pub(super) ply: usize,
    /// What was played there, and what stands in the record; `None`: nothing.
    pub(super) played: Option<String>,
    pub(super) read: Option<String>,
}

impl Figures {
    /// Something was wrong with a game.
    pub(super) fn is_missed(&self) -> bool {
        !self.missed.is_empty()
    }

    /// What `said` is worth, in the order of time, where moves are published at that point.
    pub(super) fn of(
        truth: &Truth,
        said: impl IntoIterator<Item = (u64, Said)>,
        publish_at: PublishAt,
    ) -> Self {
        let mut follower = Follower::new(truth, publish_at);
        for (at_ns, said) in said {
            follower.take(at_ns, said);
        }
        follower.finish()
    }

    pub(super) fn add(&mut self, other: Self) {
        self.games += other.games;
        self.games_right += other.games_right;
        self.plies += other.plies;
        self.plies_right += other.plies_right;
        self.wrong += other.wrong;
        self.retracted += other.retracted;
        self.undone += other.undone;
        self.games_begun += other.games_begun;
        self.sick += other.sick;
        self.sick_named += other.sick_named;
        self.healthy_named += other.healthy_named;
        self.touches += other.touches;
        self.made_ns.extend(other.made_ns);
        self.kings_ns.extend(other.kings_ns);
        self.completed_ns.extend(other.completed_ns);
        let number = self.games;
        self.missed.extend(other.missed.into_iter().map(|missed| Missed { number, ..missed }));
    }

    /// `count` for each thousand plies.
    pub(super) fn per_thousand(&self, count: usize) -> f64 {
        if self.plies == 0 { 0.0 } else { count as f64 * 1_000.0 / self.plies as f64 }
    }
}

/// The smallest of `values` that `percent` of them do not exceed; `None` if there are none.
pub(super) fn percentile(values: &[u64], percent: usize) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.max(1) - 1).copied()
}

/// A move of the record.
struct Recorded {
    uci: String,
    is_completed: bool,
    published_ns: Option<u64>,
}

/// Somebody who keeps the record, and follows what is published of it.
struct Follower<'a> {
    truth: &'a Truth,
    publish_at: PublishAt,
    record: Vec<Recorded>,
    is_elsewhere: bool,
    is_begun: bool,
    is_named: bool,
    healthy_named: usize,
    touches: usize,
    wrong: usize,
    retracted: usize,
    undone: usize,
    /// By ply: how long after its placement the right move was first to be seen.
    made_ns: Vec<Option<u64>>,
    completed_ns: Vec<Option<u64>>,
}

impl<'a> Follower<'a> {
    fn new(truth: &'a Truth, publish_at: PublishAt) -> Self {
        let none = vec![None; truth.plies.len()];
        Self {
            truth,
            publish_at,
            record: Vec::new(),
            is_elsewhere: false,
            is_begun: false,
            is_named: false,
            healthy_named: 0,
            touches: 0,
            wrong: 0,
            retracted: 0,
            undone: 0,
            made_ns: none.clone(),
            completed_ns: none,
        }
    }

    fn take(&mut self, at_ns: u64, said: Said) {
        match said {
            Said::Made { ply, uci } => {
                self.cut(ply - 1, at_ns);
                self.record.push(Recorded { uci, is_completed: false, published_ns: None });
            }
            Said::Completed { ply } => self.complete(ply - 1, at_ns),
            Said::Retracted { ply } => {
                let was_published = self.record.get(ply - 1).is_some_and(|mv| mv.published_ns.is_some());
                self.retracted += usize::from(was_published);
                self.cut(ply - 1, at_ns);
            }
            Said::Elsewhere => {
                self.is_elsewhere = true;
                self.wrong += 1;
            }
            Said::Fault { square } => {
                let is_sick = self.truth.sick.as_ref().is_some_and(|sick| sick.square == square);
                self.is_named |= is_sick;
                self.healthy_named += usize::from(!is_sick);
            }
            Said::Touch => self.touches += 1,
        }
        self.publish(at_ns);
    }

    fn is_right(&self, index: usize) -> bool {
        self.record
            .get(index)
            .is_some_and(|mv| self.truth.plies.get(index).is_some_and(|ply| ply.uci == mv.uci))
    }

    fn complete(&mut self, index: usize, at_ns: u64) {
        if let Some(mv) = self.record.get_mut(index) {
            mv.is_completed = true;
        }
        if self.is_right(index)
            && let Some(pressed_ns) = self.truth.plies[index].pressed_ns
        {
            self.completed_ns[index].get_or_insert_with(|| at_ns.saturating_sub(pressed_ns));
        }
    }

    /// Publishes what is due: all announced moves, or those up to the first that is not completed.
    fn publish(&mut self, at_ns: u64) {
        for index in 0..self.record.len() {
            let mv = &mut self.record[index];
            if self.publish_at == PublishAt::Completed && !mv.is_completed {
                break;
            }
            if mv.published_ns.is_none() {
                self.is_begun = true;
                mv.published_ns = Some(at_ns);
                self.wrong += usize::from(!self.is_right(index));
            }
        }
    }

    /// Takes the moves from `index` on out of the record.
    fn cut(&mut self, index: usize, at_ns: u64) {
        let right = (0..self.record.len()).take_while(|&index| self.is_right(index)).count();
        for index in index..self.record.len() {
            self.saw(index, at_ns);
            self.undone += usize::from(self.record[index].is_completed && index < right);
        }
        self.record.truncate(index);
    }

    /// The move at `index` was to be seen until `until_ns`. A right move that was published too soon
    /// and withdrawn before its men had come to rest was a guess.
    fn saw(&mut self, index: usize, until_ns: u64) {
        if !self.is_right(index) {
            return;
        }
        let placed_ns = self.truth.plies[index].placed_ns;
        if let Some(published_ns) = self.record[index].published_ns
            && until_ns > placed_ns
        {
            self.made_ns[index].get_or_insert_with(|| published_ns.saturating_sub(placed_ns));
        }
    }

    fn finish(mut self) -> Figures {
        for index in 0..self.record.len() {
            self.saw(index, u64::MAX);
        }
        let Truth { plies, lawful, sick } = self.truth;
        let right = (0..self.record.len()).take_while(|&index| self.is_right(index)).count();
        let is_right = right == self.record.len() && right >= *lawful && !self.is_elsewhere;
        let made = || plies.iter().zip(&self.made_ns).take(*lawful);
        let of = |is_king: bool| {
            made().filter(|(ply, _)| ply.is_king_to_centre == is_king).filter_map(|(_, ns)| *ns).collect()
        };
        let is_unnamed = sick.as_ref().is_some_and(|sick| sick.matters) && !self.is_named;
        let is_pressed = plies.iter().any(|ply| ply.pressed_ns.is_some());
        let undone = if is_pressed { self.undone } else { 0 };
        let is_missed = !is_right || is_unnamed || self.healthy_named + undone > 0;
        let missed = is_missed.then(|| Missed {
            number: 1,
            healthy_named: self.healthy_named,
            undone,
            sick: sick.as_ref().map(|sick| (sick.square.clone(), self.is_named)),
            ply: right + 1,
            played: plies.get(right).map(|ply| ply.uci.clone()),
            read: self.record.get(right).map(|mv| mv.uci.clone()),
        });
        Figures {
            games: 1,
            games_right: usize::from(is_right),
            plies: *lawful,
            plies_right: right.min(*lawful),
            wrong: self.wrong,
            retracted: self.retracted,
            undone: self.undone,
            games_begun: usize::from(self.is_begun),
            sick: usize::from(sick.as_ref().is_some_and(|sick| sick.matters)),
            sick_named: usize::from(sick.as_ref().is_some_and(|sick| sick.matters) && !is_unnamed),
            healthy_named: self.healthy_named,
            touches: self.touches,
            made_ns: of(false),
            kings_ns: of(true),
            completed_ns: self.completed_ns.iter().take(*lawful).copied().flatten().collect(),
            missed: missed.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plies that come to rest at 10, 20, 30 … and are pressed 5 later.
    fn truth(moves: &[&str]) -> Truth {
        let plies = (1..).zip(moves).map(|(number, uci)| Ply {
            uci: (*uci).to_owned(),
            placed_ns: number * 10,
            pressed_ns: Some(number * 10 + 5),
            is_king_to_centre: false,
        });
        Truth { plies: plies.collect(), lawful: moves.len(), sick: None }
    }

    fn made(ply: usize, uci: &str) -> Said {
        Said::Made { ply, uci: uci.to_owned() }
    }

    fn completed(ply: usize) -> Said {
        Said::Completed { ply }
    }

    fn retracted(ply: usize) -> Said {
        Said::Retracted { ply }
    }

    fn counts(figures: &Figures) -> [usize; 4] {
        [figures.games_right, figures.plies_right, figures.wrong, figures.retracted]
    }

    #[test]
    fn a_game_that_is_read_as_it_was_played_is_right() {
        let said = [(12, made(1, "e2e4")), (16, completed(1)), (23, made(2, "e7e5")), (26, completed(2))];
        let figures = Figures::of(&truth(&["e2e4", "e7e5"]), said, PublishAt::Made);
        assert_eq!(counts(&figures), [1, 2, 0, 0]);
        assert_eq!((figures.made_ns, figures.completed_ns), (vec![2, 3], vec![1, 1]));
    }

    #[test]
    fn a_wrong_move_counts_each_time_that_it_is_published_and_the_right_one_from_its_own_time() {
        let said = [
            (11, made(1, "e2e3")),
            (12, retracted(1)),
            (13, made(1, "e2e3")),
            (14, retracted(1)),
            (15, made(1, "e2e4")),
        ];
        let figures = Figures::of(&truth(&["e2e4"]), said, PublishAt::Made);
        assert_eq!(counts(&figures), [1, 1, 2, 2]);
        assert_eq!(figures.made_ns, [5]);
    }

    #[test]
    fn moves_after_a_wrong_one_are_judged_by_themselves_and_one_withdrawal_takes_them_all() {
        let said = [
            (11, made(1, "e2e3")),
            (21, made(2, "e7e5")),
            (31, made(3, "g1f3")),
            (32, retracted(1)),
            (32, made(1, "e2e4")),
            (32, made(2, "e7e5")),
            (32, made(3, "g1f3")),
        ];
        let figures = Figures::of(&truth(&["e2e4", "e7e5", "g1f3"]), said, PublishAt::Made);
        assert_eq!(counts(&figures), [1, 3, 1, 1]);
        assert_eq!(figures.made_ns, [22, 1, 1], "what was right already was not late");
    }

    #[test]
    fn a_right_move_published_before_its_men_rest_took_no_time_unless_it_was_withdrawn() {
        let early = [(4, made(1, "e2e4"))];
        assert_eq!(Figures::of(&truth(&["e2e4"]), early, PublishAt::Made).made_ns, [0]);
        let guessed = [(4, made(1, "e2e4")), (6, retracted(1)), (17, made(1, "e2e4"))];
        assert_eq!(Figures::of(&truth(&["e2e4"]), guessed, PublishAt::Made).made_ns, [7]);
    }

    #[test]
    fn what_is_wrong_or_missing_in_the_end_is_no_right_game() {
        let moves = truth(&["e2e4", "e7e5"]);
        for (said, plies_right) in [
            (vec![(11, made(1, "e2e4"))], 1),
            (vec![(11, made(1, "e2e3")), (21, made(2, "e7e5"))], 0),
            (vec![(11, made(1, "e2e4")), (21, made(2, "e7e5")), (31, made(3, "g1f3"))], 2),
            (vec![(11, made(1, "e2e4")), (21, made(2, "e7e5")), (31, Said::Elsewhere)], 2),
        ] {
            let figures = Figures::of(&moves, said, PublishAt::Made);
            assert_eq!((figures.games_right, figures.plies_right), (0, plies_right));
        }
    }

    /// Hands may play on where the Laws have ended the game: the record may follow them or not.
    #[test]
    fn a_game_is_compared_as_far_as_the_laws_let_it_go() {
        let truth = Truth { lawful: 1, ..truth(&["e2e4", "e7e5"]) };
        let short = vec![(11, made(1, "e2e4"))];
        let long = vec![(11, made(1, "e2e4")), (21, made(2, "e7e5"))];
        for said in [short, long] {
            let figures = Figures::of(&truth, said, PublishAt::Made);
            assert_eq!((counts(&figures), figures.plies), ([1, 1, 0, 0], 1));
        }
        let other = [(11, made(1, "e2e4")), (21, made(2, "e7e6"))];
        assert_eq!(counts(&Figures::of(&truth, other, PublishAt::Made)), [0, 1, 1, 0]);
    }

    #[test]
    fn where_only_completed_moves_are_published_the_others_are_seen_by_nobody() {
        let said = [
            (11, made(1, "e2e3")),
            (12, retracted(1)),
            (13, made(1, "e2e4")),
            (21, made(2, "e7e5")),
            (22, completed(2)),
            (24, completed(1)),
        ];
        let figures = Figures::of(&truth(&["e2e4", "e7e5"]), said, PublishAt::Completed);
        assert_eq!(counts(&figures), [1, 2, 0, 0]);
        assert_eq!(figures.made_ns, [14, 4], "the second waits for the first");
        let wrong = [(11, made(1, "e2e3")), (16, completed(1)), (18, retracted(1))];
        assert_eq!(counts(&Figures::of(&truth(&["e2e4"]), wrong, PublishAt::Completed)), [0, 0, 1, 1]);
    }

    #[test]
    fn a_right_move_that_was_completed_and_withdrawn_is_undone_and_others_are_not() {
        let said = [
            (11, made(1, "e2e4")),
            (14, retracted(1)),
            (15, made(1, "e2e3")),
            (15, completed(1)),
            (16, retracted(1)),
            (17, made(1, "e2e4")),
            (17, completed(1)),
            (18, retracted(1)),
        ];
        assert_eq!(Figures::of(&truth(&["e2e4"]), said, PublishAt::Made).undone, 1);
    }

    #[test]
    fn kings_on_the_centre_squares_have_latencies_of_their_own() {
        let mut truth = truth(&["e3e4", "a7a6"]);
        truth.plies[0].is_king_to_centre = true;
        let said = [(19, made(1, "e3e4")), (22, made(2, "a7a6"))];
        let figures = Figures::of(&truth, said, PublishAt::Made);
        assert_eq!((figures.kings_ns, figures.made_ns), (vec![9], vec![2]));
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        assert_eq!(percentile(&[], 50), None);
        assert_eq!(percentile(&[7], 99), Some(7));
        let hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!([50, 95, 99].map(|percent| percentile(&hundred, percent)), [Some(50), Some(95), Some(99)]);
        assert_eq!(percentile(&[1, 2, 3], 50), Some(2));
    }
}
