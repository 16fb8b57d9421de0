//! The pages and what scripts ask for, over HTTP.
//!
//! There are two listeners, and so two routers from the same code: the public one is built from a
//! [`PublicHub`] alone and cannot reach a private event; the desk's also takes rulings.

mod api;
mod assets;
mod guard;
mod socket;
mod sse;
mod tagged;

use tagged::tagged;

pub use socket::{Listener, listen, serve};

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

/// The pages for spectators.
pub fn public(hub: Arc<PublicHub>, context: Context) -> Router {
    pages(hub, context)
}

/// The pages for the arbiter, and the rulings that he makes.
pub fn desk(hall: Arc<Hall>) -> Router {
    let context = Context::new(&hall);
    let hub = Arc::clone(&hall.desk);
    let page =
        Router::new().route("/desk", get(assets::desk_index)).route("/desk/{*name}", get(assets::desk_asset));
    let rulings = Router::new()
        .route("/api/v1/boards/{board}/rulings", post(api::rule))
        .with_state(Arc::downgrade(&hall));
    pages(hub, context).merge(page).merge(rulings).layer(middleware::from_fn(guard::own_pages_only))
}

fn pages<E: Outgoing + 'static>(hub: Arc<Hub<E>>, context: Context) -> Router {
    Router::new()
        .route("/", get(assets::index))
        .route("/assets/{*name}", get(assets::asset))
        .route("/api/v1/boards", get(api::boards::<E>))
        .route("/api/v1/games", get(api::games::<E>))
        .route("/api/v1/games/{game}", get(api::game::<E>))
        .route("/api/v1/events", get(sse::events::<E>))
        .fallback(api::not_found)
        .with_state(Pages { hub, context })
        .layer(middleware::from_fn(guard::headers))
}
