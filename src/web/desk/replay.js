// The readings around a record, one by one: a board, the clocks, and a line on which the reader goes
// forwards and backwards. A line of moves is followed on the same board.

import { Board } from "/assets/board.js";
import { paintClock } from "/assets/clock.js";
import { html, svg } from "/assets/dom.js";
import { CHESS, geometryOf } from "/assets/geometry.js";
import { installMen } from "/assets/pieces.js";
import { namesText } from "./people.js";
import { menAt } from "./replay-men.js";
import { has } from "./words.js";

// A long pause between two readings is told, not waited for.
const LONGEST_MS = 2_500;
const SHORTEST_MS = 120;
// A move of a line is seen before the next one comes.
const MOVE_MS = 900;

// What the board and the clocks show without words.
const UNSAID = ["clock-read", "piece-lifted", "piece-placed", "pressed", "clock-before-correction", "move-completed"];

const KEYS = { first: "Home", back: ",", forward: ".", last: "End" };

const SIGNS = {
  first: "M17 6l-6 6 6 6M8 6v12",
  back: "M14.5 6l-6 6 6 6",
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M8 5.5v13M16 5.5v13",
  forward: "M9.5 6l6 6-6 6",
  last: "M7 6l6 6-6 6M16 6v12",
};

/** The player of readings in `root`. */
export class Replay {
  constructor(root, desk) {
    this.desk = desk;
    this.root = root;
    this.frames = [];
    this.range = [-1, -1];
    this.readings = null;
    this.at = 0;
    this.speed = 1;
    this.timer = null;
    this.build();
  }

  build() {
    installMen();
    const { t } = this.desk;
    this.board = new Board({ coordinates: this.desk.san });
    this.board.element.setAttribute("aria-label", t("replay.line"));
    this.strips = Object.fromEntries(["black", "white"].map((side) => [side, strip(side)]));
    const stage = html("div", "replay-stage");
    stage.append(this.strips.black.element, this.board.element, this.strips.white.element);
    this.line = html("input", "replay-line");
    Object.assign(this.line, { type: "range", min: 0, max: 0, step: 1, value: 0 });
    this.line.addEventListener("input", () => this.go(Number(this.line.value), true));
    this.told = html("div", "replay-told");
    this.controls = html("div", "replay-controls");
    this.controls.setAttribute("role", "group");
    this.buttons = {
      first: this.button("first", () => this.first()),
      back: this.button("back", () => this.step(-1)),
      play: this.button("play", () => this.toggle()),
      forward: this.button("forward", () => this.step(1)),
      last: this.button("last", () => this.last()),
    };
    this.faster = html("button", "faster", "1×");
    this.faster.type = "button";
    this.faster.addEventListener("click", () => this.setSpeed(this.speed === 1 ? 4 : 1));
    this.controls.append(...Object.values(this.buttons), this.faster);
    this.empty = html("p", "replay-empty");
    this.buttons.play.title = t("replay.play_title");
    this.heard = html("p", "heard");
    this.heard.setAttribute("aria-live", "polite");
    this.root.append(stage, this.line, this.told, this.controls, this.empty, this.heard);
    this.setSpeed(1);
    this.label();
    this.dress(false);
  }

  button(name, action) {
    const button = html("button", `replay-${name}`);
    button.type = "button";
    button.append(sign(SIGNS[name]));
    button.addEventListener("click", action);
    return button;
  }

  /**
   * Shows `readings` (the daemon's answer) about `record` of `game`; both may be null. The view begins at
   * the last reading of the record.
   */
  show(readings, { record = null, game = null } = {}) {
    this.stop();
    this.readings = null;
    this.label();
    this.frames = readings?.frames ?? [];
    this.squares = squaresOf(record);
    this.opened_at = record ? Date.parse(record.opened_at ?? record.at) : null;
    const fens = game ? [game.start, ...game.moves.map((move) => move.fen)] : [];
    this.geometry = geometryOf(record?.fen_before ?? game?.start) ?? CHESS;
    this.men = menAt(this.frames, fens, record?.fen_before ?? game?.start);
    this.range = [this.frames.findIndex((frame) => frame.within), this.frames.findLastIndex((frame) => frame.within)];
    for (const [side, part] of Object.entries(this.strips)) part.name.textContent = namesText(game, side);
    const some = this.frames.length > 0;
    for (const node of [this.line, this.told, this.controls]) node.hidden = !some;
    this.empty.hidden = some && !readings.cut;
    this.empty.textContent = this.desk.t(some ? "replay.cut" : "replay.none");
    this.line.max = Math.max(0, this.frames.length - 1);
    this.band();
    if (some) this.go(this.range[1] >= 0 ? this.range[1] : this.frames.length - 1);
    else this.still(record?.fen_before ?? game?.start, null);
  }

