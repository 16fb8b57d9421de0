//! What the games of a hall say of its pairings: which were begun, which are over, where each is played.

use std::collections::BTreeMap;

use crate::feed::view::{GameView, HallView};
use adoube_core::pairings::Pairing;
use adoube_core::rounds::Book;
use adoube_core::station::OpenPairing;

/// The board knows that already: how many games there were, it has counted itself; and that one is over, if it
/// was played there.
pub(super) fn is_known(known: &OpenPairing, wanted: &OpenPairing) -> bool {
    let counted = OpenPairing { games: wanted.games, is_over: wanted.is_over, ..known.clone() };
    let is_over_known = known.is_over == wanted.is_over || wanted.is_over && wanted.games > 0;
    counted == *wanted && is_over_known
}

/// The games of each pairing: the first, and those that were played again.
pub(super) struct Games<'a>(BTreeMap<(u32, u32), Vec<&'a GameView>>);

impl<'a> Games<'a> {
    pub(super) fn of(view: &'a HallView) -> Self {
        let mut games: BTreeMap<_, Vec<&GameView>> = BTreeMap::new();
        for game in view.games() {
            if let Some(round) = game.round {
                games.entry((round, game.number)).or_default().push(game);
            }
        }
        Self(games)
    }

    pub(super) fn find(&self, pairing: &Pairing) -> &[&'a GameView] {
        self.0.get(&(pairing.round, pairing.number)).map_or(&[], Vec::as_slice)
    }

    /// The result of a pairing: that of its last game.
    pub(super) fn result(&self, pairing: &Pairing) -> Option<&'a str> {
        let last = self.find(pairing).iter().rfind(|game| has_begun(game))?;
        Some(last.result.as_str()).filter(|result| *result != "*")
    }

    /// The board at which a game of the pairing is being played.
    fn played_at(&self, pairing: &Pairing) -> Option<&'a str> {
        self.find(pairing).iter().find(|game| is_playing(game)).map(|game| game.board.as_str())
    }

    pub(super) fn has_begun(&self, pairing: &Pairing) -> bool {
        self.find(pairing).iter().any(|game| has_begun(game))
    }

    /// What a board is told of a pairing.
    pub(super) fn told(&self, pairing: &Pairing, is_over: bool) -> OpenPairing {
        let begun = self.find(pairing).iter().filter(|game| has_begun(game)).count();
        OpenPairing {
            round: pairing.round,
            number: pairing.number,
            white: pairing.white.clone(),
            black: pairing.black.clone(),
            red_blue: pairing.red_blue().map(Box::new),
            team_match: pairing.team_match,
            games: u32::try_from(begun).unwrap_or(u32::MAX),
            is_over: is_over || self.result(pairing).is_some(),
        }
    }

    /// What each board is to be told. A game stays at the board at which it was begun; what is still to be played there
    /// comes before one that is over.
    pub(super) fn seats(&self, book: &Book) -> BTreeMap<String, OpenPairing> {
        let mut seats = BTreeMap::new();
        let mut seated: Vec<(u8, String, OpenPairing)> = Vec::new();
        for (board, (pairing, is_over)) in book.boards(|pairing| self.result(pairing).is_some()) {
            let begun = self.find(pairing).iter().rfind(|game| has_begun(game));
            let told = self.told(pairing, is_over);
            let rank = match self.played_at(pairing) {
                Some(_) => 2,
                None => u8::from(!told.is_over),
            };
            let board = self
                .played_at(pairing)
                .or_else(|| begun.map(|game| game.board.as_str()))
                .map_or(board, str::to_owned);
            seated.push((rank, board, told));
        }
        seated.sort_by_key(|(rank, ..)| *rank);
        seats.extend(seated.into_iter().map(|(_, board, told)| (board, told)));
        seats
    }
}

/// Something of it was played, or it has a result.
pub(super) fn has_begun(game: &GameView) -> bool {
    !game.moves.is_empty() || game.result != "*"
}

pub(super) fn is_playing(game: &GameView) -> bool {
    !game.moves.is_empty() && game.result == "*" && !game.closed
}

/// The games of a round that stand on their boards and are not closed.
pub(super) fn open_games(view: &HallView, round: u32) -> impl Iterator<Item = &GameView> {
    let boards = view.boards().filter_map(move |board| view.game(board.game.as_deref()?));
    boards.filter(move |game| game.round == Some(round) && !game.closed)
}
