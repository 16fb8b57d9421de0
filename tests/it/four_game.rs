//! A game of four players on a public hub, that a test plays.

use adoube_rules::Position as _;
use adoube_rules::four::{FourPosition, FourRules, read_move};
use serde_json::{Value, json};

use crate::public_hall::PublicHall;

/// A game that was opened.
pub(crate) struct FourGame {
    name: String,
    position: FourPosition,
    ply: u64,
}

impl FourGame {
    /// Opens one between four players whose names say which game it is.
    pub(crate) fn open(hall: &mut PublicHall, name: &str) -> Self {
        let position = FourPosition::start(FourRules::default());
        let (round, number) = name.split_once('-').unwrap();
        let player = |army: &str| json!({ "name": format!("{army} of {name}") });
        let opened = json!({ "at": "2026-05-01T10:00:00.000Z", "round": round.parse::<u64>().unwrap(),
            "number": number.parse::<u64>().unwrap(), "variant": "four-player", "start": position.fen(),
            "time_control": "5400+30", "red": player("Red"), "white": player("White"), "blue": player("Blue"),
            "black": player("Black") });
        hall.say(name, "game-opened", opened);
        Self { name: name.to_owned(), position, ply: 0 }
    }

    /// Makes these moves, given as records write them.
    pub(crate) fn play(&mut self, hall: &mut PublicHall, moves: &[&str]) {
        for text in moves {
            let mv = read_move(&self.position, text).unwrap();
            self.ply += 1;
            let (army, seat, after) = (self.position.player(), self.position.seat(), self.position.play(mv));
            let made: Value = json!({ "ply": self.ply, "side": army.side().name(), "player": army.name(),
                "seat": seat.name(), "san": self.position.san(mv), "uci": self.position.uci(mv),
                "fen": after.fen(), "legal": true, "confidence": 1.0, "made_ms": self.ply * 14_000,
                "clock": { "white_ms": 5_400_000, "black_ms": 5_400_000 }, "cause": "played" });
            self.position = after;
            hall.say(&self.name, "move-made", made);
        }
    }
}
