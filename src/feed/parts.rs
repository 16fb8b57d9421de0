//! A game as the lines of legal moves that it consists of (DESIGN 5.8).
//!
//! Readers of PGN take legal moves only. Where a game leaves them - an illegal move stands, a position
//! was set - the line ends, and another one begins from the first position after it that they can read.

use serde::{Deserialize, Serialize};

use super::view::{GameView, MoveView};
use adoube_rules::four::{FourPosition, FourRules};
use adoube_rules::{ChessPosition, GameKind};

/// Which parts of such a game a live file shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LivePgn {
    /// The first: a game with an end for clients that know one line of it.
    First,
    /// All of them: nothing is lost.
    #[default]
    Both,
    /// The last, in the place of the game, for clients that show one game a board.
    Last,
}

impl LivePgn {
    /// Does it show the part after `index` others, of `count`?
    #[must_use]
    pub fn shows(self, index: usize, count: usize) -> bool {
        match self {
            Self::First => index == 0,
            Self::Both => true,
            Self::Last => index + 1 == count,
        }
    }
}

/// A line of legal moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'a> {
    /// `b` for the second, `c` for the third; none for the first.
    pub letter: Option<char>,
    /// FEN of the position from which it starts.
    pub start: &'a str,
    /// What led there, if it is not the first.
    pub before: Option<&'a MoveView>,
    /// Its moves.
    pub moves: &'a [MoveView],
    /// Why it ends and where the game goes on, if it does not end with the game.
    pub end: Option<String>,
}

/// The parts of `game`, which has these `moves`; at least one.
#[must_use]
pub fn parts<'a>(game: &'a GameView, moves: &'a [MoveView]) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let (mut start, mut from) = (game.start.as_str(), 0_usize);
    loop {
        let letter = letter(parts.len());
        let before = from.checked_sub(1).map(|before| &moves[before]);
        let part = |to: usize, end| Part { letter, start, before, moves: &moves[from..to], end };
        let Some(left) = (from..moves.len()).find(|&at| !moves[at].legal) else {
            parts.push(part(moves.len(), None));
            return parts;
        };
        let next = self::letter(parts.len() + 1);
        let again = (left..moves.len()).find(|&at| is_readable(game, &moves[at].fen));
        let Some((again, next)) = again.zip(next) else {
            parts.push(part(left, Some(left_out(&moves[left..]))));
            return parts;
        };
        let end = format!("{}; goes on as {}/{next}", left_out(&moves[left..=again]), game.game);
        parts.push(part(left, Some(end)));
        (start, from) = (&moves[again].fen, again + 1);
    }
}

/// The letter of the part after `index` others; there are no more than the alphabet has.
fn letter(index: usize) -> Option<char> {
    let index = u8::try_from(index).ok().filter(|index| (1..26).contains(index))?;
    Some(char::from(b'a' + index))
}

/// Would a reader of PGN, or of the variant's records, begin a game from it?
fn is_readable(game: &GameView, fen: &str) -> bool {
    if game.is_of_four() {
        return FourPosition::read(fen, FourRules::default()).is_ok();
    }
    ChessPosition::start_from_fen(fen, game.variant == GameKind::Chess960).is_ok()
}

