//! `[discovery]`: which ports are asked, and what becomes of boards that nobody named.

use serde::Deserialize;

use crate::link::Port;

/// `[discovery]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discovery {
    /// Is there any looking for boards?
    pub enabled: bool,
    /// Ports that may be asked although their chip could be in anything, and serial servers.
    pub ports: Vec<Port>,
    /// Does a board that no `[[board]]` means become one of the hall? `None`: if there is no `[[board]]` at all.
    pub add: Option<bool>,
}

impl Default for Discovery {
    fn default() -> Self {
        Self { enabled: true, ports: Vec::new(), add: None }
    }
}

impl Discovery {
    /// Is one of the ports none?
    pub(super) fn has_nowhere(&self) -> bool {
        self.ports.contains(&Port::Auto)
    }
}
