//! What hands do on a board, one situation a test, each with the exact moves that must come out.
//!
//! Most are scripts ([`script`]), told by both kinds of board, at once and square after square, with and
//! without a clock.

mod captures;
mod castling;
mod centre;
mod changes_of_mind;
mod clock;
mod ends;
mod games;
mod going_home;
mod interruptions;
mod never;
mod no_moves;
mod promotion;
mod scanning;
mod script;
mod several_plies;
mod slides;
mod starts;
