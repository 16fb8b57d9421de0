//! What Lichess answers to a push, and what that means.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde::Deserialize;

use crate::feed::http;

/// What came of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// Taken, but for those games that have an error; in the order of the push.
    Taken(Vec<Option<String>>),
    /// Something in it is not PGN in the eyes of Lichess, and it does not say which game.
    Unreadable(String),
    /// Somebody has to put something right first.
    Misconfigured(String),
    /// Lichess wants to be left alone for so long, if it says how long.
    Throttled(Option<Duration>),
    /// It may be otherwise the next time.
    Failed(String),
}

#[derive(Deserialize)]
struct Body {
    games: Vec<OneGame>,
}

#[derive(Deserialize)]
struct OneGame {
    error: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl Answer {
    /// Reads the answer to a push of `count` games.
    pub(super) fn read(status: StatusCode, headers: &HeaderMap, body: &str, count: usize) -> Self {
        let said =
            || serde_json::from_str(body).map_or_else(|_| format!("{status}"), |Refusal { error }| error);
        match status {
            StatusCode::OK => Self::read_taken(body, count),
            StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
                let said = said();
                source_url(&said).unwrap_or(Self::Unreadable(said))
            }
            StatusCode::UNAUTHORIZED => Self::Misconfigured(format!(
                "Lichess does not know the token ({}): make a new one with the scope study:write at \
                 lichess.org/account/oauth/token and put it into the file that [feeds.lichess] token names",
                said()
            )),
            StatusCode::FORBIDDEN => Self::Misconfigured(format!(
                "Lichess does not let this token push there ({}): it needs the scope study:write, and its owner has \
                 to be a contributor of the broadcast",
                said()
            )),
            StatusCode::NOT_FOUND => Self::Misconfigured(
                "Lichess has no such round: [feeds.lichess] needs the eight letters at the end of the round's \
                 address"
                    .to_owned(),
            ),
            StatusCode::TOO_MANY_REQUESTS => Self::Throttled(http::retry_after(headers)),
            status if status.is_redirection() => Self::Misconfigured(format!(
                "{status}: redirects are not followed, the token is for Lichess alone; is [feeds.lichess] url right?"
            )),
            status if status == StatusCode::REQUEST_TIMEOUT || status.is_server_error() => {
                Self::Failed(format!("Lichess answers {status}"))
            }
            status => Self::Misconfigured(format!("Lichess answers {status} ({})", said())),
        }
    }

    fn read_taken(body: &str, count: usize) -> Self {
        let Ok(Body { games }) = serde_json::from_str(body) else {
            return Self::Failed("the answer is none of Lichess; does something stand between?".to_owned());
        };
        let errors: Vec<Option<String>> = games.into_iter().map(|game| game.error).collect();
        // One answer for all: it is the round that is wrong, not the games.
        if let [Some(error)] = &errors[..]
            && let Some(answer) = source_url(error)
        {
            return answer;
        }
        if errors.len() == count {
            return Self::Taken(errors);
        }
        Self::Unreadable(format!("Lichess found {} games where there were {count}", errors.len()))
    }
}

/// What it says when the round gets its games from elsewhere.
fn source_url(said: &str) -> Option<Answer> {
    said.contains("upstream URL").then(|| {
        Answer::Misconfigured(
            "the Lichess round has a source URL: take it away in the round's settings there, and choose that games \
             are pushed"
                .to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, body: &str, count: usize) -> Answer {
        Answer::read(StatusCode::from_u16(status).unwrap(), &HeaderMap::new(), body, count)
    }

    #[test]
    fn errors_of_games_stand_beside_those_that_were_taken() {
        let body = r#"{"games":[{"tags":{"White":"A"},"moves":2},{"tags":{},"error":"Cannot parse"}]}"#;
        assert_eq!(read(200, body, 2), Answer::Taken(vec![None, Some("Cannot parse".to_owned())]));
        assert!(matches!(read(200, body, 3), Answer::Unreadable(_)));
        assert!(matches!(read(200, "<html>", 2), Answer::Failed(_)));
    }

    #[test]
    fn what_a_person_has_to_do_is_said() {
        let said = |answer| match answer {
            Answer::Misconfigured(what) => what,
            other => panic!("{other:?}"),
        };
        assert!(said(read(401, r#"{"error":"No such token"}"#, 1)).contains("No such token"));
        assert!(said(read(403, r#"{"error":"Missing scope"}"#, 1)).contains("study:write"));
        assert!(said(read(404, "", 1)).contains("eight letters"));
        let upstream = "The relay has an upstream URL, and cannot be pushed to.";
        let in_games = format!(r#"{{"games":[{{"tags":{{}},"error":"{upstream}"}}]}}"#);
        assert!(said(read(200, &in_games, 5)).contains("source URL"));
        assert!(said(read(400, &format!(r#"{{"error":"{upstream}"}}"#), 5)).contains("source URL"));
    }
}
