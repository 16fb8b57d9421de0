//! Where every man could ever go, and whether a mate fits there.
//!
//! An over-estimate in the manner of Ambrona, "A Practical Algorithm for Chess Unwinnability"
//! (FUN 2022): starting from the men as they stand, squares are added until no rule adds one.
//! It is sound by induction over the moves of a game: as long as every man stands where the rules
//! below had allowed it to, its next legal move is one of those that they allow.

use super::{Fence, Fenced};
use shakmaty::{Bitboard, CastlingSide, Chess, Color, EnPassantMode, Position as _, Role, Square, attacks};

/// One man of the position and all that may become of it.
#[derive(Clone, Copy)]
struct Man {
    color: Color,
    role: Role,
    origin: Square,
    /// Squares on which it may stand as what it is now.
    squares: Bitboard,
    /// Squares on which it may stand promoted: as queen and knight, which cover all promotions.
    promoted: Bitboard,
    may_be_taken: bool,
}

/// Squares that a man may come to in one move from all those on which it may stand.
#[derive(Clone, Copy, Default)]
struct Step {
    squares: Bitboard,
    promoted: Bitboard,
    taking: Bitboard,
}

struct Mobility {
    men: Vec<Man>,
    /// Squares whose first occupant is there for ever.
    walls: Bitboard,
    /// Squares on which men of Black and of White, but their kings, may stand.
    standing: [Bitboard; 2],
    /// Squares that the king of Black and of White can never enter.
    barred: [Bitboard; 2],
}

/// True if no series of legal moves lets `winner` mate, because the men cannot get to where they
/// would have to be.
pub(super) fn is_shut_off(chess: &Chess, winner: Color) -> bool {
    fence(chess, winner).is_some()
}

/// The proof that no series of legal moves lets `winner` mate, because the men cannot get to where they
/// would have to be.
pub(super) fn fence(chess: &Chess, winner: Color) -> Option<Fence> {
    let mut mobility = Mobility::new(chess);
    let is_fenced = mobility.saturate(winner) && !mobility.mate_fits(winner);
    is_fenced.then(|| Fence { men: mobility.men.iter().map(Man::fenced).collect() })
}

/// True if a look at [`is_shut_off`] is worth its microseconds at every ply.
///
/// Without pawns everything gets everywhere, and a pawn with none of the other side's on its file
/// ahead all but always gets through. Where few pawns stand against each other there are holes.
pub(super) fn may_be_shut_off(chess: &Chess, winner: Color) -> bool {
    let board = chess.board();
    let ours = board.by_piece(Role::Pawn.of(winner));
    let theirs = board.by_piece(Role::Pawn.of(!winner));
    let rammed = ours.shift(winner.fold_wb(8, -8)) & (theirs | board.by_piece(Role::King.of(!winner)));
    let is_locked = rammed.any() && 2 * rammed.count() + 4 >= board.pawns().count();
    is_locked && ours.into_iter().all(|pawn| (theirs & ahead(pawn, winner)).any())
}

/// True if no pawn of `winner` gets to its last rank.
pub(super) fn is_held(chess: &Chess, winner: Color) -> bool {
    Mobility::new(chess).saturate(winner)
}

impl Man {
    fn fenced(&self) -> Fenced {
        let Self { color, role, origin, squares, promoted, may_be_taken } = *self;
        Fenced { color, role, origin, squares, promoted, may_be_taken }
    }

    fn all(&self) -> Bitboard {
        self.squares | self.promoted
    }

    fn is_fixed(&self) -> bool {
        !self.may_be_taken && self.all() == Bitboard::from_square(self.origin)
    }

    fn keeps_file(&self) -> bool {
        let file = Bitboard::from_file(self.origin.file());
        self.role == Role::Pawn && self.promoted.is_empty() && self.squares.is_subset(file)
    }

    fn may_attack(&self, target: Square, walls: Bitboard) -> bool {
        let from = |role: Role| match role {
            Role::Pawn => attacks::pawn_attacks(!self.color, target),
            _ => attacks::attacks(target, role.of(self.color), walls),
        };
        (from(self.role) & self.squares).any()
            || (self.promoted.any() && ((from(Role::Queen) | from(Role::Knight)) & self.promoted).any())
    }

