//! The board of `adoube play`: the ordinary daemon in this process, with one board.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::{Answer, demo, run};
use crate::config::Config;
use crate::daemon::{Daemon, Settings};
use crate::feed::pgn::{self, EventTags};
use crate::feed::view::{GameView, HallView};
use crate::hall::opened_with;
use crate::journal::{Look, boards_since_open, games};
use crate::link::Port;
use crate::link::{Candidate, candidates, probe, protocols_for, standing};
use crate::play::{Asked, Driver, End, Line, Opening, Opponent, Outcome};
use adoube_core::station::{BoardResults, CORE, Open, OpenPairing};
use adoube_core::wire::{self, Announcement};
use adoube_rules::sensor::Content;
use adoube_rules::{ChessPosition, GameKind, Position as _};

/// Games at home are of one round, and count on.
const ROUND: u32 = 1;
/// Orders that wait for the opponent: nobody plays faster than it takes them.
const ORDERS: usize = 8;
/// What the opponent said and nobody has looked at yet.
const SAID: usize = 16;
/// A message to the clock is on its way within this time.
const CLEAR: Duration = Duration::from_millis(300);
/// An engine quits within this time.
const LEAVE: Duration = Duration::from_secs(7);
/// Words from the keyboard that wait.
const ASKED: usize = 8;

/// Which board, and where its games are kept
#[derive(Debug, Args)]
pub(super) struct PlayBoard {
    /// The board, serial:PATH or tcp://HOST:PORT (else the configuration's first one, or the one that is plugged in)
    #[arg(long, value_name = "PORT")]
    port: Option<Port>,
    /// Your name, as the game shall have it (else that of your account on this machine)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set a parameter, e.g. announce=fast (can be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder of the journal (else as the configuration says)
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Let time run so many times as fast; for tests
    #[arg(long, value_name = "X", default_value_t = 1.0, hide = true)]
    speed: f64,
}

/// Everything that a daemon with this board needs.
pub(super) struct Prepared {
    settings: Settings,
    board: String,
    game: String,
}

impl PlayBoard {
    /// The player at the board.
    pub(super) fn player(&self) -> String {
        let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
        self.name.clone().or_else(user).unwrap_or_else(|| "Player".to_owned())
    }

    /// Looks for the board and, if `may_resume`, for a game in the journal that is this one and was broken off.
    pub(super) async fn prepare(&self, opening: &mut Opening, may_resume: bool) -> anyhow::Result<Prepared> {
        if !self.speed.is_finite() || self.speed <= 0.0 {
            bail!("--speed {}: must be more than 0", self.speed);
        }
        let (config, _) = Config::load(self.config.as_deref())?;
        let (board, port, found) = self.board(&config).await?;
        let journal = self.journal.clone().map_or_else(|| config.state_directory(), Ok)?;
        let mut open = config.usual_board(&board, &port);
        if let Some(configured) = config.boards.iter().find(|configured| configured.id == board) {
            open.protocol = configured.protocol.clone().unwrap_or(open.protocol);
            open.turned = configured.turned.map(|turned| if turned { 180 } else { 0 });
        }
        if let Some(protocol) = found {
            protocol.clone_into(&mut open.protocol);
        }
        for setting in &self.set {
            super::set(&mut open, setting)?;
        }
        // What two kings in the centre mean is for the opponent to agree to.
        open.board_results = BoardResults::Propose;
        open.time_control.clone_from(&opening.time_control);
        open.variant = if opening.is_chess960 { GameKind::Chess960 } else { GameKind::Chess };
        begin_at(&mut open, &opening.start);
        let [white, black] = opening.players.clone();
        let number = next_number(&journal);
        open.pairing = Some(OpenPairing { round: ROUND, number, white, black, ..OpenPairing::default() });
        if let Some((old, moves)) = may_resume.then(|| broken_off(&journal, &open, opening)).flatten() {
            open = old;
            if opening.moves.is_empty() {
                opening.moves = moves;
            }
        } else if !opening.moves.is_empty() {
            // The board comes to a game that is under way: it begins there, unless earlier moves stand on it.
            let start = ChessPosition::from_fen(&opening.start, opening.is_chess960)?;
            let mut line = Line::new(start, opening.ours);
            line.agree(&opening.moves, &[])?;
            let protocol = wire::protocol(&open.protocol).unwrap_or(&wire::dgt::PROTOCOL);
            let stands = standing(&port, protocol).await.unwrap_or_default();
            opening.skipped =
                plies_on_board(&line, opening.is_chess960, &stands).unwrap_or(opening.moves.len());
            opening.start = line.fen_after(opening.skipped);
            begin_at(&mut open, &opening.start);
        }
        let game = open.pairing.as_ref().map(|pairing| format!("{}-{}", pairing.round, pairing.number));
        let event = config.tournament.name.clone().or_else(|| Some("Casual game".to_owned()));
        let site = opening.address.clone().or_else(|| config.tournament.site.clone());
        let settings = Settings {
            boards: vec![(open, port)],
            tags: EventTags { event, site },
            live_pgn: config.tournament.live_pgn,
            retention: config.journal.retention,
            speed: self.speed,
            ..Settings::new(journal, config.web.arbiter)
        };
        Ok(Prepared { settings, board, game: game.unwrap_or_default() })
    }

