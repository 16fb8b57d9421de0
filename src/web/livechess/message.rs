//! What goes over the socket: calls in, answers and news out.

use serde::Serialize;
use serde_json::{Value, json};

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// Whatever the program calls it: that comes back as it is.
    pub(super) id: Value,
    /// What is asked for.
    pub(super) call: Result<Call, String>,
}

/// What can be asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Call {
    Eboards,
    Sources,
    Subscribe { feed: Value, serialnr: String },
    Unsubscribe { feed: Value },
    SetUp { feed: Value, fen: String },
    Flip { feed: Value, flip: bool },
}

/// Reads a call. What is wrong with it is answered under its id, as far as there is one.
pub(super) fn read(text: &str) -> Request {
    match serde_json::from_str::<Value>(text) {
        Ok(request) => Request { id: request.get("id").cloned().unwrap_or_default(), call: call(&request) },
        Err(error) => Request { id: Value::Null, call: Err(format!("not JSON: {error}")) },
    }
}

fn call(request: &Value) -> Result<Call, String> {
    let param = |key: &str| request.get("param").and_then(|param| param.get(key));
    let name = request.get("call").and_then(Value::as_str).ok_or("\"call\" is missing, or no text")?;
    let feed = || param("id").cloned().ok_or_else(|| format!("{name}: param.id is missing"));
    match name {
        "eboards" => Ok(Call::Eboards),
        "sources" => Ok(Call::Sources),
        "subscribe" => subscribe(feed()?, param("feed"), param("param")),
        "unsubscribe" => Ok(Call::Unsubscribe { feed: feed()? }),
        "call" => method(feed()?, param("method"), param("param")),
        other => Err(format!(
            "no call is named \"{other}\"; there are eboards, sources, subscribe, unsubscribe and call"
        )),
    }
}

fn subscribe(feed: Value, name: Option<&Value>, param: Option<&Value>) -> Result<Call, String> {
    match name.and_then(Value::as_str) {
        Some("eboardevent") => {}
        Some(other) => return Err(format!("no feed is named \"{other}\"; there is eboardevent")),
        None => return Err("subscribe: param.feed is missing; there is eboardevent".to_owned()),
    }
    let serialnr = match param.and_then(|param| param.get("serialnr")) {
        Some(Value::String(serialnr)) => serialnr.clone(),
        // A number is all that a serial number is for some.
        Some(Value::Number(serialnr)) => serialnr.to_string(),
        _ => return Err("subscribe: param.param.serialnr is missing".to_owned()),
    };
    Ok(Call::Subscribe { feed, serialnr })
}

fn method(feed: Value, name: Option<&Value>, param: Option<&Value>) -> Result<Call, String> {
    let param = |key: &str| param.and_then(|param| param.get(key));
    match name.and_then(Value::as_str) {
        Some("setup") => {
            let fen = param("fen")
                .and_then(Value::as_str)
                .ok_or("setup: param.param.fen is missing, or no text")?;
            Ok(Call::SetUp { feed, fen: fen.to_owned() })
        }
        Some("flip") => {
            let flip = param("flip").and_then(Value::as_bool);
            let flip = flip.ok_or("flip: param.param.flip is missing, or neither true nor false")?;
            Ok(Call::Flip { feed, flip })
        }
        Some(other) => Err(format!("eboardevent has no method \"{other}\"; there are setup and flip")),
        None => Err("call: param.method is missing; there are setup and flip".to_owned()),
    }
}

/// What is sent; programs look at the text itself, so the order of the fields is that of LiveChess.
#[derive(Debug, Serialize)]
struct Message<'a, P> {
    response: &'static str,
    id: &'a Value,
    param: P,
    time: i64,
}

/// The answer to a call.
pub(super) fn reply(id: &Value, param: &impl Serialize, time: i64) -> String {
    text(&Message { response: "call", id, param, time })
}

/// The answer to a call that cannot be carried out.
pub(super) fn error(id: &Value, message: &str, time: i64) -> String {
    text(&Message { response: "error", id, param: json!({ "message": message }), time })
}

/// News for a subscription.
pub(super) fn feed(id: &Value, param: &impl Serialize, time: i64) -> String {
    text(&Message { response: "feed", id, param, time })
}

