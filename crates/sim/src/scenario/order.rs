//! `arb(…)` and `op(…)`: the rulings of DESIGN 5.6 in a line.

use serde_json::{Map, Value};

use super::fault::Fault;
use super::script::Token;
use super::{duration, registry};
use adoube_core::ruling::{About, Field, Form, Kind, Reference, Ruled, Ruling, RulingError, Shape};

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
    let fields = Form::of(&name).map_or(&[][..], |form| form.fields);
    let mut object = Map::from_iter([("name".to_owned(), Value::from(name.as_str()))]);
    let mut unnamed = fields.iter().map(|field| field.name);
    for (at, word) in words {
        let (key, text) = match word.split_once('=') {
            Some((key, text)) => (key.to_owned(), text.to_owned()),
            None => match unnamed.find(|key| !object.contains_key(*key)) {
                Some(key) => (key.to_owned(), word),
                None if Form::of(&name).is_none() => break,
                None => return Err(Fault::new(at, format!("ruling \"{name}\" takes no \"{word}\""))),
            },
        };
        let field = fields.iter().find(|field| field.name == key);
        if let Some(what) = field.and_then(|field| unknown_reference(field, &text)) {
            return Err(Fault::new(at, what));
        }
        object.insert(key, field.map_or_else(|| text.as_str().into(), |field| value(field, &text)));
    }
    let ruled =
        Ruled::parse(&Value::Object(object)).map_err(|error| Fault::new(name_at, error.to_string()))?;
    Ok(vec![Token::Order(ruled.ruling)])
}

/// The value of a field, as the notation writes it.
fn value(field: &Field, text: &str) -> Value {
    let number = || text.trim_start_matches('+').parse::<i64>().ok();
    let span = || duration::parse(text).filter(|_| matches!(field.kind, Kind::Time | Kind::Difference));
    match field.shape {
        Shape::Text | Shape::Choice(_) => text.into(),
        Shape::Names => text.split_whitespace().collect::<Vec<_>>().into(),
        Shape::Whole | Shape::Signed | Shape::Event | Shape::Amount => {
            span().map(|span| span.ms).or_else(number).map_or_else(|| text.into(), Value::from)
        }
    }
}

/// What is wrong with the type of an event or the name of a ruling that is referred to.
fn unknown_reference(field: &Field, name: &str) -> Option<String> {
    if field.shape != Shape::Event || name.parse::<u64>().is_ok() {
        return None;
    }
    if field.name == About::Ruling.argument() {
        let ruled = Ruled::parse(&serde_json::json!({ "name": name }));
        return ruled
            .err()
            .filter(|error| matches!(error, RulingError::UnknownName { .. }))
            .map(|error| error.to_string());
    }
    (!registry::is_known(name)).then(|| registry::unknown_name(name))
}

/// The event that a ruling refers to by its type, if it does, and that type.
pub(super) fn named(ruling: &mut Ruling) -> Option<(About, String)> {
    match ruling.reference()? {
        (about, Reference::Name(name)) => Some((about, name.clone())),
        (_, Reference::Number(_)) => None,
    }
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
    let ms = u64::try_from(duration::parse(time)?.ms).ok()?;
    let link = |state: &str| -> Option<Token> { parse(&format!("link {state}")).ok()?.pop() };
    Some(vec![link("lost")?, Token::Wait(ms), link("back")?])
}

/// Words in which laws-scenarios.md says a ruling (scenario-format.md, last section).
pub(super) fn phrase(inner: &str) -> Option<Ruling> {
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

    fn order(text: &str) -> Ruling {
        match parse(text).unwrap().pop().unwrap() {
            Token::Order(order) => order,
            other => panic!("{other:?}"),
        }
    }

    fn json(text: &str) -> Value {
        let mut ruling = order(text);
        if let Some((_, reference @ Reference::Name(_))) = ruling.reference() {
            *reference = Reference::Number(7);
        }
        Ruled::from(ruling).to_json()
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
        assert_eq!(
            named(&mut order("confirm touch-move-suspected")),
            Some((About::Record, "touch-move-suspected".to_owned()))
        );
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
