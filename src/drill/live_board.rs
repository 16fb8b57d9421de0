//! A DGT board with its clock on a TCP port, and hands that do what they are told while it is played.
//!
//! The firmware and the clock are those of [`adoube_sim`]: real bytes go over the line. Hands take the time
//! that hands take, on the same fast line of time as the daemon's.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::hall::Clock;
use adoube_core::capture::pieces_frame;
use adoube_rules::sensor::{Content, Frame, Side};
use adoube_rules::square::Square;
use adoube_rules::{letter, man_from_letter, square_from_name};
use adoube_sim::{Act, ChessClock, ClockSetting, Firmware, FirmwareConfig, Surface};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// The board looks at its line so often, in the world's time.
const LOOK: Duration = Duration::from_millis(3);

/// A man is in the hand for so long.
const HAND_MS: u64 = 500;

/// From the man's release to the press.
const REACH_MS: u64 = 400;

/// Before a man is touched, after the opponent's press.
const THOUGHT_MS: u64 = 1_200;

/// What stands and runs, as it really is.
#[derive(Debug)]
struct Table {
    firmware: Firmware,
    surface: Surface,
    clock: ChessClock,
}

/// A board that is played on while somebody looks.
#[derive(Debug)]
pub struct LiveBoard {
    table: Arc<Mutex<Table>>,
    time: Clock,
    speed: f64,
    address: SocketAddr,
    /// Speaks on the line; `None`: the cable is out.
    line: Option<JoinHandle<()>>,
}

impl Drop for LiveBoard {
    fn drop(&mut self) {
        self.unplug();
    }
}

impl LiveBoard {
    /// A board at `address`, on which the men of `placement` (the first field of a FEN) stand, with a stopped clock.
    #[must_use]
    pub fn new(placement: &str, setting: ClockSetting, speed: f64, address: SocketAddr) -> Self {
        Self::lying(false, placement, setting, speed, address)
    }

    /// The same, and whether it lies turned.
    pub(super) fn lying(
        turned: bool,
        placement: &str,
        setting: ClockSetting,
        speed: f64,
        address: SocketAddr,
    ) -> Self {
        let contents = men(placement);
        let config = FirmwareConfig { clock: Some(setting), turned, ..FirmwareConfig::default() };
        let table = Table {
            firmware: Firmware::new(config, &contents),
            surface: Surface::new(&contents),
            clock: ChessClock::new(setting),
        };
        let table = Arc::new(Mutex::new(table));
        let time = Clock::start(None, speed);
        let mut board = Self { table, time, speed, address, line: None };
        board.plug_in();
        board
    }

    /// Where the daemon finds it.
    pub fn port(&self) -> String {
        format!("tcp://{}", self.address)
    }

    /// What a computer has the clock show instead of its times.
    pub fn clock_text(&self) -> Option<String> {
        self.table().firmware.clock_text().map(str::to_owned)
    }

    /// How often a computer had the clock beep.
    pub fn clock_beeps(&self) -> u32 {
        self.table().firmware.clock_beeps()
    }

    /// The clock takes times from a computer.
    pub fn let_clock_be_set(&self) {
        self.table().firmware.let_clock_be_set();
    }

    /// What its display shows after a computer has set it, seconds, White's first.
    pub fn firmware_shows(&self) -> [u64; 2] {
        self.table().firmware.clock_shows()
    }

    /// The cable is put in.
    pub fn plug_in(&mut self) {
        let (table, time, address) = (Arc::clone(&self.table), self.time.clone(), self.address);
        self.line = Some(tokio::spawn(async move {
            let listener = match TcpListener::bind(address).await {
                Ok(listener) => listener,
                Err(error) => return tracing::error!(%address, "a simulated board cannot listen: {error}"),
            };
            while let Ok((stream, _)) = listener.accept().await {
                speak(stream, &table, &time).await;
            }
        }));
    }

    /// The cable is pulled out; the board and its clock go on unheard.
    pub fn unplug(&mut self) {
        if let Some(line) = self.line.take() {
            line.abort();
        }
    }

    /// Whatever stands on the square is taken into the hand.
    pub fn lift(&self, square: &str) {
        self.act(Act::Lift { square: named(square) });
    }

