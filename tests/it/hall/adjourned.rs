//! A game that is adjourned with a sealed move and resumed.

use adoube_rules::sensor::Side;

use super::{Hall, Plan};

/// The sealed move, as it is written on the envelope's sheet. Nobody else plays such a move here.
const SEALED: &str = "Bc4";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sealed_move_stays_sealed_until_it_is_played() {
    let plan = Plan { regulations: "adjournment", ..Plan::default() };
    let Some(mut hall) = Hall::open(plan).await else { return };
    hall.play("e2e4 e7e5").await;
    hall.desk.rules("adjourn", &[("side", "white")]).await;
    hall.board.stop_clock();
    hall.event("adjournment-sheet").await;
    hall.desk.rules("seal-move", &[("text", SEALED)]).await;
    sealed(&hall, ".envelope").await;

    sheet_has_its_fields(&hall).await;
    // The list says so to whoever comes in the morning; it says the moves again when the game goes on.
    let last = |text: &str| {
        format!("document.querySelector(\".row[data-board='1'] .last\")?.textContent === {text:?}")
    };
    hall.desk.go("#/", "list").await;
    hall.desk.sees(&last("adjourned")).await;
    hall.desk.runs("location.reload()").await;
    hall.desk.sees(&last("adjourned")).await;
    hall.desk.go("#/board/1", "game").await;
    hall.desk.sees("document.querySelector('.game-view .when')?.textContent.includes('adjourned')").await;
    hall.desk.rules("resume-game", &[]).await;
    hall.desk.go("#/", "list").await;
    hall.desk.sees(&format!("!({})", last("adjourned"))).await;
    sealed(&hall, ".score").await;
    hall.board.start_clock();
    hall.clock_runs(Some(Side::White)).await;
    hall.play("f1c4 b8c6").await;
    hall.desk.sees_moves("e4 e5 Bc4 Nc6").await;
    hall.ends("1. e4 e5 2. Bc4 Nc6 *", &["adjournment-sheet confirmed"]).await;
}

/// Neither spectators nor the pages of the desk know the sealed move; the printed sheet has `part`.
async fn sealed(hall: &Hall, part: &str) {
    let known = hall.spectator.knows(&hall.game).await;
    assert!(!known.contains(SEALED) && !known.contains("seal"), "{known}");
    let sheet = format!("#/report/scoresheet/{}", hall.game);
    for (hash, view, shown) in [
        ("#/", "list", ".row[data-board='1'] .last"),
        ("#/board/1", "game", ".ruling-list li[data-ruling='seal-move']"),
        ("#/history?kind=rulings", "history", ".history-list li:nth-child(2)"),
        (&sheet, "report", &format!(".report-view {part}")),
    ] {
        hall.desk.go(hash, view).await;
        hall.desk.finds(shown).await;
        let page = hall.desk.reads().await;
        assert!(!page.contains(SEALED), "{hash} shows the sealed move: {page}");
    }
}

/// What is printed has the fields of Guideline I.2, and lines to write on.
async fn sheet_has_its_fields(hall: &Hall) {
    let sheet = hall.event("adjournment-sheet").await;
    let left_s = ["white_ms", "black_ms"].map(|key| sheet["times"][key].as_u64().unwrap() / 1_000);
    for (told_s, shown_s) in left_s.into_iter().zip(hall.board.shows()) {
        assert!(told_s.abs_diff(shown_s) <= 1, "{shown_s} s are shown: {sheet}");
    }
    hall.desk.go(&format!("#/report/scoresheet/{}", hall.game), "report").await;
    hall.desk.finds(".report-view .envelope svg.board").await;
    let fields = hall.desk.texts(".report-view .envelope dd").await;
    let [sealer, number, left, used, offer, fen] = fields.as_slice() else { panic!("{fields:?}") };
    assert!(!sealer.is_empty() && !offer.is_empty(), "{fields:?}");
    assert_eq!(
        (number.as_str(), fen.as_str()),
        ("2", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    );
    for left_s in left_s {
        // Each has got the first increment and that of the move.
        let used_s = 5_400 + 2 * 30 - left_s;
        assert!(left.contains(&written(left_s)) && used.contains(&written(used_s)), "{left_s} s: {fields:?}");
    }
    assert_eq!(
        hall.desk.texts(".report-view .paper-lines.three .line").await.len(),
        3,
        "when and where it goes on"
    );
    assert_eq!(hall.desk.texts(".report-view .score .san").await, ["e4", "e5"]);
}

/// Seconds as a clock shows them.
fn written(s: u64) -> String {
    format!("{}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60)
}
