//! The first day at a club: a daemon without a configuration asks for one, writes it, and begins anew with it.

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use adoube_sim::FirmwareConfig;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt as _, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_serial::{SerialPort as _, SerialStream};

use crate::axe;
use crate::browser::{Theme, browser};
use crate::daemon::{Daemon, PATIENCE, awaited, nowhere};
use crate::desk_data::{Hand, start};
use crate::discovery::{BOARD, GENERIC, Machine};
use crate::http::{Answer, Events, Heard, moves, parts, stranger};
use crate::service::sockets::handing;
use crate::tls::trusting;

/// As fast as the boards.
const SPEED: &str = "5";

/// A club with some boards, and a computer on which adoube was never started.
struct Club {
    machine: Machine,
    home: TempDir,
    socket: TcpListener,
    boards: Vec<Hand>,
    cables: Vec<JoinHandle<()>>,
}

impl Drop for Club {
    fn drop(&mut self) {
        self.cables.iter().for_each(JoinHandle::abort);
    }
}

impl Club {
    /// Boards with these numbers.
    fn new(serials: &[u32]) -> Self {
        let (machine, home) = (Machine::new(), tempfile::tempdir().unwrap());
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut club = Self { machine, home, socket, boards: Vec::new(), cables: Vec::new() };
        for (index, serial) in serials.iter().enumerate() {
            club.plug(&format!("ttyACM{index}"), BOARD, *serial);
        }
        club
    }

    /// Plugs in a board with that number.
    fn plug(&mut self, tty: &str, id: &str, serial: u32) {
        let hand = Hand::new(&start(), FirmwareConfig { serial, ..FirmwareConfig::default() });
        let address: SocketAddr = hand.port.strip_prefix("tcp://").unwrap().parse().unwrap();
        let (mut board_end, host_end) = SerialStream::pair().unwrap();
        self.machine.plug(tty, id, host_end.name().unwrap().as_ref());
        self.cables.push(tokio::spawn(async move {
            // The host's end stays open here too, so that hosts can come and go.
            let _host_end = host_end;
            let mut stream =
                awaited("the board", PATIENCE, async || TcpStream::connect(address).await.ok()).await;
            let _gone = copy_bidirectional(&mut board_end, &mut stream).await;
        }));
        self.boards.push(hand);
    }

    fn desk(&self) -> SocketAddr {
        self.socket.local_addr().unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn config(&self) -> PathBuf {
        self.path("config/adoube/adoube.toml")
    }

    fn adoube(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        command.args(arguments).env("HOME", self.home.path());
        command.env("XDG_CONFIG_HOME", self.path("config")).env("XDG_STATE_HOME", self.path("state"));
        command.env("XDG_RUNTIME_DIR", self.home.path());
        command
    }

    /// `adoube run`, whose desk is at a socket that nobody else has.
    fn run(&self) -> (Daemon, String) {
        let devices = self.machine.root.path().to_str().unwrap();
        let command = self.adoube(&["run", "--speed", SPEED, "--devices", devices]);
        let mut command = handing(&command, &self.socket, "desk");
        command.stderr(nowhere());
        Daemon::spawn(command)
    }
}

/// Who holds a session.
struct Arbiter {
    desk: SocketAddr,
    cookie: String,
}

impl Arbiter {
    async fn by(link: &str) -> Self {
        let (desk, token) = parts(link);
        let body = json!({ "token": token }).to_string();
        let answer = stranger(desk, "POST", "/api/v1/login", &[], &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap();
        Self { desk, cookie: format!("Cookie: {cookie}") }
    }

    async fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let origin = format!("Origin: http://{}", self.desk);
        stranger(self.desk, method, &format!("/api/v1/{path}"), &[&self.cookie, &origin], &body).await
    }

