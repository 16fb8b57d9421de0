//! What was played and how it ended, out of the events.

use super::expect::Unmet;
use super::hands;
use adoube_core::event::finding::{Finding, Score};
use adoube_core::event::{Numbered, Said, Status};
use adoube_rules::{Family, GameResult};

/// The moves of the last game in which something was played.
pub(super) fn moves(events: &[Numbered]) -> Vec<String> {
    let mut games: Vec<Vec<String>> = vec![Vec::new()];
    for event in events {
        let last = games.len() - 1;
        match &event.said {
            Said::GameOpened(_) => games.push(Vec::new()),
            Said::MoveMade(made) => {
                games[last].truncate(made.ply.before().count());
                games[last].push(made.san.clone());
            }
            Said::MoveRetracted(retracted) => games[last].truncate(retracted.ply.before().count()),
            _ => {}
        }
    }
    games.into_iter().rev().find(|moves| !moves.is_empty()).unwrap_or_default()
}

/// The result on record, `*` for none.
pub(super) fn result(events: &[Numbered]) -> &'static str {
    let of = |event: &Numbered| match &event.said {
        Said::GameOpened(_) => Some(Score(None)),
        Said::Record(recorded) => match &recorded.finding {
            Finding::ResultChanged(changed) => Some(changed.to),
            Finding::GameOver(over) => Some(over.result),
            _ if recorded.status != Status::Confirmed => None,
            Finding::ResultSignalled(signalled) => Some(signalled.result),
            Finding::Outcome(_, outcome) => Some(outcome.result),
            _ => None,
        },
        _ => None,
    };
    events.iter().rev().find_map(of).unwrap_or(Score(None)).as_str()
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
    use crate::scenario::expect::tests::event;
    use serde_json::json;

    #[test]
    fn moves_are_those_that_stand_at_the_end() {
        let mv = |ply: u32, san: &str| json!({ "ply": ply, "san": san });
        let events = [
            event(1, 0, "game-opened", &json!({})),
            event(2, 0, "move-made", &mv(1, "e4")),
            event(3, 0, "move-made", &mv(2, "e5")),
            event(4, 0, "move-retracted", &mv(2, "e5")),
            event(5, 0, "move-made", &mv(2, "exd8=Q+")),
            event(6, 0, "game-over", &json!({ "result": "1-0" })),
        ];
        let played = moves(&events);
        assert_eq!(compare_moves(&played, &without_result("1. e4! exd8=Q 1-0"), Family::Chess), None);
        assert!(
            compare_moves(&played, "1. e4", Family::Chess).is_some()
                && compare_moves(&played, "1. e4 e5", Family::Chess).is_some()
        );
        assert_eq!(compare_result(result(&events), "1-0"), None);
        assert_eq!(compare_result(result(&events), "*").unwrap().what, "result *, got 1-0");
        assert_eq!(result(&events[..3]), "*");
    }
}
