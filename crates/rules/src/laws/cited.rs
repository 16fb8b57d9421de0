//! Which articles a record cites: of all that its name may rest on, those that apply to the case.
//!
//! The row of a name lists every article that can apply. A record cites those of the class of play, of what the
//! event has announced, and of its cause: a standard game never cites the Laws of rapid or blitz, and a bonus for an
//! illegal move not what is said of wrong claims.

use crate::departure::Kind;
use crate::touch::Rule;

use super::{Class, Edition, Name, Profile, RowKind, Supervision};

/// What a record is about, as far as its articles depend on it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Case<'a> {
    /// The record to which a proposal or an outcome belongs.
    pub of: Option<Name>,
    /// The name of which the record itself speaks: the claim that was not admitted, what lapsed, why a game is annulled,
    /// what ended it.
    pub about: Option<Name>,
    /// The rule that a touch breaks, by its number of 2018.
    pub rule: Option<Rule>,
    /// What is wrong with the illegal move, of the record or of the one to which it belongs.
    pub kinds: &'a [Kind],
    /// The game goes on after an adjournment.
    pub is_resumption: bool,
    /// The game is played on two boards (appendix D).
    pub is_paired: bool,
    /// A claim came when its time was over (A.4.1.2).
    pub is_late: bool,
    /// The event's own limit was not kept (9.1.1).
    pub is_of_event: bool,
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

/// Two records of one game differ: nothing illegal was played.
const OF_TWO_RECORDS: [Name; 2] = [Name::BoardsDiffer, Name::SealedMoveMadeOnBoard];

/// What is wrong with the clock itself, no matter what stands on the board.
const OF_CLOCK: [Name; 5] = [
    Name::ClockDefective,
    Name::ClockSettingWrong,
    Name::ClockTimeJump,
    Name::MoveCounterMismatch,
    Name::NeighbourClockPressed,
];

/// An article about moves that break Article 3, and what they cost.
fn is_of_illegal_move(article: &str) -> bool {
    article.starts_with("7.5")
}

const DISPLACED: [Name; 4] =
    [Name::PieceDisplaced, Name::PieceMissing, Name::PressedDuringDisplacement, Name::DisplacementFoundLate];

impl Name {
    /// The articles on which a record of that name rests in this case, in a game under `profile`; `None` where the
    /// edition has no rule for it.
    #[must_use]
    pub fn cited(self, profile: &Profile, case: &Case<'_>) -> Option<String> {
        // What the row has not, though the Laws do.
        match (self, case.about, profile.edition) {
            (Self::ClaimInadmissible, Some(Self::ClaimTouchMove), _) => {
                return Self::ClaimTouchMove.cited(profile, &Case::default());
            }
            (Self::GameAnnulled, Some(Self::ColoursReversed), Edition::Fide2005) => {
                return Some("7.2".to_owned());
            }
            _ => {}
        }
        let applies = |article: &&str| self.applies(article, profile, case);
        let possible: Vec<&str> = self.article(profile.edition)?.split(", ").filter(applies).collect();
        let is_of_cause = |article: &&&str| self.is_of_cause(article, profile.edition, case);
        let cited: Vec<&str> = possible.iter().filter(is_of_cause).copied().collect();
        // A proposal for a cause that the row does not know has no article; of anything else all may be meant.
        let is_for_nothing = (case.of.is_some() && self.row().kind == RowKind::Proposal)
            || (case.about.is_some() && self == Self::ClaimInadmissible);
        let mut cited = if cited.is_empty() && !is_for_nothing { possible } else { cited };
        if let Some(own) = self.of_its_own(profile, case) {
            cited.retain(|article| !is_of_illegal_move(article) || case.kinds.len() > 1);
            cited.insert(cited.iter().filter(|article| is_of_illegal_move(article)).count(), own);
        }
        (!cited.is_empty()).then(|| cited.join(", "))
    }

