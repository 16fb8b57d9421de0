//! Brings the events of a hub into a stream: each once, in order, whatever happens to the line.

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::header::{NATS_EXPECTED_LAST_MESSAGE_ID, NATS_EXPECTED_LAST_SEQUENCE};
use async_nats::jetstream::Context;
use async_nats::jetstream::context::{PublishAckFuture, PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::publish::PublishAck;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep, sleep_until};

use super::eaten;
use super::held::{Held, Mark};
use super::names::{Names, Side};
use super::retry::Retry;
use super::stream::{Last, Shelf};
use super::{Nats, SENSED, Source, TOURNAMENT, Trouble, WINDOW, asked, is_ahead, note};
use crate::feed::hub::{Frame, Outgoing, Start};
use crate::feed::status::Status;

/// Events read from the journal at once.
const BATCH: usize = 1_000;

/// The journal is looked at again so often while older events are missing. They are on their way, as a rule: the
/// boards differ in how late they are. But they may have come by while the disk was failing.
const AGAIN: Duration = Duration::from_secs(600);

/// An event on its way, all but its place in the stream.
#[derive(Debug, Clone)]
struct Message {
    mark: Mark,
    subject: String,
    line: String,
}

/// What we know to be in the stream.
#[derive(Debug)]
struct Known {
    /// Which stream: one that was removed and made again is another.
    created_ns: i128,
    /// The place of the last message.
    sequence: u64,
}

#[derive(Debug)]
pub(super) struct Publisher<E: Outgoing> {
    nats: Nats,
    side: Side,
    names: Names,
    source: Source<E>,
    status: Arc<Status>,
    /// None as long as the stream was not looked at.
    known: Option<Known>,
    /// The events that are in the stream, or in `pending`.
    held: Held,
    /// The events whose places are the next ones after the last known, and that are not known to be there.
    pending: VecDeque<Message>,
    /// The last event that came from the hub.
    cursor: u64,
    tournament: String,
    has_said_differences: bool,
    /// The games whose beginnings the stream lacked when it was looked at last.
    eaten: BTreeSet<String>,
    retry: Retry,
}

/// Answers that are awaited, in the order of `pending`.
type Answers = FuturesOrdered<<PublishAckFuture as IntoFuture>::IntoFuture>;

impl<E: Outgoing> Publisher<E> {
    pub(super) fn new(nats: Nats, side: Side, names: Names, source: Source<E>, status: Arc<Status>) -> Self {
        let tournament = serde_json::to_string(&source.tournament).unwrap_or_default();
        let retry = Retry::new(&names.stream);
        Self {
            nats,
            side,
            names,
            source,
            status,
            known: None,
            held: Held::default(),
            pending: VecDeque::new(),
            cursor: 0,
            tournament,
            has_said_differences: false,
            eaten: BTreeSet::new(),
            retry,
        }
    }

    /// Publishes until it is stopped.
    pub(super) async fn run(mut self) {
        loop {
            let Err(trouble) = self.session().await;
            self.status.failed(trouble.to_string());
            sleep(self.retry.failed(&trouble)).await;
        }
    }

    /// Publishes as long as one connection lasts.
    async fn session(&mut self) -> Result<Infallible, Trouble> {
        let server = self.nats.server.clone();
        let line = server.connect().await?;
        tokio::select! {
            lost = line.lost() => Err(lost),
            over = self.publish(&line.context) => over,
        }
    }

    async fn publish(&mut self, context: &Context) -> Result<Infallible, Trouble> {
        self.settle(context).await?;
        self.status.well();
        self.retry.well();
        let mut answers = Answers::new();
        self.repeat(context, &mut answers).await?;
        loop {
            let epoch = self.source.hub.epoch();
            let (start, live) = self.source.hub.subscribe(Some((&epoch, self.cursor)));
            let mut has_all = false;
            if let Start::Resume(missed) = start {
                has_all = true;
                for frame in missed {
                    self.take(&frame, context, &mut answers).await?;
                }
            }
            if !has_all || self.held.has_holes() {
                self.catch_up(context, &mut answers).await?;
            }
            self.follow(live, context, &mut answers).await?;
        }
    }

