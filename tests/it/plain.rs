//! The page as whoever has no scripts finds it: rounds, results, positions and moves, out of the server.

use adoube_sim::Noise;

use crate::browser::browser;
use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{Answer, ask, game, moves, stranger};
use crate::played::{self, Played, SHORT, demo_game};

const SPEED: f64 = 16.0;
const PAIRINGS: &str = "round,board,white,white_title,white_elo,black,result\n\
    1,1,\"Wit, <b>Anna\",WGM,2301,\"Zwart, Bert\",\n1,2,\"Weiss, Carl\",,,\"Schwarz, Dora\",\n\
    2,1,\"Schwarz, Dora\",,,\"Wit, Anna\",\n";

async fn page(site: &Site, path: &str) -> Answer {
    stranger(site.public, "GET", path, &[], "").await
}

/// What stands in the part that scripts take away.
fn plain(page: &Answer) -> String {
    let begun = page.body.split_once("<section id=\"plain\"").unwrap().1;
    begun.split_once("</section>").unwrap().0.to_owned()
}

/// The list at `path`, once it has `text`: one that was written a moment ago is good for everybody.
async fn lists(site: &Site, path: &str, text: &str) -> String {
    let list = async || Some(plain(&page(site, path).await)).filter(|list| list.contains(text));
    awaited(text, PATIENCE, list).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_results_positions_and_games_are_there_without_scripts() {
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 1), SPEED);
    // The players sit down after the round was opened.
    let nobody = ["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"].map(str::to_owned);
    let site = Site::new(SPEED, &nobody);
    site.set("rounds = \"manual\"");
    let daemon = site.start();
    assert!(plain(&page(&site, "/").await).contains("No games yet"));
    assert_eq!(ask(site.desk, "POST", "/api/v1/pairings", &[], PAIRINGS).await.status, 200);
    assert_eq!(ask(site.desk, "POST", "/api/v1/rounds/1/open", &[], "{}").await.status, 200);
    let shown = "<a aria-label=\"WGM Wit, &lt;b&gt;Anna 2301 – Zwart, Bert, –\" href=\"/game/1-1\">–</a>";
    lists(&site, "/", shown).await;
    assert!(page(&site, "/").await.body.contains("http-equiv=\"refresh\""));
    assert!(!page(&site, "/?still").await.body.contains("http-equiv=\"refresh\""));
    assert_eq!(daemon.terminate().await, Some(0));
    site.change(&nobody[0], &port);
    let _daemon = site.start();
    let ended = async || game(site.public, "1").await.filter(|game| game["result"] != "*");
    let ended = awaited("a result", PATIENCE, ended).await;
    let result = ended["result"].as_str().unwrap().replace('-', "–");
    let truth = players.truth();
    assert_eq!(moves(&ended), truth);

    for path in ["/", "/round/1"] {
        let list = lists(&site, path, &format!(" href=\"/game/1-1\">{result}</a>")).await;
        // A name that looks like markup is shown as it is.
        assert!(
            list.contains("<td>WGM Wit, &lt;b&gt;Anna 2301<td>") && !list.contains("<b>"),
            "{path}: {list}"
        );
        assert!(list.contains(" href=\"/game/1-2\">–</a>"), "{path}: {list}");
        assert!(list.contains("/round/1\">1</a>") == (path == "/"), "{path}: {list}");
    }
    // Inside of somebody else's page there is nothing that leads out of it.
    let inside = lists(&site, "/round/1?embed", " href=\"/game/1-1?embed\">").await;
    assert!(!inside.contains("All boards"), "{inside}");
    let nowhere = page(&site, "/round/99").await;
    assert_eq!(nowhere.status, 404);
    assert!(plain(&nowhere).contains("There is no such round"), "{nowhere:?}");

    let answer = page(&site, "/game/1-1").await;
    let shown = plain(&answer);
    let last = ended["moves"][truth.len() - 1]["fen"].as_str().unwrap();
    assert!(shown.contains(&format!("aria-label=\"{last}\"><svg ")), "{shown}");
    let san = |ply: usize| ended["moves"][ply]["san"].as_str().unwrap();
    assert!(shown.contains(&format!("1. {} {} 2. {}", san(0), san(1), san(2))), "{shown}");
    assert!(shown.contains("White 1:") && shown.contains("Black 1:"), "the clocks: {shown}");
    assert!(!answer.body.contains("http-equiv=\"refresh\""), "it is over: {}", answer.body);
    assert_eq!(page(&site, "/game/no%20such").await.status, 404);

    if let Some(browser) = browser().await {
        browser.client.goto(&format!("http://{}/game/1-1", site.public)).await.unwrap();
        browser.sees("document.querySelectorAll('#moves .move').length > 4").await;
        browser.sees("document.getElementById('plain') === null").await;
        browser.close().await;
    }
}
