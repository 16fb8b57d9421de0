//! `arb(…)` and `op(…)`: the rulings of DESIGN 5.6 in a line.

use serde_json::{Map, Value};

use super::fault::Fault;
use super::registry;
use super::script::{Token, value};
use crate::ruling::{self, Ruling, RulingError};

/// A ruling as a scenario writes it: a record in it is the name of its type, and means the youngest
/// open one when the ruling is made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Order {
    /// With everything that is not the name of a record.
    ruling: Value,
    /// The argument that names a record, a ruling or a touch, and that name.
    refers: Option<(&'static str, String)>,
}

/// Arguments that are numbers of events in the journal, and that a scenario calls by their type.
const REFERENCES: [&str; 3] = ["record", "ruling", "seq"];

impl Order {
    /// The name of the ruling.
    pub(super) fn name(&self) -> &str {
        self.ruling["name"].as_str().unwrap_or_default()
    }

    /// An argument that is a text.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.ruling.get(key).and_then(Value::as_str)
    }

    /// The argument that refers to an event by its type, if there is one, and that type.
    pub(super) fn refers(&self) -> Option<(&'static str, &str)> {
        self.refers.as_ref().map(|(key, name)| (*key, name.as_str()))
    }

    /// The ruling, once it is known which event it refers to.
    pub(super) fn ruling(&self, referred: Option<u64>) -> Result<Ruling, RulingError> {
        let mut object = self.ruling.clone();
        if let (Some((key, _)), Some(number)) = (&self.refers, referred) {
            object[*key] = number.into();
        }
        Ruling::parse(&object)
    }
}

/// Reads what stands between the brackets of `arb(…)` and `op(…)`.
pub(super) fn parse(inner: &str) -> Result<Vec<Token>, Fault> {
    if let Some(tokens) = interruption(inner) {
        return Ok(tokens);
    }
    if let Some(order) = phrase(inner) {
        return Ok(vec![Token::Order(order)]);
    }
    let mut words = words(inner).into_iter();
    let (name_at, name) = words.next().ok_or_else(|| Fault::new(0, "the name of a ruling is missing"))?;
    // An unknown name is refused in the words of everything that takes rulings.
    let known = ruling::arguments(&name).unwrap_or_default();
    let mut object = Map::from_iter([("name".to_owned(), Value::from(name.as_str()))]);
    let mut refers = None;
    let mut unnamed = known.iter().map(|argument| argument.trim_start_matches('?'));
    for (at, word) in words {
        let (key, text) = match word.split_once('=') {
            Some((key, text)) => (key.to_owned(), text.to_owned()),
            None => match unnamed.find(|key| !object.contains_key(*key)) {
                Some(key) => (key.to_owned(), word),
                None if known.is_empty() && ruling::arguments(&name).is_none() => break,
                None => return Err(Fault::new(at, format!("ruling \"{name}\" takes no \"{word}\""))),
            },
        };
        let reference = REFERENCES.into_iter().find(|reference| *reference == key);
        match (reference, text.parse::<u64>()) {
            (Some(reference), Err(_)) => {
                if let Some(what) = unknown_reference(reference, &text) {
                    return Err(Fault::new(at, what));
                }
                refers = Some((reference, text));
                // So that it is not missing.
                object.insert(key, 0.into());
            }
            _ => {
                let value = value(&key, &text);
                object.insert(key, value);
            }
        }
    }
    let order = Order { ruling: Value::Object(object), refers };
    order.ruling(None).map_err(|error| Fault::new(name_at, error.to_string()))?;
    Ok(vec![Token::Order(order)])
}

/// What is wrong with the type of an event or the name of a ruling that is referred to.
fn unknown_reference(reference: &str, name: &str) -> Option<String> {
    if reference == "ruling" {
        let ruled = Ruling::parse(&serde_json::json!({ "name": name }));
        return ruled
            .err()
            .filter(|error| matches!(error, RulingError::UnknownName { .. }))
            .map(|error| error.to_string());
    }
    (!registry::is_known(name)).then(|| registry::unknown_name(name))
}

