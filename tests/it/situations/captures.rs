//! Quiet moves and captures, in whatever order the men are lifted.

use super::script::{NAMED, UNNAMED, from, game};

#[test]
fn quiet_move() {
    game("-e2 +e4=P . e7e5").never_wrong("e2e4 e7e5");
}

#[test]
fn capture_captured_piece_first() {
    game("e2e4 d7d5 -d5 -e4 +d5=P . d8d5").never_wrong("e2e4 d7d5 e4d5 d8d5");
}

#[test]
fn capture_own_piece_first() {
    game("e2e4 d7d5 -e4 -d5 +d5=P . d8d5").never_wrong("e2e4 d7d5 e4d5 d8d5");
}

#[test]
fn capture_swap_inside_one_scan() {
    // On an unnamed board a man vanishes; that he can only have captured says the rest.
    game("e2e4 d7d5 -e4 +d5=P . d8d5").never_wrong("e2e4 d7d5 e4d5 d8d5");
    game("e2e4 d7d5 -e4&+d5=P . d8d5").never_wrong("e2e4 d7d5 e4d5 d8d5");
}

/// The bishop on d4 may take on b6 and on f6.
const TWO_VICTIMS: &str = "4k3/8/1n3n2/8/3B4/8/8/4K3 w - - 0 1";

#[test]
fn two_victims_captured_first() {
    from(TWO_VICTIMS, "-f6 -d4 +f6=B . b6c4").never_wrong("d4f6 b6c4");
    from(TWO_VICTIMS, "-b6 -d4 +b6=B . f6e4").never_wrong("d4b6 f6e4");
}

#[test]
fn two_victims_swap_inside_one_scan() {
    from(TWO_VICTIMS, "-d4 +f6=B . b6c4 f6e5").on(NAMED).never_wrong("d4f6 b6c4 f6e5");
    from(TWO_VICTIMS, "-d4 +b6=B . f6e4 b6e3").on(NAMED).never_wrong("d4b6 f6e4 b6e3");
}

#[test]
fn two_victims_swap_that_only_a_later_move_decides() {
    from(TWO_VICTIMS, "-d4 +f6=B . b6c4 f6e5").on(UNNAMED).may_correct("d4b6", "d4f6 b6c4 f6e5");
    from(TWO_VICTIMS, "-d4 +b6=B . f6e4 b6e3").on(UNNAMED).may_correct("d4f6", "d4b6 f6e4 b6e3");
}

#[test]
fn two_victims_swap_that_nothing_decides_is_said_to_be_open() {
    for told in from(TWO_VICTIMS, "-d4 +f6=B . e8d7 e1e2").on(UNNAMED).told() {
        let moves = told.seen.moves(0);
        assert_eq!(moves.len(), 3, "{}: {moves:?}", told.label);
        assert!(["d4f6", "d4b6"].contains(&moves[0].as_str()), "{}: {moves:?}", told.label);
        let said = told.seen.of_type("ambiguous-move");
        let last = said.last().unwrap_or_else(|| panic!("{}: nobody said that it is open", told.label));
        assert_eq!((&last["status"], &last["ply"]), (&"open".into(), &1.into()), "{}", told.label);
        assert_eq!(last["moves"], serde_json::json!(["Bxb6", "Bxf6"]), "{}", told.label);
        let opened = said.iter().filter(|event| event["status"] == "open").count();
        assert_eq!(opened, 1, "{}: said once", told.label);
    }
}

/// It is in doubt until the next move, and nobody is blamed for the one that was announced first.
#[test]
fn two_victims_swap_is_in_doubt_until_a_later_move_decides() {
    for (hands, played) in [
        ("-d4 +f6=B . b6c4 f6e5", ["d4f6", "b6c4", "f6e5"]),
        ("-d4 +b6=B . f6e4 b6e3", ["d4b6", "f6e4", "b6e3"]),
    ] {
        for told in from(TWO_VICTIMS, hands).on(UNNAMED).told() {
            assert_eq!(told.seen.moves(0), played, "{}", told.label);
            let said = told.seen.of_type("ambiguous-move");
            assert_eq!(said.first().map(|event| &event["status"]), Some(&"open".into()), "{}", told.label);
            let last = &said.last().unwrap()["status"];
            assert!(["corrected", "withdrawn"].iter().any(|status| last == status), "{}: {last}", told.label);
            assert!(told.seen.of_type("move-changed-after-release").is_empty(), "{}", told.label);
        }
    }
}

