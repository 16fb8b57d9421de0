//! What happens while nobody looks.

use super::script::game;
use crate::board::{Board, Sensor};

#[test]
fn three_plies_while_the_link_was_lost_are_supplied() {
    let mut board = Board::new(Sensor::Identity);
    board.play_all("e2e4 e7e5");
    board.unseen(|board| {
        board.play_all("g1f3 b8c6 f1b5");
    });
    board.wait(5_000).play_all("a7a6 b5a4");
    let seen = board.seen();
    assert_eq!(seen.of_type("board-lost").len(), 1);
    let gaps = seen.of_type("record-gap");
    assert_eq!(gaps.len(), 1);
    assert_eq!(gaps[0]["since_ply"].as_u64(), Some(2));
    assert_eq!(gaps[0]["recovered"].as_array().map(Vec::len), Some(3));
    let moves = seen.moves(0);
    assert_eq!(moves.len(), 7);
    let mut unseen = moves[2..5].to_vec();
    unseen.sort_unstable();
    assert_eq!(unseen, ["b8c6", "f1b5", "g1f3"], "in one of the two orders that are possible");
    assert_eq!(moves[5..], ["a7a6", "b5a4"]);
    let recovered: Vec<bool> = seen.games[0].moves.all().iter().map(|mv| mv.recovered).collect();
    assert_eq!(recovered, [false, false, true, true, true, false, false]);
}

#[test]
fn a_link_lost_while_nothing_happened_leaves_no_gap() {
    for told in game("e2e4 e7e5 lost 60000 back 2000 g1f3").never_wrong("e2e4 e7e5 g1f3") {
        assert_eq!(told.seen.of_type("record-gap").len(), 0, "{}", told.label);
    }
}

#[test]
fn a_link_lost_with_a_piece_in_hand() {
    game("e2e4 e7e5 -g1 lost 4000 +f3=N 4000 back 3000 . b8c6").never_wrong("e2e4 e7e5 g1f3 b8c6");
}

/// The order in which a captured piece and the one that takes it are lifted is no four plies after which both are gone.
#[test]
fn a_capture_that_was_begun_while_the_link_was_lost() {
    for in_hand_ms in [300, 2_000] {
        game(format!("d2d4 g7g6 c1h6 f8g7 d1d2 lost -g7 back 300 -h6 {in_hand_ms} +h6=b . d2h6 g8h6"))
            .never_wrong("d2d4 g7g6 c1h6 f8g7 d1d2 g7h6 d2h6 g8h6")
            .iter()
            .for_each(|told| assert_eq!(told.seen.of_type("record-gap").len(), 0, "{}", told.label));
    }
}

/// Whoever holds a piece when the board is looked at again holds it: it was not captured on a longer way.
#[test]
fn a_ply_made_while_the_link_was_lost_and_the_next_one_begun() {
    for in_hand_ms in [300, 1_000, 2_000, 6_000] {
        game(format!("d2d4 e7e6 lost c1g5 -d8 back {in_hand_ms} -g5 +g5=q . g1f3 g5d8"))
            .never_wrong("d2d4 e7e6 c1g5 d8g5 g1f3 g5d8");
    }
}

/// Two pieces are gone from where they stood, and neither could have taken the other: they took on the third square.
#[test]
fn an_exchange_behind_other_plies_is_no_hand_at_work() {
    game("e2e4 lost d7d5 e4d5 d8d5 back 400 b1c3 d5a5").never_wrong("e2e4 d7d5 e4d5 d8d5 b1c3 d5a5");
}
