//! Recordings of real boards, and neutral frames of real games.

use adoube_core::capture::Item;
use adoube_core::wire::dgt::{Decoder, Message};
use adoube_core::wire::{SessionInput, SessionOutput, protocol};
use adoube_rules::placement;
use adoube_rules::sensor::{Content, Reading, Side};
use adoube_rules::stamp::MS;
use adoube_rules::{ChessPosition, man_from_letter, square_from_name};

use crate::data;
use crate::seen::{lawful_moves, positions, replay};
use crate::slots::computing;

/// Added to each side's time after its move, milliseconds: the game was played at 3+2.
const INCREMENT_MS: u64 = 2_000;

#[test]
fn a_blitz_game_is_read_to_the_last_move() {
    let Some((header, lines)) = data::capture("captures/dgt-blitz-3+2.jsonl") else { return };
    let truth = data::text("captures/dgt-blitz-3+2.moves.txt").unwrap();
    let truth: Vec<&str> =
        truth.split_whitespace().filter(|word| !word.ends_with('.') && *word != "*").collect();
    let seen = replay(&header, &lines);
    assert_eq!(truth.len(), 57);
    assert_eq!(seen.moves(0), truth);
    assert_eq!(seen.games.len(), 1);
    assert_eq!(seen.remarks.skipped_bytes, 0);
}

#[test]
fn the_clock_of_a_blitz_game_is_believable() {
    let Some((header, lines)) = data::capture("captures/dgt-blitz-3+2.jsonl") else { return };
    let seen = replay(&header, &lines);
    let moves = seen.games[0].moves.all();
    let clocks: Vec<[u64; 2]> = moves
        .iter()
        .filter(|mv| mv.completed)
        .map(|mv| mv.clock.unwrap_or_else(|| panic!("{} has no clock", mv.san)))
        .map(|times| [times.white_ms, times.black_ms])
        .collect();
    assert!(clocks.len() >= 55, "{} of {} moves were completed", clocks.len(), moves.len());
    // dgt-protocol 5.2: both at 3:02, White at 3:01 after 1.e4, Black at 3:03 after 1...e5.
    assert_eq!(clocks[..2], [[181_000, 182_000], [181_000, 183_000]]);
    for (pair, mv) in clocks.windows(2).zip(&moves[1..]) {
        let mover = mv.side.index();
        assert!(pair[1][mover] <= pair[0][mover] + INCREMENT_MS, "{} {pair:?}", mv.san);
        assert!(pair[1][1 - mover] <= pair[0][1 - mover], "{} {pair:?}", mv.san);
    }
    assert_eq!(seen.of_type("game-started").len(), 1);
}

#[test]
fn a_game_seen_through_polls_a_second_apart_ends_in_mate() {
    let Some((header, lines)) = data::capture("captures/dgt-usb-dumps.jsonl") else { return };
    let seen = replay(&header, &lines);
    let game = &seen.games[0];
    assert_eq!(game.moves.len(), 36);
    assert_eq!(game.moves.all()[35].san, "Qc2#");
    assert_eq!((game.moves.all()[35].side, game.result.as_str()), (Side::Black, "0-1"));
    assert_eq!(seen.of_type("checkmate").len(), 1);
    assert_eq!(seen.games.len(), 1);
}

/// True if `shown` is `position` with some men in a hand.
fn lacks_men(shown: &[Content], position: &ChessPosition) -> bool {
    shown.iter().zip(position.contents()).all(|(&shown, stands)| shown == stands || shown.is_empty())
}

#[test]
fn every_settled_dump_is_a_position_of_the_game_or_lacks_men() {
    let Some((header, lines)) = data::capture("captures/dgt-usb-dumps.jsonl") else { return };
    let mut decoder = Decoder::default();
    let mut messages = Vec::new();
    for item in lines.iter().flat_map(|line| &line.items) {
        if let Item::Received(bytes) = item {
            decoder.push(bytes, &mut messages);
        }
    }
    let dumps: Vec<Box<[Content; 64]>> = messages
        .into_iter()
        .filter_map(|message| if let Message::Dump(contents) = message { Some(contents) } else { None })
        .collect();
    assert_eq!(dumps.len(), 178);
    let positions = positions(&ChessPosition::default(), &replay(&header, &lines).moves(0));
    let settled = || dumps.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].as_slice());
    let unexplained: Vec<String> = settled()
        .filter(|shown| !positions.iter().any(|position| lacks_men(shown, position)))
        .map(placement)
        .collect();
    assert_eq!(unexplained, Vec::<String>::new());
    let whole = settled().filter(|shown| positions.iter().any(|position| position.contents() == *shown));
    println!("{} of {} settled dumps are whole", whole.count(), settled().count());
}