    /// The squares that it guards for as long as it stands where it is, whatever else moves.
    fn guards(&self) -> Bitboard {
        match self.role {
            Role::Pawn => attacks::pawn_attacks(self.color, self.origin),
            Role::Knight => attacks::knight_attacks(self.origin),
            // Nothing can come between neighbours.
            role => {
                attacks::king_attacks(self.origin)
                    & attacks::attacks(self.origin, role.of(self.color), Bitboard::EMPTY)
            }
        }
    }
}

impl Mobility {
    fn new(chess: &Chess) -> Self {
        let passed = chess.ep_square(EnPassantMode::Legal);
        let men = chess.board().iter().map(|(origin, piece)| {
            let mut squares = Bitboard::from_square(origin);
            if chess.castles().has_color(piece.color) {
                squares |= castled(chess, origin, piece.role, piece.color);
            }
            // What can be taken in passing counts as if it could still stand on the passed square.
            if let Some(passed) = passed
                && piece.color != chess.turn()
                && piece.role == Role::Pawn
                && origin.file() == passed.file()
                && origin.distance(passed) == 1
            {
                squares.add(passed);
            }
            let (color, role, promoted) = (piece.color, piece.role, Bitboard::EMPTY);
            Man { color, role, origin, squares, promoted, may_be_taken: false }
        });
        Self {
            men: men.collect(),
            walls: Bitboard::EMPTY,
            standing: [Bitboard::EMPTY; 2],
            barred: [Bitboard::EMPTY; 2],
        }
    }

    /// Adds squares until no rule adds one; false as soon as a pawn of `winner` may promote, for
    /// then nothing would be proved.
    fn saturate(&mut self, winner: Color) -> bool {
        // Once its last man is gone the winner cannot mate: what follows does not matter.
        let last = self.last_man(winner);
        loop {
            self.summarise();
            let mut has_grown = false;
            for number in 0..self.men.len() {
                let man = self.men[number];
                let step = self.step(&man);
                let after = Man {
                    squares: man.squares | step.squares,
                    promoted: man.promoted | step.promoted,
                    ..man
                };
                if after.color == winner && after.promoted.any() {
                    return false;
                }
                has_grown |= (after.squares, after.promoted) != (man.squares, man.promoted);
                self.men[number] = after;
                if step.taking.is_empty() {
                    continue;
                }
                for victim in &mut self.men {
                    let is_new = victim.color != man.color
                        && Some(victim.origin) != last
                        && victim.role != Role::King
                        && !victim.may_be_taken
                        && (victim.all() & step.taking).any();
                    victim.may_be_taken |= is_new;
                    has_grown |= is_new;
                }
            }
            if !has_grown {
                return true;
            }
        }
    }

    /// The man of the winner beside its king, if there is only one.
    fn last_man(&self, winner: Color) -> Option<Square> {
        let mut men = self.men.iter().filter(|man| man.color == winner && man.role != Role::King);
        men.next().filter(|_| men.next().is_none()).map(|man| man.origin)
    }

    /// What follows from the men as far as they are known.
    fn summarise(&mut self) {
        self.walls = Bitboard::EMPTY;
        self.standing = [Bitboard::EMPTY; 2];
        self.barred = [Bitboard::EMPTY; 2];
        for man in &self.men {
            if man.role != Role::King {
                self.standing[index(man.color)] |= man.all();
            }
            if man.is_fixed() {
                self.walls.add(man.origin);
                self.barred[index(!man.color)] |= man.guards();
            }
        }
    }

    fn step(&self, man: &Man) -> Step {
        let theirs = self.standing[index(!man.color)];
        // A wall may be taken, and then it is none.
        let enterable = !self.walls | theirs;
        let mut step = Step::default();
        if man.role == Role::Pawn {
            for from in man.squares {
                let forward = from.offset(man.color.fold_wb(8, -8));
                let push = forward.filter(|&to| !self.walls.contains(to) && !self.is_held_up(man, to));
                let taking = attacks::pawn_attacks(man.color, from) & theirs;
                step.taking |= taking;
                step.squares |= taking | push.map_or(Bitboard::EMPTY, Bitboard::from_square);
            }
            step.promoted = step.squares
                & Bitboard::from_rank(man.color.fold_wb(shakmaty::Rank::Eighth, shakmaty::Rank::First));
            step.squares &= !step.promoted;
            for from in man.promoted {
                step.promoted |=
                    (attacks::queen_attacks(from, self.walls) | attacks::knight_attacks(from)) & enterable;
            }
            step.taking |= step.promoted & theirs;
            return step;
        }
        for from in man.squares {
            step.squares |= attacks::attacks(from, man.role.of(man.color), self.walls) & enterable;
        }
        if man.role == Role::King {
            step.squares &= !self.barred[index(man.color)];
        }
        step.taking = step.squares & theirs;
        step
    }

