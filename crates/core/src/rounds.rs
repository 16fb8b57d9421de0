//! Rounds and their boards: which are open, who plays where, when the next one is due (DESIGN 5.7).
//!
//! [`Book`] is what a hall knows of them, and what its journal holds. It is pure data: `hall::secretary` keeps
//! it and tells the boards.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::Body;
use crate::pairings::{Change, Pairing, Pairings};

/// Pairings and rounds of a hall, as they stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Book {
    /// Who plays whom.
    pub pairings: Pairings,
    /// The rounds that were opened, and whether they are closed again.
    pub rounds: BTreeMap<u32, Opened>,
}

/// What the journal holds of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entered {
    /// Who made it; nobody, if it was due.
    pub by: Option<String>,
    /// Everything as it stands then.
    pub book: Book,
}

/// A round that was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opened {
    /// It is played.
    Open,
    /// It is over.
    Closed,
}

/// Why something cannot be done with a round or a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoundsError {
    /// There is no such round or game.
    #[error("{0}")]
    Unknown(String),
    /// It cannot be done as things stand.
    #[error("{0}")]
    Refused(String),
}

impl Book {
    /// Every round that is known, in order.
    #[must_use]
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.pairings.rounds.keys().chain(self.rounds.keys()).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The rounds that are open, in order: a game that takes long keeps its round open beside the next one.
    pub fn open_rounds(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.rounds.iter().filter(|(_, state)| **state == Opened::Open).map(|(round, _)| *round)
    }

