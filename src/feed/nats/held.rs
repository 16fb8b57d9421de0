//! Which events a stream holds.

use std::collections::BTreeSet;

use async_nats::HeaderMap;
use async_nats::header::NATS_MESSAGE_ID;

/// All numbers up to this one are in the stream, the message's own included.
const WHOLE: &str = "Adoube-Whole";

/// The highest number in the stream.
const HIGHEST: &str = "Adoube-Highest";

/// The numbers of the events that a stream holds, or that it need not hold.
///
/// As long as all boards are equally late these are all numbers up to one. Otherwise the events of a board
/// that is less late are there before older ones of the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Held {
    whole: u64,
    above: BTreeSet<u64>,
}

impl Held {
    /// All numbers up to `whole`.
    pub(super) fn up_to(whole: u64) -> Self {
        Self { whole, above: BTreeSet::new() }
    }

    pub(super) fn has(&self, number: u64) -> bool {
        number <= self.whole || self.above.contains(&number)
    }

    pub(super) fn insert(&mut self, number: u64) {
        if self.has(number) {
            return;
        }
        self.above.insert(number);
        while self.above.remove(&(self.whole + 1)) {
            self.whole += 1;
        }
    }

    /// All up to here.
    pub(super) fn whole(&self) -> u64 {
        self.whole
    }

    /// Is an older one missing than one that is there?
    pub(super) fn has_holes(&self) -> bool {
        !self.above.is_empty()
    }
}

/// What a message says of itself and the stream up to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Of which journal its number is.
    pub(crate) epoch: String,
    /// Its number.
    pub(crate) number: u64,
    pub(super) whole: u64,
    pub(super) highest: u64,
}

impl Mark {
    /// That of the message that makes a stream hold `held`.
    pub(super) fn new(epoch: &str, number: u64, held: &Held) -> Self {
        let highest = held.above.last().copied().unwrap_or(held.whole);
        Self { epoch: epoch.to_owned(), number, whole: held.whole, highest }
    }

    /// `EPOCH-NUMBER`.
    pub(super) fn id(&self) -> String {
        format!("{}-{}", self.epoch, self.number)
    }

    pub(super) fn write(&self, headers: &mut HeaderMap) {
        headers.insert(NATS_MESSAGE_ID, self.id());
        headers.insert(WHOLE, self.whole.to_string());
        headers.insert(HIGHEST, self.highest.to_string());
    }

    /// That of a message, if adoube wrote it.
    pub(crate) fn read(headers: &HeaderMap) -> Option<Self> {
        let number = |name: &str| headers.get(name)?.as_str().parse().ok();
        let (epoch, own) = headers.get(NATS_MESSAGE_ID)?.as_str().rsplit_once('-')?;
        Some(Self {
            epoch: epoch.to_owned(),
            number: own.parse().ok()?,
            whole: number(WHOLE)?,
            highest: number(HIGHEST)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_whole_as_far_as_nothing_is_missing() {
        let mut held = Held::default();
        let mut marks = Vec::new();
        for number in [1, 2, 5, 4, 9, 3, 3] {
            held.insert(number);
            let mark = Mark::new("e", number, &held);
            marks.push((mark.whole, mark.highest));
        }
        assert_eq!(marks, [(1, 1), (2, 2), (2, 5), (2, 5), (2, 9), (5, 9), (5, 9)]);
        assert!(held.has(5) && held.has(9) && !held.has(6) && held.has_holes());
        assert_eq!(held, Held { whole: 5, above: [9].into() });
    }

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let mut held = Held::up_to(7);
        held.insert(11);
        let mark = Mark::new("d41d8c", 11, &held);
        let mut headers = HeaderMap::new();
        mark.write(&mut headers);
        assert_eq!(headers.get(NATS_MESSAGE_ID).unwrap().as_str(), "d41d8c-11");
        assert_eq!(Mark::read(&headers), Some(mark));
        let mut foreign = HeaderMap::new();
        foreign.insert(NATS_MESSAGE_ID, "order-17");
        assert_eq!((Mark::read(&foreign), Mark::read(&HeaderMap::new())), (None, None));
    }
}
