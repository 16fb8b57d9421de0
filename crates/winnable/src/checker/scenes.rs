//! Every legal move leads from scene to scene, and no step may be a mate.
//!
//! A scene stands for every position in which
//! - the placed men stand as on its board, and the side to move is the same;
//! - each roamer is gone, or on a square of its realm on which no placed man stands;
//! - if a pawn made a double step just now, the square that it passed is `passed`, and is empty;
//! - a roamer that has `landed` on a square has just taken something there: it is on the board, and it is there for
//!   certain;
//! - if `has_promoted`, any number of other pieces of the losing side stand anywhere, but on `left`: there nothing
//!   stands.
//!
//! The invariant: the position on the board is one for which a scene of the proof stands, or the winner has nothing left
//! but its king.

use std::collections::BTreeMap;

use shakmaty::{Bitboard, Board, Chess, Color, EnPassantMode, Position as _, Rank, Role, Square, attacks};

use super::super::{Roamed, Roamer, Scene};
use super::{Flaw, may_be_filled};
use crate::Key;

/// Something that may happen in a scene.
struct Step {
    /// What it leads to.
    scene: Scene,
    /// Squares that it may have left or cleared.
    left: Bitboard,
    /// The number of the roamer that moved.
    mover: Option<usize>,
    /// What it is, for people.
    what: String,
}

/// A man of the winner that may give check.
struct Checker {
    square: Square,
    role: Role,
    /// Its number if it is a roamer.
    number: Option<usize>,
}

struct Proof<'a> {
    roamers: &'a [Roamer],
    winner: Color,
}

pub(super) fn check(chess: &Chess, winner: Color, roamed: &Roamed) -> Result<(), Flaw> {
    if chess.castles().any() {
        return Err(Flaw::Castling);
    }
    let proof = Proof { roamers: &roamed.roamers, winner };
    let start = proof.start(chess)?;
    let mut scenes = BTreeMap::new();
    for (number, scene) in roamed.scenes.iter().enumerate() {
        let (realms, roamers) = (scene.realms.len(), roamed.roamers.len());
        if realms != roamers {
            return Err(Flaw::Realms { number, realms, roamers });
        }
        scenes.insert(key(scene), scene);
    }
    let has = |scene: &Scene| {
        let same = scenes.get(&key(scene));
        same.is_some_and(|same| scene.realms.iter().zip(&same.realms).all(|(part, all)| part.is_subset(*all)))
    };
    if !has(&start) {
        return Err(Flaw::NotThisPosition);
    }
    for (number, scene) in roamed.scenes.iter().enumerate() {
        for step in proof.steps(scene)? {
            if proof.has_lost_all(&step.scene) {
                continue;
            }
            // Not to say that a square was left stands for more.
            let untold = Scene { left: None, ..step.scene.clone() };
            if !has(&step.scene) && !has(&untold) {
                return Err(Flaw::StepMissing { number, step: step.what });
            }
            if step.scene.turn != winner && proof.may_be_mate(&step) {
                return Err(Flaw::StepMates { number, step: step.what });
            }
        }
    }
    Ok(())
}

type Known = (Option<Square>, bool, Option<(usize, Square)>, Option<Square>);

fn key(scene: &Scene) -> (Key, Known) {
    let board = Key::of(&scene.board, scene.turn, Bitboard::EMPTY, None);
    (board, (scene.passed, scene.has_promoted, scene.landed, scene.left))
}

