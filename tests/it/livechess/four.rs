//! Boards of four players: programs that know LiveChess do not see them, and the desk is told why.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_of_160_squares_is_not_in_the_list() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    site.add_section(
        "[[board]]\nid = \"cross\"\nport = \"tcp://127.0.0.1:2\"\nprotocol = \"open\"\nvariant = \"four-player\"",
    );
    let address = set_up(&site, "");
    let _daemon = site.start();
    answers(address).await;
    assert_eq!(eboards(address).await.as_array().unwrap().len(), 1, "the board of chess alone");
    let mut program = Program::connect(address).await;
    let listed = program.call("eboards", json!(0), Value::Null).await;
    assert_eq!(listed["param"].as_array().unwrap().len(), 1, "{listed}");
    let status = status(&site).await;
    assert_eq!((&status["state"], &status["games"][0]["game"]), (&json!("ok"), &json!("cross")), "{status}");
    let error = status["games"][0]["error"].as_str().unwrap();
    assert!(error.starts_with("four-player chess: LiveChess has boards of 64 squares only"), "{error}");
    assert_eq!(status["games"].as_array().unwrap().len(), 1);
}
