// How the page says things: names, results, moves, in the language of the reader.

import { kindOf } from "./placement.js";
import { moveAt } from "./state.js";
import { TEXTS } from "./texts.js";
import { isFour, playersOf, turnOf } from "./turns.js";

const KEY = "adoube-language";

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The language of the page: as the reader chose it, or as his browser prefers it. */
export const language = [stored(), ...navigator.languages].map((tag) => tag?.slice(0, 2)).find((tag) => tag in TEXTS) ?? "en";

const texts = TEXTS[language];
const plural = new Intl.PluralRules(language);

/** Chooses a language, for the next time too. */
export function choose(tag) {
  try {
    localStorage.setItem(KEY, tag);
  } catch {}
}

/** The words for `key` with `values` put in. */
export function t(key, values = {}) {
  let text = texts[key] ?? TEXTS.en[key] ?? key;
  if (typeof text === "object") text = text[plural.select(values.count)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Puts words into what of `root` asks for them: `data-t` its text, `data-t-label` its name, and so on. */
export function translate(root) {
  for (const node of root.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const [name, attribute] of [["label", "aria-label"], ["title", "title"], ["placeholder", "placeholder"]]) {
    for (const node of root.querySelectorAll(`[data-t-${name}]`)) node.setAttribute(attribute, t(node.getAttribute(`data-t-${name}`)));
  }
}

/** A move in English notation as the reader's language writes it: `Nf3` is `Rf3` in Finnish. */
export function sanText(san) {
  const { letters } = texts;
  if (!letters || !san) return san ?? "";
  if (san.startsWith("O-O")) return san.replaceAll("O", "0");
  return san.replace("=", "").replace(/[KQRBNa-n]/g, (letter) => letters[letter] ?? letter);
}

/** What a man is called: `q` and `rQ` are queens. */
export function manName(letter) {
  return (texts.men ?? TEXTS.en.men)[kindOf(letter)];
}

/** The name to show for a board: `Board 7`, or the name that the hall gave it. */
export function boardName(name) {
  return /^\d+$/.test(name) ? t("board", { board: name }) : name;
}

/** The name to show for a player: `white`, of four also `red` and `blue`. */
export function playerName(game, player) {
  return game?.[player]?.name ?? t(player);
}

/** The names to show for a side: of one player, or of the two of a team. */
export function sideName(game, side) {
  return playersOf(game, side).map((player) => playerName(game, player)).join(" & ");
}

/** Who plays against whom. */
export function pairName(game) {
  return `${sideName(game, "white")} – ${sideName(game, "black")}`;
}

/** Which game of its round it is: `12`, or `3.2` for the second board of the third match. */
export function numberOf({ board, game }) {
  if (game?.match) return `${game.match.number}.${game.match.board}`;
  return game?.round != null ? String(game.number) : boardName(board);
}

/** What is wrong with a board's link, in a word or two; empty while all is well or it is not told. */
export function linkText(board) {
  return ["stale", "lost"].includes(board.state) ? t(`link_${board.state}`) : "";
}

/** A result as people write it: `1–0`, `½–½`. */
export function resultText(result) {
  return result.replaceAll("1/2", "½").replaceAll("-", "–");
}

/** How a game ended: `1–0`, or which of the teams of four players won. */
export function outcomeText(game) {
  const key = { "1-0": "wins_white", "0-1": "wins_black", "1/2-1/2": "draw" }[game.result];
  return isFour(game) && key ? t(key) : resultText(game.result);
}

/** Why a game ended, in words. */
export function reasonText(reason) {
  return `reason_${reason}` in TEXTS.en ? t(`reason_${reason}`) : (reason ?? "").replaceAll("-", " ");
}

/** What each side has of `result`: `["1", "0"]`, `["½", "½"]`, `["+", "−"]`; null while it is open. */
export function scores(result) {
  if (!result || result === "*") return null;
  const halves = /^[+-]\/[+-]$/.test(result) ? result.split("/") : result.split("-");
  return halves.map((half) => half.replace("1/2", "½").replace("-", "−"));
}

/** `12.` and `12…` before the moves of two; before those of four `12.` and whose move it is. */
export function numberText(game, ply) {
  const { number, column, player } = turnOf(game, ply);
  if (isFour(game)) return `${number}. ${t(player)}`;
  return `${number}${column === 0 ? "." : "…"}`;
}

/**
 * What a move may have been, likeliest first: `12. Bxf6 67 %, Bxb6 32 %`; empty while all is certain.
 */
export function doubtText(board) {
  const { game, doubtful_ply: ply, alternatives } = board;
  if (!game || !ply || !alternatives?.length) return "";
  // A line breaks between moves, not inside one.
  const whole = (text) => text.replaceAll(" ", "\u00a0");
  const moves = alternatives.map(({ san, chance }) => whole(`${san ? sanText(san) : t("no_move")} ${Math.round(100 * chance)} %`));
  return `${numberText(game, ply)} ${moves.join(", ")}`;
}

/** `12. Nf3`, `12… Nf6` or `12. Red h2-h4`: the move `ply` of `game`. */
export function numbered(game, ply) {
  return `${numberText(game, ply)} ${sanText(moveAt(game, ply)?.san)}`;
}

/** The same where there is little room: of four players without whose it was. */
export function briefly(game, ply) {
  if (!isFour(game)) return numbered(game, ply);
  return `${turnOf(game, ply).number}. ${sanText(moveAt(game, ply)?.san)}`;
}

/** By how much spectators are behind; empty if they are not. */
export function delayText(delay_s) {
  if (!delay_s) return "";
  return delay_s < 60 ? t("behind_seconds", { count: delay_s }) : t("behind_minutes", { count: Math.round(delay_s / 60) });
}

/** A time control as people say it: `5400+30` is 90 min + 30 s; what is not so simple stays as it is. */
export function timeControlText(text) {
  const [, base_s, increment_s] = text?.match(/^(\d+)(?:\+(\d+))?$/) ?? [];
  if (!base_s || base_s % 60 !== 0) return text ?? "";
  return `${base_s / 60} min${increment_s > 0 ? ` + ${increment_s} s` : ""}`;
}
