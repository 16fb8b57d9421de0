//! Two pairs have played at each other's boards: each pairing gets the game that was played where its players sat.

use super::games::{Games, has_begun};
use super::moving::{of_board, refused};
use super::{SecretaryError, said_of};
use crate::feed::view::{GameView, HallView};
use crate::hall::Hall;
use crate::hall::board::{Elsewhere, Exchanging};
use adoube_core::event::finding::RecordId;
use adoube_core::event::{Numbered, Said};
use adoube_core::pairings::Pairing;
use adoube_core::ruling::{Reference, Ruled, Ruling};
use adoube_core::station::Other;

/// A board of the two.
#[derive(Debug, Clone)]
struct Half {
    board: String,
    pairing: Pairing,
    /// What its game is called, or will be.
    game: String,
    has_begun: bool,
}

impl Hall {
    /// Exchanges the board with another one, or undoes that; `game` is what is meant, if the board is not. `None` if
    /// something else was ruled.
    pub async fn rule_exchange(
        &self,
        board: &str,
        game: Option<&str>,
        ruled: &Ruled,
    ) -> Option<Result<(), SecretaryError>> {
        match &ruled.ruling {
            Ruling::ExchangeBoards { board: other } => {
                let of_other = Ruled {
                    ruling: Ruling::ExchangeBoards { board: board.to_owned() },
                    by: ruled.by.clone(),
                };
                Some(self.exchange([board, other], game, [ruled.clone(), of_other]).await)
            }
            Ruling::Undo { ruling: Reference::Name(name) } if name == "exchange-boards" => {
                let game =
                    self.desk.with_view(|view| open_game(view, board).map(|game| game.game.clone()))?;
                let said = said_of(self.folder.clone(), game).await.ok()?;
                let (seq, other) = exchange_of(&said, board)?;
                Some(self.exchange_back([board, &other], seq, ruled.by.as_deref()).await)
            }
            Ruling::Undo { ruling: Reference::Number(seq) } => {
                let game = self.ruled_on(ruled).await?;
                let said = said_of(self.folder.clone(), game).await.ok()?;
                let made = said.iter().find(|event| event.seq == *seq)?;
                let other = match &made.said {
                    Said::Ruled(made) => match &made.ruling {
                        Ruling::ExchangeBoards { board } => board.clone(),
                        _ => return None,
                    },
                    _ => return None,
                };
                let boards = [&*made.board, other.as_str()];
                Some(self.exchange_back(boards, *seq, ruled.by.as_deref()).await)
            }
            _ => None,
        }
    }

    async fn exchange(
        &self,
        boards: [&str; 2],
        game: Option<&str>,
        ruled: [Ruled; 2],
    ) -> Result<(), SecretaryError> {
        let [here, there] = boards;
        if here == there {
            return Err(refused(format!("board {here} cannot be exchanged with itself")));
        }
        let [one, other] = [self.half(here)?, self.half(there)?];
        if let Some(game) = game.filter(|game| *game != one.game) {
            return Err(refused(format!("board {here} plays {} now, and not {game} any more", one.game)));
        }
        self.check_halves(&one, &other)?;
        let by = ruled[0].by.clone();
        // The list first: whoever has not begun finds his board by it, whatever happens then.
        self.seat(&one, there, &other, here, by.as_deref()).await?;
        let exchanged = self.exchange_games([&one, &other], &ruled).await;
        if matches!(exchanged, Err(SecretaryError::Rounds(_))) {
            self.seat(&one, &one.pairing.board_name(), &other, &other.pairing.board_name(), by.as_deref())
                .await?;
        }
        exchanged
    }

    /// The list has these two games at those boards.
    async fn seat(
        &self,
        one: &Half,
        at: &str,
        other: &Half,
        other_at: &str,
        by: Option<&str>,
    ) -> Result<(), SecretaryError> {
        self.change(by, |book| {
            book.assign(&one.pairing.game(), at)?;
            Ok(book.assign(&other.pairing.game(), other_at)?)
        })
        .await
    }

    /// What was played at two boards changes its name.
    async fn exchange_games(
        &self,
        [one, other]: [&Half; 2],
        ruled: &[Ruled; 2],
    ) -> Result<(), SecretaryError> {
        let mut told = self.secretary.told.lock().await;
        // Somebody else may have been quicker.
        for half in [one, other] {
            let now = self.half(&half.board)?;
            if (&now.game, now.has_begun) != (&half.game, half.has_begun) {
                return Err(refused(format!(
                    "board {} has another game meanwhile: {}",
                    half.board, now.game
                )));
            }
        }
        let [of_one, of_other] = [(one, other, &ruled[0]), (other, one, &ruled[1])]
            .map(|(own, others, ruled)| self.exchanging(own, others, ruled));
        let handles = [self.placed(&one.board)?, self.placed(&other.board)?];
        // Whoever asked may go away: what the boards were told before does not hold any more in any case.
        [one, other].iter().for_each(|half| told.forget(&half.board));
        let exchanged = match (one.has_begun, other.has_begun) {
            (true, true) => {
                let elsewhere = Elsewhere::Exchanges(handles[1].clone(), Box::new(of_other));
                handles[0].exchanges(of_one, Some(elsewhere)).await
            }
            (true, false) => handles[0].exchanges(of_one, Some(Elsewhere::Leaves(handles[1].clone()))).await,
            (false, true) => {
                handles[1].exchanges(of_other, Some(Elsewhere::Leaves(handles[0].clone()))).await
            }
            (false, false) => Ok(()),
        };
        self.tell_boards(&mut told).await;
        exchanged.map_err(of_board)
    }

