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
            pgn: Some(PgnFiles { folder: folder.join("pgn"), per_game, recovered: Default::default() }),
            ..Feeds::default()
        },
        public: Some(reserved_address()),
        ..Settings::new(folder.join("journal"), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    };
    let daemon = Daemon::start(settings).await.unwrap();
    let hall = PublicHall::on(daemon.hall.public.clone());
    (daemon, hall)
}