    /// Finds out what the stream holds, and what of what was under way has got there.
    async fn settle(&mut self, context: &Context) -> Result<(), Trouble> {
        let names = self.names.clone();
        let shelf = Shelf::open(context, &names, self.nats.replicas).await?;
        self.say_differences(&shelf);
        // After the information: a message that comes late is either in both or has lost its place.
        let last = shelf.last().await?;
        let now = Known {
            created_ns: shelf.info.created.unix_timestamp_nanos(),
            sequence: last.as_ref().map_or(0, |last| last.sequence).max(shelf.info.state.last_sequence),
        };
        if let Some(came) = self.came(&now, last.as_ref())? {
            for _ in self.pending.drain(..came) {
                self.status.delivered();
            }
        } else {
            self.held = self.look_through(&shelf, last.as_ref()).await?;
            self.pending.clear();
            self.cursor = last.and_then(|last| last.mark).map_or(0, |mark| mark.number);
        }
        self.known = Some(now);
        Ok(())
    }

    /// How many of the pending messages have got through; `None` if the stream is not as we left it.
    fn came(&self, now: &Known, last: Option<&Last>) -> Result<Option<usize>, Trouble> {
        let known = self.known.as_ref().filter(|known| known.created_ns == now.created_ns);
        // Made again, or emptied, or with its end taken out.
        let (Some(known), Some(last)) = (known, last.filter(|last| last.sequence == now.sequence)) else {
            return Ok(None);
        };
        // The server may have lost what it had acknowledged.
        let Some(came) = now.sequence.checked_sub(known.sequence) else { return Ok(None) };
        let came = usize::try_from(came).unwrap_or(usize::MAX);
        let Some(nth) = came.checked_sub(1) else { return Ok(Some(0)) };
        let expected = self.pending.get(nth).map(|message| &message.mark);
        if expected.is_some() && expected == last.mark.as_ref() {
            Ok(Some(came))
        } else {
            Err(self.foreign(last))
        }
    }

    /// What of this journal is in the stream.
    async fn look_through(&self, shelf: &Shelf<'_>, last: Option<&Last>) -> Result<Held, Trouble> {
        let Some(last) = last else { return Ok(Held::default()) };
        let epoch = self.source.hub.epoch();
        // Of this run nothing can be there yet, if we have not looked before.
        let is_first = self.known.is_none();
        if let Some(why) = is_ahead(last, &self.names, &epoch, self.source.given).filter(|_| is_first) {
            // Whoever has said so already has been heard.
            drop(self.source.renew.try_send(why.clone()));
            return Err(Trouble::Ahead(why));
        }
        match &last.mark {
            Some(mark) if mark.epoch == epoch => shelf.held(last, mark).await,
            // Another journal was here before: ours begins anew behind it. But if it came after ours, somebody
            // else writes.
            Some(_) if self.source.noted.as_deref() != Some(&epoch) => Ok(Held::default()),
            _ => Err(self.foreign(last)),
        }
    }

    fn foreign(&self, last: &Last) -> Trouble {
        let what = match &last.mark {
            Some(mark) => format!("{} of an adoube", mark.id()),
            None => "of another program".to_owned(),
        };
        Trouble::Foreign { stream: self.names.stream.clone(), sequence: last.sequence, what }
    }

    fn say_differences(&mut self, shelf: &Shelf<'_>) {
        if std::mem::replace(&mut self.has_said_differences, true) {
            return;
        }
        let differences = shelf.differences(self.nats.replicas);
        if !differences.is_empty() {
            let what = format!("stream {} is used as it is: {}", self.names.stream, differences.join("; "));
            tracing::warn!(feed = super::NAME, "{what}");
            self.status.noted(what);
        }
    }

    /// Sends again what did not get through.
    async fn repeat(&self, context: &Context, answers: &mut Answers) -> Result<(), Trouble> {
        for nth in 0..self.pending.len() {
            self.send(nth, context, answers).await?;
        }
        Ok(())
    }

    /// Reads from the journal what is missing up to now.
    async fn catch_up(&mut self, context: &Context, answers: &mut Answers) -> Result<(), Trouble> {
        let mut after = self.held.whole();
        loop {
            let past = Arc::clone(&self.source.past);
            let read = tokio::task::spawn_blocking(move || past.after(after, BATCH)).await;
            // A thread that is gone took the runtime with it.
            let frames = read.unwrap_or_default();
            let Some(last) = frames.last() else { return Ok(()) };
            after = last.number;
            for (nth, frame) in frames.iter().enumerate() {
                self.take(frame, context, answers).await?;
                self.status.set_queued((frames.len() - nth - 1 + self.pending.len()) as u64);
            }
        }
    }

