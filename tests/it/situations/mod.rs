//! What hands do on a board, one situation a test, each with the exact moves that must come out.

mod captures;
mod changes_of_mind;
mod clock;
mod ends;
mod interruptions;
mod special_moves;
mod starts;