    /// A pawn that never leaves its file does not get past one of the other side that stands on
    /// the same file for ever.
    fn is_held_up(&self, man: &Man, to: Square) -> bool {
        let passed = ahead(man.origin, man.color) & !ahead(to, man.color);
        man.keeps_file()
            && self.men.iter().any(|other| {
                other.color != man.color
                    && passed.contains(other.origin)
                    && other.keeps_file()
                    && !other.may_be_taken
            })
    }

    /// Is there a square for the losing king on which it might be in check with no way out?
    fn mate_fits(&self, winner: Color) -> bool {
        let king_squares = |color| {
            let king = self.men.iter().find(|man| man.role == Role::King && man.color == color);
            king.map_or(Bitboard::FULL, |king| king.squares)
        };
        let attackers: Vec<&Man> =
            self.men.iter().filter(|man| man.color == winner && man.role != Role::King).collect();
        let ours = king_squares(winner);
        king_squares(!winner).into_iter().any(|square| {
            // The king itself shields nothing: a line through it goes on.
            let walls = self.walls.without(square);
            let may_attack = |target| attackers.iter().any(|man| man.may_attack(target, walls));
            if !may_attack(square) {
                return false;
            }
            let around = attacks::king_attacks(square);
            let open: Bitboard = around.into_iter().filter(|&target| !may_attack(target)).collect();
            let far = ours & !around.with(square);
            // From many squares the king guards the same of them, as a rule none.
            let mut known = Vec::with_capacity(far.count());
            let mut may_block = |king: Square| {
                let left = open & !attacks::king_attacks(king);
                if known.contains(&left) {
                    return false;
                }
                known.push(left);
                self.may_block(left, !winner)
            };
            open.is_empty() || far.into_iter().any(&mut may_block)
        })
    }

    /// Could different men of `color`, not the king, stand on all these squares at once?
    fn may_block(&self, squares: Bitboard, color: Color) -> bool {
        if !squares.is_subset(self.standing[index(color)]) {
            return false;
        }
        let mut blocks = vec![None; self.men.len()];
        squares.into_iter().all(|square| self.find_block(square, color, &mut blocks, &mut Vec::new()))
    }

    /// One step of a bipartite matching: a man for this square, others moving over if need be.
    fn find_block(
        &self,
        square: Square,
        color: Color,
        blocks: &mut [Option<Square>],
        seen: &mut Vec<usize>,
    ) -> bool {
        for (number, man) in self.men.iter().enumerate() {
            let fits = man.color == color && man.role != Role::King && man.all().contains(square);
            if !fits || seen.contains(&number) {
                continue;
            }
            seen.push(number);
            let is_free = blocks[number].is_none_or(|other| self.find_block(other, color, blocks, seen));
            if is_free {
                blocks[number] = Some(square);
                return true;
            }
        }
        false
    }
}

fn castled(chess: &Chess, origin: Square, role: Role, color: Color) -> Bitboard {
    let sides = CastlingSide::ALL.into_iter().filter(|&side| chess.castles().has(color, side));
    sides
        .filter_map(|side| match role {
            Role::King => Some(side.king_to(color)),
            Role::Rook if chess.castles().rook(color, side) == Some(origin) => Some(side.rook_to(color)),
            _ => None,
        })
        .collect()
}

/// The squares of a pawn's file in front of it.
fn ahead(pawn: Square, color: Color) -> Bitboard {
    let file = Bitboard::from_file(pawn.file());
    file.into_iter().filter(|&square| color.fold_wb(square > pawn, square < pawn)).collect()
}

fn index(color: Color) -> usize {
    usize::from(color.is_white())
}
