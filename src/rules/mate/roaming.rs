//! Kings and pawns as they stand, pieces wherever they might be.
//!
//! In a locked position the pieces behind the pawns can be arranged in millions of ways that do not matter. Here a
//! scene is the exact placement of the *placed* men and whose turn it is; a *roamer* may stand on any square of its
//! realm in that scene, or be gone. Every legal move is one of the steps below, so where no step may mate, nothing
//! mates.

use std::collections::{BTreeMap, VecDeque};

use shakmaty::{
    Bitboard, Board, Chess, Color, EnPassantMode, Piece, Position as _, Rank, Role, Square, attacks,
};

use super::{Roamed, Roamer, Scene};

/// Proves that `winner` cannot mate, looking at scenes no more than `limit` times; None if that shows nothing.
///
/// Pieces that have no more than `placed_moves` moves now count as placed, if that is given: some walls are made of
/// pieces.
pub(super) fn roamed(
    chess: &Chess,
    winner: Color,
    placed_moves: Option<usize>,
    limit: u32,
) -> Option<Roamed> {
    if chess.castles().any() {
        return None;
    }
    let view = View::new(chess.board(), winner, placed_moves);
    let start = Scene {
        board: view.placed(chess.board()),
        turn: chess.turn(),
        passed: chess.ep_square(EnPassantMode::Legal),
        has_promoted: false,
        realms: view.roamers.iter().map(|roamer| Bitboard::from_square(roamer.origin)).collect(),
    };
    let mut numbers = BTreeMap::from([(key(&start), 0)]);
    let mut scenes = vec![start];
    let mut due = VecDeque::from([0]);
    let mut is_due = vec![true];
    let mut looks = 0;
    while let Some(at) = due.pop_front() {
        is_due[at] = false;
        looks += 1;
        if looks > limit {
            return None;
        }
        for step in view.steps(&scenes[at])? {
            if view.is_lost(&step.scene) {
                continue;
            }
            if step.scene.turn != winner && view.may_be_mate(&step) {
                return None;
            }
            let next = scenes.len();
            let number = *numbers.entry(key(&step.scene)).or_insert(next);
            if number == next {
                scenes.push(step.scene);
                is_due.push(true);
                due.push_back(number);
            } else if widen(&mut scenes[number], &step.scene) && !is_due[number] {
                is_due[number] = true;
                due.push_back(number);
            }
        }
    }
    Some(Roamed { roamers: view.roamers, scenes })
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

/// What does not change from scene to scene.
struct View {
    winner: Color,
    roamers: Vec<Roamer>,
}

/// One thing that may happen.
struct Step {
    scene: Scene,
    opening: Opening,
}

/// Which lines a step may have opened, on which a piece may give check.
#[derive(Clone, Copy)]
enum Opening {
    /// Those through one square, which was left.
    Through(Square),
    /// The roamer of this number took what stood on this square, and stands there.
    Taken(usize, Square),
    /// Any: a roamer moved, or two men left their squares at once.
    Any,
}

type Key = ([u64; 8], bool, Option<Square>, bool);

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
    (sets.map(u64::from), scene.turn.is_white(), scene.passed, scene.has_promoted)
}

impl View {
    fn new(board: &Board, winner: Color, placed_moves: Option<usize>) -> Self {
        let is_roamer = |origin: Square, piece: Piece| {
            let moves = attacks::attacks(origin, piece, board.occupied()) & !board.by_color(piece.color);
            let is_piece = !matches!(piece.role, Role::King | Role::Pawn);
            is_piece && placed_moves.is_none_or(|most| moves.count() > most)
        };
        let roamers = board.iter().filter(|&(origin, piece)| is_roamer(origin, piece));
        let roamers = roamers.map(|(origin, Piece { color, role })| Roamer { color, role, origin });
        Self { winner, roamers: roamers.collect() }
    }

    fn placed(&self, board: &Board) -> Board {
        let mut placed = board.clone();
        for roamer in &self.roamers {
            placed.discard_piece_at(roamer.origin);
        }
        placed
    }

