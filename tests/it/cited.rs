//! The articles that records cite, of every record of every scenario: a table of `docs/laws.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use adoube_rules::laws::Edition;
use adoube_sim::scenario::Scenario;
use serde_json::Value;

use crate::scenarios::files;
use crate::slots::computing;

const BEGIN: &str = "<!-- cited: begin -->";
const END: &str = "<!-- cited: end -->";

/// Name, cause, class of play.
type Case = (String, String, String);

/// What a record is about, as far as its articles depend on it.
fn cause(record: &Value) -> String {
    let two_hands =
        record["kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "two-hands"));
    if two_hands {
        return "two hands".to_owned();
    }
    if record["too_late"] == true {
        return "too late".to_owned();
    }
    if record["first"] == "unknown" {
        return "order unknown".to_owned();
    }
    let keys = ["of", "claim", "end", "rule", "context", "needs"];
    let mut words = keys.into_iter().filter_map(|key| record[key].as_str());
    let of_result = || {
        record["reason"].as_str().filter(|_| !record["type"].as_str().unwrap_or_default().contains("claim"))
    };
    words.next().or_else(of_result).unwrap_or_default().to_owned()
}

/// The articles by case and edition: a dash where a record cites none, several where cases differ by more than that.
fn cited() -> BTreeMap<Case, BTreeMap<Edition, BTreeSet<String>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut cited: BTreeMap<Case, BTreeMap<Edition, BTreeSet<String>>> = BTreeMap::new();
    for file in files(&folder) {
        let scenario = Scenario::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        for case in scenario.cases() {
            let Some(edition) = Edition::from_name(&case.edition) else { continue };
            let class = case.profile.splitn(3, '-').nth(2).unwrap_or_default().to_owned();
            for event in scenario.run(&case, &[]).unwrap().events {
                let record: Value = serde_json::from_str(&event.to_line()).unwrap();
                // The four-player game cites its own rules.
                let Some(article) = record.get("article").filter(|_| record["record"].is_number()) else {
                    continue;
                };
                let article = article.as_str().unwrap_or("–").to_owned();
                if article.starts_with(['T', 'R']) {
                    continue;
                }
                let name = record["type"].as_str().unwrap().to_owned();
                let case = (name, cause(&record), class.clone());
                cited.entry(case).or_default().entry(edition).or_default().insert(article);
            }
        }
    }
    cited
}

/// The articles by edition, and the classes of play that cite them.
type Row = (BTreeMap<Edition, String>, Vec<String>);

/// Classes of one name and cause that cite the same stand in one row.
fn table() -> String {
    let mut rows: BTreeMap<(String, String), Vec<Row>> = BTreeMap::new();
    for ((name, cause, class), by_edition) in cited() {
        let articles: BTreeMap<Edition, String> = by_edition
            .into_iter()
            .map(|(edition, articles)| (edition, articles.into_iter().collect::<Vec<_>>().join("; ")))
            .collect();
        let known = rows.entry((name, cause)).or_default();
        let agrees = |known: &BTreeMap<Edition, String>| {
            articles.iter().all(|(edition, article)| known.get(edition).is_none_or(|known| known == article))
        };
        match known.iter_mut().find(|(known, _)| agrees(known)) {
            Some((known, classes)) => {
                known.extend(articles);
                classes.push(class);
            }
            None => known.push((articles, vec![class])),
        }
    }
    let mut table =
        "| name | cause | class | 2005 | 2017 | 2018 | 2023 |\n|---|---|---|---|---|---|---|\n".to_owned();
    for ((name, cause), known) in rows {
        for (articles, classes) in known {
            let cells = Edition::ALL.map(|edition| articles.get(&edition).map_or(" ", String::as_str));
            let classes = classes.join(", ");
            writeln!(table, "| `{name}` | {cause} | {classes} | {} |", cells.join(" | ")).unwrap();
        }
    }
    table
}

#[test]
fn every_record_cites_what_the_table_says() {
    let _slot = computing();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/laws.md");
    let doc = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = doc.split_once(BEGIN).unwrap();
    let (written, tail) = rest.split_once(END).unwrap();
    let table = table();
    if std::env::var_os("ADOUBE_WRITE_TABLES").is_some() {
        std::fs::write(&path, format!("{head}{BEGIN}\n{table}{END}{tail}")).unwrap();
        return;
    }
    let differs: Vec<&str> =
        table.lines().filter(|row| !written.lines().any(|known| known == *row)).collect();
    let gone: Vec<&str> = written.lines().filter(|row| !table.lines().any(|known| known == *row)).collect();
    let gone: Vec<&str> = gone.into_iter().filter(|row| !row.is_empty()).collect();
    assert!(
        differs.is_empty() && gone.is_empty(),
        "docs/laws.md does not say what records cite (ADOUBE_WRITE_TABLES=1 writes it):\n{}\nno more:\n{}",
        differs.join("\n"),
        gone.join("\n")
    );
}
