//! The way to the server: who we are there, and whether the line is still up.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use tokio::sync::watch;
use tokio::time::timeout;

use super::Trouble;

/// A server that has not answered after so long has not got it, or will not say.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// A line that is dead but not cut is noticed after two of these.
const PING: Duration = Duration::from_secs(5);

/// Messages that may be on their way to us: a relay catches up with thousands at once.
const CAPACITY: usize = 4_096;

/// Where the servers are and who we are there.
#[derive(Debug, Clone)]
pub struct Server {
    /// Any of these will do: one cluster.
    pub urls: Vec<ServerAddr>,
    /// File that says who we are; nobody in particular without one.
    pub credentials: Option<PathBuf>,
    /// Whom to trust, instead of those whom the system trusts.
    pub tls_ca: Option<PathBuf>,
    /// Certificate and key by which the server knows us.
    pub tls_client: Option<(PathBuf, PathBuf)>,
}

/// What a file of credentials says.
#[derive(PartialEq, Eq)]
enum Credentials {
    /// What `nsc` makes: a token signed by the account, and the seed of a key.
    Creds(String),
    /// The seed of a key.
    Nkey(String),
    /// `NAME:PASSWORD`.
    Password(String, String),
    /// Anything else.
    Token(String),
}

impl Credentials {
    fn read(text: &str) -> Self {
        if text.contains("-----BEGIN NATS USER JWT-----") {
            return Self::Creds(text.to_owned());
        }
        let text = text.trim();
        let is_seed = text.len() == 58 && text.starts_with("SU");
        match text.split_once(':') {
            _ if is_seed => Self::Nkey(text.to_owned()),
            Some((name, password)) => Self::Password(name.to_owned(), password.to_owned()),
            None => Self::Token(text.to_owned()),
        }
    }
}

/// Hosts and ports, without anything secret.
impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, url) in self.urls.iter().enumerate() {
            let comma = if nth == 0 { "" } else { ", " };
            write!(f, "{comma}{}://{}:{}", url.scheme(), url.host(), url.port())?;
        }
        Ok(())
    }
}

/// A connection. When it breaks, another one is made: nothing that was under way on this one comes later.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) context: Context,
    lost: watch::Receiver<bool>,
}

impl Server {
    /// Connects, once.
    pub(crate) async fn connect(&self) -> Result<Line, Trouble> {
        let unreachable = |reason: String| Trouble::Unreachable { server: self.to_string(), reason };
        let (sender, lost) = watch::channel(false);
        let servers = self.urls.len();
        let mut options = ConnectOptions::new()
            .name("adoube")
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .ping_interval(PING)
            .subscription_capacity(CAPACITY)
            // The first round is ours. What comes after is in vain: a connection that broke is not used again.
            .reconnect_delay_callback(
                move |attempts| if attempts > servers { PATIENCE } else { Duration::ZERO },
            )
            .event_callback(move |event| {
                if matches!(event, Event::Disconnected | Event::Closed | Event::LameDuckMode) {
                    sender.send_replace(true);
                }
                async {}
            });
        if let Some(file) = &self.tls_ca {
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.tls_client {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        if let Some(file) = &self.credentials {
            let text = tokio::fs::read_to_string(file).await;
            let text = text.map_err(|error| unreachable(format!("{}: {error}", file.display())))?;
            options = match Credentials::read(&text) {
                Credentials::Creds(text) => {
                    let wrong = |error| unreachable(format!("{}: {error}", file.display()));
                    options.credentials(&text).map_err(wrong)?
                }
                Credentials::Nkey(seed) => options.nkey(seed),
                Credentials::Password(name, password) => options.user_and_password(name, password),
                Credentials::Token(token) => options.token(token),
            };
        }
        // Each of the servers has its own time-out, a name that is not found has none.
        let longest = PATIENCE * (self.urls.len() as u32 + 1);
        let client = timeout(longest, options.connect(self.urls.clone())).await;
        let client: Client = client
            .map_err(|_| unreachable(format!("no answer within {} s", longest.as_secs())))?
            .map_err(|error| unreachable(innermost(&error)))?;
        let context = jetstream::ContextBuilder::new()
            .timeout(PATIENCE)
            .ack_timeout(PATIENCE)
            .max_ack_inflight(2 * super::WINDOW)
            .build(client);
        Ok(Line { context, lost })
    }
}

impl Line {
    /// Waits until the connection is gone.
    pub(crate) async fn lost(&self) -> Trouble {
        let mut lost = self.lost.clone();
        // Whoever could tell us is gone with it.
        let _gone = lost.wait_for(|&lost| lost).await;
        Trouble::Lost
    }
}

/// An error with what lies at its bottom: what the socket, TLS or the server says.
fn innermost(error: &async_nats::ConnectError) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let (outer, inner) = (error.kind().to_string(), deepest.to_string());
    if inner.contains(&outer) { inner } else { format!("{outer}: {inner}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_credentials_says_by_its_look_what_it_is() {
        let seed = format!("SU{}", "A".repeat(56));
        let creds = "-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n";
        let read = [creds, &seed, "alice:open:sesame\n", "s3cr3t\n"].map(Credentials::read);
        assert!(matches!(&read[0], Credentials::Creds(text) if text == creds));
        assert!(matches!(&read[1], Credentials::Nkey(text) if *text == seed));
        assert!(
            matches!(&read[2], Credentials::Password(name, word) if name == "alice" && word == "open:sesame")
        );
        assert!(matches!(&read[3], Credentials::Token(text) if text == "s3cr3t"));
    }

    #[test]
    fn a_server_is_shown_without_secrets() {
        let urls = ["nats://a.example", "tls://alice:secret@b.example:4333"].map(|url| url.parse().unwrap());
        let server = Server { urls: urls.into(), credentials: None, tls_ca: None, tls_client: None };
        assert_eq!(server.to_string(), "nats://a.example:4222, tls://b.example:4333");
    }
}
