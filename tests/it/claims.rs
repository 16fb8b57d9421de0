//! What a claim is answered with: admissible or not, and the positions, times and touches that prove it
//! (S-094; 6.8, 9.2, 9.3, 11.12).

use adoube_sim::scenario::Scenario;
use serde_json::{Map, Value};

/// The claim that `events` come to on a board of that head.
fn claim(head: &str, events: &str) -> Map<String, Value> {
    let text = format!(
        "id = \"x\"\ntitle = \"x\"\nboard = \"identity\"\n{head}\nevents = \"\"\"{events}\"\"\"\nexpect = []\nquiet = false\nforbid = [\"sensor-fault\", \"board-disconnected\"]"
    );
    let scenario = Scenario::parse(&text).unwrap();
    let verdict = scenario.run(&scenario.cases()[0], &[]).unwrap();
    let is_claim = |json: &Map<String, Value>| json.get("kind").is_some_and(|kind| kind == "claim");
    let found = verdict.events.iter().find(|event| is_claim(&event.json()) && event.name() != "draw-offer");
    found.unwrap_or_else(|| panic!("no claim; {:?}", verdict.remarks)).json()
}

fn list<'a>(claim: &'a Map<String, Value>, key: &str) -> Vec<&'a Value> {
    claim.get(key).and_then(Value::as_array).into_iter().flatten().collect()
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[test]
fn a_repetition_is_proved_by_its_positions() {
    let claim = claim(
        "editions = [\"2018\"]",
        "play(1.Nf3 Nf6 2.Ng1 Ng8 3.Nf3 Nf6 4.Ng1 Ng8) arb(claim-threefold side=white)",
    );
    assert_eq!((&claim["verdict"], &claim["admissible"]), (&"correct".into(), &true.into()));
    let positions = list(&claim, "positions");
    let plies: Vec<u64> = positions.iter().map(|position| position["ply"].as_u64().unwrap()).collect();
    assert_eq!(plies, [0, 4, 8]);
    for position in &positions {
        assert!(position["fen"].as_str().unwrap().starts_with(&format!("{START} w KQkq - ")), "{position}");
        assert_eq!(position["counts"], true);
    }
    assert_eq!(positions[0]["san"], Value::Null);
    assert_eq!(positions[2]["san"], "Ng8");
    assert!(positions[1]["made_ms"].as_u64() < positions[2]["made_ms"].as_u64());
}

/// S-092b: the men stood so three times, but the first time 3...dxe3 was possible.
#[test]
fn a_position_that_only_looks_the_same_is_shown_and_does_not_count() {
    let claim = claim(
        "editions = [\"2018\"]",
        "play(1.a3 d5 2.a4 d4 3.e4 Nf6 4.Nf3 Ng8 5.Ng1 Nf6 6.Nf3 Ng8 7.Ng1) arb(claim-threefold side=black)",
    );
    assert_eq!(claim["verdict"], "incorrect");
    let counts: Vec<bool> =
        list(&claim, "positions").iter().map(|position| position["counts"].as_bool().unwrap()).collect();
    assert_eq!(counts, [false, true, true]);
}

/// S-093a: the third occurrence is that of the move that was written down.
#[test]
fn an_intended_move_is_shown_as_if_it_were_played() {
    let claim = claim(
        "editions = [\"2018\"]",
        "play(1.Nf3 Nf6 2.Ng1 Ng8 3.Nf3 Nf6 4.Ng1) arb(claim-threefold-intended side=black move=Ng8)",
    );
    assert_eq!(claim["verdict"], "correct");
    let positions = list(&claim, "positions");
    assert_eq!(positions.len(), 3);
    assert_eq!((&positions[2]["ply"], &positions[2]["made_ms"]), (&8.into(), &Value::Null));
    assert!(positions[2]["fen"].as_str().unwrap().starts_with(START));
}

