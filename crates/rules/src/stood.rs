//! What was illegal and stands: written so that a reader can follow it on his own board.

use std::fmt::Write as _;

use shakmaty::uci::UciMove;
use shakmaty::{Color, Move, Role, Square, attacks};

use super::ChessPosition;
use super::irregular::make;

/// So many squares a player changes who moves three pieces at once. What is more is told by its position.
pub(crate) const SQUARES_MAX: usize = 6;

/// Something illegal, from which the game goes on (A.4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stood {
    /// Before it.
    pub before: ChessPosition,
    /// What stands on the board, the other side to move.
    pub after: ChessPosition,
}

impl Stood {
    pub(super) fn mover(&self) -> Color {
        !self.after.color()
    }

    fn changed(&self) -> Vec<Square> {
        let (before, after) = (self.before.board(), self.after.board());
        Square::ALL.into_iter().filter(|&square| before.piece_at(square) != after.piece_at(square)).collect()
    }

    /// Castling with king and queen exchanged from the start (national blitz).
    fn mirrored(&self) -> Option<(Square, Square, bool)> {
        super::mirrored::between(self.before.board(), self.after.board(), self.mover())
    }

    /// The movement of one man, or a castling, that makes all the changes, if one does.
    fn movement(&self) -> Option<Move> {
        let changed = self.changed();
        // Castling changes most: four squares.
        if changed.len() > 4 {
            return None;
        }
        let pairs = changed.iter().flat_map(|&from| changed.iter().map(move |&to| (from, to)));
        pairs.flat_map(|(from, to)| self.movements(from, to)).find(|&mv| {
            let mut board = self.before.board().clone();
            make(&mut board, self.mover(), mv);
            board == *self.after.board()
        })
    }

    /// What a man of the mover may have done from one square to another.
    fn movements(&self, from: Square, to: Square) -> Vec<Move> {
        let (before, after) = (self.before.board(), self.after.board());
        let own = |square| before.piece_at(square).filter(|piece| piece.color == self.mover());
        let Some(man) = own(from) else { return Vec::new() };
        let role = man.role;
        let promotion = after.role_at(to).filter(|&arrived| role == Role::Pawn && arrived != role);
        let mut moves = vec![Move::Normal { role, from, capture: before.role_at(to), to, promotion }];
        if role == Role::Pawn {
            moves.push(Move::EnPassant { from, to });
        }
        let is_rook = own(to).is_some_and(|man| man.role == Role::Rook);
        // Castling takes nobody.
        if role == Role::King && is_rook && before.occupied().count() == after.occupied().count() {
            moves.push(Move::Castle { king: from, rook: to });
        }
        moves
    }

    /// `Bg5`, `exd6`, `e8=Q`, `O-O`, with the square of departure where another man of the same kind
    /// could be meant (`Rh1g1`), and with `+` if the side to move is in check then; else the
    /// squares that changed, `a1,b2,b3`; `--` if none did, or more than a hand changes.
    pub(super) fn san(&self) -> String {
        let changed = self.changed();
        let mut text = match self.movement() {
            Some(mv) => self.short(mv),
            None if self.mirrored().is_some_and(|(.., is_short)| is_short) => "O-O".to_owned(),
            None if self.mirrored().is_some() => "O-O-O".to_owned(),
            None if !(1..=SQUARES_MAX).contains(&changed.len()) => return "--".to_owned(),
            None => changed.iter().map(Square::to_string).collect::<Vec<String>>().join(","),
        };
        if self.after.is_check() {
            text.push('+');
        }
        text
    }

    fn short(&self, mv: Move) -> String {
        let (from, to) = match (mv, mv.from()) {
            (Move::Castle { king, rook }, _) => {
                return if king < rook { "O-O" } else { "O-O-O" }.to_owned();
            }
            (_, None) => return mv.to().to_string(),
            (_, Some(from)) => (from, mv.to()),
        };
        let mut text = String::new();
        if mv.role() == Role::Pawn {
            if mv.is_capture() || from.file() != to.file() {
                text.push(from.file().char());
            }
        } else {
            text.push(mv.role().upper_char());
            let board = self.before.board();
            let others = board.by_piece(mv.role().of(self.mover())).without(from);
            let could = |square: Square| {
                attacks::attacks(square, mv.role().of(self.mover()), board.occupied()).contains(to)
            };
            if others.into_iter().any(could) {
                // Writing to a String cannot fail.
                let _ = write!(text, "{from}");
            }
        }
        if mv.is_capture() {
            text.push('x');
        }
        let _ = write!(text, "{to}");
        if let Some(role) = mv.promotion() {
            text.extend(['=', role.upper_char()]);
        }
        text
    }

    /// `c1g5`; `0000`, the null move of UCI, where no man's movement makes the change.
    pub(super) fn uci(&self) -> String {
        if let Some((from, to, _)) = self.mirrored() {
            return format!("{from}{to}");
        }
        self.movement().map_or(UciMove::Null, |mv| UciMove::from_move(mv, self.before.mode())).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Played;

    fn stood(before: &str, after: &str) -> (String, String) {
        let read = |fen| ChessPosition::from_fen(fen, false).unwrap();
        let played = Played::stood(read(before), read(after));
        (played.san(), played.uci())
    }

    #[test]
    fn what_stands_is_written_like_a_move() {
        let opened = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
        for (before, after, san, uci) in [
            (opened, "rnbqkbnr/pppp1ppp/8/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR", "Bg5", "c1g5"),
            (opened, "rnbqkbnr/pppp1ppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR", "exe5", "e4e5"),
            (opened, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQ1RK1", "e1,f1,g1,h1", "0000"),
            (opened, "rnbqkbnr/pppp1Qpp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR", "Qxf7+", "d1f7"),
            (opened, opened, "--", "0000"),
            (opened, "rnbq1bnr/ppppkppp/8/4p3/4P3/5P2/PPPPK1PP/RNBQ1BNR", "e1,e2,f2,f3,e7,e8", "0000"),
            (opened, "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R", "--", "0000"),
            ("4k3/8/8/8/8/8/8/4K2R", "4k3/8/8/8/8/8/8/5RK1", "O-O", "e1g1"),
            ("4k3/8/8/8/8/8/8/R3K3", "4k3/8/8/8/8/8/8/2KR4", "O-O-O", "e1c1"),
            ("4k3/8/8/3pP3/8/8/8/4K3", "4k3/8/3P4/8/8/8/8/4K3", "exd6", "e5d6"),
            ("6k1/4P3/8/8/8/8/8/4K3", "6k1/8/8/8/4Q3/8/8/4K3", "e4=Q", "e7e4q"),
            ("4k3/4P3/8/8/8/8/8/4K3", "4P3/8/8/8/8/8/8/4K3", "exe8", "e7e8"),
            ("4k3/8/8/8/8/8/8/4K1RR", "4k3/8/8/8/8/8/6R1/4K3", "g1,h1,g2", "0000"),
        ] {
            let given = stood(&format!("{before} w - - 0 1"), &format!("{after} b - - 0 1"));
            assert_eq!(given, (san.to_owned(), uci.to_owned()), "{after}");
        }
    }

    #[test]
    fn the_mover_is_who_is_not_to_move() {
        let read = |fen| ChessPosition::from_fen(fen, false).unwrap();
        let played = Played::stood(read("4k3/8/8/8/8/8/8/4K3 w"), read("8/4k3/8/8/8/8/8/4K3 w"));
        assert_eq!((played.side().name(), played.san().as_str()), ("black", "Ke7"));
    }
}
