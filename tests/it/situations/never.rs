//! Four things that never happen: an illegal move told as a legal one, a legal game that cannot go on,
//! a result left standing as a move (see `centre`), a quiet correct board that stays out of step.

use super::script::{from, game, illegal_announcements};

use crate::slots::computing;

/// An illegal move that nobody objects to: it is told as what it is, and the game goes on from it.
#[test]
fn an_illegal_move_is_never_told_as_a_legal_one() {
    let _slot = computing();
    for hands in [
        "e2e4 e7e5 -g1 +g3=N . b8c6 f1b5",
        "e2e4 e7e5 -a1 +a4=R . b8c6 f1b5",
        "e2e4 e7e5 -e4 +e2=P . b8c6 f1b5",
        "e2e4 f7f6 d1h5 -a7 +a6=p . h5e8",
        "e2e4 e7e5 -d1&-e1 +d1=K +e1=Q . b8c6 f1b5",
        "e2e4 e7e5 -d8 +d4=q . g1f3",
    ] {
        for told in game(hands).told() {
            assert_eq!(illegal_announcements(&told.seen), Vec::<String>::new(), "{hands}, {}", told.label);
        }
    }
}

/// A game that the Laws let go on is followed, whatever may be claimed.
#[test]
fn a_legal_game_goes_on_past_whatever_may_be_claimed() {
    // A hundred half-moves, then a hundred and fifty, without a capture or a pawn's move.
    const ENDGAME: &str = "7k/8/8/8/8/8/4P3/R6K w - - 96 90";
    let line = "h1g1 h8g8 g1h1 g8h8 a1a2 h8g8 a2a3 g8h8 a3b3 h8g8 e2e4";
    from(ENDGAME, line).never_wrong(line);
}

/// Twenty men are swept off and put back, in whatever order.
#[test]
fn a_quiet_correct_board_after_everything_was_swept_off_is_in_step_again() {
    let _slot = computing();
    let swept = "e2e4 e7e5 g1f3 b8c6 =4k3/8/8/8/8/8/8/4K3 3000 =r3kb1r/pp1p1ppp/2n5/4p3/8/5N2/PPPP3P/4KB1R 3000 \
        =r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R 3000 f1b5 a7a6";
    game(swept).never_wrong("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
}

/// Variations are shown on the board and the position is put back.
#[test]
fn a_quiet_correct_board_after_wrong_men_were_set_down_is_in_step_again() {
    let shown = "e2e4 e7e5 -d2 +d5=P 1000 -a7 +b5=p 1500 -d5 +d2=P 800 -b5 +a7=p 2500 g1f3 b8c6";
    game(shown).never_wrong("e2e4 e7e5 g1f3 b8c6");
}

/// The king is dropped among other men.
#[test]
fn a_quiet_correct_board_after_a_king_fell_is_in_step_again() {
    let fallen = "e2e4 e7e5 -e1&+e3=K 200 -d1&-d2 600 -e3 +e1=K 400 +d2=P 300 +d1=Q 2000 g1f3 b8c6";
    game(fallen).never_wrong("e2e4 e7e5 g1f3 b8c6");
}

/// The link goes down in the middle of a move and comes back when the next position stands.
#[test]
fn a_quiet_correct_board_after_the_link_was_lost_in_a_move_is_in_step_again() {
    game("e2e4 e7e5 -g1 lost 200 +f3=N . b8c6 f1b5 back 3000 a7a6 b5a4").told().iter().for_each(|told| {
        let moves = told.seen.moves(0);
        assert_eq!(moves.len(), 7, "{}: {moves:?}", told.label);
        assert_eq!(moves[5..], ["a7a6", "b5a4"], "{}: {moves:?}", told.label);
    });
}

/// Each holds his man for two seconds, and their hands overlap: nothing is displaced.
#[test]
fn a_quiet_correct_board_after_slow_hands_overlapped_is_in_step_again() {
    game("-e2 2000 -e7 2000 +e4=P 2000 +e5=p 100 . 100 . g1f3").never_wrong("e2e4 e7e5 g1f3");
    game("-e2 2000 -e7 2000 +e5=p 2000 +e4=P 100 . 100 . g1f3").never_wrong("e2e4 e7e5 g1f3");
    game("e2e4 e7e5 -g1 2000 -b8 2000 +f3=N 2000 +c6=n 100 . 100 . f1b5")
        .never_wrong("e2e4 e7e5 g1f3 b8c6 f1b5");
}

/// Both castle, and the second king is lifted before the first rook stands.
#[test]
fn a_quiet_correct_board_after_castlings_that_overlapped_is_in_step_again() {
    const CASTLING: &str = "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1";
    let hands = "-e1 50 +g1=K 50 -h1 50 -e8 50 +f1=R 50 +c8=k 50 . -a8 50 +d8=r . a2a3";
    from(CASTLING, hands).never_wrong("e1g1 e8c8 a2a3");
}

/// An exchange on one square, quicker than a slow board looks at it.
#[test]
fn a_quiet_correct_board_after_an_exchange_that_was_not_seen_is_in_step_again() {
    game("e2e4 d7d5 e4d5 50 d8d5 50 b1c3 g8f6").never_wrong("e2e4 d7d5 e4d5 d8d5 b1c3 g8f6");
}

/// Four plies that take a third of a second each, and then everybody thinks.
#[test]
fn a_quiet_correct_board_after_hands_quicker_than_the_board_is_in_step_again() {
    let hands = "e2e4 50 e7e5 50 g1f3 50 b8c6 3000 f1b5";
    game(hands).never_wrong("e2e4 e7e5 g1f3 b8c6 f1b5");
}
