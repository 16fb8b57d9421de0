//! `[feeds.livechess]`: where programs written for DGT LiveChess find the boards, and whose pages may ask.

use std::net::{Ipv4Addr, SocketAddr};

use serde::{Deserialize, Deserializer, de::Error as _};

use super::Board;
use adoube_rules::spelling::nearest;

/// The port that those programs know.
const PORT: u16 = 1982;

/// `[feeds.livechess]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LiveChessFeed {
    /// Where it listens: on loopback only.
    #[serde(deserialize_with = "loopback")]
    pub address: SocketAddr,
    /// Does it go on although spectators see the games later?
    pub undelayed: bool,
    /// Whose web pages may ask; `*` is everybody's.
    #[serde(deserialize_with = "origins")]
    pub origins: Vec<String>,
    /// Name of the board that stands first in lists.
    pub first: Option<String>,
}

impl Default for LiveChessFeed {
    fn default() -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
        Self { address, undelayed: false, origins: vec!["*".to_owned()], first: None }
    }
}

impl LiveChessFeed {
    /// What is wrong with `first`, if the hall has boards and none is called so.
    pub(super) fn unknown_first(&self, boards: &[Board]) -> Option<String> {
        let first = self.first.as_ref()?;
        let mut ids = boards.iter().map(|board| board.id.as_str());
        if boards.is_empty() || ids.any(|id| id == first) {
            return None;
        }
        let nearest = nearest(first, boards.iter().map(|board| board.id.as_str()));
        Some(format!("first = \"{first}\": no board has that id; did you mean \"{nearest}\"?"))
    }
}

fn loopback<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(deserializer)?;
    let address: SocketAddr = text.parse().map_err(|_| {
        D::Error::custom(format!("\"{text}\" is no ADDRESS:PORT, as \"127.0.0.1:{PORT}\" is"))
    })?;
    if address.ip().to_canonical().is_loopback() {
        return Ok(address);
    }
    Err(D::Error::custom(format!(
        "address = \"{text}\": nobody logs in there, so it listens on loopback only; use \"127.0.0.1:{}\"",
        address.port()
    )))
}

fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let origins = Vec::<String>::deserialize(deserializer)?;
    match origins.iter().find(|origin| !is_origin(origin)) {
        None => Ok(origins),
        Some(wrong) => Err(D::Error::custom(format!(
            "\"{wrong}\" is no origin of web pages; write \"*\" for all of them, or for example \
             \"https://lichess.org\", without a path"
        ))),
    }
}

/// `*`, or scheme, host and perhaps port.
fn is_origin(text: &str) -> bool {
    let is_host = |(scheme, host): (&str, &str)| {
        !scheme.is_empty() && !host.is_empty() && !host.contains(|letter: char| "/?#@* ".contains(letter))
    };
    text == "*" || text.split_once("://").is_some_and(is_host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ConfigError};

    fn config(lines: &str) -> Result<Config, ConfigError> {
        Config::parse("adoube.toml", &format!("[feeds.livechess]\n{lines}"))
    }

    #[test]
    fn without_keys_it_is_where_live_chess_is() {
        let feed = config("").unwrap().feeds.livechess.unwrap();
        assert_eq!(feed, LiveChessFeed::default());
        assert_eq!((feed.address.to_string().as_str(), feed.undelayed), ("127.0.0.1:1982", false));
        for address in ["127.0.0.2:80", "[::1]:1982", "[::ffff:127.0.0.1]:1982"] {
            let feed = config(&format!("address = \"{address}\"")).unwrap().feeds.livechess.unwrap();
            assert_eq!(feed.address.to_string(), address);
        }
    }

    #[test]
    fn what_cannot_work_is_said_with_its_line() {
        let errors = [
            "address = \"0.0.0.0:1982\"",
            "address = \"192.168.1.7:1982\"",
            "address = \"[::]:1982\"",
            "address = \"localhost\"",
            "origins = [\"https://lichess.org\", \"https://lichess.org/dgt\"]",
            "origins = [\"lichess.org\"]",
            "origins = \"*\"",
            "undelayed = \"yes\"",
            "adress = \"127.0.0.1:1982\"",
        ]
        .map(|lines| config(lines).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"), @r#"
        adoube.toml:2: address = "0.0.0.0:1982": nobody logs in there, so it listens on loopback only; use "127.0.0.1:1982"
        adoube.toml:2: address = "192.168.1.7:1982": nobody logs in there, so it listens on loopback only; use "127.0.0.1:1982"
        adoube.toml:2: address = "[::]:1982": nobody logs in there, so it listens on loopback only; use "127.0.0.1:1982"
        adoube.toml:2: "localhost" is no ADDRESS:PORT, as "127.0.0.1:1982" is
        adoube.toml:2: "https://lichess.org/dgt" is no origin of web pages; write "*" for all of them, or for example "https://lichess.org", without a path
        adoube.toml:2: "lichess.org" is no origin of web pages; write "*" for all of them, or for example "https://lichess.org", without a path
        adoube.toml:2: "*" cannot stand here; write a list in square brackets
        adoube.toml:2: "yes" cannot stand here; write true or false, without quotes
        adoube.toml:2: unknown key "adress" in [feeds.livechess]; did you mean "address"?
        "#);
    }

    #[test]
    fn the_first_board_is_one_of_the_hall() {
        let error = |first: &str| {
            let boards =
                "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\n[[board]]\nid = \"12\"\nport = \"tcp://a:2\"";
            config(&format!("first = \"{first}\"\n{boards}")).err().map(|error| error.to_string())
        };
        assert_eq!(error("12"), None);
        insta::assert_snapshot!(error("22").unwrap(), @r#"adoube.toml:2: first = "22": no board has that id; did you mean "12"?"#);
    }
}
