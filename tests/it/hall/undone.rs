//! A ruling that was a mistake.

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ruling_undone_at_the_desk_gives_the_game_back() {
    let Some(mut hall) = Hall::open(Plan::default()).await else { return };
    hall.play("e2e4 e7e5 g1f3 b8c6").await;
    hall.desk.rules("correct-move", &[("ply", "1"), ("uci", "d2d4")]).await;
    hall.desk.sees_moves("d4 e5 Nf3 Nc6").await;
    // The pawn on e2 was touched and d4 played: the Laws are a fold over the line.
    hall.number("touch-move-suspected", "open").await;
    hall.desk.undoes("correct-move").await;
    hall.desk.sees_moves("e4 e5 Nf3 Nc6").await;
    hall.play("f1b5").await;
    hall.desk.sees_moves("e4 e5 Nf3 Nc6 Bb5").await;
    let incidents = ["touch-move-suspected", "restore-position", "replacement-moves", "clock-times"]
        .map(|name| format!("{name} withdrawn"));
    let incidents = incidents.each_ref().map(String::as_str);
    hall.ends("1. e4 e5 2. Nf3 Nc6 3. Bb5 *", &incidents).await;
}
