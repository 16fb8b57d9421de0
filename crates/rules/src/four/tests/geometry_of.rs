//! The board.

use super::*;

#[test]
fn the_boards_have_their_squares() {
    for (depth, squares) in WingDepth::ALL.into_iter().zip([128, 160, 192]) {
        let geometry = Geometry::of(depth);
        assert_eq!(geometry.squares(), squares);
        for square in Square::all().take(squares) {
            let name = geometry.name(square).unwrap();
            assert_eq!(geometry.square(&name), Some(square), "{name}");
            let (file, rank) = geometry.place(square);
            assert_eq!(geometry.at(file, rank), Some(square));
            for degrees in [0, 90, 180, 270] {
                let turned = geometry.turned(square, degrees);
                assert_eq!(geometry.turned(turned, (360 - degrees) % 360), square);
            }
        }
        assert_eq!(geometry.name(geometry::NOWHERE), None);
    }
}

#[test]
fn a_turned_board_has_the_rows_elsewhere() {
    let geometry = Geometry::of(WingDepth::Three);
    let turned = |degrees: u32| geometry.home(Seat::West).map(|square| geometry.turned(square, degrees));
    // At 90 degrees the first row of the game lies on the sensor's file a: West's.
    assert_eq!(turned(90), geometry.home(Seat::South));
    assert_eq!(turned(180), geometry.home(Seat::East));
    assert_eq!(turned(270), geometry.home(Seat::North));
}

#[test]
fn lines_end_at_missing_corners() {
    let geometry = Geometry::of(WingDepth::Three);
    let names = |from: &str, direction| -> Vec<String> {
        geometry.ray(square(from), direction).filter_map(|square| geometry.name(square)).collect()
    };
    // South-west from e3: d2 is there, c1 is not.
    assert_eq!(names("e3", 5), ["d2"]);
    assert!(names("d1", 6).is_empty());
    assert_eq!(geometry.way(square("a4"), square("d1")), None);
    let jumps: Vec<Square> = geometry.jumps(square("d3")).collect();
    // A knight passes over the corner and lands where there is a square.
    assert!(jumps.contains(&square("b4")) && !jumps.contains(&geometry::NOWHERE));
    assert_eq!(geometry.knight_moves(square("d3"), square("b4")), 1);
}
