//! Which game: the next one, one that is sought, or a challenge.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::client::{Client, ClientError, Line, NdJson};
use super::game::patiently;
use adoube_rules::sensor::Side;

/// When its stream opens, Lichess sends the games that are going on; they have come after so long.
const CURRENT: Duration = Duration::from_secs(2);

/// What we ask Lichess for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// The game that is going on, or else the next one that begins.
    Next,
    /// Anybody who wants to play.
    Seek(Wish),
    /// This player.
    Challenge(String, Wish),
}

/// The game that we want.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    /// Minutes of each side.
    pub minutes: u32,
    /// Seconds that a move adds.
    pub increment_s: u32,
    /// The side that we want; `None`: either.
    pub side: Option<Side>,
    /// It counts for the rating.
    pub is_rated: bool,
    /// Chess960.
    pub is_chess960: bool,
}

/// Finds a game; gives its id. `note` is told what happens meanwhile.
///
/// # Errors
/// A sentence that says why there is none.
pub async fn find(client: &Client, ask: &Ask, mut note: impl FnMut(String)) -> Result<String, String> {
    let mut events = patiently(async || client.stream(Method::GET, "/api/stream/event", &[]).await).await?;
    let old = if *ask == Ask::Next { BTreeSet::new() } else { current(&mut events).await };
    // Held open: a seek lasts as long as its connection.
    let mut held = match ask {
        Ask::Next => {
            note("waiting for a game: start one on Lichess, or accept a challenge there".to_owned());
            None
        }
        Ask::Seek(wish) => {
            let mut form = form(*wish);
            form.extend([("time", wish.minutes.to_string()), ("increment", wish.increment_s.to_string())]);
            let held = patiently(async || client.stream(Method::POST, "/api/board/seek", &form).await).await;
            let hint = |error: String| match error.contains("time control") {
                true => format!("{error}: with a board Lichess seeks games of rapid and slower, like 15+10"),
                false => error,
            };
            note(format!("seeking somebody for {}+{}", wish.minutes, wish.increment_s));
            Some(held.map_err(hint)?)
        }
        Ask::Challenge(user, wish) => {
            let mut form = form(*wish);
            form.extend([
                ("clock.limit", (60 * wish.minutes).to_string()),
                ("clock.increment", wish.increment_s.to_string()),
                ("keepAliveStream", "true".to_owned()),
            ]);
            let is_name = !user.is_empty()
                && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
            if !is_name {
                return Err(format!("--challenge {user}: is no name of a player"));
            }
            let path = format!("/api/challenge/{user}");
            note(format!("challenging {user} to {}+{}", wish.minutes, wish.increment_s));
            Some(patiently(async || client.stream(Method::POST, &path, &form).await).await?)
        }
    };
    loop {
        let line = tokio::select! {
            line = events.next() => line,
            answer = answer(&mut held) => {
                match answer {
                    Some(word) if word == "accepted" => {}
                    Some(word) => return Err(format!("the challenge was {word}")),
                    // The game that came of it is on the other stream.
                    None => held = None,
                }
                continue;
            }
        };
        match line {
            Ok(Line::Json(event)) => match game(&event, &mut note)? {
                Some(id) if !old.contains(&id) => return Ok(id),
                _ => {}
            },
            Ok(Line::Alive) => {}
            Ok(Line::End) | Err(ClientError::Later { .. }) => {
                events =
                    patiently(async || client.stream(Method::GET, "/api/stream/event", &[]).await).await?;
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn form(wish: Wish) -> Vec<(&'static str, String)> {
    let color = wish.side.map_or("random", Side::name);
    let variant = if wish.is_chess960 { "chess960" } else { "standard" };
    vec![("rated", wish.is_rated.to_string()), ("color", color.to_owned()), ("variant", variant.to_owned())]
}

/// The games that go on already.
async fn current(events: &mut NdJson) -> BTreeSet<String> {
    let (mut games, until) = (BTreeSet::new(), Instant::now() + CURRENT);
    while let Ok(Ok(Line::Json(event))) = timeout(until.duration_since(Instant::now()), events.next()).await {
        if let Ok(Some(id)) = game(&event, &mut |_| {}) {
            games.insert(id);
        }
    }
    games
}

/// The id of a game that begins, if an event says that.
fn game(event: &Value, note: &mut impl FnMut(String)) -> Result<Option<String>, String> {
    let text = |json: &Value, path: &str| json.pointer(path).and_then(Value::as_str).map(str::to_owned);
    match event.get("type").and_then(Value::as_str) {
        Some("gameStart") => {
            let id = text(event, "/game/gameId").or_else(|| text(event, "/game/id"));
            if event.pointer("/game/compat/board") == Some(&Value::Bool(false)) {
                let id = id.unwrap_or_default();
                note(format!(
                    "game {id}: Lichess lets no board play it; it is too fast, or of a kind without boards"
                ));
                return Ok(None);
            }
            Ok(id)
        }
        Some("challenge") => {
            let is_ours = text(event, "/challenge/direction").is_some_and(|direction| direction == "out");
            if let Some(from) = text(event, "/challenge/challenger/name").filter(|_| !is_ours) {
                note(format!("a challenge by {from}: accept it on Lichess"));
            }
            Ok(None)
        }
        Some("challengeDeclined") => {
            let reason = text(event, "/challenge/declineReason").unwrap_or_default();
            Err(format!("the challenge was declined: {reason}"))
        }
        _ => Ok(None),
    }
}

/// What a seek or a challenge comes to: `accepted`, `declined`, `canceled`; `None` if its stream has ended.
async fn answer(held: &mut Option<NdJson>) -> Option<String> {
    let Some(stream) = held else { return std::future::pending().await };
    loop {
        match stream.next().await {
            Ok(Line::Json(json)) => {
                if let Some(done) = json.get("done").and_then(Value::as_str) {
                    return Some(done.to_owned());
                }
            }
            Ok(Line::Alive) => {}
            Ok(Line::End) | Err(_) => return None,
        }
    }
}
