//! `adoube simulate`: games played by virtual hands on virtual boards.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use serde_json::{Map, Value};

use super::Answer;
use super::input::progress;
use super::to_play::{self, FOUR_PLAYER, ToPlay};
use adoube_core::capture::{Header, Item, Line};
use adoube_core::station::FRAMES;
use adoube_core::wire::dgt::bus;
use adoube_rules::four::FourPlayer;
use adoube_rules::four::record::{self, Record};
use adoube_rules::sensor::Reading;
use adoube_rules::stamp::MS;
use adoube_rules::{Chess, GameKind, Variant};
use adoube_sim::bus::Chain;
use adoube_sim::{BoardConfig, ClockSetting, Direction, Manner, Noise, VirtualBoard};

/// Play games by virtual hands on virtual boards
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube simulate games.pgn --noise light --seed 7 --out captures/\n  adoube simulate games.pgn --listen tcp://127.0.0.1:9000\n  adoube simulate games.pgn --protocol dgt-bus --listen tcp://127.0.0.1:9000\n  adoube simulate --variant four-player --games 5 --occupancy --out captures/"
)]
pub(super) struct Simulate {
    /// PGN files, or records of four-player games
    #[arg(value_name = "PGN")]
    files: Vec<PathBuf>,
    /// Make up so many games instead, of players who know little but the rules (four-player)
    #[arg(long, value_name = "N", conflicts_with = "files")]
    games: Option<NonZeroU16>,
    /// What the board speaks: dgt, chesslink, certabo, sentio, open; or frames for whole neutral frames
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<String>,
    /// How the hands behave: clean, light or heavy
    #[arg(long, default_value = "light", value_name = "LEVEL")]
    noise: Noise,
    /// The same seed gives the same hands
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Play so many times as fast (not for --out, which takes no time)
    #[arg(long, default_value_t = 1.0, value_name = "X")]
    speed: f64,
    /// Write captures: a file for one game, a folder for several
    #[arg(long, value_name = "FILE", group = "where")]
    out: Option<PathBuf>,
    /// Be boards on TCP; the n-th game is on PORT + n − 1 (dgt-bus: all on one line at PORT)
    #[arg(long, value_name = "tcp://ADDR:PORT", group = "where")]
    listen: Option<String>,
    /// Be a board on a pseudo-terminal, of which LINK is the name
    #[arg(long, value_name = "LINK", group = "where")]
    pty: Option<PathBuf>,
    /// A board that only feels whether something stands on a square (frames, open)
    #[arg(long)]
    occupancy: bool,
    /// No clock beside the board
    #[arg(long)]
    no_clock: bool,
    /// The board lies turned by so many degrees
    #[arg(long, value_name = "180", default_value_t = 0)]
    turned: u32,
    /// Chance that a message suffers on the line, 0 to 1
    #[arg(long, value_name = "RATE", default_value_t = 0.0)]
    faults: f64,
    /// chess, chess960 (a game's own Variant tag goes first) or four-player
    #[arg(long, value_name = "VARIANT")]
    variant: Option<String>,
    /// Clock setting in seconds, e.g. 180+2 (else the game's TimeControl, else 5400+30)
    #[arg(long, value_name = "BASE+INCREMENT")]
    time_control: Option<String>,
    /// Put the kings on the centre squares at the end, as players tell the result
    #[arg(long)]
    signal_result: bool,
}

/// Used where a game does not say: the usual control of long games.
const TIME_CONTROL: &str = "5400+30";

/// The moves of games that were made up, in the folder of their captures; of one file `NAME.truth.pgn`.
const TRUTH_RECORD: &str = "truth.pgn";

/// When simulated recordings begin; a fixed date keeps them reproducible.
const STARTED: &str = "2026-05-01T10:00:00Z";