impl Proof<'_> {
    /// The position in question without its roamers, each of which stands where it stands.
    fn start(&self, chess: &Chess) -> Result<Scene, Flaw> {
        let mut board = chess.board().clone();
        for Roamer { color, role, origin } in self.roamers {
            let is_piece = *role != Role::King && *role != Role::Pawn;
            if !is_piece || board.remove_piece_at(*origin) != Some(role.of(*color)) {
                return Err(Flaw::NotThisMan(*origin));
            }
        }
        let realms = self.roamers.iter().map(|roamer| Bitboard::from_square(roamer.origin)).collect();
        let passed = chess.ep_square(EnPassantMode::Legal);
        Ok(Scene { board, turn: chess.turn(), passed, has_promoted: false, landed: None, left: None, realms })
    }

    /// The numbers of a side's roamers and where they may stand.
    fn realms(&self, scene: &Scene, color: Color) -> Vec<(usize, Bitboard)> {
        let ours = |&number: &usize| self.roamers[number].color == color;
        let free = |number: usize| (number, scene.realms[number] & !scene.board.occupied());
        (0..self.roamers.len()).filter(ours).map(free).collect()
    }

    /// May something stand here that is no placed man?
    fn may_be_taken_up(&self, scene: &Scene, square: Square, color: Color) -> bool {
        let is_promoted = scene.has_promoted && color != self.winner && scene.left != Some(square);
        is_promoted || self.realms(scene, color).into_iter().any(|(_, realm)| realm.contains(square))
    }

    fn has_lost_all(&self, scene: &Scene) -> bool {
        self.men_left(scene, self.winner) == 0
    }

    /// Men of a side, but its king, as many as there may be (of those promoted nobody knows).
    fn men_left(&self, scene: &Scene, color: Color) -> usize {
        let placed = scene.board.by_color(color) & !scene.board.kings();
        placed.count() + self.realms(scene, color).into_iter().filter(|(_, realm)| realm.any()).count()
    }

    /// Placed men of `by` that attack the square in every position of the scene.
    fn sure_attackers(&self, scene: &Scene, square: Square, by: Color) -> Vec<Square> {
        let is_clear = |between: Square| {
            !scene.board.occupied().contains(between)
                && Color::ALL.into_iter().all(|color| !self.may_be_taken_up(scene, between, color))
        };
        let attackers = scene.board.by_color(by).into_iter().filter(|&from| {
            may_attack(&scene.board, from, square, scene.board.occupied())
                && attacks::between(from, square).into_iter().all(is_clear)
        });
        attackers.collect()
    }

    /// Everything that may happen; a few things more do no harm.
    fn steps(&self, scene: &Scene) -> Result<Vec<Step>, Flaw> {
        let us = scene.turn;
        let Some(king) = scene.board.king_of(us) else { return Err(Flaw::NotThisPosition) };
        let checkers = self.sure_attackers(scene, king, !us);
        let mut steps = Vec::new();
        self.roamers_move(scene, king, &checkers, &mut steps);
        self.promoted_move(scene, king, &checkers, &mut steps);
        for from in scene.board.by_color(us) {
            for to in Square::ALL {
                if !self.may_go(scene, from, to) {
                    continue;
                }
                let mut step = self.placed_step(scene, from, to);
                let king = step.scene.board.king_of(us).ok_or(Flaw::NotThisPosition)?;
                if !self.sure_attackers(&step.scene, king, !us).is_empty() {
                    continue;
                }
                if us == self.winner && is_promotion(&scene.board, from, to) {
                    return Err(Flaw::Promotes(from));
                }
                roam_again(scene, &mut step.scene);
                steps.push(step);
            }
        }
        Ok(steps)
    }

    /// A roamer goes along lines that only placed men stop, and may take a roamer where it goes, which may be gone anyway.
    fn roamers_move(&self, scene: &Scene, king: Square, checkers: &[Square], steps: &mut Vec<Step>) {
        let us = scene.turn;
        for (number, realm) in self.realms(scene, us) {
            let role = self.roamers[number].role;
            let reach: Bitboard = realm
                .into_iter()
                .flat_map(|from| attacks::attacks(from, role.of(us), scene.board.occupied()))
                .collect();
            // In check it has to go between: then the man that gives it is a placed one.
            let free = reach & !scene.board.occupied();
            let free = match checkers {
                [] => free,
                [checker] => free & attacks::between(*checker, king),
                _ => Bitboard::EMPTY,
            };
            if free.any() {
                let mut after = passed_on(scene);
                roam_again(scene, &mut after);
                after.realms[number] = free;
                let what = format!("a {role:?} goes to one of {} squares", free.count());
                steps.push(Step { scene: after, left: realm, mover: Some(number), what });
            }
            for square in reach & prey(scene, checkers) {
                let mut after = passed_on(scene);
                after.board.discard_piece_at(square);
                roam_again(scene, &mut after);
                after.board.set_piece_at(square, role.of(us));
                after.realms[number] = Bitboard::EMPTY;
                after.landed = Some((number, square));
                let what = format!("a {role:?} takes on {square}");
                steps.push(Step { scene: after, left: realm, mover: Some(number), what });
            }
        }
    }

    /// What promoted may do anything: move, go between, take any man. None of it gives the winner a mate.
    fn promoted_move(&self, scene: &Scene, king: Square, checkers: &[Square], steps: &mut Vec<Step>) {
        if !scene.has_promoted || scene.turn == self.winner {
            return;
        }
        // Where promoted men may stand a sure check comes from a neighbour or a knight, and nothing goes between; or
        // over the square that was just left, and anything may go there.
        let may_go = match checkers {
            [] => true,
            [checker] => attacks::between(*checker, king).any(),
            _ => false,
        };
        if may_go {
            let what = "something promoted moves".to_owned();
            let mut after = passed_on(scene);
            roam_again(scene, &mut after);
            steps.push(Step { scene: after, left: Bitboard::FULL, mover: None, what });
        }
        for square in prey(scene, checkers) {
            let mut after = passed_on(scene);
            after.board.discard_piece_at(square);
            roam_again(scene, &mut after);
            let what = format!("something promoted takes on {square}");
            steps.push(Step { scene: after, left: Bitboard::FULL, mover: None, what });
        }
    }

    /// May the placed man make this move in some position of the scene, as far as its kind and the placed men go?
    fn may_go(&self, scene: &Scene, from: Square, to: Square) -> bool {
        let (us, board) = (scene.turn, &scene.board);
        if board.by_color(us).contains(to) || board.kings().contains(to) {
            return false;
        }
        if board.role_at(from) != Some(Role::Pawn) {
            return may_attack(board, from, to, board.occupied());
        }
        if may_attack(board, from, to, board.occupied()) {
            // Without its last man the winner cannot mate: what follows does not matter.
            let is_last = us != self.winner && self.men_left(scene, !us) == 1;
            let may_take_roamer = self.may_be_taken_up(scene, to, !us) && !is_last;
            return board.by_color(!us).contains(to) || scene.passed == Some(to) || may_take_roamer;
        }
        let forward = us.fold_wb(8, -8);
        let is_free = |square: Square| !board.occupied().contains(square);
        let next = from.offset(forward).filter(|&next| is_free(next));
        let is_home = from.rank() == us.fold_wb(Rank::Second, Rank::Seventh);
        let second = next.filter(|_| is_home).and_then(|next| next.offset(forward)).filter(|&to| is_free(to));
        next == Some(to) || second == Some(to)
    }

    fn placed_step(&self, scene: &Scene, from: Square, to: Square) -> Step {
        let us = scene.turn;
        let mut after = passed_on(scene);
        after.left = Some(from);
        let mut left = Bitboard::from_square(from);
        let is_pawn = scene.board.role_at(from) == Some(Role::Pawn);
        if is_pawn && scene.passed == Some(to) {
            let taken = Bitboard::from_iter(to.offset(us.fold_wb(-8, 8))) & scene.board.by_color(!us);
            taken.into_iter().for_each(|square| after.board.discard_piece_at(square));
            left |= taken;
        }
        if is_pawn && from.distance(to) == 2 {
            after.passed = from.offset(us.fold_wb(8, -8));
        }
        if let Some(man) = after.board.remove_piece_at(from) {
            after.board.discard_piece_at(to);
            if is_promotion(&scene.board, from, to) {
                after.has_promoted = true;
            } else {
                after.board.set_piece_at(to, man);
            }
        }
        // Whoever stood there is gone, and nobody else has come there.
        for realm in &mut after.realms {
            realm.discard(to);
        }
        Step { scene: after, left, mover: None, what: format!("{from}-{to}") }
    }

    /// May the winner's step have been a mate?
    ///
    /// Before it the losing king, which did not move, was not in check. So a roamer that gives check has just
    /// moved, or something between it and the king has. A placed man that attacks the king may always be
    /// the one that gives check. A mate needs that none of those that may give check allows an answer for certain.
    fn may_be_mate(&self, step: &Step) -> bool {
        let (scene, loser) = (&step.scene, step.scene.turn);
        let Some(king) = scene.board.king_of(loser) else { return true };
        let occupied = scene.board.occupied();
        let mut checkers: Vec<Checker> = Vec::new();
        for square in scene.board.by_color(self.winner) {
            if may_attack(&scene.board, square, king, occupied) {
                let role = scene.board.role_at(square).unwrap_or(Role::King);
                checkers.push(Checker { square, role, number: None });
            }
        }
        for (number, realm) in self.realms(scene, self.winner) {
            let role = self.roamers[number].role;
            for square in realm & attacks::attacks(king, role.of(self.winner), occupied) {
                let is_opened = (attacks::between(square, king) & step.left).any();
                if is_opened || step.mover == Some(number) {
                    checkers.push(Checker { square, role, number: Some(number) });
                }
            }
        }
        let mut checkers = checkers.into_iter();
        checkers
            .any(|checker| !self.may_flee(scene, king, &checker) && !self.may_be_met(scene, king, &checker))
    }

    /// Has the king a move for certain, if this man gives check?
    fn may_flee(&self, scene: &Scene, king: Square, checker: &Checker) -> bool {
        let loser = scene.turn;
        let occupied = scene.board.occupied().without(king);
        let around = attacks::king_attacks(king) & !scene.board.by_color(loser);
        let own = attacks::attacks(checker.square, checker.role.of(self.winner), occupied);
        let is_open = |&to: &Square| !own.contains(to) && !self.may_be_attacked(scene, to, occupied, checker);
        let open: Bitboard = around.into_iter().filter(is_open).collect();
        // Where a man of the winner stands no roamer is in the way.
        if open.contains(checker.square) {
            return true;
        }
        let blockers: Vec<Bitboard> = self.realms(scene, loser).into_iter().map(|(_, realm)| realm).collect();
        !scene.has_promoted && !may_be_filled(open, &blockers)
    }

    /// May a man of the winner, but this one, attack the square?
    fn may_be_attacked(&self, scene: &Scene, square: Square, occupied: Bitboard, but: &Checker) -> bool {
        let mut placed = scene.board.by_color(self.winner).without(but.square).into_iter();
        placed.any(|from| occupied.contains(from) && may_attack(&scene.board, from, square, occupied))
            || self.realms(scene, self.winner).into_iter().any(|(number, realm)| {
                let lines = attacks::attacks(square, self.roamers[number].role.of(self.winner), occupied);
                but.number != Some(number) && (lines & realm).any()
            })
    }

    /// Does a placed man, not the king, take the man that gives check for certain, and is that legal for certain?
    fn may_be_met(&self, scene: &Scene, king: Square, checker: &Checker) -> bool {
        let takers = self.sure_attackers(scene, checker.square, scene.turn);
        takers.into_iter().filter(|&taker| taker != king).any(|taker| {
            let occupied = scene.board.occupied().without(taker).with(checker.square);
            !self.may_be_attacked(scene, king, occupied, checker)
        })
    }
}

