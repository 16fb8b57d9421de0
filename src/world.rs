//! The time of the world, however fast a hall's own time runs: for tokens, for what receivers compare with theirs, and for
//! how long something has been so.

use jiff::Timestamp;

/// The one place that asks for it.
#[expect(
    clippy::disallowed_methods,
    reason = "everything else has its time from here, or from the hall's clock"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