    /// Takes events as they come, until it is too far behind, or has to look into the journal again.
    async fn follow(
        &mut self,
        mut live: Receiver<Arc<Frame>>,
        context: &Context,
        answers: &mut Answers,
    ) -> Result<(), Trouble> {
        let again = sleep_until(Instant::now() + AGAIN);
        tokio::pin!(again);
        let (names, side, hub) = (self.names.clone(), self.side, Arc::clone(&self.source.hub));
        let look = || Box::pin(eaten::look(context.clone(), names.clone(), side, Arc::clone(&hub)));
        let mut looking = look();
        loop {
            tokio::select! {
                lacking = &mut looking => {
                    lacking.into_iter().for_each(|lacking| self.lacks(lacking));
                    looking = look();
                }
                Some(answer) = answers.next() => self.took(answer)?,
                frame = live.recv() => match frame {
                    Ok(frame) => self.take(&frame, context, answers).await?,
                    Err(RecvError::Lagged(_) | RecvError::Closed) => return Ok(()),
                },
                () = &mut again, if self.held.has_holes() => return Ok(()),
            }
            // What has been sent and is awaited is no backlog, but one more.
            let is_under_way = u64::from(!self.pending.is_empty());
            self.status.set_queued(live.len() as u64 + is_under_way);
        }
    }

    /// Says that the stream lacks the beginnings of these games. Those that it lacked the last time as well: what is on
    /// its way is there by now.
    fn lacks(&mut self, games: BTreeSet<String>) {
        let still = self.eaten.intersection(&games).cloned().collect();
        self.eaten = games;
        self.status.set_fault(eaten::trouble(&self.names, &still).map(|trouble| trouble.to_string()));
    }

    /// Takes an event, in its turn.
    async fn take(&mut self, frame: &Frame, context: &Context, answers: &mut Answers) -> Result<(), Trouble> {
        if frame.is_aside {
            return Ok(());
        }
        self.cursor = frame.number;
        if self.held.has(frame.number) {
            return Ok(());
        }
        self.held.insert(frame.number);
        if self.side == Side::Private && !self.nats.is_sensed && SENSED.contains(&frame.name) {
            return Ok(());
        }
        let whom = match self.side {
            Side::Public => frame.game.as_deref(),
            Side::Private => Some(&*frame.board),
        };
        self.pending.push_back(Message {
            mark: Mark::new(&self.source.hub.epoch(), frame.number, &self.held),
            subject: self.names.subject(frame.name, whom),
            line: frame.line.clone(),
        });
        self.send(self.pending.len() - 1, context, answers).await?;
        while answers.len() >= WINDOW {
            let Some(answer) = answers.next().await else { break };
            self.took(answer)?;
        }
        Ok(())
    }

    /// Sends the `nth` pending message to its place.
    async fn send(&self, nth: usize, context: &Context, answers: &mut Answers) -> Result<(), Trouble> {
        let message = &self.pending[nth];
        let before = self.known.as_ref().map_or(0, |known| known.sequence) + nth as u64;
        let mut headers = HeaderMap::new();
        message.mark.write(&mut headers);
        headers.insert(NATS_EXPECTED_LAST_SEQUENCE, before.to_string());
        // If somebody else's message got the place of one that is still under way, that one is refused; this one
        // would have its place all the same.
        if let Some(first) = nth.checked_sub(1) {
            headers.insert(NATS_EXPECTED_LAST_MESSAGE_ID, self.pending[first].mark.id());
        }
        if self.side == Side::Public {
            headers.insert(TOURNAMENT, self.tournament.as_str());
        }
        let publish = PublishMessage::build().headers(headers).payload(message.line.clone().into());
        let sent = context.send_publish(message.subject.clone(), publish).await;
        answers.push_back(sent.map_err(|error| self.unsent(&error))?.into_future());
        Ok(())
    }

    /// Takes the answer to the first pending message.
    fn took(&mut self, answer: Result<PublishAck, PublishError>) -> Result<(), Trouble> {
        let ack = answer.map_err(|error| self.unsent(&error))?;
        let known = self.known.as_mut().ok_or(Trouble::Lost)?;
        // It is there already: where, the stream itself will say.
        if ack.sequence != known.sequence + 1 || ack.duplicate {
            return Err(Trouble::Unclear);
        }
        known.sequence = ack.sequence;
        if let Some(first) = self.pending.pop_front()
            && self.source.noted.as_ref() != Some(&first.mark.epoch)
        {
            self.source.journal.sent(&note(&self.names, &first.mark.epoch), ack.sequence);
            self.source.noted = Some(first.mark.epoch);
        }
        self.status.delivered();
        Ok(())
    }

    fn unsent(&self, error: &PublishError) -> Trouble {
        match error.kind() {
            PublishErrorKind::TimedOut => Trouble::Late,
            PublishErrorKind::BrokenPipe => Trouble::Lost,
            _ => asked(&self.names, error),
        }
    }
}
