//! The desk's words: every language says everything that English says, with the same values in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use adoube_rules::laws::{ILLEGAL_KINDS, names};
use serde_json::Value;

const LANGUAGES: [&str; 2] = ["el", "fi"];

/// The files of a language: the words of the frame and those of the views.
const PARTS: [&str; 2] = ["", "-views"];

/// What a language writes as English does, with the reason.
const SAME: [(&str, &str, &str); 3] = [
    (
        "values, signs and abbreviations alone",
        "el fi",
        "frame.new_incident graph.at keys.escape side.named proposal.replacement-moves.detail came.record report.fen \
         report.title_fide",
    ),
    ("units that are international", "el fi", "list.minutes list.hours"),
    ("the Greek text of the Laws has the English word", "el", "names.qpf-zone"),
];

/// Words of a language by their keys (`list.why.time`), of one file.
type Words = BTreeMap<String, String>;

fn desk() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web/desk")
}

fn gather(value: &Value, key: &str, words: &mut Words) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                gather(member, &key, words);
            }
        }
        Value::String(text) => assert!(words.insert(key.to_owned(), text.clone()).is_none(), "{key} twice"),
        other => panic!("{key} is no text: {other}"),
    }
}

/// The words of a file, without the letters of its notation: English has no letters but those of PGN.
fn words(language: &str, part: &str) -> Words {
    let name = format!("{language}{part}.json");
    let text = std::fs::read_to_string(desk().join("words").join(&name)).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let letters = value.as_object_mut().unwrap().remove("notation");
    assert_eq!(letters.is_some(), language != "en" && part.is_empty(), "letters of the notation in {name}");
    let mut words = Words::new();
    gather(&value, "", &mut words);
    words
}

/// What is put into a text: `side` and `move` of `{side} played {move}.`
fn values(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// Every language with each of its files, and the English ones beside them.
fn translations() -> impl Iterator<Item = (&'static str, Words, Words)> {
    LANGUAGES
        .into_iter()
        .flat_map(|language| PARTS.map(|part| (language, words(language, part), words("en", part))))
}

#[test]
fn every_language_has_the_keys_of_english() {
    for (language, words, english) in translations() {
        let missing: Vec<_> = english.keys().filter(|key| !words.contains_key(*key)).collect();
        let superfluous: Vec<_> = words.keys().filter(|key| !english.contains_key(*key)).collect();
        assert!(missing.is_empty(), "{language} lacks {missing:?}");
        assert!(superfluous.is_empty(), "{language} has what English lacks: {superfluous:?}");
    }
}

#[test]
fn every_text_has_the_values_of_the_english_one() {
    for (language, words, english) in translations() {
        for (key, text) in &words {
            assert_eq!(values(text), values(&english[key]), "{language} {key}: {text}");
        }
    }
}

#[test]
fn no_text_is_empty() {
    for language in LANGUAGES.into_iter().chain(["en"]) {
        for (key, text) in PARTS.into_iter().flat_map(|part| words(language, part)) {
            assert_eq!(text, text.trim(), "{language} {key}");
            assert!(!text.is_empty(), "{language} {key}");
        }
    }
}

#[test]
fn no_text_is_left_in_english() {
    for language in LANGUAGES {
        let told = SAME.iter().filter(|(_, languages, _)| languages.split(' ').any(|one| one == language));
        let allowed: BTreeSet<&str> = told.flat_map(|(.., keys)| keys.split_whitespace()).collect();
        let mut same = BTreeSet::new();
        for part in PARTS {
            let english = words("en", part);
            let of_file =
                words(language, part).into_iter().filter(|(key, text)| english.get(key) == Some(text));
            same.extend(of_file.map(|(key, _)| key));
        }
        assert_eq!(same.iter().map(String::as_str).collect::<BTreeSet<_>>(), allowed, "{language}");
    }
}

#[test]
fn texts_are_not_much_longer_than_in_english() {
    let length = |text: &str| text.chars().count();
    for (language, words, english) in translations() {
        for (key, text) in &words {
            // A short word has no shorter one beside it; what it does to the page has to be looked at.
            let most = length(&english[key]) * 7 / 5 + 14;
            assert!(length(text) <= most, "{language} {key} is longer than {most}: {text}");
        }
    }
}

#[test]
fn every_name_and_every_kind_of_illegal_move_has_a_word() {
    for language in LANGUAGES.into_iter().chain(["en"]) {
        let [frame, views] = PARTS.map(|part| words(language, part));
        let unnamed: Vec<_> = names().filter(|name| !frame.contains_key(&format!("names.{name}"))).collect();
        assert!(unnamed.is_empty(), "{language}: {unnamed:?}");
        let known: BTreeSet<String> = names().map(|name| format!("names.{name}")).collect();
        let unknown: Vec<_> =
            frame.keys().filter(|key| key.starts_with("names.") && !known.contains(*key)).collect();
        assert!(unknown.is_empty(), "{language}: {unknown:?}");
        for (kind, _) in ILLEGAL_KINDS {
            assert!(views.contains_key(&format!("kind_of.{}", kind.as_str())), "{language}: {kind:?}");
        }
    }
}

#[test]
fn what_the_page_asks_for_is_there() {
    let english: BTreeSet<String> =
        PARTS.into_iter().flat_map(|part| words("en", part).into_keys()).collect();
    // A text that depends on a number is asked for by the key above its forms.
    let is_there = |key: &str| english.contains(key) || english.contains(&format!("{key}.other"));
    let groups: BTreeSet<&str> = english.iter().filter_map(|key| key.split('.').next()).collect();
    let mut asked = 0;
    for entry in std::fs::read_dir(desk()).unwrap() {
        let path = entry.unwrap().path();
        let Some("js" | "html") = path.extension().and_then(|extension| extension.to_str()) else { continue };
        let text = std::fs::read_to_string(&path).unwrap();
        for literal in text.lines().flat_map(|line| line.split('"').skip(1).step_by(2)) {
            let Some((group, rest)) = literal.split_once('.') else { continue };
            let is_key = groups.contains(group)
                && rest.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
            if is_key && !["css", "js"].contains(&rest) {
                asked += 1;
                assert!(is_there(literal), "{}: {literal}", path.display());
            }
        }
    }
    assert!(asked > 200, "only {asked} keys were found in the sources of the page");
}
