//! Men that fall over while Black thinks, and stand again.

use adoube_rules::sensor::Side;

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn displaced_men_that_are_put_right_close_their_incident() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("e2e4").await;
    hall.board.lift("d7");
    hall.board.lift("d8");
    hall.board.hands(500).await;
    hall.board.place("c6", 'q');
    let displaced = hall.number("piece-displaced", "open").await;
    hall.desk.opens(displaced).await;
    hall.board.stop_clock();
    hall.clock_runs(None).await;
    hall.board.carry("c6d8").await;
    hall.board.place("d7", 'p');
    // It closes by itself, before the eyes of whoever looks at it.
    hall.desk.sees_record(displaced, "corrected").await;
    hall.desk.go("#/", "list").await;
    hall.desk.lacks(".row[data-board='1'] .badges a").await;
    hall.board.start_clock();
    hall.clock_runs(Some(Side::Black)).await;
    hall.play("e7e5 g1f3").await;
    hall.desk.sees_moves("e4 e5 Nf3").await;
    let incidents = ["piece-displaced corrected", "clock-paused confirmed", "clock-times corrected"];
    hall.ends("1. e4 e5 2. Nf3 *", &incidents).await;
}
