//! Virtual boards that outlive the daemon: a game goes on whether or not anybody listens.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube::hall::Clock;
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_sim::{BoardConfig, ClockSetting, Game, Noise, VirtualBoard};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_serial::{SerialPort as _, SerialStream};

use crate::daemon::reserved_address;

/// A board is looked at so often, at least.
const LOOK: Duration = Duration::from_millis(5);

/// Hands that wait for a host play no further than this between two looks: when the machine stands still, so do they.
/// Otherwise the end of a game is played while nobody can hear it.
const STEP: Duration = Duration::from_millis(50);

/// How a board behaves on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// As it should.
    Good,
    /// Nobody can reach it.
    Away,
    /// It can be opened, but says nothing.
    Silent,
    /// Something else writes on it, too.
    Noisy,
}

/// A board with its players.
pub(crate) struct Played {
    board: Arc<Mutex<VirtualBoard>>,
    pub(crate) line: watch::Sender<Line>,
    time: Arc<Time>,
    task: JoinHandle<()>,
}

/// The time of a board's players.
struct Time {
    clock: Clock,
    step_ns: u64,
    /// The last look, and for how long they have stood still.
    looked: Mutex<(u64, u64)>,
}

impl Time {
    /// Players who `wait` stand still when the machine does.
    fn start(speed: f64, wait: bool) -> Self {
        let clock = Clock::start(None, speed);
        let looked = Mutex::new((clock.now().mono_ns, 0));
        let step_ns = if wait { STEP.mul_f64(speed).as_nanos() as u64 } else { u64::MAX };
        Self { clock, step_ns, looked }
    }

    /// What it is now, in nanoseconds.
    fn now_ns(&self) -> u64 {
        let (last_ns, stood_still_ns) = &mut *self.looked.lock().unwrap();
        let now_ns = self.clock.now().mono_ns - *stood_still_ns;
        let looked_ns = now_ns.min(last_ns.saturating_add(self.step_ns));
        *stood_still_ns += now_ns - looked_ns;
        *last_ns = looked_ns;
        looked_ns
    }

