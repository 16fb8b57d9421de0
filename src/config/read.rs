//! Finds and reads a configuration, and says what is wrong with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use serde::de::DeserializeOwned;

use super::check::Fault;
use super::{Board, Config, Tournament, Web};
use adoube_rules::spelling::nearest;

/// Where the service's state directory is: systemd's place for `StateDirectory=adoube`.
const SERVICE: &str = "/var/lib/adoube";

/// The name of the configuration file.
const FILE: &str = "adoube.toml";

/// What is wrong with a configuration, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{file}: {reason}")]
    Unreadable {
        /// Its name.
        file: String,
        /// Why.
        reason: String,
    },
    /// Something in it is wrong.
    #[error("{file}:{line}: {what}")]
    Wrong {
        /// Its name.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// `--set` is wrong.
    #[error("--set {key}={value}: {what}")]
    Set {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What is wrong.
        what: String,
    },
    /// There is no place for the journal.
    #[error("no place for the journal: set [journal] path, $STATE_DIRECTORY, $XDG_STATE_HOME or $HOME")]
    NoState,
}

impl Config {
    /// Reads the configuration: the file given, else `$CONFIGURATION_DIRECTORY/adoube.toml`, else the user's own
    /// (`$XDG_CONFIG_HOME/adoube/adoube.toml`, `~/.config/adoube/adoube.toml`), else `/etc/adoube/adoube.toml`, else
    /// the one in the service's state folder, where the desk writes it, else the defaults. A commented file as it was
    /// installed stands behind any other. Also gives the file that was read.
    ///
    /// # Errors
    /// [`ConfigError`] if the file cannot be read or is wrong.
    pub fn load(given: Option<&Path>) -> Result<(Self, Option<PathBuf>), ConfigError> {
        let Some((path, text)) = text(given)? else { return Ok((Self::default(), None)) };
        Ok((Self::parse(&path.display().to_string(), &text)?, Some(path)))
    }

    /// Where the configuration is still to be written: nobody has, or the file is the commented one as it came.
    /// `None`: somebody has, or there is no folder of ours.
    #[must_use]
    pub fn unwritten(given: Option<&Path>) -> Option<PathBuf> {
        Self::unwritten_in(given, |name| std::env::var_os(name))
    }

    fn unwritten_in(given: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        if given.is_some() {
            return None;
        }
        find(None, &variable).is_none_or(|path| is_as_it_came(&path)).then(|| own_place(&variable)).flatten()
    }

    /// Reads `[web]` as [`Config::load`] does, but asks for no certificate: for who is about to make one.
    ///
    /// # Errors
    /// [`ConfigError`] if the file cannot be read or is no configuration.
    pub fn load_web(given: Option<&Path>) -> Result<Web, ConfigError> {
        let Some((path, text)) = text(given)? else { return Ok(Web::default()) };
        Ok(Self::unchecked(&path.display().to_string(), &text)?.web)
    }

