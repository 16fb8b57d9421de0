//! How many moves a picture is away at least: what keeps a search for the way to it short.
//!
//! Counted as in chess as if nothing stood in the way, and by player: each has every fourth ply, so one
//! who needs two moves is five plies away at least.

use shakmaty::Role;

use super::army::{Army, Seat};
use super::geometry::Geometry;
use super::position::{Castling, FourPosition, Wing};
use crate::departure::{Change, Picture};
use crate::sensor::Content;
use crate::square::Square;
use crate::{Need, Reach};

/// A picture, ready to be compared with positions.
#[derive(Debug, Clone)]
pub struct FourReach {
    contents: Vec<Content>,
    named: bool,
}

/// What one player has to do at least.
#[derive(Debug, Clone, Copy, Default)]
struct Task {
    moves: u32,
    /// Captures among them that pawns cannot do without.
    captures: u32,
}

impl Reach<FourPosition> for FourReach {
    fn new(contents: &[Content], named: bool) -> Self {
        Self { contents: contents.to_vec(), named }
    }

    fn need(&self, position: &FourPosition) -> Option<Need> {
        let picture = Picture::of(position.contents().iter().copied(), &self.contents, self.named);
        if self.named {
            need_of_men(position, &picture.changes)
        } else {
            need_of_squares(position, &picture.changes)
        }
    }
}

fn need_of_men(position: &FourPosition, changes: &[Change]) -> Option<Need> {
    let mut lost = [0; 2];
    let mut tasks = [Task::default(); 4];
    for army in Army::ALL {
        let count = |content: fn(&Change) -> Content| {
            changes.iter().filter(|change| Army::of(content(change)) == Some(army)).count()
        };
        let gone = count(|change| change.before).checked_sub(count(|change| change.after))?;
        lost[army.side().index()] += u32::try_from(gone).ok()?;
        tasks[army.index()] = task(position, changes, army)?;
    }
    let [white, black] = lost;
    let captures = |one: usize| tasks[one].captures + tasks[one + 2].captures;
    // Whoever is missing was taken by the other team, and pawns go aside only when they take.
    if captures(0) > black || captures(1) > white {
        return None;
    }
    Some(need(position, tasks.map(|task| task.moves), [black, white]))
}

/// The need of players with so many moves (by army), and of teams with so many captures (by side).
fn need(position: &FourPosition, moves: [u32; 4], captures: [u32; 2]) -> Need {
    let sides = [(moves[0] + moves[2]).max(captures[0]), (moves[1] + moves[3]).max(captures[1])];
    let last_ply = |plies: usize| {
        let army = position.rules.army_at(position.turn.after(plies));
        // Nothing to do takes no ply.
        moves[army.index()].checked_sub(1).map_or(0, |before| 4 * before + 1 + plies as u32)
    };
    let last = (0..4).map(last_ply).max().unwrap_or(0);
    Need { moves: sides, together: last.max(sides[0] + sides[1]) }
}

fn task(position: &FourPosition, changes: &[Change], army: Army) -> Option<Task> {
    let geometry = position.geometry;
    let seat = position.rules.seat_of(army);
    let mut task = Task::default();
    // The king's moves and the dearest of a rook: castling may save them.
    let (mut by_king, mut by_rook) = (0, 0);
    let mut king_at = position.king(army);
    let pawn = army.man(Role::Pawn);
    for to in changes.iter().filter(|change| Army::of(change.after) == Some(army)) {
        let role = to.after.role()?;
        let alike = changes.iter().filter(|change| change.before == to.after);
        let mut ways: Vec<Task> =
            alike.filter_map(|from| way(geometry, seat, role, from.square, to.square)).collect();
        if !matches!(role, Role::Pawn | Role::King) {
            let pawns = changes.iter().filter(|change| change.before == pawn);
            ways.extend(pawns.filter_map(|from| promoted_way(geometry, seat, role, from.square, to.square)));
        }
        let moves = ways.iter().map(|way| way.moves).min()?;
        task.moves += moves;
        task.captures += ways.iter().map(|way| way.captures).min()?;
        match role {
            Role::King => (by_king, king_at) = (moves, Some(to.square)),
            Role::Rook => by_rook = by_rook.max(moves),
            _ => {}
        }
    }
    let others = task.moves - by_king - by_rook;
    for wing in Wing::BOTH.into_iter().filter(|&wing| position.may_castle(seat, wing)) {
        let after = position.castling_squares(seat, wing).king_to;
        let castled = king_at.map(|at| others + 1 + king_moves(geometry, after, at));
        task.moves = castled.map_or(task.moves, |castled| castled.min(task.moves));
    }
    Some(task)
}