fn text<P: Serialize>(message: &Message<'_, P>) -> String {
    // Plain texts and numbers into memory: that cannot fail.
    serde_json::to_string(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_known_programs_are_understood() {
        let call = |text: &str| read(text).call.unwrap();
        assert_eq!(call(r#"{"id":1,"call":"eboards"}"#), Call::Eboards);
        assert_eq!(call(r#"{"call":"eboards","id":1,"param":null}"#), Call::Eboards);
        assert_eq!(call(r#"{"call":"sources","id":"a","param":null}"#), Call::Sources);
        let subscribe = r#"{"call":"subscribe","id":42,"param":{"feed":"eboardevent","id":7,"param":{"serialnr":"7425"}}}"#;
        let serialnr = "7425".to_owned();
        assert_eq!(call(subscribe), Call::Subscribe { feed: json!(7), serialnr });
        assert_eq!(read(subscribe).id, json!(42));
        let set_up =
            r#"{"id":2,"call":"call","param":{"id":7,"method":"setup","param":{"fen":"8/8 w - - 0 1"}}}"#;
        assert_eq!(call(set_up), Call::SetUp { feed: json!(7), fen: "8/8 w - - 0 1".to_owned() });
        let flip = r#"{"id":2,"call":"call","param":{"id":7,"method":"flip","param":{"flip":true}}}"#;
        assert_eq!(call(flip), Call::Flip { feed: json!(7), flip: true });
        assert_eq!(
            call(r#"{"call":"unsubscribe","id":3,"param":{"id":7}}"#),
            Call::Unsubscribe { feed: json!(7) }
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = [
            "{",
            "[]",
            r#"{"id":1}"#,
            r#"{"id":1,"call":"eboard"}"#,
            r#"{"id":1,"call":"subscribe","param":{"feed":"tournament","id":1}}"#,
            r#"{"id":1,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{}}}"#,
            r#"{"id":1,"call":"subscribe","param":{"feed":"eboardevent"}}"#,
            r#"{"id":1,"call":"subscribe"}"#,
            r#"{"id":1,"call":"unsubscribe","param":null}"#,
            r#"{"id":1,"call":"call","param":{"id":1,"method":"turn"}}"#,
            r#"{"id":1,"call":"call","param":{"id":1}}"#,
            r#"{"id":1,"call":"call","param":{"id":1,"method":"setup","param":{"fen":7}}}"#,
            r#"{"id":1,"call":"call","param":{"id":1,"method":"flip"}}"#,
        ]
        .map(|text| read(text).call.unwrap_err());
        insta::assert_snapshot!(said.join("\n"), @r#"
        not JSON: EOF while parsing an object at line 1 column 1
        "call" is missing, or no text
        "call" is missing, or no text
        no call is named "eboard"; there are eboards, sources, subscribe, unsubscribe and call
        no feed is named "tournament"; there is eboardevent
        subscribe: param.param.serialnr is missing
        subscribe: param.id is missing
        subscribe: param.id is missing
        unsubscribe: param.id is missing
        eboardevent has no method "turn"; there are setup and flip
        call: param.method is missing; there are setup and flip
        setup: param.param.fen is missing, or no text
        flip: param.param.flip is missing, or neither true nor false
        "#);
    }

    #[test]
    fn messages_are_compact_and_in_order() {
        assert_eq!(
            reply(&json!(36), &json!([{ "serialnr": "1" }]), 7),
            r#"{"response":"call","id":36,"param":[{"serialnr":"1"}],"time":7}"#
        );
        assert_eq!(reply(&json!("1"), &(), 7), r#"{"response":"call","id":"1","param":null,"time":7}"#);
        assert_eq!(
            error(&Value::Null, "no", 7),
            r#"{"response":"error","id":null,"param":{"message":"no"},"time":7}"#
        );
        // As they came, whatever they are.
        for id in ["1", "1.0", "-7", "18446744073709551615", "\"1\"", "null", "[1]"] {
            let id: Value = serde_json::from_str(id).unwrap();
            assert!(feed(&id, &(), 7).contains(&format!(r#""id":{id},"#)));
        }
    }
}