    /// A man is put on the square.
    pub fn place(&self, square: &str, man: char) {
        let man = man_from_letter(man).expect("men have the letters of a FEN");
        self.act(Act::Place { square: named(square), man });
    }

    /// A man is moved from square to square (`g1f3`), and whoever stands on the second one leaves first.
    pub async fn carry(&self, squares: &str) {
        let (from, to) = squares.split_at(2);
        let Some(man) = self.man_on(from) else { return tracing::warn!("nothing stands on {from}") };
        if self.man_on(to).is_some() {
            self.lift(to);
            self.hands(HAND_MS).await;
        }
        self.lift(from);
        self.hands(HAND_MS).await;
        self.place(to, man);
        self.hands(REACH_MS).await;
    }

    /// Thinks, moves and presses; gives what the clock shows then, seconds, White's first.
    pub async fn play(&self, squares: &str, side: Side) -> [u64; 2] {
        self.hands(THOUGHT_MS).await;
        self.carry(squares).await;
        self.press(side)
    }

    /// The sensor of the square feels nothing any more, whatever stands there.
    pub fn fails(&self, square: &str) {
        self.act(Act::Dropout { square: named(square), length_ns: u64::MAX / 2 });
    }

    /// Presses the clock, and gives what it shows then.
    pub fn press(&self, side: Side) -> [u64; 2] {
        self.act(Act::Press(side));
        self.shows()
    }

    /// The clock is started for the side whose lever is up.
    pub fn start_clock(&self) {
        self.act(Act::StartClock);
    }

    /// The arbiter stops the clock.
    pub fn stop_clock(&self) {
        self.act(Act::StopClock);
    }

    /// The arbiter sets the clock; it stands.
    pub fn set_clock(&self, left_s: [u64; 2], lever: Side) {
        self.act(Act::SetClock { left_s, lever });
    }

    /// The lead of the clock is pulled out; the clock goes on unheard.
    pub fn unplug_clock(&self) {
        self.act(Act::UnplugClock);
    }

    /// The lead of the clock is put in again.
    pub fn plug_in_clock(&self) {
        self.act(Act::PlugInClock);
    }

    /// What the clock shows, seconds, White's first.
    pub fn shows(&self) -> [u64; 2] {
        let now_ns = self.time.now().mono_ns;
        let mut table = self.table();
        table.clock.advance(now_ns);
        table.clock.display().left_s
    }

    /// Hands are busy for so many milliseconds of the board.
    pub async fn hands(&self, ms: u64) {
        sleep(Duration::from_millis(ms).div_f64(self.speed)).await;
    }

    fn man_on(&self, square: &str) -> Option<char> {
        letter(self.table().surface.standing()[named(square)])
    }

    fn act(&self, act: Act) {
        let at_ns = self.time.now().mono_ns;
        let mut table = self.table();
        table.firmware.act(act, at_ns);
        table.surface.apply(act, at_ns);
        table.clock.act(act, at_ns);
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the board speak and listen until the line ends.
async fn speak(mut stream: TcpStream, table: &Mutex<Table>, time: &Clock) {
    let mut heard = [0; 256];
    let table = || table.lock().unwrap_or_else(PoisonError::into_inner);
    // What was said while nobody listened is lost.
    table().firmware.poll(time.now().mono_ns, &mut Vec::new());
    loop {
        let mut said = Vec::new();
        table().firmware.poll(time.now().mono_ns, &mut said);
        if stream.write_all(&said).await.is_err() {
            return;
        }
        match timeout(LOOK, stream.read(&mut heard)).await {
            Ok(Ok(0) | Err(_)) => return,
            Ok(Ok(count)) => {
                table().firmware.receive(&heard[..count], time.now().mono_ns);
            }
            Err(_) => {}
        }
    }
}

/// The men of a FEN's first field, a1 first.
fn men(placement: &str) -> Vec<Content> {
    match pieces_frame(placement) {
        Ok(Frame::Identity(contents)) => contents,
        _ => unreachable!("a placement is the first field of a FEN"),
    }
}

fn named(square: &str) -> Square {
    square_from_name(square).expect("squares have the names of the game")
}
