// Pairings: who plays whom at which board; imported, moved to other boards, put right.

import { html } from "/assets/dom.js";
import { teamsOf } from "/assets/matches.js";
import { Import } from "./pairings-import.js";
import { Correction } from "./pairings-correct.js";
import { PairingRow } from "./pairings-row.js";

export const styles = ["pairings.css"];

// What changes how far a game is, or who plays it.
const TELLING = [
  "game-opened", "game-changed", "game-closed", "game-over", "game-annulled", "result-changed", "result-signalled", "move-made",
  "round-opened", "round-closed",
];

// A round that begins says this often at most how far it is.
const ASK_MS = 2_000;

export function create(root, desk) {
  return new Pairings(root, desk);
}

class Pairings {
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.rounds = {};
    this.round = null;
    const { t } = desk;
    this.title = t("pairings.title");
    const head = html("div", "pairings-head");
    const back = Object.assign(html("a", "", t("frame.before")), { href: "#/round" });
    this.event = html("p", "hint");
    const text = html("div", "");
    text.append(html("h2", "pairings-title", this.title), this.event);
    head.append(text, back);
    this.import = new Import(desk, () => this.fetch());
    this.chosen = html("select", "");
    const choose = html("label", "choose-round", t("pairings.round"));
    choose.append(this.chosen);
    this.chosen.addEventListener("change", () => this.draw(Number(this.chosen.value)));
    this.hint = html("p", "hint", t("pairings.order_hint"));
    this.problem = html("p", "problem");
    this.problem.setAttribute("role", "alert");
    this.empty = html("p", "empty");
    this.bar = html("div", "pairings-bar");
    const left = html("div", "round-acts");
    this.standing = html("span", "round-standing");
    this.act = Object.assign(html("button", "round-act"), { type: "button" });
    this.act.addEventListener("click", () => this.turn());
    left.append(choose, this.standing, this.act);
    this.bar.append(left, this.hint);
    this.list = html("ol", "pairing-list");
    this.list.setAttribute("aria-label", this.title);
    this.correction = new Correction(desk, () => this.fetch());
    root.append(head, this.import.element, this.bar, this.problem, this.empty, this.list, this.correction.element);
    this.takeDrops();
    this.keys = {};
  }

  async show(argument, query) {
    this.import.clear();
    const round = Number(query?.get("round"));
    if (round > 0) this.round = round;
    await this.fetch();
  }

  close() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.correction.element.open) this.correction.element.close();
  }

  update({ all, events }) {
    const tells = ({ type, ply }) => TELLING.includes(type) && (type !== "move-made" || ply === 1);
    if (!all && !events.some(tells)) return;
    this.timer ??= setTimeout(() => { this.timer = null; this.fetch(); }, ASK_MS);
  }

  async fetch() {
    // Nothing moves under a hand.
    if (this.dragged || this.correction.element.open) return;
    try {
      const [told, states] = await Promise.all([this.desk.ask("pairings"), this.desk.ask("rounds")]);
      const said = JSON.stringify([told, states]);
      if (said === this.said) return;
      this.said = said;
      this.rounds = told.rounds;
      this.event.textContent = [told.event, told.site].filter(Boolean).join(", ");
      this.dates = told.dates;
      this.states = new Map(states.map(({ round, state }) => [round, state]));
      this.draw();
    } catch (problem) {
      this.problem.textContent = this.desk.t("pairings.unknown", { why: problem.message });
    }
  }

  // The round that was chosen, else the first one that is not over, else the last one.
  draw(round = this.round) {
    const { t } = this.desk;
    const numbers = Object.keys(this.rounds).map(Number);
    const isOver = (number) => this.rounds[number].every(({ state }) => state === "finished" || state === "closed");
    this.round = round in this.rounds ? round : numbers.find((number) => !isOver(number)) ?? numbers.at(-1) ?? null;
    this.bar.hidden = numbers.length === 0;
    this.empty.textContent = numbers.length === 0 ? t("pairings.none") : "";
    this.problem.textContent = "";
    this.chosen.replaceChildren(...numbers.map((number) => {
      const date = this.dates[number];
      return new Option(date ? `${number} · ${date}` : String(number), number, false, number === this.round);
    }));
    this.turned();
    const boards = (one, other) => natural(one.board, other.board) || one.number - other.number;
    this.shown = this.round === null ? [] : [...this.rounds[this.round]].sort((one, other) => one.result === "bye" || other.result === "bye" ? one.number - other.number : boards(one, other));
    const movable = this.shown.filter(isMovable);
    const rows = this.shown.map((pairing) => new PairingRow(pairing, this.desk, {
      up: movable.indexOf(pairing) > 0 && (() => this.step(pairing, -1)),
      down: isMovable(pairing) && pairing !== movable.at(-1) && (() => this.step(pairing, 1)),
      correct: () => this.correction.open(pairing, this.boards()),
    }).element);
    const focus = document.activeElement?.closest?.(".pairing")?.dataset.game;
    const act = document.activeElement?.dataset?.act;
    this.list.replaceChildren(...withMatches(this.shown, rows, t));
    if (focus) this.focus(focus, act);
  }

  // How the round stands, and what can be done about it.
  turned(force = false) {
    const { t } = this.desk;
    const state = this.states.get(this.round) ?? "waiting";
    this.force = force;
    this.standing.textContent = this.round === null ? "" : t(`pairings.round_state.${state}`);
    this.standing.dataset.state = state;
    this.act.hidden = this.round === null;
    this.act.dataset.act = state === "open" ? "close" : "open";
    const words = state !== "open" ? "open_round" : force ? "close_anyway" : "close_round";
    this.act.textContent = t(`pairings.${words}`, { round: this.round });
    this.act.classList.toggle("first", state === "waiting");
  }

  // A round with a game that is played is closed by a second press.
  async turn() {
    const { ask, t } = this.desk;
    const { round, force } = this;
    const act = this.act.dataset.act;
    this.problem.textContent = "";
    try {
      await ask(`rounds/${round}/${act}`, { method: "POST", body: act === "close" ? { force } : undefined });
      this.desk.say(t(`pairings.round_${act}`, { round }));
      await this.fetch();
    } catch (problem) {
      this.problem.textContent = problem.message;
      if (act === "close" && problem.status === 409) this.turned(true);
    }
  }

  // The reader goes on where he was, on another button if his own is at its end.
  focus(game, act) {
    const row = this.list.querySelector(`.pairing[data-game="${CSS.escape(game)}"]`);
    const button = row?.querySelector(`[data-act="${act}"]:not(:disabled)`) ?? row?.querySelector("button:not(:disabled)");
    button?.focus();
  }

  boards() {
    const names = [...this.desk.state.boards.keys(), ...this.shown.map(({ board }) => board)];
    return [...new Set(names)].sort(natural);
  }

  // A step up or down: with the next game that waits, boards are exchanged.
  step(pairing, by) {
    const movable = this.shown.filter(isMovable);
    const at = movable.indexOf(pairing);
    this.place(at, at + by);
  }

  // The game at `from` comes to the place `to` among those that wait; those between move by one board.
  async place(from, to) {
    const { ask, say, t } = this.desk;
    const movable = this.shown.filter(isMovable);
    if (from === to || !movable[from] || !movable[to]) return;
    const slots = movable.map(({ board }) => board);
    const moved = [...movable];
    moved.splice(to, 0, ...moved.splice(from, 1));
    const boards = {};
    moved.forEach((pairing, at) => { if (pairing.board !== slots[at]) boards[pairing.game] = slots[at]; });
    try {
      await ask(`rounds/${this.round}/boards`, { method: "PUT", body: boards });
      say(t("pairings.moved", { game: movable[from].game, board: slots[to] }));
      await this.fetch();
    } catch (problem) {
      this.said = null;
      await this.fetch();
      this.problem.textContent = problem.message;
    }
  }

  // By hand: a row is dragged to the place of another one.
  takeDrops() {
    const { list } = this;
    const rowOf = (event) => event.target.closest?.(".pairing[draggable=true]");
    const mark = (row) => {
      for (const other of list.querySelectorAll(".target")) other.classList.remove("target");
      row?.classList.add("target");
    };
    list.addEventListener("dragstart", (event) => {
      this.dragged = rowOf(event);
      if (!this.dragged) return;
      event.dataTransfer.setData("text/plain", this.dragged.dataset.game);
      event.dataTransfer.effectAllowed = "move";
      this.dragged.classList.add("dragged");
    });
    list.addEventListener("dragover", (event) => {
      if (!this.dragged) return;
      event.preventDefault();
      mark(rowOf(event));
    });
    list.addEventListener("dragend", () => {
      this.dragged?.classList.remove("dragged");
      this.dragged = null;
      mark(null);
    });
    list.addEventListener("drop", (event) => {
      if (!this.dragged) return;
      event.preventDefault();
      const movable = this.shown.filter(isMovable);
      const at = (row) => movable.findIndex(({ game }) => game === row?.dataset.game);
      const [from, to] = [at(this.dragged), at(rowOf(event))];
      this.dragged.classList.remove("dragged");
      this.dragged = null;
      mark(null);
      this.place(from, to);
    });
  }
}

function isMovable({ state, result }) {
  return state === "waiting" && !result;
}

// Boards as people count: 2 before 10.
function natural(one, other) {
  return one.localeCompare(other, "en", { numeric: true });
}

// A line before the games of each match.
function withMatches(pairings, rows, t) {
  let last = null;
  return rows.flatMap((row, at) => {
    const { team_match: match } = pairings[at];
    const number = match?.number ?? null;
    const begins = number !== null && number !== last;
    last = number;
    if (!begins) return [row];
    const teams = teamsOf(pairings[at]).filter(Boolean);
    if (match.board % 2 === 0) teams.reverse();
    const line = html("li", "match-line", t("pairings.match", { number }));
    if (teams.length > 0) line.append(html("span", "teams", teams.join(" – ")));
    return [line, row];
  });
}
