//! Boards that are looked for: plugged in, pulled out, plugged in elsewhere, and what is no board.
//!
//! The devices of these machines are names in a folder that lead to pseudo-terminals.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use adoube::daemon::{Daemon, Settings};
use adoube::hall::{BoardStatus, Discovery, PortState, PortStatus, Wanted};
use adoube::link::Port;
use adoube::link::{Candidate, Devices, probe, protocols_for};
use adoube_core::station::Open;
use adoube_rules::ChessPosition;
use adoube_sim::{BoardConfig, Device, FirmwareConfig, Game, MODELS, Model, Noise, VirtualBoard};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::daemon::{PATIENCE, Site, awaited, reserved_address};
use crate::http::get;
use crate::played::{self, LONG, Line, Played, demo_game};

/// A board that is plugged in elsewhere is back within this time.
const REPLUG: Duration = Duration::from_secs(2);

/// Numbers of a board that says that it is one, and of a chip that is in everything.
pub(crate) const BOARD: &str = "045b:8111";
pub(crate) const GENERIC: &str = "0403:6001";

/// A machine with sockets for boards.
pub(crate) struct Machine {
    pub(crate) root: TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["dev", "sys/class/tty", "sys/devices", "boards"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    /// A board that tells the number 10000 + `seed`, not plugged in yet.
    fn board(&self, seed: u64) -> (Played, PathBuf) {
        let end = self.root.path().join(format!("boards/{seed}-{}", fastrand::u32(..)));
        let board = played::board(&demo_game(LONG), Noise::Clean, seed);
        let (players, _) = Played::on_terminal(board, 1.0, &end);
        (players, end)
    }

    fn port(&self, tty: &str) -> String {
        format!("serial:{}", self.root.path().join("dev").join(tty).display())
    }

    /// What the kernel does when something is plugged in.
    pub(crate) fn plug(&self, tty: &str, id: &str, end: &Path) {
        let root = self.root.path();
        let device = root.join("sys/devices").join(tty);
        fs::create_dir_all(&device).unwrap();
        let (vendor, product) = id.split_once(':').unwrap();
        fs::write(device.join("idVendor"), vendor).unwrap();
        fs::write(device.join("idProduct"), product).unwrap();
        fs::write(device.join("manufacturer"), if id == BOARD { "DGT" } else { "FTDI" }).unwrap();
        fs::create_dir_all(root.join("sys/class/tty").join(tty)).unwrap();
        // Left behind by the last one that had the name.
        let _old = fs::remove_file(root.join("sys/class/tty").join(tty).join("device"));
        symlink(&device, root.join("sys/class/tty").join(tty).join("device")).unwrap();
        symlink(end, root.join("dev").join(tty)).unwrap();
    }

    fn unplug(&self, tty: &str) {
        fs::remove_file(self.root.path().join("dev").join(tty)).unwrap();
    }

    fn discovery(&self, boards: &[(&str, Option<&str>)], adds: bool) -> Discovery {
        let wanted = |(board, serial): &(&str, Option<&str>)| Wanted {
            board: (*board).to_owned(),
            serial: serial.map(str::to_owned),
            protocol: None,
            is_auto: true,
        };
        Discovery {
            devices: Devices::below(self.root.path()),
            ports: Vec::new(),
            adds: adds.then(|| Box::new(Open::new("", "dgt", "auto"))),
            wanted: boards.iter().map(wanted).collect(),
        }
    }
}

/// A hall in this process that looks for its boards.
struct Hall {
    daemon: Daemon,
    _folder: TempDir,
}

impl Hall {
    async fn open(discovery: Discovery) -> Self {
        Self::open_at(discovery, "auto").await
    }

    /// All boards are configured to be there.
    async fn open_at(discovery: Discovery, port: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let boards = discovery
            .wanted
            .iter()
            .map(|wanted| (Open::new(&wanted.board, "dgt", port), port.parse().unwrap()));
        let settings = Settings {
            boards: boards.collect(),
            discovery: Some(discovery),
            ..Settings::new(folder.path().join("journal"), reserved_address())
        };
        Self { daemon: Daemon::start(settings).await.unwrap(), _folder: folder }
    }

