//! The board's cable comes out, and they play on.

use serde_json::Value;

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_was_unplugged_is_recovered_with_the_moves_of_the_gap() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("e2e4 e7e5").await;
    let gap = unseen(&mut hall, &["g1f3", "b8c6"]).await;
    assert_eq!(gap["since_ply"], 2, "{gap}");
    hall.has_completed("b8c6").await;
    let game = hall.game().await;
    for (ply, mv) in (1..).zip(game["moves"].as_array().unwrap()) {
        assert_eq!(mv["recovered"] == true, ply > 2, "{mv}");
    }
    // The arbiter looks at the gap and agrees.
    let gap = gap["record"].as_u64().unwrap();
    hall.desk.opens(gap).await;
    hall.desk.confirms(gap).await;
    hall.play("f1b5 a7a6").await;
    hall.desk.sees_moves("e4 e5 Nf3 Nc6 Bb5 a6").await;
    hall.ends("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *", &["record-gap confirmed", "confirm-move confirmed"]).await;
}

/// Four moves fit in four orders.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_arbiter_says_in_which_order_the_moves_of_a_gap_were_played() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("e2e4 e7e5").await;
    let gap = unseen(&mut hall, &["f1b5", "a7a6", "g1f3", "b8c6"]).await;
    let gap = gap["record"].as_u64().unwrap();
    hall.desk.opens(gap).await;
    let ways = hall.desk.texts(".proposals .label").await;
    assert_eq!(ways.len(), 4, "{ways:?}");
    let way = ways.iter().position(|way| way == "It was 2. Bb5 a6 3. Nf3 Nc6").unwrap();
    hall.desk.decides(&format!("[data-act='{}']", way + 1)).await;
    hall.desk.sees_record(gap, "confirmed").await;
    hall.desk.sees_moves("e4 e5 Bb5 a6 Nf3 Nc6").await;
    hall.play("b5a4 g8f6").await;
    hall.ends(
        "1. e4 e5 2. Bb5 a6 3. Nf3 Nc6 4. Ba4 Nf6 *",
        &["record-gap confirmed", "confirm-move confirmed"],
    )
    .await;
}

/// The cable comes out, and is found a moment after these moves; the gap that is told then.
async fn unseen(hall: &mut Hall, moves: &[&str]) -> Value {
    hall.board.unplug();
    hall.desk.finds(".row[data-board='1'][data-state=lost]").await;
    for squares in moves {
        let side = hall.turn();
        hall.board.play(squares, side).await;
        hall.shown_s.push(None);
    }
    hall.board.hands(1_500).await;
    hall.board.plug_in();
    hall.desk.finds(".row[data-board='1']:not([data-state=lost])").await;
    hall.record("record-gap", "open").await
}
