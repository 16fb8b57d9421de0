//! `docs/hall.md`: its commands are run in its order, as one story, on boards at which two games are played.
//!
//! The commands are the document's own. Only places are others: the service's folders lie in one of ours, addresses
//! are free ones on loopback, the boards are simulated. `sudo` is nobody else here, and `systemctl` starts and stops
//! a daemon of the test. What would change this machine is not run: it has to be one of a few commands, whose names and
//! files are looked up.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use adoube_rules::sensor::Side;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::timeout;

use crate::daemon::{Daemon, PATIENCE, awaited, reserved_address};
use adoube::drill::LiveBoard;

/// A second of the hall takes an eighth of one.
const SPEED: f64 = 8.0;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn document() -> String {
    std::fs::read_to_string(root().join("docs/hall.md")).unwrap()
}

/// What the document has for whoever follows it.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    /// A line for the shell.
    Command(String),
    /// A file with its content.
    File { name: String, content: String },
}

/// The fenced blocks, in their order; a block that names a file is one.
fn steps() -> Vec<Step> {
    let mut steps = Vec::new();
    for block in document().split("\n```").skip(1).step_by(2) {
        let (head, body) = block.split_once('\n').unwrap();
        match head.split_once(' ') {
            Some((_, name)) => steps.push(Step::File { name: name.to_owned(), content: body.to_owned() }),
            None if head == "sh" => steps.extend(body.lines().map(str::to_owned).map(Step::Command)),
            None => panic!("a block of {head} that nothing is done with"),
        }
    }
    steps
}

