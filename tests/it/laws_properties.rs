//! What holds for the Laws whatever is played and however it is handled.

use adoube_core::ruling::Ruled;
use adoube_core::station::{FRAMES, Input, Open, Output, Station};
use adoube_rules::draw::History;
use adoube_rules::laws::{Edition, Profile};
use adoube_rules::sensor::{Content, Frame, Reading, Role};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, Stamp};
use adoube_rules::touch::{Release, Touch, obligation};
use adoube_rules::{Chess, ChessPosition, Position};
use proptest::prelude::*;

use crate::depth::cases;
use crate::slots::computing;

/// The position after so many moves, each chosen by a number.
fn walk(choices: &[usize]) -> Vec<ChessPosition> {
    let mut line = vec![ChessPosition::default()];
    go_on(&mut line, choices);
    line
}

/// Knights that go out and come back, so many plies: positions that repeat.
fn there_and_back(plies: usize) -> Vec<ChessPosition> {
    let mut line = vec![ChessPosition::default()];
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(plies) {
        let last = line.last().unwrap();
        let mut moves = Vec::new();
        last.legal_moves(&mut moves);
        let mv = moves.into_iter().find(|&mv| last.played(mv).uci() == uci).unwrap();
        let next = last.play(mv);
        line.push(next);
    }
    line
}

/// Plays on, each move chosen by a number.
fn go_on(line: &mut Vec<ChessPosition>, choices: &[usize]) {
    for choice in choices {
        let last = line.last().unwrap();
        let mut moves = Vec::new();
        last.legal_moves(&mut moves);
        let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
        let next = last.play(mv);
        line.push(next);
    }
}

/// The events of a game that is played on an identity board by tidy hands without a clock: type,
/// status and result of each.
fn played(profile: &str, line: &[ChessPosition]) -> Vec<(String, Option<String>)> {
    let mut open = Open::new("1", FRAMES, "test");
    profile.clone_into(&mut open.profile);
    open.start = Some(line[0].fen());
    let start = Stamp::default();
    let mut station = Station::open(open, start).unwrap();
    let mut output = Output::default();
    let mut now_ms = 0;
    for position in line {
        let frame = Reading::Frame(Frame::Identity(position.contents()));
        station.handle(&Input::Reading(frame), start.at(now_ms * MS), &mut output);
        now_ms += 4_000;
    }
    station.handle(&Input::Wake, start.at((now_ms + 60_000) * MS), &mut output);
    let numbered = crate::seen::Seen::new("1", &output.events, adoube_core::replay::Remarks::default());
    let field = |line: &str, key: &str| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        json.get(key).and_then(serde_json::Value::as_str).map(str::to_owned)
    };
    numbered.lines().iter().map(|line| (field(line, "type").unwrap(), field(line, "status"))).collect()
}

/// What was played and how it ended when `claims` were entered on the way and all of them rejected: by the
/// number of positions that had stood, which claim, and which side's.
fn with_claims(
    profile: &str,
    line: &[ChessPosition],
    claims: &[(usize, usize, bool)],
) -> (Vec<String>, usize) {
    const KINDS: [&str; 6] = [
        "claim-threefold",
        "claim-threefold-intended",
        "claim-fifty-moves",
        "claim-fifty-moves-intended",
        "claim-touch-move",
        "claim-illegal-move",
    ];
    let mut open = Open::new("1", FRAMES, "test");
    profile.clone_into(&mut open.profile);
    open.start = Some(line[0].fen());
    let start = Stamp::default();
    let mut station = Station::open(open, start).unwrap();
    let mut output = Output::default();
    let mut rejected = 0;
    let rule = |station: &mut Station, output: &mut Output, ruling: serde_json::Value, now_ms: u64| {
        let ruling = Ruled::parse(&ruling).unwrap();
        station.handle(&Input::Ruling(ruling), start.at(now_ms * MS), output);
        output.refused.take().is_none()
    };
    let mut now_ms = 0;
    for (index, position) in line.iter().enumerate() {
        let frame = Reading::Frame(Frame::Identity(position.contents()));
        station.handle(&Input::Reading(frame), start.at(now_ms * MS), &mut output);
        for &(_, kind, is_white) in claims.iter().filter(|(at, ..)| at % line.len() == index) {
            let name = KINDS[kind % KINDS.len()];
            let mut claim =
                serde_json::json!({ "name": name, "side": if is_white { "white" } else { "black" } });
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            if let (true, Some(&mv)) = (name.ends_with("-intended"), moves.first()) {
                claim["move"] = position.played(mv).uci().into();
            } else if name.ends_with("-intended") {
                continue;
            }
            rule(&mut station, &mut output, claim, now_ms + 3_500);
            let reject = serde_json::json!({ "name": "reject", "record": name });
            rejected += usize::from(rule(&mut station, &mut output, reject, now_ms + 3_600));
        }
        now_ms += 4_000;
    }
    station.handle(&Input::Wake, start.at((now_ms + 60_000) * MS), &mut output);
    let numbered = crate::seen::Seen::new("1", &output.events, adoube_core::replay::Remarks::default());
    let said = numbered.lines().into_iter().filter_map(|line| {
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        let of_game = ["move-made", "move-completed", "move-retracted", "game-over"];
        let name = json["type"].as_str().filter(|name| of_game.contains(name))?;
        let field = |key: &str| json.get(key).map(ToString::to_string).unwrap_or_default();
        Some(format!("{name} {} {} {} {}", field("ply"), field("uci"), field("fen"), field("result")))
    });
    (said.collect(), rejected)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(128)))]

    /// 4.5: whoever touched something that can neither move nor be taken is free, so what binds him
    /// always leaves a move; and every move that it leaves is legal.
    #[test]
    fn an_obligation_leaves_a_legal_move(
        choices in prop::collection::vec(0..1_000_usize, 0..80),
        touched in prop::collection::vec((0..64_u8, 0..4_u64), 0..6),
        release in prop::option::of((0..64_u8, 0..64_u8)),
    ) {
        let line = walk(&choices);
        let position = line.last().unwrap();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut groups = 0;
        let touches: Vec<Touch> = touched
            .iter()
            .filter(|(square, _)| position.content(Square::new(*square)) != Content::EMPTY)
            .map(|&(square, later)| {
                groups += later;
                Touch { square: Square::new(square), group: groups }
            })
            .collect();
        let release = release.map(|(from, to)| Release { from: Square::new(from), to: Square::new(to) });
        match obligation::<Chess>(position, &touches, release) {
            Some(bound) => {
                prop_assert!(!bound.moves.is_empty());
                prop_assert!(bound.moves.iter().all(|mv| moves.contains(mv)));
            }
            // Free only where nothing touched can move or be taken, and nothing was let go of.
            None => {
                let moves_or_falls = |square: Square| {
                    moves.iter().any(|&mv| {
                        position.footprint(mv).changes().iter().any(|change| change.0 == square && change.1 != Content::EMPTY)
                    })
                };
                // Who touches king and rook to castle, and can move his king nowhere, is free whatever the rook can (4.4.3).
                let own = |role: Role| {
                    let own = Some((position.army(), role));
                    touches.iter().find(|touch| position.content(touch.square).seat_role() == own)
                };
                let is_castling_meant = own(Role::King)
                    .is_some_and(|king| own(Role::Rook).is_some() && !moves_or_falls(king.square));
                prop_assert!(is_castling_meant || touches.iter().all(|touch| !moves_or_falls(touch.square)));
            }
        }
    }

    /// A history that was cut back and played again is the history of the line that it holds.
    #[test]
    fn a_history_cut_back_is_that_of_its_line(
        choices in prop::collection::vec(0..6_usize, 1..60),
        cut in 0..60_usize,
    ) {
        let line = walk(&choices);
        let fresh = |line: &[ChessPosition]| {
            let mut history = History::<Chess>::new(&line[0]);
            for position in &line[1..] {
                history.push(position);
            }
            history
        };
        let mut history = fresh(&line);
        let cut = cut % line.len();
        history.truncate(cut);
        for position in &line[cut + 1..] {
            history.push(position);
        }
        let whole = fresh(&line);
        for ply in 0..line.len() {
            prop_assert_eq!(history.same(ply), whole.same(ply));
            prop_assert_eq!(history.halfmoves(ply), whole.halfmoves(ply));
        }
    }
}

