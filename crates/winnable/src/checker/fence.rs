//! Every man stays where the proof says, and no mate fits there.
//!
//! The invariant: each man that is on the board stands on one of its squares (promoted: of its `promoted`), and no man is
//! gone that is not said to be takeable. A *wall* is a man that is never taken and has only the square on which it
//! stands: under the invariant it is there for ever. When the winner's last man is taken it cannot mate any more, so
//! the invariant need not hold from there on.

use shakmaty::{
    Bitboard, Board, CastlingSide, Chess, Color, EnPassantMode, Position as _, Rank, Role, Square, attacks,
};

use super::super::{Fence, Fenced};
use super::{Flaw, may_be_filled};

struct Men<'a> {
    men: &'a [Fenced],
    walls: Bitboard,
    /// The winner's only man beside its king.
    last: Option<Square>,
}

pub(super) fn check(chess: &Chess, winner: Color, proof: &Fence) -> Result<(), Flaw> {
    are_those_of(&proof.men, chess.board())?;
    let men = Men::new(&proof.men, winner);
    for man in men.men {
        stands(man, chess)?;
        if man.color == winner && man.role == Role::Pawn && man.promoted.any() {
            return Err(Flaw::Promotes(man.origin));
        }
        if man.role == Role::Pawn {
            men.pawn_stays(man)?;
            men.piece_stays(man, Role::Queen, man.promoted, man.promoted)?;
            men.piece_stays(man, Role::Knight, man.promoted, man.promoted)?;
        } else {
            men.piece_stays(man, man.role, man.squares, man.squares)?;
        }
    }
    men.no_mate_fits(winner)
}

fn are_those_of(men: &[Fenced], board: &Board) -> Result<(), Flaw> {
    for (number, man) in men.iter().enumerate() {
        let is_twice = men[..number].iter().any(|other| other.origin == man.origin);
        if is_twice || board.piece_at(man.origin) != Some(man.role.of(man.color)) {
            return Err(Flaw::NotThisMan(man.origin));
        }
    }
    let is_missing = |&square: &Square| men.iter().all(|man| man.origin != square);
    board.occupied().into_iter().find(is_missing).map_or(Ok(()), |square| Err(Flaw::NotThisMan(square)))
}

/// The invariant holds in the position in question, also after castling, and for a pawn that can be taken on the
/// square that it has just passed. (Later double steps pass squares on which the pawn might have stopped.)
fn stands(man: &Fenced, chess: &Chess) -> Result<(), Flaw> {
    let has = |to: Square| {
        let is_there = man.squares.contains(to);
        if is_there { Ok(()) } else { Err(Flaw::SquareMissing { origin: man.origin, to }) }
    };
    has(man.origin)?;
    for side in CastlingSide::ALL {
        if let Some(rook) = chess.castles().rook(man.color, side) {
            if man.role == Role::King {
                has(side.king_to(man.color))?;
            }
            if rook == man.origin {
                has(side.rook_to(man.color))?;
            }
        }
    }
    if let Some(passed) = chess.ep_square(EnPassantMode::Legal)
        && passed.offset(forward(man.color)) == Some(man.origin)
        && man.color != chess.turn()
    {
        has(passed)?;
    }
    Ok(())
}

impl<'a> Men<'a> {
    fn new(men: &'a [Fenced], winner: Color) -> Self {
        let ours: Vec<&Fenced> =
            men.iter().filter(|man| man.color == winner && man.role != Role::King).collect();
        let last = if let [only] = ours[..] { Some(only.origin) } else { None };
        let walls = men.iter().filter(|man| is_wall(man)).map(|man| man.origin).collect();
        Self { men, walls, last }
    }

