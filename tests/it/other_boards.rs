//! Boards that speak other protocols than DGT's, from their bytes to the moves: recorded, on a bad line, on a terminal
//! and over TCP.

use adoube_core::capture::{Header, Item, Line};
use adoube_core::wire::{PROTOCOLS, SessionInput, SessionOutput, protocol};
use adoube_rules::pgn::PgnGame;
use adoube_rules::sensor::{Frame, Reading};
use adoube_rules::stamp::MS;
use adoube_sim::{BoardConfig, Chunk, Direction, Game, MODELS, Noise, record};

use crate::data;
use crate::depth::sampled;
use crate::seen::{Seen, lawful_moves, replay};
use crate::slots::computing;

/// The boards of this module.
const OTHERS: [&str; 3] = ["chesslink", "certabo", "sentio"];

fn demo_games() -> Vec<PgnGame> {
    adoube_rules::pgn::read_games(include_str!("../../src/demo/games.pgn").as_bytes()).unwrap()
}

fn chunks(game: &PgnGame, config: BoardConfig) -> Vec<Chunk> {
    let game = Game::from(game);
    record(&game, config).chunks
}

/// What a session makes of a game recorded on such a board.
fn seen(game: &PgnGame, config: BoardConfig) -> Seen {
    let header = Header { board: "1".to_owned(), protocol: config.protocol.to_owned(), ..Header::default() };
    let lines = chunks(game, config).into_iter().map(|chunk| {
        let item = match chunk.direction {
            Direction::FromBoard => Item::Received(chunk.bytes),
            Direction::ToBoard => Item::Sent(chunk.bytes),
        };
        Line { t_ns: (chunk.t_ms * MS as f64).round() as u64, items: vec![item] }
    });
    replay(&header, &lines.collect::<Vec<_>>())
}

fn config(protocol: &'static str, noise: Noise, seed: u64) -> BoardConfig {
    BoardConfig { protocol, noise, seed, ..BoardConfig::default() }
}

/// The games that did not come out.
fn wrong(games: &[PgnGame], config: BoardConfig) -> Vec<String> {
    let is_right = |game: &&PgnGame| {
        let seen = seen(game, config);
        seen.moves(0) == lawful_moves(game) && seen.games.len() <= 1
    };
    games.iter().filter(|game| !is_right(game)).map(PgnGame::title).collect()
}

#[test]
fn every_protocol_can_be_simulated() {
    let simulated: Vec<&str> = MODELS.iter().map(|model| model.protocol).collect();
    let spoken: Vec<&str> = PROTOCOLS.iter().map(|protocol| protocol.name).collect();
    assert!(
        OTHERS.iter().all(|name| simulated.contains(name) && spoken.contains(name)),
        "{simulated:?} {spoken:?}"
    );
}

#[test]
fn historic_games_come_out() {
    let _slot = computing();
    for protocol in OTHERS {
        assert_eq!(wrong(&demo_games(), config(protocol, Noise::Clean, 3)), [""; 0], "{protocol}");
    }
}

#[test]
fn a_board_that_lies_turned_is_understood_and_said_to() {
    let games = demo_games();
    for protocol in OTHERS {
        let config = BoardConfig { turned: true, ..config(protocol, Noise::Clean, 5) };
        assert_eq!(wrong(&games[..3], config), [""; 0], "{protocol}");
        assert_eq!(seen(&games[0], config).of_type("board-rotated-180").len(), 1, "{protocol}");
    }
}

#[test]
fn lines_that_lose_and_invent_bytes_cost_no_move() {
    let _slot = computing();
    for protocol in OTHERS {
        // One piece of what is sent in two hundred is lost or doubled, and one byte in two hundred.
        let config = BoardConfig { fault_rate: 0.0005, ..config(protocol, Noise::Clean, 9) };
        assert_eq!(wrong(&demo_games()[..3], config), [""; 0], "{protocol}");
    }
}

/// What a session says of bytes: has it recognised a board?
fn recognises(name: &str, chunks: &[Chunk]) -> bool {
    let mut session = (protocol(name).unwrap().session)();
    let mut out = Vec::new();
    session.handle(SessionInput::LinkUp, 0, &mut out);
    for chunk in chunks.iter().filter(|chunk| chunk.direction == Direction::FromBoard) {
        let at_ns = (chunk.t_ms * MS as f64) as u64;
        session.handle(SessionInput::Bytes(&chunk.bytes), at_ns, &mut out);
    }
    out.iter().any(|output| {
        matches!(output, SessionOutput::Identity(_) | SessionOutput::Reading(Reading::Frame(_)))
    })
}

