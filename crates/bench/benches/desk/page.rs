//! The page with the list, which measures itself.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use serde_json::{Map, Value, json};

use crate::browser::Browser;
use crate::hands::Interaction;

/// Before each page: it counts the events that its listeners have taken, and keeps what the browser says of
/// keys (Event Timing) and of long tasks. With the first key after `measured.expect` it looks at each frame
/// whether what is expected is there, and when that frame is out.
const MEASURED: &str = "
window.measured = { applied: 0, keys: [], tasks: [], focused: null, shown: null };
{
  const listen = EventSource.prototype.addEventListener;
  EventSource.prototype.addEventListener = function (type, listener) {
    listen.call(this, type, (message) => { listener(message); measured.applied += 1; });
  };
  const observe = (type, kept) => new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) kept.push(duration);
  }).observe({ type, durationThreshold: 16, buffered: true });
  observe('event', measured.keys);
  observe('longtask', measured.tasks);
  let expected = null;
  measured.expect = (seen) => {
    Object.assign(measured, { keys: measured.keys, focused: document.activeElement, shown: null });
    measured.keys.length = 0;
    expected = seen;
  };
  addEventListener('keydown', (event) => {
    const seen = expected;
    if (!seen) return;
    expected = null;
    const out = new MessageChannel();
    out.port1.onmessage = () => { measured.shown = performance.now() - event.timeStamp; };
    const look = () => { if (seen()) out.port2.postMessage(0); else requestAnimationFrame(look); };
    requestAnimationFrame(look);
  }, true);
}";

/// The browser tells of nothing shorter; what it does not tell of took no longer.
const UNTOLD_MS: f64 = 16.0;
/// Entries of Event Timing come when the browser has time.
const SETTLED: Duration = Duration::from_millis(200);

/// What an interaction took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// From the key to the next frame, as the browser says, milliseconds.
    pub(crate) framed_ms: f64,
    /// From the key to the frame that shows what was asked for, milliseconds.
    pub(crate) shown_ms: f64,
}

/// Tasks that held the page up for more than 50 ms.
#[derive(Debug)]
pub(crate) struct Tasks {
    pub(crate) count: usize,
    pub(crate) longest_ms: f64,
}

/// An open page.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    browser: &'a Browser,
    /// From the address to the whole list, milliseconds.
    pub(crate) opened_ms: f64,
}

impl<'a> Page<'a> {
    /// Opens the list of so many boards at `desk` for whoever has the session `cookie`.
    pub(crate) async fn open(browser: &'a Browser, desk: SocketAddr, cookie: &str, boards: usize) -> Self {
        let (name, value) = cookie.split_once('=').unwrap();
        let cookie = json!({ "name": name, "value": value, "url": format!("http://{desk}/") });
        browser.tell("Network.setCookie", cookie).await;
        browser.tell("Page.addScriptToEvaluateOnNewDocument", json!({ "source": MEASURED })).await;
        browser.tell("Performance.enable", json!({})).await;
        browser.client.set_window_size(1_280, 900).await.unwrap();
        let started = Instant::now();
        browser.client.goto(&format!("http://{desk}/")).await.unwrap();
        browser.sees(&format!("document.querySelectorAll('.list-view .row').length === {boards}")).await;
        Self { browser, opened_ms: started.elapsed().as_secs_f64() * 1_000.0 }
    }

    async fn run(&self, script: &str) -> Value {
        self.browser.client.execute(script, Vec::new()).await.unwrap()
    }

    /// Presses the key, and waits until what it does is seen.
    pub(crate) async fn measure(&self, interaction: &Interaction) -> Measured {
        let Interaction { name, key: value, seen } = interaction;
        self.run(&format!("measured.expect(() => {seen});")).await;
        let keys = KeyActions::new("keys".to_owned());
        let keys = keys.then(KeyAction::Down { value: *value }).then(KeyAction::Up { value: *value });
        self.browser.client.perform_actions(keys).await.unwrap();
        let shown_ms = self.browser.sees(&format!("measured.shown /* {name} */")).await.as_f64().unwrap();
        tokio::time::sleep(SETTLED).await;
        let framed = self.run("return Math.max(0, ...measured.keys);").await.as_f64().unwrap();
        Measured { framed_ms: framed.max(UNTOLD_MS), shown_ms }
    }

    /// Events that the page has taken.
    pub(crate) async fn applied(&self) -> f64 {
        self.run("return measured.applied;").await.as_f64().unwrap()
    }

    /// The long tasks since the last look.
    pub(crate) async fn take_tasks(&self) -> Tasks {
        let tasks = self.run("return measured.tasks.splice(0);").await;
        let tasks: Vec<f64> = tasks.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
        Tasks { count: tasks.len(), longest_ms: tasks.iter().copied().fold(0.0, f64::max) }
    }

    /// Waits until every row says of its board what `standing` says.
    pub(crate) async fn shows(&self, standing: &Map<String, Value>) {
        let standing = serde_json::to_string(standing).unwrap();
        let wrong = format!(
            "Object.entries({standing}).filter(([board, move]) => document
                .querySelector(`.list-view .row[data-board='${{board}}'] .last`)?.firstChild?.textContent !== move)
                .length === 0"
        );
        self.browser.sees(&wrong).await;
    }

    /// What the page takes, after what is no longer needed has gone.
    pub(crate) async fn memory(&self) -> String {
        self.browser.tell("HeapProfiler.collectGarbage", json!({})).await;
        let metrics = self.browser.tell("Performance.getMetrics", json!({})).await;
        let of = |name: &str| {
            let mut metrics = metrics["metrics"].as_array().unwrap().iter();
            metrics.find(|metric| metric["name"] == name).and_then(|metric| metric["value"].as_f64()).unwrap()
        };
        format!("{:.1} MB of scripts, {:.0} nodes", of("JSHeapUsedSize") / 1e6, of("Nodes"))
    }
}
