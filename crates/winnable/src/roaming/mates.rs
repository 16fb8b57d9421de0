//! May a step have been a mate?

use shakmaty::{Bitboard, Color, Square, attacks};

use super::super::Scene;
use super::steps::{Opening, Step, View};

impl View {
    /// May this step have mated the side that is to move now?
    pub(super) fn may_be_mate(&self, step: &Step) -> bool {
        let (scene, loser) = (&step.scene, step.scene.turn);
        let board = &scene.board;
        let Some(king) = board.king_of(loser) else { return true };
        let occupied = board.occupied().without(king);
        let guarded = |square| board.attacks_to(square, self.winner, occupied).any();
        let around = attacks::king_attacks(king) & !board.by_color(loser);
        let around: Bitboard = around.into_iter().filter(|&square| !guarded(square)).collect();
        let is_fit = |open: Bitboard| self.may_block(scene, open, loser);
        let checkers = board.attacks_to(king, self.winner, occupied);
        if let Some(checker) = checkers.first() {
            let open = around.into_iter().filter(|&at| !self.may_attack(scene, at, occupied, None)).collect();
            let is_taken = checkers.count() == 1 && self.is_taken(scene, king, checker, None);
            if is_fit(open) && !is_taken {
                return true;
            }
        }
        self.roamers(scene, self.winner).any(|(number, role, realm)| {
            let role = role.of(self.winner);
            let lines = attacks::attacks(king, role, occupied) & realm & !board.occupied();
            lines.into_iter().filter(|&from| may_come_of(step.opening, from, king)).any(|from| {
                let open = around & !attacks::attacks(from, role, occupied);
                let open: Bitboard = open
                    .into_iter()
                    .filter(|&at| !self.may_attack(scene, at, occupied, Some(number)))
                    .collect();
                !open.contains(from) && is_fit(open) && !self.is_taken(scene, king, from, Some(number))
            })
        })
    }

    /// May a roamer of the winner attack the square, but not the one of this number?
    fn may_attack(&self, scene: &Scene, square: Square, occupied: Bitboard, but: Option<usize>) -> bool {
        self.roamers(scene, self.winner).any(|(number, role, realm)| {
            let from = attacks::attacks(square, role.of(self.winner), occupied) & realm;
            Some(number) != but && from.any()
        })
    }

    /// A placed man takes what gives check from this square, whatever else stands where.
    fn is_taken(&self, scene: &Scene, king: Square, from: Square, number: Option<usize>) -> bool {
        let board = &scene.board;
        let takers = self.sure_attackers(scene, board, from, scene.turn).without(king);
        takers.into_iter().any(|taker| {
            let occupied = board.occupied().without(taker).with(from);
            let others = board.attacks_to(king, self.winner, occupied).without(from);
            others.is_empty() && !self.may_attack(scene, king, occupied, number)
        })
    }

    /// May roamers of `color` stand on all these squares at once?
    fn may_block(&self, scene: &Scene, squares: Bitboard, color: Color) -> bool {
        if scene.has_promoted || squares.is_empty() {
            return true;
        }
        let squares: Vec<Square> = squares.into_iter().collect();
        let realms: Vec<Bitboard> = self.roamers(scene, color).map(|(_, _, realm)| realm).collect();
        // A square that nobody gets to would be found out only after everything else was tried.
        let has_realm = |square: &Square| realms.iter().any(|realm| realm.contains(*square));
        squares.iter().all(has_realm) && fits(&squares, &mut vec![false; realms.len()], &realms)
    }
}

/// May a roamer on this square have come to give check by such a step?
fn may_come_of(opening: Opening, from: Square, king: Square) -> bool {
    match opening {
        Opening::Any => true,
        Opening::Through(left) => attacks::between(from, king).contains(left),
    }
}

/// Is there a realm of its own for each square?
fn fits(squares: &[Square], used: &mut [bool], realms: &[Bitboard]) -> bool {
    let Some((&first, rest)) = squares.split_first() else { return true };
    (0..realms.len()).any(|number| {
        if used[number] || !realms[number].contains(first) {
            return false;
        }
        used[number] = true;
        let does_fit = fits(rest, used, realms);
        used[number] = false;
        does_fit
    })
}
