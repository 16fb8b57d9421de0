//! What has been proved, and by which sources: `.ci/proven.toml`.
//!
//! Questions come in sets, sets in chunks. `bash .ci/full` asks all of them and writes down a digest of the answers
//! to each chunk, with a hash of the sources that gave them. Any other run asks the chunks that a seed picks, and the
//! answers have to be the same, to the last move. The seed is the hash: other sources are asked about other chunks,
//! and only after everything was asked anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use crate::depth;

/// Of so many chunks one is asked about.
const EVERY: usize = 16;
/// But no fewer of a set than this.
const FEWEST: usize = 2;
/// Bytes of a digest that are written down.
const DIGEST: usize = 8;

/// One test at a time writes.
static WRITING: Mutex<()> = Mutex::new(());

/// Asks the chunks of `set` that are due. `ask` fails on a wrong answer, and gives all answers of a chunk as text.
///
/// # Panics
/// If the answers are not those of the last full run, or that was made with other sources.
pub(crate) fn holds(set: &str, chunks: usize, ask: impl Fn(usize) -> String + Sync) {
    let due = due(set, chunks);
    let found: Vec<Mutex<String>> = due.iter().map(|_| Mutex::default()).collect();
    on_all_cores(due.len(), |index| {
        *found[index].lock().unwrap() = hex(&Sha256::digest(ask(due[index]))[..DIGEST]);
    });
    let found: Vec<String> = found.into_iter().map(|digest| digest.into_inner().unwrap()).collect();
    if let Some(by) = depth::full() {
        write(set, &by, found);
        return;
    }
    let proven = read();
    assert_eq!(
        proven["sources"].as_str(),
        Some(sources().as_str()),
        "{} was made with other sources: run `bash .ci/full`",
        path().display()
    );
    let digests = proven["sets"].get(set).and_then(Value::as_array).expect("a set that was asked in full");
    assert_eq!(digests.len(), chunks, "{set} has other questions than were asked: run `bash .ci/full`");
    for (chunk, digest) in due.into_iter().zip(found) {
        assert_eq!(digests[chunk].as_str(), Some(digest.as_str()), "{set}: other answers to chunk {chunk}");
    }
}

/// The chunks of `set` that are asked about: all, or those that the sources pick.
pub(crate) fn due(set: &str, chunks: usize) -> Vec<usize> {
    if depth::full().is_some() {
        return (0..chunks).collect();
    }
    let digest = Sha256::new().chain_update(sources()).chain_update(set).finalize();
    let seed = u64::from_be_bytes(digest[..8].try_into().unwrap());
    let mut due = fastrand::Rng::with_seed(seed).choose_multiple(0..chunks, (chunks / EVERY).max(FEWEST));
    due.sort_unstable();
    println!("{set}: seed {seed:016x} of the sources, chunks {due:?} of {chunks}");
    due
}

/// A hash of everything that an answer depends on: the sources, and the version of what plays the moves.
fn sources() -> String {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = files(&package.join("src"));
    files.sort_unstable();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(std::fs::read(&file).unwrap());
    }
    hash.update(
        std::fs::read_to_string(repository().join("Cargo.toml"))
            .unwrap()
            .lines()
            .find(|line| line.starts_with("shakmaty = "))
            .unwrap(),
    );
    hex(&hash.finalize())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/winnable stands in a repository")
}

fn path() -> PathBuf {
    repository().join(".ci/proven.toml")
}

fn read() -> Table {
    let file: Table = toml::from_str(&std::fs::read_to_string(path()).unwrap_or_default()).unwrap();
    file.get("winnable").and_then(Value::as_table).cloned().unwrap_or_else(|| {
        let nothing = [("sources", Value::from("")), ("sets", Value::Table(Table::new()))];
        nothing.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    })
}

/// Writes down what was found; what was found with other sources is forgotten.
fn write(set: &str, by: &str, digests: Vec<String>) {
    let _one_at_a_time = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut proven, sources) = (read(), sources());
    if proven["sources"].as_str() != Some(&sources) {
        proven["sets"] = Table::new().into();
    }
    proven.insert("sources".into(), sources.into());
    proven.insert("run".into(), by.into());
    if let Some(sets) = proven["sets"].as_table_mut() {
        sets.insert(set.to_owned(), digests.into());
    }
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let mut file: Table = toml::from_str(&text).unwrap();
    file.insert("winnable".into(), proven.into());
    let comments = text
        .lines()
        .take_while(|line| line.starts_with('#'))
        .fold(String::new(), |all, line| all + line + "\n");
    std::fs::write(path(), comments + "\n" + &toml::to_string_pretty(&file).unwrap()).unwrap();
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Does the parts of a work, as many at a time as there are cores.
pub(crate) fn on_all_cores(parts: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(part) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|part| *part < parts)
                {
                    work(part);
                }
            });
        }
    });
}
