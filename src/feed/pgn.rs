//! A game as PGN, as broadcasters read it (feeds.md 3.1, 3.2).

use super::view::{GameView, MoveView};
use crate::event::Player;

/// Lines are not longer than this, as the PGN standard asks; a comment is never broken.
const WIDTH: usize = 80;

/// What the tags say about the event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventTags {
    /// Name of the tournament.
    pub event: Option<String>,
    /// Where it is.
    pub site: Option<String>,
}

impl EventTags {
    /// The event's name in lower case, words joined by `-`: the first part of a `GameId`.
    fn slug(&self) -> Option<String> {
        let name = self.event.as_ref()?.to_lowercase();
        let words: Vec<&str> =
            name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        (!words.is_empty()).then(|| words.join("-"))
    }
}

/// The whole game, with a blank line at its end.
#[must_use]
pub fn game(game: &GameView, tags: &EventTags) -> String {
    let mut text = String::new();
    write_tags(game, tags, &mut text);
    text.push('\n');
    write_moves(game, &mut text);
    text.push('\n');
    text
}

fn write_tags(game: &GameView, tags: &EventTags, text: &mut String) {
    let result = pgn_result(&game.result);
    let date =
        game.opened_at.get(..10).map_or_else(|| "????.??.??".to_owned(), |date| date.replace('-', "."));
    let round = game.round.map_or_else(|| "?".to_owned(), |round| format!("{round}.{}", game.number));
    let mut tag = |name: &str, value: &str| {
        text.extend(["[", name, " \"", &escaped(value), "\"]\n"]);
    };
    tag("Event", tags.event.as_deref().unwrap_or("?"));
    tag("Site", tags.site.as_deref().unwrap_or("?"));
    tag("Date", &date);
    tag("Round", &round);
    tag("White", game.white.name.as_deref().unwrap_or("?"));
    tag("Black", game.black.name.as_deref().unwrap_or("?"));
    tag("Result", result);
    tag("Board", &game.board);
    if let Some(time_control) = &game.time_control {
        tag("TimeControl", time_control);
    }
    for (side, player) in [("White", &game.white), ("Black", &game.black)] {
        for (name, value) in player_tags(player) {
            tag(&format!("{side}{name}"), &value);
        }
    }
    if game.variant == "chess960" {
        tag("Variant", "Chess960");
    }
    if game.start != STANDARD {
        tag("SetUp", "1");
        tag("FEN", &game.start);
    }
    let id = tags.slug().map_or_else(|| game.game.clone(), |slug| format!("{slug}-{}", game.game));
    tag("GameId", &id);
}

const STANDARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn player_tags(player: &Player) -> impl Iterator<Item = (&'static str, String)> {
    [
        ("Title", player.title.clone()),
        ("Elo", player.elo.map(|elo| elo.to_string())),
        ("FideId", player.fide_id.map(|id| id.to_string())),
        ("Federation", player.federation.clone()),
        ("Team", player.team.clone()),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
}

fn pgn_result(result: &str) -> &'static str {
    result.parse::<crate::rules::GameResult>().map_or("*", crate::rules::GameResult::pgn)
}

/// A tag value: quotes and backslashes escaped, control characters left out.
fn escaped(value: &str) -> String {
    value.chars().filter(|letter| !letter.is_control()).fold(String::new(), |mut escaped, letter| {
        if matches!(letter, '"' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
        escaped
    })
}

fn write_moves(game: &GameView, text: &mut String) {
    let mut column = 0;
    let mut put = |token: &str| {
        if column > 0 && column + 1 + token.len() > WIDTH {
            text.push('\n');
            column = 0;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(token);
        column += token.len();
    };
    // The position's own numbers; a game may start with Black to move.
    let start_number: u64 = game.start.split(' ').nth(5).and_then(|number| number.parse().ok()).unwrap_or(1);
    let offset = u64::from(game.moves.first().is_some_and(|mv| mv.side == "black"));
    let mut after_comment = true;
    let mut before: Option<&MoveView> = None;
    for mv in &game.moves {
        let number = start_number + (mv.ply - 1 + offset) / 2;
        match (mv.side.as_str(), after_comment) {
            ("white", _) => put(&format!("{number}. {}", mv.san)),
            (_, true) => put(&format!("{number}... {}", mv.san)),
            (_, false) => put(&mv.san),
        }
        let comment = comment(mv, before);
        after_comment = comment.is_some();
        if let Some(comment) = comment {
            put(&comment);
        }
        before = Some(mv);
    }
    put(pgn_result(&game.result));
    text.push('\n');
}

/// Times of a move: what its player had left, and what he used.
fn comment(mv: &MoveView, before: Option<&MoveView>) -> Option<String> {
    if mv.recovered {
        return Some("{recovered}".to_owned());
    }
    let mut parts = Vec::new();
    if let Some(clock) = mv.clock {
        let left_ms = if mv.side == "white" { clock.white_ms } else { clock.black_ms };
        parts.push(format!("[%clk {}]", hours(left_ms)));
    }
    // The time used by the first move is not known: the board may have been on for hours.
    if let Some(before) = before.filter(|before| !before.recovered) {
        let end = |mv: &MoveView| mv.pressed_ms.unwrap_or(mv.made_ms);
        parts.push(format!("[%emt {}]", hours(end(mv).saturating_sub(end(before)))));
    }
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(" ")))
}

/// `h:mm:ss`, rounded down as clocks show it.
fn hours(ms: u64) -> String {
    let s = ms / 1_000;
    format!("{}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60)
}
