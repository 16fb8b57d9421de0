//! Games of which spectators know who plays them, and nothing else yet: what happens there comes after the delay.
//!
//! They come from the pairings alone, never from what a board said, so that nothing of what is late shows in them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{BoardName, BoardView, GameView, HallView};
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
    /// These games are awaited, and no others; `at` is when that was said, RFC 3339.
    pub fn await_games(&mut self, awaited: &[Awaited], at: &str) {
        let before = self.awaited_on_boards();
        let named: BTreeSet<&str> = awaited.iter().map(|awaited| awaited.game.as_str()).collect();
        let gone: BTreeSet<String> =
            self.awaited.values().filter(|game| !named.contains(game.as_str())).cloned().collect();
        self.drop_awaited(&gone);
        awaited.iter().for_each(|awaited| self.await_game(awaited, at));
        self.seat_awaited();
        let after = self.awaited_on_boards();
        let changed = |board: &&String| before.get(*board) != after.get(*board);
        let boards: BTreeSet<String> = before.keys().chain(after.keys()).filter(changed).cloned().collect();
        self.to_tell.extend(boards);
    }

    /// The boards of which whoever watches is to be told: they show another awaited game, or none any more.
    pub(in crate::feed) fn boards_to_tell(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.to_tell)
    }

    /// By board the awaited game that it shows, and in which state.
    fn awaited_on_boards(&self) -> BTreeMap<String, (String, u64)> {
        let shown = |board: &BoardView| {
            let game = self.games.get(board.game.as_ref()?).filter(|game| game.awaited)?;
            Some((board.board.clone(), (game.game.clone(), game.revision)))
        };
        if self.awaited.is_empty() {
            BTreeMap::new()
        } else {
            self.boards.values().filter_map(shown).collect()
        }
    }

    fn await_game(&mut self, awaited: &Awaited, at: &str) {
        let Awaited { game: name, board, is_open, said } = awaited;
        let Some(round) = said.round else { return };
        if self.begun.contains(&(round, said.number)) {
            return;
        }
        let mut game = GameView::opened(board, name, at, said);
        (game.awaited, game.is_in_open_round) = (true, *is_open);
        let known = self.games.get(name);
        match known.filter(|known| known.awaited) {
            Some(known) => {
                game.opened_at.clone_from(&known.opened_at);
                (game.revision, game.place) = (known.revision, known.place);
                if *known == game {
                    return;
                }
            }
            None => {
                self.places += 1;
                game.place = self.places;
            }
        }
        let left = known.map(|known| known.board.clone()).filter(|left| left != board);
        if known.is_none() {
            self.order.push(name.clone());
        }
        self.revision += 1;
        game.revision = self.revision;
        self.awaited.insert((round, said.number), name.clone());
        self.games.insert(name.clone(), game);
        self.add_board(board);
        left.iter().for_each(|board| self.show_played(board, name));
    }

    /// They are not awaited any more.
    fn drop_awaited(&mut self, names: &BTreeSet<String>) {
        if names.is_empty() {
            return;
        }
        self.order.retain(|game| !names.contains(game));
        self.awaited.retain(|_, game| !names.contains(game));
        let gone: Vec<GameView> = names.iter().filter_map(|name| self.games.remove(name)).collect();
        gone.iter().for_each(|game| self.show_played(&game.board, &game.game));
    }

    /// A board on which `game` was awaited shows again what was played there last.
    fn show_played(&mut self, board: &str, game: &str) {
        let Some(view) = self.boards.get_mut(&BoardName::new(board)) else { return };
        if view.game.take_if(|on_it| on_it == game).is_some() {
            let played = self.games.values().filter(|other| !other.awaited && other.board == board);
            view.game = played.max_by_key(|other| other.place).map(|other| other.game.clone());
        }
    }

    /// The game of that round and number has begun as `name` at `board`: it is awaited no more.
    pub(super) fn begins(&mut self, round: Option<u32>, number: u32, (name, board): (&str, &str)) {
        let Some(round) = round else { return };
        self.begun.insert((round, number));
        let Some(awaited) = self.awaited.get(&(round, number)).cloned() else { return };
        // Whoever watches knows which game this is only if it is called as it was.
        let left = self.games.get(&awaited).map(|game| game.board.clone());
        self.to_tell.extend(left.filter(|left| awaited != name || left != board));
        self.drop_awaited(&BTreeSet::from([awaited]));
    }

    /// A game is closed: its board may show who comes next.
    pub(super) fn has_closed(&mut self) {
        let seated = self.seat_awaited();
        self.to_tell.extend(seated);
    }

    /// Shows awaited games on boards where nothing is played: before the first round those of the first that is known, and
    /// what was played last until the next one is open. Gives the boards that show another one now.
    fn seat_awaited(&mut self) -> Vec<String> {
        let mut awaited: Vec<&GameView> =
            self.awaited.values().filter_map(|game| self.games.get(game)).collect();
        awaited.sort_by_key(|game| (!game.is_in_open_round, game.round, game.number));
        let first = awaited.first().map(|game| game.round);
        let is_before_all = self.begun.is_empty() && !awaited.iter().any(|game| game.is_in_open_round);
        let is_due = |game: &&&GameView| game.is_in_open_round || is_before_all && Some(game.round) == first;
        let mut taken = BTreeSet::new();
        let mut seated = Vec::new();
        for game in awaited.iter().filter(is_due) {
            let Some(board) = self.boards.get_mut(&BoardName::new(&game.board)) else { continue };
            let is_free = match board.game.as_ref().and_then(|on_it| self.games.get(on_it)) {
                Some(on_it) if on_it.awaited => true,
                Some(on_it) => on_it.closed && game.is_in_open_round && game.round > on_it.round,
                None => true,
            };
            if is_free && taken.insert(game.board.clone()) && board.game.as_ref() != Some(&game.game) {
                board.game = Some(game.game.clone());
                seated.push(game.board.clone());
            }
        }
        seated
    }
}
