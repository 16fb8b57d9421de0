//! Canonical names only: what the program says is in the table of names, and what is in the table is
//! said by something.
//!
//! The sources are read as text. A name is said where it stands in `Draft::open("…")` or
//! `Draft::notice("…")`; where those take a variable, by any name in the same file or in [`TABLE`] that is
//! not merely looked for; and in the few functions of [`FUNCTIONS`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use adoube::rules::laws::{hint, names, row};

/// Names that nothing says yet, with the reason. One that is said has to leave the list.
const NOT_YET: &[(&str, &str)] = &[];

/// Functions that name what is said: the file, and what stands before them in it.
const FUNCTIONS: [(&str, &str); 2] =
    [("src/rules/variant.rs", "impl End {"), ("src/event/mod.rs", "impl Body {")];

/// What says the name that is given to it.
const SPEAKERS: [&str; 3] = ["Draft::open(", "Draft::notice(", ".remark("];

/// The folder in which names are handed from one file to another.
const TABLE: &str = "src/table/";

/// What looks for a record of the name that is given to it.
const SEEKERS: [&str; 5] = ["open_record(", "open_number(", "==", "!=", "contains(&"];

/// Tables of names and their readers: they name everything and say nothing.
const SILENT: [&str; 4] = ["src/rules/laws/", "src/scenario/", "src/ruling.rs", "src/event/public.rs"];

/// Files below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    std::fs::read_dir(folder).unwrap().flat_map(|entry| below(entry.unwrap().path())).collect()
}

/// The sources that can say something, by their path, without comments and tests.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = BTreeMap::new();
    for file in files(&root.join("src")) {
        let path = file.strip_prefix(root).unwrap().display().to_string();
        let is_source = path.ends_with(".rs") && !path.contains("/tests");
        if !is_source || SILENT.iter().any(|silent| path.starts_with(silent)) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        sources.insert(path, lines.collect::<Vec<_>>().join("\n"));
    }
    sources
}

/// The literals of `code`, each with what stands before and after it.
fn literals(code: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + code[from..].find('"')?;
        let end = start + 1 + code[start + 1..].find('"')?;
        from = end + 1;
        Some((code[..start].trim_end(), &code[start + 1..end], code[end + 1..].trim_start()))
    })
}

/// What a source says: names written where they are said, and names that only can be meant.
fn said_in(path: &str, code: &str) -> (Vec<String>, Vec<String>) {
    let of_speaker = |before: &str| SPEAKERS.iter().any(|speaker| before.ends_with(speaker));
    let mut said: Vec<String> = literals(code)
        .filter(|(before, ..)| of_speaker(before))
        .map(|(_, name, _)| name.to_owned())
        .collect();
    for (_, start) in FUNCTIONS.iter().filter(|(of, _)| *of == path) {
        let function = code.split(start).nth(1).and_then(|rest| rest.split("fn name(").nth(1)).unwrap();
        let body = function.split("\n    }").next().unwrap();
        said.extend(literals(body).map(|(_, name, _)| name.to_owned()));
    }
    let takes_variable = SPEAKERS[..2]
        .iter()
        .any(|speaker| code.split(speaker).skip(1).any(|argument| !argument.trim_start().starts_with('"')));
    let is_meant = |(before, name, after): &(&str, &str, &str)| {
        let is_sought = SEEKERS.iter().any(|seeker| before.ends_with(seeker)) || is_looked_up(after);
        let is_pattern = after.starts_with("=>") || after.starts_with('|');
        let is_said = |kind: &str| match kind {
            // A ruling has the name of the claim that it enters, and of the proposal that it carries out.
            "claim" => true,
            "proposal" => takes_variable && !is_pattern,
            _ => !is_pattern,
        };
        !is_sought && row(name).is_some_and(|row| is_said(row.kind))
    };
    let speaks = takes_variable || path.starts_with(TABLE);
    let meant = literals(code).filter(|_| speaks).filter(is_meant);
    (said, meant.map(|(_, name, _)| name.to_owned()).collect())
}

/// Is what follows a name the rest of `["…", "…"].contains(`?
fn is_looked_up(after: &str) -> bool {
    let rest =
        after.trim_start_matches(|letter: char| letter.is_ascii_lowercase() || "-\", \n".contains(letter));
    rest.starts_with("].contains(")
}

/// Every name that something in the sources says, and where.
pub(crate) fn said() -> BTreeMap<String, BTreeSet<String>> {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, code) in sources() {
        let (said, meant) = said_in(&path, &code);
        for name in said.into_iter().chain(meant) {
            places.entry(name).or_default().insert(path.clone());
        }
    }
    places
}

#[test]
fn what_is_said_has_a_canonical_name() {
    let mut wrong = Vec::new();
    for (name, places) in said() {
        if row(&name).is_none() {
            wrong.push(format!("\"{name}\" in {places:?}: {}", hint(&name)));
        }
    }
    assert!(wrong.is_empty(), "names that are not in the table:\n{}", wrong.join("\n"));
}

#[test]
fn every_canonical_name_is_said_or_known_to_be_missing() {
    let said = said();
    assert!(said.len() > 50, "{said:?}");
    let waiting: BTreeMap<&str, &str> = NOT_YET
        .iter()
        .flat_map(|(reason, names)| names.split(' ').map(move |name| (name, *reason)))
        .collect();
    let silent: Vec<&str> =
        names().filter(|name| !said.contains_key(*name) && !waiting.contains_key(name)).collect();
    let ready: Vec<String> = waiting
        .iter()
        .filter_map(|(name, reason)| Some(format!("{name} ({reason}): said in {:?}", said.get(*name)?)))
        .collect();
    let unknown: Vec<&str> = waiting.keys().copied().filter(|name| row(name).is_none()).collect();
    assert!(
        silent.is_empty() && ready.is_empty() && unknown.is_empty(),
        "nothing says these, and NOT_YET does not have them:\n{}\nthese are said and have to leave NOT_YET:\n{}\n\
         these are in NOT_YET and in no table:\n{}",
        silent.join("\n"),
        ready.join("\n"),
        unknown.join("\n"),
    );
}

#[test]
fn a_name_is_found_where_it_is_said_and_not_where_it_is_sought() {
    let code = "self.open(Draft::open(\n    \"move-made\").ply(1));\nDraft::notice(name);\n\
                if self.open_record(\"sensor-fault\").is_some() {}\nlet name = \"resignation\";\n\
                match name { \"set-position\" => {} \"claim-qpf\" => {} \"move-retracted\" => {} }\n\
                if [\"fine\", \"expel\"].contains(&name) {}";
    let (said, meant) = said_in("src/x.rs", code);
    assert_eq!(said, ["move-made"]);
    assert_eq!(meant, ["move-made", "resignation", "claim-qpf"]);
}
