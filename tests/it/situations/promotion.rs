//! Promotion: which piece, and in which order pawn and piece come and go.

use super::script::{NAMED, UNNAMED, from};

/// A knight on a8 could go to b6 and c7; a queen there could not.
const PROMOTION: &str = "8/P7/8/6k1/8/8/7P/4K3 w - - 0 1";

#[test]
fn promotion_queen_put_at_once() {
    from(PROMOTION, "-a7 +a8=Q . g5h4 a8b7").never_wrong("a7a8q g5h4 a8b7");
}

#[test]
fn promotion_pawn_then_queen() {
    from(PROMOTION, "-a7 +a8=P 1000 -a8 500 +a8=Q . g5h4 a8b7").never_wrong("a7a8q g5h4 a8b7");
}

#[test]
fn underpromotion_to_knight_put_at_once() {
    from(PROMOTION, "-a7 +a8=N . g5h4").on(NAMED).never_wrong("a7a8n g5h4");
    from(PROMOTION, "-a7 +a8=N . g5h4 a8b6").on(UNNAMED).may_correct("a7a8q", "a7a8n g5h4 a8b6");
}

/// The pawn is pushed with the new queen in the other hand, and only then exchanged in one scan.
#[test]
fn promotion_pawn_exchanged_in_one_scan() {
    from(PROMOTION, "-a7 +a8=P 2000 +a8=Q . g5h4 a8b7").never_wrong("a7a8q g5h4 a8b7");
}

/// The pawn is taken off, and the queen is fetched for four seconds.
#[test]
fn promotion_queen_fetched_for_four_seconds() {
    from(PROMOTION, "-a7 4000 +a8=Q . g5h4 a8b7").never_wrong("a7a8q g5h4 a8b7");
}

/// The queen stands before the pawn has gone.
#[test]
fn promotion_queen_first() {
    from(PROMOTION, "+a8=Q 1000 -a7 . g5h4 a8b7").never_wrong("a7a8q g5h4 a8b7");
}

/// A rook is put by mistake and exchanged for the queen before the move is over.
#[test]
fn promotion_to_a_piece_that_is_exchanged_after_two_seconds() {
    from(PROMOTION, "-a7 +a8=R 2000 -a8 500 +a8=Q . g5h4 a8b7")
        .on(NAMED)
        .may_correct("a7a8r", "a7a8q g5h4 a8b7");
}

/// Black's rook on d8 may be taken.
const BY_CAPTURE: &str = "3r4/4P1k1/8/8/8/8/7P/4K3 w - - 0 1";

#[test]
fn promotion_by_a_capture() {
    from(BY_CAPTURE, "-d8 -e7 +d8=Q . g7f7").never_wrong("e7d8q g7f7");
    from(BY_CAPTURE, "-e7 -d8 +d8=Q . g7f7").never_wrong("e7d8q g7f7");
}

#[test]
fn underpromotion_where_the_sensor_names_the_piece() {
    for (letter, promoted) in [('N', 'n'), ('B', 'b'), ('R', 'r')] {
        let hands = format!("-a7 +a8={letter} . g5h4");
        from(PROMOTION, hands).on(NAMED).never_wrong(&format!("a7a8{promoted} g5h4"));
    }
}

#[test]
fn underpromotion_that_only_a_later_move_shows() {
    let told = from(PROMOTION, "-a7 +a8=N . g5h4 a8b6").on(UNNAMED).may_correct("a7a8q", "a7a8n g5h4 a8b6");
    for told in told {
        let withdrawn = told.seen.of_type("move-retracted");
        assert_eq!(withdrawn.len(), 1, "{}", told.label);
        assert_eq!(withdrawn[0]["ply"], 1, "{}", told.label);
        assert_eq!(withdrawn[0]["cause"], "explanation", "{}", told.label);
    }
}

/// What was said of the piece, each time on every form of the board.
#[track_caller]
fn asked(hands: &str, statuses: &[&str]) {
    for told in from(PROMOTION, hands).on(UNNAMED).told() {
        let said = told.seen.of_type("promotion-piece-unknown");
        let said: Vec<&str> = said.iter().map(|event| event["status"].as_str().unwrap()).collect();
        assert_eq!(said, statuses, "{hands}: {}", told.label);
    }
}

#[test]
fn the_piece_is_asked_for_until_a_move_tells_it() {
    // Neither a bishop nor a rook goes both ways.
    asked("-a7 +a8=Q . g5h4 a8b7 h4g4 b7b3", &["open", "corrected"]);
    asked("-a7 +a8=N . g5h4 a8b6", &["open", "corrected"]);
}

#[test]
fn the_piece_stays_open_if_nothing_tells_it() {
    asked("-a7 +a8=Q . g5h4 h2h3", &["open"]);
    // A rook could have gone there as well.
    asked("-a7 +a8=Q . g5h4 a8a4", &["open"]);
}

#[test]
fn the_piece_is_asked_for_once_however_often_it_is_promoted() {
    asked("-a7 +a8=Q 5000 -a8 500 +a7=P 5000 -a7 500 +a8=Q . g5h4 h2h3", &["open"]);
    // Another move instead.
    asked("-a7 +a8=Q 5000 -a8 500 +a7=P 5000 -h2 500 +h3=P . g5h4", &["open", "withdrawn"]);
}
