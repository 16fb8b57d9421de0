//! The instants at which a session wants to act: one enum, one table.

/// What a session waits for. Of two due at the same instant the earlier in this order fires first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timer {
    /// The next command may go out.
    Send,
    /// A message that began does not go on.
    BrokenOff,
    /// Questions of the handshake are still open.
    Retry,
    /// It is time to compare the whole board with what the updates said.
    Verify,
    /// The clock has not answered.
    ClockAnswer,
    /// The board said nothing for a while.
    KeepAlive,
    /// The board said nothing for too long.
    Silence,
}

impl Timer {
    const ALL: [Self; 7] = [
        Self::Send,
        Self::BrokenOff,
        Self::Retry,
        Self::Verify,
        Self::ClockAnswer,
        Self::KeepAlive,
        Self::Silence,
    ];
}

/// When each timer is due, nanoseconds.
#[derive(Debug, Clone, Default)]
pub(super) struct Timers([Option<u64>; Timer::ALL.len()]);

impl Timers {
    pub(super) fn set(&mut self, timer: Timer, at_ns: u64) {
        self.0[timer as usize] = Some(at_ns);
    }

    pub(super) fn clear(&mut self, timer: Timer) {
        self.0[timer as usize] = None;
    }

    pub(super) fn is_set(&self, timer: Timer) -> bool {
        self.0[timer as usize].is_some()
    }

    /// The timer that is due first, and when.
    pub(super) fn next(&self) -> Option<(u64, Timer)> {
        let due = Timer::ALL.into_iter().filter_map(|timer| Some((self.0[timer as usize]?, timer)));
        due.min_by_key(|(at_ns, _)| *at_ns)
    }

    /// Takes the first timer that is due at or before `at_ns`, with its own due time.
    pub(super) fn take_due(&mut self, at_ns: u64) -> Option<(u64, Timer)> {
        let (due_ns, timer) = self.next().filter(|(due_ns, _)| *due_ns <= at_ns)?;
        self.clear(timer);
        Some((due_ns, timer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_by_due_time_then_by_order() {
        let mut timers = Timers::default();
        timers.set(Timer::Silence, 5);
        timers.set(Timer::KeepAlive, 7);
        timers.set(Timer::Send, 7);
        assert_eq!(timers.take_due(4), None);
        assert_eq!(timers.take_due(9), Some((5, Timer::Silence)));
        assert_eq!(timers.take_due(9), Some((7, Timer::Send)));
        assert_eq!(timers.take_due(9), Some((7, Timer::KeepAlive)));
        assert_eq!(timers.take_due(9), None);
        assert!(Timer::ALL.into_iter().all(|timer| !timers.is_set(timer)));
    }
}
