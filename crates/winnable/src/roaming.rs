//! Kings and pawns as they stand, pieces wherever they might be.
//!
//! In a locked position the pieces behind the pawns can be arranged in millions of ways that do not matter. Here a
//! scene is the exact placement of the *placed* men and whose turn it is; a *roamer* may stand on any square of its
//! realm in that scene, or be gone. Every legal move is one of the steps, so where no step may mate, nothing mates.
//!
//! Some walls are made of pieces. So where this shows nothing, a piece that moved on the way to where it failed is
//! placed as well, those that can hardly move first.

mod mates;
mod steps;

use std::collections::{BTreeMap, VecDeque};

use shakmaty::{Bitboard, Board, Chess, Color, Position as _, Square, attacks};

use super::{Roamed, Scene};
use steps::View;

/// Pieces that have more moves than this are hardly part of a wall, and to place one takes many scenes.
const MOVES_MAX: usize = 3;
/// A wall of more pieces takes more scenes than there is time for.
const PLACED_MAX: u32 = 6;

/// Proves that `winner` cannot mate, looking at scenes no more than `limit` times; None if that shows nothing.
pub(super) fn roamed(chess: &Chess, winner: Color, limit: u32) -> Option<Roamed> {
    if chess.castles().any() {
        return None;
    }
    let mut left = limit;
    let mut placed = Bitboard::EMPTY;
    for _ in 0..=PLACED_MAX {
        let view = View::new(chess.board(), winner, placed);
        match saturate(chess, view, &mut left) {
            Saturation::Closed(roamed) => return Some(roamed),
            Saturation::Open(moved) => placed.add(to_place(chess.board(), winner, moved, placed)?),
            Saturation::Limit => return None,
        }
    }
    None
}

/// The piece that is most likely part of a wall: one that is shut in, or of those that cage the winner's king; of those that moved or else of all that are not placed yet.
fn to_place(board: &Board, winner: Color, moved: Bitboard, placed: Bitboard) -> Option<Square> {
    let moves = |origin: Square| {
        let piece = board.piece_at(origin)?;
        let squares = attacks::attacks(origin, piece, board.occupied()) & !board.by_color(piece.color);
        Some(squares.count())
    };
    let least = |pieces: Bitboard| {
        let hardly_move = |&origin: &Square| moves(origin).is_some_and(|count| count <= MOVES_MAX);
        pieces.into_iter().filter(hardly_move).min_by_key(|&origin| {
            (moves(origin) != Some(0), board.color_at(origin) == Some(winner), moves(origin))
        })
    };
    let pieces = board.occupied() & !board.pawns() & !board.kings() & !placed;
    least(moved).or_else(|| least(pieces))
}

/// What saturating came to.
enum Saturation {
    /// No step leads anywhere else, and none may mate.
    Closed(Roamed),
    /// The winner may mate or promote once roamers from these squares have moved or been taken.
    Open(Bitboard),
    /// There are more scenes.
    Limit,
}

fn saturate(chess: &Chess, view: View, left: &mut u32) -> Saturation {
    let start = view.start(chess);
    let mut numbers = BTreeMap::from([(key(&start), 0)]);
    let mut scenes = vec![start];
    // Where the roamers came from that moved, or may have been taken, before a scene first came about.
    let mut moved = vec![Bitboard::EMPTY];
    let mut due = VecDeque::from([0]);
    let mut is_due = vec![true];
    while let Some(at) = due.pop_front() {
        is_due[at] = false;
        let Some(less) = left.checked_sub(1) else { return Saturation::Limit };
        *left = less;
        let Some(steps) = view.steps(&scenes[at]) else { return Saturation::Open(moved[at]) };
        for step in steps {
            if view.is_lost(&step.scene) {
                continue;
            }
            let moved_now = moved[at] | view.moved(&scenes[at], &step);
            if step.scene.turn != view.winner && view.may_be_mate(&step) {
                return Saturation::Open(moved_now);
            }
            let next = scenes.len();
            let number = *numbers.entry(key(&step.scene)).or_insert(next);
            if number == next {
                scenes.push(step.scene);
                moved.push(moved_now);
                is_due.push(true);
                due.push_back(number);
            } else if widen(&mut scenes[number], &step.scene) && !is_due[number] {
                is_due[number] = true;
                due.push_back(number);
            }
        }
    }
    Saturation::Closed(Roamed { roamers: view.roamers, scenes })
}

/// Adds the realms of `other` to those of `scene`; true if there is anything new.
fn widen(scene: &mut Scene, other: &Scene) -> bool {
    let mut has_grown = false;
    for (realm, more) in scene.realms.iter_mut().zip(&other.realms) {
        has_grown |= !more.is_subset(*realm);
        *realm |= *more;
    }
    has_grown
}

type Key = ([u64; 8], bool, Option<Square>, bool, Option<(usize, Square)>, Option<Square>);

fn key(scene: &Scene) -> Key {
    let board = &scene.board;
    let sets = [
        board.pawns(),
        board.knights(),
        board.bishops(),
        board.rooks(),
        board.queens(),
        board.kings(),
        board.by_color(Color::White),
        board.by_color(Color::Black),
    ];
    let sets = sets.map(u64::from);
    (sets, scene.turn.is_white(), scene.passed, scene.has_promoted, scene.landed, scene.left)
}

