//! A DGT board with its clock on a TCP port, and hands that do what a test says.
//!
//! The firmware and the clock are those of [`adoube_sim`]: real bytes go over the line. Hands take the time
//! that hands take, on the same fast line of time as the daemon's.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use adoube::hall::Clock;
use adoube_core::capture::pieces_frame;
use adoube_rules::sensor::{Content, Frame, Side};
use adoube_rules::{letter, man_from_letter, square_from_name};
use adoube_sim::{Act, ChessClock, ClockSetting, Firmware, FirmwareConfig, Surface};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::daemon::reserved_address;

/// The board looks at its line so often, in the world's time.
const LOOK: Duration = Duration::from_millis(3);

/// A man is in the hand for so long.
const HAND_MS: u64 = 500;

/// From the man's release to the press.
const REACH_MS: u64 = 400;

/// Before a man is touched, after the opponent's press.
const THOUGHT_MS: u64 = 1_200;

/// What stands and runs, as it really is.
struct Table {
    firmware: Firmware,
    surface: Surface,
    clock: ChessClock,
}

/// A board that is played on while a test looks.
pub(crate) struct LiveBoard {
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
    /// A board on which the men of `placement` (the first field of a FEN) stand, with a stopped clock.
    pub(crate) fn new(placement: &str, setting: ClockSetting, speed: f64) -> Self {
        let contents = men(placement);
        let config = FirmwareConfig { clock: Some(setting), ..FirmwareConfig::default() };
        let table = Table {
            firmware: Firmware::new(config, &contents),
            surface: Surface::new(&contents),
            clock: ChessClock::new(setting),
        };
        let table = Arc::new(Mutex::new(table));
        let time = Clock::start(None, speed);
        let mut board = Self { table, time, speed, address: reserved_address(), line: None };
        board.plug_in();
        board
    }

    /// Where the daemon finds it.
    pub(crate) fn port(&self) -> String {
        format!("tcp://{}", self.address)
    }

    /// What a computer has the clock show instead of its times.
    pub(crate) fn clock_text(&self) -> Option<String> {
        self.table().firmware.clock_text().map(str::to_owned)
    }

    /// How often a computer had the clock beep.
    pub(crate) fn clock_beeps(&self) -> u32 {
        self.table().firmware.clock_beeps()
    }

    /// The clock takes times from a computer.
    pub(crate) fn let_clock_be_set(&self) {
        self.table().firmware.let_clock_be_set();
    }

    /// What its display shows after a computer has set it, seconds, White's first.
    pub(crate) fn firmware_shows(&self) -> [u64; 2] {
        self.table().firmware.clock_shows()
    }

    /// The cable is put in.
    pub(crate) fn plug_in(&mut self) {
        let (table, time, address) = (Arc::clone(&self.table), self.time.clone(), self.address);
        self.line = Some(tokio::spawn(async move {
            let listener = TcpListener::bind(address).await.unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                speak(stream, &table, &time).await;
            }
        }));
    }

    /// The cable is pulled out; the board and its clock go on unheard.
    pub(crate) fn unplug(&mut self) {
        if let Some(line) = self.line.take() {
            line.abort();
        }
    }

    /// Whatever stands on the square is taken into the hand.
    pub(crate) fn lift(&self, square: &str) {
        self.act(Act::Lift { square: square_from_name(square).unwrap() });
    }

    /// A man is put on the square.
    pub(crate) fn place(&self, square: &str, man: char) {
        self.act(Act::Place {
            square: square_from_name(square).unwrap(),
            man: man_from_letter(man).unwrap(),
        });
    }

    /// A man is moved from square to square (`g1f3`), and whoever stands on the second one leaves first.
    pub(crate) async fn carry(&self, squares: &str) {
        let (from, to) = squares.split_at(2);
        let man = self.man_on(from).unwrap_or_else(|| panic!("{from} is empty"));
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
    pub(crate) async fn play(&self, squares: &str, side: Side) -> [u64; 2] {
        self.hands(THOUGHT_MS).await;
        self.carry(squares).await;
        self.press(side)
    }

    /// Presses the clock, and gives what it shows then.
    pub(crate) fn press(&self, side: Side) -> [u64; 2] {
        self.act(Act::Press(side));
        self.shows()
    }

    pub(crate) fn start_clock(&self) {
        self.act(Act::StartClock);
    }

    pub(crate) fn stop_clock(&self) {
        self.act(Act::StopClock);
    }

    /// The arbiter sets the clock; it stands.
    pub(crate) fn set_clock(&self, left_s: [u64; 2], lever: Side) {
        self.act(Act::SetClock { left_s, lever });
    }

    /// What the clock shows, seconds, White's first.
    pub(crate) fn shows(&self) -> [u64; 2] {
        let now_ns = self.time.now().mono_ns;
        let mut table = self.table();
        table.clock.advance(now_ns);
        table.clock.display().left_s
    }

    /// Hands are busy for so many milliseconds of the board.
    pub(crate) async fn hands(&self, ms: u64) {
        sleep(Duration::from_millis(ms).div_f64(self.speed)).await;
    }

    fn man_on(&self, square: &str) -> Option<char> {
        letter(self.table().surface.standing()[square_from_name(square).unwrap()])
    }

    fn act(&self, act: Act) {
        let at_ns = self.time.now().mono_ns;
        let mut table = self.table();
        table.firmware.act(act, at_ns);
        table.surface.apply(act, at_ns);
        table.clock.act(act, at_ns);
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap()
    }
}

/// Lets the board speak and listen until the line ends.
async fn speak(mut stream: TcpStream, table: &Mutex<Table>, time: &Clock) {
    let mut heard = [0; 256];
    // What was said while nobody listened is lost.
    table.lock().unwrap().firmware.poll(time.now().mono_ns, &mut Vec::new());
    loop {
        let mut said = Vec::new();
        table.lock().unwrap().firmware.poll(time.now().mono_ns, &mut said);
        if stream.write_all(&said).await.is_err() {
            return;
        }
        match timeout(LOOK, stream.read(&mut heard)).await {
            Ok(Ok(0) | Err(_)) => return,
            Ok(Ok(count)) => {
                table.lock().unwrap().firmware.receive(&heard[..count], time.now().mono_ns);
            }
            Err(_) => {}
        }
    }
}

/// The men of a FEN's first field, a1 first.
fn men(placement: &str) -> Vec<Content> {
    let Frame::Identity(contents) = pieces_frame(placement).unwrap() else { unreachable!() };
    contents
}
