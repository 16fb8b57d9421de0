//! A first configuration: what somebody is asked on the first day, as the file that he could have written by hand.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Board, Tls, Web};

/// Where spectators look, if they may: every address of the machine, at the port that the commented file has.
pub(crate) const SPECTATORS: &str = "0.0.0.0:8080";

/// What is asked on the first day; what is absent stays as it is without a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SetUp {
    /// The tournament, as PGN headers carry it.
    #[schema(example = "Club Championship")]
    pub name: String,
    /// Its place.
    #[schema(example = "Athens")]
    pub site: String,
    /// Edition of the Laws and class of play.
    #[schema(example = "fide-2023-rapid")]
    pub profile: String,
    /// Time control in PGN notation; empty: the clocks' own times.
    #[schema(example = "5400+30")]
    pub time_control: String,
    /// The boards that have a name, in the order of the file; without any, every board that answers is taken.
    pub boards: Vec<NamedBoard>,
    /// Who gets a token as arbiter, beside whoever writes this.
    #[schema(example = json!(["Anna"]))]
    pub arbiters: Vec<String>,
    /// May the desk be opened on other devices of the network? It has a certificate of its own then.
    pub elsewhere: bool,
    /// May others in the network look?
    pub spectators: bool,
    /// Seconds by which everything public is behind.
    pub feed_delay_s: u32,
    /// Folder for PGN files; empty: none.
    pub pgn: String,
    /// The round of a Lichess broadcast, or its address; empty: none.
    #[schema(example = "https://lichess.org/broadcast/club/round-1/abcdefgh")]
    pub lichess_round: String,
    /// The personal access token for it. It is kept in a file of its own.
    #[schema(format = Password)]
    pub lichess_token: String,
    /// The digest of the draft that was looked at: no other one is written. Empty: whatever comes of it is.
    pub digest: String,
}

/// A board that was found, and what it is to be called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedBoard {
    /// Its name so far.
    #[schema(example = "21334")]
    pub board: String,
    /// Its name from now on.
    #[schema(example = "1")]
    pub id: String,
}

/// What the file says beside what was asked.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The boards, as they are found again.
    pub boards: Vec<Board>,
    /// The desk's certificate and key, if it has them.
    pub tls: Option<Tls>,
    /// The file of the token for Lichess.
    pub lichess_token: PathBuf,
}

impl SetUp {
    /// The configuration file, as people read it.
    #[must_use]
    pub fn toml(&self, places: &Places) -> String {
        let mut text = "# \"adoube config init\" prints everything that can be set.\n".to_owned();
        let mut sections = vec![self.tournament()];
        sections.extend(places.boards.iter().map(board));
        sections.push(self.web(places));
        sections.extend(self.feeds(places));
        for section in sections.into_iter().filter(|section| section.has_keys()) {
            // Writing to a text does not fail.
            let _never = write!(text, "\n{}", section.text);
        }
        text
    }

    fn tournament(&self) -> Section {
        let mut section = Section::new("[tournament]");
        section.text("name", &self.name);
        section.text("site", &self.site);
        section.text("profile", &self.profile);
        section.text("time_control", &self.time_control);
        if self.feed_delay_s > 0 {
            section.line(&format!("feed_delay_s = {}", self.feed_delay_s));
        }
        section
    }

    fn web(&self, places: &Places) -> Section {
        let mut section = Section::new("[web]");
        if self.elsewhere {
            section.text("arbiter", &format!("0.0.0.0:{}", Web::default().arbiter.port()));
        }
        if self.spectators {
            section.text("public", SPECTATORS);
        }
        if let Some(tls) = &places.tls {
            let mut tls_section = Section::new("[web.tls]");
            tls_section.path("certificate", &tls.certificate);
            tls_section.path("key", &tls.key);
            section.line("");
            section.text.push_str(&tls_section.text);
        }
        section
    }

    fn feeds(&self, places: &Places) -> Vec<Section> {
        let mut pgn = Section::new("[feeds.pgn]");
        pgn.text("path", self.pgn.trim());
        let mut lichess = Section::new("[feeds.lichess]");
        lichess.text("round", self.round_id());
        if lichess.has_keys() {
            lichess.path("token", &places.lichess_token);
        }
        vec![pgn, lichess]
    }

    /// The id of the Lichess round: of its address, the part behind the names of broadcast and round. The address of
    /// a game in it goes on from there.
    #[must_use]
    pub fn round_id(&self) -> &str {
        let address = self.lichess_round.trim().split(['?', '#']).next().unwrap_or_default();
        let is_part = |part: &&str| !part.is_empty();
        match address.split_once("/broadcast/") {
            // The address of a broadcast names no round, and is refused as it is.
            Some((_, within)) => within.split('/').filter(is_part).nth(2).unwrap_or(address),
            None => address.rsplit('/').find(is_part).unwrap_or_default(),
        }
    }
}

fn board(board: &Board) -> Section {
    let mut section = Section::new("[[board]]");
    section.text("id", &board.id);
    section.text("port", &board.port.to_string());
    section.text("serial", board.serial.as_deref().unwrap_or_default());
    section.text("protocol", board.protocol.as_deref().unwrap_or_default());
    if let Some(turned) = board.turned {
        section.line(&format!("turned = {turned}"));
    }
    section
}