/// Where the story happens.
struct Place {
    folder: TempDir,
    boards: Vec<LiveBoard>,
    /// What stands in the document, and what we have instead.
    instead: Vec<(&'static str, String)>,
    service: Option<Daemon>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["etc", "state", "run"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let setting = "5400+30".parse().unwrap();
        let boards: Vec<LiveBoard> =
            (0..3).map(|_| LiveBoard::new(START, setting, SPEED, reserved_address())).collect();
        let below = |name: &str| folder.path().join(name).display().to_string();
        let (desk, public) = (reserved_address(), reserved_address());
        let instead = vec![
            ("/etc/adoube", below("etc")),
            ("/var/lib/adoube", below("state")),
            ("serial:/dev/serial/by-path/pci-0000:00:14.0-usb-0:1.1:1.0", boards[0].port()),
            ("serial:/dev/serial/by-path/pci-0000:00:14.0-usb-0:1.2:1.0", boards[1].port()),
            ("tcp://192.168.1.9:4001", boards[2].port()),
            ("0.0.0.0:8064", desk.to_string()),
            ("localhost:8064", desk.to_string()),
            ("0.0.0.0:8080", public.to_string()),
        ];
        Self { folder, boards, instead, service: None }
    }

    fn ours(&self, text: &str) -> String {
        self.instead.iter().fold(text.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
    }

    fn path(&self, name: &str) -> PathBuf {
        // A path from the root stays one.
        self.folder.path().join(self.ours(name))
    }

    /// With the surroundings of the service; nobody types where it has its folders.
    fn around(&self, command: &mut std::process::Command) {
        let binary = Path::new(env!("CARGO_BIN_EXE_adoube")).parent().unwrap();
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
        let folder = self.folder.path();
        command.current_dir(folder).env("PATH", path).env("HOME", folder).env("USER", "operator");
        command.env("CONFIGURATION_DIRECTORY", folder.join("etc"));
        command.env("STATE_DIRECTORY", folder.join("state")).env("RUNTIME_DIRECTORY", folder.join("run"));
    }

    async fn start(&mut self) {
        // Before there is a configuration it is at the usual port, where a demonstration may be just now.
        let started = awaited("start of the daemon", PATIENCE, async || {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_adoube"));
            command.args(["run", "--speed", &SPEED.to_string()]);
            self.around(&mut command);
            let log = std::fs::OpenOptions::new().create(true).append(true).open(self.path("log")).unwrap();
            command.stderr(log);
            let (daemon, link) = Daemon::spawn(command);
            if link.contains("#login=") {
                return Some(daemon);
            }
            let log = self.log();
            let is_taken = log.lines().last().is_some_and(|last| last.contains("Address already in use"));
            assert!(is_taken, "it does not start: {link} {log}");
            None
        });
        self.service = Some(started.await);
    }

    async fn stop(&mut self) {
        let Some(daemon) = self.service.take() else { return };
        assert_eq!(daemon.terminate().await, Some(0), "{}", self.log());
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    async fn shell(&self, line: &str) -> Output {
        let mut command = std::process::Command::new("bash");
        command.args(["-c", &self.ours(line)]);
        self.around(&mut command);
        let output = timeout(PATIENCE, Command::from(command).kill_on_drop(true).output()).await;
        output.unwrap_or_else(|_| panic!("{line}: takes too long; {}", self.log())).unwrap()
    }

    async fn follow(&mut self, step: &Step) {
        match step {
            Step::File { name, content } => std::fs::write(self.path(name), self.ours(content)).unwrap(),
            Step::Command(line) => {
                let plain = line.strip_prefix("sudo ").unwrap_or(line);
                if let Some(what) = plain.strip_prefix("systemctl ") {
                    self.systemctl(line, what).await;
                } else if changes_the_machine(plain) {
                    println!("not run: {line}");
                } else {
                    let output = self.shell(plain).await;
                    let may_say_no = match plain {
                        // What is wrong with this machine is wrong with it.
                        "adoube doctor" => true,
                        // Nobody can plug our boards in: they are found once they are named.
                        "adoube boards" => !self.path("/etc/adoube/adoube.toml").exists(),
                        _ => false,
                    };
                    let is_right =
                        matches!((output.status.code(), may_say_no), (Some(0), _) | (Some(1), true));
                    assert!(is_right, "docs/hall.md: {line}\n{output:?}\n{}", self.log());
                }
            }
        }
    }

    /// What it does with the service is done with our daemon.
    async fn systemctl(&mut self, line: &str, what: &str) {
        match what {
            "start adoube" => self.start().await,
            "stop adoube" => self.stop().await,
            "restart adoube" => {
                self.stop().await;
                self.start().await;
            }
            "reload adoube" => {
                self.service.as_ref().unwrap().signal("-HUP");
                let output = self.shell("adoube round list").await;
                assert!(output.status.success(), "after {line}: {output:?}\n{}", self.log());
            }
            "status adoube" => {}
            _ => panic!("docs/hall.md: {line}: not a verb that this test knows"),
        }
    }

    /// The spare has been given the second game: both end in the shortest mate.
    async fn play(&self) {
        for board in [&self.boards[0], &self.boards[2]] {
            board.hands(4_000).await;
            board.start_clock();
            for (squares, side) in
                [("f2f3", Side::White), ("e7e5", Side::Black), ("g2g4", Side::White), ("d8h4", Side::Black)]
            {
                board.play(squares, side).await;
            }
            board.stop_clock();
        }
    }

    /// Waits until both games have their results.
    async fn awaits_results(&self) {
        let look = async {
            loop {
                let output = self.shell("adoube pairings list --json").await;
                let list = String::from_utf8(output.stdout).unwrap();
                if list.matches("\"state\":\"finished\"").count() == 2 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        let in_time = timeout(PATIENCE, look).await;
        let list = self.shell("adoube pairings list --json").await;
        assert!(in_time.is_ok(), "{list:?}\n{}", self.log());
    }
}

/// Is it a command that this test must not run? Then what it names is there.
fn changes_the_machine(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["apt", "install", package] | ["apt", "install", "curl", package] => {
            let architecture = concat!("./adoube_", env!("CARGO_PKG_VERSION"), "-1_amd64.deb");
            assert_eq!(*package, architecture, "{line}");
            true
        }
        ["usermod", "-aG", group, "\"$USER\""] => {
            let groups = std::fs::read_to_string(root().join("systemd/adoube.sysusers")).unwrap();
            assert!(groups.contains(&format!("\ng {group} ")), "{line}: nobody makes that group");
            true
        }
        ["journalctl", "-u", unit, ..] => {
            assert!(root().join(format!("systemd/{unit}.service")).is_file(), "{line}");
            true
        }
        _ => false,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_works_in_the_order_in_which_it_stands_there() {
    let mut place = Place::new();
    let steps = steps();
    assert!(steps.len() > 30, "{steps:?}");
    // The package has started it.
    place.start().await;
    for step in &steps {
        place.follow(step).await;
        if *step == Step::Command("adoube round open 1".to_owned()) {
            place.play().await;
            place.awaits_results().await;
        }
    }
    place.stop().await;
    let games = std::fs::read_to_string(place.path("games.pgn")).unwrap();
    for (white, black) in [("Anderssen, Adolf", "Kieseritzky, Lionel"), ("Morphy, Paul", "Paulsen, Louis")] {
        let names = format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"0-1\"]");
        assert!(games.contains(&names), "{games}");
    }
    assert_eq!(games.matches("Qh4#").count(), 2, "{games}");
}

/// What the document names beside commands is there, too.
#[test]
fn every_link_leads_somewhere() {
    let (document, docs) = (document(), root().join("docs"));
    let mut tried = 0;
    for link in document.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let text = std::fs::read_to_string(docs.join(file)).unwrap_or_else(|error| panic!("{link}: {error}"));
        let anchor = |line: &str| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            title.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect::<String>().replace(' ', "-")
        };
        let has =
            heading.is_empty() || text.lines().any(|line| line.starts_with('#') && anchor(line) == heading);
        assert!(has, "{link}: no such heading");
        tried += 1;
    }
    assert!(tried > 3, "{tried}");
}
