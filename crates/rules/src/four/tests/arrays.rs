//! Start arrays as boards show them.

use super::*;
use crate::sensor::Side;
use crate::start::{WrongArray, WrongStart};
use crate::{Position as _, Variant as _};

fn wrong(contents: &[Content]) -> Option<WrongStart> {
    FourPlayer::wrong_start(contents, None, true, false)
}

#[test]
fn the_array_tells_seats_and_colours() {
    for rules in FourPosition::layouts(FourRules::default()) {
        let start = FourPosition::start(rules);
        let seen = FourPlayer::recognise_start(start.contents(), true, false);
        assert_eq!(seen.as_ref(), Some(&start));
        assert_eq!(wrong(start.contents()), None);
        // Squares alone tell neither: the usual layout.
        let blind =
            FourPosition::recognise(FourRules::default(), &occupied(start.contents()), false).unwrap();
        assert_eq!(blind.rules(), FourRules::default());
        let agreed = FourPosition::recognise(rules, &occupied(start.contents()), false).unwrap();
        assert_eq!(agreed, start);
    }
    let mut missing = FourPlayer::array().contents().to_vec();
    missing[0] = Content::EMPTY;
    assert_eq!(FourPlayer::recognise_start(&missing, true, false), None);
    assert_eq!(FourPosition::recognise(FourRules::default(), &occupied(&missing), false), None);
    assert_eq!(FourPosition::recognise(FourRules::default(), &missing[..64], true), None);
}

#[test]
fn a_turned_board_shows_another_layout_or_none() {
    // Turned by half the armies change places; whoever turns it back sees Red in the South.
    let start = FourPlayer::array();
    for degrees in [0, 90, 180, 270] {
        let mut sensor = [Content::EMPTY; 160];
        for square in Square::all().take(160) {
            sensor[square] = start.content(FourPlayer::turned(square, degrees));
        }
        let turned: Vec<u32> = [0, 90, 180, 270]
            .into_iter()
            .filter(|&degrees| {
                let mut contents = vec![Content::EMPTY; 160];
                for square in Square::all().take(160) {
                    contents[FourPlayer::turned(square, degrees)] = sensor[square];
                }
                FourPlayer::recognise_start(&contents, true, false).is_some()
            })
            .collect();
        assert_eq!(turned, [degrees]);
    }
}

#[test]
fn what_is_wrong_with_an_array() {
    for rules in FourPosition::layouts(FourRules::default()) {
        let start = FourPosition::start(rules);
        let king = start.king(Army::White).unwrap();
        let queen = start.contents().iter().position(|&man| man == Army::White.man(Role::Queen)).unwrap();
        let mut swapped = start.contents().to_vec();
        swapped.swap(king.index(), queen);
        let wrong_one = wrong(&swapped).unwrap();
        assert_eq!((wrong_one.sub, wrong_one.squares.len()), (WrongArray::KingQueenSwapped, 2));
        let mut knights = start.contents().to_vec();
        knights.swap(1, 2);
        let wrong_two = wrong(&knights).unwrap();
        assert_eq!(
            (wrong_two.sub, wrong_two.squares),
            (WrongArray::KnightBishopSwapped, [1, 2].map(Square::new).to_vec())
        );
        // White's men where Black's belong: another layout fits.
        let mut gone = start.contents().to_vec();
        gone[0] = Content::EMPTY;
        let wrong_three = wrong(&gone).unwrap();
        assert_eq!(
            (wrong_three.sub, wrong_three.missing, wrong_three.extra),
            (WrongArray::Other, vec![Army::Red.man(Role::Rook)], vec![])
        );
    }
    // Against an agreed array the other layout is wrong.
    let dark = FourPosition::start(FourRules { parity: Parity::Dark, ..FourRules::default() });
    let against = FourPlayer::wrong_start(dark.contents(), Some(&FourPlayer::array()), true, false).unwrap();
    assert_eq!((against.sub, against.squares.len()), (WrongArray::KingQueenSwapped, 8));
}

#[test]
fn a_game_starts_from_what_stands() {
    let array = FourPlayer::array();
    let swapped = changed(&array, "a8=wQ a7=wK");
    let start = FourPlayer::start_from(&swapped, None, false);
    assert!(start.fen().ends_with(" r rKQbKQkKQ - 0 1"), "{start:?}");
    let expected = [(Side::Black, Some(square("a4"))), (Side::Black, Some(square("a11")))];
    assert_eq!(start.misplaced(Some(&array)), expected);
    let rook = FourPlayer::start_from(&changed(&array, "k1=rN j1=rR"), Some(&array), false);
    assert!(rook.fen().contains(" r rQwKQbKQkKQ "), "{rook:?}");
    assert_eq!(rook.misplaced(Some(&array)), [(Side::White, Some(square("j1")))]);
    assert!(array.misplaced(None).is_empty());
    let banned = |rook| array.without_castling(Side::White, rook).fen();
    assert!(banned(Some(square("k1"))).contains(" rQwKQbKQkKQ "));
    assert!(banned(Some(square("k14"))).contains(" rKQwKQbKkKQ "));
    assert!(banned(None).contains(" wKQkKQ "));
}

#[test]
fn rounds_count_the_moves_of_teams() {
    let start = FourPlayer::array();
    assert_eq!(start.moves_before(), [0, 0]);
    let mut position = start;
    for (ply, mv) in ["h2h4", "b7d7", "g13g11", "m8k8", "g2g3"].into_iter().enumerate() {
        assert_eq!(position.round(), 1 + u32::try_from(ply).unwrap() / 4);
        position = play(&position, mv);
        let [red, white] = position.moves_before();
        assert_eq!((red as usize, white as usize), (1 + ply / 2, ply.div_ceil(2)));
    }
}
