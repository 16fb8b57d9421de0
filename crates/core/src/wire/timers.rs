//! The instants at which a session wants to act: one enum a session, one table.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// When each timer is due, nanoseconds. Of two due at the same instant the earlier in the enum's order fires first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Ord + Deserialize<'de>"))]
pub(super) struct Timers<T>(BTreeMap<T, u64>);

impl<T> Default for Timers<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Ord + Copy> Timers<T> {
    pub(super) fn set(&mut self, timer: T, at_ns: u64) {
        self.0.insert(timer, at_ns);
    }

    pub(super) fn clear(&mut self, timer: T) {
        self.0.remove(&timer);
    }

    pub(super) fn is_set(&self, timer: T) -> bool {
        self.0.contains_key(&timer)
    }

    /// When the first of them is due.
    pub(super) fn wake_at_ns(&self) -> Option<u64> {
        self.0.values().copied().min()
    }

    /// Takes the first timer that is due at or before `at_ns`, with its own due time.
    pub(super) fn take_due(&mut self, at_ns: u64) -> Option<(u64, T)> {
        let (due_ns, timer) = self.0.iter().map(|(&timer, &due_ns)| (due_ns, timer)).min()?;
        (due_ns <= at_ns).then(|| self.0.remove(&timer))?;
        Some((due_ns, timer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_by_due_time_then_by_order() {
        let mut timers = Timers::default();
        timers.set('c', 5);
        timers.set('b', 7);
        timers.set('a', 7);
        assert_eq!(timers.take_due(4), None);
        assert_eq!(timers.wake_at_ns(), Some(5));
        assert_eq!(timers.take_due(9), Some((5, 'c')));
        assert_eq!(timers.take_due(9), Some((7, 'a')));
        timers.set('b', 30);
        assert!(timers.is_set('b'));
        assert_eq!(timers.take_due(9), None, "set again, it is due later");
        timers.clear('b');
        assert_eq!(timers.wake_at_ns(), None);
    }
}
