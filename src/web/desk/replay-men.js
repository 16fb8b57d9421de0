// What stood on the board at each reading: men where they are known, `?` where a board only feels
// that something is there.

import { CHESS, geometryOf } from "/assets/geometry.js";
import { menOf } from "/assets/placement.js";

/** The squares of hex digits, lowest bit the first square: 16 digits for chess, 40 for four players. */
export function occupiedSquares(digits, geometry = CHESS) {
  const bits = BigInt(`0x${digits || "0"}`);
  return new Set(geometry.squares.filter((_, i) => (bits >> BigInt(i)) & 1n));
}

function same(men, squares) {
  return men.size === squares.size && [...squares].every((square) => men.has(square));
}

/**
 * The men at each of `frames`: a Map of square to letter, or null where nothing is known.
 *
 * A board that names its men says so itself. For one that feels no more than that they are there, the game
 * names them: `fens` are its positions in order, `before` the last one of which the first frame may tell.
 */
export function menAt(frames, fens, before) {
  const positions = fens.map(menOf).filter(Boolean);
  const naming = new Naming(positions, menOf(before) ?? positions[0] ?? new Map(), geometryOf(before) ?? geometryOf(fens[0]) ?? CHESS);
  return frames.map((frame) => {
    if (frame.pieces) return menOf(frame.pieces);
    return frame.occupied ? naming.next(frame) : null;
  });
}

class Naming {
  constructor(positions, before, geometry) {
    this.positions = positions;
    this.geometry = geometry;
    this.before = before;
    this.men = null;
    this.at = -1;
    this.hand = [];
    this.due = false;
  }

  next(frame) {
    const squares = occupiedSquares(frame.occupied, this.geometry);
    if (this.men === null) this.begin(squares);
    else this.handle(squares);
    this.due ||= (frame.events ?? []).some(({ type }) => type === "move-made");
    const next = this.positions[this.at + 1];
    // The game has a move more, and the board shows it.
    if (this.due && next && same(next, squares)) {
      this.at += 1;
      this.men = next;
      this.hand = [];
      this.due = false;
    }
    return new Map(this.men);
  }

  begin(squares) {
    const known = this.positions.findLastIndex((men) => same(men, squares) && this.isPast(men));
    this.at = known >= 0 ? known : this.positions.findIndex((men) => sameMen(men, this.before));
    const men = this.positions[known] ?? this.before;
    this.men = new Map([...squares].map((square) => [square, men.get(square) ?? "?"]));
  }

  // The first reading comes before the record: it cannot show what was played later.
  isPast(men) {
    const limit = this.positions.findIndex((other) => sameMen(other, this.before));
    return limit < 0 || this.positions.indexOf(men) <= limit;
  }

  handle(squares) {
    const men = new Map(this.men);
    for (const [square, letter] of this.men) {
      if (squares.has(square)) continue;
      men.delete(square);
      this.hand.push({ square, letter });
    }
    for (const square of squares) {
      if (men.has(square)) continue;
      men.set(square, this.take(square));
    }
    this.men = men;
  }

  // Who returns to his square is he; one man in the hand is he; of several, the one that the game has there.
  take(square) {
    const next = this.positions[this.at + 1]?.get(square);
    let i = this.hand.findIndex((man) => man.square === square);
    if (i < 0 && this.hand.length === 1) i = 0;
    if (i < 0) i = this.hand.findIndex((man) => man.letter === next);
    return i < 0 ? "?" : this.hand.splice(i, 1)[0].letter;
  }
}

function sameMen(a, b) {
  return a.size === b.size && [...a].every(([square, letter]) => b.get(square) === letter);
}
