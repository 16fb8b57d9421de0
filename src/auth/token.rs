//! Tokens: who may log in, kept as a file that the command line and the daemon share.

use crate::world;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::secret::{digest, secret};
use super::{Role, hand_over, rfc3339};

/// The file of the tokens, in the state directory.
const FILE: &str = "tokens.json";

/// Tokens that are kept, revoked ones among them: more than an event has people.
const MOST: usize = 512;

/// Longest name: it stands beside every ruling.
const NAME: usize = 64;

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Token {
    /// A number that is never given twice.
    pub(crate) id: String,
    /// What its bearer may do.
    pub(crate) role: Role,
    /// Who that is.
    pub(crate) name: String,
    /// SHA-256 of the secret, hexadecimal.
    sha256: String,
    /// When it was made, RFC 3339.
    pub(crate) created_at: String,
    /// When it was revoked, RFC 3339.
    pub(crate) revoked_at: Option<String>,
}

impl Token {
    /// Does it still let anybody in?
    pub(crate) fn is_live(&self) -> bool {
        self.revoked_at.is_none()
    }
}

/// Why tokens cannot be had or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file is not what was written.
    #[error("{}: {error}; put it right or take it away, and make new tokens", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// Why.
        error: serde_json::Error,
    },
    /// No random bits.
    #[error("no random bits: {0}")]
    Random(#[from] getrandom::Error),
    /// A name that does not do.
    #[error("a token needs the name of who gets it: 1 to {NAME} characters, no control characters")]
    Name,
    /// Nobody has it.
    #[error("no token has the id \"{0}\"; \"adoube token list\" shows them")]
    Unknown(String),
    /// There are enough.
    #[error("there are {MOST} tokens already; revoke those that nobody needs")]
    TooMany,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    tokens: Vec<Token>,
}

/// By what a changed file is known: it is always replaced as a whole.
type Version = (u64, i64, i64, u64);

#[derive(Debug, Default)]
struct Known {
    version: Option<Version>,
    contents: Contents,
}

/// The tokens of a state directory.
#[derive(Debug)]
pub(crate) struct Tokens {
    folder: PathBuf,
    known: Mutex<Known>,
}

