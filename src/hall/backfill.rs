//! The moves of games that were over when the daemon started: read when everything runs, the newest games first.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::beginning::numbered;
use crate::feed::hub::{DeskHub, PublicHub};
use crate::feed::view::{GameView, HallView};
use crate::journal::Look;
use adoube_core::event::Publisher;

/// Games read in one look, so that no checkpoint has to wait for longer than a tenth of a second.
const GAMES: usize = 8;

/// Between two looks: the boards go first.
const PAUSE: Duration = Duration::from_millis(20);

/// Plies that are kept of such games, packed and twice some 70 bytes each: two weeks of a thousand boards, in a tenth of the
/// gigabyte that the service has. Older games stay in the journal, and in the files of their rounds.
const PLIES: usize = 1_500_000;

/// Reads the games of those names, in the order in which they were opened, until told to stop.
pub(crate) async fn run(
    folder: Arc<Path>,
    outlined: Vec<String>,
    hubs: (Arc<DeskHub>, Arc<PublicHub>),
    mut stop: watch::Receiver<bool>,
) {
    let mut plies = 0;
    for games in outlined.rchunks(GAMES) {
        let (folder, games) = (Arc::clone(&folder), games.to_vec());
        // A thread that is gone took the runtime with it.
        let read = tokio::task::spawn_blocking(move || read(&folder, &games)).await.unwrap_or_default();
        for (desk, public) in read {
            plies += desk.moves.len();
            hubs.0.complete(desk);
            hubs.1.complete(public);
        }
        if plies > PLIES {
            tracing::info!(plies, "older games are left in the journal: adoube export reads them");
            return;
        }
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

/// Each game as the desk and as spectators see it.
fn read(folder: &Path, games: &[String]) -> Vec<(GameView, GameView)> {
    let look = Look::open(folder);
    let mut read = Vec::new();
    for game in games.iter().rev() {
        let (mut desk, mut public) = (HallView::default(), HallView::default());
        let mut publisher = Publisher::default();
        for seq in look.of_game(game) {
            let Some(event) = look.told(seq).filter(|event| is_shown(&event.name)) else { continue };
            let Some(event) = numbered(&event) else { continue };
            desk.apply_private(&event);
            publisher.publish(&event).iter().for_each(|event| public.apply(event));
        }
        let found = |view: &HallView| view.game(game).cloned();
        read.extend(found(&desk).zip(found(&public)));
    }
    read
}

/// Does a game look otherwise after such an event?
fn is_shown(name: &str) -> bool {
    name != "ruled"
}
