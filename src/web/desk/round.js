// Before the round: every board, whether it is ready, and what has to be put right on it.

import { Board } from "/assets/board.js";
import { html, svg } from "/assets/dom.js";
import { isLive } from "/assets/state.js";
import { idly } from "./idle.js";
import { arrange, moving } from "./order.js";
import { allPlayers } from "/assets/turns.js";
import { CHECKS, checks, foundFen } from "./readiness.js";
import { Still } from "./still.js";

export const styles = ["round.css"];

const SETTLE_MS = 1_000;
const ASK_MS = 10_000;

// Rows are drawn this far outside the screen, so that scrolling meets no empty ones.
const MARGIN = "600px";

export function create(root, desk) {
  return new Round(root, desk);
}

class Round {
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.rows = new Map();
    this.placed = "";
    const { t } = desk;
    this.heading = html("h2", "round-title");
    this.headline = html("p", "headline");
    this.headline.setAttribute("role", "status");
    this.playing = html("p", "hint");
    this.bar = html("div", "ready-bar");
    this.bar.append(html("span", ""));
    this.print = Object.assign(html("button", "print", t("round.print")), { type: "button" });
    this.print.addEventListener("click", () => print());
    this.problem = html("p", "round-problem");
    this.problem.setAttribute("role", "alert");
    const head = html("div", "round-head");
    const text = html("div", "");
    text.append(this.heading, this.headline, this.bar, this.playing);
    this.opens = Object.assign(html("button", "first open-round"), { type: "button", hidden: true });
    this.opens.addEventListener("click", () => this.open());
    const pairings = Object.assign(html("a", "to-pairings", t("pairings.title")), { href: "#/pairings" });
    head.append(text, this.opens, pairings, this.print);
    this.empty = html("p", "empty");
    this.table = html("div", "checks");
    this.table.setAttribute("role", "table");
    this.table.setAttribute("aria-label", t("frame.before"));
    this.body = html("div", "checks-body");
    this.body.setAttribute("role", "rowgroup");
    this.table.append(this.heads(), this.body);
    root.append(head, this.problem, this.empty, this.table);
    this.observer = new IntersectionObserver((entries) => this.seen(entries), { rootMargin: MARGIN });
    // On paper is everything.
    addEventListener("beforeprint", () => { for (const row of this.rows.values()) row.draw(); });
    this.still = new Still(this.body, () => this.settle());
    this.title = desk.t("frame.before");
    this.keys = {
      p: { words: "round.keys.print", run: () => print() },
    };
  }

  heads() {
    const { t } = this.desk;
    const row = html("div", "check-row heads");
    row.setAttribute("role", "row");
    for (const name of ["board", ...CHECKS.map(([check]) => check)]) {
      const cell = html("span", "", t(`round.heads.${name}`));
      cell.setAttribute("role", "columnheader");
      row.append(cell);
    }
    const group = html("div", "");
    group.setAttribute("role", "rowgroup");
    group.append(row);
    return group;
  }

  show() {
    this.load();
    this.fetch();
    this.timer = setInterval(() => this.settle(), SETTLE_MS);
    // Of pairings that are imported or put right elsewhere nobody tells.
    this.asking = setInterval(() => this.fetch(), ASK_MS);
  }

  close() {
    clearInterval(this.timer);
    clearInterval(this.asking);
  }

  // The stream keeps it from then on.
  async fetch() {
    const { ask, state, t } = this.desk;
    try {
      const { round, boards, next } = await ask("round");
      Object.assign(this, { round, next });
      for (const readiness of boards) state.readiness(readiness);
      this.problem.textContent = "";
    } catch (problem) {
      this.problem.textContent = t("round.unknown", { why: problem.message });
    }
    this.load();
  }

  // The round is opened from here, once its boards are ready, or before.
  async open() {
    const { ask, say, t } = this.desk;
    const { round } = this.next;
    try {
      await ask(`rounds/${round}/open`, { method: "POST" });
      say(t("pairings.round_open", { round }));
      await this.fetch();
    } catch (problem) {
      this.problem.textContent = problem.message;
    }
  }

  // A board is judged by the game for which it is set up: by the one that comes next, if none of a round is open there.
  judged(board) {
    const { game, readiness } = board;
    if (!this.next || !readiness || (game?.round && !game.closed)) return board;
    const paired = this.next.games[board.board];
    if (!paired) return { ...board, game: null, readiness: { ...readiness, idle: this.next.round } };
    const named = allPlayers(paired).every((player) => paired[player]?.name);
    const reasons = [...readiness.reasons.filter((reason) => reason !== "players"), ...(named ? [] : ["players"])];
    return { ...board, game: { ...paired, variant: board.variant }, readiness: { ...readiness, reasons, ready: reasons.length === 0 } };
  }

  update({ all, boards, events }) {
    if (events?.some(({ type }) => ["round-opened", "round-closed"].includes(type))) this.fetch();
    if (all) return this.load();
    let changed = false;
    for (const name of boards) changed = this.draw(name) || changed;
    if (!changed) return;
    this.head();
    this.finish();
  }

  load() {
    const { state } = this.desk;
    for (const name of [...this.rows.keys()]) if (!state.boards.has(name)) this.remove(name, this.rows.get(name));
    for (const name of state.boards.keys()) this.draw(name);
    this.head();
    this.settle(true);
    this.finish();
  }

  // Rows that nobody sees are there to be found and heard.
  finish() {
    idly([...this.rows.values()].filter((row) => !row.drawn), (row) => row.draw());
  }

  // Answers whether something was drawn.
  draw(name) {
    const known = this.desk.state.boards.get(name);
    const board = known && this.judged(known);
    const readiness = board?.readiness;
    let row = this.rows.get(name);
    if (!readiness) return this.remove(name, row);
    if (row?.says(board)) return false;
    if (!row) {
      row = new CheckRow(name, this.desk);
      this.rows.set(name, row);
      this.observer.observe(row.element);
    }
    row.show(board);
    return true;
  }

  remove(name, row) {
    if (row) this.observer.unobserve(row.element);
    return this.rows.delete(name);
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) this.rows.get(target.dataset.board)?.see(isIntersecting);
  }

  head() {
    const { t, state } = this.desk;
    // Boards that have no game in the round need not be ready.
    const rows = [...this.rows.values()].filter((row) => !row.readiness.idle);
    const ready = rows.filter((row) => row.readiness.ready).length;
    const all = rows.length > 0 && ready === rows.length;
    const games = [...state.boards.values()].map((board) => board.game?.round ?? 0);
    const round = this.next?.round ?? this.round ?? Math.max(0, ...games);
    this.opens.hidden = !this.next || !this.desk.session.is("operator");
    if (this.next) this.opens.textContent = t("pairings.open_round", { round: this.next.round });
    this.heading.textContent = round > 0 ? t("round.title", { round }) : t("frame.before");
    this.heading.dataset.event = [state.tournament.name, state.tournament.site].filter(Boolean).join(", ");
    this.headline.textContent = rows.length === 0 ? "" : t(all ? "round.may_start" : "round.ready", { ready, all: rows.length, count: rows.length });
    this.headline.classList.toggle("all", all);
    const playing = [...state.boards.values()].filter((board) => !board.readiness && isLive(board.game)).length;
    this.playing.textContent = playing > 0 ? t("round.playing", { n: playing, count: playing }) : "";
    this.bar.hidden = rows.length === 0;
    this.bar.firstChild.style.width = `${(100 * ready) / Math.max(1, rows.length)}%`;
    this.bar.classList.toggle("all", all);
    this.table.hidden = this.rows.size === 0;
    this.empty.textContent = this.rows.size === 0 ? t("round.none") : "";
  }

  // Problems first, then as people count; nothing moves while somebody reads.
  settle(now = false) {
    if (!now && this.still.reading) return;
    const rows = [...this.desk.state.boards.keys()].map((name) => this.rows.get(name)).filter(Boolean);
    const wanted = ["false", "true", "idle"].flatMap((state) => rows.filter((row) => stateOf(row.readiness) === state));
    const key = wanted.map((row) => row.name).join();
    if (key === this.placed && this.body.childElementCount === wanted.length) return;
    this.placed = key;
    const elements = wanted.map((row) => row.element);
    const near = [...this.body.children].slice(0, 60);
    moving(near, () => arrange(this.body, elements));
  }
}

