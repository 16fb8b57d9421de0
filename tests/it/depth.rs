//! How much is asked: a sample, which the sources pick, or with `bash .ci/full` everything.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

/// When and at which commit everything is asked, if it is.
pub(crate) fn full() -> Option<String> {
    std::env::var("ADOUBE_FULL").ok()
}

/// Where a sample has so many cases of a property, everything has this many times as many.
const MORE: u32 = 10;

/// So many cases of a property, or more.
pub(crate) fn cases(sample: u32) -> u32 {
    if full().is_some() { MORE * sample } else { sample }
}

/// One in `every` of `items`, as a hash of the sources picks them; all of them if everything is asked. Says which.
pub(crate) fn sampled<T>(what: &str, items: impl IntoIterator<Item = T>, every: usize) -> Vec<T> {
    let items: Vec<T> = items.into_iter().collect();
    let mut is_due = vec![false; items.len()];
    due(what, items.len(), every).into_iter().for_each(|index| is_due[index] = true);
    items.into_iter().zip(is_due).filter_map(|(item, is_due)| is_due.then_some(item)).collect()
}

/// Fewer are no sample.
const FEWEST: usize = 2;
/// So many of its numbers are told.
const SHOWN: usize = 8;

/// The numbers below `count` of what is asked.
fn due(what: &str, count: usize, every: usize) -> Vec<usize> {
    if full().is_some() {
        return (0..count).collect();
    }
    let digest = Sha256::new().chain_update(sources()).chain_update(what).finalize();
    let seed = digest[..8].iter().fold(0, |seed, &byte| seed << 8 | u64::from(byte));
    let mut due = fastrand::Rng::with_seed(seed).choose_multiple(0..count, (count / every).max(FEWEST));
    due.sort_unstable();
    let shown = due.iter().take(SHOWN).map(|number| format!(" {number}")).collect::<String>();
    let more = if due.len() > SHOWN { " …" } else { "" };
    say(&format!("sampled: {what}, {} of {count}, seed {seed:016x} of the sources:{shown}{more}", due.len()));
    due
}

/// Says what whoever runs the tests has to know, although the harness keeps what a test prints to itself if it passes.
pub(crate) fn say(line: &str) {
    // Whoever does not listen misses it.
    let _gone = writeln!(std::io::stderr(), "{line}");
}

/// A hash of what an answer depends on: the sources of the package and of those in it, and the version of what plays the
/// moves.
pub(crate) fn sources() -> &'static str {
    static SOURCES: OnceLock<String> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["src", "crates"].map(|name| package.join(name));
        let mut files: Vec<PathBuf> =
            folders.iter().filter(|folder| folder.exists()).flat_map(|folder| files(folder)).collect();
        files.sort_unstable();
        let mut hash = Sha256::new();
        files.iter().for_each(|file| hash.update(std::fs::read(file).unwrap()));
        let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).unwrap();
        hash.update(manifest.lines().find(|line| line.starts_with("shakmaty = ")).unwrap());
        hex(&hash.finalize())
    })
}

/// The sources alone: what is drawn, or is data, proves nothing.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    entries.flat_map(below).filter(is_source).collect()
}

/// The folder of the repository, of which a package may be a part.
pub(crate) fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(package)
}

/// Bytes as text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
