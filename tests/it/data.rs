//! Where the test data are: `ADOUBE_DATA`, else `../shared/data` beside the repository.
//!
//! They are not part of the repository. A test that finds none says so and passes, unless
//! `ADOUBE_REQUIRE_DATA` is set, as it is where they must be there.

use std::path::{Path, PathBuf};

use adoube::capture::{Header, Line};
use adoube::rules::pgn::{PgnGame, read_games};

/// The file or folder `name` of the test data, if there are any.
///
/// # Panics
/// If there are none and `ADOUBE_REQUIRE_DATA` is set.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let path = std::env::var_os("ADOUBE_DATA").map_or_else(beside, PathBuf::from).join(name);
    if path.exists() {
        return Some(path);
    }
    let is_required = std::env::var_os("ADOUBE_REQUIRE_DATA").is_some();
    assert!(!is_required, "ADOUBE_REQUIRE_DATA is set, but there is no {}", path.display());
    eprintln!("skipped: no test data at {}", path.display());
    None
}

/// The text of a file of the test data.
pub(crate) fn text(name: &str) -> Option<String> {
    path(name).map(|path| std::fs::read_to_string(path).unwrap())
}

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
