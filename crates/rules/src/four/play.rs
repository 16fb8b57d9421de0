//! What the tracker and the table ask of a position of four-player chess.

use shakmaty::Role;

use super::army::{Army, EpWindow, FourRules, Parity, Seat};
use super::geometry::forward;
use super::moves::{FourMove, Manner};
use super::position::{EnPassant, FourKey, FourPosition, Wing};
use super::stood::FourStood;
use super::text::{layout, placement};
use super::{count, departure, rest};
use crate::departure::Departure;
use crate::legality::Reason;
use crate::mate::Dead;
use crate::rest::{GAIN_MAX, value};
use crate::{
    CannotMate, End, Footprint, IllegalPositionKind, MateBasis, MateReason, MateTest, Mirrored, Played,
    Position, Rest, Seated, Shown,
};

use crate::sensor::{self, Content, Side};
use crate::square::Square;

impl Position for FourPosition {
    type Move = FourMove;
    type Key = FourKey;

    fn legal_moves(&self, moves: &mut Vec<FourMove>) {
        let guards = self.guards();
        let from = moves.len();
        self.moves_by_geometry(moves);
        let mut kept = from;
        for index in from..moves.len() {
            let mv = moves[index];
            if guards.iter().flatten().all(|guard| guard.allows(self, mv)) {
                moves[kept] = mv;
                kept += 1;
            }
        }
        moves.truncate(kept);
        self.castlings(&guards, moves);
    }

    fn play(&self, mv: FourMove) -> Self {
        let is_zeroing = mv.role == Role::Pawn || !self.content(mv.to).is_empty();
        let mut next = self.moved(mv);
        next.halfmoves = if is_zeroing { 0 } else { self.halfmoves.saturating_add(1) };
        if self.rules.ep_window == EpWindow::NextPly {
            next.en_passant = [None; 4];
        }
        if mv.manner == Manner::Double {
            let crossed = self.geometry.step(mv.from, forward(self.turn));
            next.en_passant[self.turn.index()] = Some(EnPassant { crossed, pawn: mv.to });
        }
        next.pass_turn();
        next
    }

    /// Who sits where, and how the squares are coloured, is the position's own.
    fn under(&self, like: &Self) -> Self {
        let FourRules { ep_window, protect_partner, .. } = like.rules;
        let mut other = self.clone();
        other.rules = FourRules { ep_window, protect_partner, ..self.rules };
        other
    }

    fn footprint(&self, mv: FourMove) -> Footprint {
        let man = self.content(mv.from);
        // The man tells whose move it is: it may be made out of turn.
        let arrives = match (mv.manner, Army::of(man)) {
            (Manner::Promotion(role), Some(army)) => army.man(role),
            _ => man,
        };
        let left = (mv.from, man, Content::EMPTY);
        let filled = (mv.to, self.content(mv.to), arrives);
        match mv.manner {
            Manner::EnPassant { pawn } => {
                Footprint::new(&[left, (pawn, self.content(pawn), Content::EMPTY), filled])
            }
            Manner::Castling { rook, rook_to, .. } => {
                let rook_man = self.content(rook);
                Footprint::new(&[
                    left,
                    (rook, rook_man, Content::EMPTY),
                    filled,
                    (rook_to, Content::EMPTY, rook_man),
                ])
            }
            _ => Footprint::of_one_man(left, filled),
        }
    }

    #[inline]
    fn content(&self, square: Square) -> Content {
        self.men.get(square.index()).copied().unwrap_or_default()
    }

    fn turn(&self) -> Side {
        self.player().side()
    }

    fn is_in_check(&self) -> bool {
        Self::is_in_check(self, self.player())
    }

    fn army(&self) -> sensor::Army {
        self.player().number()
    }

    fn with_army(&self, army: sensor::Army) -> Self {
        self.with_seat(self.rules().seat_of(Army::numbered(army)))
    }

    fn with_turn(&self, side: Side) -> Self {
        if self.player().side() == side { self.clone() } else { self.with_seat(self.seat().next()) }
    }

    fn seated(&self, army: sensor::Army) -> Option<Seated> {
        let army = Army::numbered(army);
        Some(Seated { player: army, seat: self.rules().seat_of(army) })
    }

