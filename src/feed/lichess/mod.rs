//! Games to a broadcast on Lichess, by its push API (feeds.md 3.3).
//!
//! ```text
//! public hub ──▶ sheets ──▶ (watch: what each round has to show) ──▶ ledger ──▶ POST …/round/ID/push
//!                                                                      ▲              │
//!                                                                      └── answers ◀──┘
//! ```
//!
//! A Lichess round has one task and one request at a time. A `ledger` knows what Lichess has
//! accepted of each game, and so what it lacks: what changes while a request is under way goes with the next one.
//! A push says how a game stands, with all of its moves, so that repeating one changes nothing: what may have
//! been taken is simply sent again. That is why nothing is noted in the journal, and a start sends every game.

mod answer;
mod ledger;
mod round;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::http;
use super::hub::PublicHub;
use super::sheets::{PublishAt, Sheet, Sheets};
use super::status::Status;
use super::unseen::RecoveredAtFeeds;
use round::Round;

/// Its name on the desk.
pub const NAME: &str = "lichess";

/// A move, its press and the clock come as several events, which belong into one push.
const SETTLE: Duration = Duration::from_millis(100);

/// Which Lichess round shows which games.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rounds {
    /// By the number of the round.
    pub by_number: BTreeMap<u64, String>,
    /// That of all other games.
    pub others: Option<String>,
}

impl Rounds {
    /// The id of the Lichess round that shows the games of `round`.
    #[must_use]
    pub fn of(&self, round: Option<u32>) -> Option<&str> {
        round.and_then(|round| self.by_number.get(&round.into())).or(self.others.as_ref()).map(String::as_str)
    }

    fn ids(&self) -> BTreeSet<&String> {
        self.by_number.values().chain(&self.others).collect()
    }
}

/// How fast it goes; nothing but a test needs another pace than the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Between two pushes.
    pub pause: Duration,
    /// How long an answer may take.
    pub patience: Duration,
    /// The first wait after a failure.
    pub first_wait: Duration,
    /// The longest one.
    pub longest_wait: Duration,
    /// The wait when a person has to do something first, or when Lichess wants to be left alone and does not say
    /// how long.
    pub slow_wait: Duration,
    /// Between two looks at whether the round was reset there.
    pub look: Duration,
    /// How long a stop may take.
    pub flush: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            // The pace of Lichess's own uploader, so the one that Lichess is used to.
            pause: Duration::from_secs(1),
            // Lichess itself gives up a push after 10 s in its queue.
            patience: Duration::from_secs(15),
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_mins(1),
            // What Lichess asks for after a 429.
            slow_wait: Duration::from_mins(1),
            look: Duration::from_mins(1),
            // Less than a person waits for a program to end; what is not sent then is sent at the next start.
            flush: Duration::from_secs(3),
        }
    }
}

/// What is pushed where.
#[derive(Clone)]
pub struct Lichess {
    /// Where Lichess is.
    pub url: Url,
    /// A personal access token with the scope `study:write`.
    pub token: String,
    /// Which Lichess round shows which games.
    pub rounds: Rounds,
    /// How fast it goes.
    pub pace: Pace,
    /// When plies are pushed that nobody saw.
    pub recovered: RecoveredAtFeeds,
    /// Which moves are pushed.
    pub publish_at: PublishAt,
}

impl fmt::Debug for Lichess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, token: _, rounds, pace, recovered, publish_at } = self;
        let mut shown = f.debug_struct("Lichess");
        shown.field("url", &url.origin().ascii_serialization());
        shown
            .field("rounds", rounds)
            .field("pace", pace)
            .field("recovered", recovered)
            .field("publish_at", publish_at)
            .finish_non_exhaustive()
    }
}

/// A part of a game as Lichess has it, or shall have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Its `GameId`, by which Lichess knows it again.
    pub(super) id: Arc<str>,
    /// The game that it is of, as the desk calls it.
    pub(super) game: String,
    /// PGN.
    pub(super) text: Arc<str>,
    /// Lichess shall show it. What shall not, but is there already, is still kept right.
    pub(super) is_shown: bool,
    /// Both players have a name.
    pub(super) is_named: bool,
    /// Lichess can show it: it is chess on 64 squares.
    pub(super) is_chess: bool,
}

