//! The daemon that runs on this machine, as commands reach it: over its control socket.

use std::env;
use std::fmt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::Value;

use crate::web::control::{ControlError, is_free};

/// Where the system's service has its socket.
const SYSTEM: &str = "/run/adoube";

/// Name of the socket in its folder.
const NAME: &str = "control.sock";

/// A disk that is slow to answer takes no longer; a daemon that hangs does.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where the socket may be, the first choice first: the service's own folder, the system's, the user's.
fn places() -> Vec<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = folder("RUNTIME_DIRECTORY").map(|folders| {
        let first = folders.to_string_lossy().split(':').next().map(PathBuf::from);
        first.unwrap_or(folders)
    });
    if let Some(own) = own {
        return vec![own.join(NAME)];
    }
    let user = folder("XDG_RUNTIME_DIR").map(|folder| folder.join("adoube"));
    let system = Some(PathBuf::from(SYSTEM)).filter(|folder| folder.is_dir());
    [system, user].into_iter().flatten().map(|folder| folder.join(NAME)).collect()
}

/// Where a daemon that is started now listens; `None` if there is no folder for it.
///
/// # Errors
/// Another daemon listens there.
pub(super) fn own_place() -> Result<Option<PathBuf>, ControlError> {
    for place in places() {
        match is_free(&place) {
            Ok(()) => return Ok(Some(place)),
            Err(error @ ControlError::InUse(_)) => return Err(error),
            // No folder of ours.
            Err(ControlError::Io { .. }) => {}
        }
    }
    Ok(None)
}

/// The daemon said no; what it said is for people.
#[derive(Debug)]
pub(super) struct Refused {
    status: StatusCode,
    detail: String,
}

impl Refused {
    /// Is it because of how things stand, and not of what was asked?
    pub(super) fn is_conflict(&self) -> bool {
        self.status == StatusCode::CONFLICT
    }
}

impl Refused {
    /// Does the daemon not know what was asked for?
    pub(super) fn is_unknown(&self) -> bool {
        self.status == StatusCode::NOT_FOUND
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Refused {}

/// A running daemon.
pub(super) struct Control {
    client: Client,
    runtime: tokio::runtime::Runtime,
}

impl Control {
    /// Finds it.
    ///
    /// # Errors
    /// None answers.
    pub(super) fn connect() -> anyhow::Result<Self> {
        let places = places();
        let answers = |place: &&PathBuf| UnixStream::connect(place).is_ok();
        let Some(place) = places.iter().find(answers) else { bail!(no_answer(&places)) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // No TLS on a socket: a system without any certificates must do.
        let client =
            Client::builder().unix_socket(place.as_path()).tls_certs_only([]).timeout(PATIENCE).build()?;
        Ok(Self { client, runtime })
    }

    /// What it says to a question.
    ///
    /// # Errors
    /// [`Refused`], or it went away.
    pub(super) fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.ask(self.request(Method::GET, path))
    }

    /// Has it do something; `body` is JSON.
    ///
    /// # Errors
    /// As [`Control::get`].
    pub(super) fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask(self.request(Method::POST, path).json(body))
    }

    /// Gives it a file.
    ///
    /// # Errors
    /// As [`Control::get`].
    pub(super) fn post_file(&self, path: &str, bytes: Vec<u8>) -> anyhow::Result<Value> {
        self.ask(self.request(Method::POST, path).header("content-type", "text/plain").body(bytes))
    }

    /// Puts JSON in the place of what is there.
    ///
    /// # Errors
    /// As [`Control::get`].
    pub(super) fn put(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask(self.request(Method::PUT, path).json(body))
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("http://localhost{path}"))
    }

    fn ask(&self, request: RequestBuilder) -> anyhow::Result<Value> {
        self.runtime.block_on(async {
            let response = request.send().await.context("the daemon does not answer")?;
            let status = response.status();
            let body = response.bytes().await.context("the daemon broke off its answer")?;
            let json: Value = serde_json::from_slice(&body).unwrap_or_default();
            if status.is_success() {
                return Ok(json);
            }
            let detail = json["detail"].as_str().map_or_else(|| status.to_string(), str::to_owned);
            Err(Refused { status, detail }.into())
        })
    }
}

/// Why nobody answers at any of the places.
fn no_answer(places: &[PathBuf]) -> String {
    let denied = places.iter().find(|place| {
        let error = UnixStream::connect(place).err();
        error.is_some_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
    });
    if let Some(place) = denied {
        let place = place.display();
        return format!(
            "{place}: not permitted; be root, or a member of the group that the socket belongs to"
        );
    }
    let usual = Path::new(SYSTEM).join(NAME);
    let all = places.iter().map(|place| place.display().to_string());
    let all: Vec<String> = if places.is_empty() { vec![usual.display().to_string()] } else { all.collect() };
    format!("no adoube is running here (no answer at {}); start it with \"adoube run\"", all.join(" or "))
}
