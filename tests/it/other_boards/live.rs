//! The real daemon with such boards, on a terminal and over TCP.

use std::time::Duration;

use adoube_sim::{BoardConfig, Game, Noise, VirtualBoard};

use super::OTHERS;
use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{game, moves};
use crate::played::{Line, Played, SHORT, demo_game};

const SPEED: f64 = 10.0;

fn board(protocol: &'static str, seed: u64) -> VirtualBoard {
    let game = demo_game(SHORT);
    let game = Game::from(&game);
    VirtualBoard::new(&game, BoardConfig { protocol, noise: Noise::Clean, seed, ..BoardConfig::default() })
}

/// A place for a daemon whose boards are at these ports and speak the protocols of this module, in their order.
fn site(ports: &[String]) -> Site {
    let site = Site::new(SPEED, ports);
    for (port, protocol) in ports.iter().zip(OTHERS) {
        let named = format!("port = \"{port}\"");
        site.change(&named, &format!("{named}\nprotocol = \"{protocol}\""));
    }
    site
}

async fn comes_out(site: &Site, number: usize, players: &Played) {
    awaited("end of the game", PATIENCE, async || players.is_finished().then_some(())).await;
    let mated = async || game(site.desk, &number.to_string()).await.filter(|game| game["result"] == "1-0");
    let game = awaited("the mate", PATIENCE, mated).await;
    assert_eq!(moves(&game), players.truth(), "board {number}: {}", site.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_come_out_over_tcp() {
    let boards: Vec<(Played, String)> =
        OTHERS.iter().map(|protocol| Played::heard_on_tcp(board(protocol, 3), SPEED)).collect();
    let ports: Vec<String> = boards.iter().map(|(_, port)| port.clone()).collect();
    let site = site(&ports);
    let _daemon = site.start();
    for (number, (players, _)) in (1..).zip(&boards) {
        comes_out(&site, number, players).await;
    }
    site.verify();
}

/// A terminal carries eight bits and no parity: what a ChessLink needs is made in its codec. The cable is pulled during
/// the game, and what a Certabo board learned of its men is not lost with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_come_out_on_terminals_that_vanish_for_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let boards: Vec<(Played, String)> = OTHERS
        .iter()
        .map(|protocol| Played::on_terminal(board(protocol, 4), SPEED, &folder.path().join(protocol)))
        .collect();
    let ports: Vec<String> = boards.iter().map(|(_, port)| port.clone()).collect();
    let site = site(&ports);
    let _daemon = site.start();
    for (players, _) in &boards {
        awaited("a few plies", PATIENCE, async || (players.plies() >= 8).then_some(())).await;
        players.line.send(Line::Away).unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        players.line.send(Line::Good).unwrap();
    }
    for (number, (players, _)) in (1..).zip(&boards) {
        comes_out(&site, number, players).await;
    }
    site.verify();
}
