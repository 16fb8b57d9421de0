//! Follows who plays in the rounds that are published.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt as _;
use tokio::time::sleep;

use super::Settings;
use crate::feed::hub::PublicHub;
use crate::feed::nats::{Names, Retry, RoundPairings, Server, Trouble, answered, asked, is_missing};
use crate::feed::view::Awaited;

/// A stream that is not there yet is looked for again: the hall may be of an older version, and never make it.
const AGAIN: Duration = Duration::from_secs(5);

/// So often it is made sure that what the stream holds came through.
const LOOK: Duration = Duration::from_secs(5);

/// Follows for good.
pub(super) async fn follow(settings: Settings, hub: Arc<PublicHub>) {
    let names = Names::of_pairings(settings.site.as_deref());
    let mut retry = Retry::new(&names.stream);
    loop {
        match session(&settings.server, &names, &hub, &mut retry).await {
            Err(Trouble::Missing { .. }) => sleep(AGAIN).await,
            Err(trouble) => sleep(retry.failed(&trouble)).await,
        }
    }
}

async fn session(
    server: &Server,
    names: &Names,
    hub: &PublicHub,
    retry: &mut Retry,
) -> Result<Infallible, Trouble> {
    let line = server.connect().await?;
    let stream = answered(|| line.context.get_stream(&names.stream)).await?.map_err(|error| {
        let stream = names.stream.clone();
        if is_missing(&error.kind()) { Trouble::Missing { stream } } else { asked(names, &error) }
    })?;
    let consumer = answered(|| stream.create_consumer(pull::OrderedConfig::default())).await?;
    let consumer = consumer.map_err(|error| asked(names, &error))?;
    let mut messages = consumer.messages().await.map_err(|error| asked(names, &error))?;
    let mut rounds: BTreeMap<u32, Vec<Awaited>> = BTreeMap::new();
    let mut seen = 0;
    loop {
        let message = tokio::select! {
            lost = line.lost() => return Err(lost),
            message = messages.next() => message.ok_or(Trouble::Lost)?.map_err(|error| asked(names, &error))?,
            // A server of a cluster may take what it was sending us with it when it goes.
            () = sleep(LOOK) => {
                let info = stream.get_info().await.map_err(|error| asked(names, &error))?;
                if info.state.last_sequence > seen {
                    return Err(Trouble::Late);
                }
                retry.well();
                continue;
            }
        };
        let (sequence, pending) = message.info().map_or((0, 0), |info| (info.stream_sequence, info.pending));
        seen = sequence.max(seen);
        retry.well();
        // Of a later version, perhaps; then what is known stays.
        if let Ok(said) = serde_json::from_slice::<RoundPairings>(&message.payload) {
            rounds.insert(said.round, said.games);
            rounds.retain(|round, _| said.published.contains(round));
        }
        if pending == 0 {
            hub.await_games(rounds.values().flatten().cloned().collect(), &crate::world::now().to_string());
        }
    }
}
