//! A player at a board, and `adoube play` beside him.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::sensor::Side;
use adoube_rules::{ChessPosition, Position as _, letter, square_name};
use shakmaty::Move;
use tempfile::TempDir;
use tokio::time::sleep;

use crate::children::Ended;
use crate::daemon::reserved_address;
use adoube::drill::LiveBoard;

use super::{legal, mv, uci};

pub(super) use crate::daemon::PATIENCE;

/// A game of minutes takes seconds.
const SPEED: f64 = 8.0;

pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A running `adoube play`.
struct Process {
    child: Ended,
    stdin: ChildStdin,
    lines: Arc<Mutex<Vec<String>>>,
}

/// A board, a player, a journal.
pub(super) struct Table {
    folder: TempDir,
    pub(super) board: LiveBoard,
    arguments: Vec<String>,
    process: Option<Process>,
    pub(super) position: ChessPosition,
    /// The moves that were made.
    pub(super) moves: Vec<String>,
    pub(super) ours: Side,
}

impl Table {
    /// A table with this position on the board, nobody plays yet.
    pub(super) fn new(start: &str, is_chess960: bool, ours: Side) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let board = LiveBoard::new(
            start.split(' ').next().unwrap(),
            "900+10".parse().unwrap(),
            SPEED,
            reserved_address(),
        );
        let config = format!(
            "[web]\narbiter = \"{}\"\n[journal]\npath = \"{}\"\n",
            reserved_address(),
            folder.path().join("journal").display()
        );
        std::fs::write(folder.path().join("adoube.toml"), config).unwrap();
        let position = ChessPosition::from_fen(start, is_chess960).unwrap();
        Self { folder, board, arguments: Vec::new(), process: None, position, moves: Vec::new(), ours }
    }

    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// `adoube play` with these arguments.
    pub(super) fn play(&mut self, arguments: &[&str]) {
        self.arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        self.start();
    }

    /// The same again.
    pub(super) fn start(&mut self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        command.arg("play").args(&self.arguments).args(["--speed", &SPEED.to_string(), "--name", "Tester"]);
        command.args(["--port", &self.board.port(), "--config"]).arg(self.path("adoube.toml"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Ended(command.spawn().unwrap());
        let lines = Arc::new(Mutex::new(Vec::new()));
        let streams: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.0.stdout.take().unwrap()), Box::new(child.0.stderr.take().unwrap())];
        for stream in streams {
            let lines = Arc::clone(&lines);
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    lines.lock().unwrap().push(line);
                }
            });
        }
        let stdin = child.0.stdin.take().unwrap();
        self.process = Some(Process { child, stdin, lines });
    }

    /// Ends it as a loss of power would.
    pub(super) fn kill(&mut self) {
        self.process = None;
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().unwrap()
    }

    /// What it has said up to now.
    pub(super) fn said(&self) -> Vec<String> {
        self.process.as_ref().map(|process| process.lines.lock().unwrap().clone()).unwrap_or_default()
    }

    /// Waits until it says something with these words.
    pub(super) async fn says(&self, words: &str) -> String {
        let found = async || self.said().into_iter().find(|line| line.contains(words));
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            if let Some(line) = found().await {
                return line;
            }
            assert!(tokio::time::Instant::now() < deadline, "not said: {words}: {:#?}", self.said());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Types a word.
    pub(super) fn types(&mut self, word: &str) {
        writeln!(self.process().stdin, "{word}").unwrap();
    }

    /// Waits until the clock shows this.
    pub(super) async fn clock_shows(&self, text: Option<&str>) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while self.board.clock_text().as_deref() != text {
            let shown = self.board.clock_text();
            assert!(tokio::time::Instant::now() < deadline, "{shown:?} and not {text:?}: {:#?}", self.said());
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits for its end; gives its status.
    pub(super) async fn ends(&mut self) -> i32 {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.process().child.0.try_wait().unwrap() {
                // The last lines are on their way.
                sleep(Duration::from_millis(200)).await;
                return status.code().unwrap_or(-1);
            }
            assert!(tokio::time::Instant::now() < deadline, "it does not end: {:#?}", self.said());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// The game that it printed.
    pub(super) fn pgn(&self) -> PgnGame {
        let text = self.said().join("\n");
        let start = text.find("[Event ").unwrap_or_else(|| panic!("no PGN: {text}"));
        read_games(&text.as_bytes()[start..]).unwrap().swap_remove(0)
    }

    /// The moves of the game that it printed, from-to notation.
    pub(super) fn pgn_moves(&self) -> Vec<String> {
        let game = self.pgn();
        let mut position = game.start.clone();
        let mut moves = Vec::new();
        for &mv in &game.moves {
            moves.push(uci(&position, mv));
            position = position.play(mv);
        }
        moves
    }

    /// Hands change the board from one position to the next: who is taken leaves first, the king castles before
    /// his rook.
    pub(super) async fn hands(&self, position: &ChessPosition, mv: Move) {
        let footprint = position.footprint(mv);
        let own = |man: char| man.is_uppercase() == (position.turn() == Side::White);
        let changes = footprint.changes().iter();
        let named = |&(square, before, after)| (square_name(square), letter(before), letter(after));
        let changes: Vec<(String, Option<char>, Option<char>)> = changes.map(named).collect();
        let stands = |square: &str| position.contents()[adoube_rules::square_from_name(square).unwrap()];
        for (square, before, _) in changes.iter().filter(|change| change.1.is_some_and(|man| !own(man))) {
            assert_eq!(letter(stands(square)), *before);
            self.board.lift(square);
            self.board.hands(300).await;
        }
        // The king first, then the rook.
        let mut left: Vec<_> = changes.iter().filter(|change| change.1.is_some_and(own)).collect();
        left.sort_by_key(|change| !change.1.is_some_and(|man| man.eq_ignore_ascii_case(&'k')));
        let mut filled: Vec<_> = changes.iter().filter(|change| change.2.is_some_and(own)).collect();
        filled.sort_by_key(|change| !change.2.is_some_and(|man| man.eq_ignore_ascii_case(&'k')));
        for (square, ..) in &left {
            self.board.lift(square);
            self.board.hands(300).await;
        }
        for (square, _, man) in &filled {
            self.board.place(square, man.unwrap());
            self.board.hands(300).await;
        }
    }

    /// Makes a move on the board.
    pub(super) async fn makes(&mut self, text: &str) {
        let mv = mv(&self.position, text);
        self.hands(&self.position.clone(), mv).await;
        self.position = self.position.play(mv);
        self.moves.push(text.to_owned());
    }

    /// Waits until the clock announces a move of the opponent, and makes it; gives it.
    pub(super) async fn answers(&mut self) -> String {
        let announced = async || {
            let text = self.board.clock_text()?;
            let shown = |mv: Move| match mv.castling_side() {
                Some(side) if self.position.is_chess960() => {
                    if side.is_king_side() { "0-0" } else { "0-0-0" }.to_owned()
                }
                _ => {
                    let uci = uci(&self.position, mv);
                    format!("{}-{}", &uci[..2], &uci[2..])
                }
            };
            let found = legal(&self.position).into_iter().find(|&mv| shown(mv) == text)?;
            Some(uci(&self.position, found))
        };
        let deadline = tokio::time::Instant::now() + PATIENCE;
        let text = loop {
            if let Some(text) = announced().await {
                break text;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "no move on the clock ({:?}) after {:?}: {:#?}",
                self.board.clock_text(),
                self.moves,
                self.said()
            );
            sleep(Duration::from_millis(10)).await;
        };
        self.makes(&text).await;
        text
    }
}
