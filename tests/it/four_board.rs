//! A board of 160 squares as somebody builds it, its four players out of the pairings, and their game as it leaves
//! the hall.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube_rules::Position as _;
use adoube_rules::four::record::{Record, read};
use adoube_rules::four::{FourMove, FourPosition, FourRules, Geometry, WingDepth, placement, read_move};
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use serde_json::Value;

use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{Events, game, get, moves};

const SPEED: f64 = 8.0;
/// A board that says nothing for longer is stale.
const ALIVE_EVERY: Duration = Duration::from_millis(500);
/// Between two changes of the board: a second of the players.
const STEP: Duration = Duration::from_millis(125);

const ROUND: [&str; 5] = ["h2-h4", "b7-d7", "g13-g11", "m8-k8", "g1-h2"];
const UCI: [&str; 5] = ["h2h4", "b7d7", "g13g11", "m8k8", "g1h2"];

/// Moves from the start array, with the positions before them.
fn line() -> Vec<(FourPosition, FourMove)> {
    let mut position = FourPosition::start(FourRules::default());
    let mut line = Vec::new();
    for text in ROUND {
        let mv = read_move(&position, text).unwrap();
        line.push((position.clone(), mv));
        position = position.play(mv);
    }
    line
}

/// A man as the open line protocol writes him: `K`, `k`, `+K`, `+k` are the kings of the four armies.
pub(crate) fn sign(content: Content) -> String {
    let Some((army, role)) = content.seat_role() else { return ".".to_owned() };
    let letter = if army.side() == Side::White { role.upper_char() } else { role.char() };
    if army.index() < 2 { letter.to_string() } else { format!("+{letter}") }
}

pub(crate) fn ranks(contents: &[Content]) -> String {
    let board = Geometry::of(WingDepth::Three);
    let rank = |rank: u8| -> String {
        (0..board.side())
            .filter_map(|file| board.at(file, rank))
            .map(|square| sign(contents[square]))
            .collect()
    };
    (0..board.side()).rev().map(rank).collect::<Vec<_>>().join("/")
}

/// A board that answers whoever asks, and says what changes.
struct Board {
    contents: Arc<Mutex<Vec<Content>>>,
    host: Arc<Mutex<Option<TcpStream>>>,
    port: String,
    /// When it is dropped, the board falls silent.
    _alive: Sender<()>,
}

impl Board {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = format!("tcp://{}", listener.local_addr().unwrap());
        let contents = Arc::new(Mutex::new(FourPosition::start(FourRules::default()).contents().to_vec()));
        let host = Arc::default();
        let (alive, ended) = channel();
        let board = Self { contents: Arc::clone(&contents), host: Arc::clone(&host), port, _alive: alive };
        std::thread::spawn(move || {
            // A test that ends takes its boards along.
            while let Ok((stream, _)) = listener.accept() {
                *host.lock().unwrap() = Some(stream.try_clone().unwrap());
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let ranks = format!("board {}\n", ranks(&contents.lock().unwrap()));
                    let said = match line.split(' ').next() {
                        Some("hello") => format!("open/1 serial=4p-1 squares=160 sensing=identity\n{ranks}"),
                        Some("board") => ranks,
                        _ => continue,
                    };
                    say(&host, &said);
                }
            }
        });
        let host = Arc::clone(&board.host);
        std::thread::spawn(move || {
            while ended.recv_timeout(ALIVE_EVERY) == Err(RecvTimeoutError::Timeout) {
                say(&host, "alive\n");
            }
        });
        board
    }

    fn change(&self, square: Square, content: Content) {
        self.contents.lock().unwrap()[square] = content;
        let name = Geometry::of(WingDepth::Three).name(square).unwrap();
        say(&self.host, &format!("square {name} {}\n", sign(content)));
    }
}

/// The host may have gone: then nobody hears it.
fn say(host: &Mutex<Option<TcpStream>>, text: &str) {
    if let Some(host) = host.lock().unwrap().as_mut() {
        host.write_all(text.as_bytes()).ok();
    }
}

const PAIRINGS: &str = "round,board,red,white,blue,black,red_team,white_team\n\
                        7,1,\"One, A\",\"Two, B\",\"Three, C\",\"Four, D\",North,South\n";

