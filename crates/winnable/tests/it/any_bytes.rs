//! Who can still mate, from any game and any men on a board: see [`any`].

use proptest::prelude::*;

use crate::any;
use crate::depth::cases;

/// So long that a game gets into its ending, and a board gets full.
const BYTES_MAX: usize = 120;

proptest! {
    // A case asks up to six times.
    #![proptest_config(ProptestConfig::with_cases(cases(300)))]

    #[test]
    fn every_answer_holds(bytes in prop::collection::vec(any::<u8>(), 0..BYTES_MAX)) {
        any::check(&bytes);
    }
}
