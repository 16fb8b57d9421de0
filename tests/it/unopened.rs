//! Play begins before the round is open, as it does when nobody thought of it: the desk asks, the feed says that nothing goes
//! there, and once the round is open everything is where it belongs.

use adoube_sim::Noise;
use serde_json::{Value, json};

use crate::browser::browser;
use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{ask, game, get, stranger};
use crate::lichess::mock::beside;
use crate::played::{self, LONG, Played, demo_game};

const SPEED: f64 = 8.0;
const ROUND: &str = "aaaaaaa0";
const PAIRINGS: &str = "round,board,white,black\n1,1,\"Wit, Anna\",\"Zwart, Bert\"\n1,2,\"C, C\",\"D, D\"\n";

async fn feed(site: &Site) -> Value {
    let feeds = get(site.desk, "/api/v1/feeds").await.json();
    feeds.as_array().unwrap().iter().find(|feed| feed["feed"] == "lichess").unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_that_began_before_their_round_was_open_are_missed_and_found() {
    let (_players, port) = Played::on_tcp(played::board(&demo_game(LONG), Noise::Light, 1), SPEED);
    let site = Site::new(SPEED, &[port]);
    site.set("rounds = \"manual\"\n");
    let lichess = beside(&site, &format!("rounds = {{ \"1\" = \"{ROUND}\" }}")).await;
    let daemon = site.start();
    let idle = async || Some(feed(&site).await).filter(|feed| feed["state"] == "idle");
    assert_eq!(awaited("an idle feed", PATIENCE, idle).await["homeless"], 0);
    assert_eq!(ask(site.desk, "POST", "/api/v1/pairings", &[], PAIRINGS).await.status, 200);
    let homeless = async || Some(feed(&site).await).filter(|feed| feed["homeless"] == 1);
    let missed = awaited("a game that goes nowhere", PATIENCE, homeless).await;
    assert_eq!((&missed["state"], &missed["delivered"]), (&json!("idle"), &json!(0)), "{missed}");
    let name = game(site.desk, "1").await.unwrap()["game"].as_str().unwrap().to_owned();
    assert!(name.starts_with("free-"), "{name}");

    match browser().await {
        // The desk asks, and one press is enough.
        Some(browser) => {
            let link = format!("http://{}/#login={}", site.desk, site.add_token("arbiter", "reader"));
            browser.log_in(&link, "/").await;
            browser
                .sees("document.querySelector('.stray span')?.textContent.startsWith('1 game is played')")
                .await;
            browser.click(".stray button").await;
            browser.sees("document.querySelector('.stray').hidden").await;
            browser.close().await;
        }
        None => assert_eq!(ask(site.desk, "POST", "/api/v1/rounds/1/open", &[], "{}").await.status, 200),
    }
    let on_lichess = async || lichess.games(ROUND).into_values().find(|game| game.contains("Wit, Anna"));
    let pgn = awaited("the game on Lichess", PATIENCE, on_lichess).await;
    assert!(pgn.contains("[Round \"1.1\"]"), "{pgn}");
    let well = async || (feed(&site).await["homeless"] == 0).then_some(());
    awaited("a feed that misses nothing", PATIENCE, well).await;

    // By the name of its pairing it is found everywhere, and by the one with which it began.
    for game in ["1-1", &name] {
        for address in [site.public, site.desk] {
            let found = stranger(address, "GET", &format!("/api/v1/games/{game}"), &[], "").await.json();
            assert_eq!((&found["game"], &found["round"]), (&json!(name), &json!(1)), "{game}");
        }
        for path in [
            format!("/game/{game}"),
            format!("/api/v1/games/{game}.pgn"),
            format!("/api/v1/games/{game}/position.svg"),
        ] {
            assert_eq!(stranger(site.public, "GET", &path, &[], "").await.status, 200, "{path}");
        }
        let exported = String::from_utf8(site.adoube(&["export", "--game", game]).stdout).unwrap();
        assert!(exported.contains("[White \"Wit, Anna\"]"), "{game}: {exported}");
    }
    assert!(!site.adoube(&["export", "--game", "1-7"]).status.success());
    if let Some(browser) = browser().await {
        browser.client.goto(&format!("http://{}/game/1-1", site.public)).await.unwrap();
        browser.sees("document.querySelectorAll('#moves .move').length > 4").await;
        browser.close().await;
    }
    drop(daemon);
}