    /// The same, and nobody has played on because of it.
    fn told_ns(&self) -> u64 {
        let (last_ns, stood_still_ns) = *self.looked.lock().unwrap();
        (self.clock.now().mono_ns - stood_still_ns).min(last_ns.saturating_add(self.step_ns))
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One of the games that the project carries, from 0.
pub(crate) fn demo_game(index: usize) -> PgnGame {
    read_games(include_bytes!("../../src/demo/games.pgn").as_slice()).unwrap().swap_remove(index)
}

/// A game of 33 plies with a mate at its end.
pub(crate) const SHORT: usize = 2;

/// A game of 87 plies.
pub(crate) const LONG: usize = 4;

/// A board on which `game` is played with hands of this `noise`.
pub(crate) fn board(game: &PgnGame, noise: Noise, seed: u64) -> VirtualBoard {
    let config = BoardConfig {
        noise,
        seed,
        serial: 10_000 + u32::try_from(seed).unwrap(),
        clock: "5400+30".parse::<ClockSetting>().ok(),
        signal_result: true,
        ..BoardConfig::default()
    };
    let game = Game::from(game);
    VirtualBoard::new(&game, config)
}

impl Played {
    /// The board on a TCP port of loopback; also the port's name. The players begin when a host listens for the first
    /// time, and then wait for none.
    pub(crate) fn on_tcp(board: VirtualBoard, speed: f64) -> (Self, String) {
        Self::at_port(board, speed, false)
    }

    /// The same with players who wait while no host listens: their game comes out whole on any machine.
    pub(crate) fn heard_on_tcp(board: VirtualBoard, speed: f64) -> (Self, String) {
        Self::at_port(board, speed, true)
    }

    fn at_port(board: VirtualBoard, speed: f64, wait: bool) -> (Self, String) {
        let address = reserved_address();
        let serve = |board, time, line| listen(address, board, time, line, wait);
        let played = Self::start(board, speed, wait, serve);
        (played, format!("tcp://{address}"))
    }

    /// The board on a pseudo-terminal of which `link` is the name.
    pub(crate) fn on_terminal(board: VirtualBoard, speed: f64, link: &Path) -> (Self, String) {
        let port = format!("serial:{}", link.display());
        let link = link.to_owned();
        (Self::start(board, speed, false, |board, time, line| terminals(link, board, time, line)), port)
    }

    fn start<F: Future<Output = ()> + Send + 'static>(
        board: VirtualBoard,
        speed: f64,
        wait: bool,
        serve: impl FnOnce(Arc<Mutex<VirtualBoard>>, Arc<Time>, watch::Receiver<Line>) -> F,
    ) -> Self {
        let (board, time) = (Arc::new(Mutex::new(board)), Arc::new(Time::start(speed, wait)));
        let (line, told) = watch::channel(Line::Good);
        let task = tokio::spawn(serve(Arc::clone(&board), Arc::clone(&time), told));
        Self { board, line, time, task }
    }

    /// The moves that the players make.
    pub(crate) fn truth(&self) -> Vec<String> {
        self.board.lock().unwrap().truth().iter().map(|ply| ply.uci.clone()).collect()
    }

    /// How many plies have been played by now.
    pub(crate) fn plies(&self) -> usize {
        let board = self.board.lock().unwrap();
        let now_ns = self.time.told_ns();
        let origin_ns = board.origin_ns().unwrap_or(u64::MAX);
        board.truth().iter().filter(|ply| ply.placed_ns.saturating_add(origin_ns) <= now_ns).count()
    }

    /// The players have gone home.
    pub(crate) fn is_finished(&self) -> bool {
        self.board.lock().unwrap().is_finished()
    }
}

/// Serves the board on a port, to one host after another.
async fn listen(
    address: SocketAddr,
    board: Arc<Mutex<VirtualBoard>>,
    time: Arc<Time>,
    line: watch::Receiver<Line>,
    wait: bool,
) {
    let mut begun = false;
    loop {
        let listener = TcpListener::bind(address).await.unwrap();
        while *line.borrow() != Line::Away {
            match timeout(LOOK, listener.accept()).await {
                Ok(accepted) => {
                    begun = true;
                    speak(accepted.unwrap().0, &board, &time, &line).await;
                }
                Err(_) if wait || !begun => {}
                Err(_) => play(&board, &time),
            }
        }
        drop(listener);
        away(&board, &time, &line).await;
    }
}

/// Serves the board on pseudo-terminals: each time that it is plugged in it is another one.
async fn terminals(
    link: PathBuf,
    board: Arc<Mutex<VirtualBoard>>,
    time: Arc<Time>,
    line: watch::Receiver<Line>,
) {
    // Kept until the next one is there, so that it gets another name.
    let mut last = None;
    loop {
        let (board_end, host_end) = SerialStream::pair().unwrap();
        drop(last.take());
        std::os::unix::fs::symlink(host_end.name().unwrap(), &link).unwrap();
        // The host's end stays open here too, so that hosts can come and go.
        speak(board_end, &board, &time, &line).await;
        std::fs::remove_file(&link).unwrap();
        last = Some(host_end);
        away(&board, &time, &line).await;
    }
}

/// The game goes on, and nobody hears it.
fn play(board: &Mutex<VirtualBoard>, time: &Time) {
    board.lock().unwrap().poll(time.now_ns(), &mut Vec::new());
}

async fn away(board: &Mutex<VirtualBoard>, time: &Time, line: &watch::Receiver<Line>) {
    while *line.borrow() == Line::Away {
        play(board, time);
        sleep(LOOK).await;
    }
}

/// Speaks to a host until it is gone, or the board is.
async fn speak(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    board: &Mutex<VirtualBoard>,
    time: &Time,
    line: &watch::Receiver<Line>,
) {
    let mut heard = [0; 256];
    loop {
        let behaviour = *line.borrow();
        let mut said = Vec::new();
        board.lock().unwrap().poll(time.now_ns(), &mut said);
        match behaviour {
            Line::Away => return,
            Line::Silent => said.clear(),
            // What a modem manager writes to find a modem.
            Line::Noisy if !said.is_empty() => said.extend_from_slice(b"AT\r"),
            Line::Noisy | Line::Good => {}
        }
        // What the host does not take in time is lost, as on a real line.
        if let Ok(Err(_)) = timeout(LOOK, stream.write_all(&said)).await {
            return;
        }
        match timeout(LOOK, stream.read(&mut heard)).await {
            Ok(Ok(0) | Err(_)) => return,
            Ok(Ok(count)) if behaviour != Line::Silent => {
                board.lock().unwrap().receive(&heard[..count], time.now_ns());
            }
            Ok(Ok(_)) | Err(_) => {}
        }
    }
}