    async fn boards(&self) -> Vec<String> {
        let boards = self.ask("GET", "boards", &Value::Null).await.json();
        boards.as_array().unwrap().iter().map(|board| board["board"].as_str().unwrap().to_owned()).collect()
    }
}

/// From the printed link to the desk of the club's tournament, in a browser.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_club_sets_itself_up_by_lifting_kings() {
    let Some(browser) = browser().await else { return };
    let mut club = Club::new(&[20_011, 20_012, 20_013]);
    club.plug("ttyUSB0", GENERIC, 20_014);
    let (daemon, link) = club.run();
    browser.client.set_window_size(1_280, 1_000).await.unwrap();
    browser.client.goto(&link).await.unwrap();
    browser.sees("document.querySelector('#views[data-view=set-up] .found li:nth-child(3)') != null").await;
    let named = |board: &str, name: &str| {
        format!("document.querySelector('.found input[data-board=\"{board}\"]')?.value === '{name}'")
    };
    // A sensor that flickers is nobody who lifts.
    club.boards[2].lift("e1");
    sleep(Duration::from_millis(150)).await;
    club.boards[2].place("e1", 'K');
    // In the order in which somebody walks along them.
    club.boards[1].lift("e1");
    browser.sees(&named("20012", "1")).await;
    browser.sees("document.querySelector('.lift').textContent.includes('2')").await;
    club.boards[1].place("e1", 'K');
    club.boards[0].lift("e1");
    browser.sees(&named("20011", "2")).await;
    // It has a name: it only shows which one it is.
    club.boards[0].place("e1", 'K');
    club.boards[1].lift("e8");
    browser.sees("document.querySelector('.found li.lifted input').dataset.board === '20012'").await;
    assert_eq!(browser.sees(&format!("{} && {}", named("20012", "1"), named("20013", ""))).await, true);
    club.boards[1].place("e8", 'k');
    // Nothing was sent to a port that may be anybody's.
    assert_eq!(browser.sees("document.querySelectorAll('.found li').length").await, 3);
    browser.click(".ports button").await;
    browser.sees(&named("ttyUSB0", "")).await;
    browser.sees("!document.querySelector('.found li:nth-child(4)').innerText.includes('not heard')").await;
    club.boards[3].lift("e1");
    browser.sees(&named("ttyUSB0", "3")).await;
    club.boards[3].place("e1", 'K');
    browser.types(".set-up-view input[name=name]", "Club \"Open\"").await;
    browser.types(".set-up-view textarea[name=names]", "Anna").await;
    browser.sees("document.querySelector('.toml').textContent.includes('Club')").await;
    browser.sees("!document.querySelector('.set-up-view .first').disabled").await;
    assert!(!club.config().exists(), "nothing is written before it is said");
    for (width, theme) in [(1_280, Theme::Light), (390, Theme::Dark)] {
        browser.shows(width, 1_000, theme).await;
        assert_eq!(axe::found(&browser, "the set-up").await, [""; 0]);
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.sees(fits).await, true, "{width}");
    }
    let shown = browser.sees("document.querySelector('.toml').textContent").await;
    browser.click(".set-up-view .first").await;
    browser.sees("document.querySelector('.written .on')?.disabled === false").await;
    assert_eq!(axe::found(&browser, "what was written").await, [""; 0]);
    assert_eq!(std::fs::read_to_string(club.config()).unwrap(), shown.as_str().unwrap(), "as it was shown");
    let token = browser.sees("document.querySelector('.written code').textContent").await;
    browser.click(".written .on").await;
    browser.sees("document.querySelector('#views[data-view=list] .row[data-board=\"2\"]') != null").await;
    browser.sees("document.getElementById('tournament').textContent === 'Club \"Open\"'").await;
    browser.close().await;
    began_with_it(&club, token.as_str().unwrap()).await;
    assert_eq!(daemon.terminate().await, Some(0));
    let checked = club.adoube(&["config", "check"]).output().unwrap();
    assert_eq!(
        String::from_utf8(checked.stdout).unwrap(),
        format!("{}: ok, 3 boards\n", club.config().display())
    );
    let verified = club.adoube(&["verify"]).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

