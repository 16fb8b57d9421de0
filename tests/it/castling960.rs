//! Castling in two steps with a pause between them, from every start position of Chess960 (II.3.2).

use adoube_sim::scenario::Scenario;

use crate::slots::computing;

const FILES: [char; 8] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/// Where king and rooks stand, of all 960 start positions: the other pieces have left.
fn starts() -> Vec<(usize, [usize; 2])> {
    let mut starts = Vec::new();
    for king in 1..7 {
        starts.extend((0..king).flat_map(|left| (king + 1..8).map(move |right| (king, [left, right]))));
    }
    starts
}

/// The white pieces of the first rank, as FEN writes them.
fn rank(pieces: &[(usize, char)]) -> String {
    let mut rank = String::new();
    let mut empty = 0;
    for file in 0..8 {
        match pieces.iter().find(|piece| piece.0 == file) {
            None => empty += 1,
            Some((_, piece)) => {
                rank.extend((empty > 0).then(|| empty.to_string()));
                rank.push(*piece);
                empty = 0;
            }
        }
    }
    if empty > 0 { format!("{rank}{empty}") } else { rank }
}

/// What a hand does that takes one piece to its square, pauses, and takes the other one. Whichever stands in the way is
/// lifted first.
fn hand(king: (usize, usize), rook: (usize, usize), is_king_first: bool) -> String {
    let lift = |from: usize| format!("-{}1", FILES[from]);
    let place = |to: usize, piece: char| format!("+{}1={piece}", FILES[to]);
    let ways = [(king, 'K'), (rook, 'R')];
    let [first, second] = if is_king_first { ways } else { [ways[1], ways[0]] };
    let stays = |way: ((usize, usize), char)| way.0.0 == way.0.1;
    if stays(first) || stays(second) {
        let (way, piece) = if stays(first) { second } else { first };
        return format!("{} {}", lift(way.0), place(way.1, piece));
    }
    let ((from, to), piece) = first;
    let ((other_from, other_to), other) = second;
    let (placed, other_lifted) = (place(to, piece), lift(other_from));
    let begun = if to == other_from {
        format!("{} {other_lifted} {placed} wait(4s)", lift(from))
    } else {
        format!("{} {placed} wait(4s) {other_lifted}", lift(from))
    };
    format!("{begun} {}", place(other_to, other))
}

#[test]
fn castling_in_two_steps_is_published_once_from_every_start() {
    let _slot = computing();
    let mut runs = 0;
    for (king, rooks) in starts() {
        for (side, &rook) in rooks.iter().enumerate() {
            let (king_to, rook_to, san) = [(2, 3, "O-O-O"), (6, 5, "O-O")][side];
            let other = rooks[1 - side];
            let squares = [king, king_to, rook, rook_to];
            let is_in_the_way =
                (squares.into_iter().min()..=squares.into_iter().max()).contains(&Some(other));
            let mut pieces = vec![(king, 'K'), (rook, 'R')];
            pieces.extend((!is_in_the_way).then_some((other, 'R')));
            let fen = format!(
                "4k3/pppppppp/8/8/8/8/PPPPPPPP/{} w {} - 0 30",
                rank(&pieces),
                FILES[rook].to_ascii_uppercase()
            );
            for is_king_first in [true, false] {
                let hand = hand((king, king_to), (rook, rook_to), is_king_first);
                let scenario = format!(
                    r#"
                    id = "castling in two steps"
                    title = "{fen}: {hand}"
                    editions = ["2018"]
                    board = "identity"
                    variant = "chess960"
                    start = "{fen}"
                    events = "{hand} PW wait(2s)"
                    expect = ["move-made{{san: {san}}}", "move-completed{{san: {san}}}"]
                    forbid = ["move-retracted", "illegal-move-pending", "illegal-move-completed", "piece-displaced",
                        "touch-move-suspected", "castling-rook-first", "move-changed-after-release", "ambiguous-move"]
                    moves = "30. {san}"
                    "#
                );
                let scenario = Scenario::parse(&scenario).unwrap();
                for case in scenario.cases() {
                    let verdict = scenario.run(&case, &[]).unwrap();
                    let unmet: Vec<String> = verdict.unmet.iter().map(ToString::to_string).collect();
                    assert!(verdict.is_ok(), "{}: {unmet:?}", scenario.title);
                    runs += 1;
                }
            }
        }
    }
    // Every place of king and rooks that the start positions have, both sides, both orders.
    assert_eq!(runs, 56 * 4);
}
