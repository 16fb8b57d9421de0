//! What holds for the Laws whatever is played and however it is handled.

use adoube::rules::draw::History;
use adoube::rules::laws::{Edition, Profile};
use adoube::rules::touch::{Release, Touch, obligation};
use adoube::rules::{Chess, ChessPosition, Variant as _};
use adoube::sensor::{Content, Frame, Reading};
use adoube::stamp::{MS, Stamp};
use adoube::station::{FRAMES, Input, Open, Output, Station};
use proptest::prelude::*;

/// The position after so many moves, each chosen by a number.
fn walk(choices: &[usize]) -> Vec<ChessPosition> {
    let mut line = vec![ChessPosition::default()];
    for choice in choices {
        let last = line.last().unwrap();
        let mut moves = Vec::new();
        Chess::legal_moves(last, &mut moves);
        let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
        let next = Chess::play(last, mv);
        line.push(next);
    }
    line
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
    let numbered = crate::seen::Seen::new("1", &output.events, adoube::replay::Remarks::default());
    let field = |line: &str, key: &str| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        json.get(key).and_then(serde_json::Value::as_str).map(str::to_owned)
    };
    numbered.lines().iter().map(|line| (field(line, "type").unwrap(), field(line, "status"))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

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
        Chess::legal_moves(position, &mut moves);
        let mut groups = 0;
        let touches: Vec<Touch> = touched
            .iter()
            .filter(|(square, _)| Chess::content(position, *square) != Content::EMPTY)
            .map(|&(square, later)| {
                groups += later;
                Touch { square, group: groups }
            })
            .collect();
        let release = release.map(|(from, to)| Release { from, to });
        match obligation::<Chess>(position, &touches, release) {
            Some(bound) => {
                prop_assert!(!bound.moves.is_empty());
                prop_assert!(bound.moves.iter().all(|mv| moves.contains(mv)));
            }
            // Free only where nothing touched can move or be taken, and nothing was let go of.
            None => {
                let moves_or_falls = |square: u8| {
                    moves.iter().any(|&mv| {
                        Chess::footprint(position, mv).changes().iter().any(|change| change.0 == square && change.1 != Content::EMPTY)
                    })
                };
                prop_assert!(touches.iter().all(|touch| !moves_or_falls(touch.square)));
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
    #![proptest_config(ProptestConfig::with_cases(24))]

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
        let end = line.iter().find_map(Chess::end);
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