impl Simulate {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        if self.is_four_player() {
            self.validate::<FourPlayer>()?;
            let records = self.records()?;
            let games: Vec<ToPlay<FourPlayer>> = records.iter().map(ToPlay::from).collect();
            self.play(&games)?;
            if let (Some(out), true) = (&self.out, self.files.is_empty()) {
                let is_single = out.is_file();
                let path = if is_single { out.with_extension(TRUTH_RECORD) } else { out.join(TRUTH_RECORD) };
                std::fs::write(&path, records.iter().map(record::write).collect::<String>())
                    .with_context(|| path.display().to_string())?;
            }
            return Ok(Answer::Yes);
        }
        self.validate::<Chess>()?;
        let games = to_play::chess(&self.files)?;
        self.play(&games)?;
        if games.iter().any(|game| game.is_cut) {
            bail!("some games end early because of a move that cannot be played (see above)");
        }
        Ok(Answer::Yes)
    }

    fn is_four_player(&self) -> bool {
        self.variant.as_deref() == Some(FOUR_PLAYER)
    }

    /// The four-player games to be played.
    fn records(&self) -> anyhow::Result<Vec<Record>> {
        if self.files.is_empty() {
            return Ok(to_play::made_up(self.games.map_or(1, NonZeroU16::get).into(), self.seed));
        }
        let mut all = Vec::new();
        for path in &self.files {
            all.extend(to_play::records(path)?);
        }
        Ok(all)
    }

    fn play<V: Variant>(&self, games: &[ToPlay<V>]) -> anyhow::Result<()> {
        match &self.out {
            Some(out) => self.write(games, out),
            None => self.serve(games),
        }
    }

    fn validate<V: Variant>(&self) -> anyhow::Result<()> {
        self.variant.as_deref().map(str::parse::<GameKind>).transpose()?;
        if self.games.is_some() && !self.is_four_player() {
            bail!("--games: only four-player games are made up; name PGN files of chess");
        }
        if self.signal_result && self.is_four_player() {
            bail!("--signal-result: the four-player game has no places of the kings that tell a result");
        }
        if self.files.is_empty() && !self.is_four_player() {
            bail!("name the PGN files to be played (four-player games can be made up: --games N)");
        }
        if self.out.is_none() && self.listen.is_none() && self.pty.is_none() {
            bail!("say where to: --out FILE, --listen tcp://ADDR:PORT or --pty LINK");
        }
        let model = adoube_sim::model(self.protocol());
        if model.is_none() && self.protocol() != FRAMES {
            let names: Vec<&str> = adoube_sim::MODELS.iter().map(|model| model.protocol).collect();
            let names = names.join(", ");
            bail!("protocol \"{}\" is not known; this version simulates {names} and frames", self.protocol());
        }
        if let Some(model) = model.filter(|model| !model.squares.contains(&V::SQUARES)) {
            bail!(
                "no {} board has the {} squares of this game; use --protocol open or frames",
                model.protocol,
                V::SQUARES
            );
        }
        if self.occupancy && model.is_some_and(|model| model.names_men == Some(true)) {
            bail!("a {} board names its pieces; use --protocol frames with --occupancy", self.protocol());
        }
        if !matches!(self.turned, 0 | 180) {
            bail!("--turned {}: a board stands at 0 or 180 degrees", self.turned);
        }
        if !(0.0..=1.0).contains(&self.faults) {
            bail!("--faults {}: a rate lies between 0 and 1", self.faults);
        }
        if !self.speed.is_finite() || self.speed <= 0.0 {
            bail!("--speed {}: must be more than 0", self.speed);
        }
        if self.protocol() == FRAMES && self.out.is_none() {
            bail!("frames have no bytes; write them with --out, or use --protocol {}", self.usual_protocol());
        }
        Ok(())
    }

    fn protocol(&self) -> &str {
        let is_chess = !self.is_four_player();
        let usual = if self.occupancy && is_chess { FRAMES } else { self.usual_protocol() };
        self.protocol.as_deref().unwrap_or(usual)
    }

    fn usual_protocol(&self) -> &'static str {
        if self.is_four_player() { "open" } else { "dgt" }
    }

    fn write<V: Variant>(&self, games: &[ToPlay<V>], out: &Path) -> anyhow::Result<()> {
        // Games that were made up go into a folder with their moves, unless the name is that of a file.
        let names_file = !self.files.is_empty() || out.extension().is_some();
        let is_single = games.len() == 1 && !out.is_dir() && names_file;
        if !is_single {
            std::fs::create_dir_all(out).with_context(|| out.display().to_string())?;
        }
        let bar = progress(games.len() as u64, "simulating");
        let mut truths = Map::new();
        for (index, game) in games.iter().enumerate() {
            let name = format!("g{index:03}");
            let path = if is_single { out.to_owned() } else { out.join(format!("{name}.jsonl")) };
            let (lines, truth) = self.capture(game, index, &name)?;
            write_lines(&path, &lines).with_context(|| path.display().to_string())?;
            truths.insert(name, truth);
            bar.inc(1);
        }
        bar.finish_and_clear();
        if !is_single {
            let path = out.join("truth.json");
            std::fs::write(&path, Value::Object(truths).to_string())
                .with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// The lines of a capture of one game, and what really happened in it.
    fn capture<V: Variant>(
        &self,
        game: &ToPlay<V>,
        index: usize,
        name: &str,
    ) -> anyhow::Result<(Vec<String>, Value)> {
        let setting = self.clock(game)?;
        let header = Header {
            board: name.to_owned(),
            protocol: self.protocol().to_owned(),
            started_utc_ns: adoube_rules::stamp::Stamp::parse_utc(STARTED).unwrap_or(0),
            variant: (game.variant != GameKind::Chess).then_some(game.variant),
            start: game.start.clone(),
            time_control: setting.map(|_| self.time_control(game).to_owned()),
            turned: (self.turned == 180 && self.occupancy).then_some(180),
            ..Header::default()
        };
        let mut lines = vec![header.to_line()];
        let seed = self.seed.wrapping_add(index as u64);
        if adoube_sim::model(self.protocol()).is_some() {
            let recording = adoube_sim::record(&game.game, self.config(setting, seed, index));
            lines.extend(recording.chunks.into_iter().map(|chunk| {
                let item = match chunk.direction {
                    Direction::FromBoard => Item::Received(chunk.bytes),
                    Direction::ToBoard => Item::Sent(chunk.bytes),
                };
                line(chunk.t_ms, item)
            }));
            return Ok((lines, recording.truth));
        }
        let manner =
            Manner { noise: self.noise, seed, clock: setting.is_some(), signal_result: self.signal_result };
        let performance = adoube_sim::perform(&game.game, manner);
        let view = adoube_sim::View { occupancy: self.occupancy, turned: self.turned == 180 };
        let frames = adoube_sim::frames(&game.game, &performance, view)
            .into_iter()
            .map(|(t_ms, frame)| (t_ms, Reading::Frame(frame)));
        let clock =
            setting.map(|setting| adoube_sim::clock_readings(&performance, setting)).unwrap_or_default();
        let clock = clock.into_iter().map(|(t_ms, reading)| (t_ms, Reading::Clock(Some(reading))));
        let mut all: Vec<(f64, Reading)> = frames.chain(clock).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.extend(all.into_iter().filter_map(|(t_ms, reading)| match reading {
            Reading::Frame(frame) => Some(line(t_ms, Item::Frame(frame))),
            Reading::Clock(reading) => Some(line(t_ms, Item::Clock(reading))),
            Reading::Square { .. } => None,
        }));
        Ok((lines, performance.truth.iter().map(|ply| ply.to_json(0)).collect()))
    }

    pub(super) fn config(&self, clock: Option<ClockSetting>, seed: u64, index: usize) -> BoardConfig {
        BoardConfig {
            protocol: adoube_sim::model(self.protocol()).map_or("dgt", |model| model.protocol),
            occupancy: self.occupancy,
            noise: self.noise,
            seed,
            serial: 10_001 + u32::try_from(index).unwrap_or(0),
            turned: self.turned == 180,
            clock,
            signal_result: self.signal_result,
            fault_rate: self.faults,
            ..BoardConfig::default()
        }
    }

    fn time_control<'a, V: Variant>(&'a self, game: &'a ToPlay<V>) -> &'a str {
        let of_game = || game.time_control.as_deref().filter(|text| text.parse::<ClockSetting>().is_ok());
        self.time_control.as_deref().or_else(of_game).unwrap_or(TIME_CONTROL)
    }

    fn clock<V: Variant>(&self, game: &ToPlay<V>) -> anyhow::Result<Option<ClockSetting>> {
        if self.no_clock {
            return Ok(None);
        }
        let text = self.time_control(game);
        text.parse().map(Some).map_err(|error| anyhow!("--time-control {text}: {error}"))
    }

    #[tokio::main]
    async fn serve<V: Variant>(&self, games: &[ToPlay<V>]) -> anyhow::Result<()> {
        let mut boards = Vec::new();
        for (index, game) in games.iter().enumerate() {
            let config = self.config(self.clock(game)?, self.seed.wrapping_add(index as u64), index);
            boards.push((game.game.clone(), config));
        }
        if self.protocol() == bus::PROTOCOL.name {
            let chain = Chain::new(&boards, self.faults, self.seed);
            return match (&self.listen, &self.pty) {
                (Some(address), _) => super::virtual_boards::listen_chain(address, chain, self.speed).await,
                (None, Some(link)) => super::virtual_boards::pty(link, chain, self.speed).await,
                (None, None) => bail!("a bus line is on one port: --listen tcp://ADDR:PORT or --pty LINK"),
            };
        }
        if let Some(address) = &self.listen {
            return super::virtual_boards::listen(address, boards, self.speed).await;
        }
        let link = self.pty.as_deref().expect("validate() asked for one of the three");
        let [(game, config)] = <[_; 1]>::try_from(boards)
            .map_err(|boards| anyhow!("--pty is one board; the files hold {} games", boards.len()))?;
        super::virtual_boards::pty(link, VirtualBoard::new(&game, config), self.speed).await
    }
}

fn line(t_ms: f64, item: Item) -> String {
    Line { t_ns: (t_ms * MS as f64).round() as u64, items: vec![item] }.to_line()
}

fn write_lines(path: &Path, lines: &[String]) -> std::io::Result<()> {
    let mut file: Box<dyn Write> = Box::new(File::create(path)?);
    if path.extension().is_some_and(|extension| extension == "zst") {
        file = Box::new(zstd::Encoder::new(file, 0)?.auto_finish());
    }
    let mut file = BufWriter::new(file);
    for line in lines {
        writeln!(file, "{line}")?;
    }
    file.flush()
}