    /// `waiting`, `open` or `closed`.
    #[must_use]
    pub fn state(&self, round: u32) -> &'static str {
        match self.rounds.get(&round) {
            Some(Opened::Open) => "open",
            Some(Opened::Closed) => "closed",
            None if self.is_played(round) => "closed",
            None => "waiting",
        }
    }

    /// All results of the round came with the pairings: it was played before, or elsewhere.
    fn is_played(&self, round: u32) -> bool {
        self.pairings.rounds.get(&round).is_some_and(|round| round.iter().all(|game| game.result.is_some()))
    }

    /// The round that comes next: the first after all that were opened, of which a game is still to be played.
    #[must_use]
    pub fn next_round(&self) -> Option<u32> {
        let last = self.rounds.keys().next_back().copied().unwrap_or(0);
        self.pairings.rounds.range(last + 1..).map(|(round, _)| *round).find(|round| !self.is_played(*round))
    }

    /// The pairings of a round.
    pub fn pairings_of(&self, round: u32) -> impl Iterator<Item = &Pairing> {
        self.pairings.rounds.get(&round).into_iter().flatten()
    }

    /// What each board is to know: the pairing of the last round that was opened and has one for it, and whether
    /// that is over; what is still to be played comes before what is over. `is_decided`: its game has a result.
    #[must_use]
    pub fn boards(&self, is_decided: impl Fn(&Pairing) -> bool) -> BTreeMap<String, (&Pairing, bool)> {
        let mut boards: BTreeMap<String, (&Pairing, bool)> = BTreeMap::new();
        for (round, state) in &self.rounds {
            for pairing in self.pairings_of(*round) {
                let is_over = *state == Opened::Closed
                    || pairing.result.is_some()
                    || pairing.postponed.is_some()
                    || is_decided(pairing);
                let board = pairing.board_name();
                if !is_over || boards.get(&board).is_none_or(|(_, is_over)| *is_over) {
                    boards.insert(board, (pairing, is_over));
                }
            }
        }
        boards
    }

    /// Opens a round, also one that was closed.
    ///
    /// # Errors
    /// [`RoundsError`] if there is no such round, or it is open.
    pub fn open(&mut self, round: u32) -> Result<(), RoundsError> {
        let is_known = self.pairings.is_empty() || self.pairings.rounds.contains_key(&round);
        if !is_known || round == 0 {
            let known: Vec<String> = self.numbers().iter().map(u32::to_string).collect();
            let known =
                if known.is_empty() { "rounds are numbered from 1".to_owned() } else { known.join(", ") };
            return Err(RoundsError::Unknown(format!(
                "no pairings of round {round} are known ({known}); import them first"
            )));
        }
        match self.rounds.insert(round, Opened::Open) {
            Some(Opened::Open) => Err(RoundsError::Refused(format!("round {round} is open already"))),
            _ => Ok(()),
        }
    }

    /// Closes a round.
    ///
    /// # Errors
    /// [`RoundsError`] if it is not open.
    pub fn close(&mut self, round: u32) -> Result<(), RoundsError> {
        match self.rounds.get_mut(&round) {
            Some(state @ Opened::Open) => {
                *state = Opened::Closed;
                Ok(())
            }
            Some(Opened::Closed) => Err(RoundsError::Refused(format!("round {round} is closed already"))),
            None if self.pairings.rounds.contains_key(&round) => {
                Err(RoundsError::Refused(format!("round {round} was not opened")))
            }
            None => Err(RoundsError::Unknown(format!("there is no round {round}"))),
        }
    }

    /// Takes imported pairings over; a pair whose game `has_begun` stays.
    pub fn import(&mut self, imported: Pairings, has_begun: impl Fn(&Pairing) -> bool) -> Vec<Change> {
        self.pairings.merge_while(imported, has_begun)
    }

    /// Gives a game another board. Whoever was to play there goes to the board that becomes free.
    ///
    /// # Errors
    /// [`RoundsError`] if there is no such game.
    pub fn assign(&mut self, game: &str, board: &str) -> Result<(), RoundsError> {
        let Some(pairing) = self.pairings.find(game) else {
            return Err(RoundsError::Unknown(format!(
                "no pairing is called \"{game}\"; write ROUND-NUMBER, as 5-12"
            )));
        };
        let (round, number, left) = (pairing.round, pairing.number, pairing.board_name());
        for other in self.pairings.rounds.get_mut(&round).into_iter().flatten() {
            if other.number == number {
                other.board = Some(board.to_owned());
            } else if other.board_name() == board {
                other.board = Some(left.clone());
            }
        }
        Ok(())
    }

    /// A game is not played in its round but later (`until`, in the arbiter's words), or is to be played after all.
    ///
    /// # Errors
    /// [`RoundsError`] if there is no such pairing, or it is so already.
    pub fn postpone(&mut self, game: &str, until: Option<&str>) -> Result<(), RoundsError> {
        let refused = |why: &str| Err(RoundsError::Refused(format!("{game} {why}")));
        let closed: Vec<u32> = self
            .rounds
            .iter()
            .filter(|(_, state)| **state == Opened::Closed)
            .map(|(round, _)| *round)
            .collect();
        let pairing = self.pairing_mut(game)?;
        match (&pairing.postponed, until) {
            (None, None) => return refused("is not postponed"),
            (Some(_), None) if closed.contains(&pairing.round) => {
                return refused("is of a round that is closed; open that again first");
            }
            (_, Some(_)) if pairing.result.is_some() => return refused("has a result"),
            (Some(before), Some(until)) if before == until => return refused("is postponed already"),
            // A result that came with the pairings meanwhile was a guess.
            (Some(_), None) => (pairing.postponed, pairing.result) = (None, None),
            _ => pairing.postponed = until.map(str::to_owned),
        }
        Ok(())
    }

    fn pairing_mut(&mut self, game: &str) -> Result<&mut Pairing, RoundsError> {
        let mut pairings = self.pairings.rounds.values_mut().flatten();
        let unknown = || RoundsError::Unknown(format!("no pairing is called \"{game}\""));
        pairings.find(|pairing| pairing.game() == game).ok_or_else(unknown)
    }

    /// Gives a game that was not played here its result.
    ///
    /// # Errors
    /// [`RoundsError`] if there is no such game, or it has that result.
    pub fn set_result(&mut self, game: &str, result: &str) -> Result<(), RoundsError> {
        let pairing = self.pairing_mut(game)?;
        if pairing.result.as_deref() == Some(result) {
            return Err(RoundsError::Refused(format!("the result of {game} is {result} already")));
        }
        (pairing.result, pairing.postponed) = (Some(result.to_owned()), None);
        Ok(())
    }

    /// Gives several games of a round other boards, all at once.
    ///
    /// # Errors
    /// [`RoundsError`] if a game is not of that round, or two games would have the same board.
    pub fn reorder(&mut self, round: u32, boards: &BTreeMap<String, String>) -> Result<(), RoundsError> {
        let Some(pairings) = self.pairings.rounds.get_mut(&round) else {
            return Err(RoundsError::Unknown(format!("no pairings of round {round} are known")));
        };
        for (game, board) in boards {
            let Some(pairing) = pairings.iter_mut().find(|pairing| pairing.game() == *game) else {
                return Err(RoundsError::Unknown(format!("round {round} has no game \"{game}\"")));
            };
            pairing.board = Some(board.clone());
        }
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        for pairing in pairings.iter().filter(|pairing| pairing.result.is_none()) {
            if let Some(other) = taken.insert(pairing.board_name(), pairing.game()) {
                let (board, game) = (pairing.board_name(), pairing.game());
                return Err(RoundsError::Refused(format!("board {board} would have {other} and {game}")));
            }
        }
        Ok(())
    }

    /// What is said when this one becomes `after`: rounds that were opened and closed, in order.
    #[must_use]
    pub fn events(&self, after: &Self) -> Vec<Body> {
        let changed = after.rounds.iter().filter(|(round, state)| self.rounds.get(round) != Some(state));
        let said = |(round, state): (&u32, &Opened)| Body::Round {
            is_open: *state == Opened::Open,
            round: *round,
            date: after.pairings.dates.get(round).cloned(),
        };
        // One is closed before the next is opened.
        let (opened, closed): (Vec<_>, Vec<_>) = changed.partition(|(_, state)| **state == Opened::Open);
        closed.into_iter().chain(opened).map(said).collect()
    }
}

