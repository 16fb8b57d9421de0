//! How a picture departs from a position of chess.

use shakmaty::{Bitboard, CastlingSide, Color, Move, Piece, Rank, Role, Square, attacks};

use super::{Change, Departure, Kind, KingAndRook, Picture};
use crate::chess::chess_square;
use crate::sensor::{Content, Side};
use crate::square;
use crate::touch::side_of;
use crate::{ChessPosition, Move as _, Position as _};

struct View<'a> {
    position: &'a ChessPosition,
    turn: Side,
    picture: Picture,
}

/// See [`crate::Position::departure`].
pub(crate) fn departure(position: &ChessPosition, contents: &[Content], named: bool) -> Departure<Move> {
    let picture = Picture::of(position.men(), contents, named);
    View { position, turn: position.turn(), picture }.departure()
}

impl View<'_> {
    fn departure(&self) -> Departure<Move> {
        if let Some(plain) = self.picture.plain() {
            return plain;
        }
        self.castling_in_hand()
            .or_else(|| self.castling())
            .or_else(|| self.promotion_piece_first())
            .or_else(|| self.one_man())
            .or_else(|| self.en_passant())
            .or_else(|| self.out_of_turn())
            .or_else(|| self.several())
            .unwrap_or_else(|| self.picture.displaced())
    }

    fn is(&self, content: Content, side: Side, role: Role) -> bool {
        content == man(side, role)
    }

    /// One own man left its square and stands on another; at most one man gave way there.
    fn one_man(&self) -> Option<Departure<Move>> {
        let (from, to) = self.single_mover()?;
        let mover = from.before;
        let (origin, target) = (chess_square(from.square), chess_square(to.square));
        let role = mover.role()?;
        let captured = (!to.before.is_empty()).then_some(to.square);
        if role == Role::King && captured.is_none() && self.position.is_castling_step(from.square, to.square)
        {
            return Some(self.castling_half(origin, target));
        }
        if role == Role::Pawn && target.rank() == last_rank(self.turn) && self.picture.named {
            if to.after == mover {
                let legal = self.legal().iter().any(|mv| mv.from() == Some(origin) && mv.to() == target);
                if legal {
                    return Some(Departure::PromotionHalf { from: from.square, square: to.square });
                }
            } else if self.legal().iter().any(|mv| mv.from() == Some(origin) && mv.to() == target) {
                let kinds = vec![Kind::PromotionPiece];
                return Some(Departure::Illegal { from: from.square, to: to.square, captured, kinds });
            }
        }
        let en_passant = self
            .legal()
            .iter()
            .any(|mv| mv.is_en_passant() && mv.from() == Some(origin) && mv.to() == target);
        let kinds = if en_passant {
            vec![Kind::EnPassantNotRemoved]
        } else {
            self.kinds(origin, target, role, to.before, &[])
        };
        Some(Departure::Illegal { from: from.square, to: to.square, captured, kinds })
    }

    /// The new piece stands on its square, and the pawn has not left yet (4.6.2).
    fn promotion_piece_first(&self) -> Option<Departure<Move>> {
        let &[placed] = self.picture.changes.as_slice() else { return None };
        let target = chess_square(placed.square);
        let promotes = |mv: &&Move| {
            mv.to() == target
                && mv.promotion().is_some_and(|role| self.picture.shows(placed.after, man(self.turn, role)))
        };
        let from = self.legal().iter().find(promotes)?.from()?;
        Some(Departure::PromotionHalf { from: from.into(), square: placed.square })
    }

    fn single_mover(&self) -> Option<(Change, Change)> {
        let is_own = |man| side_of(man) == Some(self.turn);
        self.picture.single_mover(is_own, |from, to| self.is_promotion(from, to))
    }

    fn is_promotion(&self, from: &Change, to: &Change) -> bool {
        let target = chess_square(to.square);
        self.is(from.before, self.turn, Role::Pawn)
            && target.rank() == last_rank(self.turn)
            && !to.after.is_empty()
            && chess_square(from.square).rank() == before_last_rank(self.turn)
    }

    fn castling_half(&self, from: Square, to: Square) -> Departure<Move> {
        let target = square::Square::from(to);
        if self.legal().iter().any(|&mv| self.position.castling_target(mv) == Some(target)) {
            return Departure::CastlingHalf { from: from.into(), to: target };
        }
        let corner =
            Square::from_coords(if to > from { shakmaty::File::H } else { shakmaty::File::A }, from.rank());
        let kinds = self.castling_kinds(from, to, corner);
        Departure::Illegal { from: from.into(), to: target, captured: None, kinds }
    }

    /// What forbids the king on `origin` to castle to `king_to` with the rook on `corner` (3.8.2).
    fn castling_kinds(&self, origin: Square, king_to: Square, corner: Square) -> Vec<Kind> {
        let mut kinds = Vec::new();
        let board = self.position.board();
        if !self.position.castling_rights().contains(corner) {
            kinds.push(Kind::CastlingRightLost);
        }
        let rook_to = CastlingSide::from_king_side(corner > origin).rook_to(color(self.turn));
        let others = board.occupied().without(origin).without(corner);
        let crossed = attacks::between(origin, king_to) | attacks::between(corner, rook_to);
        if (crossed.with(king_to).with(rook_to) & others).any() {
            kinds.push(Kind::CastlingBlocked);
        }
        let mut way = attacks::between(origin, king_to);
        way.add(origin);
        way.add(king_to);
        let attacker = color(self.turn.other());
        if way.into_iter().any(|square| board.attacks_to(square, attacker, others).any()) {
            kinds.push(Kind::CastlingThroughCheck);
        }
        if kinds.is_empty() {
            kinds.push(Kind::Movement);
        }
        kinds
    }

    /// Chess960: the king is off the board while the rook goes where castling takes it (II.3.2.5.1).
    fn castling_in_hand(&self) -> Option<Departure<Move>> {
        if !self.position.is_chess960() || !self.picture.named {
            return None;
        }
        let king =
            self.picture.changes.iter().find(|change| self.is(change.before, self.turn, Role::King))?;
        if self.picture.changes.iter().any(|change| change.after == king.before) {
            return None;
        }
        let fits = |mv: &&Move| {
            let castles = (*mv).castling().is_some();
            let footprint = self.position.footprint(**mv);
            let shows = |change: &Change| {
                let arrives = footprint.changes().iter().find(|arrives| arrives.0 == change.square);
                arrives.is_some_and(|arrives| change.after.is_empty() || arrives.2 == change.after)
            };
            castles && self.picture.changes.iter().all(shows)
        };
        self.legal().iter().find(fits)?;
        let squares = self
            .picture
            .changes
            .iter()
            .filter(|change| !change.before.is_empty())
            .map(|change| change.square);
        Some(Departure::Lifted { squares: squares.collect() })
    }

    /// King and rook both stand as after castling, which was not legal; or elsewhere, as if castling (3.8).
    fn castling(&self) -> Option<Departure<Move>> {
        let (king, rook) = (man(self.turn, Role::King), man(self.turn, Role::Rook));
        let color = color(self.turn);
        let as_castled = |way: &KingAndRook| {
            let (corner, origin) = (chess_square(way.rook.0), chess_square(way.king.0));
            let side = CastlingSide::from_king_side(corner > origin);
            let to = (chess_square(way.king.1), chess_square(way.rook.1));
            (to == (side.king_to(color), side.rook_to(color))).then_some((origin, to.0, corner))
        };
        let illegal = |from: Square, to: Square, kinds| {
            Some(Departure::Illegal { from: from.into(), to: to.into(), captured: None, kinds })
        };
        if let Some((origin, to, corner)) = self.picture.king_and_rook(king, rook).iter().find_map(as_castled)
        {
            return illegal(origin, to, self.castling_kinds(origin, to, corner));
        }
        let steps = |from, to| chess_square(from).distance(chess_square(to));
        let (from, to) = self.picture.castled_wrongly(king, rook, steps)?;
        illegal(chess_square(from), chess_square(to), vec![Kind::CastlingWrong])
    }

    /// A pawn moved like a capture onto an empty square, and an enemy pawn beside it is gone.
    fn en_passant(&self) -> Option<Departure<Move>> {
        if self.picture.changes.len() != 3 {
            return None;
        }
        let from =
            self.picture.changes.iter().find(|change| self.is(change.before, self.turn, Role::Pawn))?;
        let to = self
            .picture
            .changes
            .iter()
            .find(|change| change.before.is_empty() && self.picture.shows(change.after, from.before))?;
        let victim = self.picture.changes.iter().find(|change| {
            self.is(change.before, self.turn.other(), Role::Pawn) && change.after.is_empty()
        })?;
        let (origin, target) = (chess_square(from.square), chess_square(to.square));
        let beside = Square::from_coords(target.file(), origin.rank());
        let is_capture = attacks::pawn_attacks(color(self.turn), origin).contains(target);
        (is_capture && beside == chess_square(victim.square)).then(|| Departure::Illegal {
            from: from.square,
            to: to.square,
            captured: Some(victim.square),
            kinds: vec![Kind::EnPassantLate],
        })
    }

    /// The waiting side made what would be a legal move of its own.
    fn out_of_turn(&self) -> Option<Departure<Move>> {
        let position = self.position.with_turn(self.turn.other());
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let fits = |&mv: &Move| self.picture.is(&position.footprint(mv));
        moves.into_iter().find(fits).map(Departure::OutOfTurn)
    }

    /// Several own men, each of which could have gone where it stands.
    fn several(&self) -> Option<Departure<Move>> {
        let goes = |from: &Change, to: &Change| {
            side_of(from.before) == Some(self.turn)
                && side_of(to.before) != Some(self.turn)
                && self.picture.shows(to.after, from.before)
                && from.before.role().is_some_and(|role| {
                    self.reaches(chess_square(from.square), chess_square(to.square), role)
                })
        };
        self.picture.several(goes)
    }

    fn legal(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.position.legal_moves(&mut moves);
        moves
    }

    /// Could the man go there on this board, whoever stands in check?
    fn reaches(&self, from: Square, to: Square, role: Role) -> bool {
        let board = self.position.board();
        if role == Role::Pawn {
            return self.pawn_reaches(from, to, board.occupied().contains(to));
        }
        let piece = Piece { color: color(self.turn), role };
        attacks::attacks(from, piece, board.occupied()).contains(to)
    }

    fn pawn_reaches(&self, from: Square, to: Square, captures: bool) -> bool {
        let color = color(self.turn);
        if captures {
            return attacks::pawn_attacks(color, from).contains(to);
        }
        let occupied = self.position.board().occupied();
        pawn_ways(color, from).into_iter().any(|way| {
            way == to && (attacks::between(from, way) & occupied).is_empty() && !occupied.contains(way)
        })
    }

    /// Every requirement of 3.1 to 3.9 that the move fails.
    fn kinds(
        &self,
        from: Square,
        to: Square,
        role: Role,
        captured: Content,
        removed: &[square::Square],
    ) -> Vec<Kind> {
        let board = self.position.board();
        let color = color(self.turn);
        let mut kinds = Vec::new();
        let is_capture = side_of(captured) == Some(self.turn.other());
        let geometry = match role {
            Role::Pawn if is_capture => attacks::pawn_attacks(color, from),
            Role::Pawn => pawn_ways(color, from).into_iter().collect(),
            _ => attacks::attacks(from, Piece { color, role }, Bitboard::EMPTY),
        };
        // A pawn that goes straight onto a piece is blocked by it (3.7.1).
        let is_pawn_blocked = role == Role::Pawn && is_capture && pawn_ways(color, from).contains(&to);
        let crosses = (attacks::between(from, to) & board.occupied()).any() && role != Role::Knight;
        if is_pawn_blocked {
            kinds.push(Kind::PathBlocked);
        } else if !geometry.contains(to) {
            kinds.push(Kind::Movement);
        } else if crosses {
            kinds.push(Kind::PathBlocked);
        }
        if side_of(captured) == Some(self.turn) {
            kinds.push(Kind::OwnPieceCaptured);
        }
        if self.is(captured, self.turn.other(), Role::King) {
            kinds.push(Kind::KingCaptured);
        }
        if self.leaves_king_in_check(from, to, role, removed) {
            kinds.push(Kind::SelfCheck);
        }
        // A king captured ends what Article 3 asks of the mover's own king.
        if kinds.contains(&Kind::KingCaptured) {
            kinds.retain(|kind| *kind != Kind::SelfCheck);
        }
        if kinds.is_empty() {
            kinds.push(Kind::Movement);
        }
        kinds
    }

    fn leaves_king_in_check(&self, from: Square, to: Square, role: Role, removed: &[square::Square]) -> bool {
        let color = color(self.turn);
        let mut board = self.position.board().clone();
        board.discard_piece_at(from);
        for &square in removed {
            board.discard_piece_at(chess_square(square));
        }
        board.set_piece_at(to, Piece { color, role });
        board.king_of(color).is_some_and(|king| board.attacks_to(king, !color, board.occupied()).any())
    }
}

fn man(side: Side, role: Role) -> Content {
    Content::man(side.into(), role)
}

fn color(side: Side) -> Color {
    if side == Side::White { Color::White } else { Color::Black }
}

fn last_rank(side: Side) -> Rank {
    if side == Side::White { Rank::Eighth } else { Rank::First }
}

fn before_last_rank(side: Side) -> Rank {
    if side == Side::White { Rank::Seventh } else { Rank::Second }
}

/// The squares straight ahead that a pawn may step on (3.7.1, 3.7.2).
fn pawn_ways(color: Color, from: Square) -> Vec<Square> {
    let step = if color.is_white() { 8 } else { -8 };
    let home = if color.is_white() { Rank::Second } else { Rank::Seventh };
    let one = from.offset(step);
    let two = if from.rank() == home { from.offset(2 * step) } else { None };
    one.into_iter().chain(two).collect()
}
