//! An illegal move of which the arbiter decides one thing after the other: the list says what is left.

use adoube_rules::sensor::Side;

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_stays_urgent_until_everything_about_its_incident_is_decided() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("e2e4 e7e5").await;
    hall.board.play("g1g5", Side::White).await;
    let illegal = hall.number("illegal-move-completed", "open").await;
    hall.board.stop_clock();
    hall.clock_runs(None).await;
    let [restore, times, bonus] = [
        hall.number("restore-position", "open").await,
        hall.number("clock-times", "open").await,
        hall.number("add-time-opponent", "open").await,
    ];

    // The position alone: the incident is decided, and the list names the rest.
    hall.desk.opens(illegal).await;
    hall.desk.decides(&format!(".proposals [data-record='{restore}']")).await;
    hall.desk.sees_record(illegal, "confirmed").await;
    hall.lists("Still open: +2:00 for Black, clocks; at the board: position, clock running").await;
    hall.desk.finds(".group.incidents:not([hidden]) + .row[data-board='1']").await;
    hall.desk.go("#/board/1", "game").await;
    hall.desk.finds(&format!(".record-list:not(details *) a[href='#/record/{illegal}'] .detail")).await;

    // He leaves the times as they are.
    hall.desk.go("#/", "list").await;
    hall.desk.follows_badge(illegal).await;
    hall.desk.click(&format!(".record-view .proposals [data-declines='{times}']")).await;
    hall.record("clock-times", "rejected").await;
    hall.lists("Still open: +2:00 for Black; at the board: position, clock running").await;

    // The same key does what is left.
    hall.desk.go(&format!("#/record/{illegal}"), "record").await;
    hall.desk.finds(&format!(".record-view .proposals [data-record='{bonus}']")).await;
    hall.desk.strikes("c").await;
    hall.desk.finds(".record-view .asked [data-act=yes]:focus").await;
    hall.desk.enters().await;
    hall.record("add-time-opponent", "confirmed").await;
    hall.lists("At the board: position, clocks, clock running").await;

    hall.board.carry("g5g1").await;
    hall.lists("At the board: clocks, clock running").await;
    let [white_s, black_s] = hall.board.shows();
    hall.set_clock([white_s, black_s + 120], Side::White).await;
    hall.desk.lacks(".row[data-board='1'] .badges a").await;
    hall.desk.finds(".group.incidents[hidden]").await;
    hall.play("g1f3 b8c6").await;
    let incidents = [
        "illegal-move-completed confirmed",
        "restore-position confirmed",
        "replacement-moves confirmed",
        "clock-times rejected",
        "add-time-opponent confirmed",
        "clock-paused confirmed",
        "resolution corrected",
    ];
    hall.ends("1. e4 e5 2. Nf3 Nc6 *", &incidents).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_an_incident_when_the_game_is_over() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("e2e4 e7e5").await;
    hall.board.play("g1g5", Side::White).await;
    let illegal = hall.number("illegal-move-completed", "open").await;
    let restore = hall.number("restore-position", "open").await;
    hall.board.stop_clock();
    hall.clock_runs(None).await;
    hall.desk.opens(illegal).await;
    hall.desk.decides(&format!(".proposals [data-record='{restore}']")).await;
    hall.lists("Still open: +2:00 for Black, clocks; at the board: position, clock running").await;
    // The position need not be put back for a game that is given up.
    hall.desk.go(&format!("#/record/{illegal}"), "record").await;
    hall.desk.waives("restore-position", "White resigns").await;
    hall.lists("Still open: +2:00 for Black, clocks; at the board: clock running").await;
    hall.desk.rules("result", &[("value", "0-1")]).await;
    hall.desk.go("#/", "list").await;
    hall.desk.lacks(".row[data-board='1'] .badges a").await;
    let incidents = [
        "illegal-move-completed confirmed",
        "restore-position confirmed",
        "replacement-moves confirmed",
        "clock-times open",
        "add-time-opponent open",
        "clock-paused confirmed",
        "resolution expired",
        "game-over confirmed",
    ];
    hall.ends("1. e4 e5 0-1", &incidents).await;
}
