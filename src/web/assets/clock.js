// Clocks: what the server's time is, what a clock shows now, and one timer for all of them.

// Often enough that no second is shown late, seldom enough to cost nothing.
const TICK_MS = 200;

// From here on the time is shown as short.
const SHORT_MS = 20_000;

// The server's time: what it was when the snapshot came, and how fast it runs.
let origin = { server_ms: 0, local_ms: 0, speed: 1 };

/** Sets the server's time from a snapshot's `now` and `speed`. */
export function setServerTime(now, speed) {
  origin = { server_ms: Date.parse(now), local_ms: Date.now(), speed };
}

/** The server's time now. A server at ten times the speed also stamps its events ten times as fast. */
export function serverNow() {
  return origin.server_ms + (Date.now() - origin.local_ms) * origin.speed;
}

/** What `clock` shows for `side` at the server's time `now`, in milliseconds; null without a clock. */
export function shownMs(clock, side, now) {
  const left_ms = clock?.[`${side}_ms`];
  if (left_ms == null) return null;
  const ran_ms = clock.running === side && clock.at ? Math.max(0, now - Date.parse(clock.at)) : 0;
  return Math.max(0, left_ms - ran_ms);
}

/** `1:05:09`, `5:09`, `0:09`. A second counts until it is over, as on the clock on the table. */
export function timeText(ms) {
  if (ms == null) return "";
  const seconds = Math.ceil(ms / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Writes a clock into `element`, touching it only where something changed. */
export function paintClock(element, ms, running) {
  const text = timeText(ms);
  if (element.textContent !== text) element.textContent = text;
  element.classList.toggle("running", running);
  element.classList.toggle("short", ms != null && ms < SHORT_MS);
}

/** The views whose clocks tick: those on the screen with a running clock. */
export class Ticker {
  constructor() {
    this.views = new Set();
    setInterval(() => this.tick(), TICK_MS);
  }

  /** Ticks `view`, by its method `tick(now)`, as long as `on`. */
  set(view, on) {
    if (on) this.views.add(view);
    else this.views.delete(view);
  }

  tick() {
    if (this.views.size === 0 || document.hidden) return;
    const now = serverNow();
    for (const view of this.views) view.tick(now);
  }
}