fn ok(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn told(record: &Record) -> Vec<&str> {
    ["Round", "Red", "White", "Blue", "Black", "RedTeam", "BlackTeam", "GameId"]
        .map(|tag| record.tag(tag).unwrap_or("-"))
        .to_vec()
}

/// Before the game the list names what is wrong as this game names it.
async fn names_what_is_wrong(board: &Board, desk: SocketAddr) {
    const H2: u8 = 12;
    let pawn = board.contents.lock().unwrap()[usize::from(H2)];
    let wrong = async || {
        let round = get(desk, "/api/v1/round").await.json();
        round["boards"][0]["array"]["wrong"].get(0).cloned()
    };
    board.change(Square::new(H2), Content::EMPTY);
    let missing = awaited("the man who is missing", PATIENCE, wrong).await;
    assert_eq!(missing, serde_json::json!({ "square": "h2", "expected": "rP", "found": null }));
    board.change(Square::new(H2), pawn);
    let is_right = async || wrong().await.is_none().then_some(());
    awaited("the array", PATIENCE, is_right).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_paired_players_have_their_game_recorded() {
    let board = Board::new();
    let site = Site::new(SPEED, std::slice::from_ref(&board.port));
    site.change("id = \"1\"", "id = \"1\"\nprotocol = \"open\"\nvariant = \"four-player\"");
    let daemon = site.start();
    let adoube = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        command.env("RUNTIME_DIRECTORY", site.path().join("runtime"));
        command
    };
    // A board on which nobody plays yet is drawn with its squares.
    for address in [site.desk, site.public] {
        let variant = async || {
            let snapshot = Events::open(address, None).await.ok()?.message(PATIENCE).await.json();
            snapshot["boards"][0].get("variant").cloned()
        };
        assert_eq!(awaited("the board", PATIENCE, variant).await, "four-player");
    }
    let file = site.path().join("pairings.csv");
    std::fs::write(&file, PAIRINGS).unwrap();
    let imported = ok(adoube().args(["pairings", "import"]).arg(&file));
    assert_eq!(imported, "7-1      added      One, A + Three, C – Two, B + Four, D\n");
    assert_eq!(
        ok(adoube().args(["pairings", "list"])),
        "7-1      board 1      waiting   One, A + Three, C – Two, B + Four, D\n"
    );
    // Two players are not for a board of four.
    let other = site.path().join("chess.csv");
    std::fs::write(&other, "round,board,white,black\n8,1,\"Five, E\",\"Six, F\"\n").unwrap();
    let preview = adoube().args(["pairings", "import", "--dry-run"]).arg(&other).output().unwrap();
    let notes = String::from_utf8(preview.stderr).unwrap();
    assert_eq!(
        notes,
        "note: 8-1 has two players, and board 1 plays the four-player game: give the board another variant, or the \
         game another board\n"
    );
    ok(adoube().args(["round", "open", "7"]));
    let opened = async || game(site.desk, "1").await.filter(|game| game["game"] == "7-1");
    let opened = awaited("the game of the pairing", PATIENCE, opened).await;
    let names = ["red", "white", "blue", "black"].map(|army| opened[army]["name"].clone());
    assert_eq!(names, ["One, A", "Two, B", "Three, C", "Four, D"]);
    let is_there = async || {
        let boards = get(site.desk, "/api/v1/boards").await.json();
        (boards[0]["state"] == "fresh").then_some(())
    };
    awaited("the board", PATIENCE, is_there).await;
    names_what_is_wrong(&board, site.desk).await;
    // The array stands for a while before somebody plays.
    tokio::time::sleep(STEP * 40).await;
    for (ply, (position, mv)) in (1..).zip(line()) {
        for &(square, _, after) in position.footprint(mv).changes() {
            board.change(square, after);
            tokio::time::sleep(STEP).await;
        }
        // On a busy machine a board is slower than its players.
        let is_seen = async || game(site.desk, "1").await.filter(|game| moves(game).len() == ply);
        awaited("the move", PATIENCE, is_seen).await;
        tokio::time::sleep(STEP * 8).await;
    }
    let played = async || game(site.public, "1").await.filter(|game| moves(game) == UCI);
    let played = awaited("the moves in public", PATIENCE, played).await;
    let movers: Vec<&Value> = played["moves"].as_array().unwrap().iter().map(|mv| &mv["player"]).collect();
    assert_eq!(movers, ["red", "white", "blue", "black", "red"], "{}", site.log());
    let text = get(site.public, "/api/v1/games/7-1.pgn").await.body;
    assert_eq!(
        told(&read(&text).unwrap()[0]),
        ["7.1", "One, A", "Two, B", "Three, C", "Four, D", "North", "-", "spring-open-7-1"]
    );
    assert_eq!(daemon.terminate().await, Some(0));
    // The same from the journal, and the journal is whole.
    let exported = String::from_utf8(site.adoube(&["export", "--game", "7-1"]).stdout).unwrap();
    let record = read(&exported).unwrap().remove(0);
    assert_eq!((record.moves.len(), told(&record)), (5, told(&read(&text).unwrap()[0])));
    site.verify();
}

/// A recording of frames, replayed: the record comes out.
#[test]
fn a_recording_is_replayed_as_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("7.jsonl");
    let board = Geometry::of(WingDepth::Three);
    let frame = |t_ms: u64, contents: &[Content]| {
        format!("{{\"t_ms\":{t_ms},\"pieces\":\"{}\"}}\n", placement(board, contents))
    };
    let header = "{\"adoube\":\"capture/1\",\"board\":\"7\",\"protocol\":\"frames\",\
                  \"started\":\"2026-05-01T10:00:00.000Z\",\"variant\":\"four-player\"}\n";
    let mut text = header.to_owned() + &frame(0, FourPosition::start(FourRules::default()).contents());
    let mut t_ms = 10_000;
    for (position, mv) in line() {
        let mut contents = position.contents().to_vec();
        for &(square, _, after) in position.footprint(mv).changes() {
            contents[square] = after;
            text += &frame(t_ms, &contents);
            t_ms += 1_000;
        }
        t_ms += 5_000;
    }
    std::fs::write(&capture, text).unwrap();
    let replayed = ok(Command::new(env!("CARGO_BIN_EXE_adoube")).arg("replay").arg(&capture));
    let records = read(&replayed).unwrap_or_else(|error| panic!("{error}\n{replayed}"));
    let moves: Vec<_> = line().into_iter().map(|(_, mv)| mv).collect();
    assert_eq!((records.len(), &records[0].moves), (1, &moves), "{replayed}");
}
