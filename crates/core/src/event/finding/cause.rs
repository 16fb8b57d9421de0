//! What the articles of a finding depend on beside its name.

use super::{AnnulGame, Claimed, Context, Finding, FirstFlag, GameAnnulled, OutcomeKind, OutcomeReason};
use adoube_rules::laws::Name;

impl Finding {
    /// The name of which it speaks: the claim that was not admitted, what lapsed, why a game is annulled, what ended it.
    #[must_use]
    pub(crate) fn speaks_of(&self) -> Option<Name> {
        match self {
            Self::ClaimInadmissible(refused) => Some(match refused.claim {
                Claimed::Claim(claim) => claim,
                Claimed::SetupWrong => Name::StartPositionWrong,
                Claimed::OrientationWrong => Name::BoardOrientationWrong,
                Claimed::ReportIllegal => Name::ClaimIllegalMove,
            }),
            Self::ClaimWindowClosed(closed) => Some(closed.of),
            Self::MovesAfterGameEnd(moved) => Some(moved.end),
            Self::BothFlagsFallen(fallen) if fallen.first == FirstFlag::Unknown => {
                Some(Name::FlagOrderUncertain)
            }
            Self::GameAnnulled(GameAnnulled { reason }) | Self::AnnulGame(AnnulGame { reason }) => {
                let reasons = [
                    ("start-position", Name::StartPositionWrong),
                    ("colours-reversed", Name::ColoursReversed),
                ];
                reasons.into_iter().find(|(name, _)| name == reason).map(|(_, name)| name)
            }
            Self::Outcome(OutcomeKind::TimeDraw, outcome)
                if outcome.reason == Some(OutcomeReason::BothFlags) =>
            {
                Some(Name::BothFlagsFallen)
            }
            _ => None,
        }
    }

    /// A claim came when its time was over (A.4.1.2).
    #[must_use]
    pub(crate) fn is_too_late(&self) -> bool {
        matches!(self, Self::StartPositionWrong(wrong) if wrong.too_late == Some(true))
    }

    /// A draw was agreed before the event allows it, which may ask for more than the `minimum` of the Laws (9.1.1).
    #[must_use]
    pub(crate) fn breaks_limit_of_event(&self, minimum: u32) -> bool {
        matches!(self, Self::DrawAgreementTooEarly(early) if early.needs.is_some() || early.minimum > minimum)
    }

    /// It is about a game that goes on after an adjournment, or ought to.
    #[must_use]
    pub(crate) fn is_of_resumption(&self) -> bool {
        let context = match self {
            Self::ClockSettingWrong(wrong) => wrong.context,
            Self::DefaultTimeExpired(expired) => expired.context,
            Self::SealedMoveMadeOnBoard(made) => made.context,
            Self::GameAnnulled(GameAnnulled { reason }) | Self::AnnulGame(AnnulGame { reason }) => {
                return reason == "position-lost";
            }
            _ => None,
        };
        context == Some(Context::Resume)
    }
}
