//! One entry of `expect` or `forbid`: `name{field: value, bare value}`, and when an event meets it.

use serde_json::{Map, Value};

use super::fault::{Fault, unknown};
use super::registry;
use super::value;
use adoube_core::event::finding::{Fields, Finding};
use adoube_core::event::{Numbered, PublicEvent, Said};
use adoube_rules::laws::Name;

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// As it stands in the file.
    pub(super) text: String,
    /// The registry's name.
    pub(super) name: Name,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Field { key: String, value: String },
    Bare(String),
}

/// Of the envelope, and bookkeeping: a bare value never means them.
const NOT_BARE: [&str; 9] = ["seq", "at", "t_ms", "board", "game", "type", "kind", "record", "readings"];

impl Pattern {
    /// Reads an entry.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let trimmed = text.trim();
        let (name, inner) = match trimmed.split_once('{') {
            None => (trimmed, None),
            Some((name, rest)) => match rest.strip_suffix('}') {
                Some(inner) => (name.trim(), Some(inner)),
                None => {
                    return Err(Fault::new(0, format!("\"{trimmed}\": the \"}}\" at the end is missing")));
                }
            },
        };
        let Some(name) = Name::read(name) else {
            return Err(Fault::new(0, registry::unknown_name(name)));
        };
        let parts = inner.map(|inner| parts(name.as_str(), inner)).transpose()?.unwrap_or_default();
        Ok(Self { text: trimmed.to_owned(), name, parts })
    }

    /// Is it met by `event`?
    pub(super) fn is_met_by(&self, event: &Numbered) -> bool {
        // An outcome that the arbiter must declare may be proposed instead.
        let is_proposed = match &event.said {
            Said::Record(recorded) => match &recorded.finding {
                Finding::DeclareResult(declare) => declare.outcome == Some(self.name),
                _ => false,
            },
            _ => false,
        };
        (event.name() == self.name || is_proposed) && self.are_met_by(|| event.json())
    }

    /// The same for what is public of an event.
    pub(super) fn is_met_in_public(&self, event: &PublicEvent) -> bool {
        event.name() == self.name && self.are_met_by(|| event.json())
    }

    fn are_met_by(&self, json: impl Fn() -> Fields) -> bool {
        self.parts.is_empty() || {
            let json = json();
            self.parts.iter().all(|part| part.is_met_by(&json))
        }
    }
}

impl Part {
    fn is_met_by(&self, json: &Map<String, Value>) -> bool {
        match self {
            Self::Field { key, value } => {
                let keys = [key.clone(), format!("{key}_ms")];
                // `kind: x` is one of `kinds`; the envelope's `kind` is another matter.
                let is_kind =
                    key == "kind" && json.get("kinds").is_some_and(|kinds| value::has(kinds, value));
                // A record that rests on several articles is met by each of them.
                let articles = json.get("article").and_then(Value::as_str).filter(|_| key == "article");
                let is_article = articles.is_some_and(|all| all.split(", ").any(|article| article == value));
                is_kind
                    || is_article
                    || keys
                        .iter()
                        .any(|key| json.get(key).is_some_and(|actual| value::is(actual, key, value)))
            }
            Self::Bare(value) => json
                .iter()
                .filter(|(key, _)| !NOT_BARE.contains(&key.as_str()))
                .any(|(key, actual)| value::is(actual, key, value) || value::has(actual, value)),
        }
    }
}

