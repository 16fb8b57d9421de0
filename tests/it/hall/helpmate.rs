//! White's flag falls, and Black has a knight: it mates if White helps. The arbiter looks at the moves.

use serde_json::{Value, json};

use super::{Hall, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_moves_that_mate_are_followed_on_the_board() {
    let plan = Plan { fen: "4k3/8/8/8/8/8/8/n3KB2 w - - 0 1", time_control: "30", ..Plan::default() };
    let Some(mut hall) = Hall::open(plan).await else { return };
    hall.play("f1c4 e8d7").await;
    let loss = hall.record("time-forfeit", "open").await;
    assert_eq!(loss["mate_test"], "yes", "{loss}");
    let line = loss["mate_line"].as_array().unwrap();
    let desk = &hall.desk;
    desk.opens(loss["record"].as_u64().unwrap()).await;
    desk.click(".record-mate [data-act=line]").await;
    desk.finds(".replay.following").await;
    sees_men(desk, &loss["mate_fen"]).await;
    for (at, step) in line.iter().enumerate() {
        desk.strikes(".").await;
        let place = format!(r"/^{}\D+{}$/", at + 2, line.len() + 1);
        desk.sees(&format!("{place}.test(document.querySelector('.replay-told .place').textContent)")).await;
        let from = &step["uci"].as_str().unwrap()[..2];
        desk.sees(&format!("document.querySelector('.replay rect.last.from').dataset.square === '{from}'"))
            .await;
    }
    sees_men(desk, &loss["mate_end"]).await;
    desk.finds(".replay rect.check").await;
    let told = desk.texts(".replay-told .what").await.concat();
    assert!(told.ends_with('#'), "{told}");
    desk.strikes("v").await;
    desk.lacks(".replay.following").await;
    plays_every_kind_of_move(desk).await;
    has_words_for_every_answer(desk).await;
    shows_the_end_of_a_cut_line(desk).await;
    desk.confirms(loss["record"].as_u64().unwrap()).await;
    assert_eq!(hall.game().await["result"], "0-1");
    hall.desk.close().await;
}

/// The men on the board of the record are those of `fen`.
async fn sees_men(desk: &super::desk::Desk, fen: &Value) {
    let placement = fen.as_str().unwrap().split(' ').next().unwrap();
    let places = placement.split('/').zip((1..=8).rev());
    let count = placement.chars().filter(char::is_ascii_alphabetic).count();
    desk.sees(&format!("document.querySelectorAll('.replay .board .men use').length === {count}")).await;
    for (rank, number) in places {
        let mut file = b'a';
        for letter in rank.chars() {
            if let Some(empty) = letter.to_digit(10) {
                file += u8::try_from(empty).unwrap();
                continue;
            }
            let square = format!("{}{number}", char::from(file));
            desk.finds(&format!(".replay .board .men [data-square='{square}']")).await;
            file += 1;
        }
    }
}

/// Castling to either side, also as Chess960 writes it, en passant and a promotion.
async fn plays_every_kind_of_move(desk: &super::desk::Desk) {
    let cases = [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "4k3/8/8/8/8/8/8/R4RK1 b"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "4k3/8/8/8/8/8/8/2KR3R b"),
        ("1r2k1r1/8/8/8/8/8/8/4K3 b bg - 0 1", "e8b8", "2kr2r1/8/8/8/8/8/8/4K3 w"),
        ("1r2k1r1/8/8/8/8/8/8/4K3 b bg - 0 1", "e8g8", "1r3rk1/8/8/8/8/8/8/4K3 w"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "4k3/8/3P4/8/8/8/8/4K3 b"),
        ("4k3/8/8/8/8/8/1p6/R3K3 b - - 0 1", "b2a1n", "4k3/8/8/8/8/8/8/n3K3 w"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1d2", "4k3/8/8/8/8/8/3K4/8 b"),
    ];
    let asked: Vec<Value> = cases.iter().map(|(fen, uci, _)| json!([fen, uci])).collect();
    let script = format!(
        "import('/desk/mate-line.js').then(({{ positionsOf }}) => {{ window.made = {}.map(([fen, uci]) => \
         positionsOf(fen, [{{ uci, san: '' }}])[1].fen); }})",
        Value::from(asked)
    );
    desk.runs(&script).await;
    for (at, (fen, uci, after)) in cases.iter().enumerate() {
        assert_eq!(desk.sees(&format!("window.made?.[{at}]")).await, *after, "{fen} {uci}");
    }
}

/// Reasons and bases of `adoube_rules::MateTest`, each in words.
async fn has_words_for_every_answer(desk: &super::desk::Desk) {
    let reasons = ["game-over", "bare-king", "lone-knight", "one-coloured-bishops", "blocked", "all-played"];
    let bases = ["material sufficient", "blocked", "no regular position"];
    let no = |reason| json!({ "mate_test": "no", "mate_side": "white", "mate_reason": reason, "mate_positions": 12 });
    let unknown =
        |basis| json!({ "mate_test": "unknown", "mate_side": "white", "mate_basis": basis, "mate_nodes": 7 });
    let dead = json!({ "mate_test": "no", "mate_reasons": [
        { "side": "white", "reason": "bare-king", "positions": null },
        { "side": "black", "reason": "all-played", "positions": 3 },
    ] });
    let records: Vec<Value> = reasons.map(no).into_iter().chain(bases.map(unknown)).chain([dead]).collect();
    let script = format!(
        "import('/desk/record-mate.js').then(({{ mateWords }}) => {{ window.said = {}.map((record) => \
         mateWords({{ san: (text) => text }}, record, null)); }})",
        Value::from(records)
    );
    desk.runs(&script).await;
    let said: Vec<Vec<String>> = serde_json::from_value(desk.sees("window.said").await).unwrap();
    assert_eq!(said.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
    let mut all = said.concat();
    assert!(
        all.iter().all(|text| text.contains(' ') && !text.contains('{') && !text.starts_with("mate.")),
        "{all:?}"
    );
    assert!(all[5].contains("12") && all[6].contains('7'), "{all:?}");
    // The words of the names themselves would mean that nobody has written any.
    let plain =
        |text: &String| reasons.iter().any(|name| text.contains(&format!(": {}.", name.replace('-', " "))));
    assert!(!all.iter().any(plain), "{all:?}");
    // The bare king is there twice.
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 10, "{all:?}");
}

/// A line of which only the beginning is kept goes on to its end.
async fn shows_the_end_of_a_cut_line(desk: &super::desk::Desk) {
    let record = json!({
        "mate_fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "mate_line": [{ "uci": "e1d2", "san": "Kd2" }],
        "mate_plies": 300, "mate_end": "8/8/8/8/8/kn6/8/KB6 w - - 34 77",
    });
    let script = format!(
        "import('/desk/record-mate.js').then(({{ mateFrames }}) => {{ window.frames_of_cut = \
         mateFrames({{ san: (text) => text }}, {record}); }})"
    );
    desk.runs(&script).await;
    let frames = desk.sees("window.frames_of_cut").await;
    assert_eq!(frames.as_array().unwrap().len(), 3, "{frames}");
    assert_eq!((&frames[2]["fen"], &frames[2]["check"]), (&record["mate_end"], &json!(true)));
    assert!(frames[2]["text"].as_str().unwrap().contains("300"), "{frames}");
}