    fn enemies(&self, color: Color) -> impl Iterator<Item = &'a Fenced> {
        self.men.iter().filter(move |man| man.color != color)
    }

    /// Whoever may stand on a square that an enemy enters is said to be takeable.
    fn takes(&self, color: Color, on: Square) -> Result<(), Flaw> {
        for victim in self.enemies(color).filter(|man| man.role != Role::King && all(man).contains(on)) {
            if !victim.may_be_taken && self.last != Some(victim.origin) {
                return Err(Flaw::CaptureMissing { origin: victim.origin, on });
            }
        }
        Ok(())
    }

    /// One step of a king or piece, with nothing in the way but walls, is within `squares` again.
    fn piece_stays(&self, man: &Fenced, role: Role, from: Bitboard, squares: Bitboard) -> Result<(), Flaw> {
        for from in from {
            for to in attacks::attacks(from, role.of(man.color), self.walls) {
                // A king is not taken, nor a man of the same side; other walls may be the winner's last man.
                let is_shut = self.men.iter().any(|other| {
                    is_wall(other)
                        && other.origin == to
                        && (other.color == man.color || other.role == Role::King)
                });
                if is_shut || (role == Role::King && self.is_guarded(man.color, to)) {
                    continue;
                }
                self.takes(man.color, to)?;
                if !squares.contains(to) {
                    return Err(Flaw::SquareMissing { origin: man.origin, to });
                }
            }
        }
        Ok(())
    }

    fn pawn_stays(&self, man: &Fenced) -> Result<(), Flaw> {
        let last_rank = man.color.fold_wb(Rank::Eighth, Rank::First);
        let goes = |to: Square| {
            let squares = if to.rank() == last_rank { man.promoted } else { man.squares };
            let is_there = squares.contains(to);
            if is_there { Ok(()) } else { Err(Flaw::SquareMissing { origin: man.origin, to }) }
        };
        for from in man.squares {
            for to in attacks::pawn_attacks(man.color, from) {
                let may_stand = |enemy: &Fenced| enemy.role != Role::King && all(enemy).contains(to);
                if self.enemies(man.color).any(may_stand) {
                    self.takes(man.color, to)?;
                    goes(to)?;
                }
            }
            let Some(to) = from.offset(forward(man.color)) else { continue };
            if !self.walls.contains(to) && !self.is_held_up(man, to) {
                goes(to)?;
            }
        }
        Ok(())
    }

    /// Two pawns that face each other on a file, never leave it and are never taken do not pass each other.
    fn is_held_up(&self, man: &Fenced, to: Square) -> bool {
        let is_ahead = |other: Square| match man.color {
            Color::White => man.origin < other && other <= to,
            Color::Black => to <= other && other < man.origin,
        };
        keeps_file(man)
            && self.enemies(man.color).any(|other| {
                other.origin.file() == man.origin.file()
                    && is_ahead(other.origin)
                    && keeps_file(other)
                    && !other.may_be_taken
            })
    }

    /// A wall of the other side attacks the square for ever: of lines only the next square, which nobody shuts.
    fn is_guarded(&self, color: Color, square: Square) -> bool {
        self.enemies(color).filter(|man| is_wall(man)).any(|wall| {
            let attacks = attacks::attacks(wall.origin, wall.role.of(wall.color), Bitboard::FULL);
            attacks.contains(square)
        })
    }

    /// For no square of the losing king there is a check, and something against each of its moves.
    fn no_mate_fits(&self, winner: Color) -> Result<(), Flaw> {
        let king_squares = |color: Color| {
            let king = self.men.iter().find(|man| man.role == Role::King && man.color == color);
            king.map_or(Bitboard::FULL, |king| king.squares)
        };
        let losing = self.enemies(winner).filter(|man| man.role != Role::King);
        let losing: Vec<Bitboard> = losing.map(all).collect();
        for king in king_squares(!winner) {
            let attacked = self.attacked(winner, king);
            if !attacked.contains(king) {
                continue;
            }
            let open = attacks::king_attacks(king) & !attacked;
            for other in king_squares(winner) {
                let is_apart = other != king && !attacks::king_attacks(king).contains(other);
                if is_apart && may_be_filled(open & !attacks::king_attacks(other), &losing) {
                    return Err(Flaw::MateFits(king));
                }
            }
        }
        Ok(())
    }

    /// Squares that men of the winner, but its king, may attack while the losing king stands on, or has just left, the
    /// square `king`.
    fn attacked(&self, winner: Color, king: Square) -> Bitboard {
        let mut attacked = Bitboard::EMPTY;
        // The king is no wall against an attack on itself or on the squares behind it.
        let walls = self.walls.without(king);
        for man in self.men.iter().filter(|man| man.color == winner && man.role != Role::King) {
            for from in man.squares {
                attacked |= attacks::attacks(from, man.role.of(winner), walls);
            }
        }
        attacked
    }
}

fn all(man: &Fenced) -> Bitboard {
    man.squares | man.promoted
}

fn is_wall(man: &Fenced) -> bool {
    !man.may_be_taken && all(man) == Bitboard::from_square(man.origin)
}

fn keeps_file(man: &Fenced) -> bool {
    let is_on_file = |square: Square| square.file() == man.origin.file();
    man.role == Role::Pawn && man.promoted.is_empty() && man.squares.into_iter().all(is_on_file)
}

fn forward(color: Color) -> i32 {
    color.fold_wb(8, -8)
}
