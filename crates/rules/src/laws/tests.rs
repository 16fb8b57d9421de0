use super::*;

fn profile(name: &str) -> Profile {
    Profile::named(name).unwrap()
}

fn time(s: Option<u32>) -> String {
    s.map_or_else(|| "–".to_owned(), |s| format!("+{}:{:02}", s / 60, s % 60))
}

/// A row of the penalty matrix: first completed illegal move, later ones, draw exception, who acts, until
/// when, wrong claim.
fn penalties(name: &str) -> String {
    let profile = profile(name);
    let bonus = time(profile.illegal_bonus_s);
    let illegal = match (profile.illegal_limit, profile.illegal_win_claim) {
        (1, true) => format!("win claim, {bonus}"),
        (1, false) => format!("loss, {bonus}"),
        (limit, _) => format!("{bonus}, {limit}. loss"),
    };
    let draw = if profile.illegal_loss_drawn_if_no_mate { "draw" } else { "no draw" };
    let cut = if profile.wrong_claim_cuts_claimant { " and cut" } else { "" };
    let wrong_claim = time(Some(profile.wrong_claim_bonus_s));
    let (acts, until) = (profile.illegal_arbiter_acts, profile.illegal_correctable_until);
    format!("{name}: {illegal}; {draw}; {acts:?}; {until:?}; {wrong_claim}{cut}")
}

#[test]
fn the_penalty_matrix() {
    let rows: Vec<String> = Profile::names().map(penalties).collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    fide-2005-standard: +2:00, 3. loss; no draw; Always; GameOver; +3:00 and cut
    fide-2005-rapid: +2:00, 3. loss; no draw; OnlyGross; OpponentsOwnMove; +3:00 and cut
    fide-2005-blitz: win claim, –; draw; Never; OpponentsOwnMove; +3:00 and cut
    fide-2017-standard: +2:00, 2. loss; draw; Always; GameOver; +2:00
    fide-2017-rapid: +2:00, 2. loss; draw; Always; GameOver; +2:00
    fide-2017-rapid-reduced: loss, –; draw; InWindow; OpponentsNextMade; +2:00
    fide-2017-blitz: +1:00, 2. loss; draw; Always; GameOver; +1:00
    fide-2017-blitz-reduced: loss, –; draw; InWindow; OpponentsNextMade; +1:00
    fide-2018-standard: +2:00, 2. loss; draw; Always; GameOver; +2:00
    fide-2018-rapid: +2:00, 2. loss; draw; Always; GameOver; +2:00
    fide-2018-rapid-reduced: +2:00, 2. loss; draw; InWindow; OpponentsNextMade; +2:00
    fide-2018-blitz: +1:00, 2. loss; draw; Always; GameOver; +1:00
    fide-2018-blitz-reduced: +1:00, 2. loss; draw; InWindow; OpponentsNextMade; +1:00
    fide-2023-standard: +2:00, 2. loss; draw; Always; GameOver; +2:00
    fide-2023-rapid: +1:00, 2. loss; draw; Always; GameOver; +1:00
    fide-2023-rapid-reduced: +1:00, 2. loss; draw; InWindow; OpponentsNextMade; +1:00
    fide-2023-blitz: +1:00, 2. loss; draw; Always; GameOver; +1:00
    fide-2023-blitz-reduced: +1:00, 2. loss; draw; InWindow; OpponentsNextMade; +1:00
    fi-2017-standard: +2:00, 2. loss; draw; Always; GameOver; +2:00
    fi-2017-rapid: +2:00, 2. loss; draw; Always; GameOver; +2:00
    fi-2017-rapid-reduced: +2:00, 2. loss; draw; InWindow; OpponentsNextMade; +2:00
    fi-2017-blitz: +1:00, 2. loss; draw; Always; GameOver; +1:00
    fi-2017-blitz-reduced: loss, –; draw; InWindow; OpponentsNextMade; +1:00
    fi-2017-blitz-national: loss, –; draw; InWindow; OpponentsNextMade; +1:00
    ");
}

