//! The generator against the oracle: walks from the start arrays, and positions made up.

use proptest::prelude::*;

use super::oracle::{Board, Step};
use super::*;
use crate::Position as _;
use crate::departure::Departure;
use crate::stood::SQUARES_MAX;

fn place(position: &FourPosition, square: Square) -> (i32, i32) {
    let (file, rank) = position.geometry().place(square);
    (file.into(), rank.into())
}

/// The same position as the oracle has it.
fn board(position: &FourPosition) -> Board {
    let rules = position.rules();
    let men = position
        .men()
        .map(|(square, army, role)| (place(position, square), (rules.seat_of(army).index(), role)));
    Board {
        wing: rules.wing_depth.squares().into(),
        is_light: rules.parity == Parity::Light,
        next_ply_only: rules.ep_window == EpWindow::NextPly,
        protect_partner: rules.protect_partner,
        men: men.collect(),
        turn: position.seat().index(),
        castling: position.castling,
        passed: position
            .en_passant
            .map(|right| right.map(|right| (place(position, right.crossed), place(position, right.pawn)))),
    }
}

/// The moves of the generator, and the moves of the oracle, in one order.
fn compare(position: &FourPosition) -> Vec<FourMove> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut ours: Vec<Step> = moves
        .iter()
        .map(|&mv| {
            let became = match mv.manner {
                Manner::Promotion(role) => Some(role),
                _ => None,
            };
            (place(position, mv.from), place(position, mv.to), became, board(&position.play(mv)))
        })
        .collect();
    ours.sort();
    let theirs = board(position).steps();
    if ours != theirs {
        let names = |steps: &[Step]| steps.iter().map(|step| (step.0, step.1, step.2)).collect::<Vec<_>>();
        assert_eq!(names(&ours), names(&theirs), "{position:?}");
        assert_eq!(ours, theirs, "{position:?}");
    }
    moves
}

/// Plays on by the numbers of the moves, and compares at every ply.
fn walk(mut position: FourPosition, choices: &[usize]) -> Vec<FourMove> {
    let mut played = Vec::new();
    for &choice in choices {
        let moves = compare(&position);
        let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
        // Men and rights survive being written. (With arms of two, pawns of two armies may cross one square.)
        if position.rules().wing_depth != WingDepth::Two {
            let read = FourPosition::read(&position.fen(), position.rules()).unwrap();
            assert_eq!(read, position);
            assert_eq!(read.fen(), position.fen());
            assert_eq!(read.key(), position.key());
        }
        position = position.play(mv);
        played.push(mv);
    }
    played
}

fn rules() -> impl Strategy<Value = FourRules> {
    (any::<[bool; 4]>(), 0..3_usize).prop_map(|([parity, seats, window, protect_partner], depth)| FourRules {
        parity: if parity { Parity::Light } else { Parity::Dark },
        seat_after_red: if seats { Army::White } else { Army::Black },
        ep_window: if window { EpWindow::OwnTurn } else { EpWindow::NextPly },
        protect_partner,
        wing_depth: WingDepth::ALL[depth],
    })
}

/// Men anywhere, kings and rooks at home as often as not, pawns that have just gone two squares.
fn made_up() -> impl Strategy<Value = FourPosition> {
    let men = prop::collection::vec((any::<u8>(), 0..4_usize, 0..5_usize), 0..40);
    let kings = any::<[(bool, u8); 4]>();
    let passed = any::<[(bool, u8); 4]>();
    (rules(), men, kings, passed, 0..4_usize, any::<bool>()).prop_map(
        |(rules, men, kings, passed, turn, has_rooks)| {
            let mut position = FourPosition::empty(rules);
            let squares = position.geometry().squares();
            for (square, army, role) in men {
                // Half of the men are pawns: most of the rules are theirs.
                let role = if square & 1 == 0 { Role::Pawn } else { Role::ALL[role] };
                position.put(Square::new(square % squares as u8), Army::ALL[army].man(role));
            }
            position.turn = Seat::ALL[turn];
            for seat in Seat::ALL {
                make_up_seat(&mut position, seat, kings[seat.index()], passed[seat.index()], has_rooks);
            }
            position.drop_dead_rights();
            position
        },
    )
}

