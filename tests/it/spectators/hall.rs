//! A hall in which nobody plays: its games are what a test says, by the same way that real ones take.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use adoube::daemon::{Daemon, Settings};
use adoube_rules::Position as _;
use serde_json::{Value, json};

use crate::daemon::reserved_address;
use crate::played::demo_game;
use crate::public_hall::public;

/// Public pages, and what happens there.
pub(crate) struct Spectacle {
    daemon: Daemon,
    pub(crate) public: SocketAddr,
    pub(crate) desk: SocketAddr,
    last: AtomicU64,
    _folder: tempfile::TempDir,
}

/// A ply of a game.
#[derive(Debug, Clone)]
pub(crate) struct Ply {
    pub(crate) ply: usize,
    pub(crate) san: String,
    pub(crate) uci: String,
    pub(crate) fen: String,
}

/// The plies of one of the games that the project carries, and its start.
pub(crate) fn plies(index: usize) -> (String, Vec<Ply>) {
    let game = demo_game(index);
    let start = game.start.fen();
    let mut position = game.start.clone();
    let plies = (1..).zip(&game.moves).map(|(ply, &mv)| {
        let played = position.played(mv);
        position = position.play(mv);
        Ply { ply, san: played.san(), uci: played.uci(), fen: position.fen() }
    });
    (start, plies.collect())
}

/// A player.
pub(crate) fn player(name: &str, team: &str) -> Value {
    json!({ "name": name, "title": "IM", "federation": "FIN", "elo": 2400, "team": team })
}

impl Spectacle {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            public: Some(reserved_address()),
            ..Settings::new(folder.path().join("journal"), reserved_address())
        };
        let daemon = Daemon::start(settings).await.unwrap();
        let (public, desk) = (daemon.public.unwrap(), daemon.desk);
        Self { daemon, public, desk, last: AtomicU64::new(0), _folder: folder }
    }

    pub(crate) async fn end(self) {
        self.daemon.stop().await;
    }

    /// Something that spectators may know.
    #[expect(clippy::disallowed_methods, reason = "it happens now")]
    pub(crate) fn say(&self, kind: &str, board: &str, game: &str, mut event: Value) {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        event["type"] = kind.into();
        event["board"] = board.into();
        event["game"] = game.into();
        event["at"] = jiff::Timestamp::now().to_string().into();
        event["id"] = id.into();
        self.daemon.hall.public.push(&public(event));
    }

    /// Opens `ROUND-NUMBER` at the board of that number; `of_match` is its place in a match of teams.
    pub(crate) fn open(
        &self,
        round: u64,
        number: u64,
        white: &Value,
        black: &Value,
        of_match: Option<Value>,
    ) -> String {
        let name = format!("{round}-{number}");
        let mut event = json!({
            "round": round, "number": number, "variant": "chess", "start": plies(0).0, "time_control": "5400+30",
            "white": white, "black": black, "result": "*",
        });
        if let Some(of_match) = of_match {
            event["match"] = of_match;
        }
        self.say("game-opened", &number.to_string(), &name, event);
        name
    }

    /// Plays `plies` of a game at a board: what each of them says in a real hall.
    pub(crate) fn play(&self, board: &str, game: &str, plies: &[Ply]) {
        for Ply { ply, san, uci, fen } in plies {
            let side = ["black", "white"][ply % 2];
            let clock = json!({ "white_ms": 5_400_000 - ply * 31_000, "black_ms": 5_400_000 - ply * 29_000 });
            let made = json!({
                "ply": ply, "side": side, "san": san, "uci": uci, "fen": fen, "legal": true, "confidence": 0.998,
                "first_lift_ms": ply * 60_000, "made_ms": ply * 60_000 + 900, "clock": clock, "cause": "played",
            });
            self.say("move-made", board, game, made);
            let completed = json!({
                "ply": ply, "side": side, "san": san, "uci": uci, "by": "press", "completed_ms": ply * 60_000 + 1_500,
                "clock": clock,
            });
            self.say("move-completed", board, game, completed);
            let mut read = clock;
            read["running"] = ["white", "black"][ply % 2].into();
            self.say("clock-read", board, game, read);
        }
    }

    /// A game with its result.
    pub(crate) fn decide(&self, board: &str, game: &str, result: &str) {
        self.say("game-over", board, game, json!({ "result": result, "status": "confirmed" }));
    }
}
