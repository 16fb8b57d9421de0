//! What a picture shows that no legal move of four-player chess explains.

use crate::Position as _;
use shakmaty::Role;

use super::army::{Army, Seat};
use super::geometry::{NOWHERE, captures, forward};
use super::moves::{FourMove, Manner};
use super::position::{FourPosition, Wing};
use crate::departure::{Change, Departure, Kind, Picture};
use crate::sensor::Content;
use crate::square::Square;

struct View<'a> {
    position: &'a FourPosition,
    /// Whose turn it is.
    army: Army,
    seat: Seat,
    picture: Picture,
    legal: Vec<FourMove>,
}

/// See [`crate::Position::departure`].
pub(super) fn departure(position: &FourPosition, contents: &[Content], named: bool) -> Departure<FourMove> {
    let picture = Picture::of(position.contents().iter().copied(), contents, named);
    if let Some(plain) = picture.plain() {
        return plain;
    }
    let mut legal = Vec::new();
    position.legal_moves(&mut legal);
    View { position, army: position.player(), seat: position.seat(), picture, legal }.departure()
}

impl View<'_> {
    fn departure(&self) -> Departure<FourMove> {
        self.castling()
            .or_else(|| self.promotion_piece_first())
            .or_else(|| self.promoted_where_it_stands())
            .or_else(|| self.one_man())
            .or_else(|| self.en_passant())
            .or_else(|| self.out_of_turn())
            .or_else(|| self.partners_man())
            .or_else(|| self.several())
            .unwrap_or_else(|| self.picture.displaced())
    }

    fn is_legal(&self, from: Square, to: Square, keep: impl Fn(Manner) -> bool) -> bool {
        self.legal.iter().any(|mv| (mv.from, mv.to) == (from, to) && keep(mv.manner))
    }

    /// One own man left his square and stands on another; at most one man gave way there.
    fn one_man(&self) -> Option<Departure<FourMove>> {
        let is_own = |man| Army::of(man) == Some(self.army);
        let (from, to) = self.picture.single_mover(is_own, |from, to| self.is_promotion(from, to))?;
        let role = from.before.role()?;
        let captured = (!to.before.is_empty()).then_some(to.square);
        if let Some(wing) = self.castling_step(from.square, to.square).filter(|_| captured.is_none()) {
            return Some(self.castling_half(wing));
        }
        let illegal = |kinds| Some(Departure::Illegal { from: from.square, to: to.square, captured, kinds });
        if role == Role::Pawn && self.picture.named {
            let promotes = |manner| matches!(manner, Manner::Promotion(_));
            if self.is_legal(from.square, to.square, promotes) {
                if to.after == from.before {
                    return Some(Departure::PromotionHalf { from: from.square, square: to.square });
                }
                return illegal(vec![Kind::PromotionPiece]);
            }
            if to.after != from.before {
                let mut kinds = self.kinds(&from, &to);
                kinds.extend(self.wrong_promotion(to.square));
                // The pawn may well have been allowed to go there.
                let is_legal = self.is_legal(from.square, to.square, |_| true);
                kinds.retain(|kind| !is_legal || *kind != Kind::Movement);
                return illegal(kinds);
            }
        }
        if self.is_legal(from.square, to.square, |manner| matches!(manner, Manner::EnPassant { .. })) {
            return illegal(vec![Kind::EnPassantNotRemoved]);
        }
        illegal(self.kinds(&from, &to))
    }

    /// A pawn that became another man on a square where it does not become one.
    fn wrong_promotion(&self, square: Square) -> Option<Kind> {
        let geometry = self.position.geometry;
        if geometry.end(self.seat).contains(square) {
            Some(Kind::PromotionOnPartnerEnd)
        } else if !geometry.promotions(self.seat).contains(square) {
            Some(Kind::PromotionOnSideSquare)
        } else {
            None
        }
    }

    /// Did a pawn arrive at an edge, where it may have become another man, rightly or not?
    fn is_promotion(&self, from: &Change, to: &Change) -> bool {
        let geometry = self.position.geometry;
        let is_edge = geometry.step(to.square, forward(self.seat)) == NOWHERE
            || geometry.promotions(self.seat).contains(to.square);
        let is_one_step = [0, 1, 7]
            .into_iter()
            .any(|aside| geometry.step(from.square, (forward(self.seat) + aside) % 8) == to.square);
        from.before == self.army.man(Role::Pawn) && is_edge && is_one_step && !to.after.is_empty()
    }

    /// Anybody's pawn that stands at an edge for good is another man of its army now.
    fn promoted_where_it_stands(&self) -> Option<Departure<FourMove>> {
        let &[change] = self.picture.changes.as_slice() else { return None };
        let army = Army::of(change.before).filter(|army| change.before == army.man(Role::Pawn))?;
        let seat = self.position.rules.seat_of(army);
        let geometry = self.position.geometry;
        let is_edge = geometry.step(change.square, forward(seat)) == NOWHERE;
        let is_promoted = Army::of(change.after) == Some(army);
        let kind = if geometry.end(seat).contains(change.square) {
            Kind::PromotionOnPartnerEnd
        } else {
            Kind::PromotionOnSideSquare
        };
        (is_edge && is_promoted).then(|| Departure::Illegal {
            from: change.square,
            to: change.square,
            captured: None,
            kinds: vec![kind],
        })
    }

    /// The new piece stands on its square, and the pawn has not left yet (4.6.2).
    fn promotion_piece_first(&self) -> Option<Departure<FourMove>> {
        let &[placed] = self.picture.changes.as_slice() else { return None };
        let promotes = |mv: &&FourMove| {
            mv.to == placed.square
                && matches!(mv.manner, Manner::Promotion(role)
                    if self.picture.shows(placed.after, self.army.man(role)))
        };
        let from = self.legal.iter().find(promotes)?.from;
        Some(Departure::PromotionHalf { from, square: placed.square })
    }

    fn castling_step(&self, from: Square, to: Square) -> Option<Wing> {
        let is_king = self.position.content(from) == self.army.man(Role::King);
        Wing::BOTH.into_iter().find(|&wing| {
            let squares = self.position.castling_squares(self.seat, wing);
            is_king && (squares.king, squares.king_to) == (from, to)
        })
    }

    fn castling_half(&self, wing: Wing) -> Departure<FourMove> {
        let squares = self.position.castling_squares(self.seat, wing);
        let (from, to) = (squares.king, squares.king_to);
        if self.is_legal(from, to, |manner| matches!(manner, Manner::Castling { .. })) {
            return Departure::CastlingHalf { from, to };
        }
        Departure::Illegal { from, to, captured: None, kinds: self.castling_kinds(wing) }
    }

    /// What forbids a castling (T8, 3.8.2).
    fn castling_kinds(&self, wing: Wing) -> Vec<Kind> {
        let position = self.position;
        let squares = position.castling_squares(self.seat, wing);
        let mut kinds = Vec::new();
        if !position.may_castle(self.seat, wing) {
            kinds.push(Kind::CastlingRightLost);
        }
        let mut between = position.geometry.between(squares.king, squares.rook).iter();
        if between.any(|square| !position.content(square).is_empty()) {
            kinds.push(Kind::CastlingBlocked);
        }
        let mut way = [squares.king, squares.rook_to, squares.king_to].into_iter();
        if way.any(|square| position.is_attacked(self.army, square, squares.king)) {
            kinds.push(Kind::CastlingThroughCheck);
        }
        if kinds.is_empty() {
            kinds.push(Kind::Movement);
        }
        kinds
    }

    /// King and rook both stand as after castling, which was not legal; or elsewhere, as if castling (T8).
    fn castling(&self) -> Option<Departure<FourMove>> {
        let (king, rook) = (self.army.man(Role::King), self.army.man(Role::Rook));
        let illegal = |(from, to), kinds| Some(Departure::Illegal { from, to, captured: None, kinds });
        for way in self.picture.king_and_rook(king, rook) {
            let as_castled = |&wing: &Wing| {
                let squares = self.position.castling_squares(self.seat, wing);
                (squares.king, squares.king_to) == way.king && (squares.rook, squares.rook_to) == way.rook
            };
            if let Some(wing) = Wing::BOTH.into_iter().find(as_castled) {
                return illegal(way.king, self.castling_kinds(wing));
            }
        }
        let steps =
            |from, to| self.position.geometry.way(from, to).map_or(u32::MAX, |(_, steps)| steps.into());
        let squares = self.picture.castled_wrongly(king, rook, steps)?;
        illegal(squares, vec![Kind::CastlingWrong])
    }

    /// A pawn moved like a capture onto an empty square that an opponent's pawn once crossed, and that
    /// pawn is gone.
    fn en_passant(&self) -> Option<Departure<FourMove>> {
        let position = self.position;
        if self.picture.changes.len() != 3 {
            return None;
        }
        let mut changes = self.picture.changes.iter();
        let from =
            changes.find(|change| change.before == self.army.man(Role::Pawn) && change.after.is_empty())?;
        let mut changes = self.picture.changes.iter();
        let to = changes
            .find(|change| change.before.is_empty() && self.picture.shows(change.after, from.before))?;
        let (seat, right) = position.right_of(to.square)?;
        let is_taken = self.picture.at(right.pawn).is_some_and(|victim| {
            victim.before == position.rules.army_at(seat).man(Role::Pawn) && victim.after.is_empty()
        });
        let is_opponent = self.seat.opponents().contains(&seat);
        let is_capture =
            captures(self.seat).map(|way| position.geometry.step(from.square, way)).contains(&to.square);
        // A right that lives and gave no legal move would have opened a line to the king.
        let is_alive = position.en_passant[seat.index()] == Some(right);
        let kind = if is_alive { Kind::SelfCheck } else { Kind::EnPassantLate };
        (is_taken && is_opponent && is_capture).then(|| Departure::Illegal {
            from: from.square,
            to: to.square,
            captured: Some(right.pawn),
            kinds: vec![kind],
        })
    }

    /// Another player made what would be a legal move of his; of several, the one whose turn is next.
    fn out_of_turn(&self) -> Option<Departure<FourMove>> {
        (1..4).find_map(|plies| {
            let position = self.position.with_seat(self.seat.after(plies));
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            moves.into_iter().find(|&mv| self.picture.is(&position.footprint(mv))).map(Departure::OutOfTurn)
        })
    }

    /// A man of the partner moved as he may not (T2); as he may, the partner moved him out of turn.
    fn partners_man(&self) -> Option<Departure<FourMove>> {
        let partner = self.army.partner();
        let (from, to) = self.picture.single_mover(|man| Army::of(man) == Some(partner), |_, _| false)?;
        let mut kinds = vec![Kind::PartnerPieceMoved];
        if self.position.is_dead_pawn(from.square) {
            kinds.push(Kind::DeadPawnMoved);
        }
        let captured = (!to.before.is_empty()).then_some(to.square);
        Some(Departure::Illegal { from: from.square, to: to.square, captured, kinds })
    }

    /// Several own men, each of which could have gone where he stands.
    fn several(&self) -> Option<Departure<FourMove>> {
        let mut moves = Vec::new();
        self.position.moves_by_geometry(&mut moves);
        self.picture.several(|from, to| {
            Army::of(from.before) == Some(self.army)
                && self.picture.shows(to.after, from.before)
                && moves.iter().any(|mv| (mv.from, mv.to) == (from.square, to.square))
        })
    }

    /// Every requirement that the move of one man fails.
    fn kinds(&self, from: &Change, to: &Change) -> Vec<Kind> {
        let mut kinds = Vec::new();
        let (army, captured) = (self.army, Army::of(to.before));
        if self.position.is_dead_pawn(from.square) {
            kinds.push(Kind::DeadPawnMoved);
        } else {
            kinds.extend(self.movement(from, to));
        }
        if captured == Some(army) {
            kinds.push(Kind::OwnPieceCaptured);
        }
        if captured == Some(army.partner()) {
            kinds.push(Kind::PartnerCaptured);
        }
        let is_king = to.before.role() == Some(Role::King);
        if is_king && FourPosition::is_enemy(army, to.before) {
            kinds.push(Kind::KingCaptured);
        } else if self.endangers_king(from, to) {
            // A king captured ends what is asked of the mover's own.
            kinds.push(Kind::SelfCheck);
        }
        if kinds.is_empty() {
            kinds.push(Kind::Movement);
        }
        kinds
    }

    /// What is wrong with the way of the man, whoever stands where he arrives.
    fn movement(&self, from: &Change, to: &Change) -> Option<Kind> {
        let geometry = self.position.geometry;
        let role = from.before.role()?;
        if role == Role::Knight {
            return (!geometry.jumps(from.square).any(|square| square == to.square))
                .then_some(Kind::Movement);
        }
        let Some((direction, steps)) = geometry.way(from.square, to.square) else {
            return Some(Kind::Movement);
        };
        let is_capture = !to.before.is_empty();
        let ahead = forward(self.seat);
        let reach = if geometry.pawn_row(self.seat).contains(from.square) { 2 } else { 1 };
        let is_straight = direction == ahead && steps <= reach;
        let is_right = match role {
            Role::Pawn if captures(self.seat).contains(&direction) => steps == 1 && is_capture,
            Role::Pawn => is_straight,
            Role::King => steps == 1,
            Role::Rook => direction % 2 == 0,
            Role::Bishop => direction % 2 == 1,
            Role::Knight | Role::Queen => true,
        };
        let mut between = geometry.between(from.square, to.square).iter();
        let is_blocked = between.any(|square| !self.position.content(square).is_empty())
            // A pawn that goes straight onto a man is blocked by him (T6).
            || role == Role::Pawn && is_straight && is_capture;
        if !is_right { Some(Kind::Movement) } else { is_blocked.then_some(Kind::PathBlocked) }
    }

    /// The own king stands in check after it; or the partner's, where he is protected and was not.
    fn endangers_king(&self, from: &Change, to: &Change) -> bool {
        let mut after = self.position.clone();
        after.put(from.square, Content::EMPTY);
        after.put(to.square, from.before);
        let partner = self.army.partner();
        let is_partner_exposed = self.position.rules.protect_partner
            && !self.position.is_in_check(partner)
            && after.is_in_check(partner);
        after.is_in_check(self.army) || is_partner_exposed
    }
}