    /// The roamers of a side, with their numbers and realms.
    fn roamers<'a>(
        &'a self,
        scene: &'a Scene,
        color: Color,
    ) -> impl Iterator<Item = (usize, Role, Bitboard)> {
        let all = self.roamers.iter().zip(&scene.realms).enumerate();
        all.filter(move |(_, (roamer, _))| roamer.color == color)
            .map(|(number, (roamer, &realm))| (number, roamer.role, realm))
    }

    /// Squares on which a side may have roamers.
    fn realm(&self, scene: &Scene, color: Color) -> Bitboard {
        if scene.has_promoted && color != self.winner {
            return Bitboard::FULL;
        }
        self.roamers(scene, color).fold(Bitboard::EMPTY, |all, (_, _, realm)| all | realm)
    }

    /// The winner has nothing left: it cannot mate any more.
    fn is_lost(&self, scene: &Scene) -> bool {
        (scene.board.by_color(self.winner) & !scene.board.kings()).is_empty()
            && self.realm(scene, self.winner).is_empty()
    }

    /// Everything that may happen; None if a pawn of the winner may promote: then nothing is shown.
    fn steps(&self, scene: &Scene) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let us = scene.turn;
        let king = scene.board.king_of(us)?;
        let checkers = self.sure_attackers(scene, &scene.board, king, !us);
        self.roamer_steps(scene, king, checkers, &mut steps);
        for from in scene.board.by_color(us) {
            let role = scene.board.role_at(from)?;
            for to in self.targets(scene, from, role) {
                let step = self.placed_step(scene, from, to, role);
                let king = step.scene.board.king_of(us)?;
                if self.sure_attackers(&step.scene, &step.scene.board, king, !us).any() {
                    continue;
                }
                let is_last = role == Role::Pawn && (to.rank() == Rank::First || to.rank() == Rank::Eighth);
                if is_last && us == self.winner {
                    return None;
                }
                steps.push(step);
            }
        }
        Some(steps)
    }

    /// A roamer moves, or takes one of the placed men.
    fn roamer_steps(&self, scene: &Scene, king: Square, checkers: Bitboard, steps: &mut Vec<Step>) {
        let (us, board) = (scene.turn, &scene.board);
        let after = |board: Board, realms: Vec<Bitboard>| Scene {
            board,
            turn: !us,
            passed: None,
            has_promoted: scene.has_promoted,
            realms,
        };
        // Against a check only taking and stepping between help.
        let (prey, helpful) = match (checkers.first(), checkers.count()) {
            (None, _) => (board.by_color(!us), Bitboard::FULL),
            (Some(checker), 1) => (checkers, attacks::between(checker, king)),
            _ => (Bitboard::EMPTY, Bitboard::EMPTY),
        };
        let prey = prey & !board.kings();
        let has_promoted = scene.has_promoted && us != self.winner;
        if has_promoted {
            if checkers.is_empty() {
                steps.push(Step { scene: after(board.clone(), scene.realms.clone()), opening: Opening::Any });
            }
            for square in prey {
                let mut board = board.clone();
                board.discard_piece_at(square);
                steps.push(Step { scene: after(board, scene.realms.clone()), opening: Opening::Any });
            }
        }
        for (number, role, realm) in self.roamers(scene, us) {
            let reach = realm.into_iter().fold(Bitboard::EMPTY, |reach, from| {
                reach | attacks::attacks(from, role.of(us), board.occupied())
            });
            let free = reach & helpful & !board.occupied();
            if free.any() {
                let mut realms = scene.realms.clone();
                realms[number] = free;
                steps.push(Step { scene: after(board.clone(), realms), opening: Opening::Any });
            }
            for square in reach & prey {
                let (mut board, mut realms) = (board.clone(), scene.realms.clone());
                board.discard_piece_at(square);
                realms[number] = Bitboard::from_square(square);
                steps.push(Step { scene: after(board, realms), opening: Opening::Taken(number, square) });
            }
        }
    }

    fn targets(&self, scene: &Scene, from: Square, role: Role) -> Bitboard {
        let (us, board) = (scene.turn, &scene.board);
        let others = !(board.by_color(us) | board.kings());
        if role != Role::Pawn {
            return attacks::attacks(from, role.of(us), board.occupied()) & others;
        }
        let mut targets = Bitboard::EMPTY;
        let free = !board.occupied();
        let forward = us.fold_wb(8, -8);
        if let Some(to) = from.offset(forward).filter(|&to| free.contains(to)) {
            targets.add(to);
            let home = us.fold_wb(Rank::Second, Rank::Seventh);
            if from.rank() == home {
                targets |= to.offset(forward).map_or(Bitboard::EMPTY, Bitboard::from_square) & free;
            }
        }
        let prey = board.by_color(!us) | self.roaming_prey(scene, !us);
        let passed = scene.passed.map_or(Bitboard::EMPTY, Bitboard::from_square);
        targets | (attacks::pawn_attacks(us, from) & (prey | passed) & others)
    }

    /// Squares on which a roamer may be taken by a pawn, if that matters: with its last man gone the winner cannot
    /// mate any more.
    fn roaming_prey(&self, scene: &Scene, color: Color) -> Bitboard {
        let men =
            (scene.board.by_color(color) & !scene.board.kings()).count() + self.roamers(scene, color).count();
        if color == self.winner && men == 1 { Bitboard::EMPTY } else { self.realm(scene, color) }
    }

    fn placed_step(&self, scene: &Scene, from: Square, to: Square, role: Role) -> Step {
        let us = scene.turn;
        let mut board = scene.board.clone();
        let mut opening = Opening::Through(from);
        let is_pawn = role == Role::Pawn;
        let taken = to.offset(us.fold_wb(-8, 8)).filter(|_| is_pawn && scene.passed == Some(to));
        if let Some(taken) = taken {
            board.discard_piece_at(taken);
            opening = Opening::Any;
        }
        board.discard_piece_at(from);
        let is_last = is_pawn && (to.rank() == Rank::First || to.rank() == Rank::Eighth);
        if is_last {
            board.discard_piece_at(to);
            opening = Opening::Any;
        } else {
            board.set_piece_at(to, role.of(us));
        }
        let is_double = is_pawn && from.distance(to) == 2;
        let passed = if is_double { from.offset(us.fold_wb(8, -8)) } else { None };
        let has_promoted = scene.has_promoted || is_last;
        // Nobody else stands there now.
        let realms = scene.realms.iter().map(|realm| realm.without(to)).collect();
        Step { scene: Scene { board, turn: !us, passed, has_promoted, realms }, opening }
    }

    /// Placed men of `by` that attack the square wherever the roamers stand.
    fn sure_attackers(&self, scene: &Scene, board: &Board, square: Square, by: Color) -> Bitboard {
        let realms = self.realm(scene, Color::White) | self.realm(scene, Color::Black);
        let attackers = board.attacks_to(square, by, board.occupied());
        attackers.into_iter().filter(|&from| (attacks::between(from, square) & realms).is_empty()).collect()
    }

    /// May this step have mated the side that is to move now?
    fn may_be_mate(&self, step: &Step) -> bool {
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
            lines.into_iter().filter(|&from| may_come_of(step.opening, number, from, king)).any(|from| {
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

/// May this roamer, on this square, have come to give check by such a step?
fn may_come_of(opening: Opening, number: usize, from: Square, king: Square) -> bool {
    match opening {
        Opening::Any => true,
        Opening::Through(left) => attacks::between(from, king).contains(left),
        // If it is another it stood there before, behind the one that took.
        Opening::Taken(taker, square) => number != taker || from == square,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ChessPosition;

    /// The knight steps between, and White mates in the end.
    #[test]
    fn a_roamer_may_step_between() {
        let position = ChessPosition::from_fen("4k3/8/8/8/8/5N2/5pPP/4br1K w - - 0 1", false).unwrap();
        for placed_moves in [None, Some(1), Some(2)] {
            assert_eq!(roamed(position.regular().unwrap(), Color::White, placed_moves, 20_000), None);
        }
    }
}
