//! What goes into which stream, and under what name.

use std::collections::BTreeSet;

use adoube_core::event::PublicEvent;
use serde_json::{Value, json};

use super::server::NatsServer;
use super::{Truth, ended_whole, hall, is_played_out, is_whole, stands};
use crate::daemon::PATIENCE;
use crate::http::ask;
use crate::played::SHORT;

const SPEED: f64 = 40.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_public_stream_has_what_is_public_and_the_private_one_all_but_what_was_sensed() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = hall(SHORT, SPEED, &server.url(), "");
    let daemon = site.start();
    is_played_out(&site, &players, &server, PATIENCE).await;
    let truth = ended_whole(&site, daemon, &server).await;
    let public = server.contents("ADOUBE_PUBLIC").await;
    is_whole(&public, &truth.public);
    for stored in &public {
        let event: Value = serde_json::from_str(&stored.line).unwrap();
        let (name, game) = (event["type"].as_str().unwrap(), event["game"].as_str().unwrap_or("-"));
        assert_eq!(PublicEvent::read(stored.line.as_bytes()).unwrap().to_line(), stored.line);
        assert_eq!(stored.subject, format!("adoube.public.{name}.{game}"));
        assert_eq!(stored.whole, stored.number(), "all boards are equally late");
        for key in ["seq", "record", "readings", "severity"] {
            assert!(event.get(key).is_none(), "{key} in {event}");
        }
    }
    let sensed = ["piece-lifted", "piece-placed", "clock-read"];
    let is_wanted = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        !sensed.contains(&event["type"].as_str().unwrap())
    };
    let wanted: Vec<_> = truth.private.into_iter().filter(|(_, line)| is_wanted(line)).collect();
    let private = server.contents("ADOUBE_PRIVATE").await;
    is_whole(&private, &wanted);
    let subjects: BTreeSet<&str> = private.iter().map(|stored| stored.subject.as_str()).collect();
    assert!(
        subjects.contains("adoube.private.move-made.1")
            && subjects.contains("adoube.private.board-connected.1")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn halls_that_share_a_server_have_streams_of_their_own_and_old_streams_are_used_as_they_are() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.context().await;
    let config = async_nats::jetstream::stream::Config {
        name: "ADOUBE_PUBLIC_HALL2".to_owned(),
        subjects: vec!["adoube.hall2.public.>".to_owned()],
        max_age: std::time::Duration::from_secs(3_600),
        ..Default::default()
    };
    context.create_stream(config).await.unwrap();
    let (first, _players) = hall(SHORT, SPEED, &server.url(), "public = false");
    let (second, players) = hall(SHORT, SPEED, &server.url(), "site = \"hall2\"\nprivate = false");
    let _daemons = [first.start(), second.start()];
    let end = async || players.is_finished().then_some(());
    crate::daemon::awaited("end of the game", PATIENCE, end).await;
    let feed = stands(&second, "ADOUBE_PUBLIC_HALL2", "ok", "max_age is 3600s").await;
    assert_eq!(feed["failing_since"], Value::Null);
    let note = json!({ "name": "note", "text": "a private remark" }).to_string();
    assert_eq!(ask(first.desk, "POST", "/api/v1/boards/1/rulings", &[], &note).await.status, 200);
    let whole = async || {
        let (private, public) =
            (server.contents("ADOUBE_PRIVATE").await, server.contents("ADOUBE_PUBLIC_HALL2").await);
        let has_note = private.iter().any(|stored| stored.line.contains("a private remark"));
        (has_note && public.len() == Truth::of(&second).public.len()).then_some(public)
    };
    let public = crate::daemon::awaited("both", PATIENCE, whole).await;
    is_whole(&public, &Truth::of(&second).public);
    assert!(public[0].subject.starts_with("adoube.hall2.public."), "{}", public[0].subject);
    let mut names: Vec<String> = Vec::new();
    let mut streams = context.stream_names();
    while let Some(name) = futures_util::StreamExt::next(&mut streams).await {
        names.push(name.unwrap());
    }
    names.sort();
    assert_eq!(names, ["ADOUBE_PAIRINGS_HALL2", "ADOUBE_PRIVATE", "ADOUBE_PUBLIC_HALL2"]);
}
