// The time that both sides had left over the plies of a game, as a line each; it shows and moves the
// position.

import { timeText } from "/assets/clock.js";
import { html, svg } from "/assets/dom.js";
import { orderOf } from "/assets/turns.js";
import { sideWord } from "./people.js";
import { clockText, plyText } from "./record-values.js";
import { t } from "./words.js";

// The height; the width is that of the place.
const HEIGHT = 150;
const [LEFT, RIGHT, TOP, BOTTOM] = [40, 10, 10, 22];

// Lines across stand at one of these, so that three or four of them fit.
const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200].map((s) => s * 1000);

/** The times of each side after each ply: `[{ ply, white_ms, black_ms }]`, as far as they were read. */
export function timesOf(game) {
  const points = [];
  for (const { ply, clock } of game?.moves ?? []) {
    if (clock?.white_ms != null && clock?.black_ms != null) points.push({ ply, ...clock });
  }
  return points;
}

/** The distance between lines across a graph up to `most_ms`. */
export function stepOf(most_ms) {
  return STEPS_MS.find((step) => most_ms / step <= 4) ?? STEPS_MS.at(-1);
}

/** A graph in `root`; `chosen(ply)` is called when the reader points at a ply. */
export class Graph {
  constructor(root, desk, chosen) {
    Object.assign(this, { root, desk, chosen });
    this.svg = svg("svg", { class: "clock-graph", height: HEIGHT, "aria-hidden": "true" });
    this.width = 0;
    this.frame = html("div", "graph-frame");
    this.frame.tabIndex = 0;
    this.frame.setAttribute("role", "slider");
    this.frame.setAttribute("aria-label", t("graph.label"));
    this.told = html("p", "graph-told");
    this.frame.append(this.svg);
    this.root.append(this.frame, this.told);
    new ResizeObserver(() => this.resize()).observe(this.frame);
    const at = (event) => this.chosen(this.plyAt(event));
    this.frame.addEventListener("pointerdown", (event) => {
      this.frame.setPointerCapture(event.pointerId);
      at(event);
    });
    this.frame.addEventListener("pointermove", (event) => {
      if (event.buttons > 0) at(event);
      else this.hover(this.plyAt(event));
    });
    this.frame.addEventListener("pointerleave", () => this.hover(null));
    this.frame.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      this.chosen(Math.min(this.length, Math.max(0, this.ply + by)));
    });
  }

  /** Shows the times of `game`, the position after `ply`, and marks at the plies of `notes`. */
  show(game, ply, notes = new Map()) {
    this.game = game;
    this.length = game?.moves.length ?? 0;
    this.ply = ply;
    this.points = timesOf(game);
    this.notes = notes;
    this.frame.hidden = this.points.length < 2;
    if (this.frame.hidden) {
      this.told.textContent = t("graph.none");
      return;
    }
    const key = JSON.stringify([game.game, this.points.at(-1), this.points.length, [...notes.keys()]]);
    this.width ||= this.frame.clientWidth;
    if (this.width === 0) return;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
    if (key !== this.drawn) this.draw(notes);
    this.drawn = key;
    this.point();
    this.hover(null);
  }

  resize() {
    const width = this.frame.clientWidth;
    if (width === this.width || width === 0) return;
    this.width = width;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    if (this.points?.length >= 2) {
      this.draw(this.notes);
      this.point();
      this.hover(null);
    }
  }

  x(ply) {
    return LEFT + ((this.width - LEFT - RIGHT) * ply) / Math.max(1, this.length);
  }

  y(ms) {
    return HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * ms) / this.most_ms;
  }

  plyAt(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    const ply = Math.round(((x - LEFT) / (this.width - LEFT - RIGHT)) * this.length);
    return Math.min(this.length, Math.max(0, ply));
  }

  draw(notes) {
    this.most_ms = Math.max(...this.points.flatMap((one) => [one.white_ms, one.black_ms]), 1000);
    const step = stepOf(this.most_ms);
    const parts = [];
    for (let ms = 0; ms <= this.most_ms; ms += step) {
      parts.push(svg("line", { class: "across", x1: LEFT, x2: this.width - RIGHT, y1: this.y(ms), y2: this.y(ms) }));
      parts.push(words(LEFT - 6, this.y(ms) + 4, scaleText(ms, this.most_ms), "end"));
    }
    const players = orderOf(this.game).length;
    const every = players * ([5, 10, 20, 40, 80].find((moves) => this.length / players / moves <= 8) ?? 80);
    for (let ply = every; ply <= this.length; ply += every) {
      parts.push(words(this.x(ply), HEIGHT - 5, String(ply / players), "middle"));
    }
    for (const side of ["white", "black"]) {
      const d = this.points.map((one, i) => `${i === 0 ? "M" : "L"}${this.x(one.ply).toFixed(1)} ${this.y(one[`${side}_ms`]).toFixed(1)}`);
      parts.push(svg("path", { class: `time-line ${side}`, d: d.join("") }));
    }
    for (const [ply, { kind }] of notes) {
      const x = this.x(Math.min(ply, this.length));
      parts.push(svg("path", { class: `note ${kind}`, d: `M${x} ${HEIGHT - BOTTOM}l-5 8h10z` }));
    }
    this.here = svg("line", { class: "here", y1: TOP, y2: HEIGHT - BOTTOM });
    this.over = svg("line", { class: "over", y1: TOP, y2: HEIGHT - BOTTOM });
    this.svg.replaceChildren(this.here, ...parts, this.over);
  }

  point() {
    for (const end of ["x1", "x2"]) this.here.setAttribute(end, this.x(this.ply));
    this.frame.setAttribute("aria-valuemin", "0");
    this.frame.setAttribute("aria-valuemax", String(this.length));
    this.frame.setAttribute("aria-valuenow", String(this.ply));
    this.frame.setAttribute("aria-valuetext", this.words(this.ply));
  }

  hover(ply) {
    if (!this.over) return;
    this.over.style.display = ply == null ? "none" : "";
    for (const end of ["x1", "x2"]) this.over.setAttribute(end, this.x(ply ?? 0));
    const told = this.parts(ply ?? this.ply);
    this.told.replaceChildren(html("span", "after", told.after), ...["white", "black"].map((side) => key(side, sideWord(this.game, side), told[side])));
  }

  parts(ply) {
    const known = this.points.findLast((one) => one.ply <= ply) ?? null;
    return { after: plyText(this.desk, this.game, ply), white: timeText(known?.white_ms) || "–", black: timeText(known?.black_ms) || "–" };
  }

  words(ply) {
    const sides = { white_side: sideWord(this.game, "white"), black_side: sideWord(this.game, "black") };
    return t("graph.at", { ...this.parts(ply), ...sides });
  }
}

// Hours and minutes of a long game, minutes and seconds of a short one.
function scaleText(ms, most_ms) {
  return most_ms >= 3_600_000 ? clockText(ms).slice(0, -3) : timeText(ms);
}

function key(side, name, time) {
  const node = html("span", `key ${side}`);
  node.append(html("i", ""), `${name} ${time}`);
  return node;
}

function words(x, y, text, anchor) {
  const node = svg("text", { x, y, "text-anchor": anchor });
  node.textContent = text;
  return node;
}
