//! Whether a board is ready for its next game, for the arbiter: no event, and never public.

use serde_json::{Map, Value, json};

use adoube_core::event::finding::Fault;
use adoube_core::table::{Array, ClockReady, Readiness};
use adoube_rules::Family;
use adoube_rules::sensor::{Content, Side};

/// What the desk is told of `board`, on which games of `family` are played: whether it is ready, and what is wrong if
/// not. While a game is under way (`None`) `ready` is null, and `stage` says what goes on in it if it is not being played.
#[must_use]
pub fn readiness(
    board: &str,
    family: Family,
    is_answering: bool,
    ready: Option<&Readiness>,
    stage: Option<&'static str>,
) -> Map<String, Value> {
    let mut json = Map::new();
    json.insert("board".into(), board.into());
    let Some(Readiness { array, clock, players }) = ready else {
        json.insert("ready".into(), Value::Null);
        json.insert("stage".into(), stage.into());
        json.insert("answering".into(), is_answering.into());
        return json;
    };
    let reasons = reasons(is_answering, array, clock, *players);
    json.insert("ready".into(), reasons.is_empty().into());
    json.insert("answering".into(), is_answering.into());
    json.insert("array".into(), array_json(family, array));
    json.insert("turned".into(), array.turned.into());
    json.insert("clock".into(), clock_json(clock));
    json.insert("lever".into(), side(clock.reading.and_then(|reading| reading.lever)));
    json.insert("players".into(), (*players).into());
    json.insert("reasons".into(), reasons.into());
    json
}

/// Why the board is not ready, the gravest reason first.
fn reasons(is_answering: bool, array: &Array, clock: &ClockReady, players: bool) -> Vec<&'static str> {
    // Where no time control is known nobody asks for a clock.
    let is_timed = clock.expected_ms.is_some();
    let reading = clock.reading.as_ref().filter(|_| is_timed);
    let found = [
        ("silent", !is_answering),
        ("start-array", !array.is_right),
        ("turned", array.is_turned_wrong),
        ("no-clock", is_timed && reading.is_none()),
        ("clock-setting", clock.is_set == Some(false)),
        ("clock-runs", reading.is_some_and(|reading| reading.running.is_some())),
        // White's time runs first (6.6).
        ("lever", reading.is_some_and(|reading| reading.lever == Some(Side::Black))),
        ("players", !players),
    ];
    found.into_iter().filter(|(_, holds)| *holds).map(|(reason, _)| reason).collect()
}

fn array_json(family: Family, array: &Array) -> Value {
    let man = |content: Content| match family.man_name(content) {
        Some(name) => Some(name),
        None if content.is_empty() => None,
        // Something stands there, and the sensor cannot say what.
        None => Some("?".to_owned()),
    };
    let wrong = array.wrong.iter().map(|wrong| {
        json!({
            "square": family.square_name(wrong.square),
            "expected": wrong.expected.and_then(man),
            "found": man(wrong.found),
        })
    });
    let assumed = array
        .assumed
        .map(|(square, content)| json!({ "square": family.square_name(square), "piece": man(content) }));
    let sick = array.sick.iter().map(
        |&(square, sickness)| json!({ "square": family.square_name(square), "fault": Fault::from(sickness) }),
    );
    json!({
        "ok": array.is_right,
        "wrong": wrong.collect::<Vec<Value>>(),
        "sick": sick.collect::<Vec<Value>>(),
        "assumed": assumed,
    })
}

fn clock_json(clock: &ClockReady) -> Value {
    let [white_ms, black_ms] = [0, 1].map(|side| clock.reading.map(|reading| reading.left_ms[side]));
    let mut json = json!({ "white_ms": white_ms, "black_ms": black_ms });
    json["there"] = clock.reading.is_some().into();
    json["expected_ms"] = json!(clock.expected_ms);
    json["set"] = clock.is_set.into();
    json["running"] = side(clock.reading.and_then(|reading| reading.running));
    json
}

