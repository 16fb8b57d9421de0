//! `[feeds.webhook]`: who is told of incidents, and the secret that the deliveries are signed with.

use std::path::{Path, PathBuf};

use reqwest::Url;
use serde::{Deserialize, Deserializer, de::Error as _};

use super::ConfigError;
use crate::feed::webhook::Webhook;
use adoube_rules::laws::{self, Severity};
use adoube_rules::spelling::nearest;

/// A shorter secret could be guessed from one delivery and its signature.
const SECRET_BYTES: usize = 16;

/// `[feeds.webhook]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookFeed {
    /// Where incidents are posted.
    #[serde(deserialize_with = "http_address")]
    pub url: Url,
    /// File with the secret; a plain name is one of systemd's credentials.
    pub secret: PathBuf,
    /// From how urgent on.
    #[serde(default = "usual_severity")]
    pub severity: Severity,
    /// Only these types; none means all.
    #[serde(default, deserialize_with = "known_names")]
    pub events: Vec<String>,
}

/// What the arbiter should act on, sooner or later.
fn usual_severity() -> Severity {
    Severity::Alert
}

impl WebhookFeed {
    /// The feed with its secret, as the file has it, but for white space around it.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file cannot be read or its secret is too short.
    pub fn open(&self) -> Result<Webhook, ConfigError> {
        let path = credential(&self.secret);
        let file = path.display().to_string();
        let unreadable = |reason: String| {
            let what =
                format!("{reason}; [feeds.webhook] secret needs a file with {SECRET_BYTES} bytes or more");
            ConfigError::Unreadable { file: file.clone(), reason: what }
        };
        let text = std::fs::read(&path).map_err(|error| unreadable(error.to_string()))?;
        let secret = text.trim_ascii().to_vec();
        if secret.len() < SECRET_BYTES {
            return Err(unreadable(format!("{} bytes are too few", secret.len())));
        }
        Ok(Webhook { url: self.url.clone(), secret, severity: self.severity, events: self.events.clone() })
    }
}

/// Where the file with a secret is.
pub(super) fn credential(secret: &Path) -> PathBuf {
    let credentials = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
    secret_path(secret, credentials.as_deref())
}

/// A name without folders is looked for among the service's credentials, if it has any.
fn secret_path(secret: &Path, credentials: Option<&Path>) -> PathBuf {
    match credentials {
        Some(folder) if secret.components().count() == 1 => folder.join(secret),
        _ => secret.to_owned(),
    }
}

fn http_address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Url, D::Error> {
    let text = String::deserialize(deserializer)?;
    let url = Url::parse(&text).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
    url.ok_or_else(|| D::Error::custom(format!("\"{text}\" is no http or https address")))
}

fn known_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    for name in &names {
        if laws::row(name).is_none() {
            let nearest = nearest(name, laws::names());
            return Err(D::Error::custom(format!(
                "no event is called \"{name}\"; did you mean \"{nearest}\"?"
            )));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn config(lines: &str) -> Result<Config, ConfigError> {
        Config::parse("adoube.toml", &format!("[feeds.webhook]\n{lines}"))
    }

    #[test]
    fn what_cannot_work_is_said_with_its_line() {
        let errors = [
            "url = \"ftp://a/b\"\nsecret = \"s\"",
            "url = \"a.example/b\"\nsecret = \"s\"",
            "url = \"https://a.example\"",
            "url = \"https://a.example\"\nsecret = \"s\"\nseverity = \"urgent\"",
            "url = \"https://a.example\"\nsecret = \"s\"\nevents = [\"illegal-move\"]",
            "url = \"https://a.example\"\nsecret = \"s\"\nevent = []",
        ]
        .map(|lines| config(lines).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"), @r#"
        adoube.toml:2: "ftp://a/b" is no http or https address
        adoube.toml:2: "a.example/b" is no http or https address
        adoube.toml:1: the key "secret" is missing
        adoube.toml:4: unknown value "urgent"; use one of "info", "notice", "alert", "critical"
        adoube.toml:4: no event is called "illegal-move"; did you mean "illegal-move-draw"?
        adoube.toml:4: unknown key "event" in [feeds.webhook]; did you mean "events"?
        "#);
    }

    #[test]
    fn the_secret_comes_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        let lines = format!("url = \"https://a.example/x\"\nsecret = \"{}\"", file.display());
        let feed = config(&lines).unwrap().feeds.webhook.unwrap();
        assert!(feed.open().unwrap_err().to_string().contains("No such file"));
        std::fs::write(&file, "0123456789abcde\n").unwrap();
        assert!(feed.open().unwrap_err().to_string().contains("15 bytes are too few"));
        std::fs::write(&file, " 0123456789abcdef\n").unwrap();
        let webhook = feed.open().unwrap();
        assert_eq!(
            (webhook.secret.as_slice(), webhook.severity),
            (&b"0123456789abcdef"[..], Severity::Alert)
        );
        assert!(!format!("{webhook:?}").contains("0123"), "{webhook:?}");
    }

    #[test]
    fn a_plain_name_is_a_credential() {
        let credentials = Some(Path::new("/run/credentials/adoube.service"));
        let found = |secret: &str, among| secret_path(Path::new(secret), among);
        assert_eq!(found("hook", credentials), Path::new("/run/credentials/adoube.service/hook"));
        assert_eq!(found("/etc/hook", credentials), Path::new("/etc/hook"));
        assert_eq!(found("hook", None), Path::new("hook"));
    }
}
