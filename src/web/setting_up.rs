//! The first day: a daemon without a configuration writes the one that somebody was asked for, and begins anew with
//! it.

use std::fs;
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::certificate::{self, CertificateError};
use super::machine;
use crate::auth::{self, Role, Tokens};
use crate::config::{Board, Config, ConfigError, DEFAULT_TOML, Places, SPECTATORS, SetUp, Web};
use crate::hall::{Hall, Origin};
use adoube_core::capture::hex_from_bytes;

/// The file of the token for Lichess, in the state folder.
const LICHESS_TOKEN: &str = "lichess.token";

/// Why a configuration was not written.
#[derive(Debug, thiserror::Error)]
pub(in crate::web) enum SetUpError {
    /// There is one.
    #[error("there is a configuration already; change its file, and have it read again")]
    Written,
    /// It is another one than was looked at.
    #[error("the boards have changed since, and with them the file; look at it again")]
    Other,
    /// A board is not there.
    #[error("no board is called \"{0}\" any more; look at the boards again")]
    Board(String),
    /// What was said makes no configuration.
    #[error("{0}")]
    Wrong(String),
    /// What was entered at the desk stands in the way.
    #[error("the boards that were entered at the desk cannot be forgotten, which the file would have: {0}")]
    Entered(String),
    /// The desk's certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The file.
    #[error("{}: {error}; copy the text that is shown into that file, and start adoube again", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No random bits.
    #[error("no random bits for the login link: {0}")]
    Random(#[from] getrandom::Error),
}

/// A configuration as it would be written.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::web) struct Drafted {
    /// Where.
    #[schema(value_type = String, example = "/home/anna/.config/adoube/adoube.toml")]
    pub(in crate::web) file: PathBuf,
    /// What.
    pub(in crate::web) toml: String,
    /// The SHA-256 of it.
    pub(in crate::web) digest: String,
    /// What is wrong with it, in words; null: nothing.
    pub(in crate::web) problem: Option<String>,
}

/// Somebody who may log in from now on.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::web) struct Admitted {
    /// Who.
    #[schema(example = "Anna")]
    pub(in crate::web) name: String,
    /// The secret, which is told once.
    pub(in crate::web) token: String,
}

/// A configuration that was written.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::web) struct Written {
    /// Where.
    #[schema(value_type = String, example = "/home/anna/.config/adoube/adoube.toml")]
    pub(in crate::web) file: PathBuf,
    /// The desk of the daemon that begins with it, with a one-time login.
    pub(in crate::web) desk: String,
    /// The SHA-256 of its certificate, if it has one of its own.
    pub(in crate::web) fingerprint: Option<String>,
    /// The desk's address for other devices, if it is opened to them.
    #[schema(example = "https://192.0.2.7:8064/")]
    pub(in crate::web) elsewhere: Option<String>,
    /// The spectators' address, if there is one.
    #[schema(example = "http://192.0.2.7:8080/")]
    pub(in crate::web) spectators: Option<String>,
    /// Who may log in.
    pub(in crate::web) arbiters: Vec<Admitted>,
    /// What was not done.
    pub(in crate::web) remarks: Vec<String>,
}

/// The configuration that `set_up` makes, before it is written.
///
/// # Errors
/// [`SetUpError`] if there is one, or a board has gone.
pub(in crate::web) async fn draft(hall: &Hall, set_up: &SetUp) -> Result<Drafted, SetUpError> {
    let file = hall.unwritten().await.ok_or(SetUpError::Written)?;
    let toml = set_up.toml(&places(hall, set_up).await?);
    let digest = hex_from_bytes(&Sha256::digest(&toml));
    let problem = fault(set_up, &file, &toml);
    let problem = problem.or_else(|| hall.stays(&leaving(hall, set_up)).map(|error| error.to_string()));
    Ok(Drafted { file, toml, digest, problem })
}