    /// The players other than the one to move who would be mated if it were their turn now, those
    /// first whose turn comes first. It has no effect before that (T-aim, R-14).
    fn mate_threats(&self) -> Vec<sensor::Army> {
        let others = (1..4).map(|plies| self.turn.after(plies));
        let threatened = others.filter(|&seat| {
            let at_turn = self.with_seat(seat);
            at_turn.is_in_check(at_turn.player()) && !at_turn.has_legal_move()
        });
        threatened.map(|seat| self.rules.army_at(seat).number()).collect()
    }

    fn end(&self) -> Option<End> {
        if !self.may_end() {
            return None;
        }
        if !self.has_legal_move() {
            let mated = self.is_in_check(self.player());
            return Some(if mated { End::Checkmate } else { End::Stalemate });
        }
        self.is_dead().then_some(End::DeadPosition)
    }

    /// An opponent may take back, and the partner defends as well as one's own men.
    fn gain(&self, mv: FourMove) -> i32 {
        let promoted = match mv.manner {
            Manner::Castling { .. } => return 0,
            Manner::Promotion(role) => role,
            _ => mv.role,
        };
        let victim = match mv.manner {
            Manner::EnPassant { .. } => Some(Role::Pawn),
            _ => self.content(mv.to).role(),
        };
        let (gain, own) = (victim.map_or(0, value), value(promoted));
        let around = self.attackers(mv.to, mv.from);
        let is_friend = |army: Army| army.side() == self.player().side();
        let is_defended = around.iter().any(|&(army, _)| is_friend(army));
        let cheapest =
            around.iter().filter(|&&(army, _)| !is_friend(army)).map(|&(_, role)| value(role)).min();
        let loss = match cheapest {
            None => 0,
            Some(_) if !is_defended => own,
            Some(attacker) => (own - attacker).max(0),
        };
        (gain - loss).clamp(-GAIN_MAX, GAIN_MAX)
    }

    fn may_promote(&self, square: Square) -> bool {
        if self.content(square) != self.player().man(Role::Pawn) {
            return false;
        }
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.into_iter().any(|mv| mv.from == square && matches!(mv.manner, Manner::Promotion(_)))
    }

    fn rest(&self, mv: FourMove) -> Rest {
        rest::rest(self, mv)
    }

    fn played(&self, mv: FourMove) -> Played {
        Played::Four { before: Box::new(self.clone()), mv }
    }

    /// The position to play on from when `contents` stand on the board: the next player is to move,
    /// rights stay as far as their men do, and the count of half-moves begins anew if a pawn moved or
    /// a man is gone. A man without a name is the one that stood there before.
    fn stood(&self, contents: &[Content]) -> Self {
        let mut next = self.with_men(contents);
        next.halfmoves = if self.is_zeroed_by(&next) { 0 } else { self.halfmoves.saturating_add(1) };
        if self.rules.ep_window == EpWindow::NextPly {
            next.en_passant = [None; 4];
        }
        next.pass_turn();
        next
    }

    /// The position to play on from when the arbiter accepts `contents`. If the player to move is of `side`, or
    /// none is named, it stays his turn, and rights and round with it; otherwise the next one moves.
    fn accepted(&self, contents: &[Content], side: Option<Side>) -> Self {
        if side.is_some_and(|side| side != self.player().side()) {
            return self.stood(contents);
        }
        let mut next = self.with_men(contents);
        if self.is_zeroed_by(&next) {
            next.halfmoves = 0;
        }
        next.drop_dead_rights();
        next
    }

    fn played_stood(&self, after: &Self) -> Played {
        Played::FourStood(Box::new(FourStood { before: self.clone(), after: after.clone() }))
    }

    fn key(&self) -> FourKey {
        self.into()
    }

    fn halfmoves(&self) -> u32 {
        self.halfmoves
    }

    /// Can the team still mate by any series of legal moves? Certainly not with nothing but kings and
    /// dead pawns, which attack no king that a legal move leaves there; nothing else is certain, for
    /// two kings and one minor piece can mate (section 7, R-10).
    fn can_mate(&self, winner: Side, _: u32) -> MateTest {
        if self.men().all(|man| man.1.side() != winner || self.is_harmless(man)) {
            return MateTest::No(CannotMate { reason: MateReason::BareKing, positions: None });
        }
        MateTest::Unknown { basis: MateBasis::FourPlayers, nodes: 0 }
    }

    /// Whether nobody can mate any more: certain with [`FourPosition::is_dead`], the arbiter's to say
    /// with [`FourPosition::is_little_material`].
    fn dead(&self, _: u32) -> Dead {
        if !self.may_end() {
            Dead::No
        } else if self.is_dead() {
            Dead::Yes
        } else if self.is_little_material() {
            Dead::Suspected
        } else {
            Dead::No
        }
    }

