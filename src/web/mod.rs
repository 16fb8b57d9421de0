//! The pages and what scripts ask for, over HTTP.
//!
//! There are two listeners. The public one is built from a [`PublicHub`] alone and cannot reach a private
//! event. The desk's knows who asks (`auth`): whoever is not logged in gets there what the public gets, from
//! the same router, and everything else is for operators and arbiters.

// The macro that documents a route writes the type of its parameters with a path.
#![allow(unused_qualifications)]

mod api;
mod assets;
mod bundle;
pub(crate) mod certificate;
pub mod control;
mod gate;
mod guard;
mod health;
mod identify;
pub mod livechess;
mod login;
pub(crate) mod machine;
mod openapi;
mod pgn;
mod pictures;
mod plain;
mod proxies;
mod relayed;
mod setting_up;
mod share;
mod socket;
mod sse;
mod tagged;
mod tls;

use api::problem::{Forbidden, LogIn, OtherName, Throttled};
use gate::Gate;
use pictures::Pictures;
use tagged::tagged;

use crate::auth::Auth;
pub use socket::{Listener, listen, serve, take_over};
pub use tls::{TlsError, acceptor};

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::get;
use tower_http::compression::CompressionLayer;
use utoipa::IntoResponses as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::feed::hub::{About, Hub, Outgoing, PublicHub};
use crate::feed::sheets::Shown;
use crate::hall::{BoardStatus, Hall};
use adoube_core::pairings::FILE_BYTES;

/// Where the desk shows what spectators see.
const WATCH: &str = "/watch";

/// How the boards are now.
type Fleet = Arc<dyn Fn() -> Vec<BoardStatus> + Send + Sync>;

/// What pages say beside the games.
#[derive(Clone)]
pub struct Context {
    about: Arc<dyn Fn() -> About + Send + Sync>,
    /// What PGN shows of the games.
    shown: Arc<dyn Fn() -> Shown + Send + Sync>,
    /// How the boards are; only the desk learns it.
    fleet: Option<Fleet>,
    /// It follows a hall, and may be behind another one that does.
    is_relay: bool,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("shown", &(self.shown)()).finish_non_exhaustive()
    }
}

impl Context {
    /// For who is shown what is.
    #[must_use]
    pub fn desk(hall: &Arc<Hall>) -> Self {
        let weak = Arc::downgrade(hall);
        let fleet = move || weak.upgrade().map(|hall| hall.boards_now()).unwrap_or_default();
        Self { fleet: Some(Arc::new(fleet)), ..Self::new(hall, Hall::about) }
    }

    /// For who is shown what was.
    #[must_use]
    pub fn public(hall: &Arc<Hall>) -> Self {
        Self::new(hall, Hall::about_then)
    }

    fn new(hall: &Arc<Hall>, look: fn(&Hall) -> About) -> Self {
        let (tags, live, publish_at) = (hall.tags.clone(), hall.live_pgn, hall.publish_pgn_at);
        let shown = Shown { tags, live, publish_at, ..Shown::default() };
        // Pages that are still open must not keep a stopped hall alive.
        let weak = Arc::downgrade(hall);
        let about = move || {
            weak.upgrade()
                .map_or_else(|| About { journal: "degraded", ..About::default() }, |hall| look(&hall))
        };
        Self { is_relay: false, ..Self::relayed(about, move || shown.clone()) }
    }

    /// The context of who has no hall, but knows, or will be told, what there is to say about one.
    pub fn relayed(
        about: impl Fn() -> About + Send + Sync + 'static,
        shown: impl Fn() -> Shown + Send + Sync + 'static,
    ) -> Self {
        Self { about: Arc::new(about), shown: Arc::new(shown), fleet: None, is_relay: true }
    }
}

/// What handlers of one router share.
struct Pages<E: Outgoing> {
    hub: Arc<Hub<E>>,
    context: Context,
    pictures: Arc<Pictures>,
}

impl<E: Outgoing> Pages<E> {
    fn new(hub: &Arc<Hub<E>>, context: &Context) -> Self {
        Self { hub: Arc::clone(hub), context: context.clone(), pictures: Arc::default() }
    }
}

impl<E: Outgoing> Clone for Pages<E> {
    fn clone(&self) -> Self {
        let Self { hub, context, pictures } = self;
        Self { hub: Arc::clone(hub), context: context.clone(), pictures: Arc::clone(pictures) }
    }
}