    fn check_halves(&self, one: &Half, other: &Half) -> Result<(), SecretaryError> {
        let games = [&one.game, &other.game].map(String::as_str).join(" and ");
        if one.pairing.round != other.pairing.round {
            return Err(refused(format!("{games} are games of two rounds")));
        }
        let misplaced = self.other_game_at(&one.pairing, &other.board);
        if let Some(reason) = misplaced.or_else(|| self.other_game_at(&other.pairing, &one.board)) {
            return Err(refused(reason));
        }
        // Spectators would be shown moves of the one in the other.
        if self.delays.of_s(&one.board) != self.delays.of_s(&other.board) {
            return Err(refused(format!(
                "spectators see board {} with another delay than board {}",
                one.board, other.board
            )));
        }
        Ok(())
    }

    fn exchanging(&self, own: &Half, others: &Half, ruled: &Ruled) -> Exchanging {
        let pairing = self.desk.with_view(|view| Games::of(view).told(&others.pairing, false));
        Exchanging {
            game: own.game.clone(),
            ruled: ruled.clone(),
            to: Other { pairing, name: others.game.clone(), is_alone: !others.has_begun },
            folder: self.folder.clone(),
            owed: None,
        }
    }

    /// Whose game is open on a board, or is to be played there.
    fn half(&self, board: &str) -> Result<Half, SecretaryError> {
        self.placed(board)?;
        let book = self.secretary.book();
        let (open, seat) = self.desk.with_view(|view| {
            let open = open_game(view, board).map(|game| {
                // One whose clock runs has begun, as its board has it.
                let has_begun = has_begun(game) || game.started;
                (game.game.clone(), (game.round.unwrap_or_default(), game.number), has_begun)
            });
            (open, Games::of(view).seats(&book).remove(board))
        });
        let place = match (&open, seat) {
            (Some((_, place, _)), _) => Some(*place),
            (None, seat) => seat.filter(|seat| !seat.is_over).map(|seat| (seat.round, seat.number)),
        };
        let found = place.and_then(|(round, number)| book.pairings.find(&format!("{round}-{number}")));
        let Some(pairing) = found.cloned() else {
            return Err(refused(format!(
                "no game of the pairings is open at board {board}; of games that are closed the results can be changed"
            )));
        };
        let (game, has_begun) = match open {
            Some((game, _, has_begun)) => (game, has_begun),
            None => (pairing.game(), false),
        };
        Ok(Half { board: board.to_owned(), pairing, game, has_begun })
    }

    /// Undoes the exchange that was said under that number at the first of two boards.
    async fn exchange_back(
        &self,
        boards: [&str; 2],
        seq: u64,
        by: Option<&str>,
    ) -> Result<(), SecretaryError> {
        let mut undone = Vec::new();
        for (board, with) in [(boards[0], boards[1]), (boards[1], boards[0])] {
            let game = self.desk.with_view(|view| open_game(view, board).map(|game| game.game.clone()));
            let said = match game {
                Some(game) => said_of(self.folder.clone(), game).await.map_err(of_board)?,
                None => Vec::new(),
            };
            let made = exchange_of(&said, board).filter(|(_, other)| other == with);
            undone.push(made.map(|(seq, _)| seq));
        }
        let ruled = |seq| Ruled {
            ruling: Ruling::Undo { ruling: Reference::Number(RecordId(seq).in_journal().0) },
            by: by.map(str::to_owned),
        };
        match undone[..] {
            [Some(own), theirs] if own == seq => {
                self.exchange(boards, None, [ruled(own), ruled(theirs.unwrap_or(own))]).await
            }
            _ => Err(refused(format!(
                "boards {} and {} have other games since; \"exchange-boards\" once more puts it right",
                boards[0], boards[1]
            ))),
        }
    }
}

/// The game of a round that is open on a board.
fn open_game<'a>(view: &'a HallView, board: &str) -> Option<&'a GameView> {
    let game = view.game(view.board(board)?.game.as_deref()?)?;
    (game.board == board && game.round.is_some() && !game.closed && !game.annulled).then_some(game)
}

/// The number of the ruling by which the game on a board was opened there, and the other board, if that exchanged two.
fn exchange_of(said: &[Numbered], board: &str) -> Option<(u64, String)> {
    let opened = said.iter().rposition(|event| matches!(event.said, Said::GameOpened(_)))?;
    let ruled = said[opened..].iter().find(|event| matches!(event.said, Said::Ruled(_)))?;
    let Said::Ruled(made) = &ruled.said else { return None };
    match &made.ruling {
        Ruling::ExchangeBoards { board: other } if *ruled.board == *board => Some((ruled.seq, other.clone())),
        _ => None,
    }
}
