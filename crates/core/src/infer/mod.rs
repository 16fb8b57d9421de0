//! From the picture to the moves: what the players did, held as weighted explanations.
//!
//! `image` keeps the picture and its hash, `sight` what is believed of it, `handling` when each square last changed, `tree`
//! the positions that have been considered, `search` the way to a picture that no single move
//! explains. `tracker` puts them together. Everything is generic over [`adoube_rules::Variant`].

mod difference;
mod handling;
mod image;
mod search;
mod sight;
mod tracker;
mod tree;

pub use image::View;
pub use image::squares;
pub use tracker::{
    Alternative, Announce, Choice, Diagnosis, Doubt, Evidence, Gap, Made, Parameters, Retracted, SickSquare,
    Sickness, Step, Tracker,
};
pub(crate) use tracker::{KNOWN_MAX, Published, SICK_MAX, TAKE_BACK_TO_START_MAX};
