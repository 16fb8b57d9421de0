//! The page: a file is chosen, looked at and imported; games change boards by keys and by hand; a player is put
//! right.

use fantoccini::Locator;
use fantoccini::key::Key;
use serde_json::json;

use super::ROUND;
use crate::browser::{Browser, browser};
use crate::daemon::Site;
use crate::house::House;
use crate::http::get;

/// The texts of all these elements, with a bar between them.
async fn texts(browser: &Browser, selector: &str) -> String {
    let script = format!(
        "[...document.querySelectorAll({selector:?})].map(one => one.firstChild?.textContent ?? '').join('|')"
    );
    browser
        .client
        .execute(&format!("return {script}"), Vec::new())
        .await
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

async fn sees_order(browser: &Browser, games: &str) {
    let order = "[...document.querySelectorAll('.pairing')].map(row => row.dataset.game).join(' ')";
    browser.sees(&format!("{order} === {games:?}")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_is_imported_and_put_in_order() {
    let Some(browser) = browser().await else { return };
    let site = Site::new(1.0, &[]);
    let (_daemon, link) = site.start_and_link();
    let [round, bad] = ["round.csv", "bad.csv"].map(|name| site.path().join(name));
    std::fs::write(&round, ROUND).unwrap();
    std::fs::write(&bad, ROUND.replace("2500", "high")).unwrap();
    browser.log_in(&link, "/#/pairings").await;
    browser.sees("document.querySelector('.pairings-view .empty').textContent !== ''").await;
    let input = browser.client.find(Locator::Css(".choose-file input")).await.unwrap();

    // What cannot be read is said, and nothing is offered.
    input.send_keys(bad.to_str().unwrap()).await.unwrap();
    browser
        .sees("document.querySelector('.import .problem').textContent.includes('bad.csv: line 2: column 5')")
        .await;
    browser.sees("document.querySelector('.preview [data-act=accept]') === null").await;

    // A preview, and a no.
    input.send_keys(round.to_str().unwrap()).await.unwrap();
    browser.sees("document.querySelectorAll('.change[data-kind=added]').length === 4").await;
    browser.click(".preview [data-act=cancel]").await;
    browser
        .sees("document.querySelector('.change') === null && document.querySelector('.pairing') === null")
        .await;

    // A preview, and a yes; this time the file is dropped.
    let drop = format!(
        "const data = new DataTransfer(); data.items.add(new File([{ROUND:?}], 'round.csv'));
         const init = {{ dataTransfer: data, bubbles: true, cancelable: true }};
         document.querySelector('.drop').dispatchEvent(new DragEvent('dragover', init));
         document.querySelector('.drop').dispatchEvent(new DragEvent('drop', init));"
    );
    browser.client.execute(&drop, Vec::new()).await.unwrap();
    browser.click(".preview [data-act=accept]").await;
    sees_order(&browser, "9-41 9-42 9-43 9-44").await;
    assert_eq!(texts(&browser, ".pairing-board").await, "41|42|43|");

    // By key: one down, and the focus goes along.
    let down = browser.client.find(Locator::Css(".pairing[data-game='9-41'] [data-act=down]")).await.unwrap();
    down.send_keys(&Key::Enter.to_string()).await.unwrap();
    sees_order(&browser, "9-42 9-41 9-43 9-44").await;
    browser.sees("document.activeElement.closest('.pairing')?.dataset.game === '9-41'").await;

    // By hand: the last one to the top.
    let drag = "const row = (game) => document.querySelector(`.pairing[data-game='${game}']`);
         const init = { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true };
         row('9-43').dispatchEvent(new DragEvent('dragstart', init));
         row('9-42').dispatchEvent(new DragEvent('dragover', init));
         row('9-42').dispatchEvent(new DragEvent('drop', init));";
    browser.client.execute(drag, Vec::new()).await.unwrap();
    sees_order(&browser, "9-43 9-42 9-41 9-44").await;
    assert_eq!(texts(&browser, ".pairing-board").await, "41|42|43|");

    // The round is opened and closed.
    browser.click(".round-act[data-act=open]").await;
    browser.sees("document.querySelector('.round-standing').dataset.state === 'open'").await;
    browser.click(".round-act[data-act=close]").await;
    browser.sees("document.querySelector('.round-standing').dataset.state === 'closed'").await;
    browser.sees("document.querySelector('.round-act').dataset.act === 'open'").await;

    // A player is put right, and a board is chosen.
    browser.click(".pairing[data-game='9-42'] [data-act=correct]").await;
    let name = browser.client.find(Locator::Css("[data-side=white] [data-field=name]")).await.unwrap();
    name.clear().await.unwrap();
    name.send_keys("Player, Drei").await.unwrap();
    let federation =
        browser.client.find(Locator::Css("[data-side=white] [data-field=federation]")).await.unwrap();
    federation.send_keys("Greece").await.unwrap();
    browser.click(".correction button[type=submit]").await;
    browser.sees("document.querySelector('.correction .problem').textContent.includes('Greece')").await;
    federation.clear().await.unwrap();
    federation.send_keys("GRE").await.unwrap();
    let board = browser.client.find(Locator::Css(".correction select")).await.unwrap();
    board.select_by_value("43").await.unwrap();
    browser.click(".correction button[type=submit]").await;
    sees_order(&browser, "9-43 9-41 9-42 9-44").await;
    browser
        .sees("document.querySelector('.pairing[data-game=\"9-42\"]').innerText.includes('Player, Drei')")
        .await;
    postponed_and_decided(&browser).await;
    browser.close().await;
}

/// A game is postponed; and in the end it has a result without having been played.
async fn postponed_and_decided(browser: &Browser) {
    let standing = |text: &str| {
        format!(
            "document.querySelector('.pairing[data-game=\"9-42\"] .pairing-state').textContent === {text:?}"
        )
    };
    browser.click(".pairing[data-game='9-42'] [data-act=correct]").await;
    let until = browser.client.find(Locator::Css(".correction-until")).await.unwrap();
    until.send_keys("Sunday").await.unwrap();
    browser.click(".correction button[type=submit]").await;
    browser.sees(&standing("postponed: Sunday")).await;
    browser.click(".pairing[data-game='9-42'] [data-act=correct]").await;
    browser.sees("document.querySelector('.correction-result').checkVisibility()").await;
    let result = browser.client.find(Locator::Css(".correction-result")).await.unwrap();
    result.select_by_value("+/-").await.unwrap();
    browser.click(".correction button[type=submit]").await;
    browser.sees(&standing("+/-")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_players_are_imported_and_one_is_put_right() {
    const FOUR: &str = "round,board,red,red_team,white,white_team,blue,blue_team,black,black_team\n\
         9,41,A,North,B,South,C,North,D,South\n";
    let Some(browser) = browser().await else { return };
    let site = Site::new(1.0, &[]);
    let (_daemon, link) = site.start_and_link();
    let file = site.path().join("four.csv");
    std::fs::write(&file, FOUR).unwrap();
    browser.log_in(&link, "/#/pairings").await;
    browser.sees("document.querySelector('.pairings-view .empty').textContent !== ''").await;
    let input = browser.client.find(Locator::Css(".choose-file input")).await.unwrap();
    input.send_keys(file.to_str().unwrap()).await.unwrap();
    browser.sees("document.querySelector('.change').innerText.includes('A & C – B & D')").await;
    browser.click(".preview [data-act=accept]").await;
    let players = "[...document.querySelectorAll('.pairing-player')].map(one => one.dataset.side + one.innerText[0]).join()";
    browser.sees(&format!("{players} === 'redA,blueC,whiteB,blackD'")).await;
    browser.click(".pairing [data-act=correct]").await;
    browser.sees("document.querySelectorAll('.correction fieldset:not([hidden])').length === 4").await;
    let name =
        browser.client.find(Locator::Css(".correction [data-side=blue] [data-field=name]")).await.unwrap();
    name.clear().await.unwrap();
    name.send_keys("Edda").await.unwrap();
    browser.click(".correction button[type=submit]").await;
    browser.sees(&format!("{players} === 'redA,blueE,whiteB,blackD'")).await;
    browser.close().await;
}

/// Who comes next is known before the round is opened: a board is ready for its game, and one without a game need not be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_the_round_boards_are_judged_by_its_pairings() {
    let Some(browser) = browser().await else { return };
    let house = House::new("manual", 2);
    let (_daemon, link) = house.site.start_and_link();
    house.import("round,board,white,black\n1,1,\"One, A\",\"Two, B\"\n");
    browser.log_in(&link, "/#/round").await;
    let cell = |board: u32| {
        format!(
            "document.querySelector(\".check-row[data-board='{board}'] [data-check=players]\")?.innerText"
        )
    };
    browser.sees(&format!("{}?.includes('One, A')", cell(1))).await;
    browser.sees(&format!("{}?.includes('no game in round 1')", cell(2))).await;
    browser.sees("document.querySelector('.round-title').textContent === 'Before round 1'").await;
    browser.sees("document.querySelector('.headline').classList.contains('all')").await;
    let told = get(house.site.desk, "/api/v1/round").await.json();
    assert_eq!((&told["next"]["round"], &told["ready"]), (&json!(1), &json!(true)), "{told}");
    browser.click(".open-round").await;
    house.sees("1-1", |game| game["closed"] == false).await;
    browser.sees("document.querySelector('.open-round').hidden").await;
    browser.close().await;
}
