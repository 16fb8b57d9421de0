//! Who asks, and what he is known by.

use super::Role;

/// The name of the cookie.
pub(crate) const COOKIE_NAME: &str = "adoube_session";

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visitor {
    /// As what.
    pub role: Role,
    /// The name of whoever is logged in.
    pub name: Option<String>,
}

impl Visitor {
    /// Somebody who is not logged in.
    pub const SPECTATOR: Self = Self { role: Role::Spectator, name: None };
}

/// What somebody is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The digest of a session's key.
    Session(String),
    /// The id of a token.
    Token(String),
    /// What the kernel says at the control socket.
    Local,
}