/// Deadlines, flags, quickplay finish, arrival, draws: what else differs between classes and editions.
fn limits(name: &str) -> String {
    let profile = profile(name);
    let number = |number: Option<u32>| number.map_or_else(|| "–".to_owned(), |number| number.to_string());
    let own = if profile.flag_claim_own_flag_up { ", own up" } else { "" };
    let qpf = if profile.qpf_enabled { "qpf" } else { "no qpf" };
    let (repetition, moves) = (number(profile.rep_auto), number(profile.moves_auto));
    format!(
        "{name}: setup {}, late {}; {:?}{own}, {:?}, {:?}; {qpf}; {repetition}, {moves}; {:?}",
        number(profile.setup_claim_deadline_moves),
        number(profile.default_time_min),
        profile.flag_called_by,
        profile.both_flags_order_known,
        profile.both_flags_order_unknown,
        profile.illegal_position_rule,
    )
}

#[test]
fn the_limits() {
    let names = Profile::names().filter(|name| !name.starts_with("fide-2018"));
    let rows: Vec<String> = names.map(limits).collect();
    insta::assert_snapshot!(rows.join("\n"), @"
    fide-2005-standard: setup –, late 60; Arbiter, FirstLoses, LastPeriodDraw; qpf; –, –; AsIllegalMove
    fide-2005-rapid: setup 3, late 60; PlayerOnly, own up, Draw, Draw; qpf; –, –; InterveneAtOnce
    fide-2005-blitz: setup 3, late 60; PlayerOnly, own up, Draw, Draw; qpf; –, –; AsIllegalMove
    fide-2017-standard: setup –, late 0; Arbiter, FirstLoses, Undecided; no qpf; 5, 75; AsIllegalMove
    fide-2017-rapid: setup –, late 0; Arbiter, FirstLoses, Undecided; no qpf; 5, 75; AsIllegalMove
    fide-2017-rapid-reduced: setup 10, late 0; Arbiter, own up, FirstLoses, Undecided; no qpf; 5, 75; WaitThenDraw
    fide-2017-blitz: setup –, late 0; Arbiter, FirstLoses, Undecided; no qpf; 5, 75; AsIllegalMove
    fide-2017-blitz-reduced: setup 10, late 0; Arbiter, own up, FirstLoses, Undecided; no qpf; 5, 75; WaitThenDraw
    fide-2023-standard: setup –, late 0; Arbiter, FirstLoses, Undecided; no qpf; 5, 75; AsIllegalMove
    fide-2023-rapid: setup –, late 0; Arbiter, FirstLoses, Undecided; no qpf; 5, 75; AsIllegalMove
    fide-2023-rapid-reduced: setup 10, late 0; Arbiter, FirstLoses, Undecided; no qpf; 5, 75; WaitThenDraw
    fide-2023-blitz: setup –, late 0; Arbiter, FirstLoses, Undecided; no qpf; 5, 75; AsIllegalMove
    fide-2023-blitz-reduced: setup 10, late 0; Arbiter, FirstLoses, Undecided; no qpf; 5, 75; WaitThenDraw
    fi-2017-standard: setup –, late 30; Arbiter, FirstLoses, LastPeriodDraw; qpf; 5, 75; AsIllegalMove
    fi-2017-rapid: setup –, late 30; Arbiter, FirstLoses, LastPeriodDraw; qpf; 5, 75; AsIllegalMove
    fi-2017-rapid-reduced: setup 10, late 30; Arbiter, own up, FirstLoses, LastPeriodDraw; qpf; 5, 75; WaitThenDraw
    fi-2017-blitz: setup –, late 30; Arbiter, FirstLoses, Undecided; qpf; 5, 75; AsIllegalMove
    fi-2017-blitz-reduced: setup 10, late 30; Arbiter, own up, FirstLoses, Undecided; qpf; 5, 75; WaitThenDraw
    fi-2017-blitz-national: setup 3, late 30; Arbiter, own up, FirstLoses, Undecided; qpf; 5, 75; WaitThenDraw
    ");
}

/// S-088.
#[test]
fn a_time_control_has_a_class() {
    use Class::{Blitz, Rapid, Standard};
    let controls = [(15, 10), (3, 2), (10, 0), (10, 1), (50, 10), (60, 0)];
    for edition in Edition::ALL {
        let classes = controls.map(|(base_min, increment_s)| time_class(edition, base_min * 60, increment_s));
        let expected = match edition {
            Edition::Fide2005 => [Rapid, Blitz, Blitz, Blitz, Rapid, Rapid],
            _ => [Rapid, Blitz, Blitz, Rapid, Standard, Standard],
        };
        assert_eq!(classes, expected, "{edition}");
    }
    assert_eq!(time_class(Edition::Fide2005, 15 * 60, 0), Rapid);
    assert_eq!(time_class(Edition::Fide2005, 61 * 60, 0), Standard);
    assert_eq!(time_class(Edition::Fide2023, u32::MAX, u32::MAX), Standard);
}

#[test]
fn the_default_is_the_edition_in_force() {
    let profile = Profile::default();
    assert_eq!((profile.name, profile.edition), ("fide-2023-standard", Edition::default()));
    assert_eq!((profile.class, profile.supervision), (Class::Standard, Supervision::Full));
}

#[test]
fn names_of_profiles_say_what_they_are() {
    for name in Profile::names() {
        let profile = profile(name);
        assert!(name.contains(profile.edition.name()) && name.contains(profile.class.name()), "{name}");
        assert_eq!(name.ends_with("-reduced"), profile.supervision == Supervision::Reduced, "{name}");
        assert_eq!(name.starts_with("fi-"), profile.is_national, "{name}");
    }
}

#[test]
fn a_setting_changes_what_it_names() {
    let mut profile = profile("fide-2018-rapid-reduced");
    let settings = [
        ("illegal_bonus_s", "90"),
        ("illegal_limit.rapid_reduced", "4"),
        ("illegal_limit", "5"),
        ("illegal_limit.blitz", "6"),
        ("setup_claim_deadline_moves", "none"),
        ("misplaced_castling", "mirrored"),
        ("both_flags.order_known", "\"draw\""),
        ("flag_call.reduced", "player-only"),
        ("time_handicap.black", "10 min"),
        ("assistant_moves.white", "yes"),
        ("default_time_min", "1 h"),
        ("mate_search_nodes", "50_000"),
        ("game_end_completes", "checkmate, stalemate"),
    ];
    for (key, value) in settings {
        profile.set(key, value).unwrap();
    }
    assert_eq!(profile.illegal_bonus_s, Some(90));
    assert_eq!(profile.illegal_limit, 4);
    assert_eq!(profile.setup_claim_deadline_moves, None);
    assert_eq!(profile.misplaced_castling, MisplacedCastling::Mirrored);
    assert_eq!(profile.both_flags_order_known, BothFlags::Draw);
    assert_eq!(profile.flag_called_by, FlagCall::PlayerOnly);
    assert_eq!(profile.time_handicap_s, [0, 600]);
    assert_eq!(profile.assistant_moves, [true, false]);
    assert_eq!((profile.default_time_min, profile.adjourned_default_min), (Some(60), Some(60)));
    assert_eq!(profile.mate_search_nodes, 50_000);
    assert_eq!(profile.game_end_completes, [GameEnd::Checkmate, GameEnd::Stalemate].into());
    assert_eq!(profile.name, "fide-2018-rapid-reduced");
}

#[test]
fn rated_games_keep_what_the_laws_fix_in_any_order() {
    let settings = [("illegal_limit", "7"), ("fide_rated", "true"), ("default_time_min", "15")];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut profile = profile("fide-2017-rapid-reduced");
        for (key, value) in order.map(|i| settings[i]) {
            profile.set(key, value).unwrap();
        }
        assert_eq!((profile.illegal_limit, profile.default_time_min), (1, Some(15)));
        assert_eq!(profile.overruled().collect::<Vec<_>>(), ["illegal_limit"]);
        profile.set("fide_rated", "no").unwrap();
        assert_eq!((profile.illegal_limit, profile.overruled().count()), (7, 0));
    }
}

