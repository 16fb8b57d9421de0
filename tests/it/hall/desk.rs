//! The arbiter at his desk: a browser that was opened by the link that the daemon printed. Everything is done by
//! clicks and keys on what is shown, and found by what it is, never by its words.

use std::cell::Cell;
use std::time::Duration;

use fantoccini::Locator;
use fantoccini::elements::Element;
use fantoccini::key::Key;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::PATIENCE;
use crate::browser::Browser;
use crate::daemon::awaited;

/// From seeing a record to deciding on it.
const READING: Duration = Duration::from_millis(700);

/// The desk in a browser.
pub(super) struct Desk {
    browser: Browser,
    /// The board at which he is.
    pub(super) board: String,
    /// How often he has clicked or struck a key.
    pub(super) acts: Cell<u32>,
}

impl Desk {
    /// Follows the printed link.
    pub(super) async fn open(browser: Browser, link: &str) -> Self {
        browser.client.set_window_size(1_280, 1_000).await.unwrap();
        browser.client.goto(link).await.unwrap();
        let desk = Self { browser, board: "1".to_owned(), acts: Cell::new(0) };
        desk.finds("#views[data-view=list] .row[data-board='1']").await;
        let hash = desk.browser.sees("location.hash").await;
        assert_eq!(hash, "#/", "the token leaves the address");
        desk
    }

    pub(super) async fn close(self) {
        self.browser.close().await;
    }

    /// Waits until the page has such an element.
    pub(super) async fn finds(&self, selector: &str) {
        self.sees(&format!("document.querySelector({selector:?}) != null")).await;
    }

    /// Waits until the page has no such element.
    pub(super) async fn lacks(&self, selector: &str) {
        self.sees(&format!("document.querySelector({selector:?}) == null")).await;
    }

    /// Waits until `script` gives something true.
    pub(super) async fn sees(&self, script: &str) -> Value {
        self.browser.sees(script).await
    }

    /// Runs `script` in the page.
    pub(super) async fn runs(&self, script: &str) {
        self.browser.client.execute(script, Vec::new()).await.unwrap();
    }

    /// Everything that can be read on the page.
    pub(super) async fn reads(&self) -> String {
        self.browser.sees("document.body.innerText").await.as_str().unwrap().to_owned()
    }

    /// The texts of all these elements.
    pub(super) async fn texts(&self, selector: &str) -> Vec<String> {
        let script = format!("[...document.querySelectorAll({selector:?})].map(one => one.textContent)");
        serde_json::from_value(self.browser.sees(&script).await).unwrap()
    }

    /// Clicks on what is shown; the page may be drawing it anew meanwhile.
    pub(super) async fn click(&self, selector: &str) {
        self.acts.set(self.acts.get() + 1);
        awaited(selector, PATIENCE, async || self.found(selector).await?.click().await.ok()).await;
    }

    async fn found(&self, selector: &str) -> Option<Element> {
        self.browser.client.find(Locator::Css(selector)).await.ok()
    }

    /// Goes to `#/…`.
    pub(super) async fn go(&self, hash: &str, view: &str) {
        let script = format!("location.hash = {hash:?}; return true");
        self.browser.client.execute(&script, Vec::new()).await.unwrap();
        self.finds(&format!("#views[data-view={view}] > .{view}-view:not([hidden])")).await;
    }

    /// Sees the badge of this record in the list of boards, and opens it.
    pub(super) async fn opens(&self, record: u64) {
        self.go("#/", "list").await;
        self.follows_badge(record).await;
        self.sees_record(record, "open").await;
    }

    /// Clicks on what the list shows of the record until it is shown: a row that moves just then is missed.
    pub(super) async fn follows_badge(&self, record: u64) {
        let badge = format!(".row[data-board='{}'] .badges a[href='#/record/{record}']", self.board);
        let hash = json!(format!("#/record/{record}"));
        let client = &self.browser.client;
        awaited("the record that was clicked on", PATIENCE, async || {
            if client.execute("return location.hash;", Vec::new()).await.ok()? == hash {
                return Some(());
            }
            client.find(Locator::Css(&badge)).await.ok()?.click().await.ok()?;
            None
        })
        .await;
    }

    /// Opens a record that is not the gravest of its board, by the board's page.
    pub(super) async fn opens_by_board(&self, record: u64) {
        self.go("#/", "list").await;
        self.click(&format!(".row[data-board='{}'] .row-link", self.board)).await;
        self.click(&format!(".game-view .record-list a[href='#/record/{record}']")).await;
        self.sees_record(record, "open").await;
    }

    /// Sees the record shown with that status.
    pub(super) async fn sees_record(&self, record: u64, status: &str) {
        self.sees(&format!("location.hash === '#/record/{record}'")).await;
        self.finds(&format!(".record-view:not([hidden]) .status[data-status={status}]")).await;
    }

    /// Decides: clicks on what `selector` leads to, and says yes to what is asked then.
    pub(super) async fn decides(&self, selector: &str) {
        self.click(&format!(".record-view .decisions {selector}")).await;
        let yes = ".record-view .asked [data-act=yes]";
        self.finds(yes).await;
        // A click on what moves just then is missed, and asked for again.
        awaited("an answer that is taken", PATIENCE, async || {
            if let (Some(button), None) =
                (self.found(yes).await, self.found(".record-view [aria-busy]").await)
            {
                button.click().await.ok();
            }
            self.found(".record-view .asked [data-act=yes], .record-view [aria-busy]")
                .await
                .is_none()
                .then_some(())
        })
        .await;
        let refused: String = self.texts(".record-view .refused").await.concat();
        assert_eq!(refused, "", "{selector}");
    }

