//! What of the Laws is the four-player game's own: its parameters, and the rules of its sheet that a record
//! rests on (four-player.md). Whatever the sheet leaves to the event keeps the edition's article.

use super::Name;
use super::Profile;
use crate::departure::Kind;

/// The parameters that no other game has.
pub const FOUR_PLAYER: [&str; 6] =
    ["wing_depth", "board_parity", "seat_after_red", "ep_window", "protect_partner", "draw_claims"];

/// The rules of the sheet by what rests on them.
const ARTICLES: [(Name, &str); 21] = [
    (Name::Checkmate, "T-aim"),
    (Name::MateThreat, "T-aim"),
    (Name::Stalemate, "T9, R-11"),
    (Name::DeadPosition, "T9, R-10"),
    (Name::DeadPositionUnknown, "T9, R-10"),
    (Name::MoveOutOfTurn, "T-start, R-5"),
    (Name::StartPositionWrong, "T-set, R-30"),
    (Name::CommunicationReported, "T10"),
    (Name::TimeForfeit, "R-24"),
    (Name::Resignation, "R-23"),
    (Name::DrawOffer, "R-22"),
    (Name::DrawAgreement, "R-22"),
    (Name::ColoursReversed, "R-30"),
    (Name::ThreefoldClaimable, "R-21"),
    (Name::FiftyMovesClaimable, "R-21"),
    (Name::ClaimThreefold, "R-21"),
    (Name::ClaimThreefoldIntended, "R-21"),
    (Name::ClaimFiftyMoves, "R-21"),
    (Name::ClaimFiftyMovesIntended, "R-21"),
    (Name::ThreefoldDraw, "R-21"),
    (Name::FiftyMovesDraw, "R-21"),
];

/// The rules of the sheet by the kind of an illegal move.
const KINDS: [(Kind, &str); 7] = [
    (Kind::CastlingWrong, "T8"),
    (Kind::PartnerCaptured, "T3"),
    (Kind::PartnerPieceMoved, "T2"),
    (Kind::DeadPawnMoved, "T5, R-16"),
    (Kind::PromotionOnPartnerEnd, "T5"),
    (Kind::PromotionOnSideSquare, "T5"),
    (Kind::KingCaptured, "R-9"),
];

/// On which rule of the sheet a record of that name rests, in the four-player game; `kinds` are those of an
/// illegal move.
#[must_use]
pub fn four_player_article(name: Name, kinds: &[Kind]) -> Option<String> {
    let mut articles: Vec<&str> =
        ARTICLES.iter().filter(|(known, _)| *known == name).map(|(_, article)| *article).collect();
    for kind in kinds {
        articles.extend(KINDS.iter().filter(|(known, _)| known == kind).map(|(_, article)| *article));
    }
    (!articles.is_empty()).then(|| articles.join(", "))
}

impl Profile {
    /// A parameter of the four-player game that was set, if one was.
    #[must_use]
    pub fn four_player_setting(&self) -> Option<&'static str> {
        FOUR_PLAYER.into_iter().find(|name| self.settings.contains_key(*name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Edition, ILLEGAL_KINDS, wording};

    #[test]
    fn rules_of_the_sheet_belong_to_names_and_have_words() {
        for (_, articles) in ARTICLES {
            assert!(
                articles.split(", ").all(|article| wording(Edition::Fide2023, article).is_some()),
                "{articles}"
            );
        }
        for (kind, articles) in KINDS {
            assert!(ILLEGAL_KINDS.iter().any(|(known, _)| *known == kind), "{kind:?}");
            assert!(
                articles.split(", ").all(|article| wording(Edition::Fide2005, article).is_some()),
                "{articles}"
            );
        }
        // The five kinds of the game itself rest on its sheet alone.
        for (kind, _) in ILLEGAL_KINDS.iter().filter(|(_, article)| article.is_none()) {
            assert!(four_player_article(Name::IllegalMoveCompleted, &[*kind]).is_some(), "{kind:?}");
        }
        assert_eq!(four_player_article(Name::IllegalMoveCompleted, &[Kind::SelfCheck]), None);
        assert_eq!(
            four_player_article(Name::IllegalMoveCompleted, &[Kind::PartnerCaptured, Kind::KingCaptured])
                .as_deref(),
            Some("T3, R-9")
        );
    }
}