    /// Reads `text`; `file` is its name in errors.
    ///
    /// # Errors
    /// [`ConfigError::Wrong`] with the first thing that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        let mut config = Self::unchecked(file, text)?;
        config.check().map_err(|Fault { key, nth, what }| {
            let line = line_of(text, &key, nth);
            ConfigError::Wrong { file: file.to_owned(), line, what }
        })?;
        config.boards.iter_mut().for_each(Board::onto_its_line);
        Ok(config)
    }

    fn unchecked(file: &str, text: &str) -> Result<Self, ConfigError> {
        parse_toml(file, text)
    }

    /// What is wrong with it that no single value shows; `None` if nothing is.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.check().err().map(|fault| fault.what)
    }

    /// Sets a key of `[tournament]`, as `--set KEY=VALUE` does. The value is TOML, or a plain text.
    ///
    /// # Errors
    /// [`ConfigError::Set`] if there is no such key, or it cannot have that value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ConfigError> {
        let wrong = |what| ConfigError::Set { key: key.to_owned(), value: value.to_owned(), what };
        let with = |value: toml::Value| -> Result<Tournament, String> {
            let mut table = toml::Table::try_from(&self.tournament).map_err(|error| error.to_string())?;
            table.insert(key.to_owned(), value);
            table.try_into().map_err(|error: toml::de::Error| explained(error.message(), None))
        };
        let text = toml::Value::String(value.to_owned());
        let tournament = match toml::from_str::<toml::Table>(&format!("value = {value}")) {
            // A name may look like a number.
            Ok(mut table) => {
                let parsed = table.remove("value").unwrap_or_else(|| text.clone());
                with(parsed).or_else(|error| with(text).map_err(|_| error))
            }
            Err(_) => with(text),
        };
        let mut config = self.clone();
        config.tournament = tournament.map_err(wrong)?;
        config.check().map_err(|fault| wrong(fault.what))?;
        *self = config;
        Ok(())
    }

    /// Where the journal lies: `[journal] path`, else `$STATE_DIRECTORY`, else
    /// `$XDG_STATE_HOME/adoube`; when that is not set, the service's folder for those who may enter it
    /// (root, who wants to see what the service has), else `~/.local/state/adoube`.
    ///
    /// # Errors
    /// [`ConfigError::NoState`] if nothing of that is known.
    pub fn state_directory(&self) -> Result<PathBuf, ConfigError> {
        self.state_directory_in(Path::new(SERVICE), |name| std::env::var_os(name)).ok_or(ConfigError::NoState)
    }

    fn state_directory_in(
        &self,
        service: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Option<PathBuf> {
        let ours = || std::fs::read_dir(service).is_ok().then(|| service.to_owned());
        let home = || Some(PathBuf::from(variable("HOME")?).join(".local/state/adoube"));
        self.journal
            .path
            .clone()
            .or_else(|| service_state(&variable))
            .or_else(|| Some(PathBuf::from(variable("XDG_STATE_HOME")?).join("adoube")))
            .or_else(ours)
            .or_else(home)
    }
}

/// Reads `text`; `file` is its name in errors.
///
/// # Errors
/// [`ConfigError::Wrong`] with the first thing that is wrong.
pub(crate) fn parse_toml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let what = explained(error.message(), section_at(text, at));
        ConfigError::Wrong { file: file.to_owned(), line: line_at(text, at), what }
    })
}

/// The configuration file to read, and what is in it.
fn text(given: Option<&Path>) -> Result<Option<(PathBuf, String)>, ConfigError> {
    let Some(path) = find(given, |name| std::env::var_os(name)) else { return Ok(None) };
    let text = std::fs::read_to_string(&path).map_err(|error| ConfigError::Unreadable {
        file: path.display().to_string(),
        reason: error.to_string(),
    })?;
    Ok(Some((path, text)))
}

/// The configuration file to read.
fn find(given: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(given) = given {
        return Some(given.to_owned());
    }
    let own = [service_folder(&variable), own_folder(&variable)].into_iter().flatten();
    let state = service_state(&variable).unwrap_or_else(|| PathBuf::from(SERVICE));
    let folders = own.chain([PathBuf::from("/etc/adoube"), state]);
    let mut there = folders.map(|folder| folder.join(FILE)).filter(|path| path.exists());
    let first = there.next()?;
    // The commented one as it was installed, by this version or an earlier one, says nothing.
    if says_nothing(&first) { there.find(|path| !says_nothing(path)).or(Some(first)) } else { Some(first) }
}

/// Where a configuration would be written, and found from then on. A service may not write where its configuration
/// is as a rule, but has a folder of its own.
fn own_place(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let first = service_folder(&variable).or_else(|| own_folder(&variable))?;
    let places = [Some(first.clone()), service_state(&variable)].into_iter().flatten();
    let place = places.map(|folder| folder.join(FILE)).find(|file| unwritable(file).is_none());
    place.or_else(|| Some(first.join(FILE)))
}

