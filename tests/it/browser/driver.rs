//! A real browser, driven from a test or a measurement.

use std::process::{Child, Command};
use std::str::FromStr;
use std::time::Duration;

use axum::http::Method;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use reqwest::Url;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::daemon::{awaited, free_address, nowhere, skip};
use crate::http::parts;

/// A page is loaded, and a change is drawn, within this time even on a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The colours that the reader's system asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// A command that WebDriver does not know, and hands on.
#[derive(Debug)]
struct DevTools {
    command: &'static str,
    arguments: Value,
}

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, <Url as FromStr>::Err> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "cmd": self.command, "params": self.arguments }).to_string()))
    }
}

/// A browser with its driver, gone with this value.
#[derive(Debug)]
pub(crate) struct Browser {
    driver: Child,
    _profile: TempDir,
    pub(crate) client: Client,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It takes the browser with it.
        let _gone = self.driver.kill();
        let _gone = self.driver.wait();
    }
}

impl Browser {
    /// `None` if no driver is installed.
    pub(crate) async fn start() -> Option<Self> {
        let address = free_address();
        let mut driver = Command::new("chromedriver");
        driver.arg(format!("--port={}", address.port())).stdout(nowhere()).stderr(nowhere());
        let driver = driver.spawn().ok()?;
        let profile = tempfile::tempdir().unwrap();
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &format!("--user-data-dir={}", profile.path().display()),
        ];
        let mut wanted = Map::new();
        wanted.insert("goog:chromeOptions".to_owned(), json!({ "args": flags }));
        let connect = async || {
            let mut builder = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
            builder.capabilities(wanted.clone());
            builder.connect(&format!("http://{address}")).await.ok()
        };
        let client = awaited("browser", PATIENCE, connect).await;
        Some(Self { driver, _profile: profile, client })
    }

    /// Waits until `script` gives something that is true.
    pub(crate) async fn sees(&self, script: &str) -> Value {
        let looked = async || {
            let value = self.client.execute(&format!("return {script};"), Vec::new()).await.ok()?;
            let is_true = !matches!(&value, Value::Null | Value::Bool(false))
                && value != json!("")
                && value != json!(0);
            is_true.then_some(value)
        };
        awaited(script, PATIENCE, looked).await
    }

    pub(crate) async fn click(&self, selector: &str) {
        // What moves just then cannot be hit; the next time it can.
        let clicked = async || self.client.find(Locator::Css(selector)).await.ok()?.click().await.ok();
        awaited(selector, PATIENCE, clicked).await;
    }

    /// Logs in at a desk by its link, and opens `path` there.
    pub(crate) async fn log_in(&self, link: &str, path: &str) {
        let (desk, token) = parts(link);
        self.client.goto(&format!("http://{desk}/")).await.unwrap();
        let log_in = "const [token, done] = arguments;
                      const headers = { 'Content-Type': 'application/json' };
                      fetch('/api/v1/login', { method: 'POST', headers, body: JSON.stringify({ token }) })
                          .then(answer => done(answer.status));";
        assert_eq!(self.client.execute_async(log_in, vec![token.into()]).await.unwrap(), 200);
        self.client.goto(&format!("http://{desk}{path}")).await.unwrap();
        // A change of the fragment alone would not load the page anew.
        self.client.refresh().await.unwrap();
    }

    /// Shows pages `width` pixels wide, which no window is that is so narrow, in the colours of `theme`, and
    /// lets nothing move.
    pub(crate) async fn shows(&self, width: u32, height: u32, theme: Theme) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.tell("Emulation.setDeviceMetricsOverride", size).await;
        let features = json!([
            { "name": "prefers-color-scheme", "value": theme.name() },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.tell("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// What only Chromium's own protocol can tell it.
    pub(crate) async fn tell(&self, command: &'static str, arguments: Value) -> Value {
        self.client.issue_cmd(DevTools { command, arguments }).await.unwrap()
    }

    /// Ends the browser itself; its driver ends with this value.
    pub(crate) async fn close(self) {
        self.client.clone().close().await.unwrap();
    }
}

/// The browser, or `None` after saying that there is none.
pub(crate) async fn browser() -> Option<Browser> {
    let browser = Browser::start().await;
    if browser.is_none() {
        skip("there is no chromedriver here");
    }
    browser
}
