// What players and sides are called at the desk: one player a side, or two partners.

import { allPlayers, isFour, playersOf } from "/assets/turns.js";
import { resultText } from "/assets/words.js";
import { t } from "./words.js";

/** The name of `player` of `game`, or which army he has. */
export function playerText(game, player) {
  return game?.[player]?.name ?? t(`side.${player}`);
}

/** The names of those who play for `side`. */
export function namesText(game, side) {
  return playersOf(game, side).map((player) => playerText(game, player)).join(" & ");
}

/** The players of `game`, as a title has them. */
export function pairText(game) {
  return game ? `${namesText(game, "white")} – ${namesText(game, "black")}` : "";
}

/** What a side is called: `White`, or the team `Red and Blue`. */
export function sideWord(game, side) {
  return t(`side.${isFour(game) ? `team_${side}` : side}`);
}

/** `White (Fischer)`, `Red and Blue (Fischer & Spassky)`. */
export function sideText(game, side) {
  return withNames(sideWord(game, side), game, playersOf(game, side));
}

/** `Red (Fischer)`: one of four players. */
export function armyText(game, player) {
  return withNames(t(`side.${player}`), game, [player]);
}

function withNames(side, game, players) {
  const names = players.map((player) => game?.[player]?.name).filter(Boolean);
  return names.length > 0 ? t("side.named", { side, name: names.join(" & ") }) : side;
}

/** Whose doing an event or a record is: of one player where it says which, else of a side; empty of nobody. */
export function whoseText(game, { by, side, player }) {
  if (player) return armyText(game, player);
  const whose = [by, side].find((one) => one === "white" || one === "black");
  return whose ? sideText(game, whose) : "";
}

/** The result of `game`, or another one of it: `1–0`, or which team of four won. */
export function resultWords(game, result = game.result) {
  const known = { "1-0": "white", "0-1": "black", "1/2-1/2": "draw" }[result];
  return isFour(game) && known ? t(`side.wins_${known}`) : resultText(result);
}

/** A line to sign on for each player. */
export function signersOf(game) {
  return allPlayers(game).map((player) => (isFour(game) ? armyText(game, player) : playerText(game, player)));
}