/// S-057g, S-057h.
#[test]
fn rated_games_set_national_rules_aside() {
    let mut profile = profile("fi-2017-rapid-reduced");
    assert_eq!((profile.illegal_limit, profile.illegal_bonus_s), (2, Some(120)));
    profile.regulation("fide-rated").unwrap();
    assert_eq!((profile.illegal_limit, profile.illegal_bonus_s), (1, None));
    // What the Laws leave to the event stays.
    assert_eq!((profile.default_time_min, profile.qpf_enabled), (Some(30), true));
}

#[test]
fn regulations_announce() {
    let mut standard = profile("fide-2018-standard");
    assert_eq!(standard.both_flags_order_unknown, BothFlagsUnknown::Undecided);
    for text in ["qpf", "adjournment", "default-time 30", "draw-limit 40"] {
        standard.regulation(text).unwrap();
    }
    assert_eq!(standard.both_flags_order_unknown, BothFlagsUnknown::LastPeriodDraw);
    assert!(standard.qpf_enabled && standard.adjournment);
    assert_eq!((standard.default_time_min, standard.draw_min_moves), (Some(30), 40));
    standard.regulation("qpf off").unwrap();
    assert!(!standard.qpf_enabled);
    // Guideline III is not for blitz.
    let mut blitz = profile("fide-2018-blitz");
    blitz.regulation("qpf").unwrap();
    assert_eq!(blitz.both_flags_order_unknown, BothFlagsUnknown::Undecided);
}

