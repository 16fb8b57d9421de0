//! What Lichess says of a game, in our words.

use serde_json::Value;

use super::super::opponent::{End, Opening, State, Times};
use adoube_core::event::Player;
use adoube_rules::GameResult;
use adoube_rules::sensor::Side;

/// The position from which standard games start.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn text<'a>(json: &'a Value, key: &str) -> Option<&'a str> {
    json.get(key).and_then(Value::as_str)
}

fn moves(state: &Value) -> Vec<String> {
    text(state, "moves").unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// How a game begins, from `gameFull`; `me` is the name of our account.
///
/// # Errors
/// A sentence that says why it cannot be played here.
pub(super) fn opening(full: &Value, me: &str, address: String) -> Result<Opening, String> {
    let variant = full.get("variant").and_then(|variant| text(variant, "key")).unwrap_or("standard");
    let is_chess960 = match variant {
        "standard" | "fromPosition" => false,
        "chess960" => true,
        other => return Err(format!("the game is \"{other}\"; this version plays chess and chess960")),
    };
    let start = match text(full, "initialFen") {
        None | Some("startpos") => START.to_owned(),
        Some(fen) => fen.to_owned(),
    };
    let is_me = |side: &str| {
        let player = full.get(side).unwrap_or(&Value::Null);
        let named = |key| text(player, key).is_some_and(|name| name.eq_ignore_ascii_case(me));
        named("id") || named("name")
    };
    let ours = match (is_me("white"), is_me("black")) {
        (true, _) => Side::White,
        (_, true) => Side::Black,
        _ => return Err(format!("it is no game of {me}, to whom the token belongs")),
    };
    let seconds = |key: &str| full.get("clock").and_then(|clock| Some(clock.get(key)?.as_u64()? / 1_000));
    let time_control = seconds("initial").map(|base| format!("{base}+{}", seconds("increment").unwrap_or(0)));
    Ok(Opening {
        start,
        is_chess960,
        ours,
        players: ["white", "black"].map(|side| player(full.get(side).unwrap_or(&Value::Null))),
        time_control,
        moves: full.get("state").map(moves).unwrap_or_default(),
        skipped: 0,
        address: Some(address),
    })
}

fn player(json: &Value) -> Player {
    let level = json.get("aiLevel").and_then(Value::as_u64).map(|level| format!("Lichess AI level {level}"));
    let name = text(json, "name").or_else(|| text(json, "id")).map(str::to_owned);
    Player {
        name: name.or(level),
        title: text(json, "title").map(str::to_owned),
        elo: json.get("rating").and_then(Value::as_u64).and_then(|elo| elo.try_into().ok()),
        ..Player::default()
    }
}

/// How the game stands, from `gameState` or the `state` of `gameFull`.
pub(super) fn state(json: &Value) -> State {
    let number = |key: &str| json.get(key).and_then(Value::as_u64);
    let by = |white: &str, black: &str| match [white, black]
        .map(|key| json.get(key) == Some(&Value::Bool(true)))
    {
        [true, _] => Some(Side::White),
        [_, true] => Some(Side::Black),
        _ => None,
    };
    let times = || Some(Times { white_ms: number("wtime")?, black_ms: number("btime")? });
    State {
        moves: moves(json),
        // A game by correspondence has days, which no clock shows.
        times: times().filter(|times| times.white_ms.max(times.black_ms) < 10 * 3_600_000),
        draw_offer: by("wdraw", "bdraw"),
        takeback: by("wtakeback", "btakeback"),
        end: end(text(json, "status").unwrap_or("started"), text(json, "winner")),
    }
}

/// How a game with that status ended, if it did.
fn end(status: &str, winner: Option<&str>) -> Option<End> {
    let result = match (status, winner) {
        ("created" | "started", _) => return None,
        ("aborted" | "noStart", None) => None,
        (_, Some("white")) => Some(GameResult::WhiteWins),
        (_, Some("black")) => Some(GameResult::BlackWins),
        _ => Some(GameResult::Draw),
    };
    Some(End { result, reason: status.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_game_is_read() {
        let full = json!({ "type": "gameFull", "id": "5IrD6Gzz", "variant": { "key": "standard" },
            "clock": { "initial": 900_000, "increment": 10_000 }, "initialFen": "startpos",
            "white": { "id": "somebody", "name": "Somebody", "title": "WFM", "rating": 1_850 },
            "black": { "aiLevel": 3 },
            "state": { "type": "gameState", "moves": "e2e4 c7c5", "wtime": 1, "btime": 2, "status": "started" } });
        let opening = opening(&full, "SOMEBODY", String::new()).unwrap();
        assert_eq!((opening.ours, opening.time_control.as_deref()), (Side::White, Some("900+10")));
        assert_eq!(opening.moves, ["e2e4", "c7c5"]);
        let [white, black] = opening.players;
        assert_eq!(
            (white.name.as_deref(), white.title.as_deref(), white.elo),
            (Some("Somebody"), Some("WFM"), Some(1_850))
        );
        assert_eq!(black.name.as_deref(), Some("Lichess AI level 3"));
        assert!(super::opening(&full, "else", String::new()).unwrap_err().contains("no game of else"));
        let mut antichess = full.clone();
        antichess["variant"]["key"] = "antichess".into();
        assert!(super::opening(&antichess, "somebody", String::new()).unwrap_err().contains("antichess"));
    }

    #[test]
    fn ends_of_each_kind_are_read() {
        let result = |status: &str, winner| end(status, winner).map(|end| end.result);
        assert_eq!(result("started", None), None);
        assert_eq!(result("mate", Some("white")), Some(Some(GameResult::WhiteWins)));
        assert_eq!(result("outoftime", Some("black")), Some(Some(GameResult::BlackWins)));
        assert_eq!(result("outoftime", None), Some(Some(GameResult::Draw)));
        assert_eq!(result("aborted", None), Some(None));
        assert_eq!(result("stalemate", None), Some(Some(GameResult::Draw)));
    }

    #[test]
    fn offers_have_a_side() {
        let state = state(
            &json!({ "moves": "", "wtime": 1_000, "btime": 2_147_483_647_u64, "bdraw": true, "wtakeback": true }),
        );
        assert_eq!(
            (state.draw_offer, state.takeback, state.times),
            (Some(Side::Black), Some(Side::White), None)
        );
    }
}
