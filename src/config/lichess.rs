//! `[feeds.lichess]`: the broadcast on Lichess to which games are pushed, and the token that may do so.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use reqwest::Url;
use serde::{Deserialize, Deserializer, de::Error as _};

use super::ConfigError;
use super::webhook::credential;
use crate::feed::lichess::{Lichess, Pace, Rounds};
use crate::feed::sheets;
use crate::feed::unseen::RecoveredAtFeeds;

/// The length of a round's id on Lichess.
const ID_LETTERS: usize = 8;

/// `[feeds.lichess]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LichessFeed {
    /// The Lichess round of all games whose round is not in `rounds`.
    #[serde(default, deserialize_with = "round_id")]
    pub round: Option<String>,
    /// The Lichess round of each round.
    #[serde(default, deserialize_with = "round_ids")]
    pub rounds: BTreeMap<u64, String>,
    /// File with the token; a plain name is one of systemd's credentials.
    pub token: PathBuf,
    /// Where Lichess is.
    #[serde(default = "lichess", deserialize_with = "address")]
    pub url: Url,
    /// When plies are pushed that nobody saw.
    #[serde(default)]
    pub recovered_at_feeds: RecoveredAtFeeds,
    /// Which moves are pushed.
    #[serde(default)]
    pub publish_at: sheets::PublishAt,
}

fn lichess() -> Url {
    Url::parse("https://lichess.org").expect("an address as the standard has it")
}

impl LichessFeed {
    /// The feed with its token, as the file has it, but for white space around it.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file cannot be read or holds no token.
    pub fn open(&self) -> Result<Lichess, ConfigError> {
        let path = credential(&self.token);
        let unreadable = |reason: String| {
            let what = format!(
                "{reason}; [feeds.lichess] token needs a file with a personal access token with the scope study:write \
                 (https://lichess.org/account/oauth/token)"
            );
            ConfigError::Unreadable { file: path.display().to_string(), reason: what }
        };
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(error.to_string()))?;
        let token = text.trim().to_owned();
        // Nothing else can stand in a header of HTTP.
        if token.is_empty() || !token.chars().all(|letter| letter.is_ascii_graphic()) {
            return Err(unreadable("there is no token in it".to_owned()));
        }
        let rounds = Rounds { by_number: self.rounds.clone(), others: self.round.clone() };
        Ok(Lichess {
            url: self.url.clone(),
            token,
            rounds,
            pace: Pace::default(),
            recovered: self.recovered_at_feeds,
            publish_at: self.publish_at,
        })
    }

    /// What no single value shows.
    pub(super) fn fault(&self) -> Option<&'static str> {
        (self.round.is_none() && self.rounds.is_empty()).then_some(
            "[feeds.lichess] needs round = \"abcdefgh\", or rounds = { \"1\" = \"abcdefgh\" }: where the games go",
        )
    }
}

fn checked<E: serde::de::Error>(id: String) -> Result<String, E> {
    if id.len() == ID_LETTERS && id.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        return Ok(id);
    }
    Err(E::custom(format!(
        "\"{id}\" is no id of a Lichess round: give the {ID_LETTERS} letters at the end of the round's address"
    )))
}

fn round_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(String::deserialize(deserializer)?).map(Some)
}

fn round_ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<u64, String>, D::Error> {
    let rounds = BTreeMap::<String, String>::deserialize(deserializer)?;
    let read = |(round, id): (String, String)| {
        let wrong = |_| D::Error::custom(format!("\"{round}\" is no number of a round"));
        Ok((round.parse().map_err(wrong)?, checked(id)?))
    };
    rounds.into_iter().map(read).collect()
}

/// The token goes there: nobody on the way shall read it.
fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Url, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = |what: &str| D::Error::custom(format!("\"{text}\" {what}"));
    let url = Url::parse(&text).map_err(|_| wrong("is no http or https address"))?;
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err(wrong("would show the token to whoever listens: use https")),
        _ => Err(wrong("is no http or https address")),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn config(lines: &str) -> Result<Config, ConfigError> {
        Config::parse("adoube.toml", &format!("[feeds.lichess]\n{lines}"))
    }

    #[test]
    fn what_cannot_work_is_said_with_its_line() {
        let errors = [
            "round = \"abcdefgh\"",
            "token = \"t\"",
            "token = \"t\"\nround = \"https://lichess.org/broadcast/x/y/abcdefgh\"",
            "token = \"t\"\nrounds = { one = \"abcdefgh\" }",
            "token = \"t\"\nrounds = { 1 = \"abc\" }",
            "token = \"t\"\nround = \"abcdefgh\"\nurl = \"http://lichess.org\"",
            "token = \"t\"\nround = \"abcdefgh\"\nurl = \"lichess.org\"",
            "token = \"t\"\nround = \"abcdefgh\"\ndelay = 3",
        ]
        .map(|lines| config(lines).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"), @r#"
        adoube.toml:1: the key "token" is missing
        adoube.toml:1: [feeds.lichess] needs round = "abcdefgh", or rounds = { "1" = "abcdefgh" }: where the games go
        adoube.toml:3: "https://lichess.org/broadcast/x/y/abcdefgh" is no id of a Lichess round: give the 8 letters at the end of the round's address
        adoube.toml:3: "one" is no number of a round
        adoube.toml:3: "abc" is no id of a Lichess round: give the 8 letters at the end of the round's address
        adoube.toml:4: "http://lichess.org" would show the token to whoever listens: use https
        adoube.toml:4: "lichess.org" is no http or https address
        adoube.toml:4: unknown key "delay" in [feeds.lichess]; did you mean "url"?
        "#);
    }

    #[test]
    fn a_token_is_read_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let lines = format!(
            "token = \"{}\"\nround = \"abcdefgh\"\nrounds = {{ 2 = \"ijklmnop\" }}\nurl = \"http://127.0.0.1:1\"",
            path.display()
        );
        let feed = config(&lines).unwrap().feeds.lichess.unwrap();
        for wrong in [None, Some(""), Some("\n"), Some("two words")] {
            if let Some(text) = wrong {
                std::fs::write(&path, text).unwrap();
            }
            let error = feed.open().unwrap_err().to_string();
            assert!(error.contains("study:write"), "{wrong:?}: {error}");
        }
        std::fs::write(&path, "lip_0123456789\n").unwrap();
        let lichess = feed.open().unwrap();
        assert_eq!(lichess.token, "lip_0123456789");
        assert!(!format!("{lichess:?}").contains("0123"), "{lichess:?}");
        assert_eq!(lichess.rounds.of(Some(2)), Some("ijklmnop"));
        assert_eq!(
            (lichess.rounds.of(Some(3)), lichess.rounds.of(None)),
            (Some("abcdefgh"), Some("abcdefgh"))
        );
    }
}
