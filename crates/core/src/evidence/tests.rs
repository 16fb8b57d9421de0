use super::*;
use crate::capture::{Header, Item, Line};
use adoube_rules::sensor::Reading;
use adoube_rules::stamp::MS;

/// A capture and what it shows in a range; the n-th input is the journal's number 100 + n.
fn shown(capture: &str, turned: Option<u32>, range: Range) -> Frames {
    let mut lines = capture.lines().map(str::trim).filter(|line| !line.is_empty());
    let header = Header::parse(lines.next().unwrap()).unwrap();
    let mut open = crate::replay::open(&header);
    open.turned = turned;
    let start = Stamp { mono_ns: 7_000 * MS, utc_ns: header.started_utc_ns };
    let mut evidence = Evidence::new(Station::open(open, start).unwrap(), range);
    let mut number = 100;
    for line in lines {
        let line = Line::parse(line).unwrap();
        for item in line.items {
            let input = match item {
                Item::Frame(frame) => Input::Reading(Reading::Frame(frame)),
                Item::Clock(reading) => Input::Reading(Reading::Clock(reading)),
                Item::LinkLost => Input::LinkDown,
                Item::LinkBack => Input::LinkUp,
                Item::Ruling(ruling) => Input::Ruling(ruling),
                _ => continue,
            };
            number += 1;
            let at_ns = start.mono_ns + line.t_ns;
            if !evidence.take(number, &input, start.at(at_ns)) {
                return evidence.finish();
            }
        }
    }
    evidence.finish()
}

fn between(first: u64, last: u64) -> Range {
    Range { first, last, before_ns: 0, after_ns: 0, most: 2_000 }
}

fn names(squares: &[Square]) -> Vec<String> {
    squares.iter().map(|&square| adoube_rules::square_name(square)).collect()
}