// The row of one board; what it says is drawn when somebody sees it.
class CheckRow {
  constructor(name, desk) {
    this.desk = desk;
    this.name = name;
    this.visible = false;
    this.drawn = false;
    this.element = html("div", "check-row", "", { board: name });
  }

  /** Whether the row says already what is known of `board`. */
  says(board) {
    return this.said === saying(board);
  }

  show(board) {
    Object.assign(this, { board, readiness: board.readiness, said: saying(board), drawn: false });
    this.element.dataset.ready = stateOf(board.readiness);
    if (this.visible) this.draw();
  }

  see(visible) {
    this.visible = visible;
    if (visible) this.draw();
  }

  draw() {
    if (this.drawn) return;
    this.drawn = true;
    const { board } = this;
    const found = checks(board.readiness, gameOf(board), this.desk.t);
    const number = Object.assign(html("a", "", board.board), { href: `#/board/${encodeURIComponent(board.board)}` });
    const first = html("span", "board-cell");
    first.setAttribute("role", "rowheader");
    first.append(number);
    this.element.setAttribute("role", "row");
    this.element.replaceChildren(first, ...CHECKS.map(([check]) => this.cell(check, found[check], board)));
  }

  cell(check, { ok, texts }, board) {
    const { t } = this.desk;
    const cell = html("span", "cell", "", { check, ok: String(ok) });
    cell.setAttribute("role", "cell");
    if (check === "players" && !board.readiness.idle) cell.append(players(board, t));
    const said = html("span", "said-of");
    if (ok !== null) said.append(sign(ok, t(ok ? "round.right" : "round.wrong")));
    else said.append(html("span", "unknown", "–"));
    if (texts.length > 0) {
      const list = html("span", "texts");
      list.append(...texts.map((text) => html("span", "", text)));
      said.append(list);
    }
    if (check !== "players" || !ok) cell.append(said);
    if (check === "array" && !board.readiness.idle && hasDiagram(board.readiness.array)) cell.append(diagram(board));
    return cell;
  }
}

