//! Who plays, for relays: a stream of its own, with the last word on each round.
//!
//! It is none of the events, whose numbers and places in their stream would tell how many are still held back.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use async_nats::jetstream::stream::Config;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::stream::usual;
use super::{NAME, Names, Nats, Retry, Trouble, answered, asked, is_missing};
use crate::feed::hub::{PublicHub, Published};
use crate::feed::status::Status;
use crate::feed::view::Awaited;

/// What a message says: who plays in one round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RoundPairings {
    /// The rounds that are published; what was said of others holds no more.
    pub(crate) published: BTreeSet<u32>,
    /// The round; 0 if none is published.
    pub(crate) round: u32,
    /// Its games.
    pub(crate) games: Vec<Awaited>,
}

/// One for each round.
fn by_round(awaited: &[Awaited]) -> Vec<RoundPairings> {
    let mut rounds: BTreeMap<u32, Vec<Awaited>> = BTreeMap::new();
    for game in awaited {
        rounds.entry(game.said.round.unwrap_or(0)).or_default().push(game.clone());
    }
    if rounds.is_empty() {
        return vec![RoundPairings { published: BTreeSet::new(), round: 0, games: Vec::new() }];
    }
    let published: BTreeSet<u32> = rounds.keys().copied().collect();
    let of_round = |(round, games)| RoundPairings { published: published.clone(), round, games };
    rounds.into_iter().map(of_round).collect()
}

/// Begins to publish what the hub says of awaited games, and says how it stands.
pub(crate) fn start(
    nats: &Nats,
    hub: Arc<PublicHub>,
    stop: &watch::Receiver<bool>,
    tasks: &mut JoinSet<()>,
) -> Arc<Status> {
    let names = Names::of_pairings(nats.site.as_deref());
    let status = Arc::new(Status::new(NAME, format!("{} at {}", names.stream, nats.server)));
    let (nats, mut stopped, told) = (nats.clone(), stop.clone(), Arc::clone(&status));
    tasks.spawn(async move {
        tokio::select! {
            // Whoever could tell us is gone: that is the same.
            _ = stopped.wait_for(|&stop| stop) => {}
            () = run(nats, hub, &told) => {}
        }
    });
    status
}

async fn run(nats: Nats, hub: Arc<PublicHub>, status: &Status) {
    let names = Names::of_pairings(nats.site.as_deref());
    let mut retry = Retry::new(&names.stream);
    let mut published = hub.published();
    loop {
        let Err(trouble) = session(&nats, &names, &mut published, &mut retry, status).await;
        status.failed(trouble.to_string());
        sleep(retry.failed(&trouble)).await;
    }
}

async fn session(
    nats: &Nats,
    names: &Names,
    published: &mut watch::Receiver<Published>,
    retry: &mut Retry,
    status: &Status,
) -> Result<Infallible, Trouble> {
    let line = nats.server.connect().await?;
    match answered(|| line.context.get_stream(&names.stream)).await? {
        Err(error) if is_missing(&error.kind()) => {
            let config = Config { max_messages_per_subject: 1, ..usual(names, nats.replicas) };
            line.context.create_stream(config).await.map_err(|error| asked(names, &error))?;
        }
        found => drop(found.map_err(|error| asked(names, &error))?),
    }
    let mut said = Vec::new();
    loop {
        // Nothing before the hall has looked who plays: a relay would forget what it knows.
        let rounds =
            published.borrow_and_update().as_ref().map(|awaited| by_round(awaited)).unwrap_or_default();
        for round in rounds.iter().filter(|round| !said.contains(*round)) {
            let text = serde_json::to_vec(round).unwrap_or_default();
            let taken = line.context.publish(names.subject_of_round(round.round), text.into()).await;
            let taken = taken.map_err(|error| asked(names, &error))?;
            taken.await.map_err(|error| asked(names, &error))?;
            status.did();
        }
        said = rounds;
        retry.well();
        status.well();
        tokio::select! {
            lost = line.lost() => return Err(lost),
            told = published.changed() => if told.is_err() {
                // It goes with the daemon.
                std::future::pending::<()>().await;
            }
        }
    }
}
