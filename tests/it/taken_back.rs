//! A move that is published and taken back: spectators of the page see both, and a feed that cannot take a move back shows
//! what stands.

use std::time::Duration;

use adoube_sim::FirmwareConfig;
use tokio::time::{Instant, sleep};

use crate::daemon::{Daemon, PATIENCE, Site, awaited};
use crate::desk_data::{Hand, SPEED, moment, start};
use crate::http::{Events, game, get, moves};
use crate::lichess::mock::{Mock, beside};

const ROUND: &str = "aaaaaaa0";

/// A hall with one board, and a Lichess.
async fn hall(hand: &Hand, at_feed: &str) -> (Site, Mock, Daemon) {
    let site = Site::new(SPEED, std::slice::from_ref(&hand.port));
    site.set("announce = \"fast\"");
    let lichess = beside(&site, &format!("round = \"{ROUND}\"\n{at_feed}")).await;
    let daemon = site.start();
    awaited("the game", PATIENCE, async || game(site.desk, "1").await).await;
    (site, lichess, daemon)
}

/// Is that move in what was pushed, at any time?
fn was_pushed(lichess: &Mock, san: &str) -> bool {
    lichess.pushes().iter().any(|push| push.text.contains(san))
}

/// 1. e4, published; a second later the pawn stands on e2 again, and the other one goes.
async fn change_of_mind(hand: &Hand, site: &Site) {
    let mut public = Events::open(site.public, None).await.unwrap();
    // That the game was opened is pushed, and the next push waits for nothing.
    sleep(Duration::from_millis(1_200)).await;
    hand.lift("e2");
    moment(400).await;
    hand.place("e4", 'P');
    while public.message(PATIENCE).await.name != "move-made" {}
    sleep(Duration::from_millis(200)).await;
    hand.lift("e4");
    moment(300).await;
    hand.place("e2", 'P');
    moment(300).await;
    hand.lift("d2");
    moment(400).await;
    hand.place("d4", 'P');
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lichess_and_pgn_never_see_a_move_that_did_not_stand() {
    let hand = Hand::new(&start(), FirmwareConfig::default());
    let (site, lichess, _daemon) = hall(&hand, "").await;
    let folder = site.pgn_folder();
    change_of_mind(&hand, &site).await;
    let made = Instant::now();
    let all_pgn = async || {
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let files =
            files.map(|file| std::fs::read_to_string(file.path().join("games.pgn")).unwrap_or_default());
        files.collect::<String>() + &get(site.public, "/pgn/games.pgn").await.body
    };
    awaited("1. d4 everywhere", PATIENCE, async || {
        let pgn = all_pgn().await;
        assert!(!pgn.contains("1. e4"), "{pgn}");
        (was_pushed(&lichess, "1. d4") && pgn.matches("1. d4").count() == 2).then_some(())
    })
    .await;
    // A second and a half until it stands, and as long until it is written.
    println!("1. d4 stood everywhere {} ms after its piece", made.elapsed().as_millis());
    assert!(!was_pushed(&lichess, "1. e4"), "{:?}", lichess.pushes());
    assert_eq!(moves(&game(site.public, "1").await.unwrap()), ["d2d4"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_wants_every_move_at_once_gets_it_and_its_withdrawal() {
    let hand = Hand::new(&start(), FirmwareConfig::default());
    let (site, lichess, _daemon) = hall(&hand, "publish_at = \"made\"").await;
    change_of_mind(&hand, &site).await;
    awaited("1. d4", PATIENCE, async || was_pushed(&lichess, "1. d4").then_some(())).await;
    assert!(was_pushed(&lichess, "1. e4"), "{:?}", lichess.pushes());
}
