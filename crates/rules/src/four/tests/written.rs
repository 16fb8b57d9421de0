//! Moves as text, and what stood.

use super::*;
use crate::{Played, Position as _, Variant as _};

#[test]
fn moves_are_written_and_read() {
    let promoting = position("S Kh1 Pb8, W Ka4 Ra9, N Kg14, E Kn7", false, FourRules::default());
    let mut all = Vec::new();
    promoting.legal_moves(&mut all);
    for mv in all {
        let played = promoting.played(mv);
        for text in [played.san(), played.uci(), played.san().replace(['-', 'x', '='], "")] {
            assert_eq!(read_move(&promoting, &text), Ok(mv), "{text}");
        }
    }
    let said = |text: &str| read_move(&promoting, text).unwrap_err().to_string();
    assert_eq!(said("b8xa9"), "\"b8xa9\" is no legal move of red here");
    assert_eq!(said("O-O"), "\"O-O\" is no legal move of red here");
    assert_eq!(said("b8-b15"), "\"b8-b15\": the board has no square b15");
    for text in ["", "b8", "8b", "b8-", "b8-b9=Z", "b8-b9=QQ", "Kb8-b9", "b8-b9+", "é", "b8é"] {
        assert_eq!(said(text), format!("\"{text}\" is no move: write h2-h4, b8xa9=Q, O-O or O-O-O"));
    }
}

#[test]
fn what_stood_is_written_like_a_move() {
    let bare = position("S Kh1 Rd1 Rk1 Ph2, W Ka8 Pg4, N Kg14, E Kn7", true, FourRules::default());
    for (changes, san, uci) in [
        ("h2= h5=rP", "h2-h5", "h2h5"),
        ("h1= d1= f1=rK g1=rR", "O-O-O", "h1f1"),
        ("h2= g4=rP", "h2xg4", "h2g4"),
        ("h2= h3=rQ", "h2-h3=Q", "h2h3q"),
        ("g14= g13=bK", "g14-g13", "g14g13"),
        ("h2= d1=", "d1,h2", "0000"),
        ("", "--", "0000"),
    ] {
        let after = bare.stood(&changed(&bare, changes));
        assert_eq!(after.seat(), Seat::West);
        let played = bare.played_stood(&after);
        assert_eq!((played.san(), played.uci(), played.is_legal()), (san.to_owned(), uci.to_owned(), false));
        assert_eq!((played.fen(), played.fen_before()), (after.fen(), bare.fen()));
    }
    let passing = play(&bare, "h2-h4");
    let taken = passing.stood(&changed(&passing, "h4= g4= h3=wP"));
    assert_eq!(passing.played_stood(&taken).san(), "g4xh3");
}

#[test]
fn what_stands_keeps_its_rights_and_its_count() {
    let bare = position("S Kh1 Rd1 Rk1 Ph2, W Ka8 Pg4, N Kg14, E Kn7", true, FourRules::default());
    let moved = bare.stood(&changed(&bare, "d1= d4=rR"));
    assert!(moved.fen().ends_with(" w rK - 1 1"), "{moved:?}");
    let pawn = bare.stood(&changed(&bare, "h2= h6=rP"));
    assert!(pawn.fen().ends_with(" w rKQ - 0 1"), "{pawn:?}");
    // A sensor without names keeps the men where it shows something.
    let unnamed = bare.stood(&occupied(&changed(&bare, "d1=")));
    assert_eq!(unnamed.contents(), changed(&bare, "d1="));
}

#[test]
fn the_shown_texts_are_those_of_the_position() {
    let start = FourPlayer::array();
    let mv = read_move(&start, "h2h4").unwrap();
    let played = start.played(mv);
    assert!(matches!(played, Played::Four { .. }) && played.is_legal());
    assert_eq!(
        (played.san(), played.bare_san(), played.uci()),
        ("h2-h4".into(), "h2-h4".into(), "h2h4".into())
    );
    assert_eq!(played.fen(), start.play(mv).fen());
    assert!(played.fen().ends_with(" w rKQwKQbKQkKQ h3 0 1"), "{}", played.fen());
    assert_eq!(start.shown().fen(), start.fen());
}
