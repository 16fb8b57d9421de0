//! Games on simulated boards of the open protocol: as captures, over TCP and on a pseudo-terminal.

use std::process::Command;

use adoube_sim::{BoardConfig, ClockSetting, Game, Noise, VirtualBoard};

use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{game, moves};
use crate::played::{Played, SHORT, demo_game};

const SPEED: f64 = 8.0;

/// Games of the demonstration that are replayed.
const GAMES: usize = 4;

fn board(index: usize, occupancy: bool, noise: Noise, fault_rate: f64) -> VirtualBoard {
    let played = demo_game(index);
    let config = BoardConfig {
        protocol: "open",
        occupancy,
        noise,
        fault_rate,
        seed: 5,
        serial: 7,
        clock: "5400+30".parse::<ClockSetting>().ok(),
        signal_result: true,
        ..BoardConfig::default()
    };
    VirtualBoard::new(&Game::from(&played), config)
}

async fn ends_right(site: &Site, name: &str, players: &Played) {
    awaited("end of the game", PATIENCE, async || players.is_finished().then_some(())).await;
    let finished = awaited("result", PATIENCE, async || {
        game(site.desk, name).await.filter(|game| game["result"] != "*")
    });
    let finished = finished.await;
    assert_eq!(moves(&finished), players.truth(), "{}", site.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_daemon_follows_open_boards_over_tcp_and_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let (over_tcp, tcp) = Played::heard_on_tcp(board(SHORT, false, Noise::Light, 0.0), SPEED);
    let link = folder.path().join("board");
    let (on_terminal, terminal) = Played::on_terminal(board(SHORT, true, Noise::Clean, 0.0), SPEED, &link);
    let site = Site::new(SPEED, &[tcp, terminal]);
    for port in ["id = \"1\"", "id = \"2\""] {
        site.change(port, &format!("{port}\nprotocol = \"open\""));
    }
    let _daemon = site.start();
    ends_right(&site, "1", &over_tcp).await;
    ends_right(&site, "2", &on_terminal).await;
}

#[test]
fn what_is_simulated_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let adoube = || Command::new(env!("CARGO_BIN_EXE_adoube"));
    let pgn = concat!(env!("CARGO_MANIFEST_DIR"), "/src/demo/games.pgn");
    for sensing in
        [&["--noise", "light"][..], &["--noise", "clean", "--occupancy"], &["--turned", "180", "--no-clock"]]
    {
        let captures = folder.path().join(sensing.join("_"));
        let simulated = adoube()
            .args(["simulate", pgn, "--protocol", "open", "--out"])
            .arg(&captures)
            .args(sensing)
            .output()
            .unwrap();
        assert!(simulated.status.success(), "{}", String::from_utf8_lossy(&simulated.stderr));
        let captures = (0..GAMES).map(|game| captures.join(format!("g{game:03}.jsonl")));
        let replayed = adoube().arg("replay").args(captures).args(["--check", pgn]).output().unwrap();
        assert!(replayed.status.success(), "{sensing:?}: {}", String::from_utf8_lossy(&replayed.stdout));
    }
}