/// Begins to push; says how each Lichess round stands.
///
/// # Errors
/// What the HTTP client says when it cannot be made: no certificates to trust, for example.
pub fn start(
    lichess: Lichess,
    hub: &Arc<PublicHub>,
    sheets: Sheets,
    stop: &watch::Receiver<bool>,
    tasks: &mut JoinSet<()>,
) -> reqwest::Result<Vec<Arc<Status>>> {
    let client = http::client(lichess.pace.patience)?;
    let mut states = Vec::new();
    let mut senders = BTreeMap::new();
    for id in lichess.rounds.ids() {
        let round = Round::new(&lichess, client.clone(), id);
        states.push(round.status());
        let (sender, items) = watch::channel(Vec::new());
        round.status().set_idle(true, 0);
        senders.insert(id.clone(), (sender, round.status()));
        tasks.spawn(round.run(items));
    }
    let (rounds, hub, stop) = (lichess.rounds, Arc::clone(hub), stop.clone());
    tasks.spawn(watch_games(rounds, hub, sheets, senders, stop));
    Ok(states)
}

/// Tells each round what it has to show, until told to stop; the rounds stop when nobody tells them any more.
async fn watch_games(
    rounds: Rounds,
    hub: Arc<PublicHub>,
    mut sheets: Sheets,
    senders: BTreeMap<String, (watch::Sender<Vec<Item>>, Arc<Status>)>,
    mut stop: watch::Receiver<bool>,
) {
    let (_, mut changes) = hub.subscribe(None);
    loop {
        let is_last = *stop.borrow();
        if is_last {
            sheets.release();
        }
        if !sheets.update(&hub).is_empty() {
            let mut items = items(&rounds, &sheets);
            let goes_nowhere = |sheet: &&Sheet| sheet.is_played && rounds.of(sheet.round).is_none();
            let homeless = sheets.counting().into_iter().filter(goes_nowhere).count() as u64;
            for (id, (sender, status)) in &senders {
                let items = items.remove(id.as_str()).unwrap_or_default();
                status.set_idle(items.is_empty() || homeless > 0, homeless);
                sender.send_if_modified(|known| {
                    let is_new = *known != items;
                    *known = items;
                    is_new
                });
            }
        }
        if is_last {
            return;
        }
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => continue,
            // Falling behind is no loss here: what is pushed is made from what stands.
            _ = changes.recv() => {}
            () = sleep(sheets.next_look()) => {}
        }
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => {}
            () = sleep(SETTLE) => {}
        }
        while changes.try_recv().is_ok() {}
    }
}

/// What each Lichess round has to show, in the order of the boards.
fn items<'a>(rounds: &'a Rounds, sheets: &Sheets) -> BTreeMap<&'a str, Vec<Item>> {
    let counting: BTreeSet<&str> = sheets.counting().iter().map(|sheet| sheet.game.as_str()).collect();
    let mut items: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    for sheet in sheets.sorted() {
        let Some(id) = rounds.of(sheet.round) else { continue };
        // What is pushed once stays there: a round for everything shows what is played.
        let is_its_own = sheet.round.is_some_and(|round| rounds.by_number.contains_key(&round.into()));
        if sheet.is_to_come && !is_its_own {
            continue;
        }
        let counts = counting.contains(sheet.game.as_str());
        items.entry(id).or_default().extend(of(sheet, counts));
    }
    items
}

fn of(sheet: &Sheet, counts: bool) -> impl Iterator<Item = Item> {
    sheet.parts.iter().map(move |part| Item {
        id: Arc::clone(&part.id),
        game: sheet.game.clone(),
        text: Arc::clone(&part.text),
        is_shown: part.is_shown && counts,
        is_named: sheet.is_named,
        is_chess: !sheet.is_of_four,
    })
}
