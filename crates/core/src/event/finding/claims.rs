//! Claims with nothing said of them yet, and claims that are not admitted.

use super::{
    ClaimFault, ClaimFlagFall, ClaimHead, ClaimIllegalMove, ClaimTouchMove, DrawClaim, Mate, Quickplay,
    Verdict,
};

impl DrawClaim {
    /// The claim as such.
    pub(crate) fn of(head: ClaimHead, verdict: Verdict) -> Self {
        Self {
            head,
            intended: None,
            verdict,
            gap: None,
            reason: None,
            occurrences: None,
            plies: None,
            white: None,
            black: None,
            half_moves: None,
            last_pawn_move: None,
            positions: None,
        }
    }

    /// It is not admitted.
    pub(crate) fn refused(head: ClaimHead, reason: ClaimFault) -> Self {
        Self { reason: Some(reason), ..Self::of(head, Verdict::Inadmissible) }
    }
}

impl Quickplay {
    /// The claim as such.
    pub(crate) fn of(head: ClaimHead) -> Self {
        Self {
            head,
            verdict: None,
            reason: None,
            left_ms: None,
            limit_ms: None,
            period: None,
            mate: Mate::default(),
        }
    }

    /// It is not admitted.
    pub(crate) fn refused(head: ClaimHead, reason: ClaimFault) -> Self {
        Self { verdict: Some(Verdict::Inadmissible), reason: Some(reason), ..Self::of(head) }
    }
}

impl ClaimFlagFall {
    /// The claim as such.
    pub(crate) fn of(head: ClaimHead, verdict: Verdict) -> Self {
        Self { head, verdict, reason: None, times: None, flags: None, first_flag: None }
    }

    /// It is not admitted.
    pub(crate) fn refused(head: ClaimHead, reason: ClaimFault) -> Self {
        Self { reason: Some(reason), ..Self::of(head, Verdict::Inadmissible) }
    }
}

impl ClaimIllegalMove {
    /// The claim as such.
    pub(crate) fn of(head: ClaimHead, verdict: Verdict) -> Self {
        Self {
            head,
            verdict,
            reason: None,
            open: None,
            kinds: None,
            played: None,
            squares: None,
            square: None,
            counts: None,
        }
    }

    /// It is not admitted.
    pub(crate) fn refused(head: ClaimHead, reason: ClaimFault) -> Self {
        Self { reason: Some(reason), ..Self::of(head, Verdict::Inadmissible) }
    }
}

impl ClaimTouchMove {
    /// The claim as such.
    pub(crate) fn of(head: ClaimHead) -> Self {
        Self {
            head,
            open: None,
            squares: None,
            touches: None,
            verdict: None,
            reason: None,
            rule: None,
            first: None,
            obligation: None,
            played: None,
        }
    }

    /// It is not admitted.
    pub(crate) fn refused(head: ClaimHead, reason: ClaimFault) -> Self {
        Self { verdict: Some(Verdict::Inadmissible), reason: Some(reason), ..Self::of(head) }
    }
}
