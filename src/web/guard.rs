//! What every answer carries, and which names a listener answers to.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::api::Problem;
use super::machine;

/// Our pages bring everything with them, and the given ones may show them inside of theirs.
macro_rules! policy {
    ($ancestors:literal) => {
        concat!(
            "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data:; frame-ancestors ",
            $ancestors,
            "; base-uri 'none'; form-action 'self'"
        )
    };
}

const POLICY: &str = policy!("'self'");

/// That of a board which anybody may show inside of his page: there is nothing on it to be tricked into.
pub(super) const EMBEDDED: &str = policy!("*");

/// Adds the headers that keep a page to itself, unless it says who else may have it. One connection is one viewer: with
/// HTTP/2, which browsers speak over TLS alone, it could be hundreds that no bound sees.
pub(super) async fn headers(request: Request, next: Next) -> Response {
    if request.version() == Version::HTTP_2 {
        let detail = "this listener speaks HTTP/1.1";
        return Problem::new(StatusCode::HTTP_VERSION_NOT_SUPPORTED, detail).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// The names that a listener answers to, beside every address: no name that somebody else's DNS makes up for
/// an address of ours (DNS rebinding).
#[derive(Debug, Clone)]
pub(super) struct Names(Arc<BTreeSet<String>>);

impl Names {
    /// `localhost`, the machine's own name, and those of the configuration.
    pub(super) fn new(configured: &[String]) -> Self {
        let own = machine::host_name().into_iter().flat_map(|name| [format!("{name}.local"), name]);
        let all = own.chain(configured.iter().cloned()).chain(["localhost".to_owned()]);
        Self(Arc::new(all.map(|name| plain(&name)).collect()))
    }

    fn has(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host();
        let address = name.trim_start_matches('[').trim_end_matches(']');
        let is_ours = address.parse::<IpAddr>().is_ok() || self.0.contains(&plain(name));
        is_ours && !host.contains('@')
    }
}

/// A name as it is compared.
fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// Refuses requests for a name that is not ours.
pub(super) async fn own_names_only(State(names): State<Names>, request: Request, next: Next) -> Response {
    let host = header(request.headers(), HOST.as_str());
    let host = host.or_else(|| request.uri().authority().map(Authority::as_str));
    match host.filter(|host| !names.has(host)) {
        None => next.run(request).await,
        Some(host) => {
            let detail = format!(
                "\"{host}\" is no name of this machine; use its address, or add the name: [web] names in \
                 adoube.toml, --name of a relay"
            );
            Problem::new(StatusCode::MISDIRECTED_REQUEST, detail).into_response()
        }
    }
}

/// Refuses what other web pages make a browser ask for.
pub(super) async fn own_pages_only(
    State(scheme): State<&'static str>,
    request: Request,
    next: Next,
) -> Response {
    let is_foreign_write =
        !request.method().is_safe() && site(request.headers()).is_some_and(|site| site != "same-origin");
    if origin(request.headers(), scheme) == Origin::Foreign || is_foreign_write {
        let detail = "the desk answers its own pages only; open it by its address";
        return Problem::new(StatusCode::FORBIDDEN, detail).into_response();
    }
    next.run(request).await
}

/// Does the browser say that a request comes from a page of ours?
pub(super) fn is_own_write(headers: &HeaderMap, scheme: &str) -> bool {
    match (origin(headers, scheme), site(headers)) {
        (Origin::Foreign, _) => false,
        (Origin::Own, site) => site.is_none_or(|site| site == "same-origin"),
        (Origin::None, site) => site == Some("same-origin"),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Origin {
    None,
    Own,
    Foreign,
}

fn origin(headers: &HeaderMap, scheme: &str) -> Origin {
    let Some(origin) = headers.get(ORIGIN) else { return Origin::None };
    let parts = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    let is_own = parts.is_some_and(|(of_page, authority)| {
        // A proxy before us may speak TLS for us; nobody speaks less than we do.
        (of_page == scheme || of_page == "https") && header(headers, HOST.as_str()) == Some(authority)
    });
    if is_own { Origin::Own } else { Origin::Foreign }
}

fn site(headers: &HeaderMap) -> Option<&str> {
    header(headers, "sec-fetch-site")
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    // What is no text is nobody's name.
    headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_own_names_are_ours() {
        let names = Names::new(&["Hall.example".to_owned()]);
        let mut ours = vec!["127.0.0.1:8064", "localhost", "localhost:80", "[::1]:8064", "192.168.1.7:8064"];
        ours.extend(["hall.example", "HALL.EXAMPLE.:8064"]);
        let own = machine::host_name().unwrap();
        ours.push(&own);
        for host in ours {
            assert!(names.has(host), "{host}");
        }
        let foreign =
            ["evil.example:8064", "127.0.0.1.evil.example", "", "x@127.0.0.1", "not a name", "hall"];
        for host in foreign {
            assert!(!names.has(host), "{host}");
        }
    }

    #[test]
    fn a_write_of_a_session_comes_from_a_page_of_ours() {
        let headers = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            let all = pairs.iter().chain([&("host", "127.0.0.1:8064")]);
            all.map(|&(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
        };
        let is_own = |pairs: &[_]| is_own_write(&headers(pairs), "http");
        assert!(is_own(&[("origin", "http://127.0.0.1:8064")]));
        assert!(is_own(&[("sec-fetch-site", "same-origin")]));
        assert!(!is_own(&[]), "a browser says where a write comes from");
        for origin in ["http://evil.example", "http://127.0.0.1:8065", "http://127.0.0.1", "null"] {
            assert!(!is_own(&[("origin", origin), ("sec-fetch-site", "same-origin")]), "{origin}");
        }
        assert!(!is_own(&[("origin", "http://127.0.0.1:8064"), ("sec-fetch-site", "cross-site")]));
        let under_tls = headers(&[("origin", "http://127.0.0.1:8064")]);
        assert!(!is_own_write(&under_tls, "https"));
    }
}
