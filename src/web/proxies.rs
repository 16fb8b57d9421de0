//! Proxies that are believed when they say from where somebody asks: a balancer before relays, a server that speaks TLS for
//! us. What they do not say themselves is worth nothing, since whoever asks can write it as well.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::connect_info::ConnectInfo;
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;

use super::api::Problem;
use super::socket::Peer;
use crate::config::Proxy;
use crate::hall::Places;

/// The header to which each proxy appends from where it was asked.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The proxies of a listener.
#[derive(Debug, Clone, Default)]
pub(super) struct Proxies {
    all: Arc<[Proxy]>,
    /// What those have who come through them, by where they really are.
    places: Places,
}

impl Proxies {
    pub(super) fn new(all: &[Proxy]) -> Self {
        Self { all: all.into(), places: Places::default() }
    }

    pub(super) fn has(&self, address: IpAddr) -> bool {
        self.all.iter().any(|proxy| proxy.is_at(address))
    }

    /// From where somebody asks who is connected from `peer`: what the nearest proxy says, and as long as that is one of
    /// ours, too, what it says. `None` if nobody says anything else.
    fn said(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let said: Vec<&str> = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        let mut address = peer;
        for said in said.into_iter().rev() {
            if !self.has(address) {
                break;
            }
            // Some write the port behind it.
            let said = said.trim();
            let port = said.parse::<SocketAddr>().map(|address| address.ip());
            let Ok(said) = said.parse::<IpAddr>().or(port) else { break };
            address = said;
        }
        (address != peer).then_some(address)
    }
}

/// Has whoever comes through a proxy of ours be where the proxy says: who tries tokens is slowed down himself, and has his
/// own share of the connections.
pub(super) async fn real_address(
    State(proxies): State<Proxies>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<ConnectInfo<Peer>>().map(|ConnectInfo(Peer(address))| address.ip());
    let Some(address) = peer.and_then(|peer| proxies.said(peer, request.headers())) else {
        return next.run(request).await;
    };
    let Some(place) = proxies.places.try_seat(address) else {
        let detail = "too many connections from one address";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, detail);
        return ([(RETRY_AFTER, "10")], problem).into_response();
    };
    request.extensions_mut().insert(ConnectInfo(Peer(SocketAddr::new(address, 0))));
    // It keeps its place until the answer is out; live events have no end.
    let keep = move |body: Body| {
        Body::from_stream(body.into_data_stream().map(move |part| {
            let _place = &place;
            part
        }))
    };
    next.run(request).await.map(keep)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(all: &[&str]) -> Proxies {
        Proxies::new(&all.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn a_proxy_of_ours_is_believed_and_nobody_else() {
        let proxies = proxies(&["10.0.0.0/8", "192.0.2.7"]);
        let said = |peer: &str, said: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in said {
                headers.append(FORWARDED_FOR, value.parse().unwrap());
            }
            proxies.said(peer.parse().unwrap(), &headers).map(|address| address.to_string())
        };
        let real = Some("203.0.113.9".to_owned());
        assert_eq!(said("10.1.2.3", &["203.0.113.9"]), real);
        assert_eq!(said("::ffff:10.1.2.3", &["203.0.113.9"]), real);
        // Whoever asks may have written what stands before it.
        assert_eq!(said("10.1.2.3", &["127.0.0.1, 203.0.113.9"]), real);
        assert_eq!(said("10.1.2.3", &["127.0.0.1", "203.0.113.9:4711"]), real);
        // One proxy behind the other.
        assert_eq!(said("10.1.2.3", &["203.0.113.9, 192.0.2.7"]), real);
        assert_eq!(said("203.0.113.5", &["203.0.113.9"]), None, "no proxy of ours");
        assert_eq!(said("10.1.2.3", &[]), None);
        assert_eq!(said("10.1.2.3", &["unknown"]), None);
        assert_eq!(said("10.1.2.3", &["2001:db8::5"]), Some("2001:db8::5".to_owned()));
    }
}
