// The list of boards, ordered by how urgent they are. It holds still while somebody reads it.

import { serverNow } from "/assets/clock.js";
import { html } from "/assets/dom.js";
import { isLive } from "/assets/state.js";
import { idly } from "./idle.js";
import { arrange, moving } from "./order.js";
import { Row, setData } from "./row.js";
import { rank } from "./state.js";
import { Still } from "./still.js";
import { Stray } from "./stray.js";
import { GROUPS, urgency } from "./urgency.js";
import { has } from "./words.js";

export const styles = ["list.css"];

// Clocks run out and links fall silent without an event: so often is the order looked at.
const LOOK_MS = 1_000;

// Rows are drawn this far outside the screen, so that scrolling meets no empty ones.
const MARGIN = "600px";

export function create(root, desk) {
  return new List(root, desk);
}

class List {
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.rows = new Map();
    this.placed = new Map();
    this.current = null;
    this.words = [];
    this.visited = false;
    this.build();
    this.observer = new IntersectionObserver((entries) => this.seen(entries), { rootMargin: MARGIN });
    this.still = new Still(this.list, () => this.look());
    this.list.addEventListener("focusin", (event) => this.focused(event.target.closest(".row")));
    const act = (words, run) => ({ words, run });
    this.keys = {
      j: act("list.keys.down", () => this.step(1)),
      k: act("list.keys.up", () => this.step(-1)),
      ArrowDown: act(null, () => this.step(1)),
      ArrowUp: act(null, () => this.step(-1)),
      Home: act(null, () => this.to(0)),
      End: act(null, () => this.to(Infinity)),
      Enter: act("list.keys.open", () => this.openBoard()),
      i: act("list.keys.incident", () => this.openIncident()),
      n: act("list.keys.next", () => this.nextIncident()),
      o: act("list.keys.order", () => this.settle(undefined, true)),
      "/": act("list.keys.search", () => { this.search.focus(); this.search.select(); }),
      x: act("list.keys.only", () => this.toggleOnly()),
      Escape: act(null, () => this.clear()),
    };
  }

  build() {
    const { t } = this.desk;
    this.heading = html("h2", "heard", t("frame.list"));
    this.summary = html("p", "summary");
    this.search = Object.assign(html("input", "search"), { type: "search", placeholder: t("list.search"), autocomplete: "off" });
    this.search.setAttribute("aria-label", t("list.search_label"));
    this.search.addEventListener("input", () => this.filter());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "ArrowDown") {
        event.preventDefault();
        this.to(0);
      }
      // The browser empties it, and does not say so once the focus has gone.
      if (event.key === "Escape" && this.search.value) {
        this.search.value = "";
        this.filter();
      }
    });
    this.only = Object.assign(html("button", "only", t("list.only")), { type: "button" });
    this.only.setAttribute("aria-pressed", "false");
    this.only.addEventListener("click", () => this.toggleOnly());
    this.hint = Object.assign(html("button", "settle"), { type: "button", hidden: true });
    this.hint.addEventListener("click", () => this.settle(undefined, true));
    this.stray = new Stray(this.desk);
    this.empty = html("p", "empty");
    this.list = html("ol", "rows");
    this.groups = Object.fromEntries(GROUPS.map((group) => [group, this.group(group)]));
    const bar = html("div", "list-bar");
    const tools = html("div", "list-tools");
    tools.append(this.search, this.only);
    bar.append(this.summary, tools);
    const hint = html("div", "settle-place");
    hint.append(this.hint);
    this.root.append(this.heading, this.stray.element, bar, hint, this.empty, this.list);
  }

  group(name) {
    const item = html("li", `group ${name}`);
    const title = html("h3", "", this.desk.t(`list.groups.${name}`));
    const count = html("span", "count");
    title.append(" ", count);
    item.append(title);
    if (has(`list.why.${name}`)) item.append(html("span", "why", this.desk.t(`list.why.${name}`)));
    return { item, count };
  }

  show() {
    this.load();
    this.settle();
    this.timer = setInterval(() => this.look(), LOOK_MS);
    // Back from a board: where the reader was.
    const link = this.visited ? this.rows.get(this.current)?.link : null;
    this.visited = true;
    return link;
  }

  close() {
    clearInterval(this.timer);
    for (const row of this.rows.values()) this.desk.ticker.set(row, false);
  }

  update({ all, boards }) {
    if (all) {
      this.load();
      return this.settle();
    }
    let fresh = false;
    for (const name of boards) {
      if (!this.desk.state.boards.has(name)) continue;
      fresh = !this.rows.has(name) || fresh;
      this.draw(name);
    }
    if (fresh) this.settle();
  }

  load() {
    const { state } = this.desk;
    for (const [name, row] of this.rows) if (!state.boards.has(name)) this.remove(name, row);
    for (const name of state.boards.keys()) this.draw(name);
  }

  draw(name) {
    const { state, ticker } = this.desk;
    let row = this.rows.get(name);
    if (!row) {
      row = new Row(name, this.desk);
      this.rows.set(name, row);
      this.observer.observe(row.element);
    }
    const board = state.boards.get(name);
    row.show(board, state.waiting(name));
    if (board.game?.plies > 0 && board.game.moves.length === 0) this.complete(name);
    ticker.set(row, row.ticks);
  }

  // After moves were taken back the last one is not known here.
  complete(name) {
    const { state } = this.desk;
    state.whole(name).then((board) => board && this.rows.get(name)?.show(board, state.waiting(name)), () => {});
  }

  remove(name, row) {
    this.observer.unobserve(row.element);
    this.desk.ticker.set(row, false);
    row.element.remove();
    this.rows.delete(name);
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const row = this.rows.get(target.dataset.board);
      if (!row) continue;
      row.visible = isIntersecting;
      if (isIntersecting) {
        row.draw();
        row.tick(serverNow());
        row.age(serverNow());
      }
      this.desk.ticker.set(row, row.ticks);
    }
  }

  /** Looks how urgent each board is now; the order changes unless somebody reads it. */
  look() {
    this.stray.look();
    const now = serverNow();
    const urgencies = this.urgencies(now);
    for (const row of this.rows.values()) if (row.visible) row.age(now);
    // Rows that nobody sees are there to be found and heard.
    idly([...this.rows.values()].filter((row) => !row.drawn), (row) => row.draw());
    this.showSummary(urgencies);
    let moved = 0;
    for (const [name, { weight, since }] of urgencies) {
      const placed = this.placed.get(name);
      if (!placed || placed.weight !== weight || placed.since !== since) moved += 1;
    }
    if (moved > 0 && !this.still.reading) return this.settle(urgencies, true);
    this.hint.hidden = moved === 0;
    if (moved > 0) this.hint.textContent = this.desk.t("list.changes", { count: moved, n: moved });
  }

  urgencies(now) {
    const { state } = this.desk;
    return new Map([...state.boards].map(([name, board]) => [name, urgency(board, state.waiting(name), now)]));
  }

  /** Puts every row where it belongs now; `seen` lets the reader see them go there. */
  settle(urgencies = this.urgencies(serverNow()), seen = false) {
    this.placed = urgencies;
    this.hint.hidden = true;
    const all = [...this.rows.values()];
    const number = new Map([...this.desk.state.boards.keys()].map((name, i) => [name, i]));
    all.sort((a, b) => {
      const [one, other] = [urgencies.get(a.name), urgencies.get(b.name)];
      return other.weight - one.weight || (one.since < other.since ? -1 : one.since > other.since ? 1 : number.get(a.name) - number.get(b.name));
    });
    // What does not match keeps its place, so that a filter moves nothing.
    for (const row of all) row.element.hidden = !this.matches(row);
    const shown = all.filter((row) => !row.element.hidden);
    for (const group of GROUPS) this.frame(group, shown.filter((row) => urgencies.get(row.name).group === group));
    for (const row of shown) setData(row.element, "urgency", urgencies.get(row.name).mark);
    const wanted = GROUPS.flatMap((group) => {
      const rows = all.filter((row) => urgencies.get(row.name).group === group);
      return [this.groups[group].item, ...rows.map((row) => row.element)];
    });
    this.place(wanted, seen ? shown.filter((row) => row.visible).map((row) => row.element) : []);
    this.order = shown.map((row) => row.name);
    if (!this.order.includes(this.current)) this.choose(this.order[0] ?? null);
    this.showEmpty(shown.length);
    this.showSummary(urgencies);
  }

  // The title of a group above its rows, and which of them are its first and its last.
  frame(group, rows) {
    const { item, count } = this.groups[group];
    item.hidden = rows.length === 0;
    count.textContent = rows.length;
    for (const [i, { element }] of rows.entries()) {
      element.classList.toggle("uppermost", i === 0);
      element.classList.toggle("lowest", i === rows.length - 1);
    }
  }

  place(wanted, seen) {
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    moving(seen, () => arrange(this.list, wanted));
    // An element that is moved loses the focus.
    if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
  }

  showEmpty(shown) {
    const { t, state } = this.desk;
    const key = state.boards.size === 0 ? "list.no_boards" : this.onlyIncidents && this.words.length === 0 ? "list.no_incidents" : "list.no_match";
    this.empty.textContent = shown > 0 ? "" : t(key);
  }

  showSummary(urgencies) {
    const { t, state } = this.desk;
    const boards = [...state.boards.values()];
    const open = boards.flatMap((board) => state.waiting(board.board));
    const grave = open.filter((one) => rank(one.severity) >= 2).length;
    const live = boards.filter((board) => isLive(board.game)).length;
    const lost = boards.filter((board) => board.state === "lost").length;
    const short = [...urgencies.values()].filter((one) => one.group === "time").length;
    const parts = [
      ["", t("list.live", { n: live, all: boards.length, count: live })],
      [grave > 0 ? "grave" : "", t("list.incidents", { n: open.length, count: open.length })],
      ["", short > 0 ? t("list.short", { n: short, count: short }) : ""],
      [lost > 0 ? "lost" : "", lost > 0 ? t("list.lost", { n: lost, count: lost }) : t("list.none_lost")],
    ].filter(([, text]) => text);
    const key = parts.join();
    if (key === this.summed) return;
    this.summed = key;
    this.summary.replaceChildren(...parts.map(([kind, text]) => html("span", `sum ${kind}`, text)));
  }

  get onlyIncidents() {
    return this.only.getAttribute("aria-pressed") === "true";
  }

  matches(row) {
    if (this.onlyIncidents && row.incidents.length === 0) return false;
    return this.words.length === 0 || this.words.every((word) => row.text.includes(word));
  }

  filter() {
    this.words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.settle();
  }

  toggleOnly() {
    this.only.setAttribute("aria-pressed", String(!this.onlyIncidents));
    this.settle();
  }

  clear() {
    if (!this.search.value && !this.onlyIncidents) return false;
    this.search.value = "";
    this.only.setAttribute("aria-pressed", "false");
    this.filter();
    return true;
  }

  // The row at which the keys are. It alone is a stop for Tab.
  choose(name) {
    this.rows.get(this.current)?.reachable(false);
    this.current = name;
    this.rows.get(name)?.reachable(true);
  }

  focused(element) {
    if (element && element.dataset.board !== this.current) this.choose(element.dataset.board);
  }

  step(by) {
    const at = this.order.indexOf(this.current);
    const inside = this.list.contains(document.activeElement);
    this.to(inside ? at + by : Math.max(0, at));
  }

  to(index) {
    const name = this.order[Math.min(Math.max(index, 0), this.order.length - 1)];
    if (name === undefined) return;
    this.choose(name);
    const row = this.rows.get(name);
    row.element.scrollIntoView({ block: "nearest" });
    row.link.focus({ preventScroll: true });
  }

  openBoard() {
    if (this.current === null) return false;
    this.desk.go(`#/board/${encodeURIComponent(this.current)}`);
    return true;
  }

  openIncident() {
    const [incident] = this.desk.state.waiting(this.current);
    if (!incident) return false;
    this.desk.go(`#/record/${incident.record}`);
    return true;
  }

  nextIncident() {
    const at = this.order.indexOf(this.current);
    const ahead = [...this.order.slice(at + 1), ...this.order.slice(0, at + 1)];
    const next = ahead.find((name) => this.desk.state.waiting(name).length > 0);
    if (next === undefined) return this.desk.say(this.desk.t("list.no_incidents"));
    this.to(this.order.indexOf(next));
  }
}