    /// Several kings in check are nothing illegal here: they are judged one by one, each at his turn.
    fn illegal_position(&self) -> Vec<IllegalPositionKind> {
        if self.pawns_on_last_rows().is_empty() {
            Vec::new()
        } else {
            vec![IllegalPositionKind::PawnOnLastRank]
        }
    }

    fn castling_target(&self, mv: FourMove) -> Option<Square> {
        matches!(mv.manner, Manner::Castling { .. }).then_some(mv.to)
    }

    fn is_castling_step(&self, from: Square, to: Square) -> bool {
        Seat::ALL.into_iter().flat_map(|seat| Wing::BOTH.map(|wing| (seat, wing))).any(|(seat, wing)| {
            let squares = self.castling_squares(seat, wing);
            (squares.king, squares.king_to) == (from, to)
        })
    }

    fn castles_in_any_order(&self) -> bool {
        false
    }

    fn departure(&self, contents: &[Content], named: bool) -> Departure<FourMove> {
        departure::departure(self, contents, named)
    }

    fn fen(&self) -> String {
        let mut fields = vec![
            placement(self.geometry, self.contents()),
            self.player().letter().to_string(),
            self.castling_text(),
            self.en_passant_text(),
            self.halfmoves.to_string(),
            self.round.to_string(),
        ];
        let (layout, usual) = (layout(self.rules), layout(FourRules::default()));
        if layout != usual {
            fields.push(layout);
        }
        fields.join(" ")
    }

    fn shown(&self) -> Shown {
        Shown::Four(Box::new(self.clone()))
    }

    /// Who sits at Red's left hand, told by White's seat, and the colour of the square at his right.
    fn layout(&self) -> Vec<(&'static str, &'static str)> {
        let rules = self.rules();
        let seats = if rules.seat_of(Army::White) == Seat::East { "white-east" } else { "white-west" };
        let squares = match rules.parity {
            Parity::Light => "k1-light",
            Parity::Dark => "k1-dark",
        };
        vec![("seat_after_red", seats), ("board_parity", squares)]
    }

    fn other_layout(&self) -> Option<Self> {
        let rules = self.rules();
        let parity = match rules.parity {
            Parity::Light => Parity::Dark,
            Parity::Dark => Parity::Light,
        };
        (*self == Self::start(rules)).then(|| Self::start(FourRules { parity, ..rules }))
    }

    /// A king that stands wrong is told by his rooks: a side has two kings.
    fn misplaced(&self, agreed: Option<&Self>) -> Vec<(Side, Option<Square>)> {
        let array = Self::start(self.rules());
        let rooks = self.misplaced_rooks(agreed.unwrap_or(&array));
        rooks.into_iter().map(|(army, rook)| (army.side(), Some(rook))).collect()
    }

    fn impossible_counts(&self) -> Vec<Reason> {
        count::impossible_counts(self)
    }

    fn moves_before(&self) -> [u32; 2] {
        let rounds = 2 * self.round.saturating_sub(1);
        let seat = self.turn as u32;
        [rounds + seat.div_ceil(2), rounds + seat / 2]
    }

    /// None: the classical game's national rules know it alone.
    fn mirrored_castling(&self, _: &[Content], _: bool) -> Option<Mirrored<Self>> {
        None
    }

    fn without_castling(&self, side: Side, rook: Option<Square>) -> Self {
        let mut banned = self.clone();
        for seat in Seat::ALL.into_iter().filter(|&seat| self.rules.army_at(seat).side() == side) {
            for wing in Wing::BOTH {
                let is_meant = rook.is_none_or(|rook| self.castling_squares(seat, wing).rook == rook);
                banned.castling[seat.index()][wing as usize] &= !is_meant;
            }
        }
        banned
    }
}

impl FourPosition {
    /// It is the next player's turn, and what ends with a ply has ended.
    pub(super) fn pass_turn(&mut self) {
        self.drop_dead_rights();
        self.turn = self.turn.next();
        self.en_passant[self.turn.index()] = None;
        if self.turn == Seat::South {
            self.round = self.round.saturating_add(1);
        }
    }

    /// The men after the move, and nothing else changed.
    pub(super) fn moved(&self, mv: FourMove) -> Self {
        let mut next = self.clone();
        for &(square, _, after) in self.footprint(mv).changes() {
            next.put(square, after);
        }
        next
    }
}