/// The spectators' listener; it answers to addresses and to `names`.
pub fn public(hub: Arc<PublicHub>, context: Context, names: &[String]) -> Router {
    let names = guard::Names::new(names);
    let all = Pages::new(&hub, &context);
    let api = api_for_all(all.clone()).routes(routes!(api::names::public_names));
    let (api, document) = openapi::split(api);
    let health = if context.is_relay { relayed::routes(&context) } else { Router::new() };
    games_and_pages(all, "/")
        .merge(api)
        .merge(openapi::published(document, None, &[OtherName::responses()]))
        .merge(health)
        .fallback(api::not_found)
        .method_not_allowed_fallback(api::not_allowed)
        .layer(middleware::from_fn_with_state(names, guard::own_names_only))
        .layer(middleware::from_fn(guard::headers))
        // Text is a fifth then. Live events are not touched: each is awaited, and is small.
        .layer(CompressionLayer::new())
}

/// The desk's listener; it answers to addresses and to `names`.
pub fn desk(hall: &Arc<Hall>, names: &[String]) -> Router {
    let auth = Arc::clone(&hall.auth);
    let names = guard::Names::new(names);
    // What somebody finds who is not logged in: nothing here knows a private event.
    let all = Pages::new(&hall.public, &Context::public(hall));
    let (spectators, of_all) = openapi::split(api_for_all(all.clone()));
    let spectators = games_and_pages(all, WATCH)
        .merge(spectators)
        .fallback(async || identify::log_in())
        .method_not_allowed_fallback(api::not_allowed);
    let gate = Gate { auth: Arc::clone(&auth), spectators };
    let all = Pages::new(&hall.desk, &Context::desk(hall));
    let staff = api_for_all(all.clone()).merge(api_for_staff(hall));
    let (staff, mut document) = openapi::split(staff);
    let staff = games_and_pages(all, WATCH)
        .merge(staff)
        .fallback(api::not_found)
        .method_not_allowed_fallback(api::not_allowed);
    // The gate comes before any of the routes behind it.
    let staff =
        Router::new().fallback_service(staff).layer(middleware::from_fn_with_state(gate, gate::staff_only));
    let (names_of_things, of_names) = openapi::split(api_of_names(&auth));
    let (entrance, of_entrance) = openapi::split(login::routes(Arc::clone(&auth)));
    document.merge(of_entrance);
    document.merge(of_names.clone());
    let refusals =
        [LogIn::responses(), Forbidden::responses(), OtherName::responses(), Throttled::responses()];
    desk_pages()
        .merge(entrance)
        .merge(names_of_things)
        .merge(health::routes(hall))
        .merge(openapi::published(document, Some(&[&of_all, &of_names]), &refusals))
        .method_not_allowed_fallback(api::not_allowed)
        .fallback_service(staff)
        .layer(DefaultBodyLimit::max(api::BODY_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&auth), identify::identify))
        .layer(middleware::from_fn_with_state(auth.scheme(), guard::own_pages_only))
        .layer(middleware::from_fn_with_state(names, guard::own_names_only))
        .layer(middleware::from_fn(guard::headers))
}

/// What the desk's listener alone tells scripts, for operators and arbiters; nobody else gets through to it.
fn api_for_staff(hall: &Arc<Hall>) -> OpenApiRouter {
    use api::{boards, feeds, history, ports, readings, records, round, rounds, ruled, rulings, set_up};
    let looks = OpenApiRouter::default()
        .routes(routes!(boards::board, boards::change, boards::remove))
        .routes(routes!(boards::add))
        .routes(routes!(boards::reload))
        .routes(routes!(set_up::first_day, set_up::set_up))
        .routes(routes!(set_up::drafted))
        .routes(routes!(readings::readings))
        .routes(routes!(records::records))
        .routes(routes!(records::record))
        .routes(routes!(history::history))
        .routes(routes!(round::round))
        .routes(routes!(ruled::ruled))
        .routes(routes!(ruled::of_game))
        .merge(api_of_pairings())
        .with_state(api::Desk::new(hall));
    OpenApiRouter::default()
        .routes(routes!(rulings::rule))
        .routes(routes!(rulings::rule_game))
        .routes(routes!(feeds::feeds))
        .routes(routes!(ports::ports))
        .routes(routes!(rounds::rounds))
        .routes(routes!(rounds::open_round))
        .routes(routes!(rounds::close_round))
        .with_state(Arc::downgrade(hall))
        .merge(looks)
}