/// Games that come out exactly, of the twelve of each folder.
#[test]
fn neutral_frames_of_twelve_games_come_out() {
    let _slot = computing();
    for (folder, at_least) in [
        ("clean-identity", 12),
        ("clean-occ", 12),
        ("light-identity", 12),
        ("light-occ", 12),
        ("heavy-identity", 12),
        ("heavy-occ", 12),
    ] {
        let Some(truth) = data::games(&format!("frames/{folder}/truth.pgn")) else { return };
        assert_eq!(truth.len(), 12);
        let mut right = 0;
        for game in &truth {
            let name = game.tag("Event").unwrap();
            let (header, lines) = data::capture(&format!("frames/{folder}/{name}.jsonl")).unwrap();
            let seen = replay(&header, &lines);
            if seen.moves(0) == lawful_moves(game) && seen.games.len() == 1 {
                right += 1;
            } else {
                println!("{folder}/{name}: {:?}", seen.moves(0));
            }
        }
        assert!(right >= at_least, "{folder}: {right} of 12 games, at least {at_least} expected");
    }
}

/// What a session alone makes of a recording of another host's conversation.
fn said(name: &str) -> Option<Vec<SessionOutput>> {
    let (_, lines) = data::capture(name)?;
    let mut session = (protocol("dgt").unwrap().session)();
    let mut said = Vec::new();
    session.handle(SessionInput::LinkUp, 0, &mut said);
    for line in &lines {
        for item in &line.items {
            if let Item::Received(bytes) = item {
                session.handle(SessionInput::Bytes(bytes), line.t_ns / MS * MS, &mut said);
            }
        }
    }
    let is_fault =
        |said: &SessionOutput| matches!(said, SessionOutput::Skipped { .. } | SessionOutput::Lost(_));
    assert!(!said.iter().any(is_fault));
    Some(said)
}

fn readings<'a>(said: &'a [SessionOutput]) -> Vec<&'a Reading> {
    let reading = |said: &'a SessionOutput| match said {
        SessionOutput::Reading(reading) => Some(reading),
        _ => None,
    };
    said.iter().filter_map(reading).collect()
}

#[test]
fn a_session_reads_every_message_of_a_blitz_game() {
    let Some(said) = said("captures/dgt-blitz-3+2.jsonl") else { return };
    let readings = readings(&said);
    let squares: Vec<_> = readings
        .iter()
        .filter_map(|reading| {
            if let Reading::Square { square, content } = reading { Some((*square, *content)) } else { None }
        })
        .collect();
    let clocks = readings.iter().filter(|reading| matches!(reading, Reading::Clock(Some(_)))).count();
    assert_eq!((readings.len(), squares.len(), clocks), (455, 131, 323));
    assert!(matches!(readings[0], Reading::Frame(_)));
    let square = |name, content| (square_from_name(name).unwrap(), content);
    let man = |letter| man_from_letter(letter).unwrap();
    let expected = [
        square("e2", Content::EMPTY),
        square("e4", man('P')),
        square("e7", Content::EMPTY),
        square("e5", man('p')),
    ];
    assert_eq!(squares[..4], expected);
}

#[test]
fn a_session_reads_polled_dumps_in_ragged_reads() {
    let Some(said) = said("captures/dgt-usb-dumps.jsonl") else { return };
    let frames = readings(&said);
    assert!(frames.iter().all(|reading| matches!(reading, Reading::Frame(_))));
    assert_eq!(frames.len(), 178);
    let identity = said.iter().rev().find_map(|said| match said {
        SessionOutput::Identity(identity) => Some(identity),
        _ => None,
    });
    let identity = identity.unwrap();
    assert_eq!((identity.serial.as_deref(), identity.version.as_deref()), (Some("25805"), Some("3.1")));
}
