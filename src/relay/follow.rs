//! Follows the public stream into a hub.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::stream::Info;
use async_nats::jetstream::{Context, Message};
use futures_util::StreamExt as _;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::{Settings, Word};
use crate::feed::hub::PublicHub;
use crate::feed::nats::{
    Mark, Names, Retry, Server, Side, TOURNAMENT, Tournament, Trouble, answered, asked, is_missing,
};
use adoube_core::event::PublicEvent;

/// So often it is made sure that what the stream holds comes through: a server of a cluster may take what it was
/// sending us with it when it goes.
const LOOK: Duration = Duration::from_secs(2);

/// How far a stream was read.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Which stream: one that was removed and made again is another.
    created_ns: i128,
    /// The last message.
    sequence: u64,
}

#[derive(Debug)]
pub(super) struct Follow {
    server: Server,
    names: Names,
    /// What is shown.
    hub: Arc<PublicHub>,
    /// What will be shown instead, once it has caught up.
    next: Option<PublicHub>,
    tournament: Arc<Mutex<Tournament>>,
    word: Arc<Mutex<Word>>,
    place: Option<Place>,
    caught_up: watch::Sender<bool>,
    retry: Retry,
}

impl Follow {
    pub(super) fn new(
        settings: &Settings,
        hub: Arc<PublicHub>,
        tournament: Arc<Mutex<Tournament>>,
        word: Arc<Mutex<Word>>,
    ) -> Self {
        let names = Names::new(Side::Public, settings.site.as_deref());
        let retry = Retry::new(&names.stream);
        let server = settings.server.clone();
        Self {
            server,
            names,
            hub,
            next: None,
            tournament,
            word,
            place: None,
            caught_up: watch::Sender::new(false),
            retry,
        }
    }

    /// Says when all that the stream held has been read.
    pub(super) fn caught_up(&self) -> watch::Receiver<bool> {
        self.caught_up.subscribe()
    }

    /// Follows for good.
    pub(super) async fn run(mut self) {
        loop {
            let Err(trouble) = self.session().await;
            sleep(self.retry.failed(&trouble)).await;
        }
    }

    /// Follows as long as one connection lasts.
    async fn session(&mut self) -> Result<Infallible, Trouble> {
        let server = self.server.clone();
        let line = server.connect().await?;
        tokio::select! {
            lost = line.lost() => Err(lost),
            over = self.follow(&line.context) => over,
        }
    }

