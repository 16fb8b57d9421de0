//! What scripts and pages ask for, one file a subject.

mod games;
mod problem;
mod rulings;

pub(super) use games::{boards, game, games};
pub(super) use problem::{Problem, not_found};
pub(super) use rulings::rule;