#[test]
fn each_protocol_recognises_its_own_boards_and_no_other() {
    let game = &demo_games()[2];
    for model in MODELS {
        let chunks = chunks(game, config(model.protocol, Noise::Light, 4));
        for name in OTHERS.iter().chain(&["dgt"]) {
            assert_eq!(recognises(name, &chunks), *name == model.protocol, "{name} hears {}", model.protocol);
        }
    }
    let modem = b"AT\r\r\nOK\r\nAT+CGMI\r\r\n+CME ERROR: 3\r\n$GPGGA,123519,4807.038,N,01131.000,E,1,08\r\n"
        .repeat(50);
    let chunk = Chunk { t_ms: 1.0, direction: Direction::FromBoard, bytes: modem };
    assert!(OTHERS.iter().all(|name| !recognises(name, std::slice::from_ref(&chunk))));
    // What is said to a board comes back from a line that is connected to itself.
    let commands = b"V56S53X58W020356R0153".to_vec();
    let echo = Chunk { t_ms: 1.0, direction: Direction::FromBoard, bytes: commands };
    assert!(OTHERS.iter().all(|name| !recognises(name, std::slice::from_ref(&echo))));
}

/// The kinds of frames that a session says, in order, without repetition.
fn kinds(chunks: &[Chunk]) -> Vec<&'static str> {
    let mut session = (protocol("certabo").unwrap().session)();
    let mut out = Vec::new();
    session.handle(SessionInput::LinkUp, 0, &mut out);
    for chunk in chunks {
        session.handle(SessionInput::Bytes(&chunk.bytes), (chunk.t_ms * MS as f64) as u64, &mut out);
    }
    let mut kinds: Vec<&str> = out
        .iter()
        .filter_map(|output| match output {
            SessionOutput::Reading(Reading::Frame(Frame::Identity(_))) => Some("identity"),
            SessionOutput::Reading(Reading::Frame(Frame::Occupancy(_))) => Some("occupancy"),
            _ => None,
        })
        .collect();
    kinds.dedup();
    kinds
}

#[test]
fn a_certabo_board_names_its_men_from_the_first_move_on() {
    for turned in [false, true] {
        let config = BoardConfig { turned, ..config("certabo", Noise::Light, 8) };
        assert_eq!(kinds(&chunks(&demo_games()[0], config)), ["occupancy", "identity"]);
        // Captures are named: an occupancy board would not say what was placed.
        let seen = seen(&demo_games()[0], config);
        let placed = seen.of_type("piece-placed");
        let named = placed.iter().filter(|event| event["piece"].is_string()).count();
        assert!(named > 10 && named + 2 >= placed.len(), "{named} of {}", placed.len());
    }
}

#[test]
fn a_certabo_board_that_is_plugged_in_during_a_game_is_read_without_names() {
    let game = &demo_games()[0];
    let all = chunks(game, config("certabo", Noise::Clean, 8));
    let later: Vec<Chunk> = all.into_iter().filter(|chunk| chunk.t_ms > 30_000.0).collect();
    assert_eq!(kinds(&later), ["occupancy"]);
}

#[test]
fn real_games_come_out() {
    let _slot = computing();
    let Some(games) = data::games("games/fide-world-cup-2025-livechess.pgn") else { return };
    let games: Vec<PgnGame> = games.into_iter().filter(|game| game.moves.len() > 40).step_by(30).collect();
    assert!(games.len() >= 5, "{} games", games.len());
    let games = sampled("games on other boards", games, 2);
    for protocol in OTHERS {
        for noise in [Noise::Clean, Noise::Light] {
            let wrong = wrong(&games, config(protocol, noise, 7));
            // A board that tells a third of a second later what it saw loses what is quicker.
            let allowed = if protocol == "chesslink" { 0 } else { 1 };
            assert!(wrong.len() <= allowed, "{protocol}, {noise:?}: {wrong:?}");
        }
    }
}

