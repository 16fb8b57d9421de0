//! The banner over the game at the desk: what the player has to do, and what he says to his opponent.

use adoube_rules::sensor::Side;

use super::lichess::{game, plays};
use super::table::START;
use crate::browser::browser;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_shows_what_to_do_and_takes_a_resignation() {
    let Some(browser) = browser().await else { return };
    let (mut table, lichess) = game(START, "standard", Side::White, "e2e4 e7e5 g1f3").await;
    let link = table.says("#login=").await;
    browser.log_in(&link, "#/board/1").await;
    let banner = "document.querySelector('.play')";
    browser.sees(&format!("{banner}.innerText.includes('Your move')")).await;
    plays(&mut table, &lichess, "e2e4").await;
    browser.sees(&format!("{banner}.innerText.includes('Make e5 for Opponent')")).await;
    browser.sees(&format!("{banner}.dataset.urgent === 'true'")).await;
    let meant = "[...document.querySelectorAll('.board .meant')].map((one) => one.dataset.square).join()";
    browser.sees(&format!("{meant} === 'e7,e5'")).await;
    table.board.carry("e7e6").await;
    browser.sees(&format!("{banner}.innerText.includes('Opponent plays e5, not e7e6')")).await;
    table.board.carry("e6e5").await;
    browser.sees(&format!("{banner}.innerText.includes('Your move')")).await;
    lichess.offers_draw();
    browser.sees(&format!("{banner}.innerText.includes('offers a draw')")).await;
    browser.sees("[...document.querySelectorAll('.play button')].map((one) => one.innerText).join() === 'Accept the draw,Resign'").await;
    // Whoever opens the page now sees it, too.
    browser.client.refresh().await.unwrap();
    browser.sees(&format!("{banner}.innerText.includes('offers a draw')")).await;
    browser.client.execute("window.confirm = () => true;", Vec::new()).await.unwrap();
    browser.click(".play button:last-child").await;
    lichess.is_asked("POST /api/board/game/5IrD6Gzz/resign").await;
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    table.says("0-1 (resign)").await;
    browser.close().await;
}
