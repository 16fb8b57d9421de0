//! The page in a real browser: what a spectator sees of a hall, of one board, and of a daemon that
//! goes away.

mod driver;

use std::process::Command;

use adoube::feed::hub::ALTERNATIVES;
use adoube_sim::Noise;
use serde_json::json;

use crate::alternatives::hall;
use crate::daemon::{Daemon, Site, nowhere};
use crate::http::{ask, parts};
use crate::played::{self, Played, demo_game};

pub(crate) use driver::{Browser, Theme, browser};

/// So that a daemon that is gone for a second misses no more than a ply or two.
const SPEED: f64 = 5.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spectator_sees_eight_boards_and_looks_back_in_one() {
    let Some(browser) = browser().await else { return };
    let mut demo = Command::new(env!("CARGO_BIN_EXE_adoube"));
    demo.args(["demo", "--speed", "10"]).stderr(nowhere());
    let (_daemon, link) = Daemon::spawn(demo);
    // Nobody logs in here: whoever does not is a spectator at the desk, too.
    let address = format!("http://{}/watch", parts(&link).0);
    browser.client.set_window_size(1_280, 900).await.unwrap();
    browser.client.goto(&address).await.unwrap();
    browser.sees("document.querySelector('body[data-connection=live]') != null").await;
    browser.sees("document.querySelectorAll('a.card svg.board').length === 8").await;
    browser
        .sees("[...document.querySelectorAll('a.card')].every(card => card.querySelector('rect.last.from'))")
        .await;
    browser.sees(r"[...document.querySelectorAll('a.card .clock')].every(clock => /^\d:\d\d:\d\d$/.test(clock.textContent))").await;
    assert_eq!(browser.sees("document.querySelectorAll('a.card .player[data-side] .name').length").await, 16);
    let name =
        "document.querySelector('a.card[data-board=\"1\"] .player[data-side=white] .name').textContent";
    browser.sees(&format!("{name} === 'Anderssen, Adolf'")).await;
    browser.sees("document.querySelector('#speed').textContent.includes('10 times')").await;
    one_board(&browser).await;
    narrow(&browser).await;
    browser.close().await;
}

/// A card leads to a large board with its moves, a move back to its position, and a button to now.
async fn one_board(browser: &Browser) {
    browser.click("a.card[data-board=\"1\"]").await;
    browser.sees("!document.querySelector('#game').hidden").await;
    browser.sees("document.querySelectorAll('#moves .move').length > 4").await;
    assert_eq!(
        browser.sees("document.querySelector('#moves .move[data-ply=\"1\"] .san').textContent").await,
        "e4"
    );
    // By its own hand: the list scrolls with every move that is played, and a pointer may come down on another one.
    browser.sees("(document.querySelector('#moves .move[data-ply=\"1\"]').click(), true)").await;
    let man = |square: &str| {
        format!("document.querySelector('#large-board svg.board [data-square={square}]:not(rect)') != null")
    };
    browser.sees(&man("e4")).await;
    browser.sees(&format!("!({}) && ({})", man("e2"), man("e7"))).await;
    browser.sees("document.querySelector('#large-board rect.last.from').dataset.square === 'e2'").await;
    browser.sees("document.querySelector('#game').classList.contains('past')").await;
    browser.sees("document.querySelector('#behind').textContent.startsWith('+')").await;
    browser.click("#live").await;
    browser.sees("!document.querySelector('#game').classList.contains('past')").await;
    let shown = "document.querySelector('#moves .current').dataset.ply";
    let before = browser.sees(shown).await;
    // Unless it was the last one.
    let is_over = "!document.querySelector('#result').hidden";
    browser.sees(&format!("{shown} !== {before} || {is_over}")).await;
    browser
        .sees("document.querySelector('#large-board .clock[data-side=white]').textContent.length > 4")
        .await;
}