#[test]
fn fifty_moves_are_proved_by_the_position_that_began_them_and_the_last() {
    let claim = claim(
        "editions = [\"2018\"]\nstart = \"7k/8/6K1/8/8/8/8/R6n w - - 95 120\"",
        "play(120.Ra2 Nf2 121.Ra3 Nh1 122.Ra2) arb(claim-fifty-moves side=black)",
    );
    assert_eq!((&claim["verdict"], &claim["half_moves"]), (&"correct".into(), &100.into()));
    let positions = list(&claim, "positions");
    // What began them was before this record: only the last is there.
    assert_eq!(positions.len(), 1);
    assert_eq!(positions[0]["ply"], 5);
    let claim = self::claim(
        "editions = [\"2018\"]\nstart = \"7k/8/6K1/8/8/8/p7/R6n w - - 0 120\"",
        "play(120.Rxa2 Nf2 121.Ra3) arb(claim-fifty-moves side=black)",
    );
    assert_eq!((&claim["verdict"], &claim["last_pawn_move"]), (&"incorrect".into(), &1.into()));
    let plies: Vec<&Value> = list(&claim, "positions").iter().map(|position| &position["ply"]).collect();
    assert_eq!(plies, [&Value::from(1), &Value::from(3)]);
}

#[test]
fn a_flag_is_proved_by_both_times_and_the_order() {
    let claim = claim(
        "editions = [\"2018\"]\nprofile = \"rapid-reduced\"\nstart = \"4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 30\"\nclock = { white = \"0:00:05\", black = \"0:00:09\", running = \"white\" }",
        "wait(8s) HALT:B arb(claim-flag-fall side=black)",
    );
    assert_eq!(claim["verdict"], "correct");
    assert_eq!(claim["times"]["white_ms"], 0);
    assert_eq!(claim["times"]["black_ms"], 9_000);
    assert_eq!(claim["first_flag"], "white");
    let flags = list(&claim, "flags");
    assert_eq!((&flags[0]["side"], &flags[0]["required"]), (&"white".into(), &Value::Null));
    assert!(flags[0]["at_ms"].as_u64().unwrap() >= 5_000);
}

#[test]
fn an_illegal_move_is_proved_by_the_positions_before_and_after_it() {
    let claim = claim(
        "editions = [\"2018\"]\nstart = \"4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1\"",
        "-e2 +e5=P PW arb(claim-illegal-move side=black)",
    );
    assert_eq!((&claim["verdict"], &claim["kinds"][0]), (&"correct".into(), &"movement".into()));
    assert_eq!(claim["fen_before"], "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1");
    assert!(claim["fen_after"].as_str().unwrap().starts_with("4k3/4p3/8/4P3/8/8/8/4K3 b"));
}

#[test]
fn a_touch_is_proved_by_the_ledger_with_its_times() {
    let claim =
        claim("editions = [\"2018\"]", "-g1 wait(2s) +g1=N -e2 +e4=P PW arb(claim-touch-move side=black)");
    assert_eq!((&claim["verdict"], &claim["rule"]), (&"correct".into(), &"4.3.1".into()));
    let touches = list(&claim, "touches");
    assert_eq!((&touches[0]["square"], &touches[0]["piece"]), (&"g1".into(), &"N".into()));
    let (lifted, returned) =
        (touches[0]["at_ms"].as_u64().unwrap(), touches[0]["returned_ms"].as_u64().unwrap());
    assert!((1_900..=2_200).contains(&(returned - lifted)), "{lifted} {returned}");
    assert_eq!(touches[1]["square"], "e2");
}

/// What no sensor saw may have been so all the same.
#[test]
fn a_touch_without_a_record_is_not_called_wrong() {
    let claim = claim("editions = [\"2018\"]", "play(1.e4) arb(claim-touch-move side=black)");
    assert_eq!((claim.get("verdict"), &claim["admissible"]), (None, &true.into()));
}

#[test]
fn a_claim_that_comes_too_late_is_inadmissible_and_says_why() {
    let claim = claim(
        "editions = [\"2018\"]",
        "-g1 wait(2s) +g1=N -e2 +e4=P PW -e7 +e5=p PB arb(claim-touch-move side=black)",
    );
    assert_eq!((&claim["admissible"], &claim["reason"]), (&false.into(), &"window-closed".into()));
}