fn way(geometry: &Geometry, seat: Seat, role: Role, from: Square, to: Square) -> Option<Task> {
    let moves = match role {
        Role::Pawn => return pawn_way(geometry, seat, from, to),
        Role::Knight => geometry.knight_moves(from, to),
        Role::Bishop if !geometry.same_colour(from, to) => return None,
        Role::King => king_moves(geometry, from, to),
        Role::Bishop | Role::Rook | Role::Queen => {
            let is_there = geometry.way(from, to).is_some_and(|(direction, _)| match role {
                Role::Bishop => direction % 2 == 1,
                Role::Rook => direction % 2 == 0,
                _ => true,
            });
            if is_there { 1 } else { 2 }
        }
    };
    Some(Task { moves, captures: 0 })
}

fn king_moves(geometry: &Geometry, from: Square, to: Square) -> u32 {
    let ((file, rank), (other_file, other_rank)) = (geometry.place(from), geometry.place(to));
    file.abs_diff(other_file).max(rank.abs_diff(other_rank)).into()
}

fn pawn_way(geometry: &Geometry, seat: Seat, from: Square, to: Square) -> Option<Task> {
    let ((file, rank), (to_file, to_rank)) = (geometry.place(from), geometry.place(to));
    let (forward, aside) = match seat {
        Seat::South => (to_rank.checked_sub(rank), file.abs_diff(to_file)),
        Seat::West => (to_file.checked_sub(file), rank.abs_diff(to_rank)),
        Seat::North => (rank.checked_sub(to_rank), file.abs_diff(to_file)),
        Seat::East => (file.checked_sub(to_file), rank.abs_diff(to_rank)),
    };
    let forward = forward.filter(|&forward| forward > 0)?;
    let straight = forward.checked_sub(aside)?;
    let is_double = geometry.pawn_row(seat).contains(from) && straight >= 2;
    Some(Task { moves: u32::from(forward) - u32::from(is_double), captures: aside.into() })
}

/// A pawn that becomes another man and goes on to `to`.
fn promoted_way(geometry: &Geometry, seat: Seat, role: Role, from: Square, to: Square) -> Option<Task> {
    let by = |square: Square| {
        let pawn = pawn_way(geometry, seat, from, square)?;
        let rest = if square == to { 0 } else { way(geometry, seat, role, square, to)?.moves };
        Some(Task { moves: pawn.moves + rest, captures: pawn.captures })
    };
    let ways: Vec<Task> = geometry.promotions(seat).iter().filter_map(by).collect();
    let moves = ways.iter().map(|way| way.moves).min()?;
    Some(Task { moves, captures: ways.iter().map(|way| way.captures).min()? })
}

/// Each ply leaves one square and fills one at most; castling leaves and fills two, a capture in passing
/// leaves two. A square that is left was left by whoever stood there, or by one who had taken him.
fn need_of_squares(position: &FourPosition, changes: &[Change]) -> Option<Need> {
    let count = |squares: usize| u32::try_from(squares).ok();
    let is_left = |square| changes.iter().any(|change| change.square == square && change.after.is_empty());
    let is_filled = |square| changes.iter().any(|change| change.square == square && change.before.is_empty());
    let left = count(changes.iter().filter(|change| change.after.is_empty()).count())?;
    let filled = count(changes.iter().filter(|change| change.before.is_empty()).count())?;
    let captures = left.checked_sub(filled)?;
    let mut moves = [0; 4];
    let (mut left_at_once, mut filled_at_once) = (0, 0);
    for army in Army::ALL {
        let seat = position.rules.seat_of(army);
        let castles = |both: &dyn Fn(Castling) -> bool| {
            let wings = Wing::BOTH.into_iter().filter(|&wing| position.may_castle(seat, wing));
            u32::from(wings.map(|wing| position.castling_squares(seat, wing)).any(both))
        };
        let leaves_two = castles(&|squares| is_left(squares.king) && is_left(squares.rook));
        left_at_once += leaves_two;
        filled_at_once += castles(&|squares| is_filled(squares.king_to) && is_filled(squares.rook_to));
        let own =
            changes.iter().filter(|change| change.after.is_empty() && Army::of(change.before) == Some(army));
        moves[army.index()] = count(own.count())?.saturating_sub(captures + leaves_two);
    }
    let mut need = need(position, moves, [0; 2]);
    let by_left = left.saturating_sub(left_at_once + captures);
    need.together = need.together.max(filled.saturating_sub(filled_at_once)).max(by_left).max(captures);
    Some(need)
}
