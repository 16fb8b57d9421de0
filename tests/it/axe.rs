//! Every view of the desk and of the spectators' page, looked at by axe-core: no finding that would keep
//! somebody from using it, light or dark, on a large screen or on a telephone.

use std::net::SocketAddr;

use adoube_rules::sensor::Content;
use adoube_sim::FirmwareConfig;
use serde_json::{Value, json};

use crate::browser::{Browser, Theme, browser};
use crate::daemon::skip;
use crate::desk_data::{Hand, start, with_an_illegal_move_beside};
use crate::http::ask;
use crate::spectators::four;
use crate::spectators::hall::Spectacle;

/// Where the script of axe-core is; see `.ci/run`.
const SCRIPT: &str = "ADOUBE_AXE";

const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];
const SIZES: [(u32, u32); 2] = [(1_280, 900), (390, 844)];

/// All rules; what is found is `[rule, impact, help, where]`.
const LOOK: &str = "const [done] = arguments;
    axe.run(document, { resultTypes: ['violations'] }).then(({ violations, passes }) => done({
        looked: passes.length,
        found: violations.map(({ id, impact, help, nodes }) => [id, impact, help,
            nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`)]),
    }), (error) => done(String(error)));";

/// Findings of these impacts are failures.
const GRAVE: [&str; 2] = ["serious", "critical"];

/// A page of the desk, and what is there when it is complete.
struct View {
    address: String,
    complete: &'static str,
}

impl View {
    fn new(address: &str, complete: &'static str) -> Self {
        Self { address: address.to_owned(), complete }
    }
}

/// The grave findings on the page that is shown, a line each.
async fn findings(browser: &Browser, script: &str, page: &str) -> Vec<String> {
    if browser.client.execute("return window.axe === undefined;", Vec::new()).await.unwrap() == true {
        browser.client.execute(script, Vec::new()).await.unwrap();
    }
    let answer = browser.client.execute_async(LOOK, Vec::new()).await.unwrap();
    // A page on which no rule found anything to look at was not there.
    assert!(answer["looked"].as_u64().is_some_and(|count| count > 5), "{page}: {answer}");
    let title = browser.client.title().await.unwrap();
    assert!(!title.contains("[object"), "{page} is called {title}");
    let is_grave = |found: &&Value| GRAVE.iter().any(|&impact| found[1] == impact);
    let found = answer["found"].as_array().unwrap().iter().filter(is_grave);
    found.map(|found| format!("{page}: {found:#}")).collect()
}

/// The same of `views` at `listener`, in both themes and at both widths.
async fn all_findings(browser: &Browser, script: &str, listener: SocketAddr, views: &[View]) -> Vec<String> {
    let mut all = Vec::new();
    for theme in THEMES {
        for (width, height) in SIZES {
            browser.shows(width, height, theme).await;
            for View { address, complete } in views {
                browser.client.goto(&format!("http://{listener}/{address}")).await.unwrap();
                browser.sees(&format!("document.querySelector('{complete}')?.checkVisibility()")).await;
                let wanted = format!("{theme:?}").to_lowercase();
                browser.sees(&format!("document.documentElement.dataset.theme === '{wanted}'")).await;
                let page = format!("{address} in {theme:?}, {width} wide");
                all.extend(findings(browser, script, &page).await);
            }
        }
    }
    all
}

/// The same of the page that a test has brought about, if axe-core is there.
pub(crate) async fn found(browser: &Browser, page: &str) -> Vec<String> {
    let Some(path) = std::env::var_os(SCRIPT) else { return Vec::new() };
    let script = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    findings(browser, &script, page).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_view_keeps_anybody_out() {
    let Some(path) = std::env::var_os(SCRIPT) else {
        return skip("ADOUBE_AXE does not say where axe-core is");
    };
    let script = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let Some(browser) = browser().await else { return };
    // A board that is not ready: a pawn is missing.
    let mut array = start();
    array[12] = Content::EMPTY;
    let waiting = Hand::new(&array, FirmwareConfig::default());
    let (_hand, site, _daemon, record) = with_an_illegal_move_beside(&[&waiting]).await;
    let (number, game) = (&record["record"], record["game"].as_str().unwrap());

    let login = [View::new("", "#login form")];
    let mut all = all_findings(&browser, &script, site.desk, &login).await;
    let watched = [
        View::new("", "a.card svg.board"),
        View::new("#/board/1", "#moves .move"),
        View::new("?results", "#results .result-row"),
        View::new("game/none", "#missing"),
        View::new("?embed#/board/1", "#large-board .man"),
    ];
    all.extend(all_findings(&browser, &script, site.public, &watched).await);

    let link = format!("http://{}/#login={}", site.desk, site.add_token("arbiter", "reader"));
    browser.log_in(&link, "/").await;
    let pairings =
        "round,match,board,white,white_team,black,black_team\n9,41,1,A,North,B,South\n9,42,1,C,East,,West\n";
    let imported = ask(site.desk, "POST", "/api/v1/pairings", &[], pairings).await;
    assert_eq!(imported.status, 200, "{imported:?}");
    let views = [
        View::new("#/", ".list-view .row .badge"),
        View::new("#/round", ".round-view .check-row[data-ready=idle] .texts"),
        View::new("#/pairings", ".pairings-view .pairing"),
        View::new("#/board/1", ".game-view .move"),
        View::new(&format!("#/record/{number}"), ".record-view svg.board"),
        View::new("#/history", ".history-view .history-list > li"),
        View::new(&format!("#/report/record/{number}"), ".report-view .paper table"),
        View::new(&format!("#/report/scoresheet/{game}"), ".report-view .score"),
        View::new("#/boards", ".boards-view .board-row"),
        View::new("#/set-up", ".set-up-view .empty"),
        View::new("#/settings", ".settings-view .part"),
    ];
    all.extend(all_findings(&browser, &script, site.desk, &views).await);
    assert!(all.is_empty(), "{} findings:\n{}", all.len(), all.join("\n"));
    // After all of them in one load of the page, a view has its own styles and no others'.
    let worn = browser
        .sees(
            "[...document.styleSheets].filter(({ href, media }) => href.includes('/desk/') && media.mediaText !== 'not all')
                .map(({ href }) => href.split('/').pop().split('?')[0])",
        )
        .await;
    assert_eq!(worn, json!(["desk.css", "frame.css", "settings.css"]));
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_of_four_players_keeps_anybody_out() {
    let Some(path) = std::env::var_os(SCRIPT) else {
        return skip("ADOUBE_AXE does not say where axe-core is");
    };
    let script = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    let game = hall.open_four(1, 1, &four::NAMES);
    hall.play_four("1", &game, 0, &four::plies(22).1);
    let over = hall.open_four(1, 2, &four::NAMES);
    hall.decide("2", &over, "1-0");
    let views = [
        View::new("", "a.card svg.board.four"),
        View::new("game/1-1", "#moves .heads"),
        View::new("?results", "#results .row-who"),
        View::new("?embed#/board/1", "#large-board .to-move"),
    ];
    let all = all_findings(&browser, &script, hall.public, &views).await;
    assert!(all.is_empty(), "{} findings:\n{}", all.len(), all.join("\n"));
    browser.close().await;
    hall.end().await;
}
