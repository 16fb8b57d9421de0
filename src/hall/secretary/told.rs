//! What each board was told last of who plays there.

use std::collections::BTreeMap;

use super::games::is_known;
use crate::feed::view::HallView;
use crate::hall::board::RuleError;
use adoube_core::rounds::Book;
use adoube_core::station::OpenPairing;

/// What the boards were told last, by their names.
#[derive(Debug, Default)]
pub(super) struct Told(BTreeMap<String, Known>);

/// What one board was told.
#[derive(Debug)]
pub(super) struct Known {
    pairing: OpenPairing,
    /// The board said that it took it. One that was not heard may have taken it all the same: it is told again, and
    /// has to leave that game before another board is given it.
    is_sure: bool,
}

impl Told {
    /// The boards know what they knew when the daemon stopped: which games were open. What they were told since stays.
    pub(super) fn before(&mut self, view: &HallView) {
        let boards = view.boards().filter_map(|board| view.game(board.game.as_deref()?));
        for game in boards.filter(|game| !game.closed) {
            let Some(round) = game.round else { continue };
            let pairing = OpenPairing { round, number: game.number, ..OpenPairing::default() };
            self.0.entry(game.board.clone()).or_insert(Known { pairing, is_sure: false });
        }
    }

    /// The board knows of no pairing, or is to be told in any case.
    pub(super) fn forget(&mut self, board: &str) {
        self.0.remove(board);
    }

    /// Who leaves a board does so before he comes to another one, for a game is open once: the boards that have to, and
    /// the games that they have.
    pub(super) fn leaving(
        &self,
        wanted: &BTreeMap<String, OpenPairing>,
        book: &Book,
    ) -> Vec<(String, String)> {
        let is_other = |one: &OpenPairing, other: &OpenPairing| one.game() != other.game();
        self.0
            .iter()
            .map(|(board, known)| (board, &known.pairing))
            .filter(|(board, known)| wanted.get(*board).is_none_or(|next| is_other(next, known)))
            .filter(|(_, known)| {
                let is_elsewhere = wanted.values().any(|next| !is_other(next, known));
                is_elsewhere || book.pairings.find(&known.game()).is_none()
            })
            .map(|(board, known)| (board.clone(), known.game()))
            .collect()
    }

    /// Does the board know that already?
    pub(super) fn is_told(&self, board: &str, pairing: &OpenPairing) -> bool {
        self.0.get(board).is_some_and(|known| known.is_sure && is_known(&known.pairing, pairing))
    }

    /// The board is being told. Gives what it was told before.
    pub(super) fn asks(&mut self, board: String, pairing: OpenPairing) -> Option<Known> {
        self.0.insert(board, Known { pairing, is_sure: false })
    }

    /// The board, which was told something else `before`, gave that answer.
    pub(super) fn answered(&mut self, board: &str, before: Option<Known>, answer: Result<(), RuleError>) {
        match answer {
            Ok(()) => self.0.get_mut(board).into_iter().for_each(|known| known.is_sure = true),
            // Told again when the game there is over.
            Err(error @ RuleError::Refused(_)) => {
                tracing::debug!(%board, "{error}");
                match before {
                    Some(before) => drop(self.0.insert(board.to_owned(), before)),
                    None => self.forget(board),
                }
            }
            Err(error) => tracing::info!(%board, "{error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::ruling::RulingError;

    fn pairing(number: u32) -> OpenPairing {
        OpenPairing { round: 1, number, ..OpenPairing::default() }
    }

    /// Boards 1 and 2 exchange their games: each has to leave first, whether it said that it has it, did not answer in
    /// time, or whoever asked went away.
    #[test]
    fn a_board_that_was_not_heard_leaves_its_game_before_another_one_is_given_it() {
        let mut told = Told::default();
        for board in 1..=3 {
            assert!(told.asks(board.to_string(), pairing(board)).is_none());
        }
        told.answered("1", None, Ok(()));
        told.answered("2", None, Err(RuleError::Closed));
        assert_eq!(
            [1, 2, 3].map(|board| told.is_told(&board.to_string(), &pairing(board))),
            [true, false, false]
        );
        let exchanged = [("1", 2), ("2", 3), ("3", 1)];
        let exchanged = exchanged.map(|(board, game)| (board.to_owned(), pairing(game))).into();
        let leaving = [("1", "1-1"), ("2", "1-2"), ("3", "1-3")];
        let leaving = leaving.map(|(board, game)| (board.to_owned(), game.to_owned()));
        assert_eq!(told.leaving(&exchanged, &Book::default()), leaving);
    }

    /// A round may be opened before anybody looked what the boards knew when the daemon stopped.
    #[test]
    fn what_was_told_since_stays() {
        let mut told = Told::default();
        drop(told.asks("1".into(), pairing(1)));
        told.answered("1", None, Ok(()));
        told.before(&HallView::default());
        assert!(told.is_told("1", &pairing(1)));
    }

    #[test]
    fn what_a_board_refused_it_was_not_told() {
        let refused =
            || RuleError::Refused(RulingError::Inapplicable { name: "assign", reason: "plays".into() });
        let mut told = Told::default();
        drop(told.asks("1".into(), pairing(1)));
        told.answered("1", None, Ok(()));
        let before = told.asks("1".into(), pairing(2));
        told.answered("1", before, Err(refused()));
        assert!(told.is_told("1", &pairing(1)) && !told.is_told("1", &pairing(2)));
        let before = told.asks("2".into(), pairing(3));
        told.answered("2", before, Err(refused()));
        assert!(!told.0.contains_key("2"));
    }
}
