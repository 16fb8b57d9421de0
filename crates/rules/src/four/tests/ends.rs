//! What ends the game, threatens to, or can no longer.

use super::*;
use crate::IllegalPositionKind;
use crate::mate::Dead;
use crate::sensor::Side;
use crate::{End, MateTest, Position as _};

fn at(men: &str) -> FourPosition {
    position(men, false, FourRules::default())
}

#[test]
fn a_threat_is_no_mate() {
    // White's two rooks mate Red once it is his turn; now it is Black's.
    let threat = at("S Kd1, N Kh14, W Ka7 Rd8 Re9, E Kn8").with_seat(Seat::East);
    assert_eq!((threat.end(), threat.mate_threats()), (None, vec![Army::Red.number()]));
    // The partner may relieve him: with a rook between.
    let relieved = at("S Kd1, N Kh14 Rd4, W Ka7 Rd8 Re9, E Kn8").with_seat(Seat::East);
    assert!(relieved.mate_threats().is_empty());
    // Whoever has the move is mated, not threatened.
    assert_eq!(threat.with_seat(Seat::South).end(), Some(End::Checkmate));
    assert!(threat.with_seat(Seat::South).mate_threats().is_empty());
    let both = at("S Kd1, N Kk14, W Ka7 Rd8 Re9 Rk8 Rj9, E Kn8").with_seat(Seat::East);
    assert_eq!(both.mate_threats(), [Army::Red.number(), Army::Blue.number()]);
}

#[test]
fn only_what_is_legal_ends_the_game() {
    // Red left himself in check: White has no move, but the game is not over by that.
    let west = |men: &str| at(men).with_seat(Seat::West).end();
    assert_eq!(west("S Kh7, W Ka4, N Kk14 Rn5 Rb11, E Kn8 Rh10"), None);
    assert_eq!(west("S Kh7, W Ka4, N Kk14 Rn5 Rb11, E Kn8 Ri10"), Some(End::Stalemate));
    // A king is missing.
    assert_eq!(at("S Kd1, W Ka7 Rd8, E Kn8 Re9").end(), None);
    let missing = at("S Kd1, W Ka7, E Kn8");
    assert_eq!((missing.end(), missing.dead(0)), (None, Dead::No));
}

#[test]
fn material() {
    let bare = at("S Kd1 Pf14, W Ka7, N Kk14, E Kn8");
    assert_eq!((bare.end(), bare.dead(0)), (Some(End::DeadPosition), Dead::Yes));
    for (men, is_little) in [
        ("S Kd1 Nd3, W Ka7 Ba9, N Kk14, E Kn8", true),
        ("S Kd1 Pf14, W Ka7 Ba9, N Kk14, E Kn8", true),
        ("S Kd1 Nd3 Nd4, W Ka7, N Kk14, E Kn8", false),
        ("S Kd1 Rd3, W Ka7, N Kk14, E Kn8", false),
        ("S Kd1 Pd3, W Ka7, N Kk14, E Kn8", false),
        // A pawn that has no move now may have one yet: not dead.
        ("S Kd1 Pb11, W Ka7, N Kk14, E Kn8", false),
    ] {
        let position = at(men);
        assert_eq!((position.is_little_material(), position.end()), (is_little, None), "{men}");
        assert_eq!(position.dead(0), if is_little { Dead::Suspected } else { Dead::No }, "{men}");
    }
    let one_sided = at("S Kd1, W Ka7 Ba9, N Kk14 Pd1, E Kn8");
    let one_sided = FourPosition::read(&one_sided.fen().replace("rK", "1"), FourRules::default()).unwrap();
    assert!(one_sided.can_mate(Side::White, 0).is_no());
    let unknown = MateTest::Unknown { basis: crate::MateBasis::FourPlayers, nodes: 0 };
    assert_eq!(one_sided.can_mate(Side::Black, 0), unknown);
}

#[test]
fn numbers_of_men() {
    let names = |men: &str| -> Vec<&str> {
        at(men).impossible_counts().into_iter().map(|reason| reason.name).collect()
    };
    assert!(FourPosition::start(FourRules::default()).impossible_counts().is_empty());
    assert!(names("S Kd1 Qd2 Qd3, W Ka7, N Kk14, E Kn8").is_empty());
    assert_eq!(names("S Kd1, W Ka7, N Kk14"), ["king-missing"]);
    assert_eq!(names("S Kd1 Ke1, W Ka7, N Kk14, E Kn8"), ["kings-too-many"]);
    let pawns = "S Kd1 Pd2 Pe2 Pf2 Pg2 Ph2 Pi2 Pj2 Pk2";
    assert_eq!(names(&format!("{pawns} Pd4, W Ka7, N Kk14, E Kn8")), ["pawns-too-many"]);
    assert_eq!(names(&format!("{pawns} Qd4 Qd5, W Ka7, N Kk14, E Kn8")), ["promotions-too-many"]);
    assert_eq!(names(&format!("{pawns} Bd4 Be5, W Ka7, N Kk14, E Kn8")), ["promotions-too-many"]);
    assert_eq!(names("S Kd1 Pa5, W Ka7, N Kk14, E Kn8"), ["pawn-on-outer-rank"]);
    assert_eq!(names("S Kd1 Pf1, W Ka7, N Kk14, E Kn8"), ["pawn-on-outer-rank"]);
    assert!(names("S Kd1 Pf14 Pb11, W Ka7, N Kk14, E Kn8").is_empty());
    assert_eq!(
        at("S Kd1 Pa5, W Ka7, N Kk14, E Kn8").illegal_position(),
        [IllegalPositionKind::PawnOnLastRank]
    );
    assert!(at("S Kd1 Pf14, W Ka7, N Kk14, E Kn8").illegal_position().is_empty());
}