/// What happened, and the moves that stand in no line, in coordinates.
fn left_out(moves: &[MoveView]) -> String {
    let Some((first, rest)) = moves.split_first() else { return String::new() };
    // What is no movement of one man is a change of the position as a whole.
    let is_move = first.uci != "0000";
    let mut text = match (first.recovered, is_move) {
        (true, _) => "moves missing".to_owned(),
        (false, true) => format!("illegal move {} stood", first.san),
        (false, false) => format!("position changed: {}", first.san),
    };
    let coordinates: Vec<&str> = rest.iter().map(|mv| mv.uci.as_str()).collect();
    if !coordinates.is_empty() {
        text.extend(["; then ", &coordinates.join(" ")]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::view::HallView;
    use super::*;
    use adoube_core::event::testing::public;
    use serde_json::{Value, json};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const OPENED: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    const BG5: &str = "rnbqkbnr/pppp1ppp/8/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR b KQkq - 1 2";
    const NC6: &str = "r1bqkbnr/pppp1ppp/2n5/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR w KQkq - 2 3";
    const NO_KING: &str = "rnbq1bnr/pppp1Qpp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR b KQ - 0 2";
    // White is to move and Black in check.
    const IN_CHECK: &str = "rnbqkbnr/ppppQppp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 0 2";

    /// A game of moves given as SAN, from-to notation, FEN, and whether they are legal.
    fn game(moves: &[(&str, &str, &str, bool)]) -> GameView {
        let mut hall = HallView::default();
        let mut take = |event: Value| hall.apply(&public(event));
        take(json!({ "type": "game-opened", "board": "12", "game": "5-12", "at": "2026-05-01T10:00:00.000Z",
            "round": 5, "number": 12, "variant": "chess", "start": START, "time_control": "600+5",
            "white": {"name": "A"}, "black": {"name": "B"} }));
        for (index, (san, uci, fen, legal)) in moves.iter().enumerate() {
            let side = ["white", "black"][index % 2];
            take(json!({ "type": "move-made", "board": "12", "game": "5-12", "ply": index + 1, "side": side,
                "san": san, "uci": uci, "fen": fen, "legal": legal, "made_ms": index * 1_000, "clock": null,
                "cause": "played" }));
        }
        hall.game("5-12").unwrap().clone()
    }

    const E4_E5: [(&str, &str, &str, bool); 2] = [("e4", "e2e4", "", true), ("e5", "e7e5", OPENED, true)];

    fn shape(game: &GameView) -> Vec<(Option<char>, String, usize, Option<String>)> {
        let moves = game.moves.all();
        let shape = |part: Part<'_>| (part.letter, part.start.to_owned(), part.moves.len(), part.end);
        parts(game, &moves).into_iter().map(shape).collect()
    }

    #[test]
    fn a_legal_game_is_one_part() {
        assert_eq!(shape(&game(&E4_E5)), [(None, START.to_owned(), 2, None)]);
        assert_eq!(shape(&game(&[])), [(None, START.to_owned(), 0, None)]);
    }

    #[test]
    fn an_illegal_move_that_stood_begins_another() {
        let moves = [&E4_E5[..], &[("Bg5", "c1g5", BG5, false), ("Nc6", "b8c6", NC6, true)]].concat();
        let game = game(&moves);
        let end = "illegal move Bg5 stood; goes on as 5-12/b".to_owned();
        assert_eq!(
            shape(&game),
            [(None, START.to_owned(), 2, Some(end)), (Some('b'), BG5.to_owned(), 1, None)]
        );
        assert_eq!(parts(&game, &game.moves.all())[1].before.unwrap().san, "Bg5");
        let moves = game.moves.all();
        let parts = parts(&game, &moves);
        let letters = |live: LivePgn| {
            let shown = (0..parts.len()).filter(|&index| live.shows(index, parts.len()));
            shown.map(|index| parts[index].letter).collect::<Vec<_>>()
        };
        assert_eq!(letters(LivePgn::First), [None]);
        assert_eq!(letters(LivePgn::Both), [None, Some('b')]);
        assert_eq!(letters(LivePgn::Last), [Some('b')]);
    }

    #[test]
    fn what_leaves_the_line_again_begins_a_third() {
        let set = ("a7,b7", "0000", NC6, false);
        let moves = [&E4_E5[..], &[("Bg5", "c1g5", BG5, false), set]].concat();
        let game = game(&moves);
        let ends: Vec<Option<String>> =
            parts(&game, &game.moves.all()).into_iter().map(|part| part.end).collect();
        let end = |text: &str| Some(text.to_owned());
        assert_eq!(
            ends,
            [
                end("illegal move Bg5 stood; goes on as 5-12/b"),
                end("position changed: a7,b7; goes on as 5-12/c"),
                None
            ]
        );
    }

    #[test]
    fn a_position_that_nobody_reads_begins_no_part() {
        let check = ("Qe7", "d1e7", IN_CHECK, false);
        let moves = [&E4_E5[..], &[check, ("Nc6", "b8c6", NC6, true), ("a3", "a2a3", NC6, true)]].concat();
        let end = "illegal move Qe7 stood; then b8c6; goes on as 5-12/b".to_owned();
        assert_eq!(
            shape(&game(&moves)),
            [(None, START.to_owned(), 2, Some(end)), (Some('b'), NC6.to_owned(), 1, None)]
        );
        let kings = [("Qxf7", "d1f7", NO_KING, false), ("a6", "a7a6", NO_KING, true)];
        let end = "illegal move Qxf7 stood; then a7a6".to_owned();
        assert_eq!(shape(&game(&[&E4_E5[..], &kings].concat())), [(None, START.to_owned(), 2, Some(end))]);
    }
}
