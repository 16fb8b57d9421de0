//! A page of another origin in a real browser, which lets it see only what it may.

use adoube_sim::Noise;
use axum::Router;
use axum::response::Html;
use axum::routing::get;
use tokio::net::TcpListener;

use super::*;
use crate::browser::browser;
use crate::played::{self, Played, SHORT, demo_game};

/// What a page would do; the answers are kept where a test finds them.
const SCRIPT: &str = "const [address] = arguments;
    window.heard = { fetched: null, san: [], closed: false, error: null };
    fetch(`http://${address}/api/v1.0/eboards`).then((answer) => answer.json())
        .then((boards) => { heard.fetched = boards; }, (error) => { heard.error = String(error); });
    const socket = new WebSocket(`ws://${address}/api/v1.0`);
    socket.onopen = () => socket.send('{\"id\":1,\"call\":\"eboards\"}');
    socket.onclose = () => { heard.closed = true; };
    socket.onmessage = ({ data }) => {
        const { response, id, param } = JSON.parse(data);
        if (response === 'call' && id === 1) {
            const { serialnr } = param[0];
            socket.send(JSON.stringify({ id: 2, call: 'subscribe', param: { feed: 'eboardevent', id: 1, param: { serialnr } } }));
        }
        if (response === 'feed' && param.san) heard.san = param.san;
    };";

/// A page at an origin of its own.
async fn page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let pages = Router::new().route("/", get(async || Html("<!doctype html><title>a page</title>")));
    tokio::spawn(async { axum::serve(listener, pages).await.unwrap() });
    format!("http://{address}/")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_another_origin_follows_a_game_if_it_may() {
    let Some(browser) = browser().await else { return };
    let page = page().await;
    let (_players, port) = Played::heard_on_tcp(played::board(&demo_game(SHORT), Noise::Light, 1), SPEED);
    let site = Site::new(SPEED, &[port]);
    let address = set_up(&site, "");
    let daemon = site.start();
    answers(address).await;
    let known = async || (eboards(address).await[0]["serialnr"] == "10001").then_some(());
    awaited("the board, by its number", PATIENCE, known).await;
    let runs = async || {
        browser.client.goto(&page).await.unwrap();
        browser.client.execute(SCRIPT, vec![json!(address.to_string())]).await.unwrap();
    };
    runs().await;
    browser.sees("heard.san.length > 4").await;
    assert_eq!(browser.sees("heard.fetched").await[0]["serialnr"], "10001");
    let san = browser.sees("heard.san").await;
    let truth = super::san(&demo_game(SHORT));
    assert!(san.as_array().unwrap().iter().zip(truth).all(|(heard, played)| *heard == played), "{san}");

    daemon.kill();
    site.change("[feeds.livechess]\n", "[feeds.livechess]\norigins = [\"https://lichess.org\"]\n");
    let _daemon = site.start();
    answers(address).await;
    runs().await;
    browser.sees("heard.closed && heard.error").await;
    assert_eq!(browser.client.execute("return heard.fetched", Vec::new()).await.unwrap(), Value::Null);
    browser.close().await;
}

/// Whoever runs the hall is told in his language who can read the boards.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_desk_says_who_can_read_the_boards() {
    let Some(browser) = browser().await else { return };
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let address = set_up(&site, "");
    let (_daemon, link) = site.start_and_link();
    browser.log_in(&link, "/#/settings").await;
    let row = "[...document.querySelectorAll('.settings-view .token-text')].map((row) => row.textContent).find((text) => text.includes('livechess'))";
    for (language, note) in [
        ("en", "Any web page that is open on this machine"),
        ("el", "Κάθε ιστοσελίδα που είναι ανοιχτή"),
        ("fi", "Mikä tahansa tässä koneessa auki oleva verkkosivu"),
    ] {
        browser.click(&format!(".settings-view .choices button[lang={language}]")).await;
        browser.sees(&format!("({row} ?? '').includes('{note}')")).await;
    }
    assert!(browser.sees(row).await.as_str().unwrap().contains(&address.to_string()));
    browser.close().await;
}