/// The boards that have another name from now on, or none.
fn leaving(hall: &Hall, set_up: &SetUp) -> Vec<String> {
    let stays = |name: &str| set_up.boards.iter().any(|named| named.board == name && named.id.trim() == name);
    let known = hall.boards_now().into_iter().map(|status| status.board);
    known.filter(|name| !set_up.boards.is_empty() && !stays(name)).collect()
}

/// Writes it; from then on the daemon is about to begin anew. `host`: by which the desk was asked.
///
/// # Errors
/// [`SetUpError`]; there is no configuration then.
pub(in crate::web) async fn write(hall: &Hall, set_up: SetUp, host: &str) -> Result<Written, SetUpError> {
    // The second of two finds it written.
    let mut writing = hall.setting_up().await;
    let Drafted { file, toml, digest, problem } = draft(hall, &set_up).await?;
    if let Some(problem) = problem {
        return Err(SetUpError::Wrong(problem));
    }
    if !set_up.digest.is_empty() && set_up.digest != digest {
        return Err(SetUpError::Other);
    }
    let (link, leaving) = (auth::new_secret()?, leaving(hall, &set_up));
    let (state, scheme) = (hall.folder.clone(), hall.auth.scheme());
    let machine = machine::address().map_or_else(|| "localhost".to_owned(), |address| address.to_string());
    let elsewhere = set_up.elsewhere.then(|| format!("https://{machine}:{}/", Web::default().arbiter.port()));
    let public = SPECTATORS.rsplit(':').next().unwrap_or_default();
    let spectators = set_up.spectators.then(|| format!("http://{machine}:{public}/"));
    if !leaving.is_empty() {
        writing.forget_entered().await.map_err(|error| SetUpError::Entered(error.to_string()))?;
    }
    let written = spawn_blocking(move || -> Result<_, SetUpError> {
        check_places(&set_up)?;
        let fingerprint = set_up.elsewhere.then(|| certificate::there_or_made(&state)).transpose()?;
        keep_token(&set_up, &state)?;
        replace(&file, &toml)?;
        let (arbiters, remarks) = admit(&set_up, &state);
        Ok((file, fingerprint, arbiters, remarks))
    });
    let written = written.await.unwrap_or_else(|error| Err(SetUpError::Wrong(error.to_string())));
    let (file, fingerprint, arbiters, remarks) = match written {
        Ok(written) => written,
        Err(error) => {
            writing.give_up().await;
            return Err(error);
        }
    };
    let scheme = if fingerprint.is_some() { "https" } else { scheme };
    let desk = format!("{scheme}://{host}/#login={link}");
    writing.begin_anew(&leaving, link).await;
    Ok(Written { file, desk, fingerprint, elsewhere, spectators, arbiters, remarks })
}

/// What the file says of the boards that have a name, and where everything lies.
async fn places(hall: &Hall, set_up: &SetUp) -> Result<Places, SetUpError> {
    let known = hall.boards_now();
    let mut boards = Vec::new();
    for named in &set_up.boards {
        let status = known.iter().find(|status| status.board == named.board);
        let status = status.ok_or_else(|| SetUpError::Board(named.board.clone()))?;
        let id = named.id.trim().to_owned();
        if let Some(entered) = hall.entered_board(&named.board).await {
            boards.push(Board { id, ..entered });
            continue;
        }
        let board = Board { id, ..Board::default() };
        boards.push(match (&status.port, &status.serial) {
            // One that was found is found by its number again, wherever it is plugged in.
            (_, Some(_)) if status.origin == Origin::Found.name() => {
                Board { serial: status.serial.clone(), ..board }
            }
            (Some(port), _) => {
                let port = port.parse().map_err(SetUpError::Wrong)?;
                let protocol = Some(status.protocol.clone()).filter(|_| status.readings > 0);
                Board { port, protocol, ..board }
            }
            (None, _) => Board { serial: status.serial.clone(), ..board },
        });
    }
    let tls = set_up.elsewhere.then(|| certificate::files(&hall.folder));
    Ok(Places { boards, tls, lichess_token: hall.folder.join(LICHESS_TOKEN) })
}