/// A section of the file, while it is written.
struct Section {
    head: usize,
    text: String,
}

impl Section {
    fn new(head: &str) -> Self {
        let text = format!("{head}\n");
        Self { head: text.len(), text }
    }

    /// A key with a text; nothing if that is empty.
    fn text(&mut self, key: &str, value: &str) {
        if !value.trim().is_empty() {
            self.line(&format!("{key} = {}", toml::Value::from(value.trim())));
        }
    }

    fn path(&mut self, key: &str, path: &Path) {
        self.text(key, &path.display().to_string());
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn has_keys(&self) -> bool {
        self.text.len() > self.head
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn places() -> Places {
        let found = |id: &str, serial: Option<&str>, port: &str| Board {
            id: id.to_owned(),
            port: port.parse().unwrap(),
            serial: serial.map(str::to_owned),
            ..Board::default()
        };
        let entered = found("Tisch \"2\"", Some("7"), "serial:/dev/ttyACM0");
        let entered = Board { protocol: Some("dgt".to_owned()), turned: Some(true), ..entered };
        let boards = vec![found("1", Some("21334"), "auto"), entered];
        Places { boards, tls: None, lichess_token: "/state/lichess.token".into() }
    }

    #[test]
    fn a_lichess_round_is_found_in_its_address() {
        let id = |lichess_round: &str| {
            SetUp { lichess_round: lichess_round.to_owned(), ..SetUp::default() }.round_id().to_owned()
        };
        for address in [
            " abcdefgh ",
            "lichess.org/broadcast/club/round-1/abcdefgh",
            "https://lichess.org/broadcast/club/round-1/abcdefgh/",
            "https://lichess.org/broadcast/club/round-1/abcdefgh#boards",
            "https://lichess.org/broadcast/club/round-1/abcdefgh?embed=1",
            "https://lichess.org/broadcast/club/round-1/abcdefgh/12345678",
        ] {
            assert_eq!(id(address), "abcdefgh", "{address}");
        }
        assert_eq!(id(""), "");
        let broadcast = "https://lichess.org/broadcast/club/ABCDEFGH";
        assert_eq!(id(broadcast), broadcast);
    }

    #[test]
    fn nothing_that_was_said_is_a_file_that_says_nothing() {
        let text = SetUp::default().toml(&Places::default());
        assert_eq!(text, "# \"adoube config init\" prints everything that can be set.\n");
        assert_eq!(Config::parse("adoube.toml", &text).unwrap(), Config::default());
    }

    #[test]
    fn what_was_said_is_the_file_that_one_would_have_written() {
        let set_up = SetUp {
            name: " Club \"B\" ".to_owned(),
            site: "Athens".to_owned(),
            profile: "fide-2023-rapid".to_owned(),
            time_control: "900+10".to_owned(),
            spectators: true,
            elsewhere: true,
            feed_delay_s: 900,
            pgn: "/state/pgn".to_owned(),
            lichess_round: "https://lichess.org/broadcast/club/round-1/abcdefgh/".to_owned(),
            lichess_token: "lip_x".to_owned(),
            ..SetUp::default()
        };
        let tls = Tls { certificate: "/state/certificate.pem".into(), key: "/state/key.pem".into() };
        let text = set_up.toml(&Places { tls: Some(tls), ..places() });
        insta::assert_snapshot!(text, @r#"
        # "adoube config init" prints everything that can be set.

        [tournament]
        name = 'Club "B"'
        site = "Athens"
        profile = "fide-2023-rapid"
        time_control = "900+10"
        feed_delay_s = 900

        [[board]]
        id = "1"
        port = "auto"
        serial = "21334"

        [[board]]
        id = 'Tisch "2"'
        port = "serial:/dev/ttyACM0"
        serial = "7"
        protocol = "dgt"
        turned = true

        [web]
        arbiter = "0.0.0.0:8064"
        public = "0.0.0.0:8080"

        [web.tls]
        certificate = "/state/certificate.pem"
        key = "/state/key.pem"

        [feeds.pgn]
        path = "/state/pgn"

        [feeds.lichess]
        round = "abcdefgh"
        token = "/state/lichess.token"
        "#);
        let config = Config::parse("adoube.toml", &text).unwrap();
        assert_eq!(config.tournament.name.as_deref(), Some("Club \"B\""));
        assert_eq!(
            config.boards.iter().map(|board| board.id.as_str()).collect::<Vec<_>>(),
            ["1", "Tisch \"2\""]
        );
        assert!(!text.contains("lip_x"), "the token is not for whoever reads the file");
    }

    /// A text that would end its line stays a text.
    #[test]
    fn nobody_writes_a_key_of_his_own_by_a_name() {
        let set_up = SetUp { name: "x\"\n[journal]\npath = \"/\"".to_owned(), ..SetUp::default() };
        let config = Config::parse("adoube.toml", &set_up.toml(&Places::default())).unwrap();
        assert_eq!(config.tournament.name.as_deref(), Some(set_up.name.as_str()));
        assert_eq!(config.journal, crate::config::Journal::default());
    }
}
