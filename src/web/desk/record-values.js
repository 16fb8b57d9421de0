// What a record says, as values for the words that tell it: names, moves, squares and times as people
// write them.

import { kindOf, menOf } from "/assets/placement.js";
import { timeText } from "/assets/clock.js";
import { isFour, turnOf } from "/assets/turns.js";
import { resultWords, sideText, sideWord, whoseText } from "./people.js";
import { has, t } from "./words.js";

/** `1:35:19`; of less than an hour `0:35:19`, as a clock is set. */
export function clockText(ms) {
  if (ms == null) return "–";
  const text = timeText(Math.abs(ms));
  return (ms < 0 ? "−" : "") + (Math.abs(ms) >= 3_600_000 ? text : text.length < 5 ? `0:0${text}` : `0:${text}`);
}

/** `2:00` of a bonus: minutes and seconds. */
export function spanText(ms) {
  return ms == null ? "–" : timeText(Math.abs(ms));
}

/** `12. Nf3`: the ply of `game`, or its number alone where the move is not known. */
export function plyText(desk, game, ply) {
  if (!game || !ply) return t("game.start");
  const number = numberAt(game, ply);
  const move = game.moves.find((one) => one.ply === ply);
  return move ? `${number} ${desk.san(move.san)}` : number;
}

// These are about a clock, and partners have one clock.
const OF_A_CLOCK = [
  "add-time-opponent", "reduce-time-offender", "return-clock", "undo-press", "clock-start", "resume", "flag-fallen",
  "claim-flag-fall", "time-forfeit", "time-draw", "time-trouble",
];

/** The values of `record`, a record or a ruling, for words. */
export function valuesOf(desk, record, game) {
  const { san } = desk;
  const sideOf = record.by === "white" || record.by === "black" ? record.by : record.side;
  const other = { white: "black", black: "white" }[sideOf];
  const list = (things, each = (thing) => thing) => (Array.isArray(things) ? things.map(each).join(", ") : "");
  const moves = list(record.moves ?? record.candidates, (move) => san(move?.san ?? move));
  const then = record.then ?? record.times ?? record.expected;
  return {
    side: whoseText(game, OF_A_CLOCK.includes(record.type) ? { ...record, player: null } : record),
    other: other ? sideText(game, other) : "",
    who: record.player ? t(`side.${record.player}`) : sideOf ? sideWord(game, sideOf) : "",
    rival: other ? sideWord(game, other) : "",
    white_side: sideWord(game, "white"),
    black_side: sideWord(game, "black"),
    squares: list(record.squares ?? [record.square ?? record.first].filter(Boolean), san),
    square: san(record.square ?? ""),
    first: san(record.first ?? ""),
    piece: pieceText(record.fen_before, record.first ?? record.square ?? record.squares?.[0]),
    king: san(record.king ?? ""),
    move: san(record.move ?? record.san ?? record.uci ?? ""),
    played: san(record.played ?? ""),
    moves,
    obligation: list(record.obligation, san),
    kinds: list(record.kinds, (kind) => named("kind_of", kind)),
    number: numberAt(game, record.ply),
    after: plyText(desk, game, record.ply),
    count: record.count ?? record.evidence ?? 0,
    result: record.result ?? record.value ? resultWords(game, record.result ?? record.value) : "",
    amount: record.amount == null ? spanText(record.amount_ms ?? record.ms) : amountText(record),
    white: clockText(then?.white_ms ?? record.white_ms),
    black: clockText(then?.black_ms ?? record.black_ms),
    left: spanText(record.left_ms),
    period: record.period ?? "",
    made: typeof record.made === "number" ? record.made : "",
    completed: typeof record.completed === "number" ? record.completed : "",
    required: record.required ?? t("record.all_moves"),
    rule: record.rule ?? "",
    reason: record.reason ? named("reason", record.reason) : "",
    text: record.text ?? "",
    basis: desk.name(record.basis ?? record.outcome ?? ""),
    outcome: desk.name(record.outcome ?? record.basis ?? ""),
    claim: desk.name(record.claim ?? ""),
    verdict: record.verdict ? named("verdict", record.verdict) : "",
    occurrences: record.occurrences ?? "",
    plies: list(record.plies, (ply) => plyText(desk, game, ply)),
    turned: record.turned ?? "",
    rook: san(record.rook ?? ""),
    board: record.board ?? "",
    kind: record.kind ? desk.name(record.kind) : "",
    fen: record.fen ?? "",
    value: record.value ?? "",
    paths: record.paths ?? "",
    since: record.since_ply != null ? plyText(desk, game, record.since_ply) : "",
    recovered: list(record.recovered, san),
    hint: record.hint ? named("hint", record.hint) : "",
    set: list(record.set, (name) => named("layout", name)),
    shown: list(record.shown, (name) => named("layout", name)),
    squares_shown: record.fault === "other-board" ? record.shown : "",
    squares_expected: record.fault === "other-board" ? record.expected : "",
    evidence: record.evidence ?? "",
    missing: list(record.missing, san),
    extra: list(record.extra, san),
  };
}

// What a penalty comes to: `½`, `2`, `50 EUR`; the sentence says of what.
function amountText({ amount, unit }) {
  const text = String(amount).replace("1/2", "½");
  return ["points", "rounds"].includes(unit) || !unit ? text : `${text} ${unit}`;
}

function pieceText(fen, square) {
  const letter = square && menOf(fen)?.get(square);
  return letter ? t(`piece.${kindOf(letter)}`) : t("piece.any");
}

// The words for a name of the registry; its own, where nobody has given it any.
function named(group, name) {
  return has(`${group}.${name}`) ? t(`${group}.${name}`) : name.replaceAll("-", " ");
}

/** `12.`, `12…`, or of four players `12. Red`: where a ply of `game` stands. */
export function numberAt(game, ply) {
  if (!game || !ply) return "";
  const { number, column, player } = turnOf(game, ply);
  if (isFour(game)) return `${number}. ${t(`side.${player}`)}`;
  return `${number}${column === 0 ? "." : "…"}`;
}

/** Why a game ended, in words. */
export function endText(desk, reason) {
  if (!reason) return "";
  return has(`reason.${reason}`) ? t(`reason.${reason}`) : desk.name(reason);
}
