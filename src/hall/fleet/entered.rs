//! What was entered at the desk about boards: it lies in the state folder and outlives a restart. The configuration
//! file is never written.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::{Board, Config, ConfigError};

/// Its name in the state folder.
const NAME: &str = "boards.toml";

/// Boards that were entered; they stand before those of the configuration that have the same name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::hall) struct Entered {
    /// Boards of the configuration that were taken away.
    pub(super) removed: Vec<String>,
    /// Boards that were added or changed.
    #[serde(rename = "board")]
    pub(super) boards: Vec<Board>,
}

impl Entered {
    /// The file below `folder`.
    pub(super) fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    /// What was entered before; nothing if there is no file.
    pub(super) fn load(folder: &Path) -> Result<Self, ConfigError> {
        let path = Self::path(folder);
        let file = path.display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(text) => crate::config::parse_toml(&file, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ConfigError::Unreadable { file, reason: error.to_string() }),
        }
    }

    /// Writes it: the file is the old one or the new one, and never half of it.
    pub(super) fn store(&self, folder: &Path) -> std::io::Result<()> {
        let text = toml::to_string_pretty(self).map_err(std::io::Error::other)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        let head = "# Written by adoube: boards as they were entered at the desk.\n\n";
        file.write_all(head.as_bytes())?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(Self::path(folder)).map_err(|error| error.error)?;
        std::fs::File::open(folder)?.sync_all()
    }

    /// The board of that name.
    pub(super) fn board(&self, name: &str) -> Option<&Board> {
        self.boards.iter().find(|board| board.id == name)
    }

    /// `config` with what was entered.
    pub(super) fn over(&self, config: &Config) -> Config {
        let stands = |board: &&Board| !self.removed.contains(&board.id) && self.board(&board.id).is_none();
        let mut boards: Vec<Board> =
            config.boards.iter().filter(stands).chain(&self.boards).cloned().collect();
        boards.iter_mut().for_each(Board::onto_its_line);
        Config { boards, ..config.clone() }
    }

    /// The board is so from now on.
    pub(super) fn set(&mut self, name: &str, board: Board, config: &Config) {
        self.take(name, config);
        self.removed.retain(|removed| *removed != board.id);
        self.boards.push(board);
    }

    /// The board is gone from now on.
    pub(super) fn take(&mut self, name: &str, config: &Config) {
        self.boards.retain(|board| board.id != name);
        if config.boards.iter().any(|board| board.id == name)
            && !self.removed.iter().any(|removed| removed == name)
        {
            self.removed.push(name.to_owned());
        }
    }

    /// Where it says otherwise than the configuration, in words.
    pub(super) fn conflicts(&self, config: &Config, folder: &Path) -> Vec<String> {
        let path = Self::path(folder);
        let path = path.display();
        let names = config.boards.iter().map(|board| &board.id);
        let said = |name: &String| {
            if self.removed.contains(name) {
                return Some(format!(
                    "board {name} of the configuration was taken away at the desk ({path})"
                ));
            }
            self.board(name)?;
            Some(format!("board {name}: what was entered at the desk holds ({path}), not the configuration"))
        };
        names.filter_map(said).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config::parse("test.toml", text).unwrap()
    }

    #[test]
    fn what_is_entered_comes_back_and_stands_before_the_configuration() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Entered::load(folder.path()).unwrap(), Entered::default());
        let configured = config(
            "[[board]]\nid = \"1\"\nport = \"tcp://h:1\"\n[[board]]\nid = \"2\"\nport = \"tcp://h:2\"\ndraw_min_moves = 30\n",
        );
        let mut entered = Entered::default();
        let second = configured.boards[1].clone();
        entered.set("2", Board { id: "Saal 7".to_owned(), ..second.clone() }, &configured);
        entered.take("1", &configured);
        entered.store(folder.path()).unwrap();
        let again = Entered::load(folder.path()).unwrap();
        assert_eq!(again, entered);
        assert_eq!(again.over(&configured).boards, [Board { id: "Saal 7".to_owned(), ..second.clone() }]);
        assert_eq!(again.conflicts(&configured, folder.path()).len(), 2);
        // Entered again, it is there again.
        entered.set("2", second, &configured);
        assert_eq!(entered.removed, ["1"]);
    }

    #[test]
    fn a_file_that_is_damaged_says_where() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(NAME), "removed = []\n[[board]]\nport = \"auto\"\n").unwrap();
        let error = Entered::load(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("boards.toml:2: the key \"id\" is missing"), "{error}");
    }
}