  /** Shows a position instead of a reading. */
  still(fen, clock) {
    this.stop();
    this.board.highlight({ about: this.squares ?? [] });
    this.board.show(fen, null);
    this.board.element.setAttribute("aria-label", this.desk.t("replay.line"));
    this.times(clock);
  }

  /** Shows the positions of a line, `{ fen, uci, check, text }`, instead of the readings; null: these again. */
  follow(positions) {
    this.stop();
    const { frames, range, at, board, empty } = this;
    const kept = this.readings ?? { frames, range, at, fen: board.fen, isTold: empty.hidden };
    this.readings = positions ? kept : null;
    if (positions) {
      this.frames = positions.map((position, i) => ({ ...position, t_ms: i * MOVE_MS, lifted: [], placed: [], clock: null }));
      this.range = [-1, -1];
    } else {
      Object.assign(this, { frames: kept.frames, range: kept.range });
    }
    this.label();
    this.line.max = Math.max(0, this.frames.length - 1);
    for (const node of [this.line, this.told, this.controls]) node.hidden = this.frames.length === 0;
    this.empty.hidden = positions !== null || kept.isTold;
    this.band();
    if (this.frames.length > 0) this.go(positions ? 0 : kept.at);
    else this.still(kept.fen, null);
    this.heard.textContent = positions ? this.words(this.frames[0]) : "";
  }

  /** Whether a line of moves is on the board. */
  get isFollowing() {
    return this.readings !== null;
  }

  // What the controls do: to readings, or to moves.
  label() {
    const { t } = this.desk;
    for (const [name, key] of Object.entries(KEYS)) {
      const words = t(this.isFollowing ? `mate.${name}` : `replay.${name}`);
      this.buttons[name].setAttribute("aria-label", words);
      this.buttons[name].title = `${words} (${key})`;
    }
    this.line.setAttribute("aria-label", t(this.isFollowing ? "mate.line" : "replay.line"));
    this.controls.setAttribute("aria-label", t(this.isFollowing ? "mate.line" : "replay.controls"));
    this.root.classList.toggle("following", this.isFollowing);
  }

  // Where on the line the readings of the record lie.
  band() {
    const most = Math.max(1, this.frames.length - 1);
    const [from, to] = this.range.map((i) => `${(100 * Math.max(0, i)) / most}%`);
    this.line.style.setProperty("--from", this.range[0] < 0 ? "0%" : from);
    this.line.style.setProperty("--to", this.range[0] < 0 ? "0%" : to);
  }

  go(at, byHand = false) {
    if (this.frames.length === 0) return;
    if (byHand) this.stop();
    this.at = Math.min(this.frames.length - 1, Math.max(0, at));
    const frame = this.frames[this.at];
    if (frame.fen) this.position(frame);
    else this.reading(frame);
    this.times(frame.clock);
    this.line.value = this.at;
    this.line.setAttribute("aria-valuetext", this.words(frame));
    this.board.element.setAttribute("aria-label", this.words(frame));
    this.tell(frame);
    this.onchange?.();
  }

  position({ fen, uci, check }) {
    this.board.highlight({});
    this.board.show(fen, uci, check);
    this.root.classList.remove("unread");
  }

  reading({ lifted, placed }) {
    this.board.highlight({ about: this.squares, changed: [...new Set([...lifted, ...placed])] });
    const men = this.men[this.at];
    if (men) this.board.picture(men, this.geometry);
    this.root.classList.toggle("unread", !men);
  }

  step(by) {
    this.go(this.at + by, true);
    this.heard.textContent = this.frames.length > 0 ? this.words(this.frames[this.at]) : "";
  }

  /** Goes to the first reading of the record. */
  first() {
    this.go(this.range[0] >= 0 ? this.range[0] : 0, true);
  }

  /** Goes to the last reading of the record. */
  last() {
    this.go(this.range[1] >= 0 ? this.range[1] : this.frames.length - 1, true);
  }

  /** What the clocks showed before the first reading of the record. */
  get clockBefore() {
    return this.frames[Math.max(0, this.range[0] - 1)]?.clock ?? null;
  }

