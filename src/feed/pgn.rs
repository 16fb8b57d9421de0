//! A game as PGN, as broadcasters read it (feeds.md 3.1, 3.2).
//!
//! A game that is not one line of legal moves is several in PGN: see [`parts`]. One of four players is written as
//! its record.

mod four;

use super::parts::{Part, parts};
use super::view::{GameView, MoveView};
use adoube_core::event::{Player, Times};
use adoube_rules::pgn::lines::{self, Words};
use adoube_rules::sensor::Side;
use adoube_rules::{GameKind, GameResult};

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

/// The whole game, with a blank line at its end; all of its parts, if it has several.
#[must_use]
pub fn game(game: &GameView, tags: &EventTags) -> String {
    texts(game, tags, true).into_iter().map(|part| part.text).collect()
}

/// One part of a game as a game of PGN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartText {
    /// Its `GameId`: the same however the game goes on.
    pub id: String,
    /// Tags, moves, and a blank line at the end.
    pub text: String,
}

/// The parts of a game, at least one; moves that nobody saw are marked `recovered` if `marks_recovered`.
#[must_use]
pub fn texts(game: &GameView, tags: &EventTags, marks_recovered: bool) -> Vec<PartText> {
    let moves = game.moves.all();
    let parts = parts(game, &moves);
    let last = parts.len() - 1;
    let text = |(index, part): (usize, &Part<'_>)| {
        let id = game_id(game, part, tags);
        if game.is_of_four() {
            let text = four::text(game, part, index == last, (tags, &id));
            return PartText { id, text };
        }
        let mut text = String::new();
        write_tags(game, part, index == last, (tags, &id), &mut text);
        text.push('\n');
        write_moves(game, part, (index == last, marks_recovered), &mut text);
        text.push('\n');
        PartText { id, text }
    };
    parts.iter().enumerate().map(text).collect()
}

fn game_id(game: &GameView, part: &Part<'_>, tags: &EventTags) -> String {
    let slug = tags.slug().map(|slug| format!("{slug}-")).unwrap_or_default();
    let letter = part.letter.map(|letter| format!("/{letter}")).unwrap_or_default();
    format!("{slug}{}{letter}", game.game)
}

/// What the tags `Round` and `Board` say.
///
/// Lichess reads round and board out of `5.12`, but believes `Board` where there is one. A game of a match of teams
/// has the match after the dot, as the pairing programs have it, and so its board in the match as `Board`: on
/// Lichess the games of a match stand together in their order. A game without a round is known by the board on
/// which it is played.
fn place(game: &GameView, part: &Part<'_>) -> (String, String) {
    let letter = part.letter.map(String::from).unwrap_or_default();
    match (game.round, game.team_match) {
        (Some(round), Some(place)) => (format!("{round}.{}{letter}", place.number), place.board.to_string()),
        (Some(round), None) => (format!("{round}.{}{letter}", game.number), game.number.to_string()),
        (None, _) => ("?".to_owned(), game.board.clone()),
    }
}

/// The day on which it was opened, if it was.
fn date(game: &GameView) -> String {
    let day = game.opened_at.get(..10).filter(|_| !game.awaited);
    day.map_or_else(|| "????.??.??".to_owned(), |date| date.replace('-', "."))
}

fn write_tags(
    game: &GameView,
    part: &Part<'_>,
    is_last: bool,
    (tags, id): (&EventTags, &str),
    text: &mut String,
) {
    let (round, board) = place(game, part);
    let mut tag = |name: &str, value: &str| lines::tag(name, value, text);
    tag("Event", tags.event.as_deref().unwrap_or("?"));
    tag("Site", tags.site.as_deref().unwrap_or("?"));
    tag("Date", &date(game));
    tag("Round", &round);
    tag("White", game.white.name.as_deref().unwrap_or("?"));
    tag("Black", game.black.name.as_deref().unwrap_or("?"));
    tag("Result", pgn_result(game));
    tag("Board", &board);
    if let Some(time_control) = &game.time_control {
        tag("TimeControl", time_control);
    }
    for (name, value) in clock_tags(game, ["WhiteClock", "BlackClock"], ["W", "B"]).filter(|_| is_last) {
        tag(name, &value);
    }
    for (side, player) in [("White", &game.white), ("Black", &game.black)] {
        for (name, value) in player_tags(player) {
            tag(&format!("{side}{name}"), &value);
        }
    }
    if let Some(termination) = termination(game) {
        tag("Termination", termination);
    }
    if game.variant == GameKind::Chess960 {
        tag("Variant", "Chess960");
    }
    if part.start != STANDARD {
        tag("SetUp", "1");
        tag("FEN", part.start);
    }
    tag("GameId", id);
}

