// Whether a board is ready for the round, in words: what is right, and what has to be put right.

import { timeText } from "/assets/clock.js";
import { CHESS, geometryOf } from "/assets/geometry.js";
import { armyOf, kindOf, menOf, placementOf } from "/assets/placement.js";
import { isFour } from "/assets/turns.js";
import { sideWord } from "./people.js";
import { san } from "./words.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const FOUR_START =
  "bRbNbBbKbQbBbNbR/bPbPbPbPbPbPbPbP/8/wRwP10kPkR/wNwP10kPkN/wBwP10kPkB/wKwP10kPkQ/wQwP10kPkK/wBwP10kPkB/wNwP10kPkN/wRwP10kPkR/8/rPrPrPrPrPrPrPrP/rRrNrBrQrKrBrNrR";

// More wrong squares than these are no longer read one by one.
const SQUARES = 4;

// With more than these nobody has set the men up.
const MANY = 8;

/** The columns of the list, and the reasons against a board that stand in each. */
export const CHECKS = [
  ["players", ["players"]],
  ["answering", ["silent"]],
  ["array", ["start-array", "turned"]],
  ["clock", ["no-clock", "clock-setting", "clock-runs"]],
  ["lever", ["lever"]],
];

/** What each check of `readiness` for `game` says: `{ players: { ok, texts }, … }`; `ok` is null while it is not known. */
export function checks(readiness, game, t) {
  const { reasons } = readiness;
  return Object.fromEntries(CHECKS.map(([check, its]) => {
    // What stands on a board that has no game in the round is nobody's business.
    if (readiness.idle) return [check, { ok: null, texts: check === "players" ? [t("round.idle", { round: readiness.idle })] : [] }];
    const against = its.filter((reason) => reasons.includes(reason));
    if (against.length > 0) return [check, { ok: false, texts: against.flatMap((reason) => wrong(reason, readiness, game, t)) }];
    if (!readiness.answering && check !== "players") return [check, { ok: null, texts: [] }];
    return [check, { ok: true, texts: right(check, readiness, t) }];
  }));
}

// What is worth saying of a check although it is right.
function right(check, { array, clock }, t) {
  if (check === "clock") return [clockText(clock)].filter(Boolean);
  if (check !== "array") return [];
  const { assumed } = array;
  const texts = assumed ? [t("round.assumed", { piece: man(assumed.piece, t), square: san(assumed.square) })] : [];
  return [...texts, ...sick(array, t)];
}

function wrong(reason, { array, turned, clock }, game, t) {
  switch (reason) {
    case "start-array": return [...squares(array.wrong, t), ...sick(array, t)];
    case "turned": return [t("round.turned", { degrees: turned })];
    case "clock-setting": return [t("round.clock_setting", { shows: clockText(clock), should: times(clock.expected_ms) })];
    case "clock-runs": return [t("round.clock_runs", { side: sideWord(game, clock.running) })];
    case "lever": return [t(isFour(game) ? "round.lever_of_team" : "round.reasons.lever", { up: sideWord(game, "black"), down: sideWord(game, "white") })];
    default: return [t(`round.reasons.${reason}`)];
  }
}

// Squares that an earlier game found out: nobody has to put anything right there, and the game goes on without them.
function sick(array, t) {
  return array.sick.map(({ square, fault }) => t(`round.sick_${fault}`, { square: san(square) }));
}

function squares(wrong, t) {
  if (wrong.length === 0) return [t("round.reasons.start-array")];
  if (wrong.length > MANY) return [t("round.not_set_up", { n: wrong.length, count: wrong.length })];
  const texts = wrong.slice(0, SQUARES).map(({ square, expected, found }) => {
    const values = { square: san(square), expected: man(expected, t), found: man(found, t) };
    if (found === null) return t("round.missing", values);
    return t(expected === null ? "round.too_many" : "round.instead", values);
  });
  const more = wrong.length - texts.length;
  return more > 0 ? [...texts, t("round.more", { n: more, count: more })] : texts;
}

function man(letter, t) {
  if (letter === null) return "";
  if (letter === "?") return t("men.unknown");
  return t(`men.${armyOf(letter)}.${kindOf(letter).toUpperCase()}`);
}

function clockText(clock) {
  return clock?.there ? times([clock.white_ms, clock.black_ms]) : "";
}

// One time if both sides have the same.
function times(both) {
  if (!both || both[0] == null) return "";
  const [white, black] = both.map(timeText);
  return white === black ? white : `${white} / ${black}`;
}

/** The men that stand on the board of `game`, as a position: the array, but for the squares that are wrong. */
export function foundFen(game, wrong) {
  const start = game.start ?? (isFour(game) ? FOUR_START : START);
  const men = menOf(start) ?? new Map();
  for (const { square, found } of wrong) {
    if (found === null || found === "?") men.delete(square);
    else men.set(square, found);
  }
  const [, ...fields] = start.split(" ");
  return [placementOf(men, geometryOf(start) ?? CHESS), ...fields].join(" ");
}
