//! A stream as the server has it: made if it is missing, and looked at for what it holds.

use std::fmt::Debug;

use async_nats::jetstream::Context;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{Config, Info, LastRawMessageErrorKind, StorageType, Stream};
use futures_util::StreamExt as _;
use tokio::time::timeout;

use super::held::{Held, Mark};
use super::names::Names;
use super::retry::answered;
use super::server::PATIENCE;
use super::{Trouble, asked};

/// A stream while a connection lasts.
#[derive(Debug)]
pub(super) struct Shelf<'a> {
    names: &'a Names,
    stream: Stream,
    pub(super) info: Info,
}

/// The last message of a stream.
#[derive(Debug)]
pub(super) struct Last {
    pub(super) sequence: u64,
    /// What it says of itself; `None` if adoube did not write it.
    pub(super) mark: Option<Mark>,
}

impl Last {
    /// The last message of the stream of that name; `None` if there is neither. Nothing is made.
    pub(super) async fn of(context: &Context, names: &Names) -> Result<Option<Self>, Trouble> {
        let stream = match answered(|| context.get_stream(&names.stream)).await? {
            Err(error) if is_missing(&error.kind()) => return Ok(None),
            found => found.map_err(|error| asked(names, &error))?,
        };
        last(&stream, names).await
    }
}

/// The last message, if there is one. The stream's leader is asked, not a copy that may be behind.
async fn last(stream: &Stream, names: &Names) -> Result<Option<Last>, Trouble> {
    let subjects = names.subjects();
    match answered(|| stream.get_last_raw_message_by_subject(&subjects)).await? {
        Ok(message) => Ok(Some(Last { sequence: message.sequence, mark: Mark::read(&message.headers) })),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(asked(names, &error)),
    }
}

/// As we make it: on disk, and for good. Who wants less makes it before us.
pub(super) fn usual(names: &Names, replicas: usize) -> Config {
    Config {
        name: names.stream.clone(),
        description: Some("Events of adoube; one daemon writes it".to_owned()),
        subjects: vec![names.subjects()],
        storage: StorageType::File,
        num_replicas: replicas,
        max_bytes: -1,
        max_messages: -1,
        max_messages_per_subject: -1,
        max_consumers: -1,
        ..Config::default()
    }
}

impl<'a> Shelf<'a> {
    /// Opens the stream, or makes it.
    pub(super) async fn open(context: &Context, names: &'a Names, replicas: usize) -> Result<Self, Trouble> {
        let stream = match answered(|| context.get_stream(&names.stream)).await? {
            Err(error) if is_missing(&error.kind()) => {
                tracing::info!(stream = names.stream, "the stream is made");
                context.create_stream(usual(names, replicas)).await.map_err(|error| asked(names, &error))
            }
            found => found.map_err(|error| asked(names, &error)),
        }?;
        let info = answered(|| stream.get_info()).await?.map_err(|error| asked(names, &error))?;
        if !info.config.subjects.contains(&names.subjects()) {
            let (stream, subjects) = (names.stream.clone(), names.subjects());
            return Err(Trouble::OtherSubjects { stream, subjects });
        }
        Ok(Self { names, stream, info })
    }

    /// In what it differs from what we would have made.
    pub(super) fn differences(&self, replicas: usize) -> Vec<String> {
        fn differs<T: Debug + PartialEq>(key: &str, is: &T, usual: &T) -> Option<String> {
            (is != usual).then(|| format!("{key} is {is:?}, usual is {usual:?}"))
        }
        // The server writes "no limit" in its own way.
        let limit = |value: i64| value.max(0);
        let (is, usual) = (&self.info.config, &usual(self.names, replicas));
        let differences = [
            differs("storage", &is.storage, &usual.storage),
            differs("replicas", &is.num_replicas, &usual.num_replicas),
            differs("retention", &is.retention, &usual.retention),
            differs("max_age", &is.max_age, &usual.max_age),
            differs("max_bytes", &limit(is.max_bytes), &limit(usual.max_bytes)),
            differs("max_msgs", &limit(is.max_messages), &limit(usual.max_messages)),
            differs(
                "max_msgs_per_subject",
                &limit(is.max_messages_per_subject),
                &limit(usual.max_messages_per_subject),
            ),
            differs("no_ack", &is.no_ack, &usual.no_ack),
            differs("sealed", &is.sealed, &usual.sealed),
        ];
        differences.into_iter().flatten().collect()
    }

    /// The last message, if there is one.
    pub(super) async fn last(&self) -> Result<Option<Last>, Trouble> {
        last(&self.stream, self.names).await
    }

    /// Which events of the journal `epoch` the stream holds, whose last message is `last`.
    pub(super) async fn held(&self, last: &Last, mark: &Mark) -> Result<Held, Trouble> {
        let mut held = Held::up_to(mark.whole);
        if mark.highest == mark.whole {
            return Ok(held);
        }
        // Marks only rise: the first that is higher than what is whole is found by halves.
        let (mut from, mut to) = (self.info.state.first_sequence, last.sequence);
        while from < to {
            let middle = from + (to - from) / 2;
            let is_higher = match answered(|| self.stream.get_raw_message(middle)).await? {
                Ok(message) => Mark::read(&message.headers)
                    .is_some_and(|other| other.epoch == mark.epoch && other.highest > mark.whole),
                // Somebody took it out; then the search takes the longer way.
                Err(_) => true,
            };
            if is_higher {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        for number in self.numbers(&mark.epoch, from, last.sequence).await? {
            held.insert(number);
        }
        Ok(held)
    }

    /// The numbers of the messages from one sequence to another.
    async fn numbers(&self, epoch: &str, from: u64, to: u64) -> Result<Vec<u64>, Trouble> {
        let config = pull::OrderedConfig {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from },
            headers_only: true,
            ..pull::OrderedConfig::default()
        };
        let consumer = answered(|| self.stream.create_consumer(config.clone())).await?;
        let consumer = consumer.map_err(|error| asked(self.names, &error))?;
        let mut messages = consumer.messages().await.map_err(|error| asked(self.names, &error))?;
        let mut numbers = Vec::new();
        loop {
            let message = timeout(PATIENCE, messages.next()).await.map_err(|_| Trouble::Late)?;
            let message = message.ok_or(Trouble::Lost)?.map_err(|error| asked(self.names, &error))?;
            let sequence = message.info().map_or(0, |info| info.stream_sequence);
            let mark = message.headers.as_ref().and_then(Mark::read);
            numbers.extend(mark.filter(|mark| mark.epoch == epoch).map(|mark| mark.number));
            if sequence >= to {
                return Ok(numbers);
            }
        }
    }
}

/// There is no such stream, says the server.
pub(crate) fn is_missing(kind: &GetStreamErrorKind) -> bool {
    matches!(kind, GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND)
}
