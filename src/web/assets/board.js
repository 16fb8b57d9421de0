// A board as SVG, drawn from a FEN, and what can be counted on it.

import { svg } from "./dom.js";
import { man } from "./pieces.js";

const FILES = "abcdefgh";
// A square is as wide as a man.
const UNIT = 100;
const VALUES = { p: 1, n: 3, b: 3, r: 5, q: 9, k: 0 };

/** The men of a FEN by square (`e4` → `P`), or null if it is no board of eight by eight. */
export function menOf(fen) {
  const ranks = (fen ?? "").split(" ")[0].split("/");
  if (ranks.length !== 8) return null;
  const men = new Map();
  for (const [row, rank] of ranks.entries()) {
    let file = 0;
    for (const letter of rank) {
      if (/[1-8]/.test(letter)) file += Number(letter);
      else if (letter.toLowerCase() in VALUES && file < 8) men.set(FILES[file++] + (8 - row), letter);
    }
  }
  return men;
}

function count(men) {
  const counts = {};
  for (const letter of men.values()) counts[letter] = (counts[letter] ?? 0) + 1;
  return counts;
}

/**
 * What each side has captured between two FENs, dearest first, and by how much it is ahead:
 * `{ white: { men: ["q", "p"], ahead: 3 }, black: … }`.
 */
export function captured(start, fen) {
  const [before, after] = [count(menOf(start) ?? new Map()), count(menOf(fen) ?? new Map())];
  const lost = (letters) => {
    const missing = letters.map((letter) => (before[letter] ?? 0) - (after[letter] ?? 0));
    // A man too many is a promoted pawn, so that many pawns were not captured.
    const promoted = missing.reduce((sum, n) => sum + Math.max(0, -n), 0);
    return letters.flatMap((letter, i) => {
      const taken = /p/i.test(letter) ? missing[i] - promoted : missing[i];
      return Array(Math.max(0, taken)).fill(letter);
    });
  };
  const worth = (letters) => letters.reduce((sum, l) => sum + VALUES[l.toLowerCase()] * (after[l] ?? 0), 0);
  const [white, black] = [["Q", "R", "B", "N", "P"], ["q", "r", "b", "n", "p"]];
  const ahead = worth(white) - worth(black);
  return {
    white: { men: lost(black), ahead: Math.max(0, ahead) },
    black: { men: lost(white), ahead: Math.max(0, -ahead) },
  };
}

/** A drawn board; `coordinates` writes the names of files and ranks on it: `true`, or the eight letters of the files. */
export class Board {
  constructor({ coordinates = false } = {}) {
    this.flipped = false;
    this.coordinates = coordinates === true ? FILES : coordinates;
    this.men = new Map();
    this.fen = this.uci = this.check = null;
    this.groups = {};
    this.labels = svg("g", { class: "labels" });
    this.marks = svg("g", { class: "marks" });
    this.stand = svg("g", { class: "men" });
    const light = svg("rect", { class: "light", width: 8 * UNIT, height: 8 * UNIT });
    const dark = svg("path", { class: "dark", d: darkSquares() });
    this.element = svg("svg", { class: "board", viewBox: `0 0 ${8 * UNIT} ${8 * UNIT}`, role: "img" });
    this.element.append(light, dark, this.marks, this.labels, this.stand);
    this.label();
  }

  /** Shows the position `fen`, reached by `uci` (null: by no move); `check` marks the king to move. */
  show(fen, uci, check = false) {
    if (fen === this.fen && uci === this.uci && check === this.check) return;
    if (fen !== this.fen) this.place(menOf(fen) ?? new Map());
    [this.fen, this.uci, this.check] = [fen, uci, check];
    this.mark();
  }

  /** Shows `men` by square: a picture, not a position; `?` is a man of whom nothing more is known. */
  picture(men) {
    this.place(men);
    this.fen = this.uci = null;
    this.check = false;
    this.mark();
  }

  /** Marks squares beside the last move: `{ changed: ["e2"] }` gives them that class. */
  highlight(groups) {
    this.groups = groups;
    this.mark();
  }

  /** Turns the board round. */
  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    for (const [square, { use }] of this.men) this.move(use, square);
    this.label();
    this.mark();
  }

  // Men that stay are left alone, men that moved slide, and only then men come and go.
  place(men) {
    const idle = [];
    for (const [square, { letter, use }] of this.men) {
      if (men.get(square) === letter) continue;
      this.men.delete(square);
      idle.push({ letter, use, square });
    }
    for (const [square, letter] of men) {
      if (this.men.has(square)) continue;
      const use = takeNearest(idle, letter, square) ?? this.stand.appendChild(man(letter));
      this.move(use, square);
      this.men.set(square, { letter, use });
    }
    for (const { use } of idle) use.remove();
  }

  move(use, square) {
    const [x, y] = this.corner(square);
    use.style.transform = `translate(${x}px, ${y}px)`;
    use.dataset.square = square;
  }

  corner(square) {
    const [file, rank] = coordinatesOf(square);
    return this.flipped ? [(7 - file) * UNIT, rank * UNIT] : [file * UNIT, (7 - rank) * UNIT];
  }

  mark() {
    const marks = [];
    const [, from, to] = this.uci?.match(/^([a-h][1-8])([a-h][1-8])/) ?? [];
    if (from) marks.push(this.square(from, "last from"), this.square(to, "last to"));
    const king = this.fen?.split(" ")[1] === "b" ? "k" : "K";
    for (const [square, { letter }] of this.check ? this.men : []) {
      if (letter === king) marks.push(this.square(square, "check"));
    }
    for (const [kind, squares] of Object.entries(this.groups)) {
      marks.push(...squares.map((square) => this.square(square, kind)));
    }
    this.marks.replaceChildren(...marks);
  }

  square(name, kind) {
    const [x, y] = this.corner(name);
    return svg("rect", { class: kind, "data-square": name, x, y, width: UNIT, height: UNIT });
  }

  label() {
    if (!this.coordinates) return;
    const text = (x, y, dark, name) => {
      const node = svg("text", { x, y, class: dark ? "on-dark" : "on-light" });
      node.textContent = name;
      return node;
    };
    const at = (i) => (this.flipped ? 7 - i : i);
    const files = [...FILES].map((_, i) => text(i * UNIT + 92, 793, i % 2 === 0, this.coordinates[at(i)]));
    const ranks = [...FILES].map((_, i) => text(8, (7 - i) * UNIT + 24, i % 2 === 0, at(i) + 1));
    for (const node of files) node.setAttribute("text-anchor", "end");
    this.labels.replaceChildren(...files, ...ranks);
  }
}

function coordinatesOf(square) {
  return [FILES.indexOf(square[0]), Number(square[1]) - 1];
}

// Takes the idle man of this kind that stands nearest: the one that most likely moved here.
function takeNearest(idle, letter, square) {
  const [file, rank] = coordinatesOf(square);
  const distance = (other) => {
    const [f, r] = coordinatesOf(other.square);
    return (f - file) ** 2 + (r - rank) ** 2;
  };
  const nearest = idle.filter((other) => other.letter === letter).sort((a, b) => distance(a) - distance(b))[0];
  if (!nearest) return null;
  idle.splice(idle.indexOf(nearest), 1);
  return nearest.use;
}

function darkSquares() {
  const squares = [];
  for (let i = 0; i < 64; i++) {
    const [x, y] = [i % 8, Math.floor(i / 8)];
    if ((x + y) % 2 === 1) squares.push(`M${x * UNIT} ${y * UNIT}h${UNIT}v${UNIT}h-${UNIT}z`);
  }
  return squares.join("");
}
