//! Games to Lichess: what changed and nothing else, all of it in the end whatever went wrong, and what Lichess does
//! not take is said and holds nothing else up.

mod daemon;
mod faults;
mod four;
pub(crate) mod mock;
mod pushes;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use adoube::feed::lichess::{Lichess, Pace, Rounds, start};
use adoube::feed::parts::LivePgn;
use adoube::feed::pgn::{self, EventTags};
use adoube::feed::sheets::{PublishAt, Sheets, Shown};
use adoube::feed::status::{FeedStatus, Status};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::daemon::{PATIENCE, awaited, reserved_address};
use crate::public_hall::PublicHall;
use mock::{Mock, TOKEN};

/// The Lichess round of round 5.
const FIFTH: &str = "aaaaaaa5";
/// That of all other games.
const OTHERS: &str = "aaaaaaa0";

fn tags() -> EventTags {
    EventTags { event: Some("City Open".to_owned()), site: Some("Athens".to_owned()) }
}

/// A pace at which a test has no time to waste.
fn brisk() -> Pace {
    let ms = Duration::from_millis;
    Pace {
        pause: ms(20),
        patience: ms(600),
        first_wait: ms(20),
        longest_wait: ms(100),
        slow_wait: ms(60),
        look: ms(150),
        flush: ms(800),
    }
}

/// The feed between a hall and Lichess.
struct Feed {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
    states: Vec<Arc<Status>>,
}

impl Feed {
    async fn start(hall: &PublicHall, mock: &Mock) -> (Self, tokio::task::JoinHandle<()>) {
        let address = reserved_address();
        let listening = mock.listen(address).await;
        (Self::start_at(hall, address, brisk(), LivePgn::Both), listening)
    }

    fn start_at(hall: &PublicHall, address: std::net::SocketAddr, pace: Pace, live: LivePgn) -> Self {
        let rounds =
            Rounds { by_number: BTreeMap::from([(5, FIFTH.to_owned())]), others: Some(OTHERS.to_owned()) };
        let url = format!("http://{address}").parse().unwrap();
        let lichess = Lichess {
            url,
            token: TOKEN.to_owned(),
            rounds,
            pace,
            recovered: Default::default(),
            publish_at: PublishAt::Made,
        };
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let shown = Shown { tags: tags(), live, publish_at: PublishAt::Made, marks_recovered: false };
        let states = start(lichess, &hall.hub, Sheets::new(shown), &stopped, &mut tasks).unwrap();
        Self { stop, tasks, states }
    }

    /// How the Lichess round stands.
    fn status(&self, round: &str) -> FeedStatus {
        let states = self.states.iter().map(|status| status.now());
        states.into_iter().find(|status| status.to.ends_with(round)).unwrap()
    }

    /// Stops it, and waits until it has.
    async fn stop(mut self) {
        self.stop.send(true).unwrap();
        while let Some(done) = self.tasks.join_next().await {
            done.unwrap();
        }
    }
}

/// What Lichess shall have of the games of `hall`, by `GameId`: written without the feed's help.
fn wanted(hall: &PublicHall, is_of: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    hall.hub.with_view(|view| {
        let games = view.games().filter(|game| is_of(&game.game));
        games.flat_map(|game| pgn::texts(game, &tags(), false)).map(|part| (part.id, part.text)).collect()
    })
}

/// Waits until Lichess has the games of round 5 as they stand.
async fn agreed(hall: &PublicHall, mock: &Mock) {
    let wanted = wanted(hall, |game| game.starts_with("5-"));
    let is_agreed = || mock.games(FIFTH) == wanted && !mock.is_under_way();
    awaited("agreement", PATIENCE, async || is_agreed().then_some(())).await;
}

/// A hall with so many games in round 5, a move played in each.
fn hall(games: usize) -> PublicHall {
    let mut hall = PublicHall::default();
    for number in 1..=games {
        let game = format!("5-{number}");
        hall.open(&game);
        hall.play(&game, "e4");
    }
    hall
}
