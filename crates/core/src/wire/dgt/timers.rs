//! What a session with a DGT board waits for.

use serde::{Deserialize, Serialize};

/// Of two due at the same instant the earlier in this order fires first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
