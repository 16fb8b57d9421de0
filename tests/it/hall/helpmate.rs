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
