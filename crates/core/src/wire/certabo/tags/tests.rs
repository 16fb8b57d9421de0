use super::*;

/// The tag of the man who stood on that square when the men were unpacked.
fn tag(man: usize) -> Tag {
    let number = u8::try_from(man).unwrap();
    [number, 1, 2, 3, 77]
}

/// Men on their squares: `(where it stands, which man)`.
fn picture(men: impl IntoIterator<Item = (usize, usize)>) -> Picture {
    let mut picture = BySquare([None; SQUARES]);
    men.into_iter().for_each(|(square, man)| picture[square] = Some(tag(man)));
    picture
}

fn array() -> Picture {
    picture((0..16).chain(48..64).map(|square| (square, square)))
}

fn moved(mut picture: Picture, from: usize, to: usize) -> Picture {
    picture[to] = picture[from].take();
    picture
}

fn show(tags: &mut Tags, picture: &Picture, lines: u32) {
    (0..lines).for_each(|_| tags.take(picture, picture));
}

fn named(tags: &Tags, picture: &Picture, square: usize) -> Option<Content> {
    tags.men(picture).map(|men| men[square])
}

const E1: usize = 4;
const D1: usize = 3;
const E2: usize = 12;
const E4: usize = 28;
const D8: usize = 59;
const E7: usize = 52;
const E5: usize = 36;

#[test]
fn men_have_names_from_the_first_move_on() {
    let mut tags = Tags::default();
    show(&mut tags, &array(), AGREEING - 1);
    assert_eq!(tags.begins(&moved(array(), E2, E4)), None, "not enough lines");
    show(&mut tags, &array(), AGREEING);
    assert_eq!(tags.men(&array()), None, "which side is White's?");
    assert_eq!(tags.begins(&moved(array(), E2, 20 + 16)), None, "no first move");
    let stood = tags.begins(&moved(array(), E2, E4)).expect("a first move");
    assert_eq!(stood[E1], Content::man(Army::new(0), Role::King));
    assert_eq!(named(&tags, &moved(array(), E2, E4), E4), Some(Content::man(Army::new(0), Role::Pawn)));
}

#[test]
fn on_a_turned_board_the_first_to_move_is_white_all_the_same() {
    let mut tags = Tags::default();
    show(&mut tags, &array(), AGREEING);
    let stood = tags.begins(&moved(array(), E7, E5)).expect("a first move");
    assert_eq!(
        (stood[D8], stood[E1]),
        (Content::man(Army::new(0), Role::King), Content::man(Army::new(1), Role::Queen)),
        "kings face kings"
    );
    assert_eq!(named(&tags, &array(), D1), Some(Content::man(Army::new(1), Role::King)));
}

#[test]
fn an_answer_that_is_begun_or_made_does_not_hide_who_moved_first() {
    let mut answering = moved(array(), E2, E4);
    answering[E7] = None;
    let answered = moved(moved(array(), E2, E4), E7, E5);
    let mut lifted = array();
    let mut tags = Tags::default();
    show(&mut tags, &array(), AGREEING);
    let untold = tags.clone();
    assert!(tags.begins(&answering).is_some());
    assert_eq!(tags.turned, Some(false));
    let mut tags = untold.clone();
    assert_eq!(tags.begins(&answered), None, "either could have been first");
    for (first, turned) in [(E2, false), (E7, true)] {
        let mut tags = untold.clone();
        lifted = array();
        lifted[first] = None;
        assert_eq!(tags.begins(&lifted), None);
        assert!(tags.begins(&answered).is_some());
        assert_eq!(tags.turned, Some(turned));
    }
    // A man who was put right, and is back, was no beginning.
    let mut tags = untold;
    tags.begins(&lifted);
    tags.begins(&array());
    lifted = array();
    lifted[E2] = None;
    tags.begins(&lifted);
    assert!(tags.begins(&answered).is_some());
    assert_eq!(tags.turned, Some(false));
}

#[test]
fn spare_queens_tell_which_way_round_the_array_stands() {
    for (spares, turned) in [([19, 43], false), ([20, 44], true)] {
        let mut tags = Tags::default();
        let mut with_spares = array();
        spares.iter().for_each(|&square| with_spares[square] = Some(tag(100 + square)));
        show(&mut tags, &with_spares, AGREEING);
        assert_eq!(
            named(&tags, &array(), E1),
            Some(Content::man(Army::new(u8::from(turned)), if turned { Role::Queen } else { Role::King }))
        );
        let seat = |square: usize| tags.men(&with_spares).unwrap()[square];
        let expected = if turned { [1, 0] } else { [0, 1] };
        assert_eq!(spares.map(seat), expected.map(|army| Content::man(Army::new(army), Role::Queen)));
    }
}