/// What had landed before this move is a roamer again, on the square on which it stands, if it was not taken.
fn roam_again(before: &Scene, after: &mut Scene) {
    let Some((number, square)) = before.landed else { return };
    let is_there = after.board.color_at(square) == Some(!before.turn);
    if let Some(realm) = after.realms.get_mut(number).filter(|_| is_there) {
        after.board.discard_piece_at(square);
        *realm = Bitboard::from_square(square);
    }
}

/// The same men, and it is the other side's turn.
fn passed_on(scene: &Scene) -> Scene {
    let mut after = scene.clone();
    after.turn = !scene.turn;
    after.passed = None;
    after.landed = None;
    after.left = None;
    for realm in &mut after.realms {
        *realm &= !scene.board.occupied();
    }
    after
}

/// Placed men that a piece may take: in check for certain only the one that gives it.
fn prey(scene: &Scene, checkers: &[Square]) -> Bitboard {
    let theirs = scene.board.by_color(!scene.turn) & !scene.board.kings();
    match checkers {
        [] => theirs,
        [checker] => theirs & Bitboard::from_square(*checker),
        _ => Bitboard::EMPTY,
    }
}

/// Does the placed man on `from` attack the square, if these squares are taken up?
fn may_attack(board: &Board, from: Square, to: Square, occupied: Bitboard) -> bool {
    board.piece_at(from).is_some_and(|man| attacks::attacks(from, man, occupied).contains(to))
}

fn is_promotion(board: &Board, from: Square, to: Square) -> bool {
    let is_last = to.rank() == Rank::First || to.rank() == Rank::Eighth;
    is_last && board.role_at(from) == Some(Role::Pawn)
}

#[cfg(test)]
mod tests;