    /// The article of an illegal move that is none by Article 3: two hands, and in 2017, which counts each by an article of
    /// its own, a press without a move (7.7, 7.8).
    fn of_its_own(self, profile: &Profile, case: &Case<'_>) -> Option<&'static str> {
        let is_penalty =
            matches!(self, Self::AddTimeOpponent | Self::IllegalMoveForfeit | Self::IllegalMoveDraw);
        let two_hands = case.kinds.contains(&Kind::TwoHands);
        let [is_move, no_move] =
            [Self::IllegalMoveCompleted, Self::ClockPressedWithoutMove].map(|of| case.of == Some(of));
        match (self, profile.edition) {
            (_, Edition::Fide2005) => None,
            (Self::IllegalMoveCompleted, Edition::Fide2017) if two_hands => Some("7.7.1"),
            (Self::IllegalMoveCompleted, _) if two_hands => Some("7.5.4"),
            (_, Edition::Fide2017) if is_penalty && no_move => Some("7.8.2"),
            (_, Edition::Fide2017) if is_penalty && is_move && case.kinds == [Kind::TwoHands] => {
                Some("7.7.2")
            }
            _ => None,
        }
    }

    /// True of an article of this class of play, and of what is announced or done in this game.
    fn applies(self, article: &str, profile: &Profile, case: &Case<'_>) -> bool {
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
    fn is_of_cause(self, article: &str, edition: Edition, case: &Case<'_>) -> bool {
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
                let is_of_none = is_of(&TOUCHED) || is_of(&CLAIMS) || is_of(&OF_TWO_RECORDS);
                !is_of_none && is_of(&DISPLACED) == (article == of_displaced)
            }
            Self::ReplacementMoves => match case.of {
                Some(Self::MoveChangedAfterRelease) => begins(&["4.7"]),
                Some(_) if is_of(&TOUCHED) => begins(&["4.3"]),
                Some(_) if is_of(&CLAIMS) => begins(&["9.5"]),
                Some(_) if is_of(&OF_TWO_RECORDS) => false,
                _ => begins(&["7."]),
            },
            Self::AnnulGame | Self::GameAnnulled => match case.about.or(case.of) {
                Some(Self::StartPositionWrong) => begins(&["7.2.1", "7.1a"]),
                Some(Self::ColoursReversed) => article == "7.3" || article == "7.2",
                _ => !case.is_resumption || begins(&["I.", "A11"]),
            },
            Self::ClockTimes => match case.of {
                Some(of) if OF_CLOCK.contains(&of) => begins(&["6."]),
                Some(_) if edition != Edition::Fide2005 => begins(&["7.1"]),
                _ => true,
            },
            _ => self.is_of_what_it_says(article, edition, case),
        }
    }

    /// The same of what tells its cause itself.
    fn is_of_what_it_says(self, article: &str, edition: Edition, case: &Case<'_>) -> bool {
        let begins = |with: &[&str]| with.iter().any(|with| article.starts_with(with));
        match self {
            Self::ClaimInadmissible => match case.about {
                Some(Self::ClaimFlagFall | Self::ClaimIllegalMove) => begins(&["A", "B"]),
                Some(Self::StartPositionWrong | Self::BoardOrientationWrong) => begins(&["A", "B"]),
                Some(Self::ClaimQpf | Self::QpfIncrementRequest) => begins(&["III", "10"]),
                Some(claim) => CLAIMS.contains(&claim) && article == "9",
                None => true,
            },
            Self::ClaimWindowClosed => match case.about {
                Some(of) if TOUCHED.contains(&of) => begins(&["4."]),
                Some(_) => begins(&["A", "B", "C"]),
                None => true,
            },
            Self::StartPositionWrong | Self::BoardOrientationWrong => {
                case.is_late == begins(&["A", "B"]) || begins(&["2.1"])
            }
            Self::DrawAgreementTooEarly => case.is_of_event == begins(&["9.1.1"]),
            Self::BoardChangedWhilePaused => article != "8.5.3",
            // The pieces stood right at the start: what is missing was played.
            Self::RecordGap => article != "7.2.1",
            Self::BothFlagsFallen => {
                let is_unknown = case.about == Some(Self::FlagOrderUncertain);
                if is_unknown { article != "6.4" } else { article != "III.3.1" }
            }
            Self::TimeDraw => {
                let is_both = case.about == Some(Self::BothFlagsFallen);
                begins(&["III.3", "6.12", "B9"]) == is_both
            }
            Self::ClockSettingWrong | Self::DefaultTimeExpired | Self::LateArrivalForfeit => {
                case.is_resumption == begins(&["I.", "A1"])
            }
            Self::MovesAfterGameEnd => match case.about {
                Some(Self::FivefoldRepetition | Self::SeventyFiveMoves) => article == "9.6",
                Some(_) => article != "9.6",
                None => true,
            },
            Self::PressedBeforeMove => case.is_paired || !begins(&["D."]),
            // There is an arbiter where this program is.
            Self::ClaimQpf | Self::QpfDraw | Self::QpfZone => !begins(&["III.6", "D1"]),
            Self::IllegalMoveForfeit | Self::IllegalMoveDraw if edition == Edition::Fide2017 => {
                !begins(&["7.7", "7.8"])
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(name: Name, profile: &str, case: &Case<'_>) -> Option<String> {
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
        let of = |case: &Case<'_>| cited(Name::ClockSettingWrong, "fide-2018-standard", case).unwrap();
        assert_eq!([of(&Case::default()), of(&resumed)], ["6.10.2", "I.13"]);
    }
}
