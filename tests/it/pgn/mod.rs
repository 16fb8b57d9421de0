//! The games as PGN: what readers make of them, in files and over HTTP.

mod corpus;
mod files;
mod pages;
mod readers;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use adoube::daemon::{Daemon, Feeds, Settings};
use adoube::feed::pgn::EventTags;
use adoube::feed::pgn_files::PgnFiles;

use crate::daemon::reserved_address;
use crate::public_hall::PublicHall;

/// A daemon without boards, and a hall on its public hub. Its files, if there are any, are in `pgn`.
async fn daemon(folder: &Path, per_game: bool) -> (Daemon, PublicHall) {
    let settings = Settings {
        tags: EventTags { event: Some("Spring Open".to_owned()), site: Some("Þingvellir".to_owned()) },
        feeds: Feeds {
            pgn: Some(PgnFiles {
                folder: folder.join("pgn"),
                per_game,
                recovered: Default::default(),
                publish_at: Default::default(),
            }),
            ..Feeds::default()
        },
        public: Some(reserved_address()),
        ..Settings::new(folder.join("journal"), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    };
    let daemon = Daemon::start(settings).await.unwrap();
    let hall = PublicHall::on(daemon.hall.public.clone());
    (daemon, hall)
}

#[test]
fn a_score_for_which_pgn_has_no_sign_stands_behind_the_last_move() {
    let mut hall = PublicHall::default();
    for (game, result) in [("5-1", "1/2-0"), ("5-2", "-/-"), ("5-3", "1-0")] {
        hall.open(game);
        hall.play(game, "e4");
        hall.end(game, result);
    }
    let text = corpus::text(&hall);
    let games: Vec<&str> = text.split("[Event ").skip(1).collect();
    let behind = |game: &&str| game.trim_end().rsplit("]} ").next().unwrap().to_owned();
    assert_eq!(games.iter().map(behind).collect::<Vec<_>>(), ["{1/2-0} *", "{-/-} *", "1-0"]);
    let is_penalised = |game: &&str| game.contains("[Termination \"rules infraction\"]");
    assert_eq!(games.iter().map(is_penalised).collect::<Vec<_>>(), [true, false, false]);
}