    /// The name of the board, where it is, and what it speaks, if it was asked.
    async fn board(&self, config: &Config) -> anyhow::Result<(String, Port, Option<&'static str>)> {
        if let Some(port) = &self.port {
            let configured = config.boards.iter().find(|board| board.port == *port);
            let name = configured.map_or_else(|| "1".to_owned(), |board| board.id.clone());
            return Ok((name, port.clone(), None));
        }
        let configured = config.boards.first();
        if let Some(board) = configured.filter(|board| board.port != Port::Auto) {
            return Ok((board.id.clone(), board.port.clone(), None));
        }
        let serial = configured.and_then(|board| board.serial.as_deref());
        let (port, protocol) = look_for(config, serial)
            .await
            .context("no board answers; \"adoube boards\" shows what was found, --port names one")?;
        let name = configured.map_or_else(|| "1".to_owned(), |board| board.id.clone());
        Ok((name, port, Some(protocol)))
    }
}

/// The first board that answers, of this number if there is one, and what it speaks.
async fn look_for(config: &Config, serial: Option<&str>) -> Option<(Port, &'static str)> {
    let known = candidates().into_iter().filter(|candidate| candidate.is_known);
    let known = known.map(|candidate| (Port::Serial(candidate.path.clone()), candidate));
    let named = config.discovery.ports.iter().map(|port| (port.clone(), Candidate::named(port)));
    for (port, candidate) in known.chain(named) {
        let Ok(found) = probe(&port, &protocols_for(&candidate)).await else { continue };
        if serial.is_none_or(|serial| found.identity.has_number(serial)) {
            return Some((port, found.protocol));
        }
    }
    None
}

/// A game from the start array opens when it stands on the board; from any other position it is under way.
fn begin_at(open: &mut Open, fen: &str) {
    let is_usual = *fen == ChessPosition::default().fen() && open.variant == GameKind::Chess;
    open.start = (!is_usual).then(|| fen.to_owned());
    open.in_progress = !is_usual;
}

/// The number after the last one in the journal.
fn next_number(journal: &Path) -> u32 {
    let number = |game: &str| game.strip_prefix(&format!("{ROUND}-"))?.split('-').next()?.parse::<u32>().ok();
    // A folder that is not there yet has no games.
    let games = games(journal).unwrap_or_default();
    games.iter().filter_map(|game| number(&game.game)).max().map_or(1, |last| last.saturating_add(1))
}

/// The last game on this board, if it is the same one and has no result: what it was opened with, and its moves.
fn broken_off(journal: &Path, open: &Open, opening: &Opening) -> Option<(Open, Vec<String>)> {
    if !journal.is_dir() {
        return None;
    }
    let (boards, _) = boards_since_open(journal, CORE);
    let last = boards.into_iter().find(|board| *board.board == *open.board)?;
    let old = opened_with(last.inputs.first()?).ok()?;
    // Number and start may be others: a board that came to a game under way begins where it came.
    let is_same = Open { pairing: old.pairing.clone(), ..open.clone() } == old
        && old.pairing.as_ref().map(|pairing| [&pairing.white, &pairing.black])
            == open.pairing.as_ref().map(|pairing| [&pairing.white, &pairing.black]);
    let look = Look::open(journal);
    let opened =
        look.outline().into_iter().rfind(|event| event.name == "game-opened" && event.board == open.board)?;
    let mut view = HallView::default();
    for event in look.of_game(&opened.game?).into_iter().filter_map(|seq| look.told(seq)?.numbered().ok()) {
        view.apply_private(&event);
    }
    let game = view.game(view.board(&open.board)?.game.as_ref()?)?;
    let moves: Vec<String> = game.moves.all().iter().map(|mv| mv.uci.clone()).collect();
    let is_going_on = is_same && game.result == "*" && !game.closed && !moves.is_empty();
    (is_going_on && may_be_one(opening, &moves)).then_some((old, moves))
}

