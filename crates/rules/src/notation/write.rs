//! From a move to its text.

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, CastlingSide, Move, Role, Square};

use super::locale::Letters;
use super::{Form, Notation, castling_side, is_check, legal_moves};
use crate::{ChessPosition, Position as _};

impl Notation {
    /// The text of a legal move, with check or mate sign (not in UCI, which has none).
    #[must_use]
    pub fn write(&self, position: &ChessPosition, mv: Move) -> String {
        if self.form == Form::Uci {
            return uci(position, mv);
        }
        let mut text = self.write_unsigned(position, mv);
        let after = position.play(mv);
        if is_check(&after) {
            text.push(if legal_moves(&after).is_empty() { '#' } else { '+' });
        }
        if matches!(mv, Move::EnPassant { .. }) && self.form != Form::San && self.en_passant_mark {
            text.push(' ');
            text.push_str(self.locale.letters().en_passant);
        }
        text
    }

    fn write_unsigned(self, position: &ChessPosition, mv: Move) -> String {
        let (role, from, to) = match mv {
            Move::Castle { king, rook } => return self.write_castling(castling_side(king, rook)).to_owned(),
            Move::Normal { role, from, to, .. } => (role, from, to),
            Move::EnPassant { from, to } => (Role::Pawn, from, to),
            // Chess has no drops; this is how PGN writes those of other games.
            Move::Put { role, to } => return format!("{}@{to}", role.upper_char()),
        };
        let mut text: String = self.piece(role).into_iter().collect();
        let signs_capture = mv.is_capture() && (self.capture_sign || self.form == Form::San);
        if self.form == Form::Long {
            self.push_square(&mut text, from);
            text.push(if signs_capture { 'x' } else { '-' });
        } else {
            self.push_departure(&mut text, position, mv);
            text.extend(signs_capture.then_some('x'));
        }
        self.push_square(&mut text, to);
        if let Some(piece) = mv.promotion().and_then(|role| self.piece(role)) {
            text.extend((self.form == Form::San).then_some('='));
            text.push(piece);
        }
        text
    }

    /// Zeros in print, the letter in PGN.
    fn write_castling(self, side: CastlingSide) -> &'static str {
        match (self.form, side) {
            (Form::San, CastlingSide::KingSide) => "O-O",
            (Form::San, CastlingSide::QueenSide) => "O-O-O",
            (_, CastlingSide::KingSide) => "0-0",
            (_, CastlingSide::QueenSide) => "0-0-0",
        }
    }

    fn piece(self, role: Role) -> Option<char> {
        match self.form {
            Form::Figurine => Letters::figurine(role),
            _ => self.letters_of().letters().piece(role),
        }
    }

    fn file(self, square: Square) -> char {
        self.letters_of().letters().file(square.file(), self.latin_files)
    }

    fn push_square(self, text: &mut String, square: Square) {
        text.push(self.file(square));
        text.push(square.rank().char());
    }

    /// What the short form says of the square of departure: a capturing pawn's file (C.9.3), else
    /// what tells the piece from others of its kind that may go to the same square: its file, if
    /// that alone does, else its rank, else both (C.10).
    fn push_departure(self, text: &mut String, position: &ChessPosition, mv: Move) {
        let Some(from) = mv.from() else { return };
        if mv.role() == Role::Pawn {
            text.extend(mv.is_capture().then(|| self.file(from)));
            return;
        }
        let rivals: Vec<Square> = legal_moves(position)
            .into_iter()
            .filter(|other| matches!(other, Move::Normal { .. }))
            .filter(|other| other.role() == mv.role() && other.to() == mv.to())
            .filter_map(|other| other.from())
            .filter(|&other| other != from)
            .collect();
        let shares_file = rivals.iter().any(|other| other.file() == from.file());
        let shares_rank = rivals.iter().any(|other| other.rank() == from.rank());
        if !rivals.is_empty() && (!shares_file || shares_rank) {
            text.push(self.file(from));
        }
        if shares_file {
            text.push(from.rank().char());
        }
    }
}

/// Castling is `e1g1`, in Chess960 king takes rook.
fn uci(position: &ChessPosition, mv: Move) -> String {
    let mode = if position.is_chess960() { CastlingMode::Chess960 } else { CastlingMode::Standard };
    UciMove::from_move(mv, mode).to_string()
}
