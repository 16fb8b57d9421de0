//! What feeds that go out by HTTP have in common.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::Client;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;

/// A client whose requests take no longer than `patience`, and go to nobody but who was asked.
///
/// # Errors
/// What reqwest says when it cannot be made: no certificates to trust, for example.
pub(super) fn client(patience: Duration) -> reqwest::Result<Client> {
    // One provider for the process; another part of it may have chosen it already.
    let _chosen = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        // Who we were told to trust is who gets it.
        .redirect(Policy::none())
        .timeout(patience)
        .user_agent(concat!("adoube/", env!("CARGO_PKG_VERSION")))
        .build()
}

/// How long the answer asks to wait, if it does: its `Retry-After` is in seconds, or a date.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    asked_wait(headers.get(RETRY_AFTER)?.to_str().ok()?, crate::world::now())
}

fn asked_wait(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = rfc2822::parse(text).ok()?.timestamp();
    date.duration_since(now).try_into().ok()
}

/// Why there is no answer: what lies at the bottom of the error, where the socket or TLS says it. Nothing of the
/// address is in it, which may have a key.
pub(super) fn reason(error: reqwest::Error, patience: Duration) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", patience.as_secs());
    }
    let error = error.without_url();
    let mut deepest: &dyn std::error::Error = &error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_asked_for_in_seconds_or_by_a_date() {
        let now: Timestamp = "2026-05-01T10:00:00Z".parse().unwrap();
        assert_eq!(asked_wait("120", now), Some(Duration::from_secs(120)));
        assert_eq!(asked_wait("Fri, 01 May 2026 10:00:30 GMT", now), Some(Duration::from_secs(30)));
        for nonsense in ["", "soon", "-3", "Fri, 01 May 2026 09:00:00 GMT"] {
            assert_eq!(asked_wait(nonsense, now), None, "{nonsense}");
        }
    }
}