/// After how many moves of `line` the men stand as they do on the board, whichever way it lies.
fn plies_on_board(line: &Line, is_chess960: bool, stands: &[Content]) -> Option<usize> {
    let turned: Vec<Content> = stands.iter().rev().copied().collect();
    (0..=line.plies().len()).rev().find(|&plies| {
        let position = ChessPosition::from_fen(&line.fen_after(plies), is_chess960);
        position.is_ok_and(|position| [stands, &turned].contains(&position.contents().as_slice()))
    })
}

/// One of the two lists begins with the other; the last move on the board may not have been sent.
fn may_be_one(opening: &Opening, board: &[String]) -> bool {
    let Ok(start) = ChessPosition::from_fen(&opening.start, opening.is_chess960) else { return false };
    let mut line = Line::new(start, opening.ours);
    let is_legal = line.agree(&opening.moves, &[]).is_ok();
    is_legal
        && (opening.moves.is_empty() || line.plies().iter().zip(board).all(|(ply, made)| ply.uci == *made))
}

impl Prepared {
    /// Plays the game and prints it.
    pub(super) async fn play(mut self, opening: Opening, opponent: impl Opponent) -> anyhow::Result<Answer> {
        let (port, tags) = (self.settings.desk.port(), self.settings.tags.clone());
        if self.settings.desk.ip().is_loopback() {
            // A page of another adoube may be there.
            self.settings.sockets.desk = Some(demo::listen(port)?);
        }
        let daemon = Daemon::start(self.settings).await?;
        run::announce(&daemon, false);
        let (orders, ordered) = mpsc::channel(ORDERS);
        let (says, said) = mpsc::channel(SAID);
        let [white, black] = [0, 1].map(|side| opening.players[side].name.clone().unwrap_or_default());
        println!("{white} – {black}; you play {}", opening.ours.name());
        let names = (self.board.as_str(), self.game.as_str());
        let driver = Driver::new(&daemon.hall, names, opening, orders, |words| println!("{words}"));
        let driver = driver.context("no such board")?;
        let mut opponent = tokio::spawn(opponent.play(ordered, says));
        let outcome = tokio::select! {
            outcome = driver.run(said, keyboard()) => outcome,
            left = super::interrupted() => {
                left?;
                Outcome::Left
            }
        };
        // The clock shows its times again, whichever way the game was left.
        if let Some(board) = daemon.hall.board(&self.board) {
            board.announce(Announcement::Clear).await;
            sleep(CLEAR).await;
        }
        // Its orders are closed: it ends by itself, and takes its process with it. One that waits for the
        // network is not waited for.
        if timeout(LEAVE, &mut opponent).await.is_err() {
            opponent.abort();
        }
        let game = ended_game(&daemon, &self.game, matches!(outcome, Outcome::Over(_))).await;
        if let Some(game) = game.filter(|game| !game.moves.is_empty()) {
            println!("\n{}", pgn::game(&game, &tags));
        }
        daemon.stop().await;
        match outcome {
            Outcome::Over(end) => {
                println!("{}", end_words(&end));
                Ok(Answer::Yes)
            }
            Outcome::Left => {
                eprintln!("you left the game; it can be gone on with");
                Ok(Answer::Yes)
            }
            Outcome::Gone(reason) => bail!(reason),
        }
    }
}

fn end_words(end: &End) -> String {
    match end.result {
        Some(result) => format!("{result} ({})", end.reason),
        None => format!("the game does not count ({})", end.reason),
    }
}

/// The game as the journal has it, with its result if it is over.
async fn ended_game(daemon: &Daemon, game: &str, is_over: bool) -> Option<GameView> {
    let look = || daemon.hall.desk.with_view(|view| view.game(game).cloned());
    // What is on disk is shown a moment later.
    for _ in 0..40 {
        let game = look();
        if !is_over || game.as_ref().is_none_or(|game| game.result != "*" || game.closed) {
            return game;
        }
        sleep(Duration::from_millis(50)).await;
    }
    look()
}

/// What is typed. The thread ends with the process: nothing else wakes a terminal.
fn keyboard() -> mpsc::Receiver<Asked> {
    let (sender, asked) = mpsc::channel(ASKED);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            match Asked::read(&line) {
                Some(asked) => {
                    if sender.blocking_send(asked).is_err() {
                        return;
                    }
                }
                None => {
                    eprintln!("\"{}\": use resign, draw, no, takeback, abort, status or quit", line.trim());
                }
            }
        }
    });
    asked
}
