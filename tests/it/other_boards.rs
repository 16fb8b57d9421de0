//! Boards that speak other protocols than DGT's, from their bytes to the moves: recorded, on a bad line, on a terminal
//! and over TCP.

use adoube::capture::{Header, Item, Line};
use adoube::rules::pgn::PgnGame;
use adoube::sensor::{Frame, Reading};
use adoube::sim::{BoardConfig, Chunk, Direction, Game, MODELS, Noise, record};
use adoube::stamp::MS;
use adoube::wire::{PROTOCOLS, SessionInput, SessionOutput, protocol};

use crate::data;
use crate::seen::{Seen, lawful_moves, replay};

/// The boards of this module.
const OTHERS: [&str; 3] = ["chesslink", "certabo", "sentio"];

fn demo_games() -> Vec<PgnGame> {
    adoube::rules::pgn::read_games(include_str!("../../src/demo/games.pgn").as_bytes()).unwrap()
}

fn chunks(game: &PgnGame, config: BoardConfig) -> Vec<Chunk> {
    let game = Game { start: game.start.clone(), moves: game.moves.clone(), result: game.result };
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
    let Some(games) = data::games("games/fide-world-cup-2025-livechess.pgn") else { return };
    let games: Vec<PgnGame> = games.into_iter().filter(|game| game.moves.len() > 40).step_by(30).collect();
    assert!(games.len() >= 5, "{} games", games.len());
    for protocol in OTHERS {
        for noise in [Noise::Clean, Noise::Light] {
            let wrong = wrong(&games, config(protocol, noise, 7));
            // A board that tells a third of a second later what it saw loses what is quicker.
            let allowed = if protocol == "chesslink" { 0 } else { 1 };
            assert!(wrong.len() <= allowed, "{protocol}, {noise:?}: {wrong:?}");
        }
    }
}

#[cfg(feature = "daemon")]
mod live;
