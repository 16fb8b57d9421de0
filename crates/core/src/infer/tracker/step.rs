//! What the tracker says.

use super::Diagnosis;
use crate::ply::Ply;
use adoube_rules::{Played, Variant};

/// Something that the tracker says.
#[derive(Debug, Clone)]
pub enum Step<V: Variant> {
    /// A ply and all later ones are withdrawn.
    Retracted(Retracted<V>),
    /// A move is announced.
    Made(Made),
    /// Every announced ply up to this one stands.
    Stands {
        /// The ply.
        ply: Ply,
    },
    /// Plies were supplied that nobody saw.
    Gap(Gap),
    /// A square is not to be trusted, or is again.
    Diagnosed(Diagnosis),
    /// What rests follows only from this array, which looked like the one that is assumed.
    OtherLayout(Box<V::Position>),
}

/// A withdrawn ply.
#[derive(Debug, Clone)]
pub struct Retracted<V: Variant> {
    /// Its number.
    pub ply: Ply,
    /// The move.
    pub played: Played,
    /// The position that holds now.
    pub position: V::Position,
    /// Another explanation became better, rather than the players taking it back.
    pub explanation: bool,
    /// The move, if it was a legal one.
    pub mv: Option<V::Move>,
    /// When it was made.
    pub made_ns: u64,
    /// How long it was shown before the picture changed for good.
    pub rested_ns: u64,
}

/// An announced ply.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its number.
    pub ply: Ply,
    /// The move.
    pub played: Played,
    /// First lift of one of its pieces.
    pub first_lift_ns: u64,
    /// First frame of the position that settled.
    pub made_ns: u64,
    /// Thousandths.
    pub confidence_milli: u16,
    /// It takes the place of something that turned out wrong.
    pub explanation: bool,
    /// Supplied after a gap.
    pub recovered: bool,
}

/// Plies that nobody saw one by one.
#[derive(Debug, Clone)]
pub struct Gap {
    /// The last ply that was seen.
    pub since_ply: Ply,
    /// How many ways lead to the picture.
    pub paths: usize,
    /// The plies that were supplied.
    pub recovered: Vec<Played>,
    /// The same in other orders or by other moves, of as many plies: the likelier ones first.
    pub others: Vec<Vec<Played>>,
}