const EN_PASSANT: &str = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1";

#[test]
fn en_passant_own_first() {
    from(EN_PASSANT, "d7d5 -e5 +d6=P -d5 . e8f7").never_wrong("d7d5 e5d6 e8f7");
}

#[test]
fn en_passant_captured_first() {
    from(EN_PASSANT, "d7d5 -d5 -e5 +d6=P . e8f7").never_wrong("d7d5 e5d6 e8f7");
}

/// The captured pawn stays for a while after the capturer has been set down.
#[test]
fn en_passant_with_the_captured_pawn_forgotten_for_a_second() {
    from(EN_PASSANT, "d7d5 -e5 +d6=P 1000 -d5 . e8f7").never_wrong("d7d5 e5d6 e8f7");
}

/// The victim is adjusted on its square before it is taken.
#[test]
fn captured_piece_lifted_put_back_and_then_taken() {
    game("e2e4 d7d5 -d5 500 +d5=p 400 -e4 -d5 +d5=P . d8d5").never_wrong("e2e4 d7d5 e4d5 d8d5");
}

/// The hand holds both men for two seconds before the capturer is set down.
#[test]
fn capture_with_both_in_hand_for_two_seconds() {
    from(TWO_VICTIMS, "-d4 200 -f6 2000 +f6=B . b6c4").never_wrong("d4f6 b6c4");
    from(TWO_VICTIMS, "-f6 200 -d4 2000 +f6=B . b6c4").never_wrong("d4f6 b6c4");
}

/// An exchange on one square, a second from capture to capture.
#[test]
fn exchanges_on_one_square_in_quick_succession() {
    game("e2e4 d7d5 -d5 100 -e4 150 +d5=P . 700 -d5 100 -d8 150 +d5=q . 700 b1c3 d5e5")
        .never_wrong("e2e4 d7d5 e4d5 d8d5 b1c3 d5e5");
}

#[test]
fn en_passant_in_all_orders() {
    for order in ["-e5 +d6=P -d5", "-e5 -d5 +d6=P", "-d5 -e5 +d6=P", "+d6=P -e5 -d5", "+d6=P -d5 -e5"] {
        from(EN_PASSANT, format!("d7d5 {order} . e8f7")).never_wrong("d7d5 e5d6 e8f7");
    }
}

#[test]
fn the_captured_piece_pushed_to_a_neighbour_and_taken_away() {
    for neighbour in ["d4", "c5", "e5", "c6", "d6"] {
        let hands = format!("e2e4 d7d5 -e4 +d5=P&+{neighbour}=p 500 -{neighbour} . b8c6");
        game(hands).on(NAMED).never_wrong("e2e4 d7d5 e4d5 b8c6");
    }
}

/// Rooks on the c-file, both sides doubled against c6.
const ROOKS: &str = "2r2k2/1p2b1p1/p1r1bp1p/8/3B4/3B1N2/PP3PPP/2R3K1 w - - 0 1";

/// For a moment the board shows White's rook on c5, as if he had gone there instead of taking.
#[test]
fn the_captured_piece_pushed_aside_before_the_capturer_is_gone() {
    from(ROOKS, "c1c6 +c6=r&+c5=R 100 -c8 200 -c5 . g1f1 c6c8").on(NAMED).never_wrong("c1c6 c8c6 g1f1 c6c8");
}

/// The reply comes while the first capturer is still being set down: c6 holds a black rook before and
/// after, and two men are missing.
#[test]
fn two_captures_on_one_square_while_nobody_let_go() {
    from(ROOKS, "-c6 -c1 200 -c8 200 +c6=r 100 . 100 . g1f1 c6c8")
        .on(NAMED)
        .never_wrong("c1c6 c8c6 g1f1 c6c8");
}

#[test]
fn a_piece_seen_on_its_new_square_before_it_has_left_the_old_one() {
    game("+e4=P 50 -e2 . e7e5 +f3=N 50 -g1 . b8c6").never_wrong("e2e4 e7e5 g1f3 b8c6");
    game("e2e4 d7d5 +d5=P 50 -e4 . d8d5").on(NAMED).never_wrong("e2e4 d7d5 e4d5 d8d5");
}

#[test]
fn several_pieces_lifted_in_any_order_and_put_back_first() {
    game("-g1 500 -f1 500 -e2 500 +f1=B 500 +g1=N 500 +e4=P . e7e5").never_wrong("e2e4 e7e5");
}
