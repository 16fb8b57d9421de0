//! Games for virtual hands, of any variant: out of files, or made up.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};

use super::input;
use adoube_core::event::Player;
use adoube_rules::four::FourPlayer;
use adoube_rules::four::record::{self, Record};
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::{Chess, ChessPosition, GameKind, Position as _, Variant};
use adoube_sim::{Game, random_play};

/// The variant's name.
pub(super) const FOUR_PLAYER: &str = "four-player";

/// Games that are made up end here at the latest: longer than most that end in a mate.
const PLIES: usize = 400;

/// A game for virtual hands.
#[derive(Debug, Clone)]
pub(super) struct ToPlay<V: Variant = Chess> {
    pub(super) game: Game<V>,
    /// For messages.
    pub(super) title: String,
    /// Which game it is.
    pub(super) variant: GameKind,
    /// Where it starts, if that is not the usual array.
    pub(super) start: Option<String>,
    /// The value of its `TimeControl` tag.
    pub(super) time_control: Option<String>,
    /// White and Black.
    pub(super) players: [Player; 2],
    /// Red and Blue, where they play, too.
    pub(super) red_blue: Option<Box<[Player; 2]>>,
    /// It ends early, because of a move that cannot be.
    pub(super) is_cut: bool,
}

impl From<&PgnGame> for ToPlay {
    fn from(game: &PgnGame) -> Self {
        let player = |side: &str| Player {
            name: game.tag(side).map(str::to_owned),
            title: game.tag(&format!("{side}Title")).map(str::to_owned),
            elo: game.tag(&format!("{side}Elo")).and_then(|elo| elo.parse().ok()),
            ..Player::default()
        };
        Self {
            game: Game::from(game),
            title: game.title(),
            variant: if game.start.is_chess960() { GameKind::Chess960 } else { GameKind::Chess },
            start: (game.start != ChessPosition::default()).then(|| game.start.fen()),
            time_control: game.tag("TimeControl").map(str::to_owned),
            players: ["White", "Black"].map(player),
            red_blue: None,
            is_cut: game.fault.is_some(),
        }
    }
}

impl From<&Record> for ToPlay<FourPlayer> {
    fn from(record: &Record) -> Self {
        let start = record.start.fen();
        let player = |name: &str| Player { name: record.tag(name).map(str::to_owned), ..Player::default() };
        let is_named = ["Red", "White", "Blue", "Black"].iter().any(|name| record.tag(name).is_some());
        let event = || record.tag("Event").unwrap_or("without a name");
        Self {
            game: Game { start: record.start.clone(), moves: record.moves.clone(), result: record.result },
            title: if is_named { record.title() } else { format!("game {}", event()) },
            variant: GameKind::FourPlayer,
            start: (start != FourPlayer::array().fen()).then_some(start),
            time_control: record.tag("TimeControl").map(str::to_owned),
            players: ["White", "Black"].map(player),
            red_blue: Some(Box::new(["Red", "Blue"].map(player))),
            is_cut: false,
        }
    }
}

/// The games of PGN files.
pub(super) fn chess(files: &[PathBuf]) -> anyhow::Result<Vec<ToPlay>> {
    let mut all = Vec::new();
    for path in files {
        all.extend(input::games(path)?.iter().map(ToPlay::from));
    }
    Ok(all)
}

/// The records of a file of four-player games.
pub(super) fn records(path: &Path) -> anyhow::Result<Vec<Record>> {
    let mut text = String::new();
    let read = input::open(path)?.read_to_string(&mut text);
    read.with_context(|| path.display().to_string())?;
    let records = record::read(&text).map_err(|error| {
        let hint = if is_chess(&text) { "; this looks like chess: leave out --variant" } else { "" };
        anyhow!("{}: {error}{hint}", path.display())
    })?;
    if records.is_empty() {
        bail!("{}: no games found; this must be a file of four-player games", path.display());
    }
    Ok(records)
}

/// A text that begins with a game of chess, from which a move at least can be read.
fn is_chess(text: &str) -> bool {
    read_games(text.as_bytes()).is_ok_and(|games| games.first().is_some_and(|game| !game.moves.is_empty()))
}

/// So many four-player games, made up; the same seed gives the same games.
pub(super) fn made_up(count: usize, seed: u64) -> Vec<Record> {
    (0..count as u64).map(|number| made_up_game(number, seed)).collect()
}

/// The same, of those that end by themselves.
pub(super) fn made_up_to_the_end(count: usize) -> Vec<Record> {
    (0..).map(|number| made_up_game(number, 0)).filter(|game| game.result.is_some()).take(count).collect()
}

/// The Event tag is what `simulate` calls the capture.
fn made_up_game(number: u64, seed: u64) -> Record {
    let Game { start, moves, result } = random_play::<FourPlayer>(seed.wrapping_add(number), PLIES);
    let tags = vec![("Event".to_owned(), format!("g{number:03}"))];
    Record { line: 1, tags, start, moves, result }
}
