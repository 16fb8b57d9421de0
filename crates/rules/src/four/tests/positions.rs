//! The positions that the spec names (section 10).

use super::*;
use crate::{End, Position as _};

fn at(men: &str) -> FourPosition {
    position(men, false, FourRules::default())
}

#[test]
fn a_joint_mate() {
    let mated = at("S Kd1, N Kh14, W Ka7 Rd8, E Kn8 Re9");
    assert_eq!(mated.end(), Some(End::Checkmate));
    // Either of the two alone mates nobody.
    for men in ["S Kd1, N Kh14, W Ka7 Rd8, E Kn8", "S Kd1, N Kh14, W Ka7, E Kn8 Re9"] {
        assert_eq!(at(men).end(), None, "{men}");
    }
}

#[test]
fn a_mate_by_a_knight_and_two_kings() {
    assert_eq!(at("S Kd1, N Kh14, W Ne3 Kd3, E Kf1").end(), Some(End::Checkmate));
}

#[test]
fn a_king_walks_beside_his_partners_queen() {
    let moves = moves(&at("S Kh4, N Qh6 Kh14, W Ka7, E Kn8"));
    assert_eq!(moves.len(), 8);
    assert!(moves.contains(&"h4-h5".to_owned()));
}

#[test]
fn a_pawn_is_taken_in_passing_by_the_first_opponent() {
    let position = play(&at("S Kd1 Ph2, W Ka7 Pg4, N Kk14, E Kn8 Pi2"), "h2-h4");
    assert_eq!(moves(&position).len(), 6);
    let taken = play(&position, "g4xh3");
    assert!(taken.content(taken.geometry().square("h4").unwrap()).is_empty());
    assert_eq!(taken.fen(), "7bK/8/8/14/14/14/13kK/wK13/14/14/14/4wP3/5kP2/rK7 b - - 0 1");
}

#[test]
fn a_pawn_is_taken_in_passing_at_the_third_ply() {
    let start = at("S Kd1 Ph2, W Ka7 Pg4, N Kk14, E Kn8 Pi2");
    let third = play(&start, "h2-h4 a7-a8 k14-j14");
    assert!(moves(&third).contains(&"i2xh3".to_owned()));
    assert!(third.fen().ends_with(" k - h3 2 1"), "{third:?}");
    let gone = play(&third, "n8-n9");
    assert_eq!(moves(&gone).len(), 4);
    assert!(gone.fen().ends_with(" r - - 3 2"), "{gone:?}");
    // The strict window is closed by then.
    let strict = position(
        "S Kd1 Ph2, W Ka7 Pg4, N Kk14, E Kn8 Pi2",
        false,
        FourRules { ep_window: EpWindow::NextPly, ..FourRules::default() },
    );
    assert!(moves(&play(&strict, "h2-h4")).contains(&"g4xh3".to_owned()));
    assert!(!moves(&play(&strict, "h2-h4 a7-a8 k14-j14")).contains(&"i2xh3".to_owned()));
}

#[test]
fn a_man_on_the_crossed_square_ends_the_right() {
    let start = at("S Kd1 Ph2, W Ka7 Pg4 Bf1, N Kk14, E Kn8 Pi2");
    let stands = play(&start, "h2-h4 f1-h3 k14-j14");
    assert!(stands.fen().contains(" k - - "), "{stands:?}");
    // The bishop of the partner stands there: nothing to take, and no right comes back.
    assert!(!moves(&stands).contains(&"i2xh3".to_owned()));
    let again = play(&at("S Kd1 Ph2, W Ka7 Bf1, N Kk14 Bf5, E Kn8 Pi2"), "h2-h4 a7-a8 f5-h3");
    // An ordinary capture takes the man who stands there, and no other.
    let taken = play(&again, "i2xh3");
    assert!(!taken.content(taken.geometry().square("h4").unwrap()).is_empty());
}

#[test]
fn promotions_are_on_the_back_rows_of_the_opponents() {
    let promoting = moves(&at("S Kh1 Pb8, W Ka4 Ra9, N Kg14, E Kn7"));
    assert_eq!(promoting.len(), 10);
    for text in ["b8-b9", "b8xa9=B", "b8xa9=N", "b8xa9=Q", "b8xa9=R"] {
        assert!(promoting.contains(&text.to_owned()), "{text}");
    }
    let king = ["h1-g1", "h1-g2", "h1-h2", "h1-i1", "h1-i2"];
    let dead = at("S Kh1 Pb11 Pf14, W Ka4, N Kg14, E Kn7");
    assert_eq!(moves(&dead), king);
    let square = |name| dead.geometry().square(name).unwrap();
    assert!(dead.is_dead_pawn(square("f14")) && !dead.is_dead_pawn(square("b11")));
    let side = moves(&at("S Kh1 Pc11, W Ka4 Rd12, N Kg14, E Kn7"));
    assert_eq!(side[0], "c11xd12");
    assert_eq!(side[1..], king);
}

