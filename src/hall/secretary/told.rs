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
#[derive(Debug, Default)]
struct Known {
    /// What it may have: the last one is what it was told last, and those before it are what it had if it did not hear
    /// that. It has to leave all of them before another board is given them.
    pairings: Vec<OpenPairing>,
    /// It said that it took the last one.
    is_sure: bool,
}

impl Told {
    /// The boards know what they knew when the daemon stopped: which games were open. What they were told since stays.
    pub(super) fn before(&mut self, view: &HallView) {
        let boards = view.boards().filter_map(|board| view.game(board.game.as_deref()?));
        for game in boards.filter(|game| !game.closed) {
            let Some(round) = game.round else { continue };
            let pairing = OpenPairing { round, number: game.number, ..OpenPairing::default() };
            let known = Known { pairings: vec![pairing], is_sure: false };
            self.0.entry(game.board.clone()).or_insert(known);
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
            .flat_map(|(board, known)| known.pairings.iter().map(move |pairing| (board, pairing)))
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
        let last = self.0.get(board).filter(|known| known.is_sure).and_then(|known| known.pairings.last());
        last.is_some_and(|known| is_known(known, pairing))
    }

    /// The board is being told.
    pub(super) fn asks(&mut self, board: &str, pairing: OpenPairing) {
        let known = self.0.entry(board.to_owned()).or_default();
        known.pairings.retain(|other| other.game() != pairing.game());
        known.pairings.push(pairing);
        known.is_sure = false;
    }

    /// The board gave that answer. Without one it may have heard or not.
    pub(super) fn answered(&mut self, board: &str, answer: Result<(), RuleError>) {
        let Some(known) = self.0.get_mut(board) else { return };
        match answer {
            Ok(()) => {
                known.pairings.drain(..known.pairings.len().saturating_sub(1));
                known.is_sure = true;
            }
            Err(error) => {
                // Told again, when the game there is over.
                tracing::debug!(%board, "{error}");
                if matches!(error, RuleError::Refused(_)) {
                    known.pairings.pop();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::event::testing::numbered;
    use adoube_core::ruling::RulingError;

    fn pairing(number: u32) -> OpenPairing {
        OpenPairing { round: 1, number, ..OpenPairing::default() }
    }

    fn refused() -> Result<(), RuleError> {
        let refused = RulingError::Inapplicable { name: "assign", reason: "plays".into() };
        Err(RuleError::Refused(refused))
    }

    /// Games by the boards at which they are to be.
    fn seats<const N: usize>(seats: [(&str, u32); N]) -> BTreeMap<String, OpenPairing> {
        seats.map(|(board, game)| (board.to_owned(), pairing(game))).into()
    }

    fn leaving(told: &Told, wanted: &BTreeMap<String, OpenPairing>) -> Vec<String> {
        let leaving = told.leaving(wanted, &Book::default());
        leaving.into_iter().map(|(board, game)| format!("{game} at {board}")).collect()
    }

    /// Three boards exchange their games: each has to leave first, whether it said that it has it, did not answer in
    /// time, or whoever asked went away.
    #[test]
    fn a_board_that_was_not_heard_leaves_its_game_before_another_one_is_given_it() {
        let mut told = Told::default();
        for board in 1..=3 {
            told.asks(&board.to_string(), pairing(board));
        }
        told.answered("1", Ok(()));
        told.answered("2", Err(RuleError::Closed));
        assert_eq!(
            [1, 2, 3].map(|board| told.is_told(&board.to_string(), &pairing(board))),
            [true, false, false]
        );
        let exchanged = seats([("1", 2), ("2", 3), ("3", 1)]);
        assert_eq!(leaving(&told, &exchanged), ["1-1 at 1", "1-2 at 2", "1-3 at 3"]);
    }

    /// It may not have heard of its next game, and have the one before.
    #[test]
    fn a_board_that_was_not_heard_leaves_what_it_had_before_too() {
        let mut told = Told::default();
        told.asks("1", pairing(1));
        told.answered("1", Ok(()));
        told.asks("1", pairing(2));
        told.answered("1", Err(RuleError::Closed));
        assert_eq!(leaving(&told, &seats([("1", 2), ("2", 1)])), ["1-1 at 1"]);
        assert_eq!(leaving(&told, &seats([("1", 1), ("2", 2)])), ["1-2 at 1"]);
        told.asks("1", pairing(2));
        told.answered("1", Ok(()));
        assert!(leaving(&told, &seats([("1", 2), ("2", 1)])).is_empty());
    }

    /// A round may be opened before anybody looked what the boards knew when the daemon stopped.
    #[test]
    fn what_was_told_since_stays() {
        let opened = serde_json::json!({
            "seq": 1, "type": "game-opened", "board": "1", "game": "1-2", "round": 1, "number": 2, "variant": "chess",
            "start": "8/8/8/8/8/8/8/8 w - - 0 1", "white": {}, "black": {},
        });
        let mut view = HallView::default();
        view.apply_private(&numbered(opened));
        let mut told = Told::default();
        told.before(&view);
        assert_eq!(leaving(&told, &seats([("1", 1), ("2", 2)])), ["1-2 at 1"]);
        let mut told = Told::default();
        told.asks("1", pairing(1));
        told.answered("1", Ok(()));
        told.before(&view);
        assert!(told.is_told("1", &pairing(1)));
    }

    #[test]
    fn what_a_board_refused_it_was_not_told() {
        let mut told = Told::default();
        told.asks("1", pairing(1));
        told.answered("1", Ok(()));
        told.asks("1", pairing(2));
        told.answered("1", refused());
        assert!(!told.is_told("1", &pairing(2)));
        assert_eq!(leaving(&told, &seats([("2", 1), ("3", 2)])), ["1-1 at 1"]);
    }
}
