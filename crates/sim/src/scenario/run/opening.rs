//! What a scenario's board and clock are before the first act.

use super::*;

impl Scenario {
    pub(super) fn open(
        &self,
        index: usize,
        case: &Case,
        settings: &[(String, String)],
    ) -> Result<Open, RunError> {
        let board = &self.boards[index];
        let mut open = Open::new(board, FRAMES, "scenario");
        open.variant = self.variant;
        open.profile.clone_from(&case.profile);
        open.start.clone_from(&self.start.fen);
        open.agreed = (self.agreed != self.start).then(|| self.agreed.fen());
        open.in_progress = self.plan.in_progress;
        open.time_control = Some(self.control(&case.profile).to_owned());
        (open.illegal, open.illegal_red_blue, open.warnings) =
            (self.illegal, self.illegal_red_blue, self.warnings);
        open.regulations.clone_from(&self.regulations);
        let own = self.config.iter().chain(&self.plan.settings).map(|(_, key, value)| (key, value));
        let given = settings.iter().map(|(key, value)| (key, value));
        for (key, value) in own.chain(given).filter(|(key, _)| *key != TURNED) {
            open.set(key, value).map_err(RunError::Setting)?;
        }
        let others = || self.boards.iter().filter(|other| *other != board).cloned();
        match self.relation {
            Some(Relation::Pair) => open.pair = others().next(),
            Some(Relation::Linked) => open.linked = others().collect(),
            None => {}
        }
        Ok(open)
    }

    pub(super) fn control(&self, profile: &str) -> &str {
        let usual = if profile.contains("-rapid") {
            "1500"
        } else if profile.contains("-blitz") {
            "300"
        } else {
            "5400"
        };
        self.control.as_deref().unwrap_or(usual)
    }

    /// How the board really lies, which nobody tells the core.
    pub(super) fn turned(&self) -> u32 {
        let settings = self.config.iter().chain(&self.plan.settings);
        settings
            .rev()
            .find(|(_, key, _)| key == TURNED)
            .and_then(|(.., value)| value.parse().ok())
            .unwrap_or(0)
    }

    /// The clock at the start; `None`: there is none.
    pub(super) fn clock_at_start(&self, profile: &str) -> Option<Clock> {
        let key = &self.clock;
        if key.absent {
            return None;
        }
        let set_to =
            key.control.clone().or_else(|| crate::scenario::clock::Control::parse(self.control(profile)));
        let mut clock = Clock::new(set_to?, self.start.moves_before, key.counter);
        for side in Side::BOTH {
            if let Some(left_ms) = key.left_ms[side.index()] {
                // What the clock shows when the moves of `before` have been played.
                clock.set(side, left_ms);
                let used_ms = self.used_before_ms(&clock, side);
                clock.set(side, left_ms.saturating_add_signed(used_ms));
            }
        }
        if let Some(side) = self.plan.running {
            clock.start(side);
        }
        Some(clock)
    }

    /// The time that the moves of `before` cost `side`, increments taken off.
    pub(super) fn used_before_ms(&self, clock: &Clock, side: Side) -> i64 {
        const PLENTY_MS: u64 = 100 * 3_600_000;
        let Some(before_ns) = self.plan.before_ns else { return 0 };
        let mut clock = clock.clone();
        for side in Side::BOTH {
            clock.set(side, PLENTY_MS);
        }
        if let Some(running) = self.plan.running {
            clock.start(running);
        }
        for step in self.plan.steps.iter().filter(|step| step.at_ns <= before_ns) {
            if let Act::Press(presser) = step.act {
                clock.advance(step.at_ns);
                clock.press(presser);
            }
        }
        PLENTY_MS.cast_signed() - clock.left_ms(side).cast_signed()
    }
}
