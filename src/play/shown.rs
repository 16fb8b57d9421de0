//! What the player is shown: words on the terminal, a text on the clock, JSON for the page.

use serde_json::{Map, Value, json};

use super::line::{Ply, Step};
use super::opponent::Times;
use adoube_core::wire::Announcement;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::{letter, square_name};

/// Squares that are named before the rest is only counted.
const NAMED: usize = 6;

/// A square where something else stands than should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrong {
    square: Square,
    has: Content,
    should: Content,
}

/// The squares on which `stands` differs from `should`; where a sensor does not name men, only whether
/// somebody stands there counts.
pub(super) fn wrong(stands: &[Content], should: &[Content], is_named: bool) -> Vec<Wrong> {
    let seen = |content: Content| if is_named { content } else { content.occupancy() };
    let pairs = Square::all().zip(stands.iter().zip(should));
    let differing = pairs.filter(|(_, (has, should))| seen(**has) != seen(**should));
    differing.map(|(square, (&has, &should))| Wrong { square, has, should }).collect()
}

/// What is wrong, in words: `e4: a white pawn is missing`.
pub(super) fn wrong_words(wrong: &[Wrong]) -> String {
    let mut words: Vec<String> = wrong
        .iter()
        .take(NAMED)
        .map(|wrong| {
            let square = square_name(wrong.square);
            match (wrong.has.is_empty(), wrong.should.is_empty()) {
                (true, _) => format!("{square} lacks a {}", man(wrong.should)),
                (_, true) => format!("{square} must be empty"),
                _ => format!("{square} must have a {}", man(wrong.should)),
            }
        })
        .collect();
    if wrong.len() > NAMED {
        words.push(format!("{} more squares", wrong.len() - NAMED));
    }
    words.join(", ")
}

fn man(content: Content) -> String {
    let Some(letter) = letter(content) else { return "man".to_owned() };
    let side = if letter.is_ascii_uppercase() { "white" } else { "black" };
    let name = match letter.to_ascii_lowercase() {
        'p' => "pawn",
        'n' => "knight",
        'b' => "bishop",
        'r' => "rook",
        'q' => "queen",
        _ => "king",
    };
    format!("{side} {name}")
}

/// What a display and lamps show of a step; `None` leaves them as they are.
pub(super) fn announcement(step: &Step) -> Announcement {
    match step {
        Step::Make { mv, .. } | Step::TakeBack { instead: Some(mv), .. } => {
            Announcement::Move { squares: mv.squares.clone(), text: display(mv) }
        }
        Step::TakeBack { instead: None, .. } => Announcement::Text("undo".to_owned()),
        Step::Ours | Step::Theirs | Step::Sent(_) | Step::Send { .. } => Announcement::Clear,
    }
}

/// A move on a display of six or eight places: `e7-e5`, `e7-e8q`; in Chess960 `0-0` and `0-0-0`.
fn display(mv: &Ply) -> String {
    let castles_960 =
        mv.san.starts_with("O-O") && !["e1g1", "e1c1", "e8g8", "e8c8"].contains(&mv.uci.as_str());
    if castles_960 {
        return if mv.san.starts_with("O-O-O") { "0-0-0" } else { "0-0" }.to_owned();
    }
    match mv.uci.split_at_checked(2) {
        Some((from, to)) => format!("{from}-{to}"),
        None => mv.uci.clone(),
    }
}

/// A step, for people.
pub(super) fn words(step: &Step, ours: Side) -> String {
    match step {
        Step::Ours => "your move".to_owned(),
        Step::Theirs => "your opponent thinks".to_owned(),
        Step::Sent(mv) => format!("{} is sent", mv.san),
        Step::Send { .. } => String::new(),
        Step::Make { mv, .. } if mv.side == ours => {
            format!("{} was sent and cannot be taken back: make it on the board ({})", mv.san, display(mv))
        }
        Step::Make { mv, .. } => {
            format!("your opponent plays {} ({}): make it on the board", mv.san, display(mv))
        }
        Step::TakeBack { made, instead: Some(mv), .. } if mv.side == ours => {
            format!(
                "{} was sent and cannot be taken back: take {made} back and make {} ({})",
                mv.san,
                mv.san,
                display(mv)
            )
        }
        Step::TakeBack { made, instead: Some(mv), .. } => {
            format!(
                "your opponent plays {}, not {made}: take {made} back and make {} ({})",
                mv.san,
                mv.san,
                display(mv)
            )
        }
        Step::TakeBack { made, .. } => format!("{made} does not count: take it back"),
    }
}

