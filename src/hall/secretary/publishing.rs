//! Tells spectators who plays, which nothing has to hold back: what happens comes after the delay (DESIGN 2).
//!
//! What is told comes from pairings and settings alone. A game that is over already by the time that spectators see it begin
//! is awaited until then all the same.

use std::sync::Arc;

use super::games::Games;
use crate::config::PublishPairings;
use crate::feed::view::Awaited;
use crate::hall::Hall;
use adoube_core::event::finding::Score;
use adoube_core::event::said::GameSaid;
use adoube_core::pairings::Pairing;
use adoube_core::rounds::Book;
use adoube_core::station::Open;

/// What spectators were told last, and from what it was made.
#[derive(Debug, Default)]
pub(super) struct Published {
    book: Arc<Book>,
    boards: Vec<Arc<Open>>,
}

impl Published {
    /// Is that what was told last? Everybody else has the same objects.
    fn is(&self, book: &Arc<Book>, boards: &[Arc<Open>]) -> bool {
        let are_same = |(one, other): (&Arc<Open>, &Arc<Open>)| Arc::ptr_eq(one, other);
        Arc::ptr_eq(&self.book, book)
            && self.boards.len() == boards.len()
            && self.boards.iter().zip(boards).all(are_same)
    }
}

impl Hall {
    /// Tells spectators who plays in the rounds that are published, if they do not know.
    pub(super) fn publish_pairings(&self) {
        let book = self.secretary.book();
        let to_play = self.to_publish(&book);
        let boards: Vec<Arc<Open>> = to_play.iter().map(|(.., open)| Arc::clone(open)).collect();
        let mut published =
            self.secretary.published.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if published.is(&book, &boards) {
            return;
        }
        let awaited: Vec<Awaited> = to_play.iter().filter_map(awaited).collect();
        self.public.await_games(awaited, &self.now().rfc3339());
        *published = Published { book: Arc::clone(&book), boards };
    }

    /// The pairings that spectators may know, whether their rounds are open, and the boards at which they are played.
    fn to_publish<'a>(&self, book: &'a Book) -> Vec<(&'a Pairing, bool, Arc<Open>)> {
        let is_early = self.secretary.publish_pairings == PublishPairings::AtImport;
        self.desk.with_view(|view| {
            let games = Games::of(view);
            let rounds = book.pairings.rounds.keys().map(|round| (*round, book.state(*round)));
            let published = rounds.filter(|(_, state)| *state == "open" || is_early && *state == "waiting");
            let pairings = published.flat_map(|(round, state)| {
                book.pairings_of(round).map(move |pairing| (pairing, state == "open"))
            });
            // Of a game that was opened here its result would be told by its going.
            let is_played = |pairing: &Pairing| {
                pairing.result.is_none() && pairing.postponed.is_none() || !games.find(pairing).is_empty()
            };
            let here = pairings.filter(|(pairing, _)| pairing.is_named() && is_played(pairing));
            here.filter_map(|(pairing, is_open)| {
                let board = pairing.board_name();
                let open = self.board(&board)?.opened_with();
                let is_played_here = open.pairing.is_none() && self.other_game_at(pairing, &board).is_none();
                is_played_here.then_some((pairing, is_open, open))
            })
            .collect()
        })
    }
}

/// What spectators are told of a pairing.
fn awaited((pairing, is_open, open): &(&Pairing, bool, Arc<Open>)) -> Option<Awaited> {
    let [red, blue] = pairing.red_blue().map_or([None, None], |others| others.map(Some));
    let said = GameSaid {
        round: Some(pairing.round),
        number: pairing.number,
        variant: open.variant,
        start: open.first_position().ok()?,
        time_control: open.time_control.clone(),
        white: pairing.white.clone(),
        black: pairing.black.clone(),
        red,
        blue,
        team_match: pairing.team_match,
        result: Score(None),
    };
    Some(Awaited { game: pairing.game(), board: pairing.board_name(), is_open: *is_open, said })
}