impl Tokens {
    /// The tokens that lie in `folder`; it need not exist yet.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), known: Mutex::default() }
    }

    /// Where they lie, from the root.
    pub(crate) fn folder(&self) -> PathBuf {
        std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone())
    }

    /// All tokens, oldest first.
    ///
    /// # Errors
    /// [`TokenError`] if the file cannot be read.
    pub(crate) fn list(&self) -> Result<Vec<Token>, TokenError> {
        Ok(self.read()?.contents.tokens.clone())
    }

    /// The live token of a secret.
    pub(super) fn find(&self, secret: &str) -> Option<Token> {
        let sha256 = digest(secret);
        self.live(|token| token.sha256 == sha256)
    }

    /// Is this token still good?
    pub(super) fn is_live(&self, id: &str) -> bool {
        self.live(|token| token.id == id).is_some()
    }

    /// A file that cannot be read lets nobody in.
    fn live(&self, is_it: impl Fn(&Token) -> bool) -> Option<Token> {
        match self.read() {
            Ok(known) => known.contents.tokens.iter().find(|token| token.is_live() && is_it(token)).cloned(),
            Err(error) => {
                tracing::error!("no token is good: {error}");
                None
            }
        }
    }

    /// Makes a token; its secret is given here and never again.
    ///
    /// # Errors
    /// [`TokenError`]; nothing was changed then.
    pub(crate) fn add(&self, role: Role, name: &str) -> Result<(Token, String), TokenError> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
            return Err(TokenError::Name);
        }
        let secret = secret()?;
        let token = self.change(|tokens| {
            if tokens.len() >= MOST {
                let oldest = tokens.iter().position(|token| !token.is_live());
                tokens.remove(oldest.ok_or(TokenError::TooMany)?);
            }
            let highest = tokens.iter().filter_map(|token| token.id.parse::<u64>().ok()).max();
            let token = Token {
                id: (highest.unwrap_or(0) + 1).to_string(),
                role,
                name: name.to_owned(),
                sha256: digest(&secret),
                created_at: rfc3339(world::now()),
                revoked_at: None,
            };
            tokens.push(token.clone());
            Ok(token)
        })?;
        Ok((token, secret))
    }

    /// Revokes a token; from the next request on it lets nobody in. Revoking it again changes nothing.
    ///
    /// # Errors
    /// [`TokenError`]; nothing was changed then.
    pub(crate) fn revoke(&self, id: &str) -> Result<Token, TokenError> {
        self.change(|tokens| {
            let token = tokens.iter_mut().find(|token| token.id == id);
            let token = token.ok_or_else(|| TokenError::Unknown(id.to_owned()))?;
            token.revoked_at.get_or_insert_with(|| rfc3339(world::now()));
            Ok(token.clone())
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    fn io(&self) -> impl FnOnce(io::Error) -> TokenError {
        let path = self.path();
        |error| TokenError::Io { path, error }
    }

    /// What the file holds now: it is read again when it has changed.
    fn read(&self) -> Result<MutexGuard<'_, Known>, TokenError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let version = match fs::metadata(self.path()) {
            Ok(file) => Some((file.ino(), file.mtime(), file.mtime_nsec(), file.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(self.io()(error)),
        };
        if known.version != version {
            known.version = None;
            known.contents = Contents::default();
            if version.is_some() {
                let text = fs::read(self.path()).map_err(self.io())?;
                let path = self.path();
                known.contents =
                    serde_json::from_slice(&text).map_err(|error| TokenError::Damaged { path, error })?;
                known.version = version;
            }
        }
        Ok(known)
    }

    /// Changes the file: others who change it wait, those who read see the old or the new one.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<Token>) -> Result<T, TokenError>,
    ) -> Result<T, TokenError> {
        fs::create_dir_all(&self.folder).map_err(self.io())?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.folder.join("tokens.lock"));
        let lock = lock.map_err(self.io())?;
        hand_over(&lock, &self.folder).and_then(|()| lock.lock()).map_err(self.io())?;
        let mut tokens = self.list()?;
        let changed = change(&mut tokens)?;
        self.replace(&Contents { tokens }).map_err(self.io())?;
        Ok(changed)
    }

    fn replace(&self, contents: &Contents) -> io::Result<()> {
        // For its owner alone, as the library makes its files.
        let mut file = NamedTempFile::new_in(&self.folder)?;
        serde_json::to_writer_pretty(&mut file, contents)?;
        file.write_all(b"\n")?;
        hand_over(file.as_file(), &self.folder)?;
        file.as_file().sync_all()?;
        file.persist(self.path()).map_err(|error| error.error)?;
        File::open(&self.folder)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_token_is_good_until_it_is_revoked_whoever_does_it() {
        let folder = tempfile::tempdir().unwrap();
        let (daemon, command) = (Tokens::new(folder.path()), Tokens::new(folder.path()));
        assert_eq!(daemon.list().unwrap(), []);
        let (first, secret) = command.add(Role::Operator, " Ann ").unwrap();
        assert_eq!((first.id.as_str(), first.name.as_str()), ("1", "Ann"));
        assert_eq!(daemon.find(&secret), Some(first));
        assert!(daemon.find(&secret.to_uppercase()).is_none() && daemon.find("").is_none());
        let (second, _) = daemon.add(Role::Arbiter, "Ann").unwrap();
        assert_eq!(second.id, "2");
        command.revoke("1").unwrap();
        assert!(daemon.find(&secret).is_none() && !daemon.is_live("1") && daemon.is_live("2"));
        assert!(matches!(command.revoke("3"), Err(TokenError::Unknown(id)) if id == "3"));
    }

    #[test]
    fn the_file_is_for_its_owner_and_holds_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(&folder.path().join("state"));
        let (_, secret) = tokens.add(Role::Arbiter, "Ann").unwrap();
        let path = folder.path().join("state").join(FILE);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&secret) && text.contains(&digest(&secret)), "{text}");
    }

    #[test]
    fn a_damaged_file_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(folder.path());
        let (_, secret) = tokens.add(Role::Arbiter, "Ann").unwrap();
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() / 2]).unwrap();
        assert!(tokens.find(&secret).is_none());
        assert!(matches!(tokens.add(Role::Arbiter, "Bea"), Err(TokenError::Damaged { .. })));
        fs::write(&path, text).unwrap();
        assert!(tokens.find(&secret).is_some());
    }

    #[test]
    fn names_are_what_people_are_called_and_tokens_have_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(folder.path());
        for name in ["", "  ", "a\nb", &"x".repeat(65)] {
            assert!(matches!(tokens.add(Role::Operator, name), Err(TokenError::Name)), "{name:?}");
        }
        let one = |id: u64| Token {
            id: id.to_string(),
            role: Role::Operator,
            name: "Ann".to_owned(),
            sha256: String::new(),
            created_at: String::new(),
            revoked_at: None,
        };
        tokens.replace(&Contents { tokens: (1..=MOST as u64).map(one).collect() }).unwrap();
        assert!(matches!(tokens.add(Role::Operator, "Bea"), Err(TokenError::TooMany)));
        tokens.revoke("7").unwrap();
        assert_eq!(tokens.add(Role::Operator, "Bea").unwrap().0.id, "513");
        assert!(matches!(tokens.revoke("7"), Err(TokenError::Unknown(_))));
    }
}