/// Words of an order; a quoted text is one word, `text="a b"` too.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let (mut is_quoted, mut is_inside) = (false, false);
    for (at, letter) in text.char_indices() {
        if !is_quoted && (letter.is_whitespace() || letter == ',') {
            is_inside = false;
            continue;
        }
        if !std::mem::replace(&mut is_inside, true) {
            words.push((at, String::new()));
        }
        if letter == '"' {
            is_quoted = !is_quoted;
        } else if let Some((_, word)) = words.last_mut() {
            word.push(letter);
        }
    }
    words
}

/// `op(sensor cable out 5 min)`: link lost, wait, link back.
fn interruption(inner: &str) -> Option<Vec<Token>> {
    let time = inner.trim().strip_prefix("sensor cable out ")?;
    let ms = u64::try_from(super::duration::parse(time)?.ms).ok()?;
    let link = |state: &str| -> Option<Token> { parse(&format!("link {state}")).ok()?.pop() };
    Some(vec![link("lost")?, Token::Wait(ms), link("back")?])
}

/// Words in which laws-scenarios.md says a ruling (scenario-format.md, last section).
pub(super) fn phrase(inner: &str) -> Option<Order> {
    let words: Vec<&str> = inner.split_whitespace().collect();
    let text = match words.as_slice() {
        ["claim" | "complaint", "by", side] => format!("claim-illegal-move side={side}"),
        ["found"] => "displacement-found".to_owned(),
        ["draw", "agreed"] => "draw-agreed".to_owned(),
        ["sheets", "incomplete"] => "scoresheets-incomplete".to_owned(),
        ["end", "reconstruct"] => "end-reconstruct".to_owned(),
        ["sealed", "move", text] => format!("seal-move text={text}"),
        [side @ ("white" | "black"), "resigns"] => format!("resign side={side}"),
        [side @ ("white" | "black"), "has", "an", "assistant"] => format!("assistant side={side}"),
        _ => return None,
    };
    match parse(&text).ok()?.pop()? {
        Token::Order(order) => Some(order),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn order(text: &str) -> Order {
        match parse(text).unwrap().pop().unwrap() {
            Token::Order(order) => order,
            other => panic!("{other:?}"),
        }
    }

    fn json(text: &str) -> Value {
        order(text).ruling(Some(7)).unwrap().to_json()
    }

    #[test]
    fn arguments_stand_with_or_without_their_names() {
        assert_eq!(json("result 1-0"), json!({"name": "result", "value": "1-0", "by": null}));
        assert_eq!(
            json("add-time-opponent side=black ms=+2:00"),
            json!({"name": "add-time-opponent", "side": "black", "ms": 120_000, "by": null})
        );
        assert_eq!(json("draw-offer white \"only now\"")["text"], "only now");
        assert_eq!(json("link lost")["state"], "lost");
        assert_eq!(json("report-illegal 3")["ply"], 3);
        assert_eq!(json("confirm touch-move-suspected choice=a")["record"], 7);
        assert_eq!(order("confirm touch-move-suspected").refers(), Some(("record", "touch-move-suspected")));
        assert_eq!(json("confirm 12")["record"], 12);
    }

    #[test]
    fn the_words_of_the_rows_are_rulings_too() {
        assert_eq!(json("claim by black"), json("claim-illegal-move side=black"));
        assert_eq!(json("found"), json("displacement-found"));
        assert_eq!(json("draw agreed"), json("draw-agreed"));
        assert_eq!(json("sealed move Qd8"), json("seal-move text=Qd8"));
        assert_eq!(json("white resigns"), json("resign side=white"));
        assert_eq!(parse("sensor cable out 5 min").unwrap().len(), 3);
    }

    #[test]
    fn an_unknown_word_names_the_nearest() {
        let fault = |text: &str| parse(text).unwrap_err();
        assert_eq!(fault("confrim x").what, "no ruling is called \"confrim\"; did you mean \"confirm\"?");
        assert_eq!(fault("resign").what, "ruling \"resign\" needs the argument \"side\"");
        assert_eq!(fault("draw-agreed now"), Fault::new(12, "ruling \"draw-agreed\" takes no \"now\""));
        assert!(fault("resign sied=white").what.contains("has no argument \"sied\""));
    }
}