#[cfg(test)]
mod tests {
    use super::super::cases::{self, Case};
    use super::*;
    use crate::testing::read;

    /// May White mate within so many moves of either side, as far as these pieces are placed?
    fn may_mate(chess: &Chess, placed: Bitboard, plies: u32) -> bool {
        let view = View::new(chess.board(), Color::White, placed);
        may_mate_from(&view, &view.start(chess), plies)
    }

    fn may_mate_from(view: &View, scene: &Scene, plies: u32) -> bool {
        let Some(steps) = view.steps(scene) else { return true };
        steps.iter().any(|step| {
            let is_mate = step.scene.turn != view.winner && view.may_be_mate(step);
            is_mate || (plies > 1 && may_mate_from(view, &step.scene, plies - 1))
        })
    }

    /// Whichever pieces roam; and none if those of the other side are told.
    #[test]
    fn no_mate_is_overlooked_and_none_is_made_up() {
        for Case { fen, plies, mates } in cases::CASES {
            cases::mirrored(fen, |chess| {
                let pieces = chess.board().occupied() & !chess.board().pawns() & !chess.board().kings();
                for placed in pieces.carry_rippler() {
                    let is_told = placed.is_superset(pieces & chess.board().black());
                    assert!(!mates || may_mate(chess, placed, plies), "{fen} {placed:?}");
                    assert!(mates || !is_told || !may_mate(chess, placed, plies), "{fen} {placed:?}");
                }
            });
        }
    }

    fn is_shown(fen: &str, winner: Color) -> bool {
        let position = read(fen);
        roamed(&position, winner, 20_000).is_some()
    }

    /// The knight steps between, and White mates in the end.
    #[test]
    fn a_roamer_may_step_between() {
        assert!(!is_shown("4k3/8/8/8/8/5N2/5pPP/4br1K w - - 0 1", Color::White));
    }

    /// Wherever the queen takes it gives check, and is taken before a man of the cage moves.
    #[test]
    fn what_has_taken_stands_there_for_certain() {
        assert!(is_shown("8/4b3/6r1/4q3/ppp5/bkp4Q/qnp5/n1K5 b - - 0 1", Color::White));
        // With a rook behind it the king does not take.
        assert!(!is_shown("8/4b3/6r1/4q3/ppp5/bkp3RQ/qnp5/n1K5 b - - 0 1", Color::White));
    }

    /// The knight's steps open the bishop's line: nothing promoted stands on the square that it left.
    #[test]
    fn nothing_stands_where_a_man_just_left() {
        assert!(is_shown("8/6pp/8/8/ppp5/bkp4Q/qnp5/n1K5 b - - 0 1", Color::White));
    }

    /// The pawn has just opened the rook's line. Where two give check nothing helps but a move of the king.
    #[test]
    fn something_promoted_may_step_between() {
        let is_step = |fen: &str| {
            let position = read(fen);
            let board = position.board().clone();
            let view = View::new(&board, Color::White, board.occupied());
            let (turn, left, realms) = (Color::Black, Some(Square::E4), Vec::new());
            let scene = Scene { board, turn, passed: None, has_promoted: true, landed: None, left, realms };
            let between = Scene { turn: Color::White, left: None, ..scene.clone() };
            view.steps(&scene).unwrap().iter().any(|step| step.scene == between)
        };
        assert!(is_step("8/8/8/4P3/3k1R2/8/8/7K b - - 0 1"));
        assert!(!is_step("8/8/8/4P3/3k1R2/8/4N3/7K b - - 0 1"));
    }

    /// It takes whatever stands there; in check only what gives it.
    #[test]
    fn something_promoted_may_take() {
        let is_step = |fen: &str, taken: Square| {
            let position = read(fen);
            let board = position.board().clone();
            let view = View::new(&board, Color::White, board.occupied());
            let (turn, passed, realms) = (Color::Black, None, Vec::new());
            let scene = Scene { board, turn, passed, has_promoted: true, landed: None, left: None, realms };
            let mut after = Scene { turn: Color::White, ..scene.clone() };
            after.board.discard_piece_at(taken);
            view.steps(&scene).unwrap().iter().any(|step| step.scene == after)
        };
        assert!(is_step("8/8/8/8/3k4/8/P7/7K b - - 0 1", Square::A2));
        assert!(is_step("8/8/8/8/3k4/4P3/P7/7K b - - 0 1", Square::E3));
        assert!(!is_step("8/8/8/8/3k4/4P3/P7/7K b - - 0 1", Square::A2));
    }

    /// Castling is no step of a scene.
    #[test]
    fn nothing_is_shown_while_somebody_may_castle() {
        assert!(is_shown("4k3/8/8/8/8/8/8/4K2R w - - 0 1", Color::Black));
        assert!(!is_shown("4k3/8/8/8/8/8/8/4K2R w K - 0 1", Color::Black));
    }

    /// Both knights mate if they move at all, so that they never do: they are part of the cage.
    #[test]
    fn a_wall_of_pieces_is_placed() {
        let cage = "bn1n2k1/2p2p1b/2p2Pp1/1pKp1pP1/1P1P1P2/8/5B2/2B1B1B1 b - - 0 1";
        assert!(is_shown(cage, Color::White));
        assert!(is_shown("6b1/8/1k6/3p1p2/3PpP1B/3pKp2/3P1P1n/B7 w - - 0 1", Color::White));
    }
}
