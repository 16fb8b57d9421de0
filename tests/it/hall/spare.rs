//! A board dies in the middle of a game, and the game goes on at the spare.

use adoube_rules::sensor::Side;
use serde_json::Value;

use super::{Hall, PATIENCE, Plan, awaited};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_dies_and_the_game_goes_on_at_the_spare() {
    let Some(mut hall) = Hall::open(Plan { has_spare: true, ..Plan::default() }).await else { return };
    hall.play("e2e4 e7e5 g1f3").await;
    hall.board.stop_clock();
    hall.clock_runs(None).await;
    let shown_s = hall.board.shows();
    hall.board.unplug();
    hall.number("board-disconnected", "open").await;

    // At the game's page, with the number of the spare: what will be done is said before it is.
    hall.desk.rules("move-to-board", &[("board", "2")]).await;
    awaited("the game at the spare", PATIENCE, async || (hall.game().await["board"] == "2").then_some(()))
        .await;
    let badge = ".row[data-board='2'] .badges a";
    hall.desk.go("#/", "list").await;
    hall.desk.finds(badge).await;
    hall.desk.lacks(".row[data-board='1'] .badges a").await;
    let resolution = hall.ask("/api/v1/records?board=2&status=open").await[0]["record"].as_u64().unwrap();
    hall.desk.go(&format!("#/record/{resolution}"), "record").await;
    let part = |name: &str, state: &str| format!(".resolution [data-part='{name}'][data-state='{state}']");
    hall.desk.finds(&part("restore-position", "to-do")).await;
    hall.desk.lacks(".record-view .decisions [data-act]").await;

    // The arbiter brings the pieces, sets the clock and starts it.
    let dead = std::mem::replace(&mut hall.board, hall.spare.take().unwrap());
    for squares in ["e2e4", "e7e5", "g1f3"] {
        hall.board.carry(squares).await;
    }
    hall.desk.finds(&part("restore-position", "done")).await;
    hall.set_clock(shown_s, Side::Black).await;
    hall.desk.finds(&part("resume", "done")).await;
    hall.desk.lacks(".resolution [data-state='to-do']").await;
    hall.desk.go("#/", "list").await;
    hall.desk.lacks(badge).await;
    hall.play("b8c6").await;
    hall.desk.go("#/board/2", "game").await;
    hall.desk.sees("[...document.querySelectorAll('.game-view .moves .san')].length === 4").await;

    let path = format!("/api/v1/games/{}/rulings", hall.game);
    let rulings = hall.ask(&path).await;
    let said: Vec<&Value> = rulings.as_array().unwrap().iter().map(|ruled| &ruled["board"]).collect();
    assert_eq!(said, ["1", "2"], "both boards say it: {rulings}");
    drop(dead);
    hall.ends("1. e4 e5 2. Nf3 Nc6 *", &["clock-paused confirmed"]).await;
}
