//! `adoube replay --explain`: the evidence of each move and the runners-up.

use std::process::Command;

/// A bishop that takes one of two knights inside one scan of an unnamed board, and a knight that tries
/// d2 and goes to b2.
const SWAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/captures/swap-with-two-victims.jsonl");

fn replayed(arguments: &[&str]) -> (String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_adoube")).args(["replay", SWAP]).args(arguments).output().unwrap();
    assert!(output.status.success());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn each_move_has_its_evidence_and_its_runners_up() {
    let (_, explained) = replayed(&["--explain"]);
    insta::assert_snapshot!(explained, @r#"
         6.000    1 Bxb6      50.0 %  lifted 4.000, placed 4.000, rested 2000 of 2000 ms, target not seen to change
                   or 1 Bxf6  36.3 %
                   or 1 taken back  27.4 %
         6.000  ambiguous-move open {"by":"white","ply":1,"moves":["Bxb6","Bxf6"]}
         6.000  confirm-move open {"moves":["Bxb6","Bxf6"],"of":"ambiguous-move"}
         8.000    1 Bxb6     withdrawn with what followed (explanation)
         8.000  ambiguous-move withdrawn {"by":"white","ply":1,"moves":["Bxb6","Bxf6"]}
         8.000  confirm-move withdrawn {"moves":["Bxb6","Bxf6"],"of":"ambiguous-move"}
         8.000    1 Bxf6      50.0 %  lifted 4.000, placed 4.000, rested 4000 of 2000 ms, target not seen to change, missing b6
                   or 1 Bxb6  31.7 %
                   or 1 taken back  1.2 %
         8.000  ambiguous-move open {"by":"white","ply":1,"moves":["Bxb6","Bxf6"]}
         8.000  confirm-move open {"moves":["Bxb6","Bxf6"],"of":"ambiguous-move"}
         8.450    2 Nc4      100.0 %  lifted 8.000, placed 8.350, rested 100 of 100 ms
         9.850  ambiguous-move corrected {"by":"white","ply":1,"moves":["Bxb6","Bxf6"]}
         9.850  confirm-move corrected {"moves":["Bxb6","Bxf6"],"of":"ambiguous-move"}
        13.350    3 Be5      100.0 %  lifted 12.350, placed 12.650, rested 700 of 700 ms
        17.650    4 Nd2      100.0 %  lifted 16.650, placed 16.950, rested 700 of 700 ms
        21.000    4 Nd2      withdrawn with what followed (played)
        21.000    4 Nb2      100.0 %  lifted 16.650, placed 19.750, rested 1250 of 700 ms
        21.250  move-changed-after-release open {"rule":"4.7","ply":4,"by":"black","first":"c4","released":"d2","obligation":["Nd2"],"played":"Nb2"}
        21.250  restore-position open {"fen":"4k3/8/8/4B3/2n5/8/8/4K3 b - - 2 2","ply":3,"of":"move-changed-after-release"}
        21.250  replacement-moves open {"moves":["Nd2"],"of":"move-changed-after-release"}
    "#);
}

/// Whoever watches changes nothing.
#[test]
fn explaining_says_the_same_events() {
    let (events, _) = replayed(&["--events"]);
    let (explained, _) = replayed(&["--events", "--explain"]);
    assert!(events.contains("move-made"));
    assert_eq!(events, explained);
}

#[test]
fn a_capture_may_come_on_the_standard_input() {
    let input = std::fs::File::open(SWAP).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_adoube"))
        .args(["replay", "-", "--explain"])
        .stdin(input)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let piped = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(piped, <[String; 2]>::from(replayed(&["--explain"])));
}
