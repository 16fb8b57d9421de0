//! `docs/laws.md`: whatever it names is there, and it names every article and every scenario.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::data;

const DOC: &str = include_str!("../../docs/laws.md");

/// The sections with a row an article.
const SECTIONS: [&str; 2] = ["## Articles of 2018", "## Articles of 2005"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The links of the document: where they point to, and what stands between each and the next link
/// or the end of the cell.
fn links() -> impl Iterator<Item = (&'static str, &'static str)> {
    DOC.split("](").skip(1).map(|rest| {
        let (target, after) = rest.split_once(')').unwrap();
        (target, after.split([';', '|', '[', '\n']).next().unwrap_or_default())
    })
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The first cells of a document's tables, headings left out; a cell may hold several articles.
fn articles(text: &str) -> BTreeSet<&str> {
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let is_article =
        |cell: &&str| !cell.starts_with("**") && !["article", "art.", "art. 2005"].contains(cell);
    cells.filter(is_article).flat_map(|cell| cell.split(", ")).collect()
}

/// The part of `text` from `start` to the next heading of the second order, or to the end.
fn section<'a>(text: &'a str, start: &str) -> &'a str {
    let rest = text.split_once(start).unwrap_or_else(|| panic!("no section {start}")).1;
    rest.split("\n## ").next().unwrap_or(rest)
}

#[test]
fn every_path_exists_and_has_what_is_looked_for_in_it() {
    let mut wrong = Vec::new();
    for (target, after) in links() {
        let path = root().join("docs").join(target);
        let Ok(text) = std::fs::read_to_string(&path) else {
            wrong.push(format!("{target} does not exist"));
            continue;
        };
        let missing = quoted(after).filter(|name| target.ends_with(".rs") && !text.contains(name));
        wrong.extend(missing.map(|name| format!("{target} has no {name}")));
    }
    assert!(wrong.is_empty(), "docs/laws.md:\n{}", wrong.join("\n"));
}

#[test]
fn every_parameter_exists() {
    let files = ["crates/rules/src/laws/profile.rs", "src/config.rs"];
    let known = files.map(|file| std::fs::read_to_string(root().join(file)).unwrap()).concat();
    let mut tried = 0;
    for cell in DOC.split("configuration ").skip(1) {
        for name in quoted(cell.split([';', '|', '\n']).next().unwrap_or_default()) {
            assert!(
                ["", "(crate)", "(super)"].iter().any(|to| known.contains(&format!("pub{to} {name}:"))),
                "docs/laws.md: no parameter is called {name}"
            );
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn every_scenario_is_named() {
    let folder = root().join("tests/scenarios");
    let files = crate::scenarios::files(&folder);
    let below = |file: &PathBuf| file.strip_prefix(&folder).unwrap().display().to_string();
    let missing: Vec<String> = files
        .iter()
        .map(below)
        .filter(|file| !DOC.contains(&format!("(../tests/scenarios/{file})")))
        .collect();
    assert!(files.len() > 200 && missing.is_empty(), "docs/laws.md does not name:\n{}", missing.join("\n"));
}

/// The list of articles lies beside the test data.
#[test]
fn every_article_has_its_row() {
    let Some(list) = data::text("../spec/laws-articles.md") else { return };
    let (of_2018, _) = list.split_once("## Edition 2005").unwrap();
    let of_2005 = section(&list, "## Edition 2005");
    // Several headings stand among the articles of 2018.
    let listed = [articles(of_2018.split_once("## Basic rules").unwrap().1), articles(of_2005)];
    for (start, listed) in SECTIONS.into_iter().zip(listed) {
        let rows = articles(section(DOC, start));
        assert!(listed.len() > 50, "{}", listed.len());
        let missing: Vec<&&str> = listed.difference(&rows).collect();
        let extra: Vec<&&str> = rows.difference(&listed).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{start}: without {missing:?}, with {extra:?} too many"
        );
    }
}

/// Ten words are enough to tell one rule from another.
#[test]
fn rules_are_short() {
    for line in SECTIONS.iter().flat_map(|start| section(DOC, start).lines()) {
        let rule = line.split(" | ").nth(1).unwrap_or_default();
        assert!(rule.split(' ').count() <= 10, "{line}");
    }
}
