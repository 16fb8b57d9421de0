//! Whether a position can have arisen by legal moves, and why not (3.10.3, as far as it has a sense here).
//!
//! Every reason is a proof; where nothing is found the answer is "unknown", and "yes" only where a game of a
//! few plies was found.

use crate::Position as _;
use shakmaty::Role;

use super::army::{Army, Seat};
use super::geometry::{Geometry, NOWHERE, captures, forward};
use super::position::FourPosition;
use crate::legality::{Legal, Reason, Verdict};
use crate::square::Square;

/// Men with which an army starts.
const MEN: u32 = 16;

/// The longest game that is looked for, plies: two rounds.
const GAME_PLIES: usize = 8;
/// Positions that are looked at for it: some milliseconds.
const GAME_NODES: u32 = 20_000;
/// Squares that a ply changes at most: nobody castles or takes in passing so early.
const CHANGES: usize = 2;

/// Judges a position that arose, or did not, from the start array of its layout. Counters are not looked at.
#[must_use]
pub fn judge(position: &FourPosition) -> Verdict {
    let teams = [[Army::Red, Army::Blue], [Army::White, Army::Black]];
    // What follows stands on what came before: with three kings there is nothing to say of checks.
    let mut reasons = position.impossible_counts();
    if reasons.is_empty() {
        reasons = pawns(position);
    }
    if reasons.is_empty() {
        reasons =
            teams.into_iter().filter_map(|team| captures_of(position, team)).chain(state(position)).collect();
    }
    let legal = match reasons.as_slice() {
        [] if is_reached(position) => Legal::Yes,
        [] => Legal::Unknown,
        _ => Legal::No,
    };
    Verdict { legal, reasons }
}

fn reason(name: &'static str, text: String) -> Reason {
    Reason { name, text }
}

/// `White`, at the beginning of a sentence.
fn name(army: Army) -> &'static str {
    match army {
        Army::Red => "Red",
        Army::White => "White",
        Army::Blue => "Blue",
        Army::Black => "Black",
    }
}

/// Pawns on squares that none ever gets to.
fn pawns(position: &FourPosition) -> Vec<Reason> {
    let lost = |army: Army| {
        let ways = Ways::of(position.geometry(), position.rules().seat_of(army));
        let lost = position.squares_with(army, Role::Pawn).iter();
        let lost = lost.filter(|&square| ways.captures_to(square).is_none());
        let names: Vec<String> = lost.map(|square| position.square_name(square)).collect();
        let text = format!("No pawn of {} can stand on {}.", name(army), names.join(", "));
        (!names.is_empty()).then(|| reason("pawn-on-unreachable-square", text))
    };
    Army::ALL.into_iter().filter_map(lost).collect()
}

/// Captures that a team's pawns must have made, against the men that the other team lacks.
fn captures_of(position: &FourPosition, team: [Army; 2]) -> Option<Reason> {
    let rules = position.rules();
    let needed: u32 = team
        .into_iter()
        .map(|army| {
            let ways = Ways::of(position.geometry(), rules.seat_of(army));
            let pawns = position.squares_with(army, Role::Pawn);
            let promoted = u32::try_from(position.promoted(army)).unwrap_or(u32::MAX);
            let captures = pawns.iter().filter_map(|square| ways.captures_to(square)).sum::<u32>();
            captures.saturating_add(promoted.saturating_mul(ways.captures_to_promotion))
        })
        .fold(0, u32::saturating_add);
    let others = Army::ALL.into_iter().filter(|army| !team.contains(army));
    let missing: u32 = others.map(|army| MEN.saturating_sub(position.squares_of(army).count())).sum();
    let [one, other] = team.map(name);
    (needed > missing).then(|| {
        let text = format!(
            "The pawns of {one} and {other} made at least {needed} captures, but the other team lacks only {missing} men."
        );
        reason("pawn-captures", text)
    })
}

/// Where the pawns of a seat can get, and with how many captures at least.
struct Ways {
    captures: Vec<Option<u32>>,
    captures_to_promotion: u32,
}

impl Ways {
    fn of(geometry: &Geometry, seat: Seat) -> Self {
        let mut captures_to = vec![None; geometry.squares()];
        let mut captures_to_promotion = u32::MAX;
        let mut front: Vec<Square> = geometry.pawn_row(seat).iter().collect();
        let mut count = 0;
        // A round of steps forward, then one capture more.
        while !front.is_empty() {
            let mut next = Vec::new();
            while let Some(square) = front.pop() {
                let known: &mut Option<u32> = &mut captures_to[square];
                if known.is_some() {
                    continue;
                }
                *known = Some(count);
                let ahead = geometry.step(square, forward(seat));
                // Every arrival on a promotion square is a capture.
                if ahead != NOWHERE && !geometry.promotions(seat).contains(ahead) {
                    front.push(ahead);
                }
                for direction in captures(seat) {
                    let to = geometry.step(square, direction);
                    if to == NOWHERE {
                        continue;
                    }
                    if geometry.promotions(seat).contains(to) {
                        captures_to_promotion = captures_to_promotion.min(count + 1);
                    } else {
                        next.push(to);
                    }
                }
            }
            front = next;
            count += 1;
        }
        Self { captures: captures_to, captures_to_promotion }
    }

    /// The captures that a pawn on `square` made at least; `None` if no pawn gets there.
    fn captures_to(&self, square: Square) -> Option<u32> {
        self.captures.get(square.index()).copied().flatten()
    }
}

/// What checks rule out. Everybody has one king.
fn state(position: &FourPosition) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for (one, other) in [
        (Army::Red, Army::White),
        (Army::White, Army::Blue),
        (Army::Blue, Army::Black),
        (Army::Black, Army::Red),
    ] {
        let kings = position.king(one).zip(position.king(other));
        if kings.is_some_and(|(one, other)| {
            (0..8).any(|direction| position.geometry().step(one, direction) == other)
        }) {
            let text = format!(
                "The kings of {} and {}, who are opponents, stand beside each other.",
                name(one),
                name(other)
            );
            reasons.push(reason("kings-adjacent", text));
        }
    }
    let mover = position.mover();
    if reasons.is_empty() && position.is_in_check(mover) {
        let text = format!("{} has moved and his king is attacked.", name(mover));
        reasons.push(reason("side-not-to-move-in-check", text));
    }
    reasons
}

/// True if a game of a few plies leads to it.
fn is_reached(position: &FourPosition) -> bool {
    let mut nodes = GAME_NODES;
    let start = FourPosition::start(position.rules());
    (0..=GAME_PLIES).any(|plies| leads_to(&start, position, plies, &mut nodes))
}

fn leads_to(from: &FourPosition, to: &FourPosition, plies: usize, nodes: &mut u32) -> bool {
    if plies == 0 {
        return from == to;
    }
    let differ = from.contents().iter().zip(to.contents()).filter(|(one, other)| one != other).count();
    if differ > CHANGES * plies {
        return false;
    }
    let mut moves = Vec::new();
    from.legal_moves(&mut moves);
    moves.into_iter().any(|mv| {
        *nodes = nodes.saturating_sub(1);
        *nodes > 0 && leads_to(&from.play(mv), to, plies - 1, nodes)
    })
}

#[cfg(test)]
mod tests;
