//! What a table is told when it is opened.

use crate::infer::Parameters;
use adoube_rules::laws::Profile;
use adoube_rules::sensor::Army;
use adoube_rules::{GameKind, Position as _, Variant};

use super::Pairing;

/// What a table is told once, when it is opened.
#[derive(Debug, Clone)]
pub struct Setting<V: Variant> {
    /// The board's name.
    pub board: String,
    /// The Laws and regulations of the event.
    pub profile: Profile,
    /// The position that the game is agreed to start from, if the board may show another.
    pub agreed: Option<V::Position>,
    /// The game is already in progress: its start position was reached by play.
    pub in_progress: bool,
    /// Illegal moves counted before, by army.
    pub illegal: [u32; Army::MAX],
    /// `chess`, `chess960`, `four-player`.
    pub variant: GameKind,
    /// The position from which games start; `None`: the start array.
    pub start: Option<V::Position>,
    /// The start array of such games; it says by which rules of its own the event plays.
    pub usual: V::Position,
    /// Parameters of [`layout`](adoube_rules::Position::layout) that somebody has set: where the board shows otherwise,
    /// he is told.
    pub layout_set: Vec<&'static str>,
    /// Any start array of Chess960 will do.
    pub shuffled: bool,
    /// The board stands turned by 0, 90, 180 or 270 degrees; `None`: the start array tells.
    pub turned: Option<u32>,
    /// The clock's ends are the other way round than usual.
    pub clock_swapped: bool,
    /// What the tracker is told.
    pub parameters: Parameters,
    /// Kings on the centre squares give the game its result (`board_results = "publish"`).
    pub board_results: bool,
    /// As TRF-26 field 222 writes it.
    pub time_control: Option<String>,
    /// Who plays the first game, if it is known.
    pub pairing: Option<Pairing>,
    /// The other board of this game (appendix D).
    pub pair: Option<String>,
}

impl<V: Variant> Setting<V> {
    /// The position from which games start, as far as it is known before it stands.
    #[must_use]
    pub fn first(&self) -> &V::Position {
        self.agreed.as_ref().or(self.start.as_ref()).unwrap_or(&self.usual)
    }

    /// Another layout of the array that looks the same where squares only are felt, if nobody has said which one stands.
    pub(crate) fn assumed_layout(&self) -> Option<V::Position> {
        let other = self.usual.other_layout().filter(|_| self.start.is_none() && self.agreed.is_none())?;
        let is_set = |(one, other): (&(&'static str, &'static str), (&'static str, &'static str))| {
            *one != other && self.layout_set.contains(&one.0)
        };
        (!self.usual.layout().iter().zip(other.layout()).any(is_set)).then_some(other)
    }
}
