//! Sessions that are saved, and that go on elsewhere as if nothing had happened.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Session;

/// The state of a session, for [`Session::state`].
pub(super) fn saved(session: &impl Serialize) -> Value {
    serde_json::to_value(session).expect("every key of a session is the name of a field or of a timer")
}

/// The session with that state, for [`Protocol::resume`](super::Protocol::resume).
pub(super) fn resumed<S>(state: &Value) -> Result<Box<dyn Session>, String>
where
    S: Session + DeserializeOwned + 'static,
{
    let refusal =
        |what: String| format!("the conversation cannot go on where it was saved, begin a new one: {what}");
    let session = S::deserialize(state).map_err(|error| refusal(error.to_string()))?;
    // Serde passes over what it does not know, and what may be missing: a state of another version would be
    // taken for half of one.
    if session.state() != *state {
        return Err(refusal("what was saved is more or less than this version saves".to_owned()));
    }
    Ok(Box::new(session))
}