// Ready or not; or nobody's business in this round.
function stateOf({ idle, ready }) {
  return idle ? "idle" : String(ready);
}

// The list is asked for and streamed, and mostly says the same.
function saying(board) {
  const game = gameOf(board);
  return JSON.stringify([board.readiness, allPlayers(game).map((player) => game[player]?.name)]);
}

// What is played at the board, where no game is open yet.
function gameOf({ game, variant }) {
  return game ?? { variant };
}

function players(board, t) {
  const game = gameOf(board);
  const names = html("span", "pair-names");
  names.append(...allPlayers(game).map((side) => html("span", game[side]?.name ? "" : "nobody", game[side]?.name ?? t(`side.${side}`))));
  return names;
}

function sign(ok, label) {
  const d = ok ? "M5 12.5l4.5 4.5L19 7.5" : "M6.5 6.5l11 11M17.5 6.5l-11 11";
  return svg("svg", { class: ok ? "sign right" : "sign wrong", viewBox: "0 0 24 24", role: "img", "aria-label": label }, [svg("path", { d })]);
}

function hasDiagram({ wrong, sick }) {
  return wrong.length > 0 || sick.length > 0;
}

// What stands there, with the wrong squares marked, and those that are not believed. It says nothing that the words do not say.
function diagram(it) {
  const { wrong, sick } = it.readiness.array;
  const squares = (all) => all.map(({ square }) => square);
  const board = new Board();
  board.show(foundFen(gameOf(it), wrong), null);
  board.highlight({ "wrong-square": squares(wrong), sick: squares(sick) });
  board.element.setAttribute("aria-hidden", "true");
  return board.element;
}