/// On a telephone everything fits into the width.
async fn narrow(browser: &Browser) {
    browser.client.set_window_size(390, 844).await.unwrap();
    // Some windows cannot be made so narrow; then a frame can.
    let fits = "document.documentElement.scrollWidth <= innerWidth";
    browser.sees("innerWidth <= 500").await;
    assert_eq!(browser.sees(fits).await, true);
    browser.click("#to-grid").await;
    browser.sees("document.querySelector('#game').hidden").await;
    browser.sees("document.querySelectorAll('a.card').length === 8").await;
    assert_eq!(browser.sees(fits).await, true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_daemon_is_told_and_found_again() {
    let Some(browser) = browser().await else { return };
    let (players, ports): (Vec<Played>, Vec<String>) = (0..2)
        .map(|index| {
            Played::heard_on_tcp(played::board(&demo_game(index), Noise::Light, index as u64), SPEED)
        })
        .unzip();
    let site = Site::new(SPEED, &ports);
    let daemon = site.start();
    browser.client.goto(&format!("http://{}/#/board/1", site.public)).await.unwrap();
    browser.sees("document.querySelectorAll('#moves .move').length > 2").await;
    assert_eq!(
        browser
            .client
            .execute("return document.querySelector('#connection').hidden", Vec::new())
            .await
            .unwrap(),
        true
    );
    daemon.kill();
    browser.sees("document.body.dataset.connection === 'lost'").await;
    browser.sees("document.querySelector('#connection').textContent.includes('Connection lost')").await;
    browser.sees("!document.querySelector('#connection').hidden").await;
    let plies = players[0].plies();
    let _daemon = site.start();
    browser.sees("document.body.dataset.connection === 'live'").await;
    browser.sees("document.querySelector('#connection').hidden").await;
    // What was played meanwhile comes too, each ply once.
    let plies = plies.min(players[0].truth().len());
    browser.sees(&format!("document.querySelectorAll('#moves .move').length >= {plies}")).await;
    browser.sees("new Set([...document.querySelectorAll('#moves .move')].map(move => move.dataset.ply)).size === document.querySelectorAll('#moves .move').length").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_that_the_arbiter_changes_is_shown() {
    let Some(browser) = browser().await else { return };
    let (_players, port) = Played::on_tcp(played::board(&demo_game(0), Noise::Clean, 0), SPEED);
    let site = Site::new(SPEED, &[port]);
    let _daemon = site.start();
    browser.client.goto(&format!("http://{}/#/board/1", site.public)).await.unwrap();
    browser.sees("document.querySelectorAll('#moves .move').length > 2").await;
    for (name, value, shown) in [("result", "1-0", "1–0"), ("change-result", "1/2-1/2", "½–½")] {
        let ruling = json!({ "name": name, "value": value, "by": "arbiter" }).to_string();
        let answer = ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &ruling).await;
        assert_eq!(answer.status, 200, "{name}");
        browser.sees(&format!("document.querySelector('#game').innerText.includes('{shown}')")).await;
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_arbiter_sees_what_a_move_may_have_been() {
    let Some(browser) = browser().await else { return };
    let (_players, port) = Played::on_tcp(played::board(&demo_game(0), Noise::Clean, 0), SPEED);
    let (daemon, desk, public, _folder) = hall(&port, SPEED).await;
    let told = json!({ "board": "7", "doubtful_ply": 4, "alternatives": [
        { "san": "exf4", "chance": 0.623 }, { "san": "Nf6", "chance": 0.354 }, { "san": null, "chance": 0.023 },
    ] });
    let none = json!({ "board": "7", "doubtful_ply": null, "alternatives": [] });
    let doubt = "document.querySelector('#doubt')";
    browser.log_in(&daemon.login_link(), "/watch#/board/7").await;
    browser.sees("document.querySelectorAll('#moves .move').length > 4").await;
    browser.sees(&format!("{doubt}.hidden")).await;
    daemon.hall.desk.tell(ALTERNATIVES, "7", told.as_object().unwrap().clone());
    browser.sees(&format!("!{doubt}.hidden")).await;
    browser
        .sees(&format!(
            "{doubt}.innerText.replace(/\\s/g, ' ').endsWith('2… exf4 62 %, Nf6 35 %, no move 2 %')"
        ))
        .await;
    // Who opens the page now sees it, too.
    browser.client.refresh().await.unwrap();
    browser.sees(&format!("!{doubt}.hidden && {doubt}.innerText.includes('exf4')")).await;
    // A spectator does not.
    let there = browser.client.window().await.unwrap();
    browser.client.goto(&format!("http://{public}/#/board/7")).await.unwrap();
    browser.sees("document.querySelectorAll('#moves .move').length > 4").await;
    browser.sees(&format!("{doubt}.hidden")).await;
    browser.client.switch_to_window(there).await.unwrap();
    browser.client.goto(&format!("http://{desk}/watch#/board/7")).await.unwrap();
    browser.sees(&format!("!{doubt}.hidden")).await;
    daemon.hall.desk.tell(ALTERNATIVES, "7", none.as_object().unwrap().clone());
    browser.sees(&format!("{doubt}.hidden")).await;
    browser.close().await;
    daemon.stop().await;
}
