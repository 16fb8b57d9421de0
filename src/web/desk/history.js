// Everything that happened, newest first: what kind of it, on which board, and rulings with their undoing.

import { html } from "/assets/dom.js";
import { kindOf } from "/assets/placement.js";
import { sideWord } from "./people.js";
import { lineOf } from "./record-came.js";
import { timeOf } from "./replay.js";
import { undoButton } from "./ruling-list.js";
import { boardName, t } from "./words.js";

export const styles = ["record.css", "history.css"];

const PAGE = 100;

const SENSED = ["piece-lifted", "piece-placed", "piece-touched", "pressed"];
const MOVES = ["move-made", "move-completed", "move-retracted"];
const CLOCK = [
  "clock-read", "pressed", "clock-paused", "clock-resumed", "flag-fallen", "both-flags-fallen", "time-control-check",
  "time-trouble", "clock-setting-wrong", "clock-time-jump", "clock-defective", "clock-before-correction",
];
const RULED = ["ruled", "result-changed", "game-over", "game-annulled", "game-opened", "game-closed", "round-opened", "round-closed"];

export function create(root, desk) {
  return new HistoryView(root, desk);
}

class HistoryView {
  constructor(root, desk) {
    Object.assign(this, { root, desk });
    this.filter = { board: "", kind: "incidents" };
    this.events = [];
    this.build();
  }

  build() {
    const head = html("header", "history-head");
    head.append(html("h2", "", t("history.title")));
    const filter = html("form", "history-filter");
    filter.addEventListener("submit", (event) => event.preventDefault());
    this.board = html("select", "");
    this.board.setAttribute("aria-label", t("history.board"));
    this.board.addEventListener("change", () => this.choose({ board: this.board.value }));
    this.kinds = html("div", "choice");
    this.kinds.setAttribute("role", "radiogroup");
    this.kinds.setAttribute("aria-label", t("history.kind"));
    for (const kind of ["incidents", "rulings", "moves", "clock", "hands", "all"]) {
      const label = html("label", "option");
      const input = Object.assign(document.createElement("input"), { type: "radio", name: "kind", value: kind });
      input.addEventListener("change", () => this.choose({ kind }));
      label.append(input, html("span", "", t(`history.${kind}`)));
      this.kinds.append(label);
    }
    filter.append(this.kinds, this.board);
    this.fresh = html("button", "fresh");
    this.fresh.type = "button";
    this.fresh.addEventListener("click", () => this.load());
    this.list = html("ol", "history-list");
    this.message = html("p", "refused");
    this.message.setAttribute("role", "alert");
    this.more = html("button", "more", t("history.more"));
    this.more.type = "button";
    this.more.addEventListener("click", () => this.load(true));
    head.append(filter);
    this.root.append(head, this.fresh, this.list, this.message, this.more);
  }

  show(_, query) {
    const kind = query.get("kind") ?? this.filter.kind;
    this.filter = { board: query.get("board") ?? "", kind };
    const names = [...this.desk.state.boards.keys()];
    this.board.replaceChildren(new Option(t("history.all_boards"), ""), ...names.map((name) => new Option(boardName(name), name)));
    this.board.value = this.filter.board;
    for (const input of this.kinds.querySelectorAll("input")) input.checked = input.value === kind;
    this.load();
  }

  choose(change) {
    this.filter = { ...this.filter, ...change };
    const query = new URLSearchParams(Object.entries(this.filter).filter(([, value]) => value));
    history.replaceState(null, "", `#/history?${query}`);
    this.load();
  }

  close() {}

  async types() {
    const { kind } = this.filter;
    if (kind === "rulings") return RULED;
    if (kind === "moves") return MOVES;
    if (kind === "clock") return CLOCK;
    if (kind === "hands") return SENSED;
    if (kind === "all") return null;
    this.names ??= this.desk.ask("names");
    const rows = await this.names;
    // What is only for information fills the page and says little; "all" has it.
    return rows.filter((row) => ["irregularity", "claim", "outcome"].includes(row.kind)
      || (row.kind === "notice" && row.severity !== "info" && !MOVES.includes(row.name))).map((row) => row.name);
  }

