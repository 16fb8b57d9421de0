//! The pages and what scripts ask for, over HTTP.
//!
//! There are two listeners. The public one is built from a [`PublicHub`] alone and cannot reach a private
//! event. The desk's knows who asks (`auth`): whoever is not logged in gets there what the public gets, from
//! the same router, and everything else is for operators and arbiters.

mod api;
mod assets;
pub(crate) mod auth;
mod gate;
mod guard;
pub(crate) mod machine;
mod socket;
mod sse;
mod tagged;
mod tls;

use gate::Gate;
use tagged::tagged;

pub use auth::{Role, Visitor};
pub use socket::{Listener, listen, serve};
pub use tls::{TlsError, acceptor};

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::middleware;
use axum::routing::{get, post};

use crate::daemon::Hall;
use crate::feed::hub::{About, Hub, Outgoing, PublicHub};
use crate::feed::pgn::EventTags;

/// What pages say beside the games.
#[derive(Clone)]
pub struct Context {
    about: Arc<dyn Fn() -> About + Send + Sync>,
    tags: EventTags,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("tags", &self.tags).finish_non_exhaustive()
    }
}

impl Context {
    /// The context of a hall.
    #[must_use]
    pub fn new(hall: &Arc<Hall>) -> Self {
        let tags = hall.tags.clone();
        // Pages that are still open must not keep a stopped hall alive.
        let weak = Arc::downgrade(hall);
        let about = move || {
            weak.upgrade().map_or_else(
                || About { now: String::new(), speed: 1.0, journal: "degraded", name: None, site: None },
                |hall| hall.about(),
            )
        };
        Self { about: Arc::new(about), tags }
    }
}

/// What handlers of one router share.
struct Pages<E> {
    hub: Arc<Hub<E>>,
    context: Context,
}

impl<E> Clone for Pages<E> {
    fn clone(&self) -> Self {
        Self { hub: Arc::clone(&self.hub), context: self.context.clone() }
    }
}

/// The spectators' listener; it answers to addresses and to `names`.
pub fn public(hub: Arc<PublicHub>, context: Context, names: &[String]) -> Router {
    let names = guard::Names::new(names);
    pages(hub, context)
        .route("/", get(assets::index))
        .fallback(api::not_found)
        .layer(middleware::from_fn_with_state(names, guard::own_names_only))
        .layer(middleware::from_fn(guard::headers))
}

/// The desk's listener; it answers to addresses and to `names`.
pub fn desk(hall: &Arc<Hall>, names: &[String]) -> Router {
    let auth = Arc::clone(&hall.auth);
    let names = guard::Names::new(names);
    let context = Context::new(hall);
    // What somebody finds who is not logged in: nothing here knows a private event.
    let spectators = pages(Arc::clone(&hall.public), context.clone()).fallback(async || auth::log_in());
    let gate = Gate { auth: Arc::clone(&auth), spectators };
    let staff = pages(Arc::clone(&hall.desk), context).merge(for_staff(hall)).fallback(api::not_found);
    // The gate comes before any of the routes behind it.
    let staff =
        Router::new().fallback_service(staff).layer(middleware::from_fn_with_state(gate, gate::staff_only));
    for_everybody()
        .merge(auth::routes(Arc::clone(&auth)))
        .fallback_service(staff)
        .layer(middleware::from_fn_with_state(Arc::clone(&auth), auth::identify))
        .layer(middleware::from_fn_with_state(auth.scheme(), guard::own_pages_only))
        .layer(middleware::from_fn_with_state(names, guard::own_names_only))
        .layer(middleware::from_fn(guard::headers))
}

/// What the desk's listener alone has, for operators and arbiters; nobody else gets through to it.
fn for_staff(hall: &Arc<Hall>) -> Router {
    Router::new().route("/api/v1/boards/{board}/rulings", post(api::rule)).with_state(Arc::downgrade(hall))
}

/// What the desk's listener alone has, for everybody: the page on which people log in, and the spectators'
/// page. None of it may know what happens in the hall.
fn for_everybody() -> Router {
    Router::new()
        .route("/", get(assets::desk_index))
        .route("/watch", get(assets::index))
        .route("/desk/{*name}", get(assets::desk_asset))
}

/// What both listeners have.
fn pages<E: Outgoing + 'static>(hub: Arc<Hub<E>>, context: Context) -> Router {
    Router::new()
        .route("/assets/{*name}", get(assets::asset))
        .route("/api/v1/boards", get(api::boards::<E>))
        .route("/api/v1/games", get(api::games::<E>))
        .route("/api/v1/games/{game}", get(api::game::<E>))
        .route("/api/v1/events", get(sse::events::<E>))
        .with_state(Pages { hub, context })
}