/// 1. e4, with the clock started before it and pressed after it, a ruling, and the link lost and back.
const E4: &str = r#"
{"adoube":"capture/1","board":"1","protocol":"frames","started":"2026-05-01T10:00:00Z","time_control":"300"}
{"t_ms":0,"pieces":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"}
{"t_ms":100,"clock":{"white_ms":300000,"black_ms":300000,"running":null,"lever":"white"}}
{"t_ms":4000,"clock":{"white_ms":300000,"black_ms":300000,"running":"white","lever":"white"}}
{"t_ms":5000,"pieces":"rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"}
{"t_ms":5500,"pieces":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"}
{"t_ms":5600,"pieces":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"}
{"t_ms":7000,"clock":{"white_ms":297000,"black_ms":300000,"running":"black","lever":"black"}}
{"t_ms":8000,"ruling":{"name":"note","text":"x"}}
{"t_ms":9000,"link":"lost"}
{"t_ms":9500,"link":"back"}
"#;

#[test]
fn each_input_that_changes_something_is_a_frame() {
    let all = shown(E4, None, between(1, 100)).frames;
    let kinds: Vec<(u64, Option<SeenKind>)> =
        all.iter().map(|frame| (frame.picture.input, frame.kind)).collect();
    let reading = Some(SeenKind::Reading);
    let link = |is_back| Some(SeenKind::Link(is_back));
    // The sixth shows nothing new.
    let expected = [1, 2, 3, 4, 5, 7].map(|input| (input, reading)).into_iter();
    let expected = expected.chain([(8, Some(SeenKind::Ruling)), (9, link(false)), (10, link(true))]);
    assert_eq!(kinds, expected.collect::<Vec<_>>());
    assert_eq!((names(&all[3].lifted), names(&all[3].placed)), (vec!["e2".to_owned()], vec![]));
    assert_eq!((names(&all[4].lifted), names(&all[4].placed)), (vec![], vec!["e4".to_owned()]));
    assert_eq!(all[4].elapsed_ns, 5_500 * MS);
    assert_eq!(all[4].at.rfc3339(), "2026-05-01T10:00:05.500Z");
    assert_eq!(all[5].picture.clock.unwrap().left_ms, [297_000, 300_000]);
    assert_eq!(all.iter().map(|frame| frame.link).collect::<Vec<_>>()[6..], [None, Some(false), Some(true)]);
}

#[test]
fn what_was_said_stands_with_the_frame_that_showed_it() {
    let all = shown(E4, None, between(1, 100)).frames;
    let frame_of = |name: &str| {
        let of = |frame: &&Frame| frame.said.iter().any(|said| said.name == name);
        all.iter().find(of).unwrap_or_else(|| panic!("no {name}"))
    };
    // Said by a timer, while the array stood: the next input but one led to it.
    let opened = frame_of("game-opened");
    assert_eq!(opened.picture.input, 2);
    assert!(opened.said.contains(&Said { input: 103, place: 0, name: Name::GameOpened }), "{opened:?}");
    let made = frame_of("move-made");
    assert_eq!(names(&made.placed), ["e4"]);
    let completed = frame_of("move-completed");
    assert_eq!(completed.picture.input, 7);
    assert_eq!(frame_of("ruled").kind, Some(SeenKind::Ruling));
}

#[test]
fn a_range_begins_with_what_stood_then() {
    let range = Range { before_ns: 600 * MS, after_ns: 1_500 * MS, ..between(5, 5) };
    let frames = shown(E4, None, range).frames;
    let shown: Vec<(u64, bool, bool)> =
        frames.iter().map(|frame| (frame.picture.input, frame.kind.is_none(), frame.is_within)).collect();
    // The press is 1.5 s after the move.
    assert_eq!(shown, [(3, true, false), (4, false, false), (5, false, true), (7, false, false)]);
    assert!(frames[0].lifted.is_empty() && frames[0].said.is_empty());
    assert_eq!(frames[0].picture.clock.unwrap().left_ms, [300_000; 2]);
    // The first that was asked for is there, even if it shows nothing new.
    let same = self::shown(E4, None, between(6, 6)).frames;
    assert_eq!(
        same.iter().map(|frame| (frame.picture.input, frame.is_within)).collect::<Vec<_>>(),
        [(5, false), (6, true)]
    );
}

#[test]
fn too_many_frames_are_cut_from_the_end_that_matters_less() {
    let late = shown(E4, None, Range { most: 2, ..between(3, 9) });
    let inputs = |frames: &Frames| frames.frames.iter().map(|frame| frame.picture.input).collect::<Vec<_>>();
    assert_eq!((inputs(&late), late.is_cut), (vec![2, 3, 4], true));
    let early = shown(E4, None, Range { most: 2, before_ns: 9_000 * MS, ..between(5, 5) });
    assert_eq!((inputs(&early), early.is_cut), (vec![3, 4, 5], true));
    let fitting = shown(E4, None, Range { most: 2, ..between(4, 5) });
    assert_eq!((inputs(&fitting), fitting.is_cut), (vec![3, 4, 5], false));
}

#[test]
fn a_turned_board_is_shown_as_the_game_has_it() {
    let turned = E4
        .replace("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr")
        .replace(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR",
            "RNBKQBNR/PPP1PPPP/8/8/8/8/pppppppp/rnbkqbnr",
        );
    for given in [None, Some(180)] {
        let frames = shown(&turned, given, between(1, 4)).frames;
        let last = frames.last().unwrap();
        assert_eq!(placement(&last.picture.contents), "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR");
        assert_eq!(names(&last.lifted), ["e2"], "{given:?}");
    }
}

#[test]
fn an_unnamed_board_shows_where_something_stands() {
    let capture = r#"
        {"adoube":"capture/1","board":"1","protocol":"frames"}
        {"t_ms":0,"occ":"ffff00000000ffff"}
        {"t_ms":4000,"occ":"ffff00000000efff"}
        {"t_ms":4500,"occ":"ffff00001000efff"}"#;
    let frames = shown(capture, None, between(2, 3)).frames;
    let json: Vec<Value> = frames.iter().map(|frame| frame.to_json(|said| Some(said.input))).collect();
    assert_eq!(json[2]["occupied"], "ffff00001000efff");
    assert_eq!(
        (&json[2]["pieces"], &json[2]["clock"], &json[2]["link"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!((&json[1]["lifted"], &json[2]["placed"]), (&json!(["e2"]), &json!(["e4"])));
    assert_eq!((&json[0]["kind"], &json[1]["kind"]), (&json!("start"), &json!("reading")));
    assert_eq!(
        (&json[1]["t_ms"], &json[1]["input"], &json[1]["within"]),
        (&json!(4_000), &json!(2), &json!(true))
    );
}
