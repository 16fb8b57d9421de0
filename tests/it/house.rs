//! A daemon that is a process, with boards on which hands move.

use std::process::Command;

use adoube_rules::sensor::Side;
use serde_json::Value;

use crate::daemon::{PATIENCE, Site, awaited, reserved_address};
use crate::http::{Answer, get, moves, stranger};
use adoube::drill::LiveBoard;

/// A second of the hall takes an eighth of one.
pub(crate) const SPEED: f64 = 8.0;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// A real process, with boards on which hands move.
pub(crate) struct House {
    pub(crate) site: Site,
    pub(crate) boards: Vec<LiveBoard>,
}

impl House {
    pub(crate) fn new(rounds: &str, boards: usize) -> Self {
        Self::timed(rounds, boards, "5400+30")
    }

    /// The same with that time control.
    pub(crate) fn timed(rounds: &str, boards: usize, time_control: &str) -> Self {
        let setting = time_control.parse().unwrap();
        let boards: Vec<LiveBoard> =
            (0..boards).map(|_| LiveBoard::new(START, setting, SPEED, reserved_address())).collect();
        let ports: Vec<String> = boards.iter().map(LiveBoard::port).collect();
        let site = Site::new(SPEED, &ports);
        site.set(&format!("rounds = \"{rounds}\""));
        site.change("time_control = \"5400+30\"", &format!("time_control = \"{time_control}\""));
        Self { site, boards }
    }

    /// `adoube …` of somebody at the machine: exit code, and what it said, stdout first.
    pub(crate) fn adoube(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        command.args(arguments).env("RUNTIME_DIRECTORY", self.site.path().join("runtime"));
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        (output.status.code().unwrap(), said)
    }

    pub(crate) fn import(&self, csv: &str) {
        let file = self.site.path().join("pairings.csv");
        std::fs::write(&file, csv).unwrap();
        let (code, said) = self.adoube(&["pairings", "import", file.to_str().unwrap()]);
        assert_eq!(code, 0, "{said}");
    }

    pub(crate) async fn game(&self, name: &str) -> Option<Value> {
        let answer = get(self.site.public, &format!("/api/v1/games/{name}")).await;
        (answer.status == 200).then(|| answer.json())
    }

    pub(crate) async fn sees(&self, name: &str, is_right: impl Fn(&Value) -> bool) -> Value {
        awaited(name, PATIENCE, async || self.game(name).await.filter(&is_right)).await
    }

    /// Waits until a game has so many moves.
    pub(crate) async fn plies(&self, name: &str, plies: usize) {
        self.sees(name, |game| moves(game).len() == plies).await;
    }

    /// The header of an arbiter's token.
    pub(crate) fn arbiter(&self) -> String {
        format!("Authorization: Bearer {}", self.site.add_token("arbiter", "Maria"))
    }

    /// Rules on what there is at `path`: `boards/1`, `games/1-1`.
    pub(crate) async fn rules(&self, who: &str, path: &str, ruling: &Value) -> Answer {
        let path = format!("/api/v1/{path}/rulings");
        stranger(self.site.desk, "POST", &path, &[who], &ruling.to_string()).await
    }

    /// The pairings of a round, as the desk shows them.
    pub(crate) async fn pairings(&self, who: &str, round: u32) -> Value {
        let shown = stranger(self.site.desk, "GET", "/api/v1/pairings", &[who], "").await.json();
        shown["rounds"][round.to_string()].clone()
    }

    /// The last ruling that was said of a game.
    pub(crate) async fn last_ruling(&self, who: &str, game: &str) -> Value {
        let path = format!("/api/v1/games/{game}/rulings?limit=1");
        stranger(self.site.desk, "GET", &path, &[who], "").await.json()[0].clone()
    }

    /// Opens a round at the machine.
    pub(crate) fn opens(&self, round: u32) {
        assert_eq!(self.adoube(&["round", "open", &round.to_string()]), (0, String::new()));
    }

    /// The first of two rounds is open, and White has made a move at board 1.
    pub(crate) async fn begins(&self) {
        self.import(TWO_ROUNDS);
        self.opens(1);
        self.sees("1-1", |_| true).await;
        self.play(1, 1, "e2e4").await;
        self.plies("1-1", 1).await;
    }

    pub(crate) async fn play(&self, board: usize, ply: usize, squares: &str) {
        let side = if ply % 2 == 1 { Side::White } else { Side::Black };
        self.boards[board - 1].play(squares, side).await;
    }
}

/// Two rounds of two games, among four players.
pub(crate) const TWO_ROUNDS: &str = "round,board,white,black,white elo\n\
    1,1,\"One, A\",\"Two, B\",2500\n1,2,\"Three, C\",\"Four, D\",\n\
    2,1,\"Three, C\",\"One, A\",\n2,2,\"Two, B\",\"Four, D\",\n";