  async load(further = false) {
    const asked = {};
    this.asked = asked;
    this.list.setAttribute("aria-busy", "true");
    try {
      const types = await this.types();
      const query = new URLSearchParams({ limit: String(PAGE) });
      if (this.filter.board) query.set("board", this.filter.board);
      if (types) query.set("types", types.join(","));
      if (further && this.events.length > 0) query.set("before", String(this.events.at(-1).seq));
      const found = await this.desk.ask(`history?${query}`);
      if (this.asked !== asked) return;
      this.chosen = types && new Set(types);
      this.missed = 0;
      this.events = further ? [...this.events, ...found.events] : found.events;
      this.message.textContent = "";
      this.more.hidden = !found.more;
      this.draw(further ? found.events : null);
    } catch (problem) {
      if (this.asked === asked) this.message.textContent = problem.detail || problem.message;
    } finally {
      this.list.removeAttribute("aria-busy");
    }
  }

  // The list holds still while somebody reads: what is new waits behind a button.
  update(changed) {
    if (changed.all) return void this.load();
    const { board } = this.filter;
    const mine = changed.events.filter((event) => (!board || event.board === board) && (!this.chosen || this.chosen.has(event.type)));
    this.missed = (this.missed ?? 0) + mine.filter((event) => event.seq != null).length;
    this.tell();
  }

  tell() {
    this.fresh.hidden = !this.missed;
    this.fresh.textContent = t("history.new", { count: this.missed ?? 0 });
  }

  draw(added) {
    const undone = new Set(this.events.filter((one) => one.type === "ruled" && one.name === "undo").map((one) => one.ruling));
    const rows = (added ?? this.events).map((event) => this.row(event, undone));
    if (added) this.list.append(...rows);
    else this.list.replaceChildren(...rows);
    if (this.events.length === 0) this.list.append(html("li", "quiet", t("history.none")));
    this.tell();
  }

  row(event, undone) {
    const { desk } = this;
    const item = html("li", "event-row", "", { severity: event.severity ?? "" });
    const game = desk.state.boards.get(event.board)?.game;
    // The moves that the desk has are the last ones: those of another game have other names.
    const played = game && game.game === event.game ? game : null;
    const board = html("a", "row-board", event.board ? boardName(event.board) : "");
    if (event.board) board.href = `#/board/${encodeURIComponent(event.board)}`;
    const words = html(event.record && event.status ? "a" : "span", "row-words", lineOf(desk, event, played, "history", this.events) || this.sensed(event, played));
    if (event.record && event.status) words.href = `#/record/${event.record}`;
    item.append(html("span", "row-time", timeOf(event.at)), board, words);
    item.append(html("span", "row-by", event.type === "ruled" ? event.by ?? "" : ""));
    if (event.type === "ruled" && desk.session.is("arbiter") && !["undo", "note"].includes(event.name)) {
      if (event.undone || undone.has(event.seq)) item.append(html("span", "tag", t("ruling.undone")));
      else item.append(undoButton(desk, event, (text) => { this.message.textContent = text; }));
    }
    return item;
  }

  sensed(event, game) {
    const { desk } = this;
    const square = event.square ? desk.san(event.square) : "";
    const piece = event.piece ? t(`piece.${kindOf(event.piece)}`) : "";
    const side = event.player ? t(`side.${event.player}`) : event.side ? sideWord(game, event.side) : "";
    const move = event.san ? desk.san(event.san) : "";
    const clock = event.type === "clock-read" && event.white_ms != null ? clocks(event) : "";
    return [desk.name(event.type), side, [piece, square].filter(Boolean).join(" "), move, clock].filter(Boolean).join(" · ");
  }

  get keys() {
    return { o: { words: "history.key_more", run: () => { if (!this.more.hidden) this.load(true); } } };
  }
}

function clocks(event) {
  const text = (ms) => new Date(ms ?? 0).toISOString().slice(12, 19);
  return `${text(event.white_ms)} – ${text(event.black_ms)}`;
}
