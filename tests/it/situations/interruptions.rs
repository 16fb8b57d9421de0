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
    let recovered: Vec<bool> = seen.games[0].moves.iter().map(|mv| mv.recovered).collect();
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
