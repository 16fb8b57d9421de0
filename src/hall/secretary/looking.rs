//! What happens to rounds without being asked for: boards become free for the next pairing, and in an event whose
//! rounds open by themselves one is over and the next one is due.

use std::collections::BTreeSet;
use std::sync::Weak;
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::games::Games;
use crate::config::Rounds;
use crate::feed::hub::READINESS;
use crate::hall::Hall;
use adoube_core::pairings::Pairing;
use adoube_core::rounds::{Book, Standing, is_due};

/// Between two looks at the boards: set up by hands, none is quicker.
const LOOK: Duration = Duration::from_millis(250);
/// A board that was added, or did not answer, is found after so long.
const AGAIN: Duration = Duration::from_secs(2);

/// Looks after the rounds until told to stop.
pub(crate) async fn run(hall: Weak<Hall>, mut stop: watch::Receiver<bool>) {
    let Some(mut events) = hall.upgrade().map(|hall| hall.desk.subscribe(None).1) else { return };
    if let Some(hall) = hall.upgrade() {
        let mut told = hall.secretary.told.lock().await;
        hall.desk.with_view(|view| told.before(view));
    }
    loop {
        {
            let Some(hall) = hall.upgrade() else { return };
            hall.look_at_rounds().await;
        }
        let again = Instant::now() + AGAIN;
        let news = async {
            loop {
                match events.recv().await {
                    Ok(frame) if !is_news(frame.name) => {}
                    Ok(_) | Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return,
            () = news => {}
            () = sleep_until(again) => {}
        }
        sleep(LOOK).await;
    }
}

/// Does an event tell that a board may have become free, or ready?
fn is_news(name: &str) -> bool {
    name == READINESS || ["game-closed", "game-over", "result-signalled", "result-changed"].contains(&name)
}

impl Hall {
    /// What is due without being asked for: boards that have become free, and in an event whose rounds open by
    /// themselves, rounds that are over and the one that comes next.
    async fn look_at_rounds(&self) {
        self.tell_boards(&mut *self.secretary.told.lock().await).await;
        self.publish_pairings();
        if self.secretary.rounds == Rounds::Manual {
            return;
        }
        let book = self.secretary.book();
        let next = book.next_round().filter(|round| self.is_due(&book, *round));
        let over: Vec<u32> = book.open_rounds().filter(|round| self.is_over(&book, *round)).collect();
        if next.is_none() && over.is_empty() {
            return;
        }
        let changed = self.change(None, |book| {
            // Somebody may have been quicker.
            over.iter().for_each(|round| drop(book.close(*round)));
            next.iter().for_each(|round| drop(book.open(*round)));
            Ok(())
        });
        if let Err(error) = changed.await {
            tracing::error!("rounds: {error}");
        }
    }

    /// The names of the boards at which a round is played, of those that are here.
    pub(super) fn boards_of<'a>(
        &'a self,
        book: &'a Book,
        round: u32,
    ) -> impl Iterator<Item = (&'a Pairing, String)> {
        let to_play = |pairing: &&Pairing| pairing.result.is_none() && pairing.postponed.is_none();
        let to_play = book.pairings_of(round).filter(to_play);
        let boards = to_play.map(|pairing| (pairing, pairing.board_name()));
        boards.filter(|(_, board)| self.board(board).is_some())
    }

    fn is_due(&self, book: &Book, round: u32) -> bool {
        let told = self.desk.told(READINESS);
        let set_up: BTreeSet<&str> = told
            .iter()
            .filter(|told| !told["ready"].is_null() && told["array"]["ok"] == true)
            .filter_map(|told| told["board"].as_str())
            .collect();
        let is_open = book.open_rounds().next().is_some();
        let standing = |(_, board): (&Pairing, String)| Standing {
            shows_array: set_up.contains(board.as_str()),
            is_done: self.desk.with_view(|view| {
                let last = view.board(&board).and_then(|board| view.game(board.game.as_deref()?));
                let last = last.filter(|game| game.round.is_some());
                match last {
                    Some(game) if game.result != "*" => true,
                    Some(game) => game.closed && !is_open,
                    None => !is_open,
                }
            }),
        };
        let boards: Vec<Standing> = self.boards_of(book, round).map(standing).collect();
        // Where nothing is left to be played here nobody sets up, and the next round waits for nobody.
        is_due(&boards) || (boards.is_empty() && !is_open && self.has_boards(book, round))
    }

    /// Games of the round belong to boards that are here, whether or not they are still to be played.
    fn has_boards(&self, book: &Book, round: u32) -> bool {
        book.pairings_of(round).any(|pairing| self.board(&pairing.board_name()).is_some())
    }

    /// Every game of the round that is played here has a result, or is played another day.
    fn is_over(&self, book: &Book, round: u32) -> bool {
        let mut games = self.boards_of(book, round);
        self.has_boards(book, round)
            && self.desk.with_view(|view| {
                let played = Games::of(view);
                games.all(|(pairing, _)| played.result(pairing).is_some())
            })
    }
}
