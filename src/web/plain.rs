//! What the spectators' page says before its scripts have the games, and all that it says without them: the rounds,
//! who plays, how it stands, the position and the moves, as they are at the moment.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::pictures::position_of;
use super::share::{escaped, numbered, outcome};
use crate::feed::hub::Heard;
use crate::feed::view::{ClockView, GameView, HallView};
use adoube_core::event::Player;
use adoube_rules::sensor::Side;

/// Has the browser look again at a page on which somebody plays, if it runs no scripts: often enough to follow a game, and
/// seldom enough for whoever reads the list of a large hall. Who does not want it asks for `?still`.
pub(super) const REFRESH: &str = "<noscript><meta http-equiv=\"refresh\" content=\"20\"></noscript>";
const STILL: &str = "<noscript><p><a href=\"?still\">Do not reload by itself</a></p></noscript>";

/// Where pages are, and inside of what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Where all boards are shown.
    pub(super) home: &'static str,
    /// The page is part of somebody else's: nothing but boards, whose links stay inside.
    pub(super) is_embedded: bool,
}

impl Place {
    fn link(self, path: &str, text: &str) -> String {
        let query = if self.is_embedded { "?embed" } else { "" };
        format!("<a href=\"{}{query}\">{}</a>", escaped(path), escaped(text))
    }
}

/// The games of `round`, or those on the boards; and whether one of them is being played.
pub(super) fn list(view: &HallView, round: Option<u32>, place: Place) -> (String, bool) {
    let games: Vec<&GameView> = match round {
        Some(round) => of_round(view, round),
        None => view.boards().filter_map(|board| view.game(board.game.as_deref()?)).collect(),
    };
    let mut text = if place.is_embedded { String::new() } else { rounds(view, round, place) };
    if games.is_empty() {
        text.push_str("<p>No games yet.</p>");
        return (text, true);
    }
    // Partners do not sit under one colour.
    let [first, second] =
        if games.iter().any(|game| game.is_of_four()) { ["First", "Second"] } else { ["White", "Black"] };
    // Writing to a string cannot fail.
    write!(
        text,
        "<table><thead><tr><th scope=\"col\">Board<th scope=\"col\">{first}<th scope=\"col\">Result<th \
         scope=\"col\">{second}</tr></thead><tbody>"
    )
    .ok();
    for game in &games {
        let [first, second] = sides(game).map(|side| escaped(&side));
        let (board, stands) = (escaped(&game.board), place.link(&path(game), &stands(game)));
        // Hundreds of links are called alike otherwise.
        let named = format!("<a aria-label=\"{first} – {second}, {}\"", escaped(&self::stands(game)));
        let stands = stands.replacen("<a", &named, 1);
        write!(text, "<tr><td>{board}<td>{first}<td>{stands}<td>{second}</tr>").ok();
    }
    text.push_str("</tbody></table>");
    let is_played = games.iter().any(|game| is_played(game));
    text.push_str(if is_played { STILL } else { "" });
    (text, is_played)
}

/// Is there more to come of it?
pub(super) fn is_played(game: &GameView) -> bool {
    game.result == "*" && !game.closed && !game.annulled
}

/// One game, all of whose moves are there, as it stands at `now`: the position, the clocks, the moves.
pub(super) fn game(game: &GameView, now: &str, place: Place) -> String {
    let mut text = String::new();
    if !place.is_embedded {
        let back = match game.round {
            Some(round) => place.link(&format!("/round/{round}"), &format!("Round {round}")),
            None => place.link(place.home, "All boards"),
        };
        let pgn = place.link(&format!("/api/v1/games/{}.pgn", encoded(&game.game)), "PGN");
        write!(text, "<p>{back} · {pgn}</p>").ok();
    }
    let (players, stands) = (escaped(&sides(game).join(" – ")), escaped(&stands(game)));
    write!(text, "<h2>{players}</h2><p>{stands}</p>").ok();
    if let Some(position) = position_of(game) {
        let fen = escaped(game.fen());
        write!(text, "<figure role=\"img\" aria-label=\"{fen}\">{position}</figure>").ok();
    }
    if let Some(read) = &game.clock {
        write!(text, "<p>{}</p>", clock(game, read, now)).ok();
    }
    if !game.moves.is_empty() {
        let moves = game.moves.all();
        let each = moves.iter().enumerate().map(|(index, mv)| {
            let is_reply = !game.is_of_four() && index > 0 && mv.side == Side::Black;
            if is_reply { mv.san.clone() } else { numbered(game, mv) }
        });
        write!(text, "<p>{}</p>", escaped(&each.collect::<Vec<_>>().join(" "))).ok();
    }
    text.push_str(if is_played(game) { STILL } else { "" });
    text
}

/// How old what a relay shows is.
pub(super) fn age(heard: Heard) -> String {
    format!("<p>The hall cannot be reached: this is how it stood {} s ago.</p>", heard.checked_s)
}