async fn began_with_it(club: &Club, token: &str) {
    // What was written is what it began with, and whoever was named gets in.
    let anna = Arbiter::by(&format!("http://{}/#login={}", club.desk(), token)).await;
    assert_eq!(anna.ask("GET", "session", &Value::Null).await.json()["name"], "Anna");
    assert_eq!(anna.boards().await, ["1", "2", "3"]);
    let one = awaited("the first board", PATIENCE, async || {
        let one = anna.ask("GET", "boards", &Value::Null).await.json()[0].clone();
        (one["serial"] == "20012" && one["state"] == "fresh").then_some(one)
    })
    .await;
    assert_eq!(one["origin"], "configured");
    // Nothing is left of the boards' old names.
    awaited("a game at each board", PATIENCE, async || {
        let games = anna.ask("GET", "games", &Value::Null).await.json();
        let open = games.as_array()?.iter().filter(|game| game["closed"] != true);
        let boards: BTreeSet<String> = open.map(|game| game["board"].as_str().unwrap().to_owned()).collect();
        (boards == BTreeSet::from(["1", "2", "3"].map(str::to_owned))).then_some(())
    })
    .await;
    let first_day = anna.ask("GET", "set-up", &Value::Null).await.json();
    assert_eq!(first_day["file"], Value::Null);
    let again = anna.ask("PUT", "set-up", &json!({ "name": "Other" })).await;
    assert_eq!(again.status, 409, "{}", again.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_makes_no_configuration_is_said_before_it_is_written() {
    let club = Club::new(&[20_021]);
    let (daemon, link) = club.run();
    let arbiter = Arbiter::by(&link).await;
    let first_day = arbiter.ask("GET", "set-up", &Value::Null).await.json();
    assert_eq!(first_day["file"], club.config().to_str().unwrap());
    awaited("the board", PATIENCE, async || (arbiter.boards().await == ["20021"]).then_some(())).await;
    let two = json!([{ "board": "20021", "id": "1" }, { "board": "20021", "id": "1" }]);
    let wrong = [
        (json!({ "time_control": "90min" }), "time control"),
        (json!({ "profile": "fide-2024-rapid" }), "profile"),
        (json!({ "boards": two }), "each board needs an id of its own"),
        (json!({ "boards": [{ "board": "20021", "id": "1/2" }] }), "cannot be the name of a board"),
        (json!({ "pgn": "games" }), "needs its whole path"),
        (json!({ "lichess_round": "https://lichess.org/broadcast/x/y/abcdefgh" }), "needs a token"),
        (json!({ "lichess_round": "abcdefgh", "lichess_token": "lip x" }), "no space"),
        (json!({ "lichess_round": "short", "lichess_token": "lip_x" }), "no id of a Lichess round"),
    ];
    for (said, why) in wrong {
        let draft = arbiter.ask("POST", "set-up/draft", &said).await.json();
        assert!(draft["problem"].as_str().unwrap_or_default().contains(why), "{said}: {draft}");
        let refused = arbiter.ask("PUT", "set-up", &said).await;
        assert_eq!((refused.status, refused.body.contains(why)), (422, true), "{said}: {}", refused.body);
    }
    let gone = arbiter.ask("PUT", "set-up", &json!({ "boards": [{ "board": "7", "id": "1" }] })).await;
    assert_eq!(gone.status, 409, "{}", gone.body);
    // A folder in which nothing can be written, and a place for the file that is none.
    std::fs::write(club.path("state/file"), "").unwrap();
    let pgn = json!({ "pgn": club.path("state/file/pgn") });
    let refused = arbiter.ask("PUT", "set-up", &pgn).await;
    assert_eq!((refused.status, refused.body.contains("PGN")), (422, true), "{}", refused.body);
    std::fs::write(club.path("config"), "").unwrap();
    let refused = arbiter.ask("PUT", "set-up", &json!({ "name": "Open" })).await;
    assert_eq!((refused.status, refused.body.contains("copy the text")), (503, true), "{}", refused.body);
    // Who wrote one by hand meanwhile keeps it.
    std::fs::remove_file(club.path("config")).unwrap();
    std::fs::create_dir_all(club.path("config/adoube")).unwrap();
    std::fs::write(club.config(), "[tournament]\nname = \"By hand\"\n").unwrap();
    let refused = arbiter.ask("PUT", "set-up", &json!({ "name": "Open" })).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(std::fs::read_to_string(club.config()).unwrap().contains("By hand"));
    // The desk goes on as if nothing had been asked.
    assert_eq!(arbiter.boards().await, ["20021"]);
    assert_eq!(daemon.terminate().await, Some(0));
}

/// Others see nothing of it, and change nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_an_arbiter_sets_the_hall_up() {
    let club = Club::new(&[]);
    let (_daemon, link) = club.run();
    let arbiter = Arbiter::by(&link).await;
    let body = json!({ "role": "operator", "name": "Ola" });
    let token = arbiter.ask("POST", "tokens", &body).await.json()["token"].as_str().unwrap().to_owned();
    let header = format!("Authorization: Bearer {token}");
    for (method, path, body) in
        [("GET", "set-up", ""), ("POST", "set-up/draft", "{}"), ("PUT", "set-up", "{}")]
    {
        let path = format!("/api/v1/{path}");
        assert_eq!(
            stranger(club.desk(), method, &path, &[&header], body).await.status,
            403,
            "{method} {path}"
        );
        assert_eq!(stranger(club.desk(), method, &path, &[], body).await.status, 401, "{method} {path}");
    }
    assert!(!club.config().exists());
}

/// Somebody who writes nothing but a name has the hall that he had, with a name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_is_played_meanwhile_goes_on() {
    let club = Club::new(&[20_031]);
    let (daemon, link) = club.run();
    let arbiter = Arbiter::by(&link).await;
    let game = async |arbiter: &Arbiter| {
        let board = arbiter.ask("GET", "boards/20031", &Value::Null).await.json();
        board["game"].is_object().then(|| board["game"].clone())
    };
    let opened = awaited("the game", PATIENCE, async || game(&arbiter).await).await;
    club.boards[0].lift("e2");
    club.boards[0].place("e4", 'P');
    let has_move = |game: &Value| moves(game) == ["e2e4"];
    awaited("the move", PATIENCE, async || game(&arbiter).await.filter(has_move)).await;
    // It would lose its board.
    let renamed = json!({ "boards": [{ "board": "20031", "id": "1" }] });
    let mut elsewhere = Events::open(club.desk(), None).await.unwrap();
    elsewhere.message(PATIENCE).await;
    let refused = arbiter.ask("PUT", "set-up", &renamed).await;
    assert_eq!((refused.status, refused.body.contains("is being played")), (422, true), "{}", refused.body);
    let written = arbiter.ask("PUT", "set-up", &json!({ "name": "Open", "pgn": club.path("pgn") })).await;
    assert_eq!(written.status, 200, "{}", written.body);
    // Whoever looks on from elsewhere is told by the end of his stream, and comes back.
    let ended = timeout(PATIENCE, async { while !matches!(elsewhere.next().await, Heard::End) {} }).await;
    assert!(ended.is_ok(), "it hears a daemon that is gone");
    // The daemon that begins anew knows nobody.
    awaited("the desk", PATIENCE, async || {
        let session = stranger(club.desk(), "GET", "/api/v1/session", &[&arbiter.cookie], "").await;
        (session.json()["role"] == "spectator").then_some(())
    })
    .await;
    let arbiter = Arbiter::by(written.json()["desk"].as_str().unwrap()).await;
    let after = awaited("the game", PATIENCE, async || game(&arbiter).await.filter(has_move)).await;
    assert_eq!(after["game"], opened["game"]);
    assert_eq!(daemon.terminate().await, Some(0));
}

