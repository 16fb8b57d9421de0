//! What is measured: kinds of hands, board and clock, simulated or read from folders.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};

use super::super::to_play::ToPlay;
use super::stream::{Measured, Stream, WrittenPly};
use adoube_rules::Variant;
use adoube_sim::{Manner, Noise, Sickness};

/// What a folder of recordings has beside them.
const TRUTH: &str = "truth.json";

/// A board that names its men or not, without a clock and with one.
const BOARDS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// One kind of hands, board and clock.
pub(super) struct Kind<V: Variant> {
    /// How the hands behave, or the name of the folder where nobody knows.
    pub(super) hands: String,
    pub(super) is_occupancy: bool,
    pub(super) has_clock: bool,
    streams: Streams<V>,
}

/// Where the streams of a kind come from.
enum Streams<V: Variant> {
    /// Hands that behave like this, before a healthy board or one with a square that does not.
    /// It looks each so many milliseconds.
    Simulated(Noise, Option<Sickness>, u64),
    Recorded(Vec<Stream<V>>),
}

impl<V: Measured> Kind<V> {
    /// True if one square of each board is sick.
    pub(super) fn is_sick(&self) -> bool {
        matches!(self.streams, Streams::Simulated(_, Some(_), _))
    }

    /// All that can be simulated, from the easiest to the hardest hands, then boards with a sick square.
    pub(super) fn simulated(scan_ms: u64) -> Vec<Self> {
        let mut kinds = Vec::new();
        for (hands, noise) in [("clean", Noise::Clean), ("light", Noise::Light), ("heavy", Noise::Heavy)] {
            for (is_occupancy, has_clock) in BOARDS {
                let streams = Streams::Simulated(noise, None, scan_ms);
                kinds.push(Self { hands: hands.to_owned(), is_occupancy, has_clock, streams });
            }
        }
        for sickness in Sickness::ALL {
            for (is_occupancy, has_clock) in BOARDS {
                let streams = Streams::Simulated(Noise::Light, Some(sickness), scan_ms);
                kinds.push(Self { hands: sickness.name().to_owned(), is_occupancy, has_clock, streams });
            }
        }
        kinds
    }

    /// The captures of `folder`, or of the folders in it, the first `limit` of each.
    pub(super) fn recorded(folder: &Path, limit: usize) -> anyhow::Result<Vec<Self>> {
        let mut kinds = Vec::new();
        for folder in truth_folders(folder)? {
            let streams = recordings(&folder, limit)?;
            let Some(first) = streams.first() else { continue };
            kinds.push(Self {
                hands: hands_of(&folder),
                is_occupancy: first.is_occupancy(),
                has_clock: first.has_clock(),
                streams: Streams::Recorded(streams),
            });
        }
        // In the order of the simulated ones.
        kinds.sort_by_key(|kind| (kind.hands.parse::<Noise>().ok(), kind.is_occupancy, kind.has_clock));
        Ok(kinds)
    }

    /// What the capture of the stream at `index` is called.
    pub(super) fn file_name(&self, index: usize) -> String {
        let hands = self.hands.replace(' ', "-");
        let board = if self.is_occupancy { "occupancy" } else { "identity" };
        let clock = if self.has_clock { "with" } else { "without" };
        format!("{hands}-{board}-{clock}-{:03}.jsonl", index + 1)
    }

    /// How many streams it has, where so many boards are simulated.
    pub(super) fn count(&self, boards: usize) -> usize {
        match &self.streams {
            Streams::Simulated(..) => boards,
            Streams::Recorded(streams) => streams.len(),
        }
    }

    /// The stream at `index`; the hands of the first simulated board have the seed `seed`.
    pub(super) fn stream(&self, index: usize, games: &[ToPlay<V>], seed: u64) -> Cow<'_, Stream<V>> {
        match &self.streams {
            Streams::Recorded(streams) => Cow::Borrowed(&streams[index]),
            Streams::Simulated(noise, sickness, scan_ms) => {
                let seed = seed.wrapping_add(index as u64);
                let manner = Manner { noise: *noise, seed, clock: self.has_clock, signal_result: false };
                let game = &games[index % games.len()];
                Cow::Owned(Stream::simulated(game, manner, (self.is_occupancy, *scan_ms), *sickness))
            }
        }
    }
}

/// What a folder holds, in the order of names.
pub(super) fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let name = || folder.display().to_string();
    let read = std::fs::read_dir(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow!("{}: no such folder", name()),
        ErrorKind::NotADirectory => anyhow!("{}: is no folder; name the one that holds it", name()),
        _ => anyhow!("{}: {error}", name()),
    })?;
    let mut paths = Vec::new();
    for entry in read {
        paths.push(entry.with_context(name)?.path());
    }
    paths.sort();
    Ok(paths)
}

/// The folder itself, or those in it that have a truth.
fn truth_folders(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let all = entries(folder)?;
    let has_truth = |folder: &Path| folder.join(TRUTH).is_file();
    if has_truth(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let found: Vec<PathBuf> = all.into_iter().filter(|path| has_truth(path)).collect();
    if found.is_empty() {
        bail!(
            "{}: no {TRUTH} there; captures are measured against one, as `adoube simulate --out` writes it",
            folder.display()
        );
    }
    Ok(found)
}

/// The first captures that the truth of `folder` speaks of.
fn recordings<V: Measured>(folder: &Path, limit: usize) -> anyhow::Result<Vec<Stream<V>>> {
    let path = folder.join(TRUTH);
    let file = File::open(&path).with_context(|| path.display().to_string())?;
    let truth: BTreeMap<String, Vec<WrittenPly>> =
        serde_json::from_reader(BufReader::new(file)).with_context(|| path.display().to_string())?;
    if truth.is_empty() {
        bail!("{}: speaks of no capture", path.display());
    }
    truth
        .iter()
        .take(limit)
        .map(|(name, plies)| {
            let packed = folder.join(format!("{name}.jsonl.zst"));
            let plain = folder.join(format!("{name}.jsonl"));
            Stream::recorded(if packed.is_file() { &packed } else { &plain }, plies)
        })
        .collect()
}

/// `light-occ` is a folder of light hands; any other name stands for itself.
fn hands_of(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let level = name.split('-').next().unwrap_or_default();
    if level.parse::<Noise>().is_ok() { level.to_owned() } else { name }
}
