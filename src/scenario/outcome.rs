//! What was played and how it ended, out of the events.

use serde_json::Value;

use super::expect::Unmet;
use super::hands;
use super::registry;
use crate::event::Numbered;
use crate::rules::{Family, GameResult};

/// The moves of the last game in which something was played.
pub(super) fn moves(events: &[Numbered]) -> Vec<String> {
    let mut games: Vec<Vec<String>> = vec![Vec::new()];
    for event in events {
        let ply = event.json.get("ply").and_then(Value::as_u64).and_then(|ply| usize::try_from(ply).ok());
        let san = event.json.get("san").and_then(Value::as_str);
        let last = games.len() - 1;
        match (event.name.as_str(), ply, san) {
            ("game-opened", ..) => games.push(Vec::new()),
            ("move-made", Some(ply), Some(san)) => {
                games[last].truncate(ply.saturating_sub(1));
                games[last].push(san.to_owned());
            }
            ("move-retracted", Some(ply), _) => games[last].truncate(ply.saturating_sub(1)),
            _ => {}
        }
    }
    games.into_iter().rev().find(|moves| !moves.is_empty()).unwrap_or_default()
}

/// The result on record, `*` for none.
pub(super) fn result(events: &[Numbered]) -> String {
    let text = |event: &Numbered, key: &str| event.json.get(key).and_then(Value::as_str).map(str::to_owned);
    let of = |event: &Numbered| {
        let is_confirmed = text(event, "status").is_none_or(|status| status == "confirmed");
        match event.name.as_str() {
            "result-changed" => text(event, "to"),
            "game-opened" => Some("*".to_owned()),
            "game-over" => text(event, "result"),
            "result-signalled" if is_confirmed => text(event, "result"),
            name if is_confirmed && registry::is_outcome(name) => text(event, "result"),
            _ => None,
        }
    };
    events.iter().rev().find_map(of).unwrap_or_else(|| "*".to_owned())
}

/// Do `played` and the movetext `expected` hold the same moves?
pub(super) fn compare_moves(played: &[String], expected: &str, family: Family) -> Option<Unmet> {
    let bare = |text: &str| {
        let text = hands::plain(text).replace('0', "O");
        // Long coordinates say the same with or without signs between them.
        if family == Family::FourPlayer { text.replace(['-', 'x', '='], "").to_lowercase() } else { text }
    };
    let expected: Vec<String> = hands::movetext(expected, family)
        .map(|moves| moves.into_iter().map(|written| written.text).collect())
        .unwrap_or_default();
    let is_same = played.iter().map(|san| bare(san)).eq(expected.iter().map(|san| bare(san)));
    let what = || format!("moves \"{}\", got \"{}\"", expected.join(" "), played.join(" "));
    (!is_same).then(|| Unmet { what: what(), nearest: Vec::new() })
}

/// Is `got` the result `expected`?
pub(super) fn compare_result(got: &str, expected: &str) -> Option<Unmet> {
    let parse = |text: &str| text.parse::<GameResult>().ok();
    let is_same = got == expected || (parse(got).is_some() && parse(got) == parse(expected));
    (!is_same).then(|| Unmet { what: format!("result {expected}, got {got}"), nearest: Vec::new() })
}

/// Movetext without the result at its end.
pub(super) fn without_result(movetext: &str) -> String {
    let trimmed = movetext.trim_end();
    let last = trimmed.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_result = last == "*" || last.parse::<GameResult>().is_ok();
    if is_result { trimmed[..trimmed.len() - last.len()].to_owned() } else { movetext.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(json: Value) -> Numbered {
        let mut object = json.as_object().unwrap().clone();
        object.insert("seq".into(), 1.into());
        object.insert("board".into(), "1".into());
        Numbered::from_json(&Value::Object(object).to_string(), None).unwrap()
    }

    #[test]
    fn moves_are_those_that_stand_at_the_end() {
        let events = [
            event(json!({"type": "game-opened"})),
            event(json!({"type": "move-made", "ply": 1, "san": "e4"})),
            event(json!({"type": "move-made", "ply": 2, "san": "e5"})),
            event(json!({"type": "move-retracted", "ply": 2, "san": "e5"})),
            event(json!({"type": "move-made", "ply": 2, "san": "exd8=Q+"})),
            event(json!({"type": "game-over", "result": "1-0"})),
        ];
        let played = moves(&events);
        assert_eq!(compare_moves(&played, &without_result("1. e4! exd8=Q 1-0"), Family::Chess), None);
        assert!(
            compare_moves(&played, "1. e4", Family::Chess).is_some()
                && compare_moves(&played, "1. e4 e5", Family::Chess).is_some()
        );
        assert_eq!(compare_result(&result(&events), "1-0"), None);
        assert_eq!(compare_result(&result(&events), "*").unwrap().what, "result *, got 1-0");
        assert_eq!(result(&events[..3]), "*");
    }
}
