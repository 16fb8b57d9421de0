//! A real browser, driven from a test or a measurement.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use reqwest::Url;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout};

use crate::daemon::{LOOK, PATIENCE, awaited, nowhere, skip};
use crate::http::parts;

/// No test needs its browser for as long as this. A driver waits without end for a page that is stuck: then it is
/// ended, and the command that waits for it fails.
const LIFE: Duration = Duration::from_secs(600);

/// So many browsers at a time: each needs half a processor for as long as its page changes.
static BROWSERS: Semaphore = Semaphore::const_new(5);

/// What the driver says when it listens; the port comes after it.
const LISTENS: &str = "started successfully on port ";

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

/// A driver, gone with this value.
#[derive(Debug)]
struct Driver(Child);

impl Driver {
    /// Says where it listens in the file `said`; `None` if no driver is installed.
    fn start(said: File) -> Option<Self> {
        // It finds a port itself: one that was free a moment ago may have been taken.
        // A browser is awaited, and lets go first whoever plays in real time.
        let mut command = Command::new("nice");
        command.args(["-n", "10", "chromedriver", "--port=0"]).stdout(said).stderr(nowhere());
        command.spawn().ok().map(Self)
    }

    /// Ends it with its browser, which would outlive it.
    fn end(&self) {
        let id = self.0.id().to_string();
        // They may be gone already.
        let _browser = Command::new("pkill").args(["-KILL", "--parent", &id]).status();
        let _driver = Command::new("kill").args(["-KILL", &id]).status();
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.end();
        let _gone = self.0.wait();
    }
}

/// A driver that listens, and its port; what it says goes to that file. `None` if none is installed. One that was given a
/// port which somebody else had sooner ends at once: another is started.
async fn listening(said: &Path) -> Option<(Driver, u16)> {
    let begun = Instant::now();
    let mut driver = Driver::start(File::create(said).unwrap())?;
    loop {
        let text = std::fs::read_to_string(said).unwrap();
        if let Some(port) = port(&text) {
            return Some((driver, port));
        }
        assert!(begun.elapsed() < PATIENCE, "still no driver of a browser after {PATIENCE:?}: {text}");
        if driver.0.try_wait().unwrap().is_some() {
            driver = Driver::start(File::create(said).unwrap())?;
        }
        sleep(LOOK).await;
    }
}

/// A browser with its driver, gone with this value.
#[derive(Debug)]
pub(crate) struct Browser {
    _driver: Arc<Driver>,
    _profile: TempDir,
    _turn: SemaphorePermit<'static>,
    pub(crate) client: Client,
}

impl Browser {
    /// `None` if no driver is installed.
    pub(crate) async fn start() -> Option<Self> {
        let turn = BROWSERS.acquire().await.expect("nobody closes it");
        let profile = tempfile::tempdir().unwrap();
        let said = profile.path().join("driver");
        let (driver, port) = listening(&said).await?;
        let driver = Arc::new(driver);
        let watched = Arc::downgrade(&driver);
        tokio::spawn(async move {
            sleep(LIFE).await;
            if let Some(driver) = watched.upgrade() {
                driver.end();
            }
        });
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
            builder.connect(&format!("http://127.0.0.1:{port}")).await.ok()
        };
        let client = awaited("browser", PATIENCE, connect).await;
        Some(Self { _driver: driver, _profile: profile, _turn: turn, client })
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

    /// Types into a field.
    pub(crate) async fn types(&self, selector: &str, text: &str) {
        self.client.find(Locator::Css(selector)).await.unwrap().send_keys(text).await.unwrap();
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
        timeout(PATIENCE, self.client.clone().close()).await.expect("an end of the browser").unwrap();
    }
}

/// The port where a driver listens that has said this.
fn port(said: &str) -> Option<u16> {
    let (port, _) = said.split_once(LISTENS)?.1.split_once('.')?;
    port.parse().ok()
}

/// The browser, or `None` after saying that there is none.
pub(crate) async fn browser() -> Option<Browser> {
    let browser = Browser::start().await;
    if browser.is_none() {
        skip("there is no chromedriver here");
    }
    browser
}
