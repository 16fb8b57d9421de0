//! What the articles of the Laws say: adoube's own short words, not the text of the Laws.
//!
//! An entry is written once, under the number that it has in the editions for which it holds; see
//! `articles.toml`, which is part of the program.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Edition;

/// One article in short words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    /// Its number in the edition that was asked for.
    #[serde(skip)]
    pub article: String,
    /// The number by edition (`2005`, `2017`, `2018`, `2023`); an edition that is not named has it not.
    numbers: BTreeMap<String, String>,
    /// A few words for it, in English.
    title: String,
    /// A sentence or three, in English.
    text: String,
    /// Title and text in Greek, if there are any.
    #[serde(default)]
    el: Option<[String; 2]>,
    /// The same in Finnish.
    #[serde(default)]
    fi: Option<[String; 2]>,
}

impl Wording {
    /// Title and text in the language `lang`, or else in English.
    #[must_use]
    pub fn in_language(&self, lang: &str) -> (&str, &str) {
        let words = match lang {
            "el" => &self.el,
            "fi" => &self.fi,
            _ => &None,
        };
        words.as_ref().map_or((&self.title, &self.text), |[title, text]| (title, text))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    article: Vec<Wording>,
}

type Key = (Edition, String);

fn read(text: &str) -> Result<BTreeMap<Key, Wording>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut wordings = BTreeMap::new();
    for wording in file.article {
        for (edition, article) in &wording.numbers {
            let known = Edition::from_name(edition).ok_or_else(|| format!("no edition {edition}"))?;
            let wording = Wording { article: article.clone(), ..wording.clone() };
            if wordings.insert((known, article.clone()), wording).is_some() {
                return Err(format!("article {article} of {edition} is written twice"));
            }
        }
    }
    Ok(wordings)
}

static WORDINGS: LazyLock<BTreeMap<Key, Wording>> =
    LazyLock::new(|| read(include_str!("articles.toml")).expect("a test reads the file that is built in"));

/// What `article` of that edition says; of a sub-article that has no words of its own, the article that
/// it belongs to.
#[must_use]
pub fn wording(edition: Edition, article: &str) -> Option<&'static Wording> {
    let mut article = article;
    loop {
        if let Some(wording) = WORDINGS.get(&(edition, article.to_owned())) {
            return Some(wording);
        }
        article = parent(article)?;
    }
}

/// The article to which a sub-article belongs: `7.5` of `7.5.1`, `8.5` of `8.5a`.
fn parent(article: &str) -> Option<&str> {
    let without_letter = article.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    if without_letter.len() < article.len() && without_letter.ends_with(|digit: char| digit.is_ascii_digit())
    {
        return Some(without_letter);
    }
    article.rsplit_once('.').map(|(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{names, row};

    #[test]
    fn every_article_that_a_name_rests_on_has_words_of_its_own() {
        read(include_str!("articles.toml")).unwrap();
        let mut missing = Vec::new();
        for row in names().filter_map(row) {
            for edition in Edition::ALL {
                let articles =
                    row.articles[edition.index()].into_iter().flat_map(|articles| articles.split(", "));
                let has_words = |article: &&str| {
                    wording(edition, article).is_some_and(|wording| wording.article == **article)
                };
                missing
                    .extend(articles.filter(|article| !has_words(article)).map(|article| (edition, article)));
            }
        }
        missing.sort_unstable();
        missing.dedup();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn words_are_short_sentences_in_every_language() {
        let length = |text: &str| text.chars().count();
        for ((edition, article), wording) in &*WORDINGS {
            for lang in ["en", "el", "fi"] {
                let (title, text) = wording.in_language(lang);
                let place = format!("{lang} {edition} {article}");
                assert!((3..=60).contains(&length(title)) && !title.ends_with('.'), "{place}: {title}");
                assert!(title.split_whitespace().count() <= 8, "{place}: {title}");
                assert!(text.ends_with('.') && (20..=420).contains(&length(text)), "{place}: {text}");
            }
            // What a language lacks is read in English.
            let texts = ["en", "el", "fi"].map(|lang| wording.in_language(lang).1);
            assert!(
                texts[0] != texts[1] && texts[0] != texts[2] && texts[1] != texts[2],
                "{edition} {article}"
            );
        }
    }

    #[test]
    fn a_sub_article_without_words_says_what_its_parent_says() {
        let asked = |edition, article| wording(edition, article).map(|wording| wording.article.as_str());
        assert_eq!(asked(Edition::Fide2018, "7.5.1"), Some("7.5.1"));
        assert_eq!(asked(Edition::Fide2018, "7.5.1.9"), Some("7.5.1"));
        assert_eq!(asked(Edition::Fide2005, "8.4b"), Some("8.4"));
        assert_eq!(asked(Edition::Fide2005, "99.9"), None);
        // The same number says something else in another edition.
        let text = |edition| wording(edition, "6.9").unwrap().in_language("en").1;
        assert_ne!(text(Edition::Fide2005), text(Edition::Fide2018));
        assert_eq!(wording(Edition::Fide2018, "6.9").unwrap().in_language("xx").1, text(Edition::Fide2018));
    }
}