#[test]
fn errors_say_what_can_be_given() {
    let mut changed = Profile::default();
    let mut errors: Vec<String> = ["fide-2005-rapid-reduced", "fide-2018-rapdi", "2018"]
        .map(|name| Profile::named(name).unwrap_err().to_string())
        .into();
    let settings = [
        ("ilegal_limit", "2"),
        ("illegal_limit.rapid_reducd", "2"),
        ("time_handicap.blck", "2"),
        ("periods", "2"),
        ("name", "x"),
        ("variant.chess960", "true"),
        ("touch_pair", "one-of-each"),
        ("score_views_per_game.rapid", "5"),
        ("fide_rated", "perhaps"),
        ("illegal_limit", "two"),
        ("illegal_limit", "0"),
        ("illegal_limit", "none"),
        ("illegal_limit", "2 s"),
        ("illegal_limit.blitz", "-1"),
        ("illegal_bonus_s", "a minute"),
        ("default_time_min", "90 s"),
        ("settle_ms", "99999999999999999999"),
        ("settle_ms", "4294967296"),
        ("misplaced_castling", "mirored"),
        ("penalties", "warning, prison"),
        ("time_handicap", "1, 2, 3"),
    ];
    errors.extend(settings.map(|(key, value)| changed.set(key, value).unwrap_err().to_string()));
    errors.extend(
        ["qfp", "default-time", "default-time soon"]
            .map(|text| changed.regulation(text).unwrap_err().to_string()),
    );
    insta::assert_snapshot!(errors.join("\n"), @r#"
    profile "fide-2005-rapid-reduced": the Laws of 2005 know no supervision; use "fide-2005-rapid"
    no profile is called "fide-2018-rapdi"; did you mean "fide-2018-rapid"?
    no profile is called "2018"; did you mean "fi-2017-rapid"?
    no parameter of the Laws is called "ilegal_limit"; did you mean "illegal_limit"?
    no parameter of the Laws is called "illegal_limit.rapid_reducd"; did you mean "illegal_limit.rapid_reduced"?
    no parameter of the Laws is called "time_handicap.blck"; did you mean "time_handicap.black"?
    parameter "periods" is not set here: set time_control of the tournament
    parameter "name" is not set here: it is part of the profile's name
    parameter "variant.chess960" is not set here: set variant of the board
    parameter "touch_pair" is not set here: every edition allows the same moves
    parameter "score_views_per_game.rapid" is not set here: nobody enters that a player asks for the score
    parameter "fide_rated" cannot be "perhaps": give yes or no
    parameter "illegal_limit" cannot be "two": give a whole number
    parameter "illegal_limit" cannot be "0": give 1 or more
    parameter "illegal_limit" cannot be "none": give a whole number
    parameter "illegal_limit" cannot be "2 s": give a whole number
    parameter "illegal_limit.blitz" cannot be "-1": give a whole number
    parameter "illegal_bonus_s" cannot be "a minute": give a whole number of seconds, or "none"
    parameter "default_time_min" cannot be "90 s": give a whole number of minutes
    parameter "settle_ms" cannot be "99999999999999999999": give a whole number of milliseconds
    parameter "settle_ms" cannot be "4294967296": give a whole number of milliseconds
    parameter "misplaced_castling" cannot be "mirored": use one of "forbidden", "mirrored"
    parameter "penalties" cannot be "warning, prison": use one of "warning", "add-time-opponent", "reduce-time-offender", "raise-opponent-score", "reduce-offender-score", "game-lost", "fine", "exclude-rounds", "expel"
    parameter "time_handicap" cannot be "1, 2, 3": give one value for both players, or White's and Black's
    no regulation is called "qfp"; did you mean "qpf"?
    regulation "default-time" needs a number: "default-time 30"
    parameter "default_time_min" cannot be "soon": give a whole number of minutes, or "none"
    "#);
    assert_eq!(format!("{changed:?}"), format!("{:?}", Profile::default()));
}

#[test]
fn articles_are_those_of_the_edition() {
    let of = |name: Name| Edition::ALL.map(|edition| name.article(edition));
    let window = "7.5.1, A.4.2";
    assert_eq!(
        of(Name::IllegalMoveCompleted),
        [Some("7.4a, B6, C3"), Some(window), Some(window), Some("7.5.1, A.5.2")]
    );
    assert_eq!(of(Name::ClockPressedWithoutMove), [Some("6.8"), Some("7.8.1"), Some("7.5.3"), Some("7.5.3")]);
    assert_eq!(of(Name::ForfeitNotPlayed), [None, None, Some("11.3.2"), Some("11.3.2")]);
}

#[test]
fn a_profile_lowers_severities() {
    let severities = |name| {
        let profile = profile(name);
        [
            Name::IllegalMoveCompleted,
            Name::TouchMoveSuspected,
            Name::FlagFallen,
            Name::ClockPressedWithoutMove,
        ]
        .map(|name| profile.severity(name).map_or("", Severity::as_str))
    };
    assert_eq!(severities("fide-2018-blitz-reduced"), ["critical", "alert", "critical", "critical"]);
    assert_eq!(severities("fide-2005-standard"), ["critical", "alert", "critical", "notice"]);
    assert_eq!(severities("fide-2005-rapid"), ["info", "info", "info", "notice"]);
    assert_eq!(profile("fide-2005-blitz").counted(Name::TwoHandsSuspected), Counted::No);
    assert_eq!(profile("fide-2017-blitz").counted(Name::TwoHandsSuspected), Counted::WhenConfirmed);
    assert_eq!(profile("fide-2017-blitz").counted(Name::ClockPressedWithoutMove), Counted::Yes);
}

#[test]
fn old_and_wrong_names_have_a_hint() {
    assert_eq!(hint("no-show"), "use \"default-time-expired\"");
    assert_eq!(hint("bad-geometry"), "use the kind \"movement\"");
    assert_eq!(hint("chekmate"), "did you mean \"checkmate\"?");
}

#[test]
fn a_name_means_one_thing() {
    let mut all: Vec<&str> = names().collect();
    all.sort_unstable();
    assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    // What replaced an old name exists: a record, a kind, a parameter or a profile.
    let mut parameters = Profile::default();
    for (old, now) in synonyms::SYNONYMS {
        assert!(row(old).is_none(), "{old}");
        for name in now.split('"').skip(1).step_by(2).map(|name| name.split('{').next().unwrap()) {
            let is_kind = ILLEGAL_KINDS.iter().any(|(kind, _)| kind.as_str() == name);
            let exists = row(name).is_some() || is_kind || Profile::named(name).is_ok();
            assert!(exists || parameters.set(name, "1").is_ok(), "{old}: {now}");
        }
    }
}

#[test]
fn the_penalty_ladder_has_the_names_of_proposals() {
    for edition in ["fide-2005-standard", "fide-2023-standard"] {
        let mut changed = profile(edition);
        let names: Vec<&str> = names().filter(|name| changed.set("penalties", name).is_ok()).collect();
        assert_eq!(names.len(), 9, "{names:?}");
        assert!(names.iter().all(|name| row(name).unwrap().kind == RowKind::Proposal));
    }
    assert_eq!(profile("fide-2005-standard").penalties.len(), 7);
    assert_eq!(profile("fide-2017-standard").penalties.len(), 9);
}
