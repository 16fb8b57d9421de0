//! Games of which spectators know who plays them, and nothing else yet: what happens there comes after the delay.
//!
//! They come from the pairings alone, never from what a board said, so that nothing of what is late shows in them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{BoardName, GameView, HallView};
use adoube_core::event::said::GameSaid;

/// Who plays a game that was published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Awaited {
    /// The name that it will have.
    pub game: String,
    /// The board at which it will be played.
    pub board: String,
    /// Its round is open.
    pub is_open: bool,
    /// Who plays, and from where.
    pub said: GameSaid,
}

impl HallView {
    /// These games are awaited, and no others; `at` is when that was said, RFC 3339. False if it was known.
    pub fn await_games(&mut self, awaited: &[Awaited], at: &str) -> bool {
        let named: BTreeSet<&str> = awaited.iter().map(|awaited| awaited.game.as_str()).collect();
        let gone: Vec<String> =
            self.awaited.values().filter(|game| !named.contains(game.as_str())).cloned().collect();
        gone.iter().for_each(|game| self.drop_awaited(game));
        let mut is_news = !gone.is_empty();
        for awaited in awaited {
            is_news |= self.await_game(awaited, at);
        }
        self.seat_awaited() || is_news
    }

    /// The awaited games that boards show.
    pub fn awaited_on_boards(&self) -> impl Iterator<Item = &GameView> {
        let on_boards = self.boards.values().filter_map(|board| self.games.get(board.game.as_ref()?));
        on_boards.filter(|game| game.awaited)
    }

    fn await_game(&mut self, awaited: &Awaited, at: &str) -> bool {
        let Awaited { game: name, board, is_open, said } = awaited;
        let Some(round) = said.round else { return false };
        if self.begun.contains(&(round, said.number)) {
            return false;
        }
        let mut game = GameView::opened(board, name, at, said);
        (game.awaited, game.is_in_open_round) = (true, *is_open);
        if let Some(known) = self.games.get(name) {
            game.opened_at.clone_from(&known.opened_at);
            (game.revision, game.place) = (known.revision, known.place);
            if *known == game {
                return false;
            }
        }
        self.drop_awaited(name);
        self.revision += 1;
        self.places += 1;
        (game.revision, game.place) = (self.revision, self.places);
        self.order.push(name.clone());
        self.awaited.insert((round, said.number), name.clone());
        self.games.insert(name.clone(), game);
        self.add_board(board);
        true
    }

    fn drop_awaited(&mut self, name: &str) {
        let Some(game) = self.games.remove(name) else { return };
        self.order.retain(|other| other != name);
        self.awaited.retain(|_, other| other != name);
        let Some(board) = self.boards.get_mut(&BoardName::new(&game.board)) else { return };
        if board.game.take_if(|on_it| on_it == name).is_some() {
            // What was played there last is shown again.
            let played = self.games.values().filter(|other| !other.awaited && other.board == game.board);
            board.game = played.max_by_key(|other| other.place).map(|other| other.game.clone());
        }
    }

    /// The game of that round and number has begun as `name`: it is awaited no more.
    pub(super) fn begins(&mut self, round: Option<u32>, number: u32, name: &str) {
        let Some(round) = round else { return };
        self.begun.insert((round, number));
        if let Some(awaited) = self.awaited.get(&(round, number)).cloned() {
            // Whoever watches knows which game this is only if it is called as it was.
            self.must_tell |= awaited != name;
            self.drop_awaited(&awaited);
        }
    }

    /// Must whoever watches be told which games are awaited still?
    pub(in crate::feed) fn must_tell_awaited(&mut self) -> bool {
        std::mem::take(&mut self.must_tell)
    }

    /// Shows awaited games on boards where nothing is played: before the first round whatever is known, between two
    /// rounds what was played last until the next one is open. True if a board shows another one now.
    fn seat_awaited(&mut self) -> bool {
        let mut awaited: Vec<&GameView> =
            self.awaited.values().filter_map(|game| self.games.get(game)).collect();
        awaited.sort_by_key(|game| (!game.is_in_open_round, game.round, game.number));
        let mut taken = BTreeSet::new();
        let mut is_other = false;
        for game in awaited {
            let Some(board) = self.boards.get_mut(&BoardName::new(&game.board)) else { continue };
            let is_free = match board.game.as_ref().and_then(|on_it| self.games.get(on_it)) {
                Some(on_it) => on_it.awaited || on_it.closed && game.is_in_open_round,
                None => true,
            };
            if is_free && taken.insert(game.board.clone()) && board.game.as_ref() != Some(&game.game) {
                board.game = Some(game.game.clone());
                is_other = true;
            }
        }
        is_other
    }
}