/// Whole pictures, each with its time in seconds: `pieces` or `occ`.
fn pictures(lines: &[(u64, &str)]) -> Seen {
    let header = Header { board: "1".to_owned(), protocol: "frames".to_owned(), ..Header::default() };
    let line = |(second, item): &(u64, &str)| {
        Line::parse(&format!("{{\"t_ms\":{},{item}}}", second * 1_000)).unwrap()
    };
    replay(&header, &lines.iter().map(line).collect::<Vec<_>>())
}

const FELT: &str = r#""occ":"ffff00000000ffff""#;
const FELT_E4: &str = r#""occ":"ffff00001000efff""#;
const NAMED: &str = r#""pieces":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR""#;
const NAMED_E4: &str = r#""pieces":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR""#;
const NAMED_E5: &str = r#""pieces":"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR""#;

#[test]
fn a_table_takes_the_names_of_men_before_the_first_move() {
    let seen = pictures(&[(0, FELT), (5, NAMED), (6, NAMED_E4), (9, NAMED_E5)]);
    assert_eq!(seen.moves(0), ["e2e4", "e7e5"]);
    assert_eq!(seen.of_type("game-opened").len(), 1, "it is the same game");
    assert_eq!(seen.of_type("piece-placed")[0]["piece"], "P");
    // And their loss: other men, of whom nothing is known.
    let seen = pictures(&[(0, NAMED), (5, FELT), (6, FELT_E4)]);
    assert_eq!(seen.moves(0), ["e2e4"]);
    assert!(seen.of_type("piece-placed")[0]["piece"].is_null());
}

#[test]
fn a_game_that_was_begun_without_names_goes_on_without_them() {
    let seen = pictures(&[(0, FELT), (5, FELT_E4), (8, NAMED_E4), (9, NAMED_E5)]);
    assert_eq!(seen.moves(0), ["e2e4", "e7e5"]);
    assert_eq!(seen.of_type("move-retracted").len(), 0);
    let seen = pictures(&[(0, NAMED), (5, NAMED_E4), (8, FELT_E4), (9, NAMED_E5)]);
    assert_eq!(seen.moves(0), ["e2e4", "e7e5"]);
    assert_eq!(seen.of_type("move-retracted").len(), 0);
}

#[test]
fn what_is_undone_is_derived_again_with_the_names_of_the_men() {
    let mut lines = vec![(0, FELT), (5, NAMED), (6, NAMED_E4), (9, NAMED_E5)];
    lines.push((10, r#""ruling":{"name":"draw-agreed","by":"arbiter"}"#));
    assert_eq!(pictures(&lines).of_type("ruled").len(), 1);
    lines.push((12, r#""ruling":{"name":"undo","ruling":1,"by":"arbiter"}"#));
    let seen = pictures(&lines);
    assert!(seen.remarks.refused.is_empty(), "{:?}", seen.remarks.refused);
    assert_eq!(seen.moves(0), ["e2e4", "e7e5"]);
    assert_eq!((seen.of_type("move-retracted").len(), seen.of_type("move-made").len()), (0, 2));
}

#[test]
fn a_board_on_which_nothing_happens_gives_signs_of_life() {
    for name in OTHERS {
        let mut session = (protocol(name).unwrap().session)();
        // A long game, of which only the first minute is heard, again and again.
        let chunks = chunks(&demo_games()[0], config(name, Noise::Clean, 1));
        let still: Vec<&Chunk> = chunks
            .iter()
            .filter(|chunk| chunk.direction == Direction::FromBoard && chunk.t_ms < 4_000.0)
            .collect();
        let mut out = Vec::new();
        session.handle(SessionInput::LinkUp, 0, &mut out);
        let mut frames_s = Vec::new();
        for round in 0..15 {
            for chunk in &still {
                let at_ns = round * 4_000 * MS + (chunk.t_ms * MS as f64) as u64;
                session.handle(SessionInput::Bytes(&chunk.bytes), at_ns, &mut out);
                let is_frame =
                    |output: &SessionOutput| matches!(output, SessionOutput::Reading(Reading::Frame(_)));
                frames_s.extend(out.drain(..).filter(is_frame).map(|_| at_ns / (1_000 * MS)));
            }
        }
        assert!((4..=6).contains(&frames_s.len()), "{name}: {frames_s:?}");
        assert!(frames_s.windows(2).all(|pair| pair[1] - pair[0] < 15), "{name}: {frames_s:?}");
    }
}

mod captures;
mod live;
