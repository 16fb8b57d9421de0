//! How a picture departs from a position of chess.

use shakmaty::{Bitboard, CastlingSide, Color, Move, Piece, Rank, Role, Square, attacks};

use super::picture::KingAndRook;
use super::{Change, Departure, Kind, Picture};
use crate::chess::chess_square;
use crate::sensor::{Content, Side};
use crate::square;
use crate::touch::side_of;
use crate::{ChessPosition, Move as _, Position as _};

/// From where to where king and rook go in a castling, allowed or not.
#[derive(Debug, Clone, Copy)]
struct Castling {
    king: (Square, Square),
    rook: (Square, Square),
}

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
        if captured.is_none()
            && let Some(half) = self.castling_half(role, (origin, target))
        {
            return Some(half);
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
        let kinds = if role == Role::Pawn && self.takes_in_passing(origin, target) {
            let mut kinds = vec![Kind::EnPassantNotRemoved];
            kinds.extend(self.exposed_in_passing(origin, target));
            kinds
        } else {
            self.kinds(origin, target, role, to.before)
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

    /// The king alone stands where castling takes it, by more than a step; in Chess960 the rook may as well.
    fn castling_half(&self, role: Role, moved: (Square, Square)) -> Option<Departure<Move>> {
        let (from, to): (square::Square, square::Square) = (moved.0.into(), moved.1.into());
        let in_any_order = self.position.is_chess960();
        let is_half = |castling: &Castling| match role {
            Role::King => {
                castling.king == moved
                    && moved.0.distance(moved.1) > 1
                    && (in_any_order || self.position.is_castling_step(from, to))
            }
            _ => in_any_order && castling.rook == moved,
        };
        let castling = self.castlings().into_iter().find(is_half)?;
        let castles = |mv: &Move| mv.castling() == Some((castling.king.0.into(), castling.rook.0.into()));
        match role {
            _ if self.legal().iter().any(castles) => Some(Departure::CastlingHalf { from, to }),
            Role::King => Some(self.castled_illegally(castling)),
            _ => None,
        }
    }

    /// Every way in which the king and a rook beside it could castle, if nothing forbade it; those with the right to
    /// it come first, then those with a rook further away.
    fn castlings(&self) -> Vec<Castling> {
        let (board, color) = (self.position.board(), color(self.turn));
        let first_rank = if color.is_white() { Rank::First } else { Rank::Eighth };
        let Some(king) = board.king_of(color).filter(|king| king.rank() == first_rank) else {
            return Vec::new();
        };
        let of = |rook: Square| {
            let side = CastlingSide::from_king_side(rook > king);
            if self.position.is_chess960() {
                return Some((rook, side.king_to(color), side.rook_to(color)));
            }
            // Two squares towards the rook, which goes over it (3.8.2), wherever the king stands.
            let step = if rook > king { 1 } else { -1 };
            Some((rook, king.offset(2 * step)?, king.offset(step)?))
        };
        let rooks = board.by_piece(Piece { color, role: Role::Rook }) & Bitboard::from_rank(first_rank);
        let mut castlings: Vec<Castling> = rooks
            .into_iter()
            .filter_map(of)
            .filter(|to| to.1.rank() == first_rank)
            .map(|(rook, king_to, rook_to)| Castling { king: (king, king_to), rook: (rook, rook_to) })
            .collect();
        castlings.sort_by_key(|castling| {
            let has_right = self.position.castling_rights().contains(castling.rook.0);
            (!has_right, u32::MAX - king.distance(castling.rook.0))
        });
        castlings
    }

    /// Do king and rook stand as after `castling`, and everything else as before?
    fn shows_castled(&self, castling: &Castling) -> bool {
        let (king, rook) = (man(self.turn, Role::King), man(self.turn, Role::Rook));
        let left = [castling.king.0, castling.rook.0];
        let reached = [(castling.king.1, king), (castling.rook.1, rook)];
        let is_free = |(square, _): (Square, Content)| {
            left.contains(&square) || !self.position.board().occupied().contains(square)
        };
        let after =
            |square: Square| reached.iter().find(|to| to.0 == square).map_or(Content::EMPTY, |to| to.1);
        let squares = left.into_iter().chain(reached.map(|to| to.0));
        let shows = |square: Square| {
            let shown = self.picture.at(square.into()).map(|change| change.after);
            let before = self.position.content(square.into());
            let seen = |content: Content| if self.picture.named { content } else { content.occupancy() };
            shown.unwrap_or_else(|| seen(before)) == seen(after(square))
        };
        let is_all = self.picture.changes.iter().all(|change| {
            let square = chess_square(change.square);
            left.contains(&square) || reached.iter().any(|to| to.0 == square)
        });
        is_all && reached.into_iter().all(is_free) && squares.into_iter().all(shows)
    }

    fn castled_illegally(&self, castling: Castling) -> Departure<Move> {
        let (from, to) = castling.king;
        Departure::Illegal {
            from: from.into(),
            to: to.into(),
            captured: None,
            kinds: self.castling_kinds(castling),
        }
    }

    /// What forbids that castling (3.8.2).
    fn castling_kinds(&self, castling: Castling) -> Vec<Kind> {
        let Castling { king: (origin, king_to), rook: (corner, rook_to) } = castling;
        let mut kinds = Vec::new();
        let board = self.position.board();
        if !self.position.castling_rights().contains(corner) {
            kinds.push(Kind::CastlingRightLost);
        }
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

    /// Chess960: king or rook is off the board while the other one goes where castling takes it (II.3.2.5.1).
    fn castling_in_hand(&self) -> Option<Departure<Move>> {
        if !self.position.is_chess960() || !self.picture.named {
            return None;
        }
        let changes = &self.picture.changes;
        let is_in_hand = |role: Role| {
            let man = man(self.turn, role);
            changes.iter().any(|change| change.before == man)
                && !changes.iter().any(|change| change.after == man)
        };
        if !is_in_hand(Role::King) && !is_in_hand(Role::Rook) {
            return None;
        }
        let fits = |mv: &&Move| {
            let footprint = self.position.footprint(**mv);
            let shows = |change: &Change| {
                let arrives = footprint.changes().iter().find(|arrives| arrives.0 == change.square);
                arrives.is_some_and(|arrives| change.after.is_empty() || arrives.2 == change.after)
            };
            (*mv).castling().is_some() && changes.iter().all(shows)
        };
        self.legal().iter().find(fits)?;
        let squares = changes.iter().filter(|change| !change.before.is_empty()).map(|change| change.square);
        Some(Departure::Lifted { squares: squares.collect() })
    }

    /// King and rook both stand as after castling, which was not legal; or elsewhere, as if castling (3.8).
    fn castling(&self) -> Option<Departure<Move>> {
        if let Some(castling) = self.castlings().into_iter().find(|castling| self.shows_castled(castling)) {
            return Some(self.castled_illegally(castling));
        }
        let (king, rook) = (man(self.turn, Role::King), man(self.turn, Role::Rook));
        let steps = |from, to| chess_square(from).distance(chess_square(to));
        let castled =
            self.picture.castled_wrongly(king, rook, steps).or_else(|| self.rook_went_over(king, rook));
        let (from, to) = castled?;
        let kinds = vec![Kind::CastlingWrong];
        Some(Departure::Illegal { from, to, captured: None, kinds })
    }

    /// Chess960: the king went where castling takes it, be it one step only, and its rook over it to a wrong square.
    fn rook_went_over(&self, king: Content, rook: Content) -> Option<(square::Square, square::Square)> {
        if !self.position.is_chess960() || !self.picture.named {
            return None;
        }
        let castlings = self.castlings();
        let is_castled = |way: &KingAndRook| {
            let [king_from, king_to] = [way.king.0, way.king.1].map(chess_square);
            let [rook_from, rook_to] = [way.rook.0, way.rook.1].map(chess_square);
            let is_over = attacks::between(rook_from, rook_to).contains(king_to);
            let takes =
                |castling: &Castling| castling.king == (king_from, king_to) && castling.rook.0 == rook_from;
            is_over && castlings.iter().any(takes)
        };
        self.picture.king_and_rook(king, rook).into_iter().find(is_castled).map(|way| way.king)
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
        if !is_capture || beside != chess_square(victim.square) {
            return None;
        }
        let is_late = !self.takes_in_passing(origin, target);
        let mut kinds = if is_late { vec![Kind::EnPassantLate] } else { Vec::new() };
        kinds.extend(self.exposed_in_passing(origin, target));
        let captured = Some(victim.square);
        Some(Departure::Illegal { from: from.square, to: to.square, captured, kinds })
    }

    /// An enemy pawn has just passed `to`, and the pawn on `from` attacks it (3.7.4), whoever stands in check.
    fn takes_in_passing(&self, from: Square, to: Square) -> bool {
        self.position.setup().ep_square == Some(to)
            && attacks::pawn_attacks(color(self.turn), from).contains(to)
    }

    /// The mover's own king would stand in check without both pawns (3.9.2).
    fn exposed_in_passing(&self, from: Square, to: Square) -> Option<Kind> {
        let victim = Square::from_coords(to.file(), from.rank());
        self.leaves_king_in_check(from, to, Role::Pawn, Some(victim)).then_some(Kind::SelfCheck)
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
    fn kinds(&self, from: Square, to: Square, role: Role, captured: Content) -> Vec<Kind> {
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
        if self.leaves_king_in_check(from, to, role, None) {
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

    fn leaves_king_in_check(&self, from: Square, to: Square, role: Role, passed: Option<Square>) -> bool {
        let color = color(self.turn);
        let mut board = self.position.board().clone();
        board.discard_piece_at(from);
        if let Some(passed) = passed {
            board.discard_piece_at(passed);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor::Role as Man;

    /// What the picture shows that `changes` makes of a position: `e1=` empties a square, `g1=K` sets a white king there.
    fn shown(fen: &str, chess960: bool, changes: &str) -> Departure<Move> {
        let position = ChessPosition::from_fen(fen, chess960).unwrap();
        let mut contents: Vec<Content> =
            square::Square::all().map(|square| position.content(square)).collect();
        contents.truncate(64);
        for change in changes.split(' ') {
            let (name, man) = change.split_once('=').unwrap();
            let square: Square = name.parse().unwrap();
            let side = if man.starts_with(char::is_uppercase) { Side::White } else { Side::Black };
            contents[usize::from(square)] = match man.to_ascii_uppercase().as_str() {
                "K" => Content::man(side.into(), Man::King),
                "R" => Content::man(side.into(), Man::Rook),
                "P" => Content::man(side.into(), Man::Pawn),
                _ => Content::EMPTY,
            };
        }
        departure(&position, &contents, true)
    }

    fn kinds(fen: &str, chess960: bool, changes: &str) -> Vec<Kind> {
        match shown(fen, chess960, changes) {
            Departure::Illegal { kinds, .. } => kinds,
            other => panic!("{changes}: {other:?}"),
        }
    }

    #[test]
    fn a_capture_in_passing_is_late_or_exposes_the_king_or_both() {
        let of = |fen| kinds(fen, false, "e5= d5= d6=P");
        assert_eq!(of("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 41"), [Kind::SelfCheck]);
        assert_eq!(of("8/8/8/3pP3/8/8/8/K3k3 w - - 0 41"), [Kind::EnPassantLate]);
        assert_eq!(of("8/8/8/K2pP2r/8/8/8/4k3 w - - 0 41"), [Kind::EnPassantLate, Kind::SelfCheck]);
        let left = kinds("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 41", false, "e5= d6=P");
        assert_eq!(left, [Kind::EnPassantNotRemoved, Kind::SelfCheck]);
    }

    #[test]
    fn a_king_castles_two_squares_towards_the_rook_wherever_it_stands() {
        let lost = [Kind::CastlingRightLost];
        assert_eq!(kinds("4k3/8/8/8/8/8/8/R2K4 w - - 0 30", false, "d1= b1=K a1= c1=R"), lost);
        assert_eq!(kinds("4k3/8/8/8/8/8/8/R3K3 w - - 0 30", false, "e1= c1=K a1= d1=R"), lost);
        let wrong = kinds("4k3/8/8/8/8/8/8/R3K3 w Q - 0 30", false, "e1= b1=K a1= c1=R");
        assert_eq!(wrong, [Kind::CastlingWrong]);
    }

    #[test]
    fn in_chess960_king_and_rook_castle_from_where_they_stand() {
        let attacked = kinds("4kr2/8/8/8/8/8/8/1K5R w H - 0 30", true, "b1= g1=K h1= f1=R");
        assert_eq!(attacked, [Kind::CastlingThroughCheck]);
        let blocked = kinds("4k3/8/8/8/8/8/8/1K2B2R w H - 0 30", true, "b1= g1=K h1= f1=R");
        assert_eq!(blocked, [Kind::CastlingBlocked]);
        assert_eq!(
            kinds("4k3/8/8/8/8/8/8/5K1R w - - 0 30", true, "f1=R g1=K h1="),
            [Kind::CastlingRightLost]
        );
    }

    #[test]
    fn in_chess960_either_of_them_may_go_first_or_be_in_the_hand() {
        let half = |changes, from: Square, to: Square| {
            let half = Departure::CastlingHalf { from: from.into(), to: to.into() };
            assert_eq!(shown("4k3/8/8/8/8/8/8/RK5R w HA - 0 30", true, changes), half);
        };
        half("b1= g1=K", Square::B1, Square::G1);
        half("a1= d1=R", Square::A1, Square::D1);
        let in_hand = shown("4k3/8/8/8/8/8/8/4K1R1 w G - 0 30", true, "e1= g1=K");
        assert!(matches!(in_hand, Departure::Lifted { .. }), "{in_hand:?}");
    }
}
