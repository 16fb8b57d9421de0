//! Tells spectators who plays, which nothing has to hold back: what happens comes after the delay (DESIGN 2).
//!
//! What is told comes from pairings and settings alone. A game that is over already by the time that spectators see it begin
//! is awaited until then all the same.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

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
    book: Option<Arc<Book>>,
    boards: Vec<Arc<Open>>,
    awaited: BTreeMap<String, Awaited>,
}

impl Hall {
    /// Tells spectators who plays in the rounds that are published, if they do not know.
    pub(crate) fn publish_pairings(&self) {
        let mut published = self.secretary.published.lock().unwrap_or_else(PoisonError::into_inner);
        let (book, boards) = (self.secretary.book(), self.fleet.opened());
        // Everybody else has the same objects.
        let is_same = |(one, other): (&Arc<Open>, &Arc<Open>)| Arc::ptr_eq(one, other);
        let is_known = published.book.as_ref().is_some_and(|known| Arc::ptr_eq(known, &book));
        if is_known
            && published.boards.len() == boards.len()
            && published.boards.iter().zip(&boards).all(is_same)
        {
            return;
        }
        let awaited = self.to_publish(&book, &published.awaited);
        self.public.await_games(awaited.clone(), &self.now().rfc3339());
        let awaited = awaited.into_iter().map(|awaited| (awaited.game.clone(), awaited)).collect();
        *published = Published { book: Some(book), boards, awaited };
    }

    /// What spectators may know of the games to come; of those that have begun here they are told what they know already
    /// until they see them begin, for what is ruled there is none of theirs yet.
    fn to_publish(&self, book: &Book, told: &BTreeMap<String, Awaited>) -> Vec<Awaited> {
        let is_early = self.secretary.publish_pairings == PublishPairings::AtImport;
        let is_late = self.delays.is_any();
        let rounds = book.pairings.rounds.keys().map(|round| (*round, book.state(*round)));
        let published = rounds.filter(|(_, state)| match *state {
            "waiting" => is_early,
            // It may be over before spectators see it begin.
            "closed" => is_late,
            _ => true,
        });
        let pairings = published.flat_map(|(round, state)| {
            book.pairings_of(round).filter(|pairing| pairing.is_named()).map(move |pairing| (pairing, state))
        });
        let wanted: Vec<(&Pairing, bool, bool)> = self.desk.with_view(|view| {
            let games = Games::of(view);
            let of_hall = pairings.filter_map(|(pairing, state)| {
                let is_opened = !games.find(pairing).is_empty();
                let is_to_play = pairing.result.is_none() && pairing.postponed.is_none();
                // Of a game that was opened here its result would be told by its going.
                let is_its_time = if state == "closed" { is_opened } else { is_to_play || is_opened };
                is_its_time.then(|| (pairing, state != "waiting", games.has_begun(pairing)))
            });
            of_hall.collect()
        });
        let awaited = wanted.into_iter().filter_map(|(pairing, is_open, has_begun)| {
            let before = told.get(&pairing.game()).filter(|_| has_begun && is_late);
            if let Some(before) = before {
                return Some(Awaited { is_open, ..before.clone() });
            }
            let board = pairing.board_name();
            let open = self.board(&board)?.opened_with();
            let is_played_here = open.pairing.is_none() && self.other_game_at(pairing, &board).is_none();
            is_played_here.then(|| awaited(pairing, is_open, &open)).flatten()
        });
        awaited.collect()
    }
}

/// What spectators are told of a pairing.
fn awaited(pairing: &Pairing, is_open: bool, open: &Open) -> Option<Awaited> {
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
    Some(Awaited { game: pairing.game(), board: pairing.board_name(), is_open, said })
}
