//! Roles, and which rulings each of them may make.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use adoube_core::ruling::Maker;
use adoube_rules::spelling::nearest;

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

    /// May it make what is `maker`'s? `operator_results`: operators enter results, too.
    #[must_use]
    pub fn may_rule(self, maker: Maker, operator_results: bool) -> bool {
        match (self, maker) {
            (Self::Arbiter, _) | (Self::Operator, Maker::Operator) => true,
            (Self::Operator, Maker::Results) => operator_results,
            (Self::Operator, Maker::Arbiter) | (Self::Spectator, _) => false,
        }
    }

    /// Who may make what is `maker`'s.
    #[must_use]
    pub fn of_maker(maker: Maker, operator_results: bool) -> Vec<Self> {
        Self::GIVEN.into_iter().filter(|role| role.may_rule(maker, operator_results)).collect()
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
    use adoube_core::ruling::Form;

    #[test]
    fn roles_rule_as_the_event_says() {
        let may = |role: Role, name: &str, operator_results| {
            role.may_rule(Form::of(name).unwrap().maker, operator_results)
        };
        assert!(may(Role::Operator, "confirm-move", false) && may(Role::Operator, "link", false));
        assert!(!may(Role::Operator, "result", false) && may(Role::Operator, "result", true));
        assert!(!may(Role::Operator, "penalty", true) && may(Role::Arbiter, "penalty", false));
        assert!(!may(Role::Spectator, "note", true));
        assert_eq!(Role::of_maker(Maker::Operator, false), Role::GIVEN);
        assert_eq!(Role::of_maker(Maker::Results, false), [Role::Arbiter]);
    }

    #[test]
    fn a_role_that_nobody_can_be_given_is_refused() {
        assert_eq!("arbiter".parse(), Ok(Role::Arbiter));
        let error = "arbitre".parse::<Role>().unwrap_err();
        assert_eq!(error, "no role is called \"arbitre\"; did you mean \"arbiter\"?");
        assert!("spectator".parse::<Role>().is_err());
    }
}
