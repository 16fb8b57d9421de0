//! Folders know each other in one direction.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which other folder or top file each folder or top file of a package's sources names, outside tests.
fn arrows(package: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(package).join("src");
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") && !is_test(&entry) {
                let own = room(&entry, &root);
                let text = fs::read_to_string(&entry).unwrap();
                let named = code(&text).flat_map(|line| line.split("crate::").skip(1));
                let names =
                    named.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap());
                arrows
                    .entry(own.clone())
                    .or_default()
                    .extend(names.filter(|name| *name != own).map(str::to_owned));
            }
        }
    }
    arrows
}

/// The lines before the module of tests that are no comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let is_before_tests = |line: &&str| !line.ends_with("mod tests {") && !line.ends_with("mod testing {");
    text.lines().take_while(is_before_tests).filter(|line| !line.trim_start().starts_with("//"))
}

fn is_test(path: &Path) -> bool {
    ["tests.rs", "testing.rs"].iter().any(|name| path.ends_with(name))
}

/// The folder below `src`, or the file's own name there.
fn room(path: &Path, root: &Path) -> String {
    let inner: PathBuf = path.strip_prefix(root).unwrap().into();
    let first = inner.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

/// Rooms from which one comes back to where one was.
fn circles(arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<(String, String)> {
    let reached = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut next = vec![from.to_owned()];
        while let Some(room) = next.pop() {
            for other in arrows.get(&room).into_iter().flatten() {
                if seen.insert(other.clone()) {
                    next.push(other.clone());
                }
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = arrows.keys().map(|room| (room, reached(room))).collect();
    let is_circle = |one: &String, other: &String| {
        all[one].contains(other) && all.get(other).is_some_and(|from| from.contains(one))
    };
    let pairs = arrows.iter().flat_map(|(one, others)| others.iter().map(move |other| (one, other)));
    pairs
        .filter(|(one, other)| is_circle(one, other))
        .map(|(one, other)| (one.clone(), other.clone()))
        .collect()
}

/// Between packages cargo sees to it.
#[test]
fn no_folder_knows_one_that_knows_it() {
    for (package, rooms) in [("", 8), ("crates/core", 12), ("crates/sim", 20)] {
        let mut arrows = arrows(package);
        // They name every module: the crate's own map, and what puts the command together.
        arrows.remove("lib");
        arrows.remove("main");
        assert!(arrows.len() >= rooms, "{package}: {arrows:?}");
        assert_eq!(circles(&arrows), [], "{package}");
    }
}

#[test]
fn a_circle_is_seen() {
    let mut arrows = arrows("crates/core");
    assert!(arrows["table"].contains("infer") && arrows["station"].contains("table"), "{arrows:?}");
    arrows.get_mut("infer").unwrap().insert("table".to_owned());
    assert!(circles(&arrows).contains(&("infer".to_owned(), "table".to_owned())), "{:?}", circles(&arrows));
}