/// A step's name, its move and its squares, for the page.
pub(super) fn fields(step: &Step, ours: Side) -> Map<String, Value> {
    let (state, mv, made) = match step {
        Step::Ours => ("ours", None, None),
        Step::Theirs => ("theirs", None, None),
        Step::Sent(mv) => ("sent", Some(mv), None),
        Step::Send { .. } => ("made", None, None),
        Step::Make { mv, .. } if mv.side == ours => ("must-stand", Some(mv), None),
        Step::Make { mv, .. } => ("make", Some(mv), None),
        Step::TakeBack { made, instead: Some(mv), .. } if mv.side == ours => {
            ("must-stand", Some(mv), Some(made))
        }
        Step::TakeBack { made, instead: Some(mv), .. } => ("other-move", Some(mv), Some(made)),
        Step::TakeBack { made, .. } => ("take-back", None, Some(made)),
    };
    let squares = mv.map(|mv| mv.squares.iter().map(|&square| square_name(square)).collect::<Vec<_>>());
    let mut json = Map::new();
    json.insert("state".into(), state.into());
    json.insert("san".into(), mv.map(|mv| mv.san.clone()).into());
    json.insert("uci".into(), mv.map(|mv| mv.uci.clone()).into());
    json.insert("squares".into(), json!(squares.unwrap_or_default()));
    json.insert("made".into(), made.cloned().into());
    json
}

/// Where something stands wrong, for the page.
pub(super) fn wrong_json(wrong: &[Wrong]) -> Value {
    let man = |content: Content| letter(content).map(|letter| letter.to_string());
    let one = |wrong: &Wrong| json!({ "square": square_name(wrong.square), "has": man(wrong.has), "should": man(wrong.should) });
    wrong.iter().map(one).collect()
}

/// Both times as a clock writes them: `14:59 – 0:07`.
pub(super) fn times_words(times: Times) -> String {
    let one = |ms: u64| {
        let seconds = ms / 1_000;
        match seconds / 3_600 {
            0 => format!("{}:{:02}", seconds / 60, seconds % 60),
            hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
        }
    };
    format!("{} – {}", one(times.white_ms), one(times.black_ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Line;
    use adoube_rules::ChessPosition;

    fn last(start: &str, chess960: bool, moves: &str) -> Ply {
        let mut line = Line::new(ChessPosition::from_fen(start, chess960).unwrap(), Side::White);
        let moves: Vec<String> = moves.split(' ').map(str::to_owned).collect();
        line.agree(&moves, &[]).unwrap();
        line.plies().last().unwrap().clone()
    }

    #[test]
    fn every_move_fits_on_six_places_without_its_dash() {
        let castling = last("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", false, "e1g1");
        assert_eq!((display(&castling), castling.squares.len()), ("e1-g1".to_owned(), 4));
        assert_eq!(display(&last("8/4P2k/8/8/8/8/8/4K3 w - - 0 1", false, "e7e8n")), "e7-e8n");
        assert_eq!(display(&last("4k3/8/8/8/8/8/8/RK6 w Q - 0 1", true, "b1a1")), "0-0-0");
    }

    #[test]
    fn what_stands_wrong_is_named() {
        let start = ChessPosition::default().contents();
        let mut stands = start.clone();
        stands.swap(12, 28);
        let wrong = wrong(&stands, &start, true);
        assert_eq!(wrong_words(&wrong), "e2 lacks a white pawn, e4 must be empty");
        stands[0] = start[1];
        assert_eq!(wrong_words(&super::wrong(&stands, &start, true)[..1]), "a1 must have a white rook");
        assert_eq!(super::wrong(&stands, &start, false).len(), 2, "an unnamed man may be any");
        let empty = vec![Content::EMPTY; 64];
        assert!(wrong_words(&super::wrong(&empty, &start, true)).ends_with(", 26 more squares"));
    }

    #[test]
    fn times_are_written_as_on_a_clock() {
        assert_eq!(times_words(Times { white_ms: 899_999, black_ms: 3_605_000 }), "14:59 – 1:00:05");
    }
}
