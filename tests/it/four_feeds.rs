//! Games of four players leave the hall: as records in files, over HTTP, to pages and to relays.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};

use adoube::daemon::{Daemon, Feeds, Settings};
use adoube::feed::pgn_files::PgnFiles;
use adoube_rules::four::record::{Record, read};
use adoube_rules::pgn::read_games;
use serde_json::json;

use crate::daemon::{PATIENCE, awaited, reserved_address};
use crate::four_game::FourGame;
use crate::http::get;
use crate::public_hall::PublicHall;

const ROUND: [&str; 5] = ["h2-h4", "b7-d7", "g13-g11", "m8-k8", "g1-h2"];

fn shape(records: &[Record]) -> Vec<(Option<&str>, usize)> {
    records.iter().map(|record| (record.tag("GameId"), record.moves.len())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_a_record_in_files_and_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let public = reserved_address();
    let settings = Settings {
        feeds: Feeds {
            pgn: Some(PgnFiles {
                folder: folder.path().join("pgn"),
                per_game: true,
                recovered: Default::default(),
                publish_at: Default::default(),
            }),
            ..Feeds::default()
        },
        public: Some(public),
        ..Settings::new(folder.path().join("journal"), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    };
    let daemon = Daemon::start(settings).await.unwrap();
    let mut hall = PublicHall::on(daemon.hall.public.clone());
    FourGame::open(&mut hall, "5-1").play(&mut hall, &ROUND);
    // Beside a game of chess, which stays as it is.
    hall.open("5-2");
    hall.play("5-2", "e4");
    let file = folder.path().join("pgn/round-5/game-1.pgn");
    let whole = async || {
        let text = std::fs::read_to_string(&file).ok()?;
        let is_whole = read(&text).is_ok_and(|records| shape(&records) == [(Some("5-1"), 5)]);
        is_whole.then_some(text)
    };
    let text = awaited("the record of the game", PATIENCE, whole).await;
    let all = folder.path().join("pgn/round-5/games.pgn");
    let both = async || {
        let games = read_games(std::fs::read(&all).ok()?.as_slice()).ok()?;
        let faults: Vec<bool> = games.iter().map(|game| game.fault.is_some()).collect();
        (faults == [true, false] && games[1].moves.len() == 1).then_some(())
    };
    awaited("both games in the round's file", PATIENCE, both).await;
    let answer = get(public, "/api/v1/games/5-1.pgn").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, text.as_str()));

    let game = get(public, "/api/v1/games/5-1").await.json();
    let players = ["red", "white", "blue", "black"].map(|army| game[army]["name"].clone());
    assert_eq!(json!(players), json!(["Red of 5-1", "White of 5-1", "Blue of 5-1", "Black of 5-1"]));
    let last = &game["moves"][4];
    assert_eq!(
        [&last["side"], &last["player"], &last["seat"], &last["uci"]],
        ["white", "red", "south", "g1h2"]
    );
    let listed = get(public, "/api/v1/games").await.json();
    assert_eq!((&listed[0]["red"], &listed[0]["plies"]), (&game["red"], &json!(5)));
    let keys = |game: &serde_json::Value| -> BTreeSet<String> {
        game.as_object().unwrap().keys().cloned().collect()
    };
    let more: Vec<String> = keys(&listed[0]).difference(&keys(&listed[1])).cloned().collect();
    assert_eq!(more, ["blue", "red"], "a game of chess has no more fields than before");
    daemon.stop().await;
}