/// What stands between the braces, at commas outside of any bracket.
fn parts(name: &str, inner: &str) -> Result<Vec<Part>, Fault> {
    let mut parts = Vec::new();
    let mut depth = 0_u32;
    let separated = inner.split(|letter| {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    for part in separated {
        let at = name.len() + 1 + (part.as_ptr() as usize - inner.as_ptr() as usize);
        let part = part.trim();
        if part.is_empty() {
            return Err(Fault::new(at, format!("\"{name}\": a value is missing")));
        }
        let field = part.split_once(':').filter(|(key, _)| is_key(key));
        parts.push(match field {
            Some((key, value)) => {
                let key = key.replace('-', "_");
                if !registry::is_field(&key) {
                    return Err(unknown(at, "field", &key, registry::fields()));
                }
                Part::Field { key, value: unquoted(value) }
            }
            None => Part::Bare(unquoted(part)),
        });
    }
    Ok(parts)
}

/// A word of letters: `0:33:10` is a time and no field.
fn is_key(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    inner.trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::expect::tests::event;
    use serde_json::json;

    fn is_met(pattern: &str, event: &Value) -> bool {
        let (pattern, json) = (Pattern::parse(pattern).unwrap(), event.as_object().unwrap());
        pattern.name == json["type"].as_str().unwrap() && pattern.are_met_by(|| json.clone())
    }

    #[test]
    fn fields_and_bare_values_are_met() {
        let event = json!({
            "seq": 4, "t_ms": 1200, "type": "touch-move-suspected", "kind": "irregularity", "status": "open",
            "article": "4.3.1, 4.8", "rule": "4.3.1", "first": "g1", "obligation": ["Nf3", "Nh3"], "played": "e4", "arbiter_duty": true,
        });
        for met in [
            "touch-move-suspected",
            "touch-move-suspected{rule: 4.3.1, first: g1, obligation: Nh3 Nf3, played: e4!, arbiter-duty: yes}",
            "touch-move-suspected{Nh3}",
            "touch-move-suspected{Nf3 Nh3}",
            "touch-move-suspected{g1, status: open}",
            "touch-move-suspected{open}",
            "touch-move-suspected{article: 4.3.1}",
        ] {
            assert!(is_met(met, &event), "{met}");
        }
        for unmet in [
            "move-made",
            "touch-move-suspected{rule: 4.3.2}",
            "touch-move-suspected{obligation: Nf3}",
            "touch-move-suspected{e5}",
            "touch-move-suspected{count: 1}",
            "touch-move-suspected{irregularity}",
            "touch-move-suspected{confirmed}",
            "touch-move-suspected{article: 4.3}",
        ] {
            assert!(!is_met(unmet, &event), "{unmet}");
        }
    }

    #[test]
    fn times_and_kinds_are_met() {
        let event = json!({"type": "illegal-move-completed", "kind": "irregularity", "kinds": ["self-check"], "count": 1});
        assert!(is_met("illegal-move-completed{kind: self-check, count: 1}", &event));
        assert!(!is_met("illegal-move-completed{kind: movement}", &event));
        let event = json!({"type": "add-time-opponent", "side": "black", "ms": 120_000});
        assert!(is_met("add-time-opponent{black, +2:00}", &event));
        assert!(!is_met("add-time-opponent{black, +1:00}", &event));
        let event = json!({"type": "clock-setting-wrong", "black_ms": -600_000});
        assert!(is_met("clock-setting-wrong{black: -10:00}", &event));
    }

    #[test]
    fn an_outcome_may_be_proposed() {
        let fields = json!({ "outcome": "time-forfeit", "result": "0-1" });
        let event = event(1, 0, "declare-result", &fields);
        let is_met = |pattern: &str| Pattern::parse(pattern).unwrap().is_met_by(&event);
        assert!(is_met("time-forfeit{result: 0-1}") && is_met("declare-result"));
        assert!(!is_met("time-forfeit{result: 1-0}") && !is_met("time-draw"));
    }

    #[test]
    fn bad_entries_are_named() {
        let what = |text: &str| Pattern::parse(text).unwrap_err().what;
        assert_eq!(what("move-mad"), "no event is called \"move-mad\"; did you mean \"move-made\"?");
        assert_eq!(what("move-made{sann: e4}"), "no field is called \"sann\"; did you mean \"san\"?");
        assert_eq!(what("move-made{san: e4"), "\"move-made{san: e4\": the \"}\" at the end is missing");
        assert_eq!(what("move-made{san: e4,}"), "\"move-made\": a value is missing");
    }
}
