// The moves of a mate test, one position after the other.

import { menOf } from "/assets/placement.js";

const FILES = "abcdefgh";

/**
 * The positions of the moves `line` (`uci`, `san`) from `fen` on, the first one included: each
 * `{ fen, uci, san, number, check }`, whose `number` is `61.` or `61…`.
 */
export function positionsOf(fen, line) {
  const [, turn = "w", , , , full = "1"] = fen.split(" ");
  let men = menOf(fen) ?? new Map();
  let half = (Number(full) - 1) * 2 + (turn === "b" ? 1 : 0);
  const positions = [{ fen, uci: null, san: "", number: "", check: false }];
  for (const { uci, san } of line) {
    men = after(men, uci);
    const number = `${Math.floor(half / 2) + 1}${half % 2 === 0 ? "." : "…"}`;
    half += 1;
    positions.push({ fen: `${placement(men)} ${half % 2 === 0 ? "w" : "b"}`, uci, san, number, check: /[+#]$/.test(san) });
  }
  return positions;
}

// The men after a legal move.
function after(before, uci) {
  const men = new Map(before);
  const [from, to, promoted] = [uci.slice(0, 2), uci.slice(2, 4), uci[4]];
  const man = men.get(from);
  men.delete(from);
  const isWhite = man === man.toUpperCase();
  if (/k/i.test(man) && isCastling(before, from, to, man)) return castled(men, from, to, man);
  // A pawn that goes sideways to an empty square takes the one beside him.
  if (/p/i.test(man) && from[0] !== to[0] && !before.has(to)) men.delete(to[0] + from[1]);
  men.set(to, promoted ? (isWhite ? promoted.toUpperCase() : promoted) : man);
  return men;
}

// Two squares at once, or in Chess960 onto his own rook.
function isCastling(men, from, to, king) {
  const rook = king === "K" ? "R" : "r";
  return men.get(to) === rook || (from[1] === to[1] && Math.abs(FILES.indexOf(from[0]) - FILES.indexOf(to[0])) > 1);
}

function castled(men, from, to, king) {
  const [rank, rook, isKingside] = [from[1], king === "K" ? "R" : "r", to[0] > from[0]];
  const corner = men.get(to) === rook ? to : (isKingside ? "h" : "a") + rank;
  men.delete(corner);
  men.set((isKingside ? "g" : "c") + rank, king);
  men.set((isKingside ? "f" : "d") + rank, rook);
  return men;
}

function placement(men) {
  const ranks = [..."87654321"].map((rank) => [...FILES].map((file) => men.get(file + rank) ?? "1").join(""));
  return ranks.map((rank) => rank.replace(/1+/g, (empty) => empty.length)).join("/");
}
