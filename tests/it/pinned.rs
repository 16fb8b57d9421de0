//! The streams of events as they were: what scenarios, captures, simulated games and a recorded hall came to,
//! byte for byte.
//!
//! `tests/pinned.txt` has a digest of each. A stream that is another one now stands in `docs/changes-of-streams.md`
//! with the digest that it has, below the reason; any other difference fails. `ADOUBE_STREAMS=FOLDER` has every
//! stream written into that folder, so that two versions can be compared line by line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adoube_core::capture::{Header, Line};
use adoube_core::event::{Numbered, Numbering};
use adoube_rules::pgn::read_games;
use adoube_sim::Noise;
use adoube_sim::scenario::{Scenario, Verdict};
use sha2::{Digest as _, Sha256};

use crate::data;
use crate::depth::{full, hex, sampled};
use crate::seen::replay;
use crate::slots::computing;

/// So many letters of a digest tell streams apart.
const DIGEST: usize = 16;

/// One of so many captures and simulated games is asked about, unless everything is.
const EVERY: usize = 6;

/// Streams held against what they were.
pub(crate) struct Pins {
    digests: BTreeMap<String, String>,
    folder: Option<PathBuf>,
    differing: String,
    taken: usize,
}

impl Pins {
    /// Everything that is pinned.
    pub(crate) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
        let mut digests: BTreeMap<String, String> =
            pinned(&text("tests/pinned.txt")).map(|(name, digest)| (name.into(), digest.into())).collect();
        for (name, digest) in pinned(&text("docs/changes-of-streams.md")) {
            let was = digests.insert(name.to_owned(), digest.to_owned());
            assert!(was.is_some_and(|was| was != digest), "{name} is no stream that changed");
        }
        let folder = std::env::var_os("ADOUBE_STREAMS").map(PathBuf::from);
        Self { digests, folder, differing: String::new(), taken: 0 }
    }

    /// Holds a stream against what it was; one that is new was nothing.
    ///
    /// # Panics
    /// If an event, read back from its JSON, would be written otherwise.
    pub(crate) fn take(&mut self, name: &str, stream: &str) {
        self.taken += 1;
        for line in stream.lines().filter(|line| line.starts_with('{')) {
            let again = Numbered::from_json(line, None).map(|event| event.to_line());
            assert_eq!(again.as_deref(), Ok(line), "{name}: an event that does not read back");
        }
        let digest = hex(&Sha256::digest(stream))[..DIGEST].to_owned();
        if let Some(folder) = &self.folder {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, stream).unwrap();
        }
        let is_same = self.digests.get(name).is_none_or(|was| *was == digest);
        if !is_same || (self.folder.is_some() && !self.digests.contains_key(name)) {
            writeln!(self.differing, "{digest} {name}").unwrap();
        }
    }

    /// # Panics
    /// If a stream is another one than it was, or none was looked at.
    pub(crate) fn finish(self) {
        assert!(self.taken > 0, "there is no stream");
        assert!(
            self.differing.is_empty(),
            "these streams are not what they were; docs/changes-of-streams.md wants them below a reason, if that is meant \
             (ADOUBE_STREAMS=FOLDER writes the streams themselves):\n{}",
            self.differing
        );
    }
}

/// The names and digests in a text that may say more.
fn pinned(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_digest = |word: &str| word.len() == DIGEST && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let line = move |line: &'_ str| -> Option<(usize, usize)> {
        let (digest, name) = line.split_once(' ')?;
        (is_digest(digest) && !name.contains(' ')).then_some((digest.len(), name.len()))
    };
    text.lines().filter_map(move |text| line(text).map(|(digest, _)| (&text[digest + 1..], &text[..digest])))
}

/// What a run of a scenario said.
pub(crate) fn write(stream: &mut String, case: &str, verdict: &Verdict) {
    writeln!(stream, "# {case}").unwrap();
    for event in &verdict.events {
        writeln!(stream, "{}", event.to_line()).unwrap();
    }
    for remark in &verdict.remarks {
        writeln!(stream, "! {remark}").unwrap();
    }
}

/// What a capture comes to.
fn replayed(header: &Header, lines: &[Line]) -> String {
    let seen = replay(header, lines);
    let mut stream = seen.lines().iter().fold(String::new(), |stream, line| stream + line + "\n");
    for (at_ns, error) in &seen.remarks.refused {
        writeln!(stream, "! {at_ns} {error}").unwrap();
    }
    stream
}

/// A capture as it lies in a file, packed or not.
fn capture(file: &Path) -> (Header, Vec<Line>) {
    let bytes = std::fs::read(file).unwrap();
    let is_packed = file.extension().is_some_and(|extension| extension == "zst");
    let text = if is_packed { zstd::decode_all(bytes.as_slice()).unwrap() } else { bytes };
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    let header = Header::parse(lines.next().unwrap()).unwrap();
    (header, lines.map(|line| Line::parse(line).unwrap()).collect())
}

