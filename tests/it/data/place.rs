//! Where the test data are: `ADOUBE_DATA`, else `../shared/data` beside the repository.
//!
//! They are not part of the repository. A test that finds none says so and passes, unless
//! `ADOUBE_REQUIRE_DATA` is set, as it is where they must be there.

use std::path::PathBuf;

use crate::depth::{repository, say};

/// The file or folder `name` of the test data, if there are any.
///
/// # Panics
/// If there are none and `ADOUBE_REQUIRE_DATA` is set.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("ADOUBE_DATA")
        .map_or_else(|| repository().join("../shared/data"), PathBuf::from)
        .join(name);
    if path.exists() {
        return Some(path);
    }
    let is_required = std::env::var_os("ADOUBE_REQUIRE_DATA").is_some();
    assert!(!is_required, "ADOUBE_REQUIRE_DATA is set, but there is no {}", path.display());
    say(&format!("skipped: no test data at {}", path.display()));
    None
}

/// The text of a file of the test data.
pub(crate) fn text(name: &str) -> Option<String> {
    path(name).map(|path| std::fs::read_to_string(path).unwrap())
}