proptest! {
    // A case plays a whole game in every edition.
    #![proptest_config(ProptestConfig::with_cases(cases(12)))]

    /// A game with claims that are all rejected is the game without them, whatever they claim.
    #[test]
    fn a_game_whose_claims_are_rejected_is_the_game_without_them(
        repeated in 0..16_usize,
        choices in prop::collection::vec(0..3_usize, 0..12),
        claims in prop::collection::vec((0..1_000_usize, 0..6_usize, any::<bool>()), 8..32),
        profile in 0..Profile::names().count(),
    ) {
        let _slot = computing();
        let name = Profile::names().nth(profile).unwrap();
        let mut line = there_and_back(repeated);
        go_on(&mut line, &choices);
        let (quiet, _) = with_claims(name, &line, &[]);
        let (claimed, _) = with_claims(name, &line, &claims);
        prop_assert_eq!(claimed, quiet);
    }

    /// No edition ends a game that its Laws do not end: by itself only mate, stalemate and a dead
    /// position do, and the draws of 9.6 are raised where the edition has them and wait for the arbiter.
    #[test]
    fn no_edition_ends_a_game_that_its_laws_do_not_end(
        choices in prop::collection::vec(0..3_usize, 1..60),
        profile in 0..Profile::names().count(),
    ) {
        let name = Profile::names().nth(profile).unwrap();
        let laws = Profile::named(name).unwrap();
        let line = walk(&choices);
        let events = played(name, &line);
        let ends = |name: &str, status: &str| {
            events.iter().any(|(kind, of)| kind == name && of.as_deref() == Some(status))
        };
        let end = line.iter().find_map(Position::end);
        let is_dead = events.iter().any(|(name, _)| name == "dead-position");
        prop_assert_eq!(events.iter().any(|(name, _)| name == "game-over"), end.is_some() || is_dead);
        prop_assert!(!ends("fivefold-repetition", "confirmed") && !ends("seventy-five-moves", "confirmed"));
        prop_assert!(!ends("threefold-draw", "open") && !ends("fifty-moves-draw", "open"));
        if laws.edition == Edition::Fide2005 {
            prop_assert!(!ends("fivefold-repetition", "open"));
        }
        // Tidy hands do nothing wrong, in any edition.
        let wrong = ["illegal-move-completed", "touch-move-suspected", "piece-displaced", "move-out-of-turn"];
        prop_assert!(events.iter().all(|(name, _)| !wrong.contains(&name.as_str())), "{:?}", events);
    }
}

/// A correct claim rejected all the same, so that the property above is about something.
#[test]
fn a_correct_claim_can_be_rejected_and_the_game_goes_on() {
    let line = there_and_back(10);
    let (quiet, _) = with_claims("fide-2018-standard", &line, &[]);
    let (claimed, rejected) =
        with_claims("fide-2018-standard", &line, &[(8, 0, true), (8, 1, true), (9, 0, false)]);
    assert_eq!((claimed, rejected), (quiet, 3));
}
