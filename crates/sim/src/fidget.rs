//! What hands do besides moving: putting men right, moves begun and taken back; and men whom their
//! sensors lose.

use super::act::{Surface, TimedAct};
use super::deed::{Deed, Step};
use super::habits::SpanMs;
use super::movement::Hand;
use super::script::{Script, nanos};
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

/// How long a man is in the air while he is put right on his square.
const ADJUST_MS: SpanMs = (100.0, 500.0);

/// What passes between such an act and the next one of the same hand.
const PAUSE_MS: SpanMs = (200.0, 800.0);

/// How long a man rests on the wrong square before he goes back (peers 4).
const REST_MS: SpanMs = (100.0, 700.0);

/// How long a flickering man is lost (peers 4).
const FLICKER_MS: SpanMs = (50.0, 200.0);

impl<V: Variant> Hand<'_, V> {
    /// Puts a man right on his square, one's own or the opponent's.
    pub(super) fn adjust(&mut self) {
        let squares = adoube_core::infer::squares::<V>();
        let men: Vec<(Square, Content)> = squares
            .map(|square| (square, self.position.content(square)))
            .filter(|(_, man)| !man.is_empty())
            .collect();
        let Some((square, man)) = self.script.pick(&men) else { return };
        // Armies are of the two sides in turn.
        let side = self.position.turn();
        let own = man.seat_role().is_some_and(|(army, _)| army.side() == side);
        self.tags.push(if own { "adjust:own" } else { "adjust:opp" });
        self.script.lift(square);
        self.script.wait(ADJUST_MS);
        self.script.place(square, man);
        self.script.wait(PAUSE_MS);
    }

    /// Begins a move with the man of `deed` and takes it back: half of the time after having set him
    /// down where he could go.
    pub(super) fn go_half_way(&mut self, deed: Deed) {
        let Some(step @ Step { from, .. }) = deed.step() else { return };
        let man = self.position.content(from);
        let other = if self.script.chance(0.5) { self.other_destination(step) } else { None };
        self.script.lift(from);
        match other {
            Some(square) => {
                self.tags.push("halfway:touch");
                self.travel(Step { from, to: square }, man);
                self.script.place(square, man);
                self.script.wait(REST_MS);
                self.script.lift(square);
                self.travel(Step { from: square, to: from }, man);
            }
            None => {
                self.tags.push("halfway:air");
                self.script.wait(self.habits.hover_ms);
            }
        }
        self.script.place(from, man);
        self.script.wait(PAUSE_MS);
    }

    /// Another free square to which the man on `from` could go by the rules.
    fn other_destination(&mut self, step: Step) -> Option<Square> {
        let mut moves = Vec::new();
        self.position.legal_moves(&mut moves);
        let others: Vec<Square> = moves
            .into_iter()
            .filter_map(|mv| match Deed::of::<V>(self.position, mv) {
                Deed::Bring { step: Step { from, to }, captures: false, .. }
                    if from == step.from && to != step.to =>
                {
                    Some(to)
                }
                _ => None,
            })
            .collect();
        self.script.pick(&others)
    }
}

/// Lets sensors lose men who stand still, `per_second` on the whole board, until `end_ms`.
pub(super) fn flicker(script: &mut Script, men: &[Content], per_second: f64, end_ms: f64) {
    if per_second <= 0.0 {
        return;
    }
    let mut acts: Vec<TimedAct> = script.acts().to_vec();
    acts.sort_by_key(|act| act.at_ns);
    let mut coming = acts.into_iter().peekable();
    let mut surface = Surface::new(men);
    let mut at_ms = script.until_next(per_second);
    while at_ms < end_ms {
        while let Some(act) = coming.next_if(|act| act.at_ns <= nanos(at_ms)) {
            surface.apply(act.act, act.at_ns);
            script.ply = act.ply;
        }
        let standing = Square::all().zip(surface.standing());
        let occupied: Vec<Square> =
            standing.filter(|(_, content)| !content.is_empty()).map(|(square, _)| square).collect();
        if let Some(square) = script.pick(&occupied) {
            let length_ms = script.draw(FLICKER_MS);
            script.dropout(at_ms, square, length_ms);
        }
        at_ms += script.until_next(per_second);
    }
}