fn make_up_seat(
    position: &mut FourPosition,
    seat: Seat,
    (is_home, king): (bool, u8),
    (passes, file): (bool, u8),
    has_rooks: bool,
) {
    let (army, geometry) = (position.rules().army_at(seat), position.geometry());
    let home = geometry.home(seat);
    let castling = position.castling_squares(seat, position::Wing::Short);
    if is_home {
        position.put(castling.king, army.man(Role::King));
        if has_rooks {
            home[1..7].iter().filter(|&&square| square != castling.king).for_each(|&square| {
                position.put(square, Content::EMPTY);
            });
            [home[0], home[7]].into_iter().for_each(|square| position.put(square, army.man(Role::Rook)));
        }
        position.castling[seat.index()] = [true; 2];
    } else {
        position.put(Square::new(king % geometry.squares() as u8), army.man(Role::King));
    }
    if passes && seat != position.turn {
        let ahead = geometry::forward(seat);
        let pawn_row = geometry.step(home[usize::from(file % 8)], ahead);
        let crossed = geometry.step(pawn_row, ahead);
        let pawn = geometry.step(crossed, ahead);
        position.put(crossed, Content::EMPTY);
        position.put(pawn, army.man(Role::Pawn));
        position.en_passant[seat.index()] = Some(EnPassant { crossed, pawn });
        // Somebody who may take it, mostly.
        let taker = geometry
            .step(crossed, geometry::backwards(geometry::captures(position.turn)[usize::from(file) / 8 % 2]));
        if file < 192 && taker != geometry::NOWHERE && taker != pawn {
            position.put(taker, position.player().man(Role::Pawn));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn walks_from_the_start_arrays(rules in rules(), choices in prop::collection::vec(any::<usize>(), 40)) {
        walk(FourPosition::start(rules), &choices);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn positions_made_up(position in made_up(), choices in prop::collection::vec(any::<usize>(), 4)) {
        walk(position, &choices);
    }
}

proptest! {
    /// Whatever stands there, it departs from the position in those squares that differ, and what is
    /// said to stand goes on.
    #[test]
    fn any_picture_departs_somehow(
        position in made_up(),
        other in made_up(),
        few in prop::collection::vec((any::<u8>(), any::<u8>()), 0..5),
        named: bool,
    ) {
        let mut contents = position.contents().to_vec();
        for (from, to) in few {
            let (from, to) = (usize::from(from) % contents.len(), usize::from(to) % contents.len());
            contents[to] = std::mem::take(&mut contents[from]);
        }
        for contents in [&contents[..], other.contents()].into_iter().filter(|shown| shown.len() == contents.len()) {
            let shown = if named { contents.to_vec() } else { occupied(contents) };
            let differ = position.contents().iter().zip(&shown).any(|(&before, &after)| {
                before.occupancy() != after.occupancy() || named && before != after
            });
            let departure = position.departure(&shown, named);
            prop_assert_eq!(departure == Departure::None, !differ, "{:?}", departure);
            let stood = position.stood(contents);
            prop_assert_eq!(stood.contents(), contents);
            let played = position.played_stood(&stood);
            let changed = position.contents().iter().zip(contents).filter(|(was, is)| was != is).count();
            prop_assert_eq!(played.san() == "--", changed == 0 || changed > SQUARES_MAX);
            prop_assert!(!played.uci().is_empty());
        }
    }
}

/// The positions made up are worth something only if every kind of move happens in them.
#[test]
fn positions_made_up_show_every_manner() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let [mut double, mut promotion, mut passing, mut late, mut castling, mut checked, mut dead, mut three] =
        [0; 8];
    for _ in 0..400 {
        let position = made_up().new_tree(&mut runner).unwrap().current();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let latest = position.en_passant[position.seat().next().index()];
        let is_late = |pawn| latest.is_some_and(|right| right.pawn == pawn);
        for mv in moves {
            match mv.manner {
                Manner::Plain => {}
                Manner::Double => double += 1,
                Manner::Promotion(_) => promotion += 1,
                Manner::EnPassant { pawn } if is_late(pawn) => late += 1,
                Manner::EnPassant { .. } => passing += 1,
                Manner::Castling { .. } => castling += 1,
            }
        }
        checked += usize::from(position.is_in_check(position.player()));
        dead += usize::from(
            Square::all().take(position.geometry().squares()).any(|square| position.is_dead_pawn(square)),
        );
        three += usize::from(position.en_passant.iter().flatten().count() == 3);
    }
    let seen = [double, promotion, passing, late, castling, checked, dead, three];
    assert!(seen.into_iter().all(|count| count > 10), "{seen:?}");
}
