//! How a hand makes one move: lifting, dragging, setting down, and in which order.

use super::deed::{Deed, Step};
use super::geometry;
use super::habits::{Habits, SpanMs};
use super::script::Script;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

/// Orders of a capture as the recorded boards show them (dgt-protocol 4.1: 25, 7 and 3 of 35, and
/// a rest that H98 describes), each with the share up to which the dice choose it.
const CAPTURE_ORDERS: [(f64, Capture); 4] = [
    (0.70, Capture::Swap),
    (0.90, Capture::VictimFirst),
    (0.99, Capture::OwnFirst),
    (1.0, Capture::PlacedFirst),
];

/// Between the victim's leaving and the attacker's arrival when one pushes the other off: too short
/// for most scans to see the square empty.
const SWAP_MS: SpanMs = (0.0, 20.0);

/// How long a dragged man is seen on two squares at once.
const OVERLAP_MS: SpanMs = (10.0, 60.0);

/// How long a dragged man is between two squares, seen on neither.
const BETWEEN_SQUARES_MS: SpanMs = (15.0, 40.0);

/// How long a man rests half way before he moves on (peers 4).
const HESITATION_MS: SpanMs = (350.0, 900.0);

/// How long the hand that sets a victim aside takes before it goes on.
const ASIDE_MS: SpanMs = (100.0, 450.0);

/// How long a pushed victim stands beside his square.
const PUSHED_MS: SpanMs = (120.0, 450.0);

/// How long it takes to find the new man for a pawn on the last rank.
const EXCHANGE_MS: SpanMs = (400.0, 1_500.0);

/// A wobble starts this long after setting down and loses the man for as long as the second says.
const BOUNCE_AFTER_MS: SpanMs = (40.0, 160.0);
const BOUNCE_MS: SpanMs = (40.0, 120.0);

/// Share of promotions in which the pawn never stands on the last rank.
const PROMOTION_DIRECT: f64 = 0.55;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Capture {
    Swap,
    VictimFirst,
    OwnFirst,
    PlacedFirst,
}

impl Capture {
    fn tag(self) -> &'static str {
        match self {
            Self::Swap => "capture:swap",
            Self::VictimFirst => "capture:captured_first",
            Self::OwnFirst => "capture:own_first",
            Self::PlacedFirst => "capture:placed_first",
        }
    }
}

/// A hand over a position, and what it did so far.
#[derive(Debug)]
pub(super) struct Hand<'a, V: Variant> {
    pub(super) script: &'a mut Script,
    pub(super) habits: Habits,
    pub(super) position: &'a V::Position,
    /// The opponent has not let go yet: no detours, and the own man first.
    pub(super) eager: bool,
    /// Where this hand set a man down last: nobody is dragged over him.
    pub(super) set_down: Option<Square>,
    pub(super) tags: Vec<&'static str>,
}

