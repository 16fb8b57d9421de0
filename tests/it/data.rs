//! The test data as the tests read them: see [`place`].

mod place;

use adoube_core::capture::{Header, Line};
use adoube_rules::pgn::{PgnGame, read_games};

pub(crate) use place::{path, text};

/// A capture of the test data.
pub(crate) fn capture(name: &str) -> Option<(Header, Vec<Line>)> {
    let text = text(name)?;
    let mut lines = text.lines();
    let header = Header::parse(lines.next().unwrap()).unwrap();
    Some((header, lines.map(|line| Line::parse(line).unwrap()).collect()))
}

/// The games of a PGN file of the test data.
pub(crate) fn games(name: &str) -> Option<Vec<PgnGame>> {
    path(name).map(|path| read_games(std::fs::File::open(path).unwrap()).unwrap())
}
