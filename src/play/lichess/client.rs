//! Requests to Lichess: who asks, how long to wait, what an answer means.

use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use serde_json::Value;
use tokio::time::timeout;

use super::super::lines::Lines;

/// An answer to a request takes no longer; a stream that is open may be silent for [`SILENCE`].
const PATIENCE: Duration = Duration::from_secs(15);
/// Lichess sends an empty line every six or seven seconds: after three of them the line is dead.
const SILENCE: Duration = Duration::from_secs(25);
/// What Lichess asks of whoever is told 429.
const TOO_MANY: Duration = Duration::from_mins(1);
/// A longer wait than this is none that a game outlasts.
const LONGEST_ASKED: Duration = Duration::from_mins(10);

/// Why a request came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// It would be so again.
    #[error("{0}")]
    Refused(String),
    /// It may be otherwise after this time.
    #[error("{reason}")]
    Later {
        /// Why.
        reason: String,
        /// How long to wait at least.
        wait: Duration,
    },
}

impl ClientError {
    fn later(reason: impl Into<String>) -> Self {
        Self::Later { reason: reason.into(), wait: Duration::ZERO }
    }
}

/// Somebody with a token.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: Url,
    token: String,
}

/// The token is nobody's business.
impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the Lichess at `url`.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the address or this machine.
    pub fn new(url: &str, token: &str) -> Result<Self, String> {
        let parsed = Url::parse(url).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
        let url = parsed
            .ok_or_else(|| format!("--url {url}: is no http or https address, like https://lichess.org"))?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let is_here =
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        if url.scheme() == "http" && !is_here {
            return Err(format!("--url {url}: a token goes over https only"));
        }
        // One provider for the process; another part of it may have chosen it already.
        let _chosen = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            // The token goes to whom we were told to trust.
            .redirect(Policy::none())
            .connect_timeout(PATIENCE)
            .user_agent(concat!("adoube/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| {
                format!("no https here: {error}; are the certificates of the system there (ca-certificates)?")
            })?;
        Ok(Self { http, url, token: token.to_owned() })
    }

    /// Where the game can be looked at.
    #[must_use]
    pub fn page(&self, game: &str) -> String {
        self.url.join(game).map_or_else(|_| game.to_owned(), Into::into)
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, ClientError> {
        let url = self.url.join(path).map_err(|error| ClientError::Refused(format!("{path}: {error}")))?;
        Ok(self.http.request(method, url).bearer_auth(&self.token))
    }

    /// Gets a JSON object.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn get(&self, path: &str) -> Result<Value, ClientError> {
        let request = self.request(Method::GET, path)?;
        let work = async {
            answered(request.send().await)?.ok_or_error().await?.json().await.map_err(|error| broken(&error))
        };
        timeout(PATIENCE, work).await.map_err(|_| slow())?
    }

    /// Posts a form and waits until it is taken.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn post(&self, path: &str, form: &[(&str, String)]) -> Result<(), ClientError> {
        let request = self.request(Method::POST, path)?.body(encoded(form));
        let request = request.header("Content-Type", "application/x-www-form-urlencoded");
        let work = async { answered(request.send().await)?.ok_or_error().await.map(drop) };
        timeout(PATIENCE, work).await.map_err(|_| slow())?
    }

    /// Opens a stream of lines.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn stream(
        &self,
        method: Method,
        path: &str,
        form: &[(&str, String)],
    ) -> Result<NdJson, ClientError> {
        let mut request = self.request(method, path)?.header("Accept", "application/x-ndjson");
        if !form.is_empty() {
            request = request.body(encoded(form)).header("Content-Type", "application/x-www-form-urlencoded");
        }
        let work = async { answered(request.send().await)?.ok_or_error().await };
        let response = timeout(PATIENCE, work).await.map_err(|_| slow())??;
        Ok(NdJson { response, lines: Lines::default(), heard: Vec::new().into_iter() })
    }
}

fn slow() -> ClientError {
    ClientError::later(format!("no answer within {} s", PATIENCE.as_secs()))
}

/// What the socket or TLS says, at the bottom of an error.
fn broken(error: &reqwest::Error) -> ClientError {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    ClientError::later(deepest.to_string())
}

fn answered(answer: Result<Response, reqwest::Error>) -> Result<Answer, ClientError> {
    answer.map(Answer).map_err(|error| broken(&error))
}

/// An answer whose status was not looked at yet.
struct Answer(Response);

