//! Holding what happened against `expect`, `forbid`, `forbid_public`, `quiet`, `moves` and `result`.

use std::fmt;

use super::pattern::Pattern;
use adoube_core::event::{Numbered, Said, publish};
use adoube_rules::laws::{RowKind, Severity};

/// Something that a scenario says and that did not come out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// What is wrong, in one line.
    pub what: String,
    /// The `seq` of the events that come nearest.
    pub nearest: Vec<u64>,
}

impl fmt::Display for Unmet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.what)
    }
}

/// The entries that `events` do not meet. Each uses up one event; they are met in order of time, and
/// events of one instant in any order.
pub(super) fn unmet(patterns: &[&Pattern], events: &[Numbered]) -> Vec<Unmet> {
    let mut left: Vec<&Pattern> = patterns.to_vec();
    let mut unmet = Vec::new();
    loop {
        let mut search = Search { patterns: &left, events, used: vec![false; events.len()], deepest: 0 };
        if search.meet(0, None) {
            return unmet;
        }
        // What comes after it may be met all the same, and is worth no second complaint.
        let pattern = left.remove(search.deepest);
        unmet.push(complaint(pattern, events));
    }
}

struct Search<'a> {
    patterns: &'a [&'a Pattern],
    events: &'a [Numbered],
    used: Vec<bool>,
    deepest: usize,
}

impl Search<'_> {
    /// Are the patterns from `index` on met by unused events at or after `since`? Among the events
    /// of one instant each is tried; a later instant than the first that fits cannot help the rest.
    fn meet(&mut self, index: usize, since: Option<u64>) -> bool {
        let Some(pattern) = self.patterns.get(index) else { return true };
        self.deepest = self.deepest.max(index);
        let mut first = None;
        for place in 0..self.events.len() {
            let event = &self.events[place];
            let at = micros(event);
            if since.is_some_and(|since| at < since) || self.used[place] || !pattern.is_met_by(event) {
                continue;
            }
            if *first.get_or_insert(at) != at {
                break;
            }
            self.used[place] = true;
            if self.meet(index + 1, Some(at)) {
                return true;
            }
            self.used[place] = false;
        }
        false
    }
}

/// `t_ms` of an event, in microseconds.
pub(super) fn micros(event: &Numbered) -> u64 {
    event.t_ms.micros()
}

fn complaint(pattern: &Pattern, events: &[Numbered]) -> Unmet {
    let is_there = events.iter().any(|event| pattern.is_met_by(event));
    let what = if is_there {
        format!("expected {}: not at this place in the order, or not so often", pattern.text)
    } else {
        format!("expected {}", pattern.text)
    };
    let nearest = events.iter().filter(|event| event.name() == pattern.name).map(|event| event.seq).collect();
    Unmet { what, nearest }
}

/// The entries that are met though they must not be.
pub(super) fn forbidden(patterns: &[Pattern], events: &[Numbered]) -> Vec<Unmet> {
    let met = |pattern: &Pattern| {
        let met: Vec<u64> =
            events.iter().filter(|event| pattern.is_met_by(event)).map(|event| event.seq).collect();
        (!met.is_empty()).then(|| Unmet { what: format!("forbidden {}", pattern.text), nearest: met })
    };
    patterns.iter().filter_map(met).collect()
}

/// The entries that reach the public feed though they must not.
pub(super) fn published(patterns: &[Pattern], events: &[Numbered]) -> Vec<Unmet> {
    let reaches = |pattern: &Pattern, event: &Numbered| {
        publish(event).is_some_and(|public| pattern.is_met_in_public(&public))
    };
    let met = |pattern: &Pattern| {
        let met: Vec<u64> =
            events.iter().filter(|event| reaches(pattern, event)).map(|event| event.seq).collect();
        (!met.is_empty()).then(|| Unmet { what: format!("public {}", pattern.text), nearest: met })
    };
    patterns.iter().filter_map(met).collect()
}

/// What is above severity info, or a proposal.
pub(super) fn loud(events: &[Numbered]) -> Vec<Unmet> {
    let severity = |event: &Numbered| match &event.said {
        Said::Record(recorded) if recorded.severity.is_some() => recorded.severity,
        said => said.name().row().severity,
    };
    let is_loud = |event: &&Numbered| {
        event.name().row().kind == RowKind::Proposal || severity(event) > Some(Severity::Info)
    };
    let complain =
        |event: &Numbered| Unmet { what: format!("not quiet: {}", event.name()), nearest: vec![event.seq] };
    events.iter().filter(is_loud).map(complain).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use adoube_core::event::testing::numbered;
    use serde_json::{Value, json};

    /// An event with these `fields`; what a move has beside is made up.
    pub(in crate::scenario) fn event(seq: u64, t_ms: u64, name: &str, fields: &Value) -> Numbered {
        let mut event = json!({ "seq": seq, "t_ms": t_ms, "type": name });
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        numbered(event)
    }

    fn events(list: &[(u64, &str, &str)]) -> Vec<Numbered> {
        let event = |(seq, &(t_ms, name, san))| event(seq, t_ms, name, &json!({ "san": san }));
        (1..).zip(list).map(event).collect()
    }

    fn complaints(entries: &[&str], events: &[Numbered]) -> Vec<String> {
        let patterns: Vec<Pattern> = entries.iter().map(|entry| Pattern::parse(entry).unwrap()).collect();
        unmet(&patterns.iter().collect::<Vec<_>>(), events).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn entries_are_met_in_order_of_time_and_use_up_an_event_each() {
        let events = events(&[
            (100, "move-made", "e4"),
            (200, "move-completed", "e4"),
            (200, "move-made", "e5"),
            (300, "move-completed", "e5"),
        ]);
        let none: [&str; 0] = [];
        assert_eq!(complaints(&["move-made{e4}", "move-made{e5}", "move-completed"], &events), none);
        assert_eq!(
            complaints(&["move-made", "move-made{e5}", "move-completed{e4}"], &events),
            none,
            "one instant"
        );
        assert_eq!(complaints(&["move-made", "move-completed", "move-completed"], &events), none);
        assert_eq!(
            complaints(&["move-completed{e5}", "move-made{e4}"], &events),
            ["expected move-made{e4}: not at this place in the order, or not so often"]
        );
        assert_eq!(
            complaints(&["move-made", "move-made", "move-made"], &events),
            ["expected move-made: not at this place in the order, or not so often"]
        );
        assert_eq!(
            complaints(&["move-made{d4}", "move-made{e5}", "move-made{c4}"], &events),
            ["expected move-made{d4}", "expected move-made{c4}"]
        );
    }

    #[test]
    fn a_wide_entry_leaves_the_event_that_a_narrow_one_needs() {
        let events = events(&[(100, "move-made", "e4"), (100, "move-made", "d4")]);
        assert!(complaints(&["move-made", "move-made{e4}"], &events).is_empty());
        assert!(complaints(&["move-made{e4}", "move-made"], &events).is_empty());
        assert_eq!(complaints(&["move-made{e4}", "move-made{e4}"], &events).len(), 1);
    }

    #[test]
    fn what_must_not_be_is_found() {
        let events = events(&[(100, "move-made", "e4"), (150, "move-retracted", "e4")]);
        let patterns = [Pattern::parse("move-made{e4}").unwrap(), Pattern::parse("move-made{d4}").unwrap()];
        let found = forbidden(&patterns, &events);
        assert_eq!(
            (found.len(), found[0].what.as_str(), &found[0].nearest),
            (1, "forbidden move-made{e4}", &vec![1])
        );
        assert_eq!(loud(&events).len(), 1, "a retraction is a notice");
    }
}