#[test]
fn castling_both_ways_of_every_seat() {
    for (layout, kings) in [
        (FourRules::default(), ["h1-j1 h1-f1", "a8-a10 a8-a6", "g14-e14 g14-i14", "n7-n5 n7-n9"]),
        (
            FourRules { parity: Parity::Dark, ..FourRules::default() },
            ["g1-e1 g1-i1", "a7-a5 a7-a9", "h14-j14 h14-f14", "n8-n10 n8-n6"],
        ),
    ] {
        let mut bare = FourPosition::start(layout);
        let taken: Vec<Square> = bare
            .men()
            .filter(|man| matches!(man.2, Role::Queen | Role::Bishop | Role::Knight))
            .map(|man| man.0)
            .collect();
        taken.into_iter().for_each(|square| bare.put(square, Content::EMPTY));
        for (seat, ways) in Seat::ALL.into_iter().zip(kings) {
            let position = bare.with_seat(seat);
            let all = moves(&position);
            assert!(all.contains(&"O-O".to_owned()) && all.contains(&"O-O-O".to_owned()));
            for (way, name) in ways.split(' ').zip(["O-O", "O-O-O"]) {
                assert_eq!(read_move(&position, way), read_move(&position, name), "{way}");
            }
        }
    }
}

#[test]
fn what_the_partner_attacks_hinders_no_castling() {
    // North's rook looks at i1, over which South castles; West's rook at i1 as well in the other.
    let partner = position("S Kh1 Rk1, W Ka7, N Ki14 Ri12, E Kn8", true, FourRules::default());
    assert!(moves(&partner).contains(&"O-O".to_owned()));
    let opponent = position("S Kh1 Rk1, W Ka7 Ri12, N Kk14, E Kn8", true, FourRules::default());
    assert!(!moves(&opponent).contains(&"O-O".to_owned()));
    // A partner's man between hinders it as any other.
    let between = position("S Kh1 Rk1, W Ka7, N Kk14 Nj1, E Kn8", true, FourRules::default());
    assert!(!moves(&between).contains(&"O-O".to_owned()));
}

#[test]
fn a_capture_in_passing_may_not_open_a_line_to_the_own_king() {
    // h4 goes, and East's rook looks along the fourth rank at West's king.
    let position = at("S Kd1 Ph2, W Ka4 Pg4, N Kk14, E Kn8 Rn4");
    let after = play(&position, "h2-h4");
    assert!(moves(&after).contains(&"g4xh3".to_owned()));
    // The rook of an opponent does: Blue's.
    let after = play(&at("S Kd1 Ph2, W Ka4 Pg4, N Kk14 Rn4, E Kn8"), "h2-h4");
    assert!(!moves(&after).contains(&"g4xh3".to_owned()));
}

#[test]
fn pins_by_either_opponent_hold() {
    let pinned = moves(&at("S Kh1 Rh3 Ne1, W Ka7 Qh9, N Kk14, E Kn8 Rd1"));
    assert!(pinned.iter().all(|mv| !mv.starts_with("e1")), "{pinned:?}");
    assert!(pinned.contains(&"h3-h8".to_owned()) && !pinned.contains(&"h3-g3".to_owned()));
}

#[test]
fn a_king_left_attacked_is_not_captured() {
    // Red opened the line to his partner's king; White may not take him, and he is in check at his turn.
    let position = at("S Kh1 Rg8, W Ka8 Rb8, N Kk8, E Kn4");
    let opened = play(&position, "g8-g1");
    assert!(opened.is_in_check(Army::Blue));
    assert!(!moves(&opened).iter().any(|mv| mv.ends_with("k8")));
    assert!(opened.end().is_none());
    // Where the partner is protected the rook has to stay on the line.
    let rules = FourRules { protect_partner: true, ..FourRules::default() };
    let protected = moves(&super::position("S Kh1 Rg8, W Ka8 Rb8, N Kk8, E Kn4", false, rules));
    assert!(!protected.contains(&"g8-g1".to_owned()) && protected.contains(&"g8-h8".to_owned()));
}

#[test]
fn the_end_is_judged_at_the_players_turn() {
    let stalemate = at("S Kd1, W Ka7 Re12, N Kk14, E Kn8 Rk2");
    assert_eq!(stalemate.end(), Some(End::Stalemate));
    // Before his turn it has no effect.
    assert_eq!(stalemate.with_seat(Seat::East).end(), None);
    let dead = at("S Kd1 Pf14, W Ka7, N Kk14 Pd1, E Kn8");
    assert_eq!(dead.end(), None, "Blue's pawn took the square of Red's king");
    let dead = at("S Kd1 Pf14, W Ka7, N Kk14 Pe1, E Kn8");
    assert_eq!(dead.end(), Some(End::DeadPosition));
    assert_eq!(at("S Kd1 Pf13, W Ka7, N Kk14, E Kn8").end(), None);
    assert_eq!(at("S Kd1 Pb11, W Ka7, N Kk14, E Kn8").end(), None);
}
