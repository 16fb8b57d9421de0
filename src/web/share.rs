//! The spectators' page under the addresses that people hand on: what it is of stands in its head, for
//! programs that show links and run no scripts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Extension, Path, RawQuery, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::time::Instant;

use super::assets::{VERSIONED, shared, version};
use super::pictures::card;
use super::plain::Place;
use super::{Pages, guard, plain, tagged};
use crate::feed::hub::{About, Heard, Outgoing};
use crate::feed::view::{GameView, MoveView};
use adoube_core::event::Player;
use adoube_rules::sensor::Side;

/// How a listener is spoken to: `http` or `https`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scheme(pub(super) &'static str);

/// What the pages of one listener have in common.
struct Share<E: Outgoing> {
    pages: Pages<E>,
    /// Where all boards are shown.
    home: &'static str,
    /// Pages of others may show ours inside of theirs.
    is_embeddable: bool,
    lists: Arc<Lists>,
}

/// The lists of games as they were written last, by round and by whether they are embedded: a thousand people who open the
/// page of a round at once must not hold up those who follow its moves.
type Lists = Mutex<BTreeMap<(Option<u32>, bool), (Instant, Arc<(String, bool)>)>>;

/// A list that was written so long ago is good for the next viewer.
const GOOD: Duration = Duration::from_secs(1);

impl<E: Outgoing> Clone for Share<E> {
    fn clone(&self) -> Self {
        let Self { pages, home, is_embeddable, lists } = self;
        Self { pages: pages.clone(), home, is_embeddable: *is_embeddable, lists: Arc::clone(lists) }
    }
}

/// The pages of games and rounds, and that of all boards at `home`. Where a public page lives (`/`), others
/// may embed it.
pub(super) fn routes<E: Outgoing + 'static>(pages: Pages<E>, home: &'static str) -> Router {
    let share = Share { pages, home, is_embeddable: home == "/", lists: Arc::default() };
    Router::new()
        .route(home, get(all::<E>))
        .route("/round/{round}", get(round::<E>))
        .route("/game/{game}", get(game::<E>))
        .with_state(share)
}

/// What is asked beside the path, and how.
struct Asked {
    query: Option<String>,
    scheme: &'static str,
    headers: HeaderMap,
}

impl Asked {
    fn new(query: Option<String>, scheme: Option<Extension<Scheme>>, headers: HeaderMap) -> Self {
        // A proxy before us may speak TLS for us.
        let is_forwarded = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
        let own = scheme.map_or("http", |Extension(Scheme(scheme))| scheme);
        Self { query, scheme: if is_forwarded { "https" } else { own }, headers }
    }

    /// Does `?name` stand behind the path? `embed` asks for a bare board for a page of somebody else, `still` for one
    /// that does not change by itself.
    fn has(&self, name: &str) -> bool {
        let mut parts = self.query.as_deref().unwrap_or_default().split('&');
        parts.any(|part| part.split('=').next() == Some(name))
    }

    /// `path` as others have to write it.
    fn absolute(&self, path: &str) -> Option<String> {
        // A name that is not ours has not come so far.
        let host = self.headers.get(HOST)?.to_str().ok()?;
        Some(format!("{}://{host}{path}", self.scheme))
    }
}

/// What a page is of.
struct Subject {
    status: StatusCode,
    path: String,
    title: String,
    description: String,
    /// One board is shown large.
    is_game: bool,
    /// What there is to read without scripts.
    plain: String,
    /// Somebody plays.
    is_live: bool,
    /// Path of a picture.
    picture: Option<String>,
}

async fn all<E: Outgoing>(
    State(share): State<Share<E>>,
    RawQuery(query): RawQuery,
    scheme: Option<Extension<Scheme>>,
    headers: HeaderMap,
) -> Response {
    let asked = Asked::new(query, scheme, headers);
    let about = (share.pages.context.about)();
    let list = share.list(None, share.place(&asked));
    let subject = Subject {
        status: StatusCode::OK,
        path: share.home.to_owned(),
        title: about.name.unwrap_or_else(|| "adoube".to_owned()),
        description: about
            .site
            .map_or_else(|| "Live chess games".to_owned(), |site| format!("Live chess games, {site}")),
        is_game: false,
        plain: list.0.clone(),
        is_live: list.1,
        picture: None,
    };
    share.answer(&subject, &asked)
}

