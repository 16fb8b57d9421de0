//! Ended again and again between two instructions: the server, and the daemon.

use std::time::Duration;

use tokio::time::sleep;

use super::server::NatsServer;
use super::{ended_whole, hall, is_played_out, is_whole};
use crate::daemon::PATIENCE;
use crate::played::LONG;

/// How often it is killed.
const CYCLES: usize = 20;

/// So that a game lasts about as long as all that killing.
const SPEED: f64 = 10.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_streams_are_the_journal_however_often_the_server_is_killed() {
    let Some(mut server) = NatsServer::start().await else { return };
    let (site, players) = hall(LONG, SPEED, &server.url(), "sensed = true");
    let daemon = site.start();
    let mut rng = fastrand::Rng::with_seed(9);
    for _ in 0..CYCLES {
        sleep(Duration::from_millis(rng.u64(100..1_200))).await;
        server.kill();
        sleep(Duration::from_millis(rng.u64(0..400))).await;
        server.restart().await;
    }
    assert!(!players.is_finished(), "it was to be killed in play");
    is_played_out(&site, &players, &server, PATIENCE).await;
    let truth = ended_whole(&site, daemon, &server).await;
    assert!(truth.public.len() > 150 && truth.private.len() > 500, "{} public", truth.public.len());
    is_whole(&server.contents("ADOUBE_PUBLIC").await, &truth.public);
    is_whole(&server.contents("ADOUBE_PRIVATE").await, &truth.private);
    let log = site.log();
    assert!(log.contains("it gets through again"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_streams_are_the_journal_however_often_the_daemon_is_killed() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = hall(LONG, SPEED, &server.url(), "sensed = true");
    let mut rng = fastrand::Rng::with_seed(10);
    for _ in 0..CYCLES {
        let daemon = site.start();
        sleep(Duration::from_millis(rng.u64(100..1_200))).await;
        daemon.kill();
    }
    let daemon = site.start();
    is_played_out(&site, &players, &server, PATIENCE).await;
    let truth = ended_whole(&site, daemon, &server).await;
    is_whole(&server.contents("ADOUBE_PUBLIC").await, &truth.public);
    is_whole(&server.contents("ADOUBE_PRIVATE").await, &truth.private);
    let context = server.context().await;
    let stream = context.get_stream("ADOUBE_PUBLIC").await.unwrap();
    let config = &stream.cached_info().config;
    assert_eq!((config.max_age, config.num_replicas), (Duration::ZERO, 1));
    // A handful of subjects: one for each type of event, and game.
    assert!(stream.cached_info().state.subjects_count < 20, "{:?}", stream.cached_info().state);
}