/// The games of a round in their order: an annulled one only where nothing was played in its place.
fn of_round(view: &HallView, round: u32) -> Vec<&GameView> {
    let of_round = || view.games().filter(move |game| game.round == Some(round));
    let played: BTreeSet<u32> = of_round().filter(|game| !game.annulled).map(|game| game.number).collect();
    let mut shown: Vec<&GameView> =
        of_round().filter(|game| !game.annulled || !played.contains(&game.number)).collect();
    shown.sort_by_key(|game| game.number);
    shown
}

/// The ways to all rounds.
fn rounds(view: &HallView, shown: Option<u32>, place: Place) -> String {
    let rounds: BTreeSet<u32> = view.games().filter_map(|game| game.round).collect();
    if rounds.is_empty() {
        return String::new();
    }
    let to = |round: u32| match shown == Some(round) {
        true => format!("<strong>{round}</strong>"),
        false => place.link(&format!("/round/{round}"), &round.to_string()),
    };
    let all = if shown.is_some() {
        place.link(place.home, "All boards")
    } else {
        "<strong>All boards</strong>".to_owned()
    };
    let rounds: Vec<String> = rounds.into_iter().map(to).collect();
    format!("<p>{all} · Round {}</p>", rounds.join(" "))
}

/// Its result, or how far it has come.
fn stands(game: &GameView) -> String {
    match game.result.as_str() {
        _ if game.annulled => "annulled".to_owned(),
        "*" => game.moves.last().map_or_else(|| "–".to_owned(), |mv| numbered(game, mv)),
        result => outcome(game, result),
    }
}

/// Both clocks: that which runs has gone on since it was read. A second counts until it is over, as on the table.
fn clock(game: &GameView, read: &ClockView, now: &str) -> String {
    let ran_ms = || {
        let [at, now] = [read.at.as_str(), now].map(|text| text.parse::<jiff::Timestamp>().ok());
        u64::try_from((now? - at?).total(jiff::Unit::Millisecond).ok()? as i64).ok()
    };
    let left = |side: Side, read_ms: u64| {
        let is_running = is_played(game) && read.running == Some(side);
        let left_ms = read_ms.saturating_sub(if is_running { ran_ms().unwrap_or(0) } else { 0 });
        let seconds = left_ms.div_ceil(1_000);
        let runs = if is_running { " (running)" } else { "" };
        format!("{}:{:02}:{:02}{runs}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
    };
    let [first, second] =
        if game.is_of_four() { ["Red and Blue", "White and Black"] } else { ["White", "Black"] };
    let (white, black) = (left(Side::White, read.times.white_ms), left(Side::Black, read.times.black_ms));
    format!("{first} {white} · {second} {black}")
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use adoube_core::event::testing::public;

    fn hall(more: &serde_json::Value) -> HallView {
        let mut view = HallView::default();
        let mut opened = json!({ "id": 1, "type": "game-opened", "board": "1", "game": "A b?\"", "round": 1, "number": 1,
            "variant": "chess", "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "time_control": null,
            "white": { "name": "Wit" }, "black": {}, "result": "*" });
        opened.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        view.apply(&public(opened));
        view
    }

    const HERE: Place = Place { home: "/", is_embedded: false };

    #[test]
    fn a_clock_that_runs_has_gone_on_since_it_was_read() {
        let mut view = hall(&json!({}));
        view.apply(&public(json!({ "id": 2, "type": "clock-read", "board": "1", "game": "A b?\"",
            "at": "2026-05-01T12:00:00Z", "white_ms": 600_000, "black_ms": 1_000, "running": "white" })));
        let game = view.game("A b?\"").unwrap();
        let at = |now: &str| clock(game, game.clock.as_ref().unwrap(), now);
        assert_eq!(at("2026-05-01T12:00:00Z"), "White 0:10:00 (running) · Black 0:00:01");
        assert_eq!(at("2026-05-01T12:01:00.500Z"), "White 0:09:00 (running) · Black 0:00:01");
        assert_eq!(at("2026-05-01T13:00:00Z"), "White 0:00:00 (running) · Black 0:00:01");
    }

    #[test]
    fn four_players_are_partners_and_names_are_parts_of_addresses() {
        let (text, is_played) = list(&hall(&json!({})), None, HERE);
        assert!(text.contains("<th scope=\"col\">White<"), "{text}");
        assert!(text.contains("href=\"/game/A%20b%3F%22\""), "{text}");
        assert!(is_played);
        let four =
            json!({ "variant": "four-player", "red": { "name": "Rood" }, "blue": { "name": "Blauw" } });
        let (text, _) = list(&hall(&four), Some(1), HERE);
        assert!(text.contains("<th scope=\"col\">First<"), "{text}");
        assert!(text.contains("<td>Rood &amp; Blauw<td>"), "{text}");
        assert!(text.contains("<td>Wit &amp; Black</tr>"), "{text}");
    }
}
