// How the page says things: names, results, moves.

import { moveAt } from "./state.js";

const REASONS = {
  "dead-position": "dead position",
  "result-signalled": "entered on the board",
};

/** The name to show for a board: `Board 7`, or the name that the hall gave it. */
export function boardName(name) {
  return /^\d+$/.test(name) ? `Board ${name}` : name;
}

/** The name to show for the player of `side`. */
export function playerName(game, side) {
  return game?.[side]?.name ?? (side === "white" ? "White" : "Black");
}

/** What is wrong with a board's link, in a word or two; empty while all is well or it is not told. */
export function linkText(board) {
  return { stale: "no news", lost: "disconnected" }[board.state] ?? "";
}

/** A result as people write it: `1–0`, `½–½`. */
export function resultText(result) {
  return result.replaceAll("1/2", "½").replaceAll("-", "–");
}

/** Why a game ended, in words. */
export function reasonText(reason) {
  return REASONS[reason] ?? (reason ?? "").replaceAll("-", " ");
}

/** What each side has of `result`: `["1", "0"]`, `["½", "½"]`, `["+", "−"]`; null while it is open. */
export function scores(result) {
  if (!result || result === "*") return null;
  const halves = /^[+-]\/[+-]$/.test(result) ? result.split("/") : result.split("-");
  return halves.map((half) => half.replace("1/2", "½").replace("-", "−"));
}

/** Half-moves from White's first move to `ply` of `game`, which may start at any position. */
export function halfMoves(game, ply) {
  const [, toMove, , , , fullmove] = (game.start ?? "").split(" ");
  const before = 2 * (Math.max(1, Number(fullmove) || 1) - 1) + (toMove === "b" ? 1 : 0);
  return before + ply - 1;
}

/**
 * What a move may have been, likeliest first: `12. Bxf6 67 %, Bxb6 32 %`; empty while all is certain.
 */
export function doubtText(board) {
  const { game, doubtful_ply: ply, alternatives } = board;
  if (!game || !ply || !alternatives?.length) return "";
  const half = halfMoves(game, ply);
  const number = `${Math.floor(half / 2) + 1}${half % 2 === 0 ? "." : "…"}`;
  // A line breaks between moves, not inside one.
  const whole = (text) => text.replaceAll(" ", "\u00a0");
  const moves = alternatives.map(({ san, chance }) => whole(`${san ?? "no move"} ${Math.round(100 * chance)} %`));
  return `${number} ${moves.join(", ")}`;
}

/** `12. Nf3` or `12… Nf6`: the move `ply` of `game`. */
export function numbered(game, ply) {
  const half = halfMoves(game, ply);
  return `${Math.floor(half / 2) + 1}${half % 2 === 0 ? "." : "…"} ${moveAt(game, ply).san}`;
}
