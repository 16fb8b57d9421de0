// The stream of events: opens it, keeps it open, and says when it is lost.

import { ASIDES, LINKS, PUBLIC } from "./names.js";

/** What every page wants to know. */
export const TYPES = ["snapshot", "resync", ...PUBLIC, ...LINKS, ...ASIDES];

// The browser reconnects by itself after a broken connection, but gives up when the server answers
// with an error (a restart behind a proxy). Then we try again, this often at most.
const REOPEN_MS = 3_000;

// So many events are known again: more than the server repeats after a reconnection.
const KNOWN = 512;

// A snapshot that did not help is not asked for again at once.
const RESTART_MS = 5_000;

/** One stream at `url`; `handlers` are `event(type, data)`, `lost()` and `back()`; `types` are the events wanted. */
export class Feed {
  constructor(url, handlers, types = TYPES) {
    this.url = url;
    this.handlers = handlers;
    this.types = types;
    this.opened_at = -Infinity;
    this.last = "";
    this.open();
  }

  /** Asks for a new snapshot: a stream without a last event id begins with one. */
  restart() {
    this.source.close();
    this.last = "";
    this.reopenIn(Math.max(0, this.opened_at + RESTART_MS - performance.now()));
  }

  reopenIn(ms) {
    clearTimeout(this.reopening);
    this.reopening = setTimeout(() => this.open(), ms);
  }

  open() {
    clearTimeout(this.reopening);
    this.source?.close();
    this.opened_at = performance.now();
    this.known = new Set();
    const url = new URL(this.url, location.href);
    // A source that is new knows nothing of the one before.
    if (this.last) url.searchParams.set("after", this.last);
    const source = new EventSource(url);
    this.source = source;
    source.onopen = () => this.handlers.back();
    source.onerror = () => this.failed();
    for (const type of this.types) source.addEventListener(type, (message) => this.took(type, message));
  }

  /** Ends the stream, until it is opened again. */
  close() {
    clearTimeout(this.reopening);
    this.source.close();
  }

  failed() {
    this.handlers.lost();
    if (this.source.readyState === EventSource.CLOSED) this.reopenIn(REOPEN_MS);
  }

  took(type, message) {
    this.handlers.back();
    const data = JSON.parse(message.data);
    // What is told aside has no id at the beginning of a stream.
    this.last = message.lastEventId || this.last;
    if (type === "snapshot" || type === "resync") this.known.clear();
    else if (!ASIDES.includes(type) && this.seen(message.lastEventId)) return;
    this.handlers.event(type, data);
  }

  // After a reconnection the server may begin a little too early. Numbers say nothing about the order: boards
  // may have delays of their own.
  seen(id) {
    if (this.known.has(id)) return true;
    this.known.add(id);
    if (this.known.size > KNOWN) this.known.delete(this.known.values().next().value);
    return false;
  }
}
