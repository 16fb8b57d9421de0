//! What hands do to a board and its clock, and what the board's sensors make of it.

use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;

/// How many squares the boards have that know nothing but chess.
pub const SQUARES: usize = 64;

/// One physical act. A touch in passing is a [`Act::Place`] with a [`Act::Lift`] soon after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Whatever stands on the square leaves it.
    Lift {
        /// The square, as the game numbers it.
        square: Square,
    },
    /// A man comes to stand on the square, in the place of whatever stood there.
    Place {
        /// The square, as the game numbers it.
        square: Square,
        /// The man.
        man: Content,
    },
    /// The sensor loses the man on the square for a while: he wobbles, or stands badly.
    Dropout {
        /// The square, as the game numbers it.
        square: Square,
        /// For how long, nanoseconds.
        length_ns: u64,
    },
    /// A side presses its end of the lever.
    Press(Side),
    /// Somebody starts the clock.
    StartClock,
    /// Somebody stops the clock.
    StopClock,
    /// Somebody sets the clock; it stands, and no flag is down.
    SetClock {
        /// What it shows then, seconds, by [`Side::index`].
        left_s: [u64; 2],
        /// Whose time will run.
        lever: Side,
    },
    /// The lead between board and clock is pulled out; the clock goes on unheard.
    UnplugClock,
    /// The lead is put in again.
    PlugInClock,
}

/// An act and when it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedAct {
    /// Nanoseconds since the hands began.
    pub at_ns: u64,
    /// The ply that it belongs to, counted from 1; 0 before the first.
    pub ply: u32,
    /// The act.
    pub act: Act,
}

/// A board as it really stands, and where its sensors fail at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    standing: Vec<Content>,
    dropout_until_ns: Vec<u64>,
}

impl Surface {
    /// A board of so many squares, with these men.
    #[must_use]
    pub fn new(contents: &[Content]) -> Self {
        Self { standing: contents.to_vec(), dropout_until_ns: vec![0; contents.len()] }
    }

    /// What really stands on each square.
    #[must_use]
    pub fn standing(&self) -> &[Content] {
        &self.standing
    }

    /// Carries out `act` at `at_ns`; acts on the clock change nothing here, nor do squares that do
    /// not exist.
    pub fn apply(&mut self, act: Act, at_ns: u64) {
        match act {
            Act::Lift { square } => self.stand(square, Content::EMPTY),
            Act::Place { square, man } => self.stand(square, man),
            Act::Dropout { square, length_ns } => {
                if let Some(until_ns) = self.dropout_until_ns.get_mut(square.index()) {
                    *until_ns = (*until_ns).max(at_ns.saturating_add(length_ns));
                }
            }
            Act::Press(_)
            | Act::StartClock
            | Act::StopClock
            | Act::SetClock { .. }
            | Act::UnplugClock
            | Act::PlugInClock => {}
        }
    }

    fn stand(&mut self, square: Square, content: Content) {
        if let Some(standing) = self.standing.get_mut(square.index()) {
            *standing = content;
        }
    }

    /// What the sensor of `square` sees at `at_ns`.
    ///
    /// # Panics
    /// If the board has no such square.
    #[must_use]
    pub fn sensed(&self, square: usize, at_ns: u64) -> Content {
        if at_ns < self.dropout_until_ns[square] { Content::EMPTY } else { self.standing[square] }
    }

    /// Until when the sensor of `square` sees nothing, nanoseconds; an instant that is past if it
    /// works.
    ///
    /// # Panics
    /// If the board has no such square.
    #[must_use]
    pub(crate) fn dropout_until_ns(&self, square: usize) -> u64 {
        self.dropout_until_ns[square]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::sensor::Army;
    use adoube_rules::sensor::Role;

    #[test]
    fn a_dropout_hides_a_man_and_gives_him_back() {
        let man = Content::man(Army::new(0), Role::Rook);
        let mut surface = Surface::new(&[man]);
        surface.apply(Act::Dropout { square: Square::new(0), length_ns: 50 }, 100);
        assert_eq!(surface.sensed(0, 149), Content::EMPTY);
        assert_eq!(surface.sensed(0, 150), man);
        assert_eq!(surface.standing()[0], man);
    }

    #[test]
    fn a_square_that_does_not_exist_is_no_square() {
        let mut surface = Surface::new(&[Content::OCCUPIED; 64]);
        let before = surface.clone();
        surface.apply(Act::Lift { square: Square::new(200) }, 0);
        surface.apply(Act::Dropout { square: Square::new(64), length_ns: 5 }, 0);
        assert_eq!(surface, before);
    }
}