/// A board of the next round.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// The start array stands on it.
    pub shows_array: bool,
    /// Its last game has a result; or no round is open, and none is awaited.
    pub is_done: bool,
}

/// Is the next round due? Half of its boards show the start array after their last game has a result.
#[must_use]
pub fn is_due(boards: &[Standing]) -> bool {
    let ready = boards.iter().filter(|board| board.shows_array && board.is_done).count();
    ready > 0 && ready * 2 >= boards.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing(round: u32, number: u32) -> Pairing {
        Pairing { round, number, ..Pairing::default() }
    }

    fn book(rounds: &[(u32, u32)]) -> Book {
        let mut book = Book::default();
        for &(round, games) in rounds {
            book.pairings.rounds.insert(round, (1..=games).map(|number| pairing(round, number)).collect());
        }
        book
    }

    fn boards(book: &Book) -> Vec<String> {
        let told = |(board, (pairing, is_over)): (String, (&Pairing, bool))| {
            format!("{board}: {}{}", pairing.game(), if is_over { " over" } else { "" })
        };
        book.boards(|_| false).into_iter().map(told).collect()
    }

    fn said(bodies: &[Body]) -> Vec<String> {
        let told = |body: &Body| match body {
            Body::Round { round, date, .. } => {
                format!("{} {round} {}", body.name(), date.as_deref().unwrap_or("-"))
            }
            other => other.name().to_string(),
        };
        bodies.iter().map(told).collect()
    }

    #[test]
    fn rounds_are_opened_and_closed_and_opened_again() {
        let mut book = book(&[(1, 2), (2, 2)]);
        book.pairings.dates.insert(1, "2026-05-01".to_owned());
        assert_eq!((book.next_round(), book.state(1)), (Some(1), "waiting"));
        let before = book.clone();
        book.open(1).unwrap();
        assert_eq!(said(&before.events(&book)), ["round-opened 1 2026-05-01"]);
        assert_eq!(book.open(1), Err(RoundsError::Refused("round 1 is open already".to_owned())));
        assert_eq!((book.next_round(), book.state(1)), (Some(2), "open"));
        let before = book.clone();
        book.open(2).unwrap();
        book.close(1).unwrap();
        assert_eq!(said(&before.events(&book)), ["round-closed 1 2026-05-01", "round-opened 2 -"]);
        assert_eq!(book.next_round(), None);
        assert_eq!(book.open_rounds().collect::<Vec<_>>(), [2]);
        book.open(1).unwrap();
        assert_eq!(book.state(1), "open");
        for wrong in [0, 7] {
            assert!(matches!(book.open(wrong), Err(RoundsError::Unknown(_))), "{wrong}");
        }
        assert!(matches!(book.close(7), Err(RoundsError::Unknown(_))));
        let stored = serde_json::to_string(&book).unwrap();
        assert_eq!(serde_json::from_str::<Book>(&stored).unwrap(), book);
    }

    #[test]
    fn without_pairings_rounds_are_numbered() {
        let mut book = Book::default();
        book.open(1).unwrap();
        assert_eq!((book.numbers(), book.next_round(), book.boards(|_| false).len()), (vec![1], None, 0));
    }

    #[test]
    fn a_round_whose_results_came_with_the_pairings_is_not_played() {
        let mut book = book(&[(1, 2), (2, 2)]);
        let results = |round: &mut Vec<Pairing>, count: usize| {
            round.iter_mut().take(count).for_each(|pairing| pairing.result = Some("1-0".to_owned()));
        };
        results(book.pairings.rounds.get_mut(&1).unwrap(), 1);
        assert_eq!((book.next_round(), book.state(1)), (Some(1), "waiting"));
        results(book.pairings.rounds.get_mut(&1).unwrap(), 2);
        assert_eq!((book.next_round(), book.state(1)), (Some(2), "closed"));
    }

    #[test]
    fn boards_have_the_pairing_of_the_last_round_that_was_opened() {
        let mut book = book(&[(1, 3), (2, 2)]);
        assert_eq!(boards(&book), [""; 0]);
        book.open(1).unwrap();
        book.assign("1-3", "9").unwrap();
        assert_eq!(boards(&book), ["1: 1-1", "2: 1-2", "9: 1-3"]);
        book.open(2).unwrap();
        book.close(1).unwrap();
        book.pairings.rounds.get_mut(&2).unwrap()[1].result = Some("bye".to_owned());
        assert_eq!(boards(&book), ["1: 2-1", "2: 2-2 over", "9: 1-3 over"]);
    }

    #[test]
    fn what_is_still_to_be_played_comes_before_what_is_over() {
        let mut book = book(&[(1, 2), (2, 2)]);
        book.open(1).unwrap();
        book.postpone("1-2", Some("Sunday")).unwrap();
        assert_eq!(boards(&book), ["1: 1-1", "2: 1-2 over"]);
        book.close(1).unwrap();
        book.open(2).unwrap();
        assert_eq!(boards(&book), ["1: 2-1", "2: 2-2"]);
        book.close(2).unwrap();
        // On Sunday; the pairing program had to guess a result meanwhile.
        book.pairings.rounds.get_mut(&1).unwrap()[1].result = Some("1/2-1/2".to_owned());
        let refused = book.postpone("1-2", None).unwrap_err();
        assert_eq!(refused.to_string(), "1-2 is of a round that is closed; open that again first");
        book.open(1).unwrap();
        book.postpone("1-2", None).unwrap();
        assert_eq!(boards(&book), ["1: 1-1", "2: 1-2"]);
        let decided = book.boards(|pairing| pairing.game() == "1-1");
        assert_eq!(decided["1"].0.game(), "2-1", "whose game has a result is over as well");
        assert!(matches!(book.postpone("1-2", None), Err(RoundsError::Refused(_))));
        assert!(matches!(book.postpone("9-2", Some("")), Err(RoundsError::Unknown(_))));
    }

    #[test]
    fn who_is_driven_from_a_board_gets_the_other_one() {
        let mut book = book(&[(1, 3)]);
        book.open(1).unwrap();
        book.assign("1-3", "1").unwrap();
        assert_eq!(boards(&book), ["1: 1-3", "2: 1-2", "3: 1-1"]);
        book.assign("1-3", "3").unwrap();
        assert_eq!(boards(&book), ["1: 1-1", "2: 1-2", "3: 1-3"]);
        assert!(matches!(book.assign("1-4", "3"), Err(RoundsError::Unknown(_))));
        let order = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(game, board)| ((*game).to_owned(), (*board).to_owned())).collect()
        };
        book.reorder(1, &order(&[("1-1", "2"), ("1-2", "1")])).unwrap();
        assert_eq!(boards(&book), ["1: 1-2", "2: 1-1", "3: 1-3"]);
        let twice = book.reorder(1, &order(&[("1-1", "3")]));
        assert_eq!(twice, Err(RoundsError::Refused("board 3 would have 1-1 and 1-3".to_owned())));
        assert!(matches!(book.reorder(1, &order(&[("2-1", "3")])), Err(RoundsError::Unknown(_))));
    }

    #[test]
    fn the_next_round_is_due_when_half_of_its_boards_are_set_up() {
        let board = |shows_array, is_done| Standing { shows_array, is_done };
        let (ready, playing, left) = (board(true, true), board(false, false), board(false, true));
        assert!(is_due(&[ready, playing]) && is_due(&[ready, ready, playing]));
        assert!(!is_due(&[ready, playing, left]), "one of three is less than half");
        assert!(!is_due(&[board(true, false), board(true, false)]), "taken back to the start");
        assert!(!is_due(&[]), "no board of it is here");
    }
}