fn captures(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let is_capture = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        name.ends_with(".jsonl") || name.ends_with(".jsonl.zst")
    };
    files.into_iter().filter(is_capture).collect()
}

fn name(kind: &str, file: &Path) -> String {
    let [folder, name] = [file.parent().and_then(Path::file_name), file.file_name()];
    format!("{kind}/{}/{}", folder.unwrap().to_string_lossy(), name.unwrap().to_string_lossy())
}

#[test]
fn captures_come_to_what_they_came_to() {
    let _slot = computing();
    let mut files = captures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures"));
    for folder in ["captures", "found", "frames/clean-identity", "frames/clean-occ", "frames/light-identity"]
        .into_iter()
        .chain(["frames/light-occ", "frames/heavy-identity", "frames/heavy-occ"])
    {
        files.extend(data::path(folder).iter().flat_map(|folder| captures(folder)));
    }
    let mut pins = Pins::read();
    for file in sampled("captures whose streams are pinned", files, EVERY) {
        let (header, lines) = capture(&file);
        pins.take(&name("captures", &file), &replayed(&header, &lines));
    }
    for folder in data::path("found").iter() {
        for file in crate::scenarios::files(folder) {
            let scenario = Scenario::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
            pins.take(&name("captures", &file), &ran(&scenario));
        }
    }
    pins.finish();
}

fn ran(scenario: &Scenario) -> String {
    scenario.cases().iter().fold(String::new(), |mut stream, case| {
        let verdict = scenario.run(case, &[]).unwrap();
        write(&mut stream, &format!("{}, {}", case.edition, case.sensor.name()), &verdict);
        stream
    })
}

#[test]
fn simulated_games_come_to_what_they_came_to() {
    let _slot = computing();
    let games = read_games(include_str!("../../src/demo/games.pgn").as_bytes()).unwrap();
    let noises = [("clean", Noise::Clean), ("light", Noise::Light), ("heavy", Noise::Heavy)];
    let played = games.iter().flat_map(|game| noises.map(|noise| (game, noise)));
    let mut pins = Pins::read();
    for (game, (word, noise)) in sampled("simulated games whose streams are pinned", played, EVERY) {
        let (header, lines) = crate::hands::capture(game, noise, 7);
        pins.take(&format!("simulated/{word}-{}", game.number), &replayed(&header, &lines));
    }
    for (occupancy, kind) in [(false, "identity"), (true, "occupancy")] {
        let config = adoube_sim::BoardConfig { noise: Noise::Heavy, occupancy, ..Default::default() };
        let (header, lines, _) = crate::four_hands::capture(7, config);
        pins.take(&format!("simulated/four-player-{kind}"), &replayed(&header, &lines));
    }
    pins.finish();
}

/// A hall of four boards, as its journal has it: with links that failed, rounds and rulings.
#[test]
fn a_recorded_hall_comes_to_what_it_came_to() {
    use adoube::hall::{reopened, stored_inputs};
    use adoube::journal::{InputKind, walk};
    use adoube_core::station::{Output, Station};

    let _slot = computing();
    let packed = include_bytes!("../captures/hall.db.zst");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("0001.db"), zstd::decode_all(packed.as_slice()).unwrap()).unwrap();
    let mut boards: BTreeMap<String, (Station, Numbering, String)> = BTreeMap::new();
    let errors = walk(folder.path(), |walked| {
        if walked.input.kind == InputKind::Open {
            let station = reopened(&walked.input).unwrap();
            let known = boards.remove(&walked.board).map(|(_, numbering, stream)| (numbering, stream));
            let (numbering, stream) = known.unwrap_or_default();
            boards.insert(walked.board.clone(), (station, numbering, stream));
        } else if let Some((station, numbering, stream)) = boards.get_mut(&walked.board)
            && let Some(inputs) = stored_inputs(&walked.input)
        {
            let mut out = Output::default();
            inputs.iter().for_each(|(input, at)| station.handle(input, *at, &mut out));
            let board: Arc<str> = walked.board.as_str().into();
            for event in &out.events {
                writeln!(stream, "{}", numbering.number(&board, event).to_line()).unwrap();
            }
        }
    });
    assert!(errors.is_empty(), "{errors:?}");
    let mut pins = Pins::read();
    for (board, (.., stream)) in &boards {
        pins.take(&format!("hall/{board}"), stream);
    }
    pins.finish();
}

#[test]
fn everything_that_is_pinned_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scenarios = root.join("tests/scenarios");
    let gone: Vec<String> = Pins::read()
        .digests
        .into_keys()
        .filter_map(|name| name.strip_prefix("scenarios/").map(str::to_owned))
        .filter(|name| !scenarios.join(name).exists())
        .collect();
    assert_eq!(gone, Vec::<String>::new());
    assert!(
        full().is_none() || data::path("found").is_some(),
        "everything is asked, and there are no test data"
    );
}
