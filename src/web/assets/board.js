// A board as SVG, drawn from a position: of chess, or of four players.

import { svg } from "./dom.js";
import { CHESS, geometryOf } from "./geometry.js";
import { man } from "./pieces.js";
import { ARMIES, armyOf, kindOf, menOf } from "./placement.js";

// A square is as wide as a man.
const UNIT = 100;

// Beside the cross there is room for the names of its small squares.
const MARGIN = 48;

/** A drawn board; `coordinates` writes the names of files and ranks on it: `true`, or how the reader writes a file. */
export class Board {
  constructor({ coordinates = false } = {}) {
    // Who is below: 0 White or South, then clockwise.
    this.seat = 0;
    this.coordinates = coordinates === true ? (file) => file : coordinates;
    this.men = new Map();
    this.fen = this.uci = this.check = null;
    this.groups = {};
    this.light = svg("path", { class: "light" });
    this.dark = svg("path", { class: "dark" });
    this.labels = svg("g", { class: "labels" });
    this.marks = svg("g", { class: "marks" });
    this.stand = svg("g", { class: "men" });
    this.element = svg("svg", { class: "board", role: "img" });
    this.element.append(this.light, this.dark, this.marks, this.labels, this.stand);
    this.lay(CHESS);
  }

  /** Shows the position `fen`, reached by `uci` (null: by no move); `check` marks the king to move. */
  show(fen, uci, check = false) {
    if (fen === this.fen && uci === this.uci && check === this.check) return;
    if (fen !== this.fen) this.place(menOf(fen) ?? new Map(), geometryOf(fen));
    [this.fen, this.uci, this.check] = [fen, uci, check];
    this.mark();
  }

  /** Shows `men` by square: a picture, not a position; `?` is a man of whom nothing more is known. */
  picture(men, geometry = this.geometry) {
    this.place(men, geometry);
    this.fen = this.uci = null;
    this.check = false;
    this.mark();
  }

  /** Marks squares beside the last move: `{ changed: ["e2"] }` gives them that class. */
  highlight(groups) {
    this.groups = groups;
    this.mark();
  }

  /** Whether the strip of Black's side belongs below: with four players, when one of White and Black sits there. */
  get isBlackBelow() {
    return this.seat % 2 === 1;
  }

  /** Turns the board so that `seat` is below, or White's and his opponent's: `true` and `false`. */
  flip(seat) {
    // A board of two seats has no third.
    const below = Number(seat) % this.geometry.seats;
    if (below === this.seat) return;
    this.seat = below;
    this.turned();
  }

  /** Turns the board to the next seat. */
  turn() {
    this.flip(this.seat + 1);
  }

  turned() {
    for (const [square, { use }] of this.men) this.move(use, square);
    this.paint();
    this.label();
    this.mark();
  }

  // Another board has other squares.
  lay(geometry) {
    if (geometry === this.geometry) return;
    this.geometry = geometry;
    this.seat %= geometry.seats;
    const [side, corner] = [geometry.size * UNIT, geometry.missing * UNIT];
    const far = side - corner;
    const margin = this.coordinates && geometry.seats === 4 ? MARGIN : 0;
    this.element.setAttribute("viewBox", `${-margin} 0 ${side + margin} ${side + margin}`);
    this.element.classList.toggle("four", geometry.seats === 4);
    // The light squares are the ground, so that nothing shines through between two squares.
    this.light.setAttribute("d", `M${corner} 0H${far}V${corner}H${side}V${far}H${far}V${side}H${corner}V${far}H0V${corner}H${corner}z`);
    this.turned();
  }

  paint() {
    const dark = this.geometry.squares.filter((square) => this.geometry.isDark(square)).map((square) => {
      const [x, y] = this.corner(square);
      return `M${x} ${y}h${UNIT}v${UNIT}h-${UNIT}z`;
    });
    this.dark.setAttribute("d", dark.join(""));
  }