#[test]
fn a_man_who_is_misread_now_and_then_is_learned_and_one_who_always_is_waited_for() {
    let mut tags = Tags::default();
    let (good, mut bad) = (array(), array());
    bad[E2] = Some([9, 9, 9, 9, 9]);
    for line in 0..9 {
        tags.take(if line % 4 == 1 { &bad } else { &good }, &good);
    }
    assert!(tags.homes.contains_key(&tag(E2)));
    let mut tags = Tags::default();
    (0..30_u8).for_each(|line| {
        bad[E2] = Some([line, 9, 9, 9, 9]);
        tags.take(&bad, &good);
    });
    assert!(tags.homes.is_empty());
}

#[test]
fn an_array_that_is_left_begins_again() {
    let mut tags = Tags::default();
    show(&mut tags, &array(), AGREEING - 1);
    show(&mut tags, &moved(array(), E2, E4), 1);
    show(&mut tags, &array(), AGREEING - 1);
    assert!(tags.homes.is_empty());
    show(&mut tags, &array(), 1);
    assert_eq!(tags.homes.len(), 32);
}

fn learned() -> Tags {
    let mut tags = Tags::default();
    show(&mut tags, &array(), AGREEING);
    tags.begins(&moved(array(), E2, E4)).expect("a first move");
    tags
}

#[test]
fn king_and_queen_that_changed_places_are_no_lesson() {
    let mut tags = learned();
    show(&mut tags, &moved(array(), E2, E4), 1);
    let wrong = picture((0..16).chain(48..64).map(|square| {
        (
            square,
            match square {
                D1 => E1,
                E1 => D1,
                other => other,
            },
        )
    }));
    show(&mut tags, &wrong, 20);
    assert_eq!(
        named(&tags, &wrong, D1),
        Some(Content::man(Army::new(0), Role::King)),
        "the king, on the wrong square"
    );
}

#[test]
fn a_man_who_was_exchanged_is_learned_and_a_stranger_is_somebody() {
    let mut tags = learned();
    let mut other = array();
    other[D8] = Some(tag(200));
    assert_eq!(named(&tags, &other, D8), Some(Content::OCCUPIED));
    show(&mut tags, &other, AGREEING);
    assert_eq!(named(&tags, &other, D8), Some(Content::man(Army::new(1), Role::Queen)));
    assert_eq!(
        named(&tags, &array(), D8),
        Some(Content::man(Army::new(1), Role::Queen)),
        "the old one is not forgotten"
    );
}

#[test]
fn another_set_of_men_is_learned_from_nothing() {
    let mut tags = learned();
    let other = picture((0..16).chain(48..64).map(|square| (square, 128 + square)));
    assert_eq!(tags.men(&other), None, "all strangers");
    show(&mut tags, &other, AGREEING);
    assert_eq!(tags.men(&other), None);
    tags.begins(&moved(other, E7, E5)).expect("the board lies the other way round now");
    assert_eq!(named(&tags, &other, D8), Some(Content::man(Army::new(0), Role::King)));
}

#[test]
fn what_is_kept_of_exchanged_men_is_bounded() {
    let mut tags = learned();
    for round in 0..40_u8 {
        let mut other = array();
        (48..56).for_each(|square| other[square] = Some([round, 200, 1, 1, u8::try_from(square).unwrap()]));
        show(&mut tags, &moved(other, E2, E4), 1);
        show(&mut tags, &other, AGREEING);
        assert_eq!(named(&tags, &other, E7), Some(Content::man(Army::new(1), Role::Pawn)));
    }
    assert!(tags.homes.len() <= TAGS_MAX, "{}", tags.homes.len());
}

#[test]
fn two_men_with_one_tag_are_no_board() {
    let mut tags = Tags::default();
    let mut same = array();
    same[0] = same[1];
    show(&mut tags, &same, 20);
    assert!(tags.homes.is_empty());
}

#[test]
fn a_stranger_where_a_pawn_promotes_is_a_queen_and_one_elsewhere_is_nobody() {
    const E8: usize = 60;
    let mut tags = learned();
    let mut play = moved(array(), E2, E7);
    play[E8] = None;
    show(&mut tags, &play, 1);
    let mut promoted = play;
    promoted[E7] = None;
    promoted[E8] = Some(tag(200));
    promoted[E5] = Some(tag(201));
    show(&mut tags, &promoted, 1);
    assert_eq!(named(&tags, &promoted, E8), Some(Content::man(Army::new(0), Role::Queen)));
    assert_eq!(named(&tags, &promoted, E5), Some(Content::OCCUPIED));
    // With the pawn still there, or on the other side of the board, it is nobody.
    for pawn in [E7, E4] {
        let mut tags = learned();
        show(&mut tags, &moved(array(), E2, pawn), 1);
        let mut stranger = moved(array(), E2, pawn);
        stranger[0] = Some(tag(200));
        stranger[E8] = Some(tag(202));
        show(&mut tags, &stranger, 1);
        assert_eq!([0, E8].map(|square| named(&tags, &stranger, square)), [Some(Content::OCCUPIED); 2]);
    }
}
