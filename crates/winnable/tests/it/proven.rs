//! What has been proved, and by which sources: `.ci/proven.toml`.
//!
//! Questions come in sets, sets in chunks. `bash .ci/full` asks all of them and writes down a digest of the answers
//! to each chunk, with a hash of the sources that gave them. Any other run asks the chunks that a seed picks, and the
//! answers have to be the same, to the last move. The seed is the hash: other sources are asked about other chunks,
//! and only after everything was asked anew.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use crate::depth;

/// Of so many chunks one is asked about.
pub(crate) const EVERY: usize = 16;
/// Bytes of a digest that are written down.
const DIGEST: usize = 8;

/// One test at a time writes.
static WRITING: Mutex<()> = Mutex::new(());

/// Asks the chunks of `set` that are due. `ask` fails on a wrong answer, and gives all answers of a chunk as text.
///
/// # Panics
/// If the answers are not those of the last full run, or that was made with other sources.
pub(crate) fn holds(set: &str, chunks: usize, ask: impl Fn(usize) -> String + Sync) {
    let due = depth::sampled(set, 0..chunks, EVERY);
    let found: Vec<Mutex<String>> = due.iter().map(|_| Mutex::default()).collect();
    on_all_cores(due.len(), |index| {
        *found[index].lock().unwrap() = depth::hex(&Sha256::digest(ask(due[index]))[..DIGEST]);
    });
    let found: Vec<String> = found.into_iter().map(|digest| digest.into_inner().unwrap()).collect();
    if let Some(by) = depth::full() {
        write(set, &by, found);
        return;
    }
    let proven = read();
    assert_eq!(
        proven["sources"].as_str(),
        Some(depth::sources()),
        "{} was made with other sources: run `bash .ci/full`",
        path().display()
    );
    let digests = proven["sets"].get(set).and_then(Value::as_array).expect("a set that was asked in full");
    assert_eq!(digests.len(), chunks, "{set} has other questions than were asked: run `bash .ci/full`");
    for (chunk, digest) in due.into_iter().zip(found) {
        assert_eq!(digests[chunk].as_str(), Some(digest.as_str()), "{set}: other answers to chunk {chunk}");
    }
}

fn path() -> PathBuf {
    depth::repository().join(".ci/proven.toml")
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
    let (mut proven, sources) = (read(), depth::sources());
    if proven["sources"].as_str() != Some(sources) {
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