impl Answer {
    async fn ok_or_error(self) -> Result<Response, ClientError> {
        let Self(response) = self;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let asked = response.headers().get(RETRY_AFTER).and_then(|text| text.to_str().ok()?.parse().ok());
        let wait = asked.map_or(TOO_MANY, Duration::from_secs).min(LONGEST_ASKED);
        let said = said(response.text().await.unwrap_or_default().trim());
        Err(match status {
            StatusCode::TOO_MANY_REQUESTS => ClientError::Later {
                reason: format!("Lichess is asked too often and wants {} s of peace", wait.as_secs()),
                wait,
            },
            status if status.is_server_error() => ClientError::later(format!("Lichess answers {status}")),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ClientError::Refused(format!(
                "Lichess does not take the token{}; it needs the permission board:play",
                in_brackets(&said)
            )),
            StatusCode::NOT_FOUND => {
                ClientError::Refused(format!("Lichess does not know that{}", in_brackets(&said)))
            }
            status => {
                ClientError::Refused(if said.is_empty() { format!("Lichess answers {status}") } else { said })
            }
        })
    }
}

/// What an error of Lichess says: a text, or fields with texts.
fn said(body: &str) -> String {
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    let error = json.get("error").unwrap_or(&Value::Null);
    let text = match error {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let words = fields.values().flat_map(|value| match value {
                Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                Value::String(text) => vec![text.as_str()],
                _ => Vec::new(),
            });
            words.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    };
    // A page of HTML says nothing to a player.
    text.chars().take(200).collect()
}

fn in_brackets(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(" ({said})") }
}

fn encoded(form: &[(&str, String)]) -> String {
    let escape = |text: &str| -> String {
        let byte = |byte: u8| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect()
    };
    form.iter().map(|(key, value)| format!("{}={}", escape(key), escape(value))).collect::<Vec<_>>().join("&")
}

/// A stream of JSON objects, one a line.
#[derive(Debug)]
pub struct NdJson {
    response: Response,
    lines: Lines,
    heard: std::vec::IntoIter<String>,
}

/// What a stream brings.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// An object.
    Json(Value),
    /// An empty line: it lives.
    Alive,
    /// The server closed it.
    End,
}

impl NdJson {
    /// The next line. What is no JSON is passed over.
    ///
    /// # Errors
    /// [`ClientError::Later`] if the stream broke or fell silent.
    pub async fn next(&mut self) -> Result<Line, ClientError> {
        loop {
            for line in self.heard.by_ref() {
                if line.trim().is_empty() {
                    return Ok(Line::Alive);
                }
                match serde_json::from_str(&line) {
                    Ok(json) => return Ok(Line::Json(json)),
                    Err(error) => tracing::warn!(%error, "a line of Lichess that is no JSON"),
                }
            }
            match timeout(SILENCE, self.response.chunk()).await {
                Err(_) => return Err(ClientError::later("the stream has fallen silent")),
                Ok(Err(error)) => return Err(broken(&error)),
                Ok(Ok(None)) => return Ok(Line::End),
                Ok(Ok(Some(bytes))) => self.heard = self.lines.push(&bytes).into_iter(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_over_https_or_stays_here() {
        assert!(Client::new("https://lichess.org", "t").is_ok());
        assert!(Client::new("http://127.0.0.1:9663", "t").is_ok());
        for wrong in ["http://lichess.org", "ftp://lichess.org", "lichess.org", ""] {
            let error = Client::new(wrong, "t").unwrap_err();
            assert!(error.starts_with("--url "), "{error}");
        }
        let client = Client::new("https://lichess.org", "lip_secret").unwrap();
        assert!(!format!("{client:?}").contains("secret"));
        assert_eq!(client.page("abcd1234"), "https://lichess.org/abcd1234");
    }

    #[test]
    fn errors_are_read_whatever_their_shape() {
        assert_eq!(said(r#"{"error":"Not your turn"}"#), "Not your turn");
        assert_eq!(
            said(r#"{"global":["x"],"error":{"global":["Invalid time control"]}}"#),
            "Invalid time control"
        );
        assert_eq!(said("<html>"), "");
    }

    #[test]
    fn forms_are_encoded() {
        let form = [("clock.limit", "900".to_owned()), ("rules", "noAbort,noRematch".to_owned())];
        assert_eq!(encoded(&form), "clock.limit=900&rules=noAbort%2CnoRematch");
    }
}