    /// Confirms the record that is shown, with the click that says what it does: nobody reads that in half a second.
    pub(super) async fn confirms(&self, record: u64) {
        self.decides_at_once(record, "[data-act=c]", "confirmed").await;
    }

    /// Decides about the record that is shown with the first of its buttons, which says what it does.
    pub(super) async fn decides_at_once(&self, record: u64, act: &str, status: &str) {
        let button = format!(".record-view .decisions {act}.first");
        self.finds(&button).await;
        sleep(READING).await;
        self.click(&button).await;
        self.sees_record(record, status).await;
        self.lacks(".record-view .asked [data-act=yes]").await;
    }

    /// Opens the gravest record of the board from the list, and confirms it.
    pub(super) async fn confirms_gravest(&self) -> u64 {
        let record = self.opens_gravest().await;
        self.confirms(record).await;
        record
    }

    /// Clicks on what the list shows of the board until it is shown: a row that moves just then is missed.
    pub(super) async fn opens_gravest(&self) -> u64 {
        self.go("#/", "list").await;
        self.acts.set(self.acts.get() + 1);
        // An illegal move that is still on its way is put on record as well, and nobody decides about it.
        let badge = format!(
            ".row[data-board='{}'] .badges a:is([data-severity=alert], [data-severity=critical])",
            self.board
        );
        let client = &self.browser.client;
        awaited(&badge, PATIENCE, async || {
            let hash = client.execute("return location.hash;", Vec::new()).await.ok()?;
            if let Some(record) = hash.as_str()?.strip_prefix("#/record/") {
                return record.parse().ok();
            }
            client.find(Locator::Css(&badge)).await.ok()?.click().await.ok()?;
            None
        })
        .await
    }

    /// Makes a ruling by the form beside the game.
    pub(super) async fn rules(&self, ruling: &str, arguments: &[(&str, &str)]) {
        self.go(&format!("#/board/{}", self.board), "game").await;
        let button = format!(".ruling-panel [data-ruling='{ruling}']");
        self.finds(&button).await;
        let folded = format!("details:not([open]):has([data-ruling='{ruling}'])");
        if let Some(folded) = self.found(&format!("{folded} > summary")).await {
            folded.click().await.unwrap();
        }
        self.click(&button).await;
        for (argument, value) in arguments {
            self.fills(&format!(".ruling-form [data-argument='{argument}']"), value).await;
        }
        self.click(".ruling-form button.first").await;
        self.lacks(".ruling-form").await;
    }

    pub(super) async fn fills(&self, field: &str, value: &str) {
        self.finds(&format!("{field} :is(input, select, textarea)")).await;
        let option = format!("{field} .option:has(input[value='{value}'])");
        if self.found(&option).await.is_some() {
            return self.click(&option).await;
        }
        if let Some(select) = self.found(&format!("{field} select")).await {
            return select.select_by_value(value).await.unwrap();
        }
        let input = self.found(&format!("{field} :is(input, textarea)")).await.unwrap();
        input.clear().await.unwrap();
        input.send_keys(value).await.unwrap();
    }

    /// Chooses a value, or writes one.
    pub(super) async fn writes(&self, selector: &str, value: &str) {
        self.finds(selector).await;
        let element = self.found(selector).await.unwrap();
        if element.tag_name().await.unwrap() == "select" {
            return element.select_by_value(value).await.unwrap();
        }
        element.send_keys(value).await.unwrap();
    }

    /// Leaves a part of what was ruled as it is, with a word.
    pub(super) async fn waives(&self, part: &str, why: &str) {
        let row = format!(".resolution [data-part='{part}']");
        self.click(&format!("{row} .waive button")).await;
        self.finds(&format!("{row} .waive input:focus")).await;
        let input = self.found(&format!("{row} .waive input")).await.unwrap();
        input.send_keys(&format!("{why}{}", Key::Enter)).await.unwrap();
        self.finds(&format!("{row}[data-state='waived']")).await;
    }

    /// Undoes the newest ruling of that name, beside the game.
    pub(super) async fn undoes(&self, ruling: &str) {
        self.go(&format!("#/board/{}", self.board), "game").await;
        let item = format!(".ruling-list li[data-ruling='{ruling}']");
        self.click(&format!("{item} .undo")).await;
        self.click(&format!("{item} .undo.first")).await;
        self.finds(&format!("{item}.gone")).await;
    }

    /// Sees these moves beside the board, and no others.
    pub(super) async fn sees_moves(&self, moves: &str) {
        self.go(&format!("#/board/{}", self.board), "game").await;
        let list = "[...document.querySelectorAll('.game-view .moves .san')].map(one => one.firstChild.textContent).join(' ')";
        let script = format!("{list} === {moves:?}");
        let is_there = tokio::time::timeout(PATIENCE / 2, self.browser.sees(&script)).await;
        assert!(is_there.is_ok(), "{moves} are not {}", self.browser.sees(list).await);
    }

    /// Strikes a key.
    pub(super) async fn strikes(&self, key: &str) {
        let body = self.found("body").await.unwrap();
        body.send_keys(key).await.unwrap();
    }

    /// Says yes with Enter.
    pub(super) async fn enters(&self) {
        let yes = self.browser.client.active_element().await.unwrap();
        yes.send_keys(&Key::Enter.to_string()).await.unwrap();
    }
}