/// What the clock showed when it was last read, as LiveChess writes it while a game runs: so viewers see a clock
/// go on between two moves, and a flag that fell. The letter of `ReferenceTime` is the side whose time ran then;
/// nobody's ran without it. Names of both clocks and both sides are the caller's.
fn clock_tags(
    game: &GameView,
    [white, black]: [&'static str; 2],
    letters: [&'static str; 2],
) -> impl Iterator<Item = (&'static str, String)> {
    let is_running = !game.closed && !game.annulled && game.result == "*";
    let clock = game.clock.as_ref().filter(|_| is_running);
    let time = |ms: u64| format!("{:02}:{:02}:{:02}", ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    let times = clock.map(|clock| [(white, time(clock.times.white_ms)), (black, time(clock.times.black_ms))]);
    let reference = clock.and_then(move |clock| {
        let letter = letters[clock.running?.index()];
        // With an offset, as LiveChess has it.
        let at = clock.at.strip_suffix('Z').map_or_else(|| clock.at.clone(), |at| format!("{at}+00:00"));
        Some(("ReferenceTime", format!("{letter}/{at}")))
    });
    times.into_iter().flatten().chain(reference)
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

/// The result as PGN has it: an annulled game has none.
fn pgn_result(game: &GameView) -> &'static str {
    result(game).map_or("*", GameResult::pgn)
}

fn result(game: &GameView) -> Option<GameResult> {
    game.result.parse().ok().filter(|_| !game.annulled)
}

/// How the game ended, where its result in PGN would not say so.
fn termination(game: &GameView) -> Option<&'static str> {
    let is_penalised = || result(game).is_some_and(|result| !result.is_of_play() && !result.is_forfeit());
    match game.annulled {
        true => Some("abandoned"),
        false => is_penalised().then_some("rules infraction"),
    }
}

/// What stands behind the last move in words: a score that PGN has no sign for, such as `1/2-0`.
fn last_remark(game: &GameView) -> Option<&str> {
    match game.annulled {
        true => Some("annulled"),
        false => result(game).filter(|result| result.pgn() == "*").map(GameResult::name),
    }
}

fn write_moves(
    game: &GameView,
    part: &Part<'_>,
    (is_last, marks_recovered): (bool, bool),
    text: &mut String,
) {
    let mut words = Words::new(text);
    // The position's own numbers; a game may start with Black to move.
    let start_number: u64 = part.start.split(' ').nth(5).and_then(|number| number.parse().ok()).unwrap_or(1);
    let offset = u64::from(part.moves.first().is_some_and(|mv| mv.side == Side::Black));
    let mut after_comment = true;
    let mut before = part.before;
    for (index, mv) in part.moves.iter().enumerate() {
        let number = start_number + (index as u64 + offset) / 2;
        match (mv.side, after_comment) {
            (Side::White, _) => words.put(&format!("{number}. {}", mv.san)),
            (_, true) => words.put(&format!("{number}... {}", mv.san)),
            (_, false) => words.put(&mv.san),
        }
        let comment = match mv.recovered {
            true => marks_recovered.then(|| "recovered".to_owned()),
            false => comment(mv, before),
        };
        after_comment = comment.is_some();
        if let Some(comment) = comment {
            words.put(&format!("{{{comment}}}"));
        }
        before = Some(mv);
    }
    if let Some(end) = &part.end {
        words.put(&format!("{{{end}}}"));
    }
    if let Some(remark) = last_remark(game).filter(|_| is_last) {
        words.put(&format!("{{{remark}}}"));
    }
    words.put(pgn_result(game));
    words.end();
}

/// Times of a move, without the braces of a comment: what its player had left, and what he used.
fn comment(mv: &MoveView, before: Option<&MoveView>) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(clock) = mv.clock {
        let left_ms = Times::from(clock)[mv.side.index()];
        parts.push(format!("[%clk {}]", hours(left_ms)));
    }
    // The time used by the first move is not known: the board may have been on for hours.
    if let Some(before) = before.filter(|before| !before.recovered) {
        let end = |mv: &MoveView| mv.pressed_ms.unwrap_or(mv.made_ms);
        parts.push(format!("[%emt {}]", hours(end(mv).saturating_sub(end(before)))));
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// `h:mm:ss`, rounded down as clocks show it.
fn hours(ms: u64) -> String {
    let s = ms / 1_000;
    format!("{}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::view::HallView;
    use adoube_core::event::testing::public;
    use adoube_rules::pgn::read_games;
    use serde_json::{Value, json};

    const BG5: &str = "rnbqkbnr/pppp1ppp/8/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR b KQkq - 1 2";

    /// 1.e4 e5 2.Bg5, which is illegal and stands, Nc6 supplied after a gap, 3.Nf3.
    fn played() -> GameView {
        let mut hall = HallView::default();
        let mut take = |event: Value| hall.apply(&public(event));
        take(json!({ "type": "game-opened", "board": "12", "game": "5-12", "at": "2026-05-01T10:00:00.000Z",
            "round": 5, "number": 12, "variant": "chess", "start": STANDARD, "time_control": "600+5",
            "white": {"name": "A"}, "black": {"name": "B"} }));
        for (index, (san, fen)) in
            [("e4", ""), ("e5", ""), ("Bg5", BG5), ("Nc6", ""), ("Nf3", "")].into_iter().enumerate()
        {
            let side = ["white", "black"][index % 2];
            let clock = json!({ "white_ms": 600_000 - index * 1_000, "black_ms": 590_000 - index * 1_000 });
            take(json!({ "type": "move-made", "board": "12", "game": "5-12", "ply": index + 1,
                "side": side, "san": san, "uci": "c1g5", "fen": fen, "legal": san != "Bg5",
                "made_ms": index * 2_000, "clock": clock,
                "cause": if san == "Nc6" { "recovered" } else { "played" } }));
        }
        take(
            json!({ "type": "game-over", "board": "12", "game": "5-12", "result": "0-1", "status": "confirmed" }),
        );
        hall.game("5-12").unwrap().clone()
    }

    #[test]
    fn a_game_with_an_illegal_move_is_two_that_readers_take() {
        let tags = EventTags { event: Some("City Open".to_owned()), site: None };
        let text = game(&played(), &tags);
        let games = read_games(text.as_bytes()).unwrap();
        let shown: Vec<_> = games.iter().map(|game| (&game.fault, game.moves.len())).collect();
        assert_eq!(shown, [(&None, 2), (&None, 2)], "{text}");
        let tag = |name: &str| games.iter().map(|game| game.tag(name)).collect::<Vec<_>>();
        assert_eq!(tag("Round"), [Some("5.12"), Some("5.12b")]);
        assert_eq!(tag("GameId"), [Some("city-open-5-12"), Some("city-open-5-12/b")]);
        assert_eq!(tag("Result"), [Some("0-1"), Some("0-1")]);
        assert_eq!(tag("SetUp"), [None, Some("1")]);
        assert_eq!(tag("FEN"), [None, Some(BG5)]);
        assert_eq!(tag("White"), [Some("A"), Some("A")]);
        let movetext: Vec<&str> = text.lines().filter(|line| !line.starts_with('[')).collect();
        assert_eq!(
            movetext.join("\n").trim(),
            "\
1. e4 {[%clk 0:10:00]} 1... e5 {[%clk 0:09:49] [%emt 0:00:02]}
{illegal move Bg5 stood; goes on as 5-12/b} 0-1


2... Nc6 {recovered} 3. Nf3 {[%clk 0:09:56]} 0-1"
        );
    }
}
