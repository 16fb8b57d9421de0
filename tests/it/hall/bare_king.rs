//! White's flag falls, and Black has nothing but his king.

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flag_against_a_bare_king_is_a_draw_once_it_is_confirmed() {
    let plan = Plan { fen: "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", time_control: "30", ..Plan::default() };
    let Some(mut hall) = Hall::open(plan).await else { return };
    hall.play("a1a7 e8d8").await;
    let flag = hall.record("flag-fallen", "open").await;
    assert_eq!(flag["side"], "white", "{flag}");
    let draw = hall.record("time-draw", "open").await;
    assert_eq!(hall.board.shows()[0], 0);
    assert_eq!(hall.game().await["result"], "*", "nobody but the arbiter decides");
    let draw = draw["record"].as_u64().unwrap();
    hall.desk.opens(draw).await;
    hall.desk.confirms(draw).await;
    let incidents = [
        "recording-assistant-needed confirmed",
        "flag-fallen confirmed",
        "stop-clocks-update-scoresheets confirmed",
        "time-draw confirmed",
        "declare-result confirmed",
        "game-over confirmed",
    ];
    hall.ends("1. Ra7 Kd8 1/2-1/2", &incidents).await;
}
