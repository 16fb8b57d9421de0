// What has been captured between two positions.

import { kindOf, menOf } from "./placement.js";

const VALUES = { p: 1, n: 3, b: 3, r: 5, q: 9, k: 0 };

// Dearest first.
const KINDS = ["q", "r", "b", "n", "p"];

const letters = (write) => KINDS.map(write);

// The armies of each side, by the men that they can lose.
const TWO = { white: [letters((kind) => kind.toUpperCase())], black: [letters((kind) => kind)] };
const army = (letter) => letters((kind) => letter + kind.toUpperCase());
const FOUR = { white: [army("r"), army("b")], black: [army("w"), army("k")] };

function count(men) {
  const counts = {};
  for (const letter of men.values()) counts[letter] = (counts[letter] ?? 0) + 1;
  return counts;
}

/**
 * What each side has captured between two positions, dearest first, and by how much it is ahead:
 * `{ white: { men: ["q", "p"], ahead: 3 }, black: … }`. With four players nobody is told who is ahead.
 */
export function captured(start, fen) {
  const [first, last] = [menOf(start) ?? new Map(), menOf(fen) ?? new Map()];
  const [before, after] = [count(first), count(last)];
  const isFour = [...first.values()].some((man) => man.length > 1);
  const lost = (men) => {
    const missing = men.map((man) => (before[man] ?? 0) - (after[man] ?? 0));
    // A man too many is a promoted pawn, so that many pawns were not captured.
    const promoted = missing.reduce((sum, n) => sum + Math.max(0, -n), 0);
    return men.flatMap((man, i) => Array(Math.max(0, kindOf(man) === "p" ? missing[i] - promoted : missing[i])).fill(man));
  };
  const { white, black } = isFour ? FOUR : TWO;
  const worth = (men) => men.reduce((sum, man) => sum + VALUES[kindOf(man)] * (after[man] ?? 0), 0);
  const ahead = isFour ? 0 : worth(white[0]) - worth(black[0]);
  return {
    white: { men: black.flatMap(lost), ahead: Math.max(0, ahead) },
    black: { men: white.flatMap(lost), ahead: Math.max(0, -ahead) },
  };
}