  flip() {
    this.board.turn();
    this.root.classList.toggle("flipped", this.board.isBlackBelow);
  }

  get playing() {
    return this.timer !== null;
  }

  toggle() {
    if (this.playing) return this.stop();
    if (this.at >= this.frames.length - 1) this.go(0);
    this.dress(true);
    this.wait();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    this.dress(false);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.faster.textContent = `${speed}×`;
    this.faster.setAttribute("aria-label", this.desk.t("replay.speed", { speed }));
    this.faster.title = this.desk.t("replay.speed_title");
  }

  wait() {
    const [now, next] = [this.frames[this.at], this.frames[this.at + 1]];
    if (!next) return this.stop();
    const ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, next.t_ms - now.t_ms)) / this.speed;
    this.timer = setTimeout(() => {
      this.go(this.at + 1);
      this.wait();
    }, ms);
  }

  dress(playing) {
    const { play } = this.buttons;
    play.replaceChildren(sign(playing ? SIGNS.pause : SIGNS.play));
    play.setAttribute("aria-label", this.desk.t(playing ? "replay.pause" : "replay.play"));
  }

  times(clock) {
    for (const [side, part] of Object.entries(this.strips)) {
      paintClock(part.clock, clock?.[`${side}_ms`] ?? null, clock?.running === side);
      part.flag.hidden = !clock?.flags?.includes(side);
      part.flag.textContent = this.desk.t("replay.flag");
      part.lever.hidden = clock == null || clock.lever !== side || clock.running === side;
      part.lever.textContent = this.desk.t("replay.lever");
    }
  }

  tell(frame) {
    const place = html("span", "place", this.desk.t("replay.place", { n: this.at + 1, of: this.frames.length }));
    const when = html("span", "when", frame.fen ? "" : `${timeOf(frame.at)} · ${this.relative(frame)}`);
    const what = html("span", "what", frame.text ?? this.change(frame));
    const said = (frame.events ?? []).map(({ type }) => type).filter((type) => !UNSAID.includes(type) && !has(`proposal.${type}`));
    const events = [...new Set(said)].map((type) => html("span", "event", this.desk.name(type)));
    this.told.replaceChildren(place, when, what, ...events);
    this.told.classList.toggle("within", frame.within === true);
  }

  words(frame) {
    const place = this.desk.t("replay.place", { n: this.at + 1, of: this.frames.length });
    if (frame.fen) return [place, frame.text].join(", ");
    return [place, this.relative(frame), this.change(frame)].filter(Boolean).join(", ");
  }

  relative(frame) {
    if (this.opened_at == null) return "";
    const s = (Date.parse(frame.at) - this.opened_at) / 1000;
    const sign = s < 0 ? "−" : "+";
    return `${sign}${Math.abs(s).toFixed(1)} s`;
  }

  change({ kind, link, lifted, placed, events }) {
    const { t } = this.desk;
    if (kind === "ruling") return t("replay.ruling");
    if (kind === "link") return t(link === "back" ? "replay.back_again" : "replay.lost");
    const both = lifted.filter((square) => placed.includes(square));
    const parts = [
      [lifted.filter((square) => !both.includes(square)), "replay.lifted"],
      [placed.filter((square) => !both.includes(square)), "replay.placed"],
      [both, "replay.exchanged"],
    ];
    const told = parts.filter(([squares]) => squares.length > 0)
      .map(([squares, key]) => t(key, { squares: squares.map(this.desk.san).join(", ") }));
    if (events?.some(({ type }) => type === "pressed")) told.push(t("replay.pressed"));
    return told.join(" · ") || t(kind === "start" ? "replay.start" : "replay.clock");
  }
}

function strip(side) {
  const element = html("div", "replay-player", "", { side });
  const [name, flag, lever, clock] = ["name", "flag", "lever", "clock"].map((part) => html("span", part));
  element.append(name, flag, lever, clock);
  return { element, name, flag, lever, clock };
}

function sign(path) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, [svg("path", { d: path })]);
}

/** The squares that a record is about. */
export function squaresOf(record) {
  if (!record) return [];
  const named = [record.squares, record.square, record.first, record.from, record.to, record.king].flat();
  return [...new Set(named.filter((square) => /^[a-n]\d{1,2}$/.test(square ?? "")))];
}

/** `10:04:12`, by the reader's clock. */
export function timeOf(at) {
  const time = new Date(at);
  const two = (number) => String(number).padStart(2, "0");
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
}
