//! A knight that moves like nothing on earth, and is pressed.

use adoube_rules::sensor::Side;
use serde_json::Value;

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_illegal_move_is_confirmed_at_the_desk_and_the_game_goes_on() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("e2e4 e7e5").await;
    hall.board.play("g1g5", Side::White).await;
    let illegal = hall.number("illegal-move-completed", "open").await;
    hall.board.stop_clock();
    hall.clock_runs(None).await;

    // The desk shows it; two minutes for Black and the position before are proposed.
    hall.desk.opens(illegal).await;
    let bonus = hall.record("add-time-opponent", "open").await;
    assert_eq!(
        (bonus["side"].as_str(), bonus["amount_ms"].as_u64()),
        (Some("black"), Some(120_000)),
        "{bonus}"
    );
    let times = hall.record("clock-times", "open").await;
    let restore = hall.number("restore-position", "open").await;
    let [bonus, times_of] = [&bonus, &times].map(|proposal| proposal["record"].as_u64().unwrap());
    for proposal in [bonus, times_of, restore] {
        hall.desk.finds(&format!(".record-view .proposals [data-record='{proposal}']")).await;
    }
    // All of it is carried out at one word.
    hall.desk.confirms(illegal).await;
    for name in ["restore-position", "add-time-opponent", "clock-times"] {
        hall.record(name, "confirmed").await;
    }
    // The board stays urgent until hands have done it.
    hall.lists("At the board: position, clocks, clock running").await;
    hall.desk.go(&format!("#/record/{illegal}"), "record").await;
    let part = |name: &str, state: &str| format!(".resolution [data-part='{name}'][data-state='{state}']");
    hall.desk.finds(&part("restore-position", "to-do")).await;

    // The arbiter puts the knight back and sets the clock as it was when the knight was lifted, not as it was at Black's
    // press: White has thought.
    hall.board.carry("g5g1").await;
    hall.desk.finds(&part("restore-position", "done")).await;
    let seconds = |times: &Value| ["white_ms", "black_ms"].map(|key| times[key].as_u64().unwrap() / 1_000);
    let [then_s, unchanged_s] = ["then", "unchanged"].map(|key| seconds(&times[key]));
    let pressed_s = hall.shown_s[1].unwrap();
    // The press brought an increment, which an illegal move has not earned.
    assert!(then_s[0] <= pressed_s[0] && pressed_s[0] < then_s[0] + 30, "{times}");
    assert!(then_s[0] < unchanged_s[0], "{times}");
    assert!(then_s[1].abs_diff(pressed_s[1]) <= 1, "{times}");
    if times["start"].is_object() {
        assert!(seconds(&times["start"])[0].abs_diff(pressed_s[0]) <= 1, "{times}");
    }
    let [white_s, black_s] = then_s;
    hall.set_clock([white_s, black_s + 120], Side::White).await;
    for name in ["clock-times", "resume"] {
        hall.desk.finds(&part(name, "done")).await;
    }
    hall.desk.lacks(".resolution [data-state='to-do']").await;
    // The printed report says what was set, and that it was.
    hall.desk.go(&format!("#/report/record/{illegal}"), "report").await;
    hall.desk.finds(".report-view .carried-out td").await;
    let told = hall.desk.texts(".report-view .carried-out td").await;
    assert_eq!((told.len(), told[1].as_str(), told[5].as_str()), (8, "done", "done"), "{told:?}");
    assert!(told[4].starts_with("Clock of Black: ") && told[4].ends_with("(+2:00 with it)"), "{told:?}");
    hall.desk.go("#/", "list").await;
    hall.desk.lacks(".row[data-board='1'] .badges a").await;
    hall.play("g1f3 b8c6").await;
    hall.desk.sees_moves("e4 e5 Nf3 Nc6").await;
    let incidents = [
        "illegal-move-completed confirmed",
        "restore-position confirmed",
        "replacement-moves confirmed",
        "clock-times confirmed",
        "add-time-opponent confirmed",
        "clock-paused confirmed",
        "resolution corrected",
    ];
    hall.ends("1. e4 e5 2. Nf3 Nc6 *", &incidents).await;
}