impl<V: Variant> Hand<'_, V> {
    /// Makes the move, from now on; the script stands at its last lifting or setting down.
    pub(super) fn make(&mut self, deed: Deed) {
        match deed {
            Deed::Bring { step, man, arrives, captures } if man == arrives => {
                self.bring(step, man, arrives, captures);
            }
            Deed::Bring { step, man, arrives, captures } => self.promote(step, man, arrives, captures),
            Deed::EnPassant { step, man, victim } => self.en_passant(step, man, victim),
            Deed::Castle { king, rook } => self.castle(king, rook),
        }
        if self.tags.is_empty() {
            self.tags.push("plain");
        }
    }

    fn man(&self, square: Square) -> Content {
        self.position.content(square)
    }

    fn bring(&mut self, step: Step, man: Content, arrives: Content, captures: bool) {
        if captures {
            self.capture(step, man, arrives);
        } else if man == arrives && !self.eager && self.script.chance(self.habits.place_before_lift) {
            self.tags.push("placed_first");
            self.place_before_lift(step, arrives);
        } else {
            self.script.lift(step.from);
            self.travel(step, man);
            self.put(step.to, arrives);
        }
    }

    fn capture(&mut self, step: Step, man: Content, arrives: Content) {
        let order = self.capture_order(man != arrives);
        self.tags.push(order.tag());
        match order {
            Capture::Swap => {
                self.script.lift(step.from);
                self.travel(step, man);
                self.script.lift(step.to);
                self.script.wait(SWAP_MS);
                self.put(step.to, arrives);
            }
            Capture::VictimFirst => {
                self.script.lift(step.to);
                self.script.wait(ASIDE_MS);
                self.script.lift(step.from);
                self.travel(step, man);
                self.put(step.to, arrives);
            }
            Capture::OwnFirst => {
                self.script.lift(step.from);
                self.travel(step, man);
                self.script.lift(step.to);
                self.script.wait(ASIDE_MS);
                self.put(step.to, arrives);
            }
            Capture::PlacedFirst => self.place_before_lift(step, arrives),
        }
        if matches!(order, Capture::Swap | Capture::PlacedFirst)
            && self.script.chance(self.habits.pushed_victim)
        {
            self.push_aside(step);
        }
    }

    fn capture_order(&mut self, promotes: bool) -> Capture {
        let dice = self.script.dice();
        let order = CAPTURE_ORDERS.iter().find(|row| dice < row.0).map_or(Capture::Swap, |row| row.1);
        match order {
            Capture::VictimFirst if self.eager => Capture::OwnFirst,
            Capture::PlacedFirst if self.eager || promotes => Capture::Swap,
            order => order,
        }
    }

    fn place_before_lift(&mut self, Step { from, to }: Step, man: Content) {
        self.script.place(to, man);
        self.script.wait(OVERLAP_MS);
        self.script.lift(from);
    }

    /// The victim on `to` was pushed off to a free square beside it, and is then taken away.
    fn push_aside(&mut self, Step { from, to }: Step) {
        let free: Vec<Square> = geometry::around::<V>(to)
            .into_iter()
            .filter(|&square| square == from || self.is_free(square))
            .collect();
        let Some(beside) = self.script.pick(&free) else { return };
        let victim = self.man(to);
        self.tags.push("pushed");
        self.script.place(beside, victim);
        self.script.wait(PUSHED_MS);
        self.script.lift(beside);
    }

    fn promote(&mut self, step: Step, pawn: Content, new_man: Content, captures: bool) {
        if self.script.chance(PROMOTION_DIRECT) {
            self.bring(step, pawn, new_man, captures);
            self.tags.push("promo:direct");
        } else {
            self.bring(step, pawn, pawn, captures);
            self.tags.push("promo:pawn_then_piece");
            self.script.wait(EXCHANGE_MS);
            self.script.lift(step.to);
            self.script.wait(ASIDE_MS);
            self.put(step.to, new_man);
        }
    }

    fn en_passant(&mut self, step: Step, pawn: Content, victim: Square) {
        let dice = self.script.dice();
        if dice < 0.5 {
            self.tags.push("ep:own_first");
            self.script.lift(step.from);
            self.travel(step, pawn);
            self.put(step.to, pawn);
            self.script.wait(ASIDE_MS);
            self.script.lift(victim);
        } else if dice < 0.75 {
            self.tags.push("ep:captured_first");
            self.script.lift(victim);
            self.script.wait(ASIDE_MS);
            self.script.lift(step.from);
            self.travel(step, pawn);
            self.put(step.to, pawn);
        } else {
            self.tags.push("ep:middle");
            self.script.lift(step.from);
            self.travel(step, pawn);
            self.script.lift(victim);
            self.script.wait(ASIDE_MS);
            self.put(step.to, pawn);
        }
    }

    fn castle(&mut self, king: Step, rook: Step) {
        // Chess960: a man who has to go to the other's square cannot go alone, and one of the two
        // may already stand where he belongs.
        let crossed = king.to == rook.from || rook.to == king.from;
        let moving: Vec<Step> = [king, rook].into_iter().filter(|step| step.from != step.to).collect();
        let dice = self.script.dice();
        if crossed || (moving.len() == 2 && dice < self.habits.both_in_hand) {
            self.tags.push("castle:both");
            return self.castle_with_both(&moving);
        }
        let rook_first = moving.len() == 2 && dice > 1.0 - self.habits.rook_first;
        self.tags.push(if rook_first { "castle:rook_first" } else { "castle:king_first" });
        let mut order = moving;
        if rook_first {
            order.reverse();
        }
        for (index, step) in order.into_iter().enumerate() {
            if index > 0 {
                self.script.wait(self.habits.castling_pause_ms);
            }
            let man = self.man(step.from);
            self.script.lift(step.from);
            self.travel(step, man);
            self.put(step.to, man);
        }
    }

    fn castle_with_both(&mut self, moving: &[Step]) {
        for &Step { from, .. } in moving {
            self.script.lift(from);
            self.script.wait(ASIDE_MS);
        }
        for &Step { from, to } in moving {
            let man = self.man(from);
            self.script.wait(ASIDE_MS);
            self.put(to, man);
        }
    }

    /// Brings the man in the hand over the board, through the air or over the squares between.
    pub(super) fn travel(&mut self, step: Step, man: Content) {
        let path = self.path(step);
        if path.is_empty() || self.eager {
            self.script.wait(self.habits.hover_ms);
        } else if self.script.chance(self.habits.slide) {
            self.tags.push("slide");
            for square in path {
                self.script.wait(BETWEEN_SQUARES_MS);
                self.script.place(square, man);
                self.script.wait(self.habits.slide_square_ms);
                self.script.lift(square);
            }
            self.script.wait(BETWEEN_SQUARES_MS);
        } else if self.script.chance(self.habits.hesitate) {
            self.tags.push("hesitate");
            let half_way = self.script.pick(&path).unwrap_or(step.to);
            self.script.wait(self.habits.hover_ms);
            self.script.place(half_way, man);
            self.script.wait(HESITATION_MS);
            self.script.lift(half_way);
            self.script.wait(self.habits.hover_ms);
        } else {
            self.script.wait(self.habits.hover_ms);
        }
    }

    /// The free squares between `from` and `to`, in the order of the way.
    fn path(&self, Step { from, to }: Step) -> Vec<Square> {
        geometry::between::<V>(from, to).into_iter().filter(|&square| self.is_free(square)).collect()
    }

    fn is_free(&self, square: Square) -> bool {
        self.man(square).is_empty() && self.set_down != Some(square)
    }

    /// Sets `man` down, perhaps not firmly.
    pub(super) fn put(&mut self, square: Square, man: Content) {
        self.script.place(square, man);
        self.set_down = Some(square);
        if self.script.chance(self.habits.bounce) {
            self.tags.push("bounce");
            let at_ms = self.script.now_ms + self.script.draw(BOUNCE_AFTER_MS);
            let length_ms = self.script.draw(BOUNCE_MS);
            self.script.dropout(at_ms, square, length_ms);
        }
    }
}