/// The desk is for the arbiter's telephone, too: from then on it speaks nothing but TLS.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_desk_is_opened_to_other_devices_with_a_certificate() {
    let club = Club::new(&[]);
    let (daemon, link) = club.run();
    let arbiter = Arbiter::by(&link).await;
    let said = json!({ "elsewhere": true, "lichess_round": "abcdefgh", "lichess_token": " lip_x " });
    let written = arbiter.ask("PUT", "set-up", &said).await;
    assert_eq!(written.status, 200, "{}", written.body);
    let written = written.json();
    let client = trusting(&club.path("state/adoube/certificate.pem")).build().unwrap();
    let (desk, token) = written["desk"].as_str().unwrap().split_once("/#login=").unwrap();
    assert_eq!(desk, format!("https://{}", club.desk()));
    let login = json!({ "token": token }).to_string();
    let session = awaited("the desk", PATIENCE, async || {
        let ask = client.post(format!("{desk}/api/v1/login")).header("content-type", "application/json");
        ask.body(login.clone()).send().await.ok()
    })
    .await;
    assert_eq!(session.status(), 200);
    assert_eq!(written["fingerprint"].as_str().unwrap().len(), 32 * 3 - 1, "{written}");
    assert_eq!((&written["arbiters"], &written["spectators"]), (&json!([]), &Value::Null));
    assert!(written["elsewhere"].as_str().unwrap().ends_with(":8064/"), "{written}");
    // Secrets are for their owner alone.
    for file in ["key.pem", "lichess.token"] {
        let mode = std::fs::metadata(club.path("state/adoube").join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let text = std::fs::read_to_string(club.config()).unwrap();
    assert!(text.contains("lichess.token") && !text.contains("lip_x"), "{text}");
    assert_eq!(std::fs::read_to_string(club.path("state/adoube/lichess.token")).unwrap(), "lip_x\n");
    assert_eq!(daemon.terminate().await, Some(0));
}

/// What the desk was told before about a board, and a certificate that somebody has made, are in the file as they were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_there_before_is_kept() {
    let club = Club::new(&[20_041]);
    let certificate = club.path("state/adoube/certificate.pem");
    let made = club.adoube(&["cert", "--out", certificate.parent().unwrap().to_str().unwrap()]).output();
    assert!(made.unwrap().status.success());
    let before = std::fs::read_to_string(&certificate).unwrap();
    let (daemon, link) = club.run();
    let arbiter = Arbiter::by(&link).await;
    awaited("the board", PATIENCE, async || {
        let boards = arbiter.ask("GET", "boards", &Value::Null).await.json();
        (boards[0]["serial"] == "20041").then_some(())
    })
    .await;
    let turned = json!({ "id": "Tisch", "turned": true });
    let changed = arbiter.ask("PATCH", "boards/20041", &turned).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let mut said = json!({ "boards": [{ "board": "Tisch", "id": "1" }], "elsewhere": true });
    let draft = arbiter.ask("POST", "set-up/draft", &said).await.json();
    let expected =
        "[[board]]\nid = \"1\"\nport = \"auto\"\nserial = \"20041\"\nprotocol = \"dgt\"\nturned = true\n";
    assert!(draft["toml"].as_str().unwrap().contains(expected), "{draft}");
    // Another text than the one that was looked at.
    said["digest"] = draft["digest"].clone();
    said["site"] = json!("Athens");
    let other = arbiter.ask("PUT", "set-up", &said).await;
    assert_eq!((other.status, other.body.contains("look at it again")), (409, true), "{}", other.body);
    said["site"] = json!("");
    let written = arbiter.ask("PUT", "set-up", &said).await;
    assert_eq!(written.status, 200, "{}", written.body);
    assert_eq!(std::fs::read_to_string(club.config()).unwrap(), draft["toml"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(&certificate).unwrap(), before);
    let client = trusting(&certificate).build().unwrap();
    let desk = written.json()["desk"].as_str().unwrap().split_once("/#").unwrap().0.to_owned();
    awaited("the desk", PATIENCE, async || client.get(&desk).send().await.ok()).await;
    assert_eq!(daemon.terminate().await, Some(0));
}

/// A certificate without its key is not what the desk could begin with.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_pair_is_said_and_left_alone() {
    let club = Club::new(&[]);
    let certificate = club.path("state/adoube/certificate.pem");
    std::fs::create_dir_all(certificate.parent().unwrap()).unwrap();
    std::fs::write(&certificate, "mine").unwrap();
    let (daemon, link) = club.run();
    let arbiter = Arbiter::by(&link).await;
    let refused = arbiter.ask("PUT", "set-up", &json!({ "elsewhere": true })).await;
    assert_eq!((refused.status, refused.body.contains("certificate")), (503, true), "{}", refused.body);
    assert_eq!(std::fs::read_to_string(&certificate).unwrap(), "mine");
    assert!(!club.config().exists());
    assert_eq!(daemon.terminate().await, Some(0));
}

/// Two who write at once, one of whom does not wait for the answer, and an operator who stops the service then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_is_written_and_whoever_stops_it_then_has_stopped_it() {
    let club = Club::new(&[]);
    let (daemon, link) = club.run();
    let arbiter = Arbiter::by(&link).await;
    let body = json!({ "name": "First" }).to_string();
    let request = format!(
        "PUT /api/v1/set-up HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\n{1}\r\nContent-Length: {2}\r\n\r\n{body}",
        club.desk(),
        arbiter.cookie,
        body.len()
    );
    let mut gone = TcpStream::connect(club.desk()).await.unwrap();
    gone.write_all(request.as_bytes()).await.unwrap();
    drop(gone);
    let second = arbiter.ask("PUT", "set-up", &json!({ "name": "Second" })).await;
    let name = match second.status {
        200 => "Second",
        409 | 503 => "First",
        _ => panic!("{second:?}"),
    };
    let text = awaited("the file", PATIENCE, async || std::fs::read_to_string(club.config()).ok()).await;
    assert!(text.contains(name), "{text}");
    assert_eq!(daemon.terminate().await, Some(0));
    assert_eq!(std::fs::read_to_string(club.config()).unwrap(), text);
}
