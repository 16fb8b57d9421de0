//! What is pushed, and when.

use std::time::Duration;

use adoube::feed::parts::LivePgn;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::mock::{Fault, Mock};
use super::{FIFTH, Feed, OTHERS, PATIENCE, agreed, brisk, hall, wanted};
use crate::daemon::{awaited, reserved_address};

/// Long enough that whatever would still come has come.
const QUIET: Duration = Duration::from_millis(400);

fn id(game: &str) -> String {
    format!("city-open-{game}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_has_the_games_that_changed_and_no_others() {
    let (mut hall, mock) = (hall(12), Mock::default());
    hall.open("free-20260501-1");
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    // All of a round at once, in the order of the boards.
    let all: Vec<String> = (1..=12).map(|number| id(&format!("5-{number}"))).collect();
    let of_round = || mock.pushes().into_iter().filter(|push| push.round == FIFTH).collect::<Vec<_>>();
    assert_eq!(of_round().iter().map(|push| &push.ids).collect::<Vec<_>>(), [&all]);
    let free = wanted(&hall, |game| game.starts_with("free"));
    awaited("the game without a round", PATIENCE, async || (mock.games(OTHERS) == free).then_some(())).await;
    let before = mock.pushes().len();
    hall.play("5-11", "e5");
    hall.play("5-3", "c5");
    agreed(&hall, &mock).await;
    hall.play("5-7", "d5");
    agreed(&hall, &mock).await;
    // Nothing happens, and nothing is sent.
    sleep(QUIET).await;
    let ids: Vec<Vec<String>> = mock.pushes().into_iter().skip(before).map(|push| push.ids).collect();
    assert_eq!(ids, [vec![id("5-3"), id("5-11")], vec![id("5-7")]]);
    let status = feed.status(FIFTH);
    assert_eq!((status.state, status.delivered, status.queued), ("ok", 15, 0), "{status:?}");
    feed.stop().await;
    assert_eq!(mock.pushes().len(), before + 2, "a stop has nothing to add");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_meanwhile_goes_with_the_next_one() {
    let (mut hall, mock) = (hall(3), Mock::default());
    mock.will(&[Fault::Slow(Duration::from_millis(400))]);
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    awaited("a push", PATIENCE, async || (!mock.pushes().is_empty()).then_some(())).await;
    for san in ["e5", "Nf3", "Nc6", "Bb5"] {
        hall.play("5-2", san);
        sleep(Duration::from_millis(30)).await;
    }
    agreed(&hall, &mock).await;
    let ids: Vec<Vec<String>> = mock.pushes().into_iter().map(|push| push.ids).collect();
    assert_eq!(ids, [vec![id("5-1"), id("5-2"), id("5-3")], vec![id("5-2")]]);
    assert_eq!(mock.most_under_way(), 1);
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_big_round_takes_several_pushes() {
    let (hall, mock) = (hall(130), Mock::default());
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    let sizes: Vec<usize> = mock.pushes().iter().map(|push| push.ids.len()).collect();
    assert_eq!(sizes, [100, 30]);
    let pushes = mock.pushes();
    assert!(pushes[1].at - pushes[0].at >= brisk().pause, "{pushes:?}");
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_gets_there() {
    let (mut hall, mock) = (hall(4), Mock::default());
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    hall.play("5-1", "e5");
    hall.take_back("5-1", 2);
    hall.play("5-1", "c5");
    let renamed = json!({ "white": { "name": "Polgár, Judit", "title": "GM" }, "black": { "name": "B" }, "result": "*" });
    hall.say("5-2", "game-changed", renamed);
    hall.end("5-3", "1-0");
    hall.clock("5-4", [1_000, 2_000], Some("white"));
    agreed(&hall, &mock).await;
    let games = mock.games(FIFTH);
    assert!(games[&id("5-1")].contains(" 1... c5 "), "{games:?}");
    assert!(games[&id("5-2")].contains("[White \"Polgár, Judit\"]\n"), "{games:?}");
    assert!(games[&id("5-4")].contains("[WhiteClock \"00:00:01\"]\n"), "{games:?}");
    hall.say("5-3", "result-changed", json!({ "result": "1/2-1/2", "status": "confirmed" }));
    hall.end("5-4", "0-1");
    hall.say("5-4", "game-annulled", json!({ "status": "confirmed" }));
    agreed(&hall, &mock).await;
    let games = mock.games(FIFTH);
    assert!(games[&id("5-3")].contains("[Result \"1/2-1/2\"]\n"), "{games:?}");
    assert!(games[&id("5-4")].contains("[Result \"*\"]\n"), "{games:?}");
    // Another game takes the place of the annulled one, which stays there as what it was.
    hall.open("5-4-2");
    agreed(&hall, &mock).await;
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_parts_of_a_game_are_shown_as_the_configuration_says() {
    const BG5: &str = "rnbqkbnr/pppp1ppp/8/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR b KQkq - 1 2";
    for (live, expected) in [
        (LivePgn::First, vec![id("5-1")]),
        (LivePgn::Both, vec![id("5-1"), id("5-1/b")]),
        // What Lichess has already is kept right.
        (LivePgn::Last, vec![id("5-1"), id("5-1/b")]),
    ] {
        let (mut hall, mock) = (hall(1), Mock::default());
        let address = reserved_address();
        let _listening = mock.listen(address).await;
        let feed = Feed::start_at(&hall, address, brisk(), live);
        hall.play("5-1", "e5");
        agreed(&hall, &mock).await;
        hall.stand("5-1", "Bg5", "c1g5", BG5);
        hall.play("5-1", "Nc6");
        hall.end("5-1", "0-1");
        let whole = wanted(&hall, |_| true);
        let there = async || {
            let games = mock.games(FIFTH);
            expected.iter().all(|id| games.get(id) == whole.get(id)).then_some(games)
        };
        let games = awaited("the parts", PATIENCE, there).await;
        assert_eq!(games.into_keys().collect::<Vec<_>>(), expected, "{live:?}");
        feed.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_sends_every_game_and_nothing_changes_by_that() {
    let (mut hall, mock) = (hall(3), Mock::default());
    let (feed, listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    feed.stop().await;
    listening.abort();
    hall.play("5-2", "e5");
    let before = mock.pushes().len();
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    let ids: Vec<usize> = mock.pushes().iter().skip(before).map(|push| push.ids.len()).collect();
    assert_eq!(ids, [3]);
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_sends_what_is_left_and_does_not_wait_for_ever() {
    let (mut hall, mock) = (hall(2), Mock::default());
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    hall.play("5-1", "e5");
    hall.end("5-1", "1-0");
    feed.stop().await;
    assert_eq!(mock.games(FIFTH), wanted(&hall, |_| true), "the last push is made at the stop");
    // So are the last ones, if one is not enough.
    let (mut hall, mock) = (self::hall(120), Mock::default());
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    (1..=120).for_each(|number| hall.end(&format!("5-{number}"), "1/2-1/2"));
    feed.stop().await;
    assert_eq!(mock.games(FIFTH), wanted(&hall, |_| true), "not all of it");
    // Somebody who answers too late holds nothing up.
    let (mut pace, address) = (brisk(), reserved_address());
    pace.patience = Duration::from_secs(30);
    let slow = Mock::default();
    slow.will(&[Fault::Slow(Duration::from_secs(20))]);
    let _listening = slow.listen(address).await;
    let feed = Feed::start_at(&hall, address, pace, LivePgn::Both);
    awaited("a push", PATIENCE, async || (!slow.pushes().is_empty()).then_some(())).await;
    let begun = Instant::now();
    feed.stop().await;
    assert!(begun.elapsed() < pace.flush + Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_that_was_reset_there_is_filled_again() {
    let (mut hall, mock) = (hall(3), Mock::default());
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    let looks = mock.looks();
    awaited("a look at it", PATIENCE, async || (mock.looks() > looks).then_some(())).await;
    // A game that somebody took away there stays away, and the look does not push anything.
    let pushes = mock.pushes().len();
    sleep(QUIET).await;
    assert_eq!(mock.pushes().len(), pushes);
    mock.reset(FIFTH);
    agreed(&hall, &mock).await;
    assert_eq!(mock.pushes().last().unwrap().ids.len(), 3);
    hall.play("5-1", "e5");
    agreed(&hall, &mock).await;
    assert_eq!(mock.pushes().last().unwrap().ids, [id("5-1")]);
    feed.stop().await;
}
