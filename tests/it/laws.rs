//! The table of names against the document that fixes them, which is not part of the repository.

use std::collections::BTreeSet;
use std::path::Path;

use adoube_rules::laws::{Edition, ILLEGAL_KINDS, Row, Severity, hint, names, row};

use crate::data;

/// The registry, if it is there: it lies beside the test data.
fn registry() -> Option<String> {
    data::text("../spec/laws-registry.md")
}

/// The sections with their numbers.
fn sections(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.split("\n## ").skip(1).filter_map(|section| {
        let (number, rest) = section.split_once(". ")?;
        Some((number.parse().ok()?, rest))
    })
}

/// The cells of the rows of a section's tables.
fn rows(section: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Names of the registry's next edition that are carried out.
const NEXT: [&str; 4] = ["board-disconnected", "piece-missing", "resolution", "resolution-done"];

/// Names whose rows in the next edition take the place of those in the registry itself.
const REPLACED: [&str; 1] = ["sensor-fault"];

#[test]
fn the_table_has_the_names_of_the_registry_and_no_others() {
    let Some(text) = registry() else { return };
    let mut known = BTreeSet::new();
    for (number, section) in sections(&text).filter(|(number, _)| *number <= 10) {
        if number == 0 {
            let is_name =
                |name: &&str| name.chars().all(|letter| letter == '-' || letter.is_ascii_lowercase());
            known.extend(quoted(section).filter(is_name));
        }
        // The kinds of illegal moves have tables of six columns.
        for cells in rows(section).filter(|cells| cells.len() != 6) {
            known.extend(quoted(cells[0]));
        }
    }
    // Its next edition names what is raised already before the registry itself does.
    known.extend(NEXT);
    assert!(known.len() > 130, "{}", known.len());
    assert_eq!(names().collect::<BTreeSet<_>>(), known);
}

/// What the registry's columns say, as far as they say it of every case.
#[test]
fn the_rows_are_those_of_the_registry() {
    let Some(text) = registry() else { return };
    let next = data::text("../spec/laws-registry-next.md").unwrap();
    let mut compared = 0;
    let is_replaced = |cells: &Vec<&str>| quoted(cells[0]).any(|name| REPLACED.contains(&name));
    let sections = sections(&text).filter(|(number, _)| (1..=8).contains(number));
    let own = sections.flat_map(|(_, section)| rows(section)).filter(|cells| !is_replaced(cells));
    for cells in own.chain(rows(&next).filter(is_replaced)) {
        if cells.len() == 10 {
            let several = quoted(cells[0]).count() > 1;
            for name in quoted(cells[0]) {
                let row = row(name).unwrap();
                assert_eq!(row.kind.as_str(), cells[1], "{name}");
                assert!(cells[2].starts_with(row.severity.map_or("", Severity::as_str)), "{name}");
                assert!(cells[5].starts_with(row.certainty.as_str()), "{name}");
                assert_eq!(row.identity_only, cells[6].starts_with('y'), "{name}");
                assert_eq!(
                    !format!("{:?}", row.see).starts_with("Public"),
                    cells[7].starts_with('A'),
                    "{name}"
                );
                assert_eq!(format!("{:?}", row.counted) == "No", cells[8].starts_with("no"), "{name}");
                compare_articles(row, cells[3], several);
                compared += 1;
            }
        }
    }
    assert!(compared > 90, "{compared}");
}

/// A row of several names gives an article for each of them.
fn compare_articles(row: &Row, cell: &str, several: bool) {
    let mut written: Vec<&str> = Vec::new();
    for article in cell.split(" / ") {
        let article = article.split(" (").next().unwrap().trim();
        written.push(if article == "=" { written.last().copied().unwrap() } else { article });
    }
    written.resize(4, "–");
    for (edition, written) in Edition::ALL.into_iter().zip(written) {
        let article = row.articles[edition.index()].unwrap_or("–");
        let fits = if several { written.split(", ").any(|each| each == article) } else { written == article };
        assert!(fits, "{} in {edition}: {article}, not {written}", row.name);
    }
}

#[test]
fn kinds_and_old_names_are_those_of_the_registry() {
    let Some(text) = registry() else { return };
    for (number, section) in sections(&text) {
        for cells in rows(section).filter(|cells| cells.len() == 6 && number == 4) {
            for (kind, article) in [(cells[0], cells[1]), (cells[3], cells[4])] {
                let kind = quoted(kind).next().unwrap();
                let known = ILLEGAL_KINDS.map(|(kind, article)| (kind.as_str(), article));
                assert!(known.contains(&(kind, Some(article))), "{kind} {article}");
            }
        }
        for cells in rows(section).filter(|_| number == 11) {
            for old in [cells[0], cells[2]].into_iter().flat_map(quoted) {
                assert!(hint(old).starts_with("use "), "{old}: {}", hint(old));
            }
        }
    }
}

/// Every parameter of the Laws' own table is a field, or the error says what does it instead.
#[test]
fn parameters_are_known() {
    let Some(text) = data::text("../spec/laws-editions.md") else { return };
    let mut tried = 0;
    for (_, section) in sections(&text).filter(|(number, _)| (1..=5).contains(number)) {
        for name in rows(section).flat_map(|cells| quoted(cells[0]).collect::<Vec<_>>()) {
            let mut profile = adoube_rules::laws::Profile::default();
            // No parameter can be that.
            let error = profile.set(name, "?").unwrap_err().to_string();
            assert!(!error.contains("did you mean"), "{error}");
            tried += 1;
        }
    }
    assert!(tried > 90, "{tried}");
}

/// A parameter that decides nothing would be a promise that is not kept.
#[test]
fn every_parameter_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = root.join("crates/rules/src");
    let profile = std::fs::read_to_string(rules.join("laws/profile.rs")).unwrap();
    let (_, fields) = profile.split_once("pub struct Profile {").unwrap();
    let (fields, _) = fields.split_once("\n}\n").unwrap();
    // What is only seen in `laws/` is what it makes of them.
    let parameters: Vec<&str> = fields
        .lines()
        .filter_map(|line| line.strip_prefix("    pub ")?.split_once(':').map(|(name, _)| name))
        .collect();
    assert!(parameters.len() > 70, "{parameters:?}");
    let readers = ["crates/core/src", "crates/sim/src", "src"].map(|folder| root.join(folder));
    let mut files: Vec<_> = readers.iter().flat_map(|folder| crate::depth::files(folder)).collect();
    files
        .extend(crate::depth::files(&rules).into_iter().filter(|file| !file.starts_with(rules.join("laws"))));
    let text: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let is_read = |name: &&&str| {
        let read = format!(".{name}");
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        text.split(read.as_str()).skip(1).any(ends)
    };
    let unread: Vec<&&str> = parameters.iter().filter(|name| !is_read(name)).collect();
    assert_eq!(unread, [] as [&&str; 0], "nothing reads them");
}