async fn round<E: Outgoing>(
    State(share): State<Share<E>>,
    Path(round): Path<String>,
    RawQuery(query): RawQuery,
    scheme: Option<Extension<Scheme>>,
    headers: HeaderMap,
) -> Response {
    let asked = Asked::new(query, scheme, headers);
    let number = round.parse::<u32>().ok();
    let count = share
        .pages
        .hub
        .with_view(|view| view.games().filter(|game| number.is_some() && game.round == number).count());
    let list = match count {
        0 => Arc::new(("<p>There is no such round.</p>".to_owned(), false)),
        _ => share.list(number, share.place(&asked)),
    };
    let about = (share.pages.context.about)();
    let round = number.map_or_else(|| "No such round".to_owned(), |number| format!("Round {number}"));
    let subject = Subject {
        status: if count > 0 { StatusCode::OK } else { StatusCode::NOT_FOUND },
        path: number.map_or_else(|| share.home.to_owned(), |number| format!("/round/{number}")),
        title: about.name.map_or_else(|| round.clone(), |name| format!("{name}, {round}")),
        description: format!("Live chess games: {count} boards"),
        is_game: false,
        plain: list.0.clone(),
        is_live: list.1,
        picture: None,
    };
    share.answer(&subject, &asked)
}

async fn game<E: Outgoing>(
    State(share): State<Share<E>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    scheme: Option<Extension<Scheme>>,
    headers: HeaderMap,
) -> Response {
    let asked = Asked::new(query, scheme, headers);
    let about = (share.pages.context.about)();
    // Drawn without holding up those who follow the games.
    let game = share.pages.hub.with_view(|view| view.find(&name).cloned()).map(GameView::unpacked);
    let subject = game.map(|game| of_game(&game, about, share.place(&asked)));
    let subject = subject.unwrap_or_else(|| Subject {
        status: StatusCode::NOT_FOUND,
        path: share.home.to_owned(),
        title: "No such game".to_owned(),
        description: "Live chess games".to_owned(),
        is_game: true,
        plain: "<p>There is no game of this name here.</p>".to_owned(),
        is_live: false,
        picture: None,
    });
    share.answer(&subject, &asked)
}

fn of_game(game: &GameView, about: About, place: Place) -> Subject {
    let players = players(game);
    let round = game.round.map(|round| format!(", Round {round}")).unwrap_or_default();
    let stands = match game.result.as_str() {
        "*" => game
            .moves
            .last()
            .map_or_else(|| "not begun".to_owned(), |last| format!("live, {}", numbered(game, last))),
        result => outcome(game, result),
    };
    let parts = [Some(stands), about.name, Some(format!("board {}", game.board))];
    let plies = game.moves.len();
    Subject {
        status: StatusCode::OK,
        path: format!("/game/{}", game.game),
        title: format!("{players}{round}"),
        description: parts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        is_game: true,
        plain: plain::game(game, &about.now, place),
        is_live: plain::is_played(game),
        // With the ply in its address it stays what it is, wherever it is kept.
        picture: Some(format!("/api/v1/games/{}/card.png?ply={plies}", game.game)),
    }
}

/// Who plays whom: two players, or partners against partners.
fn players(game: &GameView) -> String {
    let name = |player: &Player, army: &str| player.name.clone().unwrap_or_else(|| army.to_owned());
    let (white, black) = (name(&game.white, "White"), name(&game.black, "Black"));
    if !game.is_of_four() {
        return format!("{white} – {black}");
    }
    let [red, blue] = [(&game.red, "Red"), (&game.blue, "Blue")]
        .map(|(player, army)| player.as_ref().map_or_else(|| army.to_owned(), |player| name(player, army)));
    format!("{red} & {blue} – {white} & {black}")
}

pub(super) fn outcome(game: &GameView, result: &str) -> String {
    match result {
        "1-0" if game.is_of_four() => "Red and Blue win".to_owned(),
        "0-1" if game.is_of_four() => "White and Black win".to_owned(),
        "1/2-1/2" if game.is_of_four() => "Draw".to_owned(),
        result => result.replace("1/2", "½").replace('-', "–"),
    }
}

