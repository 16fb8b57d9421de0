//! A position that comes for the third time with the move that Black writes down.

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claimed_repetition_is_proved_and_confirmed_as_a_draw() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1").await;
    hall.board.stop_clock();
    hall.clock_runs(None).await;
    hall.desk.rules("claim-threefold-intended", &[("side", "black"), ("move", "Ng8")]).await;
    let claim = hall.record("claim-threefold-intended", "open").await;
    assert_eq!((&claim["admissible"], &claim["verdict"]), (&true.into(), &"correct".into()), "{claim}");
    let claim = claim["record"].as_u64().unwrap();

    // The desk proves it with the positions, and the arbiter confirms.
    hall.desk.opens_by_board(claim).await;
    hall.desk.sees("document.querySelectorAll('.record-view .proof:not([hidden])').length === 3").await;
    hall.desk.confirms(claim).await;
    let incidents = [
        "clock-paused confirmed",
        "claim-threefold-intended confirmed",
        "threefold-draw confirmed",
        "game-over confirmed",
    ];
    hall.ends("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 1/2-1/2", &incidents).await;
}
