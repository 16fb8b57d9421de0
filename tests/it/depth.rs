//! How much is asked: a sample, or with `bash .ci/full` everything.

/// When and at which commit everything is asked, if it is.
pub(crate) fn full() -> Option<String> {
    std::env::var("ADOUBE_FULL").ok()
}

/// Where a sample has so many cases of a property, everything has this many times as many.
const MORE: u32 = 20;

/// So many cases of a property, or more.
pub(crate) fn cases(sample: u32) -> u32 {
    if full().is_some() { MORE * sample } else { sample }
}