fn side(side: Option<Side>) -> Value {
    side.map(Side::name).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::table::WrongSquare;
    use adoube_rules::sensor::Army;
    use adoube_rules::sensor::{ClockReading, Role};
    use adoube_rules::square::Square;

    fn told(is_answering: bool, change: impl FnOnce(&mut Readiness)) -> Value {
        let reading = ClockReading {
            left_ms: [300_000; 2],
            running: None,
            lever: Some(Side::White),
            flags: [false; 2],
            counter: None,
            by_end: false,
        };
        let clock =
            ClockReady { reading: Some(reading), expected_ms: Some([300_000; 2]), is_set: Some(true) };
        let array = Array { is_right: true, turned: Some(0), ..Array::default() };
        let mut ready = Readiness { array, clock, players: true };
        change(&mut ready);
        Value::Object(readiness("3", Family::Chess, is_answering, Some(&ready), None))
    }

    fn running(ready: &mut Readiness, change: fn(&mut ClockReading)) {
        ready.clock.reading.as_mut().into_iter().for_each(change);
    }

    #[test]
    fn each_fault_has_its_reason() {
        let ready = told(true, |_| ());
        assert_eq!((&ready["ready"], &ready["reasons"]), (&json!(true), &json!([])));
        assert_eq!(ready["clock"]["expected_ms"], json!([300_000, 300_000]));
        let reasons = |told: Value| told["reasons"].clone();
        assert_eq!(reasons(told(false, |ready| ready.players = false)), json!(["silent", "players"]));
        assert_eq!(reasons(told(true, |ready| ready.array.is_turned_wrong = true)), json!(["turned"]));
        assert_eq!(reasons(told(true, |ready| ready.array.is_right = false)), json!(["start-array"]));
        assert_eq!(reasons(told(true, |ready| ready.clock.is_set = Some(false))), json!(["clock-setting"]));
        assert_eq!(reasons(told(true, |ready| ready.clock.reading = None)), json!(["no-clock"]));
        let lever = |ready: &mut Readiness| running(ready, |reading| reading.lever = Some(Side::Black));
        assert_eq!(reasons(told(true, lever)), json!(["lever"]));
        let runs = |ready: &mut Readiness| running(ready, |reading| reading.running = Some(Side::White));
        assert_eq!(reasons(told(true, runs)), json!(["clock-runs"]));
    }

    /// By the names of the game that is played there.
    #[test]
    fn wrong_squares_are_named() {
        let wrong =
            |square, expected| WrongSquare { square, expected: Some(expected), found: Content::OCCUPIED };
        let told = |family: Family, square: Square, expected: Content| {
            let array = Array { wrong: vec![wrong(square, expected)], ..Array::default() };
            array_json(family, &array)["wrong"][0].clone()
        };
        assert_eq!(
            told(Family::Chess, Square::new(12), Content::man(Army::new(0), Role::Pawn)),
            json!({ "square": "e2", "expected": "P", "found": "?" })
        );
        assert_eq!(
            told(Family::FourPlayer, Square::new(12), Content::man(Army::new(0), Role::Pawn)),
            json!({ "square": "h2", "expected": "rP", "found": "?" })
        );
        assert_eq!(
            told(Family::FourPlayer, Square::new(159), Content::man(Army::new(2), Role::Rook))["square"],
            "k14"
        );
    }

    #[test]
    fn what_is_assumed_is_named_and_no_reason_against_the_board() {
        let queen = Content::man(Army::new(0), Role::Queen);
        let told = told(true, |ready| ready.array.assumed = Some((Square::new(3), queen)));
        assert_eq!(
            (&told["ready"], &told["array"]["assumed"]),
            (&json!(true), &json!({ "square": "d1", "piece": "Q" }))
        );
    }

    #[test]
    fn without_a_time_control_nobody_asks_for_a_clock() {
        let told = told(true, |ready| {
            ready.clock = ClockReady { reading: None, expected_ms: None, is_set: None };
        });
        assert_eq!(told["reasons"], json!([]));
        assert_eq!((&told["clock"]["there"], &told["clock"]["white_ms"]), (&json!(false), &Value::Null));
    }

    #[test]
    fn a_game_under_way_has_nothing_to_be_ready_for() {
        assert_eq!(
            Value::Object(readiness("3", Family::Chess, true, None, Some("adjourned"))),
            json!({ "board": "3", "ready": null, "stage": "adjourned", "answering": true })
        );
    }
}
