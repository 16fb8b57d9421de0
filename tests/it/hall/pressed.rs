//! A press without a move.

use adoube_rules::sensor::Side;

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_press_without_a_move_costs_two_minutes_once_it_is_confirmed() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("d2d4 d7d5").await;
    hall.board.hands(3_000).await;
    let [_, black_s] = hall.board.press(Side::White);
    let pressed = hall.number("clock-pressed-without-move", "open").await;
    hall.board.stop_clock();
    hall.clock_runs(None).await;

    hall.desk.opens(pressed).await;
    let bonus = hall.record("add-time-opponent", "open").await;
    assert_eq!(
        (bonus["side"].as_str(), bonus["amount_ms"].as_u64()),
        (Some("black"), Some(120_000)),
        "{bonus}"
    );
    // By the keys alone.
    hall.desk.strikes("c").await;
    hall.desk.finds(".record-view .asked [data-act=yes]:focus").await;
    hall.desk.enters().await;
    hall.desk.sees_record(pressed, "confirmed").await;
    for name in ["return-clock", "add-time-opponent"] {
        hall.record(name, "confirmed").await;
    }

    let [white_s, _] = hall.board.shows();
    hall.set_clock([white_s, black_s + 120], Side::White).await;
    hall.play("c2c4 e7e6").await;
    hall.desk.sees_moves("d4 d5 c4 e6").await;
    let incidents = [
        "clock-pressed-without-move confirmed",
        "return-clock confirmed",
        "replacement-moves confirmed",
        "add-time-opponent confirmed",
        "clock-paused confirmed",
        "resolution corrected",
    ];
    hall.ends("1. d4 d5 2. c4 e6 *", &incidents).await;
}