/// What is wrong with what was said, in words.
fn fault(set_up: &SetUp, file: &Path, toml: &str) -> Option<String> {
    let file = file.display().to_string();
    let wrong = Config::parse(&file, toml).err().map(|error| match error {
        ConfigError::Wrong { what, .. } => what,
        error => error.to_string(),
    });
    let has_round = !set_up.round_id().is_empty();
    let has_token = !set_up.lichess_token.trim().is_empty();
    wrong
        .or_else(|| (has_round && !has_token).then(|| "Lichess: the round needs a token".to_owned()))
        .or_else(|| {
            let is_plain = set_up.lichess_token.trim().chars().all(|letter| letter.is_ascii_graphic());
            (!is_plain).then(|| {
                "Lichess: a token has letters, digits and signs, and no space between them".to_owned()
            })
        })
        .or_else(|| (has_token && !has_round).then(|| "Lichess: the token needs a round".to_owned()))
        .or_else(|| {
            let folder = Path::new(set_up.pgn.trim());
            let is_relative = !set_up.pgn.trim().is_empty() && folder.is_relative();
            is_relative
                .then(|| format!("\"{}\": the folder for PGN needs its whole path, from /", folder.display()))
        })
}

/// Can spectators be let in there, and can games be written?
fn check_places(set_up: &SetUp) -> Result<(), SetUpError> {
    if set_up.spectators {
        let address = SPECTATORS;
        TcpListener::bind(address).map_err(|error| {
            SetUpError::Wrong(format!("spectators: {address}: {error}; another program is there"))
        })?;
    }
    let folder = Path::new(set_up.pgn.trim());
    if !set_up.pgn.trim().is_empty() {
        fs::create_dir_all(folder)
            .and_then(|()| tempfile::tempfile_in(folder).map(drop))
            .map_err(|error| SetUpError::Wrong(format!("PGN: {}: {error}", folder.display())))?;
    }
    Ok(())
}

/// Writes a file that is not there yet, or is as it came; it is there as a whole or not at all.
fn replace(path: &Path, text: &str) -> Result<(), SetUpError> {
    let written = || -> io::Result<()> {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        // There is no secret in it, and "adoube config check" is for everybody.
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
        auth::hand_over(file.as_file(), folder)?;
        file.as_file().sync_all()?;
        let is_as_it_came = fs::read_to_string(path).is_ok_and(|text| text == DEFAULT_TOML);
        if is_as_it_came {
            file.persist(path).map_err(|error| error.error)?;
        } else {
            // Whoever has written one by hand meanwhile keeps it.
            file.persist_noclobber(path).map_err(|error| error.error)?;
        }
        fs::File::open(folder)?.sync_all()
    };
    written().map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => SetUpError::Written,
        _ => SetUpError::Io { path: path.to_owned(), error },
    })
}

/// Keeps the token for Lichess, for its owner alone.
fn keep_token(set_up: &SetUp, state: &Path) -> Result<(), SetUpError> {
    let token = set_up.lichess_token.trim();
    if token.is_empty() {
        return Ok(());
    }
    let path = state.join(LICHESS_TOKEN);
    certificate::store(&path, state, &format!("{token}\n"), 0o600)
        .map_err(|error| SetUpError::Io { path, error })
}

/// Makes the arbiters' tokens; who got none is told.
fn admit(set_up: &SetUp, state: &Path) -> (Vec<Admitted>, Vec<String>) {
    let tokens = Tokens::new(state);
    let (mut admitted, mut remarks) = (Vec::new(), Vec::new());
    for name in set_up.arbiters.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        match tokens.add(Role::Arbiter, name) {
            Ok((token, secret)) => admitted.push(Admitted { name: token.name, token: secret }),
            Err(error) => remarks.push(format!("{name}: {error}")),
        }
    }
    (admitted, remarks)
}
