//! Which articles a record cites: of all that its name may rest on, those that apply to the case.
//!
//! The row of a name lists every article that can apply. A record cites those of the class of play, of what the
//! event has announced, and of its cause: a standard game never cites the Laws of rapid or blitz, and a bonus for an
//! illegal move not what is said of wrong claims.

use crate::touch::Rule;

use super::{Class, Edition, Name, Profile, Supervision};

/// What a record is about, as far as its articles depend on it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Case {
    /// The record to which a proposal or an outcome belongs.
    pub of: Option<Name>,
    /// The rule that a touch breaks, by its number of 2018.
    pub rule: Option<Rule>,
    /// The game goes on after an adjournment.
    pub is_resumption: bool,
}

/// Names that are about adjourned games only.
const OF_ADJOURNMENT: [Name; 5] = [
    Name::ResumePositionWrong,
    Name::AdjournmentSheet,
    Name::SealedMoveMadeOnBoard,
    Name::SealedMoveInvalid,
    Name::SealedMoveForfeit,
];

/// Names that are about a quickplay finish only.
const OF_QUICKPLAY: [Name; 6] = [
    Name::QpfZone,
    Name::QpfClaimOpen,
    Name::ClaimQpf,
    Name::QpfIncrementRequest,
    Name::QpfDraw,
    Name::IncrementMode,
];

const CLAIMS: [Name; 5] = [
    Name::ClaimThreefold,
    Name::ClaimThreefoldIntended,
    Name::ClaimFiftyMoves,
    Name::ClaimFiftyMovesIntended,
    Name::ClaimedMoveNotPlayed,
];

/// Breaches of Article 4.
const TOUCHED: [Name; 4] = [
    Name::TouchMoveSuspected,
    Name::CastlingRookFirst,
    Name::MoveChangedAfterRelease,
    Name::PromotionChoiceChanged,
];

const DISPLACED: [Name; 4] =
    [Name::PieceDisplaced, Name::PieceMissing, Name::PressedDuringDisplacement, Name::DisplacementFoundLate];

impl Name {
    /// The articles on which a record of that name rests in this case, in a game under `profile`; `None` where the
    /// edition has no rule for it.
    #[must_use]
    pub fn cited(self, profile: &Profile, case: &Case) -> Option<String> {
        let applies = |article: &&str| self.applies(article, profile, case);
        let possible: Vec<&str> = self.article(profile.edition)?.split(", ").filter(applies).collect();
        let is_of_cause = |article: &&&str| self.is_of_cause(article, profile.edition, case);
        let cited: Vec<&str> = possible.iter().filter(is_of_cause).copied().collect();
        // A cause that the row does not know has no article; without a cause all may be meant.
        let cited = if cited.is_empty() && case.of.is_none() { possible } else { cited };
        (!cited.is_empty()).then(|| cited.join(", "))
    }

    /// True of an article of this class of play, and of what is announced or done in this game.
    fn applies(self, article: &str, profile: &Profile, case: &Case) -> bool {
        let is_rapid_or_blitz = profile.class != Class::Standard;
        let is_resumption = case.is_resumption || OF_ADJOURNMENT.contains(&self);
        let is_quickplay = || {
            let is_it = |name: &Self| OF_QUICKPLAY.contains(name);
            profile.qpf_enabled || is_it(&self) || case.of.as_ref().is_some_and(is_it)
        };
        let chapter = article.split('.').next().unwrap_or_default();
        if profile.edition == Edition::Fide2005 {
            return match (chapter.as_bytes(), chapter) {
                (_, "10") | ([b'D', ..], _) => is_quickplay(),
                ([b'A', ..], _) => is_resumption,
                ([b'B', ..], _) => is_rapid_or_blitz,
                ([b'C', ..], _) => profile.class == Class::Blitz,
                _ => true,
            };
        }
        match chapter {
            // What holds where one arbiter does not supervise each game: A.4, from 2023 on A.5.
            "A" => is_rapid_or_blitz && profile.supervision != Supervision::Full,
            "B" => profile.class == Class::Blitz,
            "I" => is_resumption,
            "III" => is_quickplay(),
            _ => true,
        }
    }

