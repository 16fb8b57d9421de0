//! Comparing what a scenario says with what an event holds: as values, not as text.

use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

use super::duration;
use super::hands::plain;

/// Is `expected` what `actual`, the field `key`, holds?
pub(super) fn is(actual: &Value, key: &str, expected: &str) -> bool {
    match actual {
        Value::Null => matches!(expected, "none" | "null"),
        Value::Bool(actual) => match expected {
            "yes" | "true" => *actual,
            "no" | "false" => !actual,
            _ => false,
        },
        Value::Number(actual) => is_number(&actual.to_string(), key, expected),
        Value::String(actual) => is_text(actual, expected),
        Value::Array(actual) => is_list(actual, key, expected),
        Value::Object(_) => false,
    }
}

/// Does the list `actual` hold `expected`?
pub(super) fn has(actual: &Value, expected: &str) -> bool {
    actual.as_array().is_some_and(|elements| elements.iter().any(|element| is(element, "", expected)))
}

/// Lists have no order; a list that is written as one value is separated by spaces.
fn is_list(actual: &[Value], key: &str, expected: &str) -> bool {
    if let [only] = actual
        && is(only, key, expected)
    {
        return true;
    }
    if expected == "none" {
        return actual.is_empty();
    }
    let mut left: Vec<&Value> = actual.iter().collect();
    let words: Vec<&str> = expected.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    words.len() == left.len()
        && words.iter().all(|word| match left.iter().position(|element| is(element, key, word)) {
            Some(index) => {
                left.swap_remove(index);
                true
            }
            None => false,
        })
}

fn is_number(actual: &str, key: &str, expected: &str) -> bool {
    let is_time = key == "ms" || key.ends_with("_ms");
    if let Some(span) = duration::parse(expected).filter(|_| is_time || key.is_empty()) {
        return actual.parse().is_ok_and(|ms| span.is(ms));
    }
    let canonical = |number: &str| {
        let number = number.strip_prefix('+').unwrap_or(number);
        match number.split_once('.') {
            Some((whole, decimals)) => match decimals.trim_end_matches('0') {
                "" => whole.to_owned(),
                decimals => format!("{whole}.{decimals}"),
            },
            None => number.to_owned(),
        }
    };
    canonical(actual) == canonical(expected)
}

fn is_text(actual: &str, expected: &str) -> bool {
    if expected.contains('/') && actual.contains('/') && actual.contains(' ') {
        return is_fen(actual, expected);
    }
    if expected.len() == 2 && actual.eq_ignore_ascii_case(expected) {
        return true;
    }
    plain(actual) == plain(expected) || actual == expected
}

/// As many fields as are written; an en passant square counts only if a capture is legal.
fn is_fen(actual: &str, expected: &str) -> bool {
    let fields = expected.split_whitespace().count();
    let of = |fen: &str| -> Vec<String> {
        lawful_en_passant(fen).split_whitespace().take(fields).map(str::to_owned).collect()
    };
    of(actual) == of(expected)
}

fn lawful_en_passant(fen: &str) -> String {
    let Ok(parsed) = fen.parse::<Fen>() else { return fen.to_owned() };
    match parsed.into_position::<Chess>(CastlingMode::Chess960) {
        // Written by hand: the castling field stays as it is.
        Ok(position) => {
            let en_passant = position.ep_square(EnPassantMode::Legal);
            let mut fields: Vec<String> = fen.split_whitespace().map(str::to_owned).collect();
            if let Some(field) = fields.get_mut(3) {
                *field = en_passant.map_or_else(|| "-".to_owned(), |square| square.to_string());
            }
            fields.join(" ")
        }
        Err(_) => fen.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_compared_as_what_they_are() {
        for (actual, key, expected) in [
            (json!("O-O"), "san", "O-O+"),
            (json!("e8=Q+"), "san", "e8=Q"),
            (json!("e4"), "square", "E4"),
            (json!(1_990_000), "expected_ms", "0:33:10"),
            (json!(800), "dt_ms", "0.8 s"),
            (json!(-1), "white", "-1"),
            (json!(1), "white", "+1"),
            (json!(0.5), "confidence", "0.50"),
            (json!(["f8", "g6"]), "squares", "g6 f8"),
            (json!([4, 5]), "boards", "5, 4"),
            (json!([]), "flags", "none"),
            (json!(null), "running", "none"),
            (json!(false), "legal", "no"),
            (
                json!("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
                "fen",
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            ),
            (json!("8/8/8/8/8/8/8/K1k5 w - - 0 1"), "fen", "8/8/8/8/8/8/8/K1k5"),
        ] {
            assert!(is(&actual, key, expected), "{actual} is {expected}");
        }
        for (actual, key, expected) in [
            (json!("O-O-O"), "san", "O-O"),
            (json!(["f8", "f8"]), "squares", "f8 g6"),
            (json!(["f8"]), "squares", "f8 g6"),
            (json!(120_000), "ms", "+2:01"),
            (json!(10), "white", "1"),
            (json!(true), "legal", "no"),
            (json!("8/8/8/8/8/8/8/K1k5 w - - 0 1"), "fen", "8/8/8/8/8/8/8/K1k5 b"),
        ] {
            assert!(!is(&actual, key, expected), "{actual} is not {expected}");
        }
    }
}