/// Why a file cannot be written there, as far as that shows before it is tried.
pub(crate) fn unwritable(file: &Path) -> Option<std::io::Error> {
    let nearest = file.ancestors().skip(1).find(|folder| folder.exists())?;
    access(nearest, Access::WRITE_OK | Access::EXEC_OK).err().map(Into::into)
}

/// Does it leave everything as it is without a configuration?
fn says_nothing(path: &Path) -> bool {
    let text = std::fs::read_to_string(path);
    text.is_ok_and(|text| Config::parse("", &text).is_ok_and(|config| config == Config::default()))
}

/// Is it the commented file that comes with adoube?
fn is_as_it_came(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text == super::DEFAULT_TOML)
}

/// The folder that the service manager gives for what is kept.
fn service_state(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    variable("STATE_DIRECTORY").and_then(first_folder)
}

/// The folder that the service manager gives.
fn service_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    variable("CONFIGURATION_DIRECTORY").and_then(first_folder)
}

/// The user's own folder.
fn own_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // A path that is not absolute is none, says the XDG specification.
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(folder("HOME")?.join(".config"));
    Some(folder("XDG_CONFIG_HOME").or_else(home)?.join("adoube"))
}

/// The first of the folders that systemd gives, with colons between them.
fn first_folder(value: OsString) -> Option<PathBuf> {
    std::env::split_paths(&value).next().filter(|path| !path.as_os_str().is_empty())
}

/// What the TOML reader says, in the words of the file. It puts names between backticks: first the
/// one that it found, then those that it knows.
fn explained(message: &str, section: Option<&str>) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let first = names.next().unwrap_or_default();
    if message.starts_with("unknown field") {
        let place = section.map_or_else(String::new, |section| format!(" in {section}"));
        format!("unknown key \"{first}\"{place}; did you mean \"{}\"?", nearest(first, names))
    } else if message.starts_with("unknown variant") {
        let known: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        format!("unknown value \"{first}\"; use one of {}", known.join(", "))
    } else if message.starts_with("missing field") {
        format!("the key \"{first}\" is missing")
    } else if let Some((found, expected)) = mistyped(message) {
        format!("{found} cannot stand here; write {expected}")
    } else {
        match message.lines().next().unwrap_or_default() {
            "invalid socket address syntax" => "that is no ADDRESS:PORT, such as 127.0.0.1:8064".to_owned(),
            "duplicate key" => "the key stands above already; keep one of the two".to_owned(),
            text if text.starts_with("string values must be quoted") => {
                "a text stands in quotes, as in name = \"Open\"".to_owned()
            }
            other => other.to_owned(),
        }
    }
}

/// What was found in the place of something else, and what that is in an operator's words.
fn mistyped(message: &str) -> Option<(String, &'static str)> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.lines().next()?.rsplit_once(", expected ")?;
    // `string "15 min"`, ``integer `-1` ``: the value itself is enough.
    let value = found.split_once(' ').map_or(found, |(_, value)| value).replace('`', "");
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number without quotes, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number without quotes",
        "a boolean" => "true or false, without quotes",
        "a string" => "a text in quotes",
        "a sequence" => "a list in square brackets",
        _ => return None,
    };
    Some((value, expected))
}

/// The line of the byte `at`, from 1.
fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

/// The section in which the byte `at` lies.
fn section_at(text: &str, at: usize) -> Option<&str> {
    let before = text.lines().take(line_at(text, at) - 1);
    before.map(str::trim).filter(|line| line.starts_with('[')).last()
}

/// The line that is the `nth` to begin with `key`, from 1; the first line if there is none.
fn line_of(text: &str, key: &str, nth: usize) -> usize {
    // `public` is not `public_tls`.
    let is_it = |line: &str| {
        let rest = line.trim_start().strip_prefix(key);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    };
    let lines = text.lines().enumerate().filter(|(_, line)| is_it(line));
    lines.map(|(at, _)| at + 1).nth(nth).unwrap_or(1)
}

#[cfg(test)]
mod tests;
