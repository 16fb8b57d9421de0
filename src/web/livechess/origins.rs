//! Whose web pages may ask.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, HOST, ORIGIN,
    VARY,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// A browser asks so whether pages of the world may look into this machine.
const ALLOW_PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// The pages that are let in. Programs that are no pages say no origin, and are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins(Option<Vec<String>>);

impl Origins {
    /// These, as browsers write them (`https://lichess.org`); `*` among them is all.
    #[must_use]
    pub fn new(origins: &[String]) -> Self {
        let is_all = origins.iter().any(|origin| origin == "*");
        Self((!is_all).then(|| origins.to_vec()))
    }

    /// Every page is let in.
    #[must_use]
    pub fn are_all(&self) -> bool {
        self.0.is_none()
    }

    /// Passes the request on, if it may pass, and lets the browser pass the answer on to the page.
    pub(super) async fn check(&self, request: Request, next: Next) -> Response {
        if !self.admits(request.headers()) {
            let detail = "[feeds.livechess] origins in adoube.toml does not have this page's origin";
            return (StatusCode::FORBIDDEN, detail).into_response();
        }
        let origin = request.headers().get(ORIGIN).cloned();
        let mut response = match *request.method() {
            Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
            _ => next.run(request).await,
        };
        let headers = response.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("Origin"));
        if let Some(origin) = origin {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET"));
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
            headers.insert(ALLOW_PRIVATE_NETWORK, HeaderValue::from_static("true"));
        }
        response
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(admitted) = &self.0 else { return true };
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let is_of = |origin: &str| admitted.iter().any(|admitted| admitted.eq_ignore_ascii_case(origin));
        // A page whose own name leads here asks without an origin: that name is not ours (DNS rebinding).
        text(ORIGIN).is_none_or(is_of) && text(HOST).is_none_or(is_this_machine)
    }
}

fn is_this_machine(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|ip| ip.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(origins: &[&str], headers: &[(HeaderName, &'static str)]) -> bool {
        let origins: Vec<String> = origins.iter().map(|&origin| origin.to_owned()).collect();
        let headers =
            headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
        Origins::new(&origins).admits(&headers)
    }

    #[test]
    fn a_list_lets_in_its_own_and_programs() {
        let lichess = ["https://lichess.org", "http://localhost:8080"];
        for origin in ["https://lichess.org", "HTTPS://Lichess.org", "http://localhost:8080"] {
            assert!(admits(&lichess, &[(ORIGIN, origin)]), "{origin}");
        }
        for origin in
            ["https://lichess.org.evil.example", "http://lichess.org", "null", "", "http://localhost"]
        {
            assert!(!admits(&lichess, &[(ORIGIN, origin)]), "{origin}");
            assert!(admits(&["*"], &[(ORIGIN, origin)]) && admits(&["x://y", "*"], &[(ORIGIN, origin)]));
        }
        assert!(admits(&lichess, &[]) && !admits(&[], &[(ORIGIN, "https://lichess.org")]));
    }

    #[test]
    fn a_list_is_not_passed_by_under_another_name_of_this_machine() {
        for host in ["localhost:1982", "127.0.0.1:1982", "[::1]:1982", "LOCALHOST"] {
            assert!(admits(&[], &[(HOST, host)]), "{host}");
        }
        for host in ["evil.example:1982", "127.0.0.1.evil.example", "", "192.168.1.7"] {
            assert!(!admits(&[], &[(HOST, host)]), "{host}");
            assert!(admits(&["*"], &[(HOST, host)]), "{host}");
        }
    }
}
