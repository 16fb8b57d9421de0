//! What waits for its time while a game is played: a press that no ply has taken, a picture that has to come to rest.

use super::Press;
use super::touch::Touches;
use super::touching::Let;
use adoube_rules::square::Square;

/// Presses kept for their plies: no explanation goes back further than half of that.
const PRESSES_MAX: usize = 64;

/// Made new with each game and empty when it is over.
#[derive(Debug, Clone, Default)]
pub(super) struct Pending {
    pub(super) touches: Touches,
    pub(super) press: Option<Press>,
    /// The last of each side that was read before the board showed what stands on it, by [`Side::index`].
    ///
    /// [`Side::index`]: adoube_rules::sensor::Side::index
    pub(super) unseen_presses: [Option<Press>; 2],
    /// Of plies that are withdrawn since, because other moves explain the board better, or of none that was understood;
    /// oldest first.
    pub(super) presses_left: Vec<Press>,
    /// When the press is judged that no move has followed yet.
    pub(super) verdict_ns: Option<u64>,
    /// When a picture that nothing explains has settled.
    pub(super) settle_ns: Option<u64>,
    /// When a piece that rests where it is part of a move is let go of: a king two squares over, a pawn on its last
    /// rank, what it shall become.
    pub(super) release_ns: Option<(u64, Let)>,
    /// Men that the move just completed could have captured instead, and that are gone.
    pub(super) left_behind: Option<Vec<Square>>,
    /// When resting kings are a result.
    pub(super) signal_ns: Option<u64>,
}

impl Pending {
    /// The press is answered, or asks no longer.
    pub(super) fn forget_press(&mut self) {
        (self.press, self.verdict_ns) = (None, None);
    }

    /// What was pressed completes nothing any more: another position stands.
    pub(super) fn forget_presses(&mut self) {
        self.forget_press();
        self.presses_left.clear();
    }

    /// The press belongs to a ply that is not known yet.
    pub(super) fn keep_press(&mut self, press: Press) {
        self.presses_left.push(press);
        self.presses_left.sort_by_key(|press| press.at_ns);
        let surplus = self.presses_left.len().saturating_sub(PRESSES_MAX);
        self.presses_left.drain(..surplus);
    }

    /// The picture is accounted for.
    pub(super) fn forget_picture(&mut self) {
        (self.settle_ns, self.release_ns) = (None, None);
    }

    /// Nothing will happen by itself, and no press waits for its move.
    pub(super) fn is_quiet(&self) -> bool {
        self.touches.wake_at_ns().is_none()
            && [self.settle_ns, self.verdict_ns, self.signal_ns] == [None; 3]
            && self.release_ns.is_none()
            && self.press.is_none()
            && self.presses_left.is_empty()
    }
}
