//! What every answer carries, and who may ask at all.

use axum::extract::Request;
use axum::http::header::{CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// Our pages bring everything with them.
const POLICY: &str = "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
                      frame-ancestors 'self'; base-uri 'none'; form-action 'self'";

/// Adds the headers that keep a page to itself.
pub(super) async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Refuses what other web pages make a browser on this machine ask for: a name that resolves to
/// loopback (Host), or a request from another page (Origin).
pub(super) async fn own_pages_only(request: Request, next: Next) -> Response {
    let header = |headers: &HeaderMap, name| {
        headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_owned)
    };
    let host = header(request.headers(), HOST);
    let is_ours = host.as_deref().is_none_or(is_address);
    let origin = header(request.headers(), ORIGIN);
    let is_own_page = origin.as_deref().is_none_or(|origin| {
        origin.split_once("://").is_some_and(|(_, authority)| Some(authority) == host.as_deref())
    });
    if is_ours && is_own_page {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "the desk answers its own pages only; open it by its address\n")
            .into_response()
    }
}

/// An address or `localhost`, with or without a port: no name that somebody else's DNS answers for.
fn is_address(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn only_addresses_are_ours() {
        for host in ["127.0.0.1:8064", "localhost", "localhost:80", "[::1]:8064", "192.168.1.7:8064"] {
            assert!(is_address(host), "{host}");
        }
        for host in ["evil.example:8064", "127.0.0.1.evil.example", ""] {
            assert!(!is_address(host), "{host}");
        }
    }
}
