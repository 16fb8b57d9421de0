//! A thing for each square of a board of 64, that can be saved: serde knows no arrays that long.

use std::ops::{Deref, DerefMut};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Squares on the board.
const SQUARES: usize = 64;

/// One for each square, a1 first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BySquare<T>(pub(super) [T; SQUARES]);

impl<T> Deref for BySquare<T> {
    type Target = [T; SQUARES];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> DerefMut for BySquare<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<T: Serialize> Serialize for BySquare<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BySquare<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let things = Vec::deserialize(deserializer)?;
        let wrong_length =
            |things: Vec<T>| D::Error::invalid_length(things.len(), &"one for each of 64 squares");
        things.try_into().map(Self).map_err(wrong_length)
    }
}
