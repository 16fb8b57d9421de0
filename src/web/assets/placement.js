// Who stands where: reads and writes the first field of a position, of chess and of four players.

import { geometryOf } from "./geometry.js";

/** The armies of four players by their letters. */
export const ARMIES = { r: "red", w: "white", b: "blue", k: "black" };

/**
 * The men of a position by square, or null if it is none: a man is a letter as in a FEN (`P`, `n`), or that of his
 * army and his own (`rP`, `kN`).
 */
export function menOf(fen) {
  const geometry = geometryOf(fen);
  if (!geometry) return null;
  const men = new Map();
  const pattern = geometry.seats === 4 ? /\d+|[rwbk][KQRBNP]/gy : /[1-8]|[KQRBNPkqrbnp]/gy;
  for (const [row, text] of fen.split(" ")[0].split("/").entries()) {
    const rank = geometry.size - row;
    const squares = [...geometry.files].map((file) => file + rank).filter((square) => geometry.known.has(square));
    let at = 0;
    let read = 0;
    for (const [sign] of text.matchAll(pattern)) {
      read += sign.length;
      if (/\d/.test(sign)) at += Number(sign);
      else if (at < squares.length) men.set(squares[at++], sign);
    }
    if (read !== text.length) return null;
  }
  return men;
}

/** The first field of a position with `men` on the board of `geometry`. */
export function placementOf(men, geometry) {
  const ranks = [];
  for (let rank = geometry.size; rank > 0; rank--) {
    let text = "";
    let empty = 0;
    for (const file of geometry.files) {
      if (!geometry.known.has(file + rank)) continue;
      const man = men.get(file + rank);
      if (man === undefined) empty += 1;
      else {
        text += (empty || "") + man;
        empty = 0;
      }
    }
    ranks.push(text + (empty || ""));
  }
  return ranks.join("/");
}

/** The army of a man: `red`, `white`, `blue` or `black`. */
export function armyOf(man) {
  if (man.length > 1) return ARMIES[man[0]];
  return man === man.toUpperCase() ? "white" : "black";
}

/** What kind of man he is, as a small letter: `n` is a knight of whatever army. */
export function kindOf(man) {
  return man.at(-1).toLowerCase();
}