/// Pairings; a file of them is larger than anything else that comes in.
fn api_of_pairings() -> OpenApiRouter<api::Desk> {
    use api::pairings;
    let import = OpenApiRouter::default()
        .routes(routes!(pairings::pairings, pairings::import))
        .layer(DefaultBodyLimit::max(FILE_BYTES));
    import.routes(routes!(pairings::correct)).routes(routes!(pairings::other_boards))
}

/// What both listeners tell scripts.
fn api_for_all<E: Outgoing + 'static>(pages: Pages<E>) -> OpenApiRouter {
    // `routes!` takes names without type arguments, and finds what is documented beside them.
    use api::games::{__path_boards, __path_game, __path_games, boards, game, games};
    use pictures::{__path_card_png, __path_game_gif, __path_position_png, __path_position_svg};
    use pictures::{card_png, game_gif, position_png, position_svg};
    use sse::{__path_events, events};
    let (boards, games, game, events) = (boards::<E>, games::<E>, game::<E>, events::<E>);
    let (position_png, position_svg) = (position_png::<E>, position_svg::<E>);
    let (card_png, game_gif) = (card_png::<E>, game_gif::<E>);
    OpenApiRouter::default()
        .routes(routes!(boards))
        .routes(routes!(games))
        .routes(routes!(game))
        .routes(routes!(events))
        .routes(routes!(position_png))
        .routes(routes!(position_svg))
        .routes(routes!(card_png))
        .routes(routes!(game_gif))
        .with_state(pages)
}

/// What the desk's listener tells everybody's scripts: how things are called.
fn api_of_names(auth: &Arc<Auth>) -> OpenApiRouter {
    use api::{articles, names};
    OpenApiRouter::default()
        .routes(routes!(names::names))
        .routes(routes!(names::rulings))
        .routes(routes!(articles::article))
        .with_state(Arc::clone(auth))
}

/// The page on which people log in, for everybody. None of it may know what happens in the hall.
fn desk_pages() -> Router {
    Router::new().route("/", get(assets::desk_index)).route("/desk/{*name}", get(assets::desk_asset))
}

/// What both listeners show of the games: their pages, with the list of them at `list`, and their PGN.
fn games_and_pages<E: Outgoing + 'static>(all: Pages<E>, list: &'static str) -> Router {
    let games = pgn::routes(Arc::clone(&all.hub), &all.context);
    pages().merge(share::routes(all, list)).merge(games)
}

/// What both listeners show.
fn pages() -> Router {
    Router::new().route("/assets/{*name}", get(assets::asset))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::net::{Ipv4Addr, SocketAddr};

    use super::*;
    use crate::daemon::{Daemon, Settings};

    /// A router says its paths when it is asked for its inside; two of them are those of its own fallback.
    fn paths(router: &Router) -> BTreeSet<String> {
        let inside = format!("{router:?}");
        inside.split('"').filter(|text| text.starts_with('/')).map(str::to_owned).collect()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_route_of_the_api_is_in_its_document() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings::new(folder.path().to_owned(), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let daemon = Daemon::start(settings).await.unwrap();
        let hall = &daemon.hall;
        let apis = [
            api_for_all(Pages::new(&hall.public, &Context::public(hall))),
            api_for_all(Pages::new(&hall.desk, &Context::desk(hall))),
            api_for_staff(hall),
            api_of_names(&hall.auth),
            login::routes(Arc::clone(&hall.auth)),
        ];
        for api in apis {
            let (router, document) = openapi::split(api);
            let documented: BTreeSet<String> = document.paths.paths.keys().cloned().collect();
            let answered =
                paths(&router).into_iter().filter(|path| path != "/" && !path.contains("__private"));
            assert_eq!(answered.collect::<BTreeSet<_>>(), documented);
            assert!(documented.iter().all(|path| path.starts_with("/api/v1/")), "{documented:?}");
        }
        let shared = share::routes(Pages::new(&hall.public, &Context::public(hall)), WATCH);
        let shown = paths(&pages().merge(desk_pages()).merge(shared));
        assert!(shown.contains("/watch") && shown.iter().all(|path| !path.starts_with("/api")), "{shown:?}");
        daemon.stop().await;
    }
}
