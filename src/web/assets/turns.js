// Who plays, and whose turn it is: two players, or four in two teams. A side is a team: White's is that of Red and
// Blue, Black's that of White and Black. One of two players is a side of his own.

import { FOUR } from "./geometry.js";
import { ARMIES, placementOf } from "./placement.js";
import { moveAt } from "./state.js";

/** Whether four play `game`, or a pairing of which that is known. */
export function isFour(game) {
  return game?.variant === "four-player" || game?.red != null;
}

/** The position of a board on which nothing stands, if it is another one than that of chess: `board` says what is played. */
export function emptyBoard(board) {
  return isFour(board) ? placementOf(new Map(), FOUR) : null;
}

/** The players of `side` in `game`, by the names of their fields. */
export function playersOf(game, side) {
  if (!isFour(game)) return [side];
  return side === "white" ? ["red", "blue"] : ["white", "black"];
}

/** All players of `game`, those of White's side first. */
export function allPlayers(game) {
  return [...playersOf(game, "white"), ...playersOf(game, "black")];
}

/** The side for which `player` of `game` plays. */
export function sideOf(game, player) {
  return playersOf(game, "white").includes(player) ? "white" : "black";
}

/** The players of `game` in the order of their turns, the first of a round first. */
export function orderOf(game) {
  if (!isFour(game)) return ["white", "black"];
  const [, order] = (game.start ?? "").match(/ ([rwbk]{4})-(?:light|dark)$/) ?? [];
  return [...(order ?? "rwbk")].map((letter) => ARMIES[letter]);
}

/** Turns from the first one of round 1 to `ply` of `game`, which may start at any position. */
export function halfMoves(game, ply) {
  const order = orderOf(game);
  const [, turn, , , , round] = (game.start ?? "").split(" ");
  const first = isFour(game) ? order.indexOf(ARMIES[turn]) : turn === "b" ? 1 : 0;
  return order.length * (Math.max(1, Number(round) || 1) - 1) + Math.max(0, first) + ply - 1;
}

/** Where `ply` of `game` stands: `{ number, column, player }`, the round, which turn of it, and whose. */
export function turnOf(game, ply) {
  const order = orderOf(game);
  const { player: mover, fen } = (isFour(game) && moveAt(game, ply)) || {};
  if (mover && fen) {
    // A round is over when it is the first player's turn again.
    const [, turn, , , , round] = fen.split(" ");
    return { number: Number(round) - (ARMIES[turn] === order[0] ? 1 : 0), column: order.indexOf(mover), player: mover };
  }
  const half = halfMoves(game, ply);
  const column = half % order.length;
  return { number: Math.floor(half / order.length) + 1, column, player: order[column] };
}

/** Whose turn it is in the position `fen` of `game`; null if it does not say. */
export function toMove(game, fen) {
  const letter = (fen ?? "").split(" ")[1];
  if (isFour(game)) return ARMIES[letter] ?? null;
  return { w: "white", b: "black" }[letter] ?? null;
}
