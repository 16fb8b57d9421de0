//! Who can still mate, from any game and any men on a board: see [`mates_check`].

use proptest::prelude::*;

use crate::mates_check;

/// So long that a game gets into its ending, and a board gets full.
const BYTES_MAX: usize = 120;

proptest! {
    // A case asks up to six times.
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_answer_holds(bytes in prop::collection::vec(any::<u8>(), 0..BYTES_MAX)) {
        mates_check::check(&bytes);
    }
}
