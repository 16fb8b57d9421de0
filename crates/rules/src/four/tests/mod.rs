//! Tests of the four-player rules: numbers of positions, the spec's positions, a second generator.

mod arrays;
mod compared;
mod departures;
mod ends;
mod geometry_of;
mod oracle;
mod perft;
mod positions;
mod reaches;
mod rests;
mod texts;
mod written;

use super::*;
use crate::Position as _;
use crate::sensor::Content;
use crate::square::Square;
use shakmaty::Role;

/// The position of the spec's notation: `S Kd1 Ph2, W Ka7`, South to move.
pub(super) fn position(men: &str, castling: bool, rules: FourRules) -> FourPosition {
    let mut position = FourPosition::empty(rules);
    for army in men.split(", ") {
        let (seat, men) = army.split_at(1);
        let seat = Seat::ALL.into_iter().find(|other| other.name()[..1].eq_ignore_ascii_case(seat)).unwrap();
        for man in men.split_whitespace() {
            let (role, square) = man.split_at(1);
            let role = Role::from_char(role.chars().next().unwrap()).unwrap();
            let square = position.geometry().square(square).unwrap();
            position.put(square, rules.army_at(seat).man(role));
        }
    }
    position.castling = [[castling; 2]; 4];
    position
}

/// Plays moves in coordinates.
pub(super) fn play(position: &FourPosition, moves: &str) -> FourPosition {
    moves.split_whitespace().fold(position.clone(), |position, text| {
        let mv = read_move(&position, text).unwrap();
        position.play(mv)
    })
}

/// The legal moves, as records write them, in the order of the alphabet.
fn moves(position: &FourPosition) -> Vec<String> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut texts: Vec<String> = moves.into_iter().map(|mv| position.san(mv)).collect();
    texts.sort_unstable();
    texts
}

/// The number of a square.
fn square(name: &str) -> Square {
    Geometry::of(WingDepth::Three).square(name).unwrap()
}

/// What an occupancy sensor shows.
fn occupied(contents: &[Content]) -> Vec<Content> {
    contents.iter().map(|content| content.occupancy()).collect()
}

/// The men of a position after changes such as `h2= h4=rP`.
fn changed(position: &FourPosition, changes: &str) -> Vec<Content> {
    let mut contents = position.contents().to_vec();
    for change in changes.split_whitespace() {
        let (name, man) = change.split_once('=').unwrap();
        contents[square(name)] = if man.is_empty() { Content::EMPTY } else { read_man(man).unwrap() };
    }
    contents
}
