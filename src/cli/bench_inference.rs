//! `adoube bench inference`: how right and how soon moves are read, and what one core takes.
//!
//! `kind` is a kind of hands, board and clock, `stream` what one board said in one game with the truth
//! about it; `score` holds what was read against that truth, `speed` measures the core, `print` writes
//! the figures.

mod kind;
mod print;
mod score;
mod speed;
mod stream;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum, value_parser};
use indicatif::ProgressBar;

use super::Answer;
use super::input::progress;
use super::to_play::{self, FOUR_PLAYER, ToPlay};
use adoube_core::station::{Announce, PublishAt};
use adoube_rules::pgn::read_games;
use adoube_rules::words::{self, UnknownWord};
use adoube_rules::{Chess, four::FourPlayer};
use adoube_sim::{Manner, Noise};
use kind::{Kind, entries};
use print::Row;
use score::Figures;
use stream::{Measured, Stream};

/// Where no file is named: the games of the demonstration.
const GAMES: &str = include_str!("../demo/games.pgn");

/// So many four-player games are made up where nobody says how many.
const FOUR_PLAYER_GAMES: usize = 20;

/// How right and how soon moves are read, and how much one core reads in a second
///
/// Simulated hands play the games before boards that look every 50 ms (`--scan-ms`). A row of the table is one kind
/// of hands, board and clock; the figures are the games whose whole list of moves is right in the end,
/// the plies right from the start of the game, wrong moves ever published and withdrawals for each
/// thousand plies, and p50 / p95 / p99 of three latencies in milliseconds: from the rest of the last
/// piece to the right move being published (kings arriving on d4, e4, d5 or e5 apart), and from the
/// press to the move being completed.
///
/// A second table is of light hands before boards with one square that is dead, dies later, sees a man who
/// is not there, or flickers: games begun, those in which it mattered and was named, others that were.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube bench inference\n  adoube bench inference --games round-5.pgn --level heavy --announce all\n  adoube bench inference --frames recordings/ --json\n  adoube bench inference --variant four-player --limit 200"
)]
pub(super) struct BenchInference {
    /// chess or four-player
    #[arg(long, value_name = "VARIANT", default_value = "chess")]
    variant: String,
    /// Games, or folders of PGN files (else the games of the demonstration; four-player games are made up)
    #[arg(long, value_name = "PGN|DIR")]
    games: Vec<PathBuf>,
    /// Captures with truth.json beside them, or a folder of such folders, instead of simulated hands
    #[arg(long, value_name = "DIR", conflicts_with_all = ["games", "boards", "seed", "only"])]
    frames: Option<PathBuf>,
    /// Only the first N games
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Boards of each row; games are played again by other hands where there are fewer
    #[arg(long, value_name = "N")]
    boards: Option<NonZeroUsize>,
    /// How the hands behave; sick: light hands before boards with one square that lies
    #[arg(long, default_value = "all", value_name = "LEVEL")]
    level: Level,
    /// What the board's sensors tell
    #[arg(long, default_value = "all", value_name = "VIEW")]
    view: View,
    /// Whether a clock is pressed
    #[arg(long, default_value = "all", value_name = "CLOCK")]
    clock: WithClock,
    /// How often the board looks; boards on the market take up to half a second
    #[arg(long, default_value_t = adoube_sim::SCAN_MS, value_parser = value_parser!(u64).range(adoube_sim::SCAN_MS..=1_000), value_name = "MS")]
    scan_ms: u64,
    /// How soon moves are announced
    #[arg(long, default_value = "balanced", value_name = "POLICY")]
    announce: Policy,
    /// Which moves are published
    #[arg(long, value_parser = publish_at, default_value = "made", value_name = "made|completed")]
    publish_at: PublishAt,
    /// The same seed gives the same hands
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Measure only one of the two
    #[arg(long, value_name = "WHAT")]
    only: Option<Only>,
    /// A JSON object for each row
    #[arg(long)]
    json: bool,
    /// Name the games that did not come out right, or of which more was said than true, and where they part from what was
    /// played
    #[arg(long, conflicts_with = "json")]
    missed: bool,
    /// Write captures of these games, to go through with `replay`
    #[arg(long, value_name = "DIR", conflicts_with = "frames")]
    keep: Option<PathBuf>,
    /// Tables as documents hold them
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Level {
    Clean,
    Light,
    Heavy,
    Sick,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum View {
    Identity,
    Occupancy,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WithClock {
    With,
    Without,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Policy {
    Fast,
    Balanced,
    Careful,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    Speed,
    Accuracy,
}

impl BenchInference {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        match self.variant.as_str() {
            "chess" => self.bench(|| self.chess_games()),
            FOUR_PLAYER => self.bench(|| self.four_player_games()),
            other => bail!("--variant {other}: this version measures chess and {FOUR_PLAYER}"),
        }
    }

    fn bench<V: Measured>(
        &self,
        games: impl Fn() -> anyhow::Result<Vec<ToPlay<V>>>,
    ) -> anyhow::Result<Answer> {
        if let Some(folder) = &self.frames {
            let kinds: Vec<Kind<V>> = self.recorded(folder)?;
            self.show_accuracy(&kinds, &[])?;
            return Ok(Answer::Yes);
        }
        let mut games = games()?;
        games.retain(|game| !game.game.moves.is_empty());
        games.truncate(self.limit.map_or(usize::MAX, NonZeroUsize::get));
        if games.is_empty() {
            bail!("the games have no moves");
        }
        if self.only != Some(Only::Accuracy) {
            self.show_speed(&games);
        }
        if self.only.is_none() && !self.json {
            println!();
        }
        if self.only != Some(Only::Speed) {
            let kinds: Vec<Kind<V>> =
                Kind::simulated(self.scan_ms).into_iter().filter(|kind| self.wants(kind)).collect();
            self.show_accuracy(&kinds, &games)?;
        }
        Ok(Answer::Yes)
    }

    fn chess_games(&self) -> anyhow::Result<Vec<ToPlay<Chess>>> {
        if self.games.is_empty() {
            return Ok(read_games(GAMES.as_bytes())?.iter().map(ToPlay::from).collect());
        }
        to_play::chess(&self.files()?)
    }

    fn four_player_games(&self) -> anyhow::Result<Vec<ToPlay<FourPlayer>>> {
        if self.games.is_empty() {
            let count = self.limit.map_or(FOUR_PLAYER_GAMES, NonZeroUsize::get);
            return Ok(to_play::made_up(count, 0).iter().map(ToPlay::from).collect());
        }
        let mut all = Vec::new();
        for file in self.files()? {
            all.extend(to_play::records(&file)?.iter().map(ToPlay::from));
        }
        Ok(all)
    }

    /// The files that were named, and those of the folders.
    fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        for path in &self.games {
            all.extend(pgn_files(path)?);
        }
        Ok(all)
    }

    /// What one core takes does not depend on who plays: the hands are light, and there is no clock.
    fn show_speed<V: Measured>(&self, games: &[ToPlay<V>]) {
        let views: Vec<bool> = [false, true].into_iter().filter(|&view| self.has_view(view)).collect();
        let bar = progress((views.len() * 2 * speed::ROUNDS) as u64, "measuring the speed");
        let speeds: Vec<(&str, speed::Speed)> = views
            .into_iter()
            .map(|is_occupancy| {
                let streams: Vec<Stream<V>> = (self.seed..)
                    .zip(games)
                    .map(|(seed, game)| {
                        let manner = Manner { noise: Noise::Light, seed, clock: false, signal_result: false };
                        Stream::simulated(game, manner, (is_occupancy, self.scan_ms), None)
                    })
                    .collect();
                (print::board(is_occupancy), speed::measure(&streams, speed::CHANGES_MIN, &bar))
            })
            .collect();
        bar.finish_and_clear();
        if self.json {
            speeds.iter().for_each(|&(board, speed)| println!("{}", print::speed_json(board, speed)));
        } else {
            self.show(&print::speed_grid(&speeds));
        }
    }

    fn show_accuracy<V: Measured>(&self, kinds: &[Kind<V>], games: &[ToPlay<V>]) -> anyhow::Result<()> {
        let rows = self.measure(kinds, games)?;
        if self.json {
            rows.iter().for_each(|row| println!("{}", print::accuracy_json(row)));
        } else {
            let missed: String =
                if self.missed { rows.iter().map(print::missed).collect() } else { String::new() };
            let (sick, healthy): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.is_sick);
            if !healthy.is_empty() {
                self.show(&print::accuracy_grid(&healthy));
            }
            if !healthy.is_empty() && !sick.is_empty() {
                println!();
            }
            if !sick.is_empty() {
                self.show(&print::sick_grid(&sick));
            }
            if !missed.is_empty() {
                print!("\n{missed}");
            }
        }
        Ok(())
    }

    fn show(&self, grid: &print::Grid) {
        print!("{}", if self.markdown { grid.markdown() } else { grid.text() });
    }

    /// Each kind under each policy, all streams of it together.
    fn measure<V: Measured>(&self, kinds: &[Kind<V>], games: &[ToPlay<V>]) -> anyhow::Result<Vec<Row>> {
        let boards = self.boards.map_or(games.len(), NonZeroUsize::get);
        let jobs: Vec<(&Kind<V>, usize)> =
            kinds.iter().flat_map(|kind| (0..kind.count(boards)).map(move |index| (kind, index))).collect();
        if let Some(folder) = &self.keep {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let bar = progress(jobs.len() as u64, "reading games");
        let measured = in_parallel(&jobs, &bar, |&(kind, index)| {
            let stream = kind.stream(index, games, self.seed);
            let figures = |&announce: &Announce| -> anyhow::Result<Figures> {
                Ok(Figures::of(&stream.truth, stream.said(announce)?, self.publish_at))
            };
            let figures: Vec<Figures> = self.announce.each().iter().map(figures).collect::<Result<_, _>>()?;
            if let Some(folder) = self.keep.as_ref().filter(|_| figures.iter().any(Figures::is_missed)) {
                let path = folder.join(kind.file_name(index));
                std::fs::write(&path, stream.capture()).with_context(|| path.display().to_string())?;
            }
            anyhow::Ok(figures)
        });
        bar.finish_and_clear();
        let mut measured = measured.into_iter();
        let mut rows = Vec::new();
        for kind in kinds {
            let policies = self.announce.each();
            let mut sums = vec![Figures::default(); policies.len()];
            for figures in measured.by_ref().take(kind.count(boards)) {
                sums.iter_mut().zip(figures?).for_each(|(sum, figures)| sum.add(figures));
            }
            rows.extend(policies.iter().zip(sums).map(|(&announce, figures)| Row {
                hands: kind.hands.clone(),
                is_occupancy: kind.is_occupancy,
                has_clock: kind.has_clock,
                is_sick: kind.is_sick(),
                announce,
                publish_at: self.publish_at,
                figures,
            }));
        }
        Ok(rows)
    }

    fn recorded<V: Measured>(&self, folder: &Path) -> anyhow::Result<Vec<Kind<V>>> {
        let mut kinds = Kind::recorded(folder, self.limit.map_or(usize::MAX, NonZeroUsize::get))?;
        kinds.retain(|kind| self.wants(kind));
        if kinds.is_empty() {
            bail!("{}: none of the recordings is of the kind that the options ask for", folder.display());
        }
        Ok(kinds)
    }

    fn wants<V: Measured>(&self, kind: &Kind<V>) -> bool {
        let level = match self.level {
            Level::All => true,
            Level::Clean => kind.hands == "clean",
            Level::Light => kind.hands == "light",
            Level::Heavy => kind.hands == "heavy",
            Level::Sick => kind.is_sick(),
        };
        let clock = match self.clock {
            WithClock::All => true,
            WithClock::With => kind.has_clock,
            WithClock::Without => !kind.has_clock,
        };
        level && clock && self.has_view(kind.is_occupancy)
    }

    fn has_view(&self, is_occupancy: bool) -> bool {
        match self.view {
            View::All => true,
            View::Identity => !is_occupancy,
            View::Occupancy => is_occupancy,
        }
    }
}

impl Policy {
    fn each(self) -> &'static [Announce] {
        match self {
            Self::Fast => &[Announce::Fast],
            Self::Balanced => &[Announce::Balanced],
            Self::Careful => &[Announce::Careful],
            Self::All => &[Announce::Fast, Announce::Balanced, Announce::Careful],
        }
    }
}

fn publish_at(text: &str) -> Result<PublishAt, UnknownWord> {
    words::read("publish-at", text)
}

/// Does `job` for each of `all` on every core; the results stand in the order of `all`.
fn in_parallel<J: Sync, R: Send>(all: &[J], bar: &ProgressBar, job: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(all.len()));
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(all.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(one) = all.get(index) else { break };
                    let result = job(one);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                    bar.inc(1);
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The file itself, or the PGN files of a folder.
fn pgn_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = entries(path)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "pgn"));
    if files.is_empty() {
        bail!("{}: no PGN files in this folder", path.display());
    }
    Ok(files)
}
