//! The real daemon with a broadcast: what is in its journal is on Lichess, whatever happens to either.

use adoube_rules::pgn::read_games;
use adoube_sim::Noise;
use serde_json::Value;

use super::OTHERS;
use super::mock::{Fault, Mock, TOKEN};
use crate::daemon::{PATIENCE, Site, awaited, reserved_address};
use crate::http::{game, get, moves};
use crate::played::{self, LONG, Played, SHORT, demo_game};

/// A place for a daemon on whose board the `nth` game is played, and whose games go to `mock`.
async fn hall(nth: usize, speed: f64, mock: &Mock) -> (Site, Played, tokio::task::JoinHandle<()>) {
    let (players, port) = Played::on_tcp(played::board(&demo_game(nth), Noise::Clean, 1), speed);
    let site = Site::new(speed, &[port]);
    let address = reserved_address();
    let listening = mock.listen(address).await;
    let token = site.path().join("token");
    std::fs::write(&token, format!("{TOKEN}\n")).unwrap();
    site.add_section(&format!(
        "[feeds.lichess]\nround = \"{OTHERS}\"\nurl = \"http://{address}\"\ntoken = \"{}\"",
        token.display()
    ));
    (site, players, listening)
}

/// The only game that Lichess has: PGN as it was pushed.
fn pushed(mock: &Mock) -> Option<String> {
    let games = mock.games(OTHERS);
    assert!(games.len() <= 1, "{games:?}");
    games.into_values().next()
}

fn plies(pgn: &str) -> usize {
    read_games(pgn.as_bytes()).unwrap()[0].moves.len()
}

async fn feed(site: &Site) -> Value {
    let feeds = get(site.desk, "/api/v1/feeds").await.json();
    feeds.as_array().unwrap().iter().find(|feed| feed["feed"] == "lichess").unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_on_lichess_to_its_last_move_and_result() {
    let mock = Mock::default();
    mock.will(&[Fault::Status(503), Fault::TakenAndDropped]);
    let (site, _players, _listening) = hall(SHORT, 40.0, &mock).await;
    let daemon = site.start();
    let ended = async || pushed(&mock).filter(|pgn| pgn.contains("[Result \"1-0\"]"));
    let pgn = awaited("the result on Lichess", PATIENCE, ended).await;
    assert_eq!(plies(&pgn), 33);
    let name = game(site.public, "1").await.unwrap()["game"].as_str().unwrap().to_owned();
    assert_eq!(pgn, get(site.public, &format!("/api/v1/games/{name}.pgn")).await.body);
    let feed = feed(&site).await;
    assert_eq!(feed["state"], "ok", "{feed}");
    assert!(feed["to"].as_str().unwrap().ends_with(&format!("/broadcast/-/-/{OTHERS}")), "{feed}");
    // No push for each event: several of them make a move.
    assert!(mock.pushes().len() <= 36, "{}", mock.pushes().len());
    assert_eq!(daemon.terminate().await, Some(0));
    assert!(!site.log().contains(TOKEN), "{}", site.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_daemon_that_was_killed_goes_on_where_lichess_is() {
    let mock = Mock::default();
    let (site, players, _listening) = hall(LONG, 8.0, &mock).await;
    let daemon = site.start();
    let begun = async || pushed(&mock).filter(|pgn| plies(pgn) >= 4);
    awaited("the first moves", PATIENCE, begun).await;
    daemon.kill();
    // Not long, so that the moves that nobody sees can be supplied.
    let played = players.plies();
    awaited("a move", PATIENCE, async || (players.plies() > played).then_some(())).await;
    let daemon = site.start();
    let again = async || pushed(&mock).filter(|pgn| plies(pgn) >= played + 6);
    awaited("moves after the restart", PATIENCE, again).await;
    // A stop in the middle of the game sends what there is.
    assert_eq!(daemon.terminate().await, Some(0));
    let exported = String::from_utf8(site.adoube(&["export", "--pgn"]).stdout).unwrap();
    let pgn = pushed(&mock).unwrap();
    assert!(plies(&exported) - plies(&pgn) <= 1, "{exported}\n{pgn}");
    let _daemon = site.start();
    let game = awaited("the game", PATIENCE, async || game(site.public, "1").await).await;
    let read = moves(&game);
    let caught_up = async || (plies(&pushed(&mock).unwrap()) >= read.len()).then_some(());
    awaited("the whole game", PATIENCE, caught_up).await;
}
