//! `adoube replay`: a recording through the same core as a live board.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adoube_rules::laws::Profile;
use anyhow::{Context as _, anyhow};
use clap::Args;

use super::Answer;
use super::expected::{self, Expected};
use super::explain::explain;
use super::input::{CaptureFile, progress};
use crate::feed::parts::{Part, parts};
use crate::feed::pgn::{self, EventTags};
use crate::feed::view::HallView;
use adoube_core::capture::Item;
use adoube_core::event::{Body, Event, Numbering, Publisher};
use adoube_core::replay;
use adoube_core::ruling::RulingError;
use adoube_core::station::Open;
use adoube_rules::GameKind;

/// Put a recording through the same core as a live board, as fast as it goes
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube replay board-1.jsonl\n  adoube replay round-3/*.jsonl --check round-3.pgn\n  adoube replay --variant four-player g000.jsonl --check truth.pgn"
)]
pub(super) struct Replay {
    /// Captures, plain or zstd; - is the standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the events as JSON lines instead of PGN
    #[arg(long)]
    events: bool,
    /// Say on stderr what each move rests on and what else it could have been
    #[arg(long)]
    explain: bool,
    /// Regulations, by their full name
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Time control as TRF-26 field 222 writes it, e.g. 5400+30
    #[arg(long, value_name = "TC")]
    time_control: Option<String>,
    /// Position from which the game starts
    #[arg(long, value_name = "FEN")]
    start: Option<String>,
    /// chess, chess960 or four-player
    #[arg(long, value_name = "VARIANT")]
    variant: Option<GameKind>,
    /// Set a parameter, e.g. announce=fast (can be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Compare the moves with a PGN file (a record of four-player games) and say where they part
    #[arg(long, value_name = "PGN")]
    check: Option<PathBuf>,
}

impl Replay {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let truth = self.check.as_ref().map(|path| self.truth(path)).transpose()?;
        let bar = progress(self.files.len() as u64, "replaying");
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut answer = Answer::Yes;
        for (index, path) in self.files.iter().enumerate() {
            let (board, hall) = self.replay(path, &mut out)?;
            if let Some(truth) = &truth {
                // As PGN has them: a game may be several lines of legal moves.
                let games: Vec<_> = hall.games().map(|game| (game, game.moves.all())).collect();
                let played: Vec<Part<'_>> =
                    games.iter().flat_map(|(game, moves)| parts(game, moves)).collect();
                let expected = expected(truth, &board, index, self.files.len());
                if !check(&board, &played, expected, &mut out)? {
                    answer = Answer::No;
                }
            } else if !self.events {
                for game in hall.games() {
                    write!(out, "{}", pgn::game(game, &EventTags::default()))?;
                }
            }
            bar.inc(1);
        }
        out.flush()?;
        bar.finish_and_clear();
        Ok(answer)
    }

    /// The games of the file to compare with, of the variant that the captures are of.
    fn truth(&self, path: &Path) -> anyhow::Result<Vec<Expected>> {
        // What comes on the standard input is read once; its variant is chess if nothing else is said.
        let is_file = self.files[0].as_path() != Path::new("-");
        let first = is_file.then(|| CaptureFile::open(&self.files[0])).transpose()?;
        let variant = self.variant.or_else(|| first?.header.variant);
        if variant == Some(GameKind::FourPlayer) { expected::four(path) } else { expected::chess(path) }
    }

    fn replay(&self, path: &Path, out: &mut impl Write) -> anyhow::Result<(String, HallView)> {
        let mut capture = CaptureFile::open(path)?;
        let open = self.options(replay::open(&capture.header))?;
        let board: Arc<str> = open.board.as_str().into();
        let mut replay = replay::Replay::new(open, capture.header.started_utc_ns)
            .with_context(|| path.display().to_string())?;
        if self.explain {
            replay.watch(Box::new(|station, events| {
                explain(station, events).iter().for_each(|line| eprintln!("{line}"));
            }));
        }
        let mut sink = Sink {
            board,
            numbering: Numbering::default(),
            publisher: Publisher::default(),
            hall: HallView::default(),
            command: self,
        };
        let mut events = Vec::new();
        while let Some(mut line) = capture.next()? {
            line.items.retain_mut(|item| match sink.own(item) {
                Ok(()) => true,
                Err(error) => {
                    eprintln!("adoube: {}, {} ms: {error}", path.display(), line.t_ns / 1_000_000);
                    false
                }
            });
            replay.line(&line, &mut events);
            sink.take(&mut events, out)?;
        }
        let remarks = replay.finish(&mut events);
        sink.take(&mut events, out)?;
        for (t_ns, error) in remarks.refused {
            eprintln!("adoube: {}, {} ms: {error}", path.display(), t_ns / 1_000_000);
        }
        if let Some(squares) = remarks.other_board {
            let path = path.display();
            eprintln!(
                "adoube: {path}: its board has {squares} squares, another game's; --variant says which is played"
            );
        }
        if remarks.never_started {
            eprintln!(
                "adoube: {}: nothing was played from the position given as its start; did it stand on the board?",
                path.display()
            );
        }
        if remarks.skipped_bytes > 0 {
            eprintln!("adoube: {}: {} bytes belong to no message", path.display(), remarks.skipped_bytes);
        }
        Ok((sink.board.to_string(), sink.hall))
    }

    /// The options of the command line go before those of the capture.
    fn options(&self, mut open: Open) -> anyhow::Result<Open> {
        if let Some(profile) = &self.profile {
            Profile::named(profile).map_err(|error| anyhow!("--profile: {error}"))?;
            open.profile.clone_from(profile);
        }
        open.time_control = self.time_control.clone().or(open.time_control);
        open.start = self.start.clone().or(open.start);
        open.variant = self.variant.unwrap_or(open.variant);
        for setting in &self.set {
            super::set(&mut open, setting)?;
        }
        Ok(open)
    }
}

struct Sink<'a> {
    board: Arc<str>,
    numbering: Numbering,
    publisher: Publisher,
    hall: HallView,
    command: &'a Replay,
}

impl Sink<'_> {
    /// A ruling of the capture calls records by the numbers that this replay gives them.
    fn own(&self, item: &mut Item) -> Result<(), RulingError> {
        if let Item::Ruling(ruling) = item {
            *ruling = self.numbering.own(&self.board, ruling.clone())?;
        }
        Ok(())
    }

    fn take(&mut self, events: &mut Vec<Event>, out: &mut impl Write) -> std::io::Result<()> {
        for event in events.drain(..) {
            // What nobody will read is not written out.
            let is_sensed =
                matches!(event.body, Body::PieceLifted(_) | Body::PiecePlaced(_) | Body::Pressed { .. });
            if is_sensed && !self.command.events {
                self.numbering.pass_over();
                continue;
            }
            let numbered = self.numbering.number(&self.board, &event);
            if self.command.events {
                writeln!(out, "{}", numbered.to_line())?;
            }
            // The games are those that the public sees.
            for public in self.publisher.publish(&numbered) {
                self.hall.apply(&public);
            }
        }
        Ok(())
    }
}

/// The game of the file that the capture shows: by its board, else by its place.
fn expected<'a>(truth: &'a [Expected], board: &str, index: usize, files: usize) -> &'a [Expected] {
    let by_event = truth.iter().position(|game| game.event.as_deref() == Some(board));
    match by_event {
        Some(index) => &truth[index..=index],
        None if files == 1 => truth,
        None => truth.get(index..=index).unwrap_or_default(),
    }
}

/// Compares game by game; false if they part.
fn check(
    board: &str,
    played: &[Part<'_>],
    expected: &[Expected],
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    if expected.is_empty() {
        writeln!(out, "FAIL {board}: the PGN file has no game for it")?;
        return Ok(false);
    }
    let mut is_same = true;
    for (index, expected) in expected.iter().enumerate() {
        let moves: &[_] = played.get(index).map_or(&[], |part| part.moves);
        match expected.parting(moves) {
            None => writeln!(out, "ok   {board}: {} plies", moves.len())?,
            Some(text) => {
                is_same = false;
                writeln!(out, "FAIL {board}: {text}")?;
            }
        }
    }
    for extra in played.iter().skip(expected.len()).filter(|part| !part.moves.is_empty()) {
        is_same = false;
        writeln!(out, "FAIL {board}: another game, {} plies, is not in the PGN file", extra.moves.len())?;
    }
    Ok(is_same)
}