/// `12. Nf3`, or of four players `12. Red h2-h4`, as the position's own numbers have it.
pub(super) fn numbered(game: &GameView, mv: &MoveView) -> String {
    let fields: Vec<&str> = mv.fen.split(' ').collect();
    let next: u64 = fields.get(5).and_then(|number| number.parse().ok()).unwrap_or(1);
    if game.is_of_four() {
        // A round ends when it is Red's turn again.
        let round = if fields.get(1) == Some(&"r") { next.saturating_sub(1).max(1) } else { next };
        let army = mv.seated.map_or("", |seated| seated.player.name());
        let army = army.get(..1).map(str::to_uppercase).zip(army.get(1..));
        let army = army.map_or_else(String::new, |(first, rest)| format!("{first}{rest} "));
        return format!("{round}. {army}{}", mv.san);
    }
    match mv.side {
        Side::White => format!("{next}. {}", mv.san),
        Side::Black => format!("{}… {}", next.saturating_sub(1).max(1), mv.san),
    }
}

impl<E: Outgoing> Share<E> {
    fn place(&self, asked: &Asked) -> Place {
        Place { home: self.home, is_embedded: self.is_embeddable && asked.has("embed") }
    }

    /// The list of a round that is there, or of the boards, and whether somebody plays.
    fn list(&self, round: Option<u32>, place: Place) -> Arc<(String, bool)> {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (round, place.is_embedded);
        if let Some((_, list)) = lists.get(&key).filter(|(at, _)| at.elapsed() < GOOD) {
            return Arc::clone(list);
        }
        let list = Arc::new(self.pages.hub.with_view(|view| plain::list(view, round, place)));
        lists.insert(key, (Instant::now(), Arc::clone(&list)));
        list
    }

    fn answer(&self, subject: &Subject, asked: &Asked) -> Response {
        let is_embedded = self.place(asked).is_embedded;
        let Some(page) = shared("index.html") else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        let page = String::from_utf8_lossy(&page);
        let page = page.replace("<!--head-->", &head(subject, asked));
        let about = (self.pages.context.about)();
        let age = about.heard.filter(Heard::is_old).map(plain::age).unwrap_or_default();
        let page = page.replace("<!--plain-->", &(age + &subject.plain));
        let page = page.replace("data-home=\"/\"", &format!("data-home=\"{}\"", self.home));
        // The name is there before the games are, so that nothing moves when they come.
        let name = about.name.as_deref().map_or_else(|| "adoube".to_owned(), escaped);
        let page = page.replace("id=\"tournament\">adoube<", &format!("id=\"tournament\">{name}<"));
        let site = about.site.as_deref().map_or_else(String::new, escaped);
        let page = page.replace("id=\"place\"><", &format!("id=\"place\">{site}<"));
        let classes = [is_embedded.then_some("embed"), subject.is_game.then_some("large")];
        let classes = classes.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let page = page.replace("<body ", &format!("<body class=\"{classes}\" "));
        let page = versioned(page);
        let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache")];
        let mut response = if subject.status == StatusCode::OK {
            tagged(page, &asked.headers, headers)
        } else {
            (subject.status, headers, page).into_response()
        };
        if is_embedded {
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(guard::EMBEDDED));
        }
        response
    }
}

/// What programs read that show links.
fn head(subject: &Subject, asked: &Asked) -> String {
    let mut lines = vec![
        format!("<title>{}</title>", escaped(&subject.title)),
        format!("<meta name=\"description\" content=\"{}\">", escaped(&subject.description)),
    ];
    let mut property = |name: &str, content: &str| {
        lines.push(format!("<meta property=\"og:{name}\" content=\"{}\">", escaped(content)));
    };
    property("type", "website");
    property("title", &subject.title);
    property("description", &subject.description);
    if let Some(url) = asked.absolute(&subject.path) {
        property("url", &url);
    }
    let picture = subject.picture.as_deref().and_then(|path| asked.absolute(path));
    if let Some(url) = &picture {
        property("image", url);
        property("image:type", "image/png");
        property("image:width", &card::WIDTH.to_string());
        property("image:height", &card::HEIGHT.to_string());
        property("image:alt", &format!("{}: the position", subject.title));
    }
    if subject.is_live && !asked.has("still") {
        lines.push(plain::REFRESH.to_owned());
    }
    let card = if picture.is_some() { "summary_large_image" } else { "summary" };
    lines.push(format!("<meta name=\"twitter:card\" content=\"{card}\">"));
    lines.join("\n  ")
}

/// The page with the versions of what belongs to it: a viewer who has them need not ask for them.
fn versioned(page: String) -> String {
    VERSIONED.iter().fold(page, |page, name| {
        let content = shared(name).unwrap_or_default();
        page.replace(&format!("/assets/{name}\""), &format!("/assets/{name}?v={}\"", version(&content)))
    })
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
