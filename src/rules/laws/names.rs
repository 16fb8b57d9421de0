//! The names of everything that can be said about a game, with what is fixed about each.
//!
//! Code, events, feeds and scenarios use these names and no others; a name is never reused for
//! another meaning. The names themselves stand in `rows.rs`, those that they replaced in
//! `synonyms.rs`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::rows::ROWS;
use super::synonyms::SYNONYMS;
use super::{ArbiterActs, Edition, FlagCall, Profile};
use crate::ruling::nearest;

/// What is fixed about a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The event's `type`.
    pub name: &'static str,
    /// `sensed`, `entered`, `notice`, `irregularity`, `claim`, `outcome`, `proposal`.
    pub kind: &'static str,
    /// `info`, `notice`, `alert`, `critical`; empty where it has none, and for a proposal, which has
    /// that of its record. What a profile makes of it: [`Profile::severity`].
    pub severity: &'static str,
    /// `sensed`, `inferred`, `suspected`, `entered`.
    pub certainty: &'static str,
    /// The articles, by [`Edition::index`]; `None` where the edition has no rule.
    pub articles: [Option<&'static str>; 4],
    /// Who may see it.
    pub see: See,
    /// Does it need a board that tells pieces apart?
    pub identity_only: bool,
    /// Does it count as an illegal move? What a profile makes of it: [`Profile::counted`].
    pub counted: Counted,
}

/// Who may see an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum See {
    /// The arbiter's channel only.
    Arbiter,
    /// The public feed too.
    Public,
    /// The public feed once its status is `confirmed`.
    PublicWhenConfirmed,
}

/// Whether a record counts as an illegal move of its player (7.5.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// It does not.
    No,
    /// It does, unless the arbiter rejects it.
    Yes,
    /// It does once the arbiter has confirmed it.
    WhenConfirmed,
}

/// The row of `name`, if there is one.
#[must_use]
pub fn row(name: &str) -> Option<&'static Row> {
    static BY_NAME: LazyLock<BTreeMap<&str, &Row>> =
        LazyLock::new(|| ROWS.iter().map(|row| (row.name, row)).collect());
    BY_NAME.get(name).copied()
}

/// The article on which `name` rests in that edition; `None` where it has no rule.
#[must_use]
pub fn article(name: &str, edition: Edition) -> Option<&'static str> {
    row(name)?.articles[edition.index()]
}

/// Every name, in the order of the registry.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// What to use instead of a name that does not exist: what replaced it, or the nearest name.
#[must_use]
pub fn hint(given: &str) -> String {
    match SYNONYMS.iter().find(|(old, _)| *old == given) {
        Some((_, now)) => format!("use {now}"),
        None => format!("did you mean \"{}\"?", nearest(given, names())),
    }
}

impl Profile {
    /// How urgent a record of that name is: the registry's severity, lowered where the rules leave the
    /// matter to the players (2005 rapid and blitz: B5 to B7, C2) or do not punish it.
    #[must_use]
    pub fn severity(&self, name: &str) -> &'static str {
        // 2005 rapid: he acts on the gross ones only, which are told by their kinds.
        let is_evidence = matches!(self.illegal_arbiter_acts, ArbiterActs::OnlyGross | ArbiterActs::Never);
        match name {
            "illegal-move-completed" if is_evidence => "info",
            "touch-move-suspected" if !self.article4_arbiter_duty => "info",
            "flag-fallen" if self.flag_called_by == FlagCall::PlayerOnly => "info",
            "clock-pressed-without-move" if !self.press_without_move_is_illegal => "notice",
            _ => row(name).map_or("notice", |row| row.severity),
        }
    }

    /// Whether a record of that name counts as an illegal move. Where the arbiter does not act by
    /// himself, it is the opponent's complaint that counts it.
    #[must_use]
    pub fn counted(&self, name: &str) -> Counted {
        match name {
            "clock-pressed-without-move" if !self.press_without_move_is_illegal => Counted::No,
            "two-hands-suspected" if !self.two_hands_is_illegal => Counted::No,
            _ => row(name).map_or(Counted::No, |row| row.counted),
        }
    }
}