    async fn follow(&mut self, context: &Context) -> Result<Infallible, Trouble> {
        let names = self.names.clone();
        let stream = answered(|| context.get_stream(&names.stream)).await?.map_err(|error| {
            let stream = names.stream.clone();
            if is_missing(&error.kind()) { Trouble::Missing { stream } } else { asked(&names, &error) }
        })?;
        let info = answered(|| stream.get_info()).await?.map_err(|error| asked(&names, &error))?;
        if let Some(subject) = info.config.subjects.iter().find(|subject| !names.has(subject)) {
            return Err(self.mixed(subject));
        }
        let place = match self.place.filter(|place| goes_on(place, &info)) {
            Some(place) => place,
            None => {
                self.next = Some(PublicHub::default());
                let sequence = info.state.first_sequence.saturating_sub(1);
                Place { created_ns: info.created.unix_timestamp_nanos(), sequence }
            }
        };
        self.place = Some(place);
        if info.state.last_sequence <= place.sequence {
            self.has_caught_up();
        }
        let config = pull::OrderedConfig {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: place.sequence + 1 },
            ..pull::OrderedConfig::default()
        };
        let consumer = answered(|| stream.create_consumer(config.clone())).await?;
        let consumer = consumer.map_err(|error| asked(&names, &error))?;
        let mut messages = consumer.messages().await.map_err(|error| asked(&names, &error))?;
        let look = || async {
            sleep(LOOK).await;
            stream.get_info().await
        };
        let mut looking = Box::pin(look());
        let mut seen = place.sequence;
        loop {
            tokio::select! {
                message = messages.next() => {
                    self.take(&message.ok_or(Trouble::Lost)?.map_err(|error| asked(&names, &error))?)?;
                    self.retry.well();
                }
                // What comes is taken meanwhile: on a slow line the answer is behind it.
                info = &mut looking => {
                    seen = self.looked(info.map_err(|error| asked(&names, &error)), seen)?;
                    // Not before: a cluster without a leader answers some requests, and no others.
                    self.retry.well();
                    looking = Box::pin(look());
                }
            }
        }
    }

    /// Makes sure that it goes on from the place that was `seen` last; gives the one that was reached.
    fn looked(&self, info: Result<Info, Trouble>, seen: u64) -> Result<u64, Trouble> {
        let replaced = || Trouble::Replaced { stream: self.names.stream.clone() };
        let place = self.place.ok_or_else(replaced)?;
        let has_moved = place.sequence > seen;
        if info.as_ref().is_ok_and(|info| info.state.last_sequence <= place.sequence) {
            self.word(|word| word.checked = Instant::now());
        }
        match info {
            // The line has better things to carry than the answer.
            Err(_) if has_moved => {}
            Err(error) => return Err(error),
            Ok(info) if !goes_on(&place, &info) => return Err(replaced()),
            Ok(info) if !has_moved && info.state.last_sequence > place.sequence => return Err(Trouble::Late),
            Ok(_) => {}
        }
        Ok(place.sequence)
    }

    /// Says that the stream is not of this site alone; what was read of it so far is not shown.
    fn mixed(&mut self, subject: &str) -> Trouble {
        (self.next, self.place) = (None, None);
        let (stream, subjects) = (self.names.stream.clone(), self.names.subjects());
        Trouble::Mixed { stream, subject: subject.to_owned(), subjects }
    }

    fn take(&mut self, message: &Message) -> Result<(), Trouble> {
        // A copy of other streams has messages of all of them, whatever its own subjects are.
        if !self.names.has(&message.subject) {
            return Err(self.mixed(&message.subject));
        }
        let (Ok(info), Some(place)) = (message.info(), &mut self.place) else { return Ok(()) };
        if info.stream_sequence <= place.sequence {
            return Ok(());
        }
        place.sequence = info.stream_sequence;
        let mark = message.headers.as_ref().and_then(Mark::read);
        match (mark, PublicEvent::read(&message.payload)) {
            (Some(mark), Ok(event)) => self.show(&mark.epoch, &event),
            (None, _) => tracing::warn!(sequence = place.sequence, "passed over: adoube did not write it"),
            (_, Err(error)) => tracing::warn!(sequence = place.sequence, "passed over: {error}"),
        }
        if let Some(said) = message.headers.as_ref().and_then(|headers| headers.get(TOURNAMENT)) {
            // Of a later version, perhaps; then what is known stays.
            if let Ok(said) = serde_json::from_str(said.as_str()) {
                *self.tournament.lock().unwrap_or_else(PoisonError::into_inner) = said;
            }
        }
        let (event_at, has_all) = (SystemTime::from(info.published), info.pending == 0);
        self.word(|word| word.event_at = Some(event_at));
        if has_all {
            self.word(|word| word.checked = Instant::now());
            self.has_caught_up();
        }
        Ok(())
    }

    fn show(&mut self, epoch: &str, event: &PublicEvent) {
        let hub = self.next.as_ref().unwrap_or(&self.hub);
        if hub.epoch().is_empty() {
            hub.set_epoch(epoch);
        } else if hub.epoch() != epoch {
            // The journal in the hall is another one: what was is over.
            self.next.insert(PublicHub::default()).set_epoch(epoch);
        }
        self.next.as_ref().unwrap_or(&self.hub).push(event);
    }

    fn word(&self, note: impl FnOnce(&mut Word)) {
        note(&mut self.word.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn has_caught_up(&mut self) {
        // Who waits for the first event of all is not cut off by it.
        if self.hub.epoch().is_empty() {
            self.next.take_if(|next| next.epoch().is_empty());
        }
        // A stream that is empty yet takes nothing away from what is shown.
        if let Some(next) = self.next.take_if(|next| !next.epoch().is_empty()) {
            self.hub.replace(next);
        }
        self.caught_up.send_replace(true);
    }
}

/// Is that the stream that was read so far, and is the next message still there?
fn goes_on(place: &Place, info: &Info) -> bool {
    let state = &info.state;
    info.created.unix_timestamp_nanos() == place.created_ns
        && (state.first_sequence..=state.last_sequence.saturating_add(1)).contains(&(place.sequence + 1))
}
