//! The moves that a capture ought to show, of any variant, and where those that came out part from them.

use std::path::Path;

use super::input;
use super::to_play;
use crate::feed::view::MoveView;
use adoube_rules::four::FourPlayer;
use adoube_rules::{Chess, Played, Position as _, Variant};

/// A game as a file tells it.
pub(super) struct Expected {
    /// Its `Event` tag: the name of the board in games that were simulated.
    pub(super) event: Option<String>,
    moves: Vec<Move>,
}

/// One of its moves.
struct Move {
    /// As the file numbers it: `12.`, `12...`, `12. B`.
    number: String,
    san: String,
    uci: String,
}

/// The games of a PGN file.
pub(super) fn chess(path: &Path) -> anyhow::Result<Vec<Expected>> {
    let number = |ply: usize, _: &Played| {
        format!("{}{}", ply / 2 + 1, if ply.is_multiple_of(2) { "." } else { "..." })
    };
    let games = input::games(path)?;
    Ok(games
        .iter()
        .map(|game| Expected::new::<Chess>(game.tag("Event"), &game.start, &game.moves, number))
        .collect())
}

/// The games of a file of four-player records.
pub(super) fn four(path: &Path) -> anyhow::Result<Vec<Expected>> {
    let number = |ply: usize, played: &Played| match played {
        Played::Four { before, .. } => {
            format!("{}. {} ", before.round(), before.player().letter().to_ascii_uppercase())
        }
        _ => format!("ply {} ", ply + 1),
    };
    let records = to_play::records(path)?;
    Ok(records
        .iter()
        .map(|game| Expected::new::<FourPlayer>(game.tag("Event"), &game.start, &game.moves, number))
        .collect())
}

impl Expected {
    fn new<V: Variant>(
        event: Option<&str>,
        start: &V::Position,
        moves: &[V::Move],
        number: impl Fn(usize, &Played) -> String,
    ) -> Self {
        let mut position = start.clone();
        let mut expected = Self { event: event.map(str::to_owned), moves: Vec::new() };
        for (ply, &mv) in moves.iter().enumerate() {
            let played = position.played(mv);
            let number = number(ply, &played);
            expected.moves.push(Move { number, san: played.san(), uci: played.uci() });
            position = position.play(mv);
        }
        expected
    }

    /// Where the moves part from these, in words.
    pub(super) fn parting(&self, moves: &[MoveView]) -> Option<String> {
        for (ply, Move { number, san, uci }) in self.moves.iter().enumerate() {
            match moves.get(ply) {
                None => {
                    let all = self.moves.len();
                    return Some(format!("stops after {ply} of {all} plies; {number}{san} is missing"));
                }
                Some(got) if got.uci != *uci => {
                    return Some(format!("parts at {} expected {san}, got {}", number.trim_end(), got.san));
                }
                Some(_) => {}
            }
        }
        let extra = moves.get(self.moves.len())?;
        let more = moves.len() - self.moves.len();
        Some(format!("goes on after the end with {} ({more} plies more)", extra.san))
    }
}
