//! Roles, and which rulings each of them may make.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ruling::nearest;

/// Who somebody is to the desk; each role may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Whoever is not logged in: sees what is public.
    Spectator,
    /// Sees to boards, pairings and rounds, and puts right what was read wrong.
    Operator,
    /// Decides.
    Arbiter,
}

/// What an operator rules on: what was read wrong, and how boards and rounds are run.
const OPERATOR: [&str; 12] = [
    "confirm-move",
    "correct-move",
    "insert-move",
    "delete-move",
    "accept-position",
    "move-to-board",
    "round-open",
    "round-start",
    "round-close",
    "assign",
    "link",
    "clock-start",
];

/// What an operator rules on only where the event says so (`operator_results`).
const RESULTS: [&str; 2] = ["result", "change-result"];

impl Role {
    /// Roles that can be given to somebody.
    pub const GIVEN: [Self; 2] = [Self::Operator, Self::Arbiter];

    /// Its name everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spectator => "spectator",
            Self::Operator => "operator",
            Self::Arbiter => "arbiter",
        }
    }

    /// May it make the ruling of this name? `operator_results`: operators enter results, too.
    #[must_use]
    pub fn may_rule(self, ruling: &str, operator_results: bool) -> bool {
        match self {
            Self::Spectator => false,
            Self::Operator => OPERATOR.contains(&ruling) || operator_results && RESULTS.contains(&ruling),
            Self::Arbiter => true,
        }
    }

    /// Who may make the ruling of this name.
    #[must_use]
    pub fn of_ruling(ruling: &str, operator_results: bool) -> Vec<Self> {
        Self::GIVEN.into_iter().filter(|role| role.may_rule(ruling, operator_results)).collect()
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::GIVEN.into_iter().find(|role| role.name() == text).ok_or_else(|| {
            let nearest = nearest(text, Self::GIVEN.iter().map(|role| role.name()));
            format!("no role is called \"{text}\"; did you mean \"{nearest}\"?")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling;

    #[test]
    fn what_an_operator_may_rule_is_a_ruling() {
        for name in OPERATOR.iter().chain(&RESULTS) {
            assert!(ruling::arguments(name).is_some(), "{name}");
        }
    }

    #[test]
    fn roles_rule_as_the_event_says() {
        assert!(Role::Operator.may_rule("confirm-move", false) && Role::Operator.may_rule("link", false));
        assert!(!Role::Operator.may_rule("result", false) && Role::Operator.may_rule("result", true));
        assert!(!Role::Operator.may_rule("penalty", true) && Role::Arbiter.may_rule("penalty", false));
        assert!(!Role::Spectator.may_rule("note", true));
        assert_eq!(Role::of_ruling("link", false), Role::GIVEN);
        assert_eq!(Role::of_ruling("result", false), [Role::Arbiter]);
    }

    #[test]
    fn a_role_that_nobody_can_be_given_is_refused() {
        assert_eq!("arbiter".parse(), Ok(Role::Arbiter));
        let error = "arbitre".parse::<Role>().unwrap_err();
        assert_eq!(error, "no role is called \"arbitre\"; did you mean \"arbiter\"?");
        assert!("spectator".parse::<Role>().is_err());
    }
}
