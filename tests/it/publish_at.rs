//! `publish_at = "completed"`: the public gets a move with its completion, and never sees one that was
//! withdrawn before.

use std::process::Command;
use std::sync::Arc;

use adoube::feed::view::HallView;
use adoube_core::event::{Event, Numbered, Numbering, PublicEvent, Publisher};
use adoube_core::replay::{Replay, open};
use adoube_core::station::{Open, PublishAt};
use adoube_rules::sensor::Side;
use adoube_sim::Noise;

use crate::board::{Board, Sensor};
use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{Events, Message, game, moves};
use crate::played::{self, LONG, Played, demo_game};

/// What the arbiter is told, and with each event what the public is.
fn told(board: &Board, publish_at: PublishAt) -> Vec<(Numbered, Vec<PublicEvent>)> {
    let (header, lines) = board.capture();
    let open = Open { publish_at, ..open(&header) };
    let mut replay = Replay::new(open, header.started_utc_ns).unwrap();
    let mut events: Vec<Event> = Vec::new();
    lines.iter().for_each(|line| replay.line(line, &mut events));
    replay.finish(&mut events);
    let name: Arc<str> = header.board.as_str().into();
    let (mut numbering, mut publisher) = (Numbering::default(), Publisher::default());
    let numbered = events.iter().map(|event| numbering.number(&name, event));
    numbered.map(|event| (event.clone(), publisher.publish(&event))).collect()
}

/// Bishops and knights, a bishop put on c4, taken back to b5 before the press, and an unpressed end.
fn changed_before_the_press() -> Board {
    let mut board = Board::new(Sensor::Identity);
    board.start_clock(Side::White).wait(2_000);
    let play = |board: &mut Board, mv: &str| {
        board.play(mv).wait(400);
        board.press().wait(2_000);
    };
    for mv in ["e2e4", "e7e5", "g1f3", "b8c6"] {
        play(&mut board, mv);
    }
    board.lift("f1").wait(300).place("c4", 'B').wait(4_000);
    board.lift("c4").wait(300).place("b5", 'B').wait(4_000).press().wait(2_000);
    play(&mut board, "a7a6");
    board.play("b5a4").wait(5_000);
    board
}

#[test]
fn a_move_goes_out_with_its_completion_and_not_before() {
    let board = changed_before_the_press();
    let told = told(&board, PublishAt::Completed);
    let said = |name: &str, uci: &str| {
        told.iter().any(|(event, _)| event.name() == name && event.json().get("uci") == Some(&uci.into()))
    };
    assert!(said("move-made", "f1c4") && said("move-retracted", "f1c4"), "the arbiter sees it");
    assert!(said("move-made", "b5a4") && !said("move-completed", "b5a4"));

    let public: Vec<&PublicEvent> = told.iter().flat_map(|(_, public)| public).collect();
    let ids: Vec<u64> = public.iter().map(|event| event.id).collect();
    assert_eq!(ids, (1..=public.len() as u64).collect::<Vec<_>>(), "gapless");
    for (event, public) in &told {
        let names: Vec<&str> = public.iter().map(|event| event.name().as_str()).collect();
        match event.name().as_str() {
            "move-made" | "move-retracted" => assert!(names.is_empty(), "{names:?}"),
            "move-completed" => {
                assert_eq!(names, ["move-made", "move-completed"]);
                assert!(public.iter().all(|one| one.json()["ply"] == event.json()["ply"]));
            }
            _ => assert!(!names.contains(&"move-made")),
        }
    }
    let text: String = public.iter().map(|event| event.to_line()).collect();
    assert!(!text.contains("f1c4") && !text.contains("Bc4") && !text.contains("b5a4"), "{text}");
    let mut hall = HallView::default();
    public.iter().for_each(|event| hall.apply(event));
    let game = hall.games().next().unwrap();
    let moves = game.moves.all();
    let line: Vec<&str> = moves.iter().map(|mv| mv.uci.as_str()).collect();
    assert_eq!(line, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]);
    assert!(moves.iter().all(|mv| mv.completed));
}

/// The events are the same; only which of them are public differs.
#[test]
fn the_arbiter_is_told_the_same_either_way() {
    let board = changed_before_the_press();
    let json =
        |publish_at| told(&board, publish_at).into_iter().map(|(event, _)| event.json()).collect::<Vec<_>>();
    assert_eq!(json(PublishAt::Made), json(PublishAt::Completed));
    let at_once = told(&board, PublishAt::Made);
    assert!(at_once.iter().any(|(event, public)| event.name() == "move-retracted" && public.len() == 1));
}

#[test]
fn another_word_is_refused() {
    let mut open = Open::new("1", "frames", "capture");
    let error = open.set("publish_at", "sometimes").unwrap_err();
    assert_eq!(error, "publish_at \"sometimes\" is not known; use made or completed");
}

#[test]
fn replay_writes_completed_moves_only() {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/captures/swap-with-two-victims.jsonl");
    let replayed = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_adoube"))
            .args(["replay", capture])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let completed = ["--set", "publish_at=completed"];
    assert!(replayed(&[]).contains("Nb2"));
    let pgn = replayed(&completed);
    // Without a clock a move is completed by the same side's next one.
    assert!(pgn.contains("1. Bxf6 Nc4") && !pgn.contains("Nb2"), "{pgn}");
    assert_eq!(replayed(&["--events"]), replayed(&["--events", completed[0], completed[1]]));
}

/// Killed again and again, the public stream stays one line of completed moves, each said once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_goes_on_where_it_was() {
    // A stall of the machine is so many times as long at the board: no longer than a hand hovers.
    const SPEED: f64 = 10.0;
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(LONG), Noise::Light, 3), SPEED);
    let site = Site::new(SPEED, &[port]);
    site.set("publish_at = \"completed\"");
    let mut heard: Vec<Message> = Vec::new();
    for plies in [6, 15, 24] {
        let daemon = site.start();
        let after = heard.last().map(|message| message.id.clone());
        let mut events = Events::open(site.public, after.as_deref()).await.unwrap();
        loop {
            let message = events.message(PATIENCE).await;
            let is_enough =
                message.name == "move-completed" && message.json()["ply"].as_u64().unwrap() >= plies;
            heard.push(message);
            if is_enough {
                break;
            }
        }
        daemon.kill();
    }
    let daemon = site.start();
    let public = awaited("public game", PATIENCE, async || game(site.public, "1").await).await;
    let truth = players.truth();
    let line = moves(&public);
    assert!(line.len() >= 24 && truth[..line.len()] == line[..], "{line:?}\n{truth:?}");
    assert!(public["moves"].as_array().unwrap().iter().rev().skip(2).all(|mv| mv["completed"] == true));
    assert_eq!(heard[0].name, "snapshot");
    let told = heard[0].json()["boards"][0]["game"]["moves"].as_array().map_or(0, Vec::len);
    let mut next = told + 1;
    for (before, message) in heard.iter().zip(&heard[1..]) {
        assert_eq!(message.number(), before.number() + 1, "{message:?}");
        if message.name == "move-made" {
            assert_eq!(message.json()["ply"], next, "each once, in order");
            next += 1;
        }
        assert_ne!(message.name, "move-retracted", "{message:?}");
    }
    assert_eq!(daemon.terminate().await, Some(0));
    site.verify();
}
