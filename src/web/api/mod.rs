//! What scripts and pages ask for, one file a subject.

pub(super) mod articles;
mod asked;
pub(super) mod boards;
pub(super) mod extract;
pub(super) mod feeds;
pub(super) mod games;
pub(super) mod history;
pub(super) mod names;
pub(super) mod pairings;
pub(super) mod ports;
pub(super) mod problem;
pub(super) mod readings;
pub(super) mod records;
pub(super) mod round;
pub(super) mod rounds;
pub(super) mod ruled;
pub(super) mod rulings;
pub(super) mod set_up;
mod spreadsheet;

pub(super) use asked::Desk;
pub(super) use extract::{BODY_BYTES, Json, Path, Query};
pub(super) use problem::{Problem, not_allowed, not_found};
pub(super) use rulings::Done;
