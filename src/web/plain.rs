//! What the spectators' page says before its scripts have the games, and all that it says without them: the rounds,
//! who plays, how it stands, the position and the moves, as they are at the moment.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::pictures::position_of;
use super::share::{escaped, numbered, outcome};
use crate::feed::view::{GameView, HallView};
use adoube_core::event::Player;
use adoube_core::event::finding::BothTimes;
use adoube_rules::sensor::Side;

/// A page without scripts is looked at again by the browser: often enough to follow a game, and seldom enough for who
/// reads the list of a large hall.
pub(super) const REFRESH: &str = "<noscript><meta http-equiv=\"refresh\" content=\"20\"></noscript>";

/// The games of `round`, or those on the boards, whose list is at `home`.
pub(super) fn list(view: &HallView, round: Option<u32>, home: &str) -> String {
    let mut games: Vec<&GameView> = match round {
        Some(round) => of_round(view, round),
        None => view.boards().filter_map(|board| view.game(board.game.as_deref()?)).collect(),
    };
    if round.is_some() {
        games.sort_by_key(|game| game.number);
    }
    let mut text = rounds(view, round, home);
    if games.is_empty() {
        text.push_str("<p>No games yet.</p>");
        return text;
    }
    text.push_str("<table><thead><tr><th>Board<th>White<th><th>Black</tr></thead><tbody>");
    for game in games {
        let [first, second] = sides(game).map(|side| escaped(&side));
        let (board, stands) = (escaped(&game.board), link(&path(game), &stands(game)));
        // Writing to a string cannot fail.
        write!(text, "<tr><td>{board}<td>{first}<td>{stands}<td>{second}</tr>").ok();
    }
    text.push_str("</tbody></table>");
    text
}

/// One game: the position, the clocks, the moves.
pub(super) fn game(game: &GameView, home: &str) -> String {
    let back = game.round.map_or_else(|| home.to_owned(), |round| format!("/round/{round}"));
    let mut text = format!(
        "<p>{} · {}</p><h2>{}</h2><p>{}</p>",
        link(&back, "All boards"),
        link(&format!("/api/v1/games/{}.pgn", encoded(&game.game)), "PGN"),
        escaped(&sides(game).join(" – ")),
        escaped(&stands(game))
    );
    if let Some(position) = position_of(game) {
        let fen = escaped(game.fen());
        write!(text, "<figure role=\"img\" aria-label=\"{fen}\">{position}</figure>").ok();
    }
    if let Some(times) = game.clock.as_ref().map(|clock| &clock.times) {
        write!(text, "<p>{}</p>", clock(game, times)).ok();
    }
    if !game.moves.is_empty() {
        let moves = game.moves.all();
        let each = moves.iter().enumerate().map(|(index, mv)| {
            let is_reply = !game.is_of_four() && index > 0 && mv.side == Side::Black;
            if is_reply { mv.san.clone() } else { numbered(game, mv) }
        });
        write!(text, "<p>{}</p>", escaped(&each.collect::<Vec<_>>().join(" "))).ok();
    }
    text
}

/// The games of a round that count: an annulled one only where nothing was played in its place.
fn of_round(view: &HallView, round: u32) -> Vec<&GameView> {
    let of_round = || view.games().filter(move |game| game.round == Some(round));
    let played: BTreeSet<u32> = of_round().filter(|game| !game.annulled).map(|game| game.number).collect();
    of_round().filter(|game| !game.annulled || !played.contains(&game.number)).collect()
}

/// The ways to all rounds.
fn rounds(view: &HallView, shown: Option<u32>, home: &str) -> String {
    let rounds: BTreeSet<u32> = view.games().filter_map(|game| game.round).collect();
    if rounds.is_empty() {
        return String::new();
    }
    let to = |round: u32| match shown == Some(round) {
        true => format!("<strong>{round}</strong>"),
        false => link(&format!("/round/{round}"), &round.to_string()),
    };
    let all =
        if shown.is_some() { link(home, "All boards") } else { "<strong>All boards</strong>".to_owned() };
    let rounds: Vec<String> = rounds.into_iter().map(to).collect();
    format!("<p>{all} · Round {}</p>", rounds.join(" "))
}

/// Its result, or how far it has come.
fn stands(game: &GameView) -> String {
    match game.result.as_str() {
        "*" if game.annulled => "annulled".to_owned(),
        "*" => game.moves.last().map_or_else(|| "–".to_owned(), |mv| numbered(game, mv)),
        result => outcome(game, result),
    }
}

fn clock(game: &GameView, times: &BothTimes) -> String {
    let time = |ms: u64| format!("{}:{:02}:{:02}", ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    let [first, second] =
        if game.is_of_four() { ["Red and Blue", "White and Black"] } else { ["White", "Black"] };
    format!("{first} {} · {second} {}", time(times.white_ms), time(times.black_ms))
}

/// Who plays White and who Black; of four, Red with his partner and White with his.
fn sides(game: &GameView) -> [String; 2] {
    let named = |player: Option<&Player>, army: &str| {
        let Some((player, name)) = player.and_then(|player| player.name.as_ref().map(|name| (player, name)))
        else {
            return army.to_owned();
        };
        let elo = player.elo.map(|elo| elo.to_string());
        let parts = [player.title.clone(), Some(name.clone()), elo];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    let (white, black) = (named(Some(&game.white), "White"), named(Some(&game.black), "Black"));
    if !game.is_of_four() {
        return [white, black];
    }
    let (red, blue) = (named(game.red.as_ref(), "Red"), named(game.blue.as_ref(), "Blue"));
    [format!("{red} & {blue}"), format!("{white} & {black}")]
}

fn path(game: &GameView) -> String {
    format!("/game/{}", encoded(&game.game))
}

fn link(path: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(path), escaped(text))
}

/// A name as one part of an address.
fn encoded(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(byte.into());
        } else {
            write!(text, "%{byte:02X}").ok();
        }
    }
    text
}
