//! What goes wrong, and what comes of it.

use std::time::Duration;

use adoube::feed::lichess::Pace;
use adoube::feed::parts::LivePgn;
use adoube::feed::status::{FeedStatus, GameProblem};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::time::sleep;

use super::mock::{Fault, Mock};
use super::{FIFTH, Feed, PATIENCE, agreed, brisk, hall, wanted};
use crate::daemon::{awaited, reserved_address};
use crate::public_hall::PublicHall;

fn id(game: &str) -> String {
    format!("city-open-{game}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_lichess_does_not_take_is_said_and_holds_nothing_up() {
    let (mut hall, mock) = (hall(6), Mock::default());
    mock.refuse(&id("5-4"), true);
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    let others = wanted(&hall, |game| game != "5-4");
    awaited("the other games", PATIENCE, async || (mock.games(FIFTH) == others).then_some(())).await;
    let problem = async || Some(feed.status(FIFTH)).filter(|status| !status.games.is_empty());
    let status = awaited("the problem", PATIENCE, problem).await;
    assert_eq!(
        status.games,
        [GameProblem { game: "5-4".to_owned(), error: "Cannot play 12. Bg5".to_owned() }]
    );
    assert_eq!((status.state, status.refused, status.delivered), ("ok", 1, 5));
    // It is not said again before it has changed.
    hall.play("5-1", "e5");
    let others = wanted(&hall, |game| game != "5-4");
    awaited("the other games", PATIENCE, async || (mock.games(FIFTH) == others).then_some(())).await;
    assert_eq!(mock.pushes().iter().map(|push| push.ids.len()).collect::<Vec<_>>(), [6, 1]);
    mock.accept_all();
    hall.play("5-4", "e5");
    agreed(&hall, &mock).await;
    let well = async || feed.status(FIFTH).games.is_empty().then_some(());
    awaited("no problem", PATIENCE, well).await;
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_that_is_refused_as_a_whole_is_taken_apart() {
    let (mut hall, mock) = (hall(21), Mock::default());
    mock.refuse(&id("5-8"), false);
    mock.refuse(&id("5-20"), false);
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    let others = wanted(&hall, |game| !["5-8", "5-20"].contains(&game));
    awaited("the other games", PATIENCE, async || (mock.games(FIFTH) == others).then_some(())).await;
    let found = async || Some(feed.status(FIFTH)).filter(|status| status.games.len() == 2);
    let status = awaited("both culprits", PATIENCE, found).await;
    assert_eq!((status.state, status.games[0].error.as_str()), ("ok", "Cannot parse moves"));
    // Halving finds two of 21 in a few pushes.
    assert!(mock.pushes().len() <= 24, "{}", mock.pushes().len());
    mock.accept_all();
    hall.play("5-8", "e5");
    hall.play("5-20", "e5");
    agreed(&hall, &mock).await;
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_person_has_to_do_is_said_and_tried_again() {
    let (hall, mock) = (hall(3), Mock::default());
    mock.deny(Some((401, "No such token")));
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    let says = async |what: &str| {
        let said = async || {
            let status = feed.status(FIFTH);
            let error = status.last_error.clone().unwrap_or_default();
            (status.state == "failing" && error.contains(what)).then_some(status)
        };
        awaited(what, PATIENCE, said).await
    };
    let status = says("scope study:write at").await;
    assert!(status.failing_since.is_some(), "{status:?}");
    mock.deny(Some((403, "Missing scope")));
    says("contributor of the broadcast").await;
    mock.deny(Some((404, "Not found")));
    says("eight letters").await;
    mock.deny(None);
    mock.set_source_url(true);
    says("has a source URL").await;
    assert!(mock.pushes().iter().all(|push| push.ids.len() == 3), "no game is to blame");
    mock.set_source_url(false);
    agreed(&hall, &mock).await;
    let well = async || (feed.status(FIFTH).state == "ok").then_some(());
    awaited("health", PATIENCE, well).await;
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lichess_may_ask_for_time() {
    let (mut hall, mock) = (hall(3), Mock::default());
    mock.will(&[Fault::Throttled(Some(1))]);
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    awaited("a push", PATIENCE, async || (mock.pushes().len() == 1).then_some(())).await;
    hall.play("5-1", "e5");
    agreed(&hall, &mock).await;
    let pushes = mock.pushes();
    assert_eq!(pushes.len(), 2, "{pushes:?}");
    assert!(pushes[1].at - pushes[0].at >= Duration::from_secs(1), "{pushes:?}");
    // Nobody is pressed by a stop, either.
    mock.will(&[Fault::Throttled(Some(30))]);
    hall.play("5-2", "e5");
    awaited("a push", PATIENCE, async || (mock.pushes().len() == 3).then_some(())).await;
    sleep(Duration::from_millis(50)).await;
    feed.stop().await;
    assert_eq!(mock.pushes().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_loses_nothing() {
    let (mut hall, mock) = (hall(5), Mock::default());
    let address = reserved_address();
    // Long enough that a busy machine does not make a failure of an answer.
    let pace = Pace { patience: Duration::from_secs(3), ..brisk() };
    // Nobody listens there at first.
    let feed = Feed::start_at(&hall, address, pace, LivePgn::Both);
    // While another attempt is under way its games count as one.
    let is_told = |status: &FeedStatus| status.state == "failing" && status.queued == 5;
    let failing = async || Some(feed.status(FIFTH)).filter(is_told);
    awaited("a failure", PATIENCE, failing).await;
    // Then somebody does who takes nothing, and the games go on.
    mock.deny(Some((502, "not now")));
    let _listening = mock.listen(address).await;
    for san in ["e5", "Nf3", "Nc6"] {
        hall.play("5-3", san);
        let before = mock.pushes().len();
        awaited("a push", PATIENCE, async || (mock.pushes().len() > before).then_some(())).await;
    }
    let slow = Fault::Slow(pace.patience * 2);
    let faults = [Fault::Dropped, slow, Fault::TakenAndDropped, Fault::Nonsense, Fault::Throttled(None)];
    mock.will(&faults);
    mock.deny(None);
    let over = async || (mock.faults_left() == 0 && feed.status(FIFTH).state == "ok").then_some(());
    awaited("the end of it", PATIENCE, over).await;
    agreed(&hall, &mock).await;
    // Each time with everything that may be missing.
    assert!(mock.pushes().iter().all(|push| push.ids.len() == 5), "{:?}", mock.pushes());
    assert_eq!(mock.pushes().iter().filter(|push| push.is_answered).count(), 2);
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_lichess_may_have_is_taken_back_there() {
    let (mut hall, mock) = (hall(1), Mock::default());
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    // It takes the move and does not say so in time; meanwhile the game is what it was before.
    mock.will(&[Fault::Slow(brisk().patience * 2)]);
    hall.play("5-1", "e5");
    awaited("a push", PATIENCE, async || (mock.pushes().len() == 2).then_some(())).await;
    hall.take_back("5-1", 2);
    agreed(&hall, &mock).await;
    feed.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_without_names_is_pointed_out() {
    let (mut hall, mock) = (PublicHall::default(), Mock::default());
    hall.open_with("5-1", json!({ "white": {}, "black": {} }));
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    agreed(&hall, &mock).await;
    assert!(feed.status(FIFTH).games[0].error.contains("has no name"), "{:?}", feed.status(FIFTH));
    feed.stop().await;
}

/// Something that happens in the hall, or to Lichess.
#[derive(Debug, Clone)]
enum Step {
    Play(usize, usize),
    TakeBack(usize),
    Result(usize, &'static str),
    Annul(usize),
    Rename(usize),
    Open,
    Fault(u8),
    Wait(u64),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..6_usize, 0..40_usize).prop_map(|(game, nth)| Step::Play(game, nth)),
        1 => (0..6_usize).prop_map(Step::TakeBack),
        1 => (0..6_usize, prop::sample::select(vec!["1-0", "1/2-1/2"])).prop_map(|(game, result)| Step::Result(game, result)),
        1 => (0..6_usize).prop_map(Step::Annul),
        1 => (0..6_usize).prop_map(Step::Rename),
        1 => Just(Step::Open),
        4 => (0..8_u8).prop_map(Step::Fault),
        3 => (0..120_u64).prop_map(Step::Wait),
        1 => Just(Step::Restart),
    ]
}

fn fault(kind: u8) -> Fault {
    match kind {
        0 => Fault::Status(500),
        1 => Fault::Status(503),
        2 => Fault::Throttled(None),
        3 => Fault::Dropped,
        4 => Fault::TakenAndDropped,
        5 => Fault::Slow(Duration::from_millis(40)),
        6 => Fault::Slow(brisk().patience + Duration::from_millis(200)),
        _ => Fault::Nonsense,
    }
}

async fn happens(steps: Vec<Step>) {
    let (mut hall, mock, address) = (hall(3), Mock::default(), reserved_address());
    let _listening = mock.listen(address).await;
    let mut feed = Feed::start_at(&hall, address, brisk(), LivePgn::Both);
    let mut games = 3;
    for step in steps {
        let name = |nth: usize| format!("5-{}", nth % games + 1);
        match step {
            Step::Play(game, nth) => hall.play_any(&name(game), nth),
            Step::TakeBack(game) => hall.take_back(&name(game), 1),
            Step::Result(game, result) => hall.end(&name(game), result),
            Step::Annul(game) => hall.say(&name(game), "game-annulled", json!({ "status": "confirmed" })),
            Step::Rename(game) => {
                let players = json!({ "white": { "name": "Ω" }, "black": { "name": "B" }, "result": "*" });
                hall.say(&name(game), "game-changed", players);
            }
            Step::Open => {
                games += 1;
                hall.open(&format!("5-{games}"));
            }
            Step::Fault(kind) => mock.will(&[fault(kind)]),
            Step::Wait(ms) => sleep(Duration::from_millis(ms)).await,
            Step::Restart => {
                feed.stop().await;
                feed = Feed::start_at(&hall, address, brisk(), LivePgn::Both);
            }
        }
    }
    agreed(&hall, &mock).await;
    feed.stop().await;
    assert_eq!(mock.games(FIFTH), wanted(&hall, |_| true));
}

#[test]
fn after_any_faults_that_end_lichess_has_every_game() {
    let runtime = Runtime::new().unwrap();
    // Games are played in the world's time: to look for a shorter failure would take hours.
    let config = Config { cases: 24, failure_persistence: None, max_shrink_iters: 0, ..Config::default() };
    TestRunner::new(config)
        .run(&vec(step(), 1..40), |steps| {
            runtime.block_on(happens(steps));
            Ok(())
        })
        .unwrap();
}
