//! Streams of other hands and boards that were read wrong once.

use crate::data;
use crate::seen::replay;
use crate::sick::named;

const SPANISH: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O";

/// The moves of such a stream, and the squares that are said not to be trusted; `None` without the test data.
fn read(stream: &str) -> Option<(String, Vec<String>, usize)> {
    let (header, lines) = data::capture(&format!("found/{stream}.jsonl"))?;
    let seen = replay(&header, &lines);
    let moves = seen.games[0].moves.all();
    let sans: Vec<&str> = moves.iter().map(|mv| mv.san.as_str()).collect();
    Some((sans.join(" "), named(&seen), seen.of_type("record-gap").len()))
}

#[test]
fn squares_that_lie_are_found_out() {
    let streams = [
        ("ghost-knight-on-h5", SPANISH, Some("h5")),
        ("dead-square-f3-occupancy", SPANISH, None),
        ("dead-square-e2-from-the-start", SPANISH, Some("e2")),
        ("knight-unread-for-three-plies", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6", None),
        ("knight-between-two-squares", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6", None),
    ];
    for (stream, moves, sick) in streams {
        let Some((read, named, gaps)) = read(stream) else { return };
        assert_eq!(read, moves, "{stream}");
        assert!(gaps == 0 || stream.starts_with("knight"), "{stream}");
        if let Some(square) = sick {
            assert!(named.iter().any(|named| named == square), "{stream}: {named:?}");
        }
    }
}

/// Pieces go there and back, and the same position stands again.
#[test]
fn a_position_that_comes_again_takes_nothing_back() {
    let streams = [
        (
            "pressed-plies-withdrawn-by-repetition",
            "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3 e5 Nb3 Be6 f3 h5 Qd2 Nbd7 Nd5 Bxd5 exd5 g6 Be2 Ng8 Bc5 Ngf6 \
             Be3 b6 Bb5 Rh7 Be2 Rh8 c3 Bg7 Bf4 Bf8 Be3 b5",
        ),
        (
            "taken-back-at-the-end",
            "e4 c5 Nf3 g6 d4 Bg7 Nc3 cxd4 Nxd4 Nc6 Be3 Nf6 f3 O-O Qd2 d5 Nxc6 bxc6 O-O-O Qc7 exd5 Nxd5 Nxd5 cxd5 \
             Bh6 Bxh6 Qxh6 Rb8 h4 Qe5 c3 Bf5 Qd2 Rfc8 g4 Rxc3+ Qxc3 Rc8 gxf5 Rxc3+ bxc3 Qxc3+ Kb1 Qxf3 Bd3 gxf5 \
             Rhf1 Qh5 Bxf5 e6 Bc2 Qxh4 Rh1 Qb4+ Ka1 a5 Rxh7 Qc3+ Kb1 a4 Rg1+ Kf8 Bxa4 Qb4+ Bb3 Qe4+ Bc2 Qb4+ Bb3 \
             Qe4+",
        ),
    ];
    for (stream, moves) in streams {
        let Some((read, ..)) = read(stream) else { return };
        assert_eq!(read, moves, "{stream}");
    }
}

/// Black answers before White's king has come over the rook, which White presses with the king in the hand.
#[test]
fn a_king_that_comes_late_castles_all_the_same() {
    let Some((header, lines)) = data::capture("found/rook-first-reply-before-the-king.jsonl") else { return };
    let seen = replay(&header, &lines);
    let moves = seen.games[0].moves.all();
    let sans: Vec<&str> = moves.iter().map(|mv| mv.san.as_str()).collect();
    assert_eq!(sans.join(" "), "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 d3 d6");
    assert!(!seen.of_type("castling-rook-first").is_empty());
    assert!(seen.of_type("illegal-move-completed").is_empty());
}

/// King and rook changed places (Chess960): where squares only are felt, nothing but the lifts tells.
#[test]
fn castling_that_leaves_the_picture_as_it_was_is_a_move() {
    let Some((read, ..)) = read("chess960-castling-by-transposition") else { return };
    assert!(read.starts_with("O-O O-O h4 Ne6 d4 Nxd4 c4 Nbc6 Qb4 Nxe2+ Kh2 "), "{read}");
    assert!(read.ends_with(" Kh1 Nxc5 Kg2 Bb1 Kh3 Nb3"), "{read}");
}
