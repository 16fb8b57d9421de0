//! The family of four-player chess, and what a move of it says itself.

use shakmaty::Role;

use super::army::{FourRules, WingDepth};
use super::geometry::{Geometry, backwards};
use super::moves::{FourMove, Manner};
use super::position::{FourKey, FourPosition};
use super::reach::FourReach;
use crate::sensor::Content;
use crate::square::Square;
use crate::start::{self, WrongStart};
use crate::{Family, KingSignal, Move, Variant};

/// Four-player team chess on 160 squares. A side is a team: [`crate::sensor::Side::White`] are Red and Blue.
#[derive(Debug, Clone, Copy)]
pub struct FourPlayer;

fn board() -> &'static Geometry {
    Geometry::of(WingDepth::Three)
}

impl Variant for FourPlayer {
    const FAMILY: Family = Family::FourPlayer;
    const ARMIES: usize = 4;
    const SQUARES: usize = 160;
    const MEN: usize = 64;
    type Position = FourPosition;
    type Key = FourKey;
    type Move = FourMove;
    type Reach = FourReach;

    fn array() -> FourPosition {
        FourPosition::start(FourRules::default())
    }

    fn recognise_start(contents: &[Content], named: bool, _: bool) -> Option<FourPosition> {
        FourPosition::recognise(FourRules::default(), contents, named)
    }

    fn wrong_start(
        contents: &[Content],
        agreed: Option<&FourPosition>,
        named: bool,
        _: bool,
    ) -> Option<WrongStart> {
        let nearest = FourPosition::nearest_start(FourRules::default(), contents, named);
        start::compare(agreed.unwrap_or(&nearest).contents(), contents, named)
    }

    fn nearest_array(contents: &[Content], usual: &FourPosition, named: bool) -> FourPosition {
        FourPosition::nearest_start(usual.rules(), contents, named)
    }

    fn start_from(contents: &[Content], agreed: Option<&FourPosition>, _: bool) -> FourPosition {
        let nearest = || FourPosition::nearest_start(FourRules::default(), contents, true);
        agreed.cloned().unwrap_or_else(nearest).start_from(contents)
    }

    fn read(text: &str, like: &FourPosition) -> Result<FourPosition, String> {
        FourPosition::read_in_game(text, like.rules()).map_err(|error| format!("\"{text}\": {error}"))
    }

    /// None: on this board kings may well stand in the middle, and results are the arbiter's to enter.
    fn king_signal(_: &[Content]) -> Option<KingSignal> {
        None
    }

    fn coordinates(square: Square) -> (u8, u8) {
        board().place(square)
    }

    fn square_at(file: u8, rank: u8) -> Option<Square> {
        board().at(file, rank)
    }

    fn turned(square: Square, degrees: u32) -> Square {
        board().turned(square, degrees)
    }
}

impl Move for FourMove {
    fn is_unusual_promotion(self) -> bool {
        matches!(self.manner, Manner::Promotion(role) if role != Role::Queen)
    }

    fn last_step(self) -> Option<Square> {
        if self.role == Role::Knight || matches!(self.manner, Manner::Castling { .. }) {
            return None;
        }
        let (direction, _) = board().way(self.from, self.to)?;
        Some(board().step(self.to, backwards(direction)))
    }

    fn departures(self) -> [Square; 2] {
        match self.manner {
            Manner::Castling { rook, .. } => [self.from, rook],
            _ => [self.from; 2],
        }
    }

    fn castling(self) -> Option<(Square, Square)> {
        match self.manner {
            Manner::Castling { rook, .. } => Some((self.from, rook)),
            _ => None,
        }
    }
}
