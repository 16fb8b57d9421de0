//! `[feeds.nats]`: which servers get the events, and who we are there.

use std::path::{Path, PathBuf};

use async_nats::ServerAddr;
use serde::{Deserialize, Deserializer, de::Error as _};

use super::ConfigError;
use crate::feed::nats::{Nats, Server, is_site};

/// A stream is kept on so many servers of a cluster at most, says NATS.
const REPLICAS: usize = 5;

/// `[feeds.nats]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NatsFeed {
    /// The servers: one address, or several of one cluster.
    #[serde(deserialize_with = "servers")]
    pub url: Vec<ServerAddr>,
    /// The hall's part of the names of streams and subjects.
    #[serde(default, deserialize_with = "site")]
    pub site: Option<String>,
    /// Publish what spectators see?
    #[serde(default = "yes")]
    pub public: bool,
    /// Publish what the arbiter sees?
    #[serde(default = "yes")]
    pub private: bool,
    /// With everything that was sensed?
    #[serde(default)]
    pub sensed: bool,
    /// File that says who we are; a plain name is one of systemd's credentials.
    pub credentials: Option<PathBuf>,
    /// Certificates to trust, instead of the system's.
    pub tls_ca: Option<PathBuf>,
    /// Our certificate.
    pub tls_certificate: Option<PathBuf>,
    /// Its key.
    pub tls_key: Option<PathBuf>,
    /// On how many servers a stream is kept that we make.
    #[serde(default = "one", deserialize_with = "replicas")]
    pub replicas: usize,
}

impl NatsFeed {
    /// The feed, with its files looked for where they are.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if one of them cannot be read: better now than in the round.
    pub fn open(&self) -> Result<Nats, ConfigError> {
        let credentials = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
        let found = |file: &PathBuf| {
            let path = credential(file, credentials.as_deref());
            let unreadable = |error: std::io::Error| ConfigError::Unreadable {
                file: path.display().to_string(),
                reason: format!("{error}; [feeds.nats] needs it"),
            };
            std::fs::read(&path).map_err(unreadable).map(|_| path.clone())
        };
        let [credentials, tls_ca, certificate, key] =
            [&self.credentials, &self.tls_ca, &self.tls_certificate, &self.tls_key]
                .map(|file| file.as_ref().map(found).transpose());
        let tls_client = match (certificate?, key?) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => {
                let reason = "tls_certificate and tls_key need each other".to_owned();
                return Err(ConfigError::Unreadable { file: "[feeds.nats]".to_owned(), reason });
            }
        };
        Ok(Nats {
            server: Server { urls: self.url.clone(), credentials: credentials?, tls_ca: tls_ca?, tls_client },
            site: self.site.clone(),
            is_public: self.public,
            is_private: self.private,
            is_sensed: self.sensed,
            replicas: self.replicas,
        })
    }
}

/// Reads the address of a server.
///
/// # Errors
/// What is wrong with it, a sentence.
pub(crate) fn server(text: &str) -> Result<ServerAddr, String> {
    let known = ["nats://", "tls://"];
    let url: ServerAddr = match text.split_once("://") {
        Some(_) if !known.iter().any(|scheme| text.starts_with(scheme)) => None,
        _ => text.parse().ok(),
    }
    .ok_or_else(|| {
        format!("\"{text}\" is no address of a server; write nats://HOST:PORT or tls://HOST:PORT")
    })?;
    if url.has_user_pass() {
        return Err("names and passwords belong into a file of credentials, not into an address".to_owned());
    }
    Ok(url)
}

/// A name without folders is looked for among the service's credentials, if it has any.
fn credential(file: &Path, credentials: Option<&Path>) -> PathBuf {
    match credentials {
        Some(folder) if file.components().count() == 1 => folder.join(file),
        _ => file.to_owned(),
    }
}

fn servers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ServerAddr>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Urls {
        One(String),
        Several(Vec<String>),
    }
    let urls = match Urls::deserialize(deserializer) {
        Ok(Urls::One(url)) => vec![url],
        Ok(Urls::Several(urls)) if !urls.is_empty() => urls,
        _ => return Err(D::Error::custom("url is the address of a server, or a list of them")),
    };
    urls.iter().map(|url| server(url)).collect::<Result<_, _>>().map_err(D::Error::custom)
}

fn site<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let site = String::deserialize(deserializer)?;
    if is_site(&site) { Ok(Some(site)) } else { Err(D::Error::custom(no_site(&site))) }
}

/// What a hall can be called, said of a name that it cannot have.
#[must_use]
pub(crate) fn no_site(site: &str) -> String {
    format!(
        "\"{site}\" cannot be a site: small letters, digits and _, 32 at most, and none of \"public\", \"private\" and \"pairings\""
    )
}

fn replicas<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let replicas = usize::deserialize(deserializer)?;
    if (1..=REPLICAS).contains(&replicas) {
        Ok(replicas)
    } else {
        Err(D::Error::custom(format!("replicas = {replicas}: between 1 and {REPLICAS}")))
    }
}

fn yes() -> bool {
    true
}

fn one() -> usize {
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn config(lines: &str) -> Result<NatsFeed, ConfigError> {
        Config::parse("adoube.toml", &format!("[feeds.nats]\n{lines}"))
            .map(|config| config.feeds.nats.unwrap())
    }

    #[test]
    fn what_cannot_work_is_said_with_its_line() {
        let errors = [
            "site = \"a\"",
            "url = \"http://a\"",
            "url = \"nats://me:word@a\"",
            "url = []",
            "url = \"a\"\nsite = \"Hall 2\"",
            "url = \"a\"\nreplicas = 6",
            "url = \"a\"\nprivte = true",
        ]
        .map(|lines| config(lines).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"), @r#"
        adoube.toml:1: the key "url" is missing
        adoube.toml:2: "http://a" is no address of a server; write nats://HOST:PORT or tls://HOST:PORT
        adoube.toml:2: names and passwords belong into a file of credentials, not into an address
        adoube.toml:2: url is the address of a server, or a list of them
        adoube.toml:3: "Hall 2" cannot be a site: small letters, digits and _, 32 at most, and none of "public", "private" and "pairings"
        adoube.toml:3: replicas = 6: between 1 and 5
        adoube.toml:3: unknown key "privte" in [feeds.nats]; did you mean "private"?
        "#);
    }

    #[test]
    fn one_server_or_several_and_the_rest_as_usual() {
        let feed = config("url = \"hall.example\"").unwrap();
        assert!(feed.public && feed.private && !feed.sensed && feed.replicas == 1);
        assert_eq!(feed.open().unwrap().server.to_string(), "nats://hall.example:4222");
        let feed = config("url = [\"tls://a:1\", \"b\"]\nsite = \"hall2\"\nprivate = false").unwrap();
        assert_eq!(feed.open().unwrap().server.to_string(), "tls://a:1, nats://b:4222");
    }

    #[test]
    fn files_are_looked_for_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hall.creds");
        let feed = config(&format!("url = \"a\"\ncredentials = \"{}\"", file.display())).unwrap();
        let error = feed.open().unwrap_err().to_string();
        assert!(error.contains("hall.creds") && error.contains("[feeds.nats]"), "{error}");
        std::fs::write(&file, "me:word").unwrap();
        assert_eq!(feed.open().unwrap().server.credentials, Some(file.clone()));
        let feed = config(&format!("url = \"a\"\ntls_key = \"{}\"", file.display())).unwrap();
        assert!(feed.open().unwrap_err().to_string().contains("need each other"));
    }
}