    /// True of an article that is about what led to the record.
    fn is_of_cause(self, article: &str, edition: Edition, case: &Case) -> bool {
        let begins = |with: &[&str]| with.iter().any(|with| article.starts_with(with));
        let is_of = |names: &[Self]| case.of.is_some_and(|of| names.contains(&of));
        match self {
            Self::TouchMoveSuspected => match case.rule {
                Some(rule) if rule.as_str().starts_with("4.7") => begins(&["4.7", "4.6"]),
                Some(rule) if rule.as_str().starts_with("4.4") => begins(&["4.4"]),
                Some(_) => begins(&["4.3"]),
                None => true,
            },
            Self::AddTimeOpponent | Self::ReduceTimeOffender => match case.of {
                None => begins(&["12.9", "13.4"]),
                Some(_) if is_of(&OF_QUICKPLAY) => begins(&["III", "10"]),
                Some(_) if is_of(&CLAIMS) => begins(&["9.5"]),
                Some(_) => begins(&["7."]),
            },
            Self::RestorePosition | Self::RestoreCandidates => {
                let of_displaced = if edition == Edition::Fide2005 { "7.5" } else { "7.6" };
                !is_of(&TOUCHED) && !is_of(&CLAIMS) && is_of(&DISPLACED) == (article == of_displaced)
            }
            Self::ReplacementMoves => match case.of {
                Some(Self::MoveChangedAfterRelease) => begins(&["4.7"]),
                Some(_) if is_of(&TOUCHED) => begins(&["4.3"]),
                Some(_) if is_of(&CLAIMS) => begins(&["9.5"]),
                _ => begins(&["7."]),
            },
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(name: Name, profile: &str, case: &Case) -> Option<String> {
        name.cited(&Profile::named(profile).unwrap(), case)
    }

    #[test]
    fn a_standard_game_cites_neither_rapid_nor_blitz_nor_what_nobody_announced() {
        for edition in ["2005", "2017", "2018", "2023"] {
            let profile = Profile::named(&format!("fide-{edition}-standard")).unwrap();
            for name in Name::ALL.iter().filter(|name| !OF_ADJOURNMENT.contains(name)) {
                let articles = name.cited(&profile, &Case::default()).unwrap_or_default();
                let foreign = |article: &str| {
                    article.starts_with("A.")
                        || article.starts_with("I.")
                        || article.starts_with("B.")
                        || edition == "2005"
                            && article.starts_with(['A', 'B', 'C'])
                            && !article.starts_with("appendix")
                };
                assert!(!articles.split(", ").any(foreign), "{name} of {edition}: {articles}");
            }
        }
    }

    #[test]
    fn rapid_cites_its_own_articles_where_supervision_is_reduced() {
        let of = |profile| cited(Name::IllegalMoveCompleted, profile, &Case::default()).unwrap();
        assert_eq!(of("fide-2018-rapid-reduced"), "7.5.1, A.4.2");
        assert_eq!(of("fide-2018-rapid"), "7.5.1");
        assert_eq!(of("fide-2023-blitz-reduced"), "7.5.1, A.5.2");
        assert_eq!(of("fide-2005-rapid"), "7.4a, B6");
        assert_eq!(of("fide-2005-blitz"), "7.4a, B6, C3");
    }

    #[test]
    fn a_bonus_cites_its_cause_alone() {
        let of = |of: Option<Name>, profile| {
            cited(Name::AddTimeOpponent, profile, &Case { of, ..Case::default() }).unwrap()
        };
        assert_eq!(of(Some(Name::IllegalMoveCompleted), "fide-2018-standard"), "7.5.5");
        assert_eq!(of(Some(Name::ClaimThreefold), "fide-2018-standard"), "9.5.3");
        assert_eq!(of(None, "fide-2018-standard"), "12.9.2");
        assert_eq!(of(Some(Name::ClaimFiftyMoves), "fide-2005-standard"), "9.5b");
        assert_eq!(of(None, "fide-2005-standard"), "13.4b");
    }

    #[test]
    fn a_position_is_restored_for_what_happened() {
        let of = |of| {
            cited(Name::RestorePosition, "fide-2018-standard", &Case { of: Some(of), ..Case::default() })
        };
        assert_eq!(of(Name::IllegalMoveCompleted).as_deref(), Some("7.5.1"));
        assert_eq!(of(Name::DisplacementFoundLate).as_deref(), Some("7.6"));
        assert_eq!(of(Name::TouchMoveSuspected), None);
    }

    #[test]
    fn a_touch_cites_the_rule_that_it_breaks() {
        let of = |rule, profile| {
            cited(Name::TouchMoveSuspected, profile, &Case { rule: Some(rule), ..Case::default() }).unwrap()
        };
        assert_eq!(of(Rule::OwnPiece, "fide-2018-standard"), "4.3");
        assert_eq!(of(Rule::KingThenRook, "fide-2023-standard"), "4.4");
        assert_eq!(of(Rule::KingReleased, "fide-2017-standard"), "4.7.2");
        assert_eq!(of(Rule::KingReleased, "fide-2005-standard"), "4.6b");
    }

    #[test]
    fn adjourned_games_are_cited_at_their_resumption() {
        let resumed = Case { is_resumption: true, ..Case::default() };
        let of = |case: &Case| cited(Name::ClockSettingWrong, "fide-2018-standard", case).unwrap();
        assert_eq!([of(&Case::default()), of(&resumed)], ["6.10.2", "6.10.2, I.13"]);
    }
}