  // Men that stay are left alone, men that moved slide, and only then men come and go.
  place(men, geometry) {
    if (geometry) this.lay(geometry);
    const idle = [];
    for (const [square, { letter, use }] of this.men) {
      if (men.get(square) === letter) continue;
      this.men.delete(square);
      idle.push({ letter, use, square });
    }
    for (const [square, letter] of men) {
      if (this.men.has(square)) continue;
      const use = this.takeNearest(idle, letter, square) ?? this.stand.appendChild(man(letter));
      this.move(use, square);
      this.men.set(square, { letter, use });
    }
    for (const { use } of idle) use.remove();
  }

  // Takes the idle man of this kind that stands nearest: the one that most likely moved here.
  takeNearest(idle, letter, square) {
    const [file, rank] = this.geometry.place(square);
    const distance = (other) => {
      const [f, r] = this.geometry.place(other.square);
      return (f - file) ** 2 + (r - rank) ** 2;
    };
    const nearest = idle.filter((other) => other.letter === letter).sort((a, b) => distance(a) - distance(b))[0];
    if (!nearest) return null;
    idle.splice(idle.indexOf(nearest), 1);
    return nearest.use;
  }

  move(use, square) {
    const [x, y] = this.corner(square);
    use.style.transform = `translate(${x}px, ${y}px)`;
    use.dataset.square = square;
  }

  corner(square) {
    return this.geometry.cell(square, this.seat).map((i) => i * UNIT);
  }

  mark() {
    const marks = [];
    const [, from, to] = this.uci?.match(/^([a-n]\d+)([a-n]\d+)/) ?? [];
    if (from) marks.push(this.square(from, "last from"), this.square(to, "last to"));
    for (const square of this.check ? this.kingsToMove() : []) marks.push(this.square(square, "check"));
    for (const [kind, squares] of Object.entries(this.groups)) {
      marks.push(...squares.filter((square) => this.geometry.known.has(square)).map((square) => this.square(square, kind)));
    }
    this.marks.replaceChildren(...marks);
  }

  kingsToMove() {
    const turn = this.fen?.split(" ")[1];
    const army = this.geometry.seats === 4 ? ARMIES[turn] : turn === "b" ? "black" : "white";
    return [...this.men].filter(([, { letter }]) => kindOf(letter) === "k" && armyOf(letter) === army).map(([square]) => square);
  }

  square(name, kind) {
    const [x, y] = this.corner(name);
    return svg("rect", { class: kind, "data-square": name, x, y, width: UNIT, height: UNIT });
  }

  // Files below the lowest square of each column and ranks at the first of each row; turned by a quarter it is the
  // other way round.
  label() {
    if (!this.coordinates) return;
    const { geometry } = this;
    const [lowest, first] = [new Map(), new Map()];
    for (const square of geometry.squares) {
      const [column, row] = geometry.cell(square, this.seat);
      if (!(lowest.get(column)?.row > row)) lowest.set(column, { square, column, row });
      if (!(first.get(row)?.column < column)) first.set(row, { square, column, row });
    }
    const isQuarter = geometry.seats === 4 && this.seat % 2 === 1;
    const name = (square, isBelow) => (isBelow !== isQuarter ? this.coordinates(square[0]) : square.slice(1));
    const text = ({ square, column, row }, isBelow) => {
      const [left, top] = [column * UNIT, row * UNIT];
      const isOutside = geometry.seats === 4;
      const inside = isBelow ? [left + 92, top + 93] : [left + 8, top + 24];
      const [x, y] = isOutside ? (isBelow ? [left + 50, top + 134] : [left - 10, top + 60]) : inside;
      const node = svg("text", { x, y, class: isOutside ? "outside" : geometry.isDark(square) ? "on-dark" : "on-light" });
      if (isOutside && isBelow) node.setAttribute("text-anchor", "middle");
      else if (isOutside || isBelow) node.setAttribute("text-anchor", "end");
      node.textContent = name(square, isBelow);
      return node;
    };
    this.labels.replaceChildren(...[...lowest.values()].map((at) => text(at, true)), ...[...first.values()].map((at) => text(at, false)));
  }
}
