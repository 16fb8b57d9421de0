//! Pictures that no legal move explains.

use super::*;
use crate::Position as _;
use crate::departure::{Departure, Kind};

const MEN: &str = "S Kh1 Rd1 Rk1 Ph2 Pf13 Pb8 Pf14 Pe5 Pj6 Bi4, W Ka8 Ra11 Pg4 Na9 Nc10, N Kg14 Rd5 Pj13 Qe9, E Kn7 Rn11 Pm8";

fn crowd() -> FourPosition {
    let mut position = position(MEN, true, FourRules::default());
    position.drop_dead_rights();
    position
}

fn named(position: &FourPosition, changes: &str) -> Departure<FourMove> {
    position.departure(&changed(position, changes), true)
}

fn unnamed(position: &FourPosition, changes: &str) -> Departure<FourMove> {
    position.departure(&occupied(&changed(position, changes)), false)
}

fn kinds(departure: Departure<FourMove>) -> Vec<Kind> {
    match departure {
        Departure::Illegal { kinds, .. } => kinds,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_and_men_in_the_hand() {
    let position = crowd();
    assert_eq!(named(&position, ""), Departure::None);
    assert_eq!(unnamed(&position, "h2="), Departure::Lifted { squares: vec![square("h2")] });
}

#[test]
fn moves_of_one_man_that_are_not_legal() {
    let position = crowd();
    for (changes, expected) in [
        ("d1= e2=rR", vec![Kind::Movement]),
        ("d1= d6=rR", vec![Kind::PathBlocked]),
        ("i4= g4=rB", vec![Kind::Movement]),
        ("h2= h5=rP", vec![Kind::Movement]),
        ("e5= d6=rP", vec![Kind::Movement]),
        ("i4= j6=rB", vec![Kind::Movement, Kind::OwnPieceCaptured]),
        ("e5= d5=rP", vec![Kind::Movement, Kind::PartnerCaptured]),
        ("d1= d5=rR", vec![Kind::PartnerCaptured]),
        ("f14= e13=rP", vec![Kind::DeadPawnMoved]),
        ("d5= e6=bR", vec![Kind::PartnerPieceMoved]),
        ("h1= a8=rK", vec![Kind::Movement, Kind::KingCaptured]),
    ] {
        assert_eq!(kinds(named(&position, changes)), expected, "{changes}");
    }
    // Where the sensor tells no men apart the squares say the same of a man who went elsewhere.
    assert_eq!(kinds(unnamed(&position, "h2= h5=rP")), [Kind::Movement]);
    assert_eq!(kinds(unnamed(&position, "d5= e6=bR")), [Kind::PartnerPieceMoved]);
    assert_eq!(kinds(unnamed(&position, "f14= e13=rP")), [Kind::DeadPawnMoved]);
}

#[test]
fn the_own_king_and_the_partners() {
    let men = "S Kh1 Rh3, W Ka7 Rh9, N Kd14 Rd10, E Kn8 Rd5";
    let at = |rules| position(men, false, rules);
    let free = at(FourRules::default());
    assert_eq!(kinds(named(&free, "h3= g3=rR")), [Kind::SelfCheck]);
    let blue = free.with_army(Army::Blue.number());
    assert_eq!(kinds(named(&blue, "d10= c10=bR")), [Kind::SelfCheck]);
    // Red's rook takes nothing off the line, and Blue's is not his.
    let men = "S Kh1 Rd10, W Ka7, N Kd14, E Kn8 Rd5";
    let protected = position(men, false, FourRules { protect_partner: true, ..FourRules::default() });
    assert_eq!(kinds(named(&protected, "d10= c10=rR")), [Kind::SelfCheck]);
    let rules = FourRules::default();
    assert!(moves(&position(men, false, rules)).contains(&"d10-c10".to_owned()));
}

#[test]
fn promotions_half_and_wrong() {
    let position = crowd();
    let (from, target) = (square("b8"), square("a9"));
    let half = Departure::PromotionHalf { from, square: target };
    assert_eq!(named(&position, "b8= a9=rP"), half);
    assert_eq!(named(&position, "a9=rQ"), half);
    assert_eq!(kinds(named(&position, "b8= a9=rK")), [Kind::PromotionPiece]);
    assert_eq!(kinds(named(&position, "b8= a9=wQ")), [Kind::PromotionPiece]);
    // The partner's end and the side of an arm.
    let end = play(&crowd().with_army(Army::Red.number()), "h2-h3");
    assert_eq!(kinds(named(&end, "f14=rQ")), [Kind::PromotionOnPartnerEnd]);
    let free = super::position("S Kh1 Pf13 Pb10, W Ka5, N Kj14, E Kn7", false, FourRules::default());
    assert_eq!(kinds(named(&free, "f13= f14=rQ")), [Kind::PromotionOnPartnerEnd]);
    assert_eq!(kinds(named(&free, "b10= b11=rQ")), [Kind::PromotionOnSideSquare]);
    let side = super::position("S Kh1 Pb11, W Ka5, N Kj14, E Kn7", false, FourRules::default());
    assert_eq!(kinds(named(&side, "b11=rN")), [Kind::PromotionOnSideSquare]);
}

#[test]
fn castling_half_done_and_not_allowed() {
    let position = crowd();
    let half = Departure::CastlingHalf { from: square("h1"), to: square("j1") };
    assert_eq!(named(&position, "h1= j1=rK"), half);
    assert_eq!(unnamed(&position, "h1= j1=rK"), half);
    let banned = position.without_castling(crate::sensor::Side::White, None);
    assert_eq!(kinds(named(&banned, "h1= j1=rK")), [Kind::CastlingRightLost]);
    assert_eq!(kinds(named(&banned, "h1= j1=rK k1= i1=rR")), [Kind::CastlingRightLost]);
    let blocked = super::position("S Kh1 Rk1, W Ka7, N Ki14 Nj1, E Kn8", true, FourRules::default());
    let both = [Kind::CastlingBlocked];
    assert_eq!(kinds(named(&blocked, "h1= i1=rR k1= j1=rK")), both);
    let through = super::position("S Kh1 Rk1, W Ka7 Ri9, N Kk14, E Kn8", true, FourRules::default());
    assert_eq!(kinds(named(&through, "h1= j1=rK")), [Kind::CastlingThroughCheck]);
}

#[test]
fn en_passant_late_and_not_removed() {
    let start = position("S Kd1 Ph2, W Ka7 Pg4, N Kk14, E Kn8 Pi2", false, FourRules::default());
    let first = play(&start, "h2-h4");
    assert_eq!(kinds(named(&first, "g4= h3=wP")), [Kind::EnPassantNotRemoved]);
    let late = play(&first, "a7-a8 k14-j14 n8-n9 d1-e1");
    assert_eq!(kinds(named(&late, "g4= h3=wP h4=")), [Kind::EnPassantLate]);
    assert_eq!(kinds(unnamed(&late, "g4= h3=wP h4=")), [Kind::EnPassantLate]);
    // In time, but it opens the fourth rank to Blue's rook.
    let pinned = position("S Kd1 Ph2, W Ka4 Pg4, N Kk14 Rn4, E Kn8", false, FourRules::default());
    assert_eq!(kinds(named(&play(&pinned, "h2-h4"), "g4= h3=wP h4=")), [Kind::SelfCheck]);
}

#[test]
fn other_players_out_of_turn() {
    let position = crowd();
    for (changes, army) in
        [("a8= b7=wK", Army::White), ("g14= g13=bK", Army::Blue), ("m8= k8=kP", Army::Black)]
    {
        for departure in [named(&position, changes), unnamed(&position, changes)] {
            let Departure::OutOfTurn(mv) = departure else { panic!("{changes}: {departure:?}") };
            assert_eq!(Army::of(position.content(mv.from)), Some(army), "{changes}");
            // It is played from the position with him to move.
            let after = position.with_army(army.number()).play(mv);
            assert_eq!(after.contents(), changed(&position, changes));
        }
    }
}

#[test]
fn several_men_and_displaced_ones() {
    let position = crowd();
    let several = named(&position, "h2= h3=rP e5= e6=rP");
    assert!(matches!(several, Departure::Several { ref squares } if squares.len() == 4), "{several:?}");
    let displaced = named(&position, "a11= a9=");
    assert!(matches!(displaced, Departure::Lifted { .. }), "{displaced:?}");
    let displaced = named(&position, "n11= g7=kR a11= g6=wR");
    let Departure::Displaced { squares, missing, extra } = displaced else { panic!("{displaced:?}") };
    assert_eq!((squares.len(), missing, extra), (4, vec![], vec![]));
    let displaced = named(&position, "n11= g7=kQ");
    let Departure::Displaced { missing, extra, .. } = displaced else { panic!("{displaced:?}") };
    assert_eq!((missing, extra), (vec![square("n11")], vec![square("g7")]));
}