    fn board(&self, board: &str) -> Option<BoardStatus> {
        self.daemon.hall.boards_now().into_iter().find(|status| status.board == board)
    }

    fn port(&self, port: &str) -> Option<PortStatus> {
        self.daemon.hall.ports_now().into_iter().find(|status| status.port == port)
    }

    /// Waits until the board is heard at that port.
    async fn is_at(&self, board: &str, port: &str) {
        let is = || {
            self.board(board).filter(|status| status.state == "fresh" && status.port.as_deref() == Some(port))
        };
        awaited(
            &format!("board {board} at {port}: {:?}", self.daemon.hall.ports_now()),
            PATIENCE,
            async || is(),
        )
        .await;
    }

    /// Waits until that is known of a port.
    async fn knows(&self, port: &str, state: PortState) -> PortStatus {
        let is = || self.port(port).filter(|status| status.state == state);
        awaited(&format!("{port} {state:?}: {:?}", self.port(port)), PATIENCE, async || is()).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_is_its_number_wherever_it_is_plugged_in() {
    let machine = Machine::new();
    let (_one, first) = machine.board(1);
    let (_two, second) = machine.board(2);
    machine.plug("ttyACM0", BOARD, &second);
    let hall = Hall::open(machine.discovery(&[("a", Some("10001")), ("b", Some("10002"))], false)).await;
    hall.is_at("b", &machine.port("ttyACM0")).await;
    assert_eq!(hall.board("a").unwrap().state, "waiting");
    machine.plug("ttyACM1", BOARD, &first);
    hall.is_at("a", &machine.port("ttyACM1")).await;
    let told = hall.knows(&machine.port("ttyACM1"), PortState::Used).await;
    assert_eq!((told.board.as_deref(), told.serial.as_deref()), (Some("a"), Some("10001")));
    assert_eq!(told.usb_id.as_deref(), Some(BOARD));

    machine.unplug("ttyACM1");
    let is_out = || hall.board("a").filter(|status| status.port.is_none());
    awaited("a pulled out", PATIENCE, async || is_out()).await;
    let before = Instant::now();
    machine.plug("ttyACM7", BOARD, &first);
    hall.is_at("a", &machine.port("ttyACM7")).await;
    let taken = before.elapsed();
    println!("replugged under another name: {} ms", taken.as_millis());
    assert!(taken < REPLUG, "{taken:?}");

    // Both out, and each into the other's socket at once.
    machine.unplug("ttyACM0");
    machine.unplug("ttyACM7");
    machine.plug("ttyACM0", BOARD, &first);
    machine.plug("ttyACM7", BOARD, &second);
    hall.is_at("a", &machine.port("ttyACM0")).await;
    hall.is_at("b", &machine.port("ttyACM7")).await;
    let serials = ["a", "b"].map(|board| hall.board(board).unwrap().serial.unwrap());
    assert_eq!(serials, ["10001", "10002"]);
    hall.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_name_of_the_socket_is_the_name_of_the_port() {
    let machine = Machine::new();
    let (_players, end) = machine.board(3);
    machine.plug("ttyACM0", BOARD, &end);
    let hall = Hall::open(machine.discovery(&[("a", None)], false)).await;
    hall.is_at("a", &machine.port("ttyACM0")).await;
    // udev is late, and gives the name that stays after the board was found under the other.
    let by_path = machine.root.path().join("dev/serial/by-path");
    fs::create_dir_all(&by_path).unwrap();
    symlink(machine.root.path().join("dev/ttyACM0"), by_path.join("usb-1")).unwrap();
    hall.is_at("a", &machine.port("serial/by-path/usb-1")).await;
    hall.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn boards_that_nobody_named_are_called_by_their_numbers() {
    let machine = Machine::new();
    let (_one, first) = machine.board(11);
    let (_two, second) = machine.board(12);
    let hall = Hall::open(machine.discovery(&[], true)).await;
    assert!(hall.daemon.hall.boards_now().is_empty());
    machine.plug("rfcomm0", GENERIC, &first);
    machine.plug("ttyACM0", BOARD, &second);
    hall.is_at("10011", &machine.port("rfcomm0")).await;
    hall.is_at("10012", &machine.port("ttyACM0")).await;
    assert_eq!(hall.board("10011").unwrap().origin, "found");
    // It comes back as itself, and not as one more.
    machine.unplug("rfcomm0");
    machine.plug("ttyACM4", BOARD, &first);
    hall.is_at("10011", &machine.port("ttyACM4")).await;
    assert_eq!(hall.daemon.hall.boards_now().len(), 2);
    hall.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_boards_with_one_number_the_first_one_keeps_it() {
    let machine = Machine::new();
    let (_one, first) = machine.board(5);
    let (_two, second) = machine.board(5);
    machine.plug("ttyACM0", BOARD, &first);
    let hall = Hall::open(machine.discovery(&[], true)).await;
    hall.is_at("10005", &machine.port("ttyACM0")).await;
    machine.plug("ttyACM1", BOARD, &second);
    let told = hall.knows(&machine.port("ttyACM1"), PortState::Unused).await;
    let reason = told.reason.unwrap();
    assert!(
        reason.starts_with("two boards say that their number is 10005: the other one is board"),
        "{reason}"
    );
    assert!(told.advice.is_some());
    hall.is_at("10005", &machine.port("ttyACM0")).await;
    assert_eq!(hall.daemon.hall.boards_now().len(), 1);
    // Once the first one is gone, nobody claims the number but the second.
    machine.unplug("ttyACM0");
    hall.is_at("10005", &machine.port("ttyACM1")).await;
    hall.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_port_that_another_program_holds_is_taken_when_it_is_free() {
    let machine = Machine::new();
    let (_players, end) = machine.board(6);
    awaited("the terminal", PATIENCE, async || end.exists().then_some(())).await;
    let owner = tokio_serial::new(end.to_str().unwrap(), 9_600);
    let owner = tokio_serial::SerialPortBuilderExt::open_native_async(owner).unwrap();
    machine.plug("ttyACM0", BOARD, &end);
    let hall = Hall::open(machine.discovery(&[("a", None)], false)).await;
    let told = hall.knows(&machine.port("ttyACM0"), PortState::NoBoard).await;
    let reason = told.reason.unwrap();
    assert!(reason.starts_with("busy: ") && reason.contains("has it open"), "{reason}");
    // This process, or one that a test beside this one started just then: it has its files for a moment.
    assert!(reason.contains("(process "), "{reason}");
    drop(owner);
    hall.is_at("a", &machine.port("ttyACM0")).await;
    hall.daemon.stop().await;
}

/// A modem manager that asks for modems while we ask for boards.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_for_modems_in_between_hurt_nobody() {
    let machine = Machine::new();
    let (players, end) = machine.board(7);
    players.line.send(Line::Noisy).unwrap();
    machine.plug("ttyACM0", BOARD, &end);
    let hall = Hall::open(machine.discovery(&[("a", Some("10007"))], false)).await;
    hall.is_at("a", &machine.port("ttyACM0")).await;
    hall.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_may_be_anybody_s_is_asked_only_if_it_is_named() {
    let machine = Machine::new();
    let (_players, end) = machine.board(8);
    machine.plug("ttyUSB0", GENERIC, &end);
    let port = machine.port("ttyUSB0");
    {
        let hall = Hall::open(machine.discovery(&[], true)).await;
        let told = hall.knows(&port, PortState::NotAsked).await;
        assert!(told.reason.unwrap().contains(GENERIC));
        assert_eq!(
            told.advice.unwrap(),
            format!("if a board is there, set ports = [\"{port}\"] in [discovery]")
        );
        sleep(Duration::from_millis(500)).await;
        assert!(hall.daemon.hall.boards_now().is_empty());
        hall.daemon.stop().await;
    }
    let named = Discovery { ports: vec![port.parse().unwrap()], ..machine.discovery(&[], true) };
    let hall = Hall::open(named).await;
    hall.is_at("10008", &port).await;
    hall.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn boards_of_serial_servers_are_found_and_other_servers_are_no_boards() {
    let machine = Machine::new();
    let (_players, board) = Played::on_tcp(played::board(&demo_game(LONG), Noise::Clean, 9), 1.0);
    let modem = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = format!("tcp://{}", modem.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let Ok((mut stream, _)) = modem.accept().await else { return };
            tokio::spawn(async move {
                let mut bytes = [0; 64];
                while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {
                    if stream.write_all(b"\r\nERROR\r\n").await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    let ports = [&board, &other].map(|port| port.parse().unwrap()).to_vec();
    let hall = Hall::open(Discovery { ports, ..machine.discovery(&[], true) }).await;
    hall.is_at("10009", &board).await;
    let told = hall.knows(&other, PortState::NoBoard).await;
    assert!(told.reason.unwrap().starts_with("something answers that is no board"));
    assert_eq!(hall.daemon.hall.boards_now().len(), 1);
    hall.daemon.stop().await;
}

/// Waits until a board's port can be reached.
async fn listens(port: &str) {
    let address = port.strip_prefix("tcp://").unwrap();
    awaited("a listener", PATIENCE, async || TcpStream::connect(address).await.ok().map(drop)).await;
}

/// A board of this kind on a TCP port.
fn of_kind(protocol: &'static str, occupancy: bool) -> (Played, String) {
    let game = demo_game(LONG);
    let config = BoardConfig { protocol, occupancy, serial: 10_021, ..BoardConfig::default() };
    let game = Game::from(&game);
    Played::on_tcp(VirtualBoard::new(&game, config), 1.0)
}

/// Boards that share a line are not among them: each of them has an address.
fn kinds() -> impl Iterator<Item = &'static Model> {
    MODELS.iter().filter(|model| model.protocol != "dgt-bus")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_board_is_told_from_the_others() {
    let mut probes = JoinSet::new();
    for model in kinds() {
        let (players, port) = of_kind(model.protocol, model.names_men == Some(false));
        listens(&port).await;
        let port: Port = port.parse().unwrap();
        probes.spawn(async move {
            let before = Instant::now();
            let found = probe(&port, &protocols_for(&Candidate::named(&port))).await;
            drop(players);
            (model.protocol, found, before.elapsed())
        });
    }
    while let Some(probed) = probes.join_next().await {
        let (protocol, found, taken) = probed.unwrap();
        println!("{protocol}: {} ms", taken.as_millis());
        assert_eq!(found.map(|found| found.protocol).map_err(|error| error.to_string()), Ok(protocol));
    }
}

/// Plays the board to whoever connects, and gives all bytes that it was sent.
async fn speaks(mut device: Box<dyn Device>, listener: TcpListener, asked: mpsc::UnboundedSender<Vec<u8>>) {
    let since = Instant::now();
    while let Ok((mut stream, _)) = listener.accept().await {
        let mut bytes = [0; 512];
        loop {
            let now_ns = u64::try_from(since.elapsed().as_nanos()).unwrap();
            let mut said = Vec::new();
            device.poll(now_ns, &mut said);
            if stream.write_all(&said).await.is_err() {
                break;
            }
            match timeout(Duration::from_millis(20), stream.read(&mut bytes)).await {
                Ok(Ok(count)) if count > 0 => {
                    device.receive(&bytes[..count], now_ns);
                    asked.send(bytes[..count].to_vec()).unwrap();
                }
                Ok(_) => break,
                Err(_) => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_speaks_by_itself_hears_its_own_protocol_alone() {
    for protocol in ["certabo", "sentio"] {
        let model = kinds().find(|model| model.protocol == protocol).unwrap();
        let config =
            FirmwareConfig { occupancy: model.names_men == Some(false), ..FirmwareConfig::default() };
        let device = (model.device)(config, &ChessPosition::default().contents());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port: Port = format!("tcp://{}", listener.local_addr().unwrap()).parse().unwrap();
        let (asked, mut was_asked) = mpsc::unbounded_channel();
        let board = tokio::spawn(speaks(device, listener, asked));
        let found = probe(&port, &protocols_for(&Candidate::named(&port))).await;
        board.abort();
        assert_eq!(found.map(|found| found.protocol).map_err(|error| error.to_string()), Ok(protocol));
        // Whatever it is sent it shows with its lamps.
        let mut heard = Vec::new();
        while let Ok(bytes) = was_asked.try_recv() {
            heard.extend(bytes);
        }
        assert_eq!(heard, Vec::<u8>::new(), "{protocol}");
    }
}

/// A board at a port of the configuration, which does not say what it speaks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_configured_board_speaks_is_found_out() {
    let Some(model) = kinds().find(|model| model.protocol != "dgt") else {
        panic!("there are several kinds of boards");
    };
    let (_players, port) = of_kind(model.protocol, model.names_men == Some(false));
    let machine = Machine::new();
    let mut discovery = machine.discovery(&[("a", None)], false);
    discovery.wanted[0].is_auto = false;
    let hall = Hall::open_at(discovery, &port).await;
    let is = || hall.board("a").filter(|status| status.state == "fresh" && status.protocol == model.protocol);
    let patience = Duration::from_secs(40);
    awaited(&format!("a understood: {:?}", hall.board("a")), patience, async || is()).await;
    assert_eq!(hall.board("a").unwrap().port, Some(port));
    hall.daemon.stop().await;
}

async fn adoube(arguments: Vec<String>, runtime: PathBuf) -> Output {
    let run = move || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        command.args(arguments).env("RUNTIME_DIRECTORY", runtime).output().unwrap()
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_daemon_the_command_asks_itself() {
    let machine = Machine::new();
    let (_players, end) = machine.board(13);
    awaited("the terminal", PATIENCE, async || end.exists().then_some(())).await;
    machine.plug("ttyACM0", BOARD, &end);
    machine.plug("ttyUSB0", GENERIC, Path::new("/dev/null"));
    let root = machine.root.path();
    let command = format!("boards --json --devices {}", root.display());
    let output = adoube(words(&command), root.to_owned()).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows.len(), 2, "{rows:?}");
    for (key, value) in
        [("port", machine.port("ttyACM0")), ("serial", "10013".into()), ("protocol", "dgt".into())]
    {
        assert_eq!(rows[0][key], value, "{rows:?}");
    }
    assert!(rows[0]["answers"] == true && rows[0]["version"].is_string(), "{rows:?}");
    assert_eq!((&rows[1]["answers"], &rows[1]["state"]), (&false.into(), &"not-asked".into()));

    let nobody = reserved_address();
    let folder = tempfile::tempdir().unwrap();
    let command = format!("boards --devices {} tcp://{nobody}", folder.path().display());
    let output = adoube(words(&command), root.to_owned()).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("PORT ") && text.contains("no board"), "{text}");
    assert!(text.contains("is the serial server running, and the address right?"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_daemon_is_asked_first() {
    let (_players, port) = Played::on_tcp(played::board(&demo_game(LONG), Noise::Clean, 14), 1.0);
    let site = Site::new(1.0, std::slice::from_ref(&port));
    let _daemon = site.start();
    let row = async || {
        let rows = get(site.desk, "/api/v1/ports").await.json();
        rows.as_array()?.iter().find(|row| row["port"] == port && row["answers"] == true).cloned()
    };
    let row = awaited("the port in use", PATIENCE, row).await;
    assert_eq!((&row["board"], &row["state"]), (&"1".into(), &"used".into()), "{row}");
    let output = adoube(words("boards"), site.path().join("runtime")).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().any(|line| line.starts_with(&port) && line.contains("in use")), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("as the running daemon has it"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_finds_out_what_the_board_speaks() {
    let (_players, port) = Played::on_tcp(played::board(&demo_game(LONG), Noise::Clean, 15), 1.0);
    listens(&port).await;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("board.jsonl");
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.args(["record", &port, "--out"]).arg(&out).kill_on_drop(true);
    let _child = command.spawn().unwrap();
    let recorded = async || {
        let text = fs::read_to_string(&out).ok()?;
        (text.lines().count() > 3).then_some(text)
    };
    let text = awaited("a recording", PATIENCE, recorded).await;
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(header["protocol"], "dgt", "{header}");
    assert!(text.contains("\"rx\""), "{text}");
}
