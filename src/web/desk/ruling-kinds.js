// Which rulings are offered where, and what kind of thing each of their arguments is.

/** The groups of rulings, the common ones first. A ruling may stand in two of them. */
export const GROUPS = [
  ["common", [
    "pause", "resume", "result", "clock-times", "correct-move", "insert-move", "delete-move",
    "restore-position", "accept-position", "draw-offer", "draw-agreed", "resign", "note",
  ]],
  ["claims", [
    "claim-threefold", "claim-threefold-intended", "claim-fifty-moves", "claim-fifty-moves-intended",
    "claim-flag-fall", "claim-illegal-move", "claim-touch-move", "claim-qpf", "qpf-increment-request",
    "draw-offer", "draw-agreed", "resign",
  ]],
  ["clock", [
    "clock-times", "add-time-opponent", "reduce-time-offender", "adjust-times", "return-clock", "undo-press",
    "press", "counter-correction", "increment-mode", "clock-start",
  ]],
  ["moves", ["confirm-move", "correct-move", "insert-move", "delete-move", "replace-by-queen", "castling-ban"]],
  ["position", ["restore-position", "accept-position", "set-position", "transfer-position"]],
  ["adjourn", ["adjourn", "seal-move", "sealer-absent", "resume-game", "reconstruct", "end-reconstruct"]],
  ["game", ["result", "change-result", "swap-colours", "annul-game", "start-game", "move-to-board"]],
  ["touch", ["adjusting", "strike-touch", "assistant", "two-hands", "wrong-hand"]],
  ["report", [
    "setup-wrong", "orientation-wrong", "colours-reversed", "report-illegal", "displacement-found",
    "scoresheets-incomplete", "communication-reported",
  ]],
  ["penalty", ["penalty"]],
];

/** Rulings that are made elsewhere: about a record, about the round, by the operator's own tools. */
export const ELSEWHERE = ["confirm", "reject", "postpone", "undo", "round-open", "round-start", "round-close", "assign", "link"];

/** The results that a game can have, the common ones first. */
export const RESULTS = ["1-0", "1/2-1/2", "0-1", "+/-", "-/+", "-/-", "0-0", "1/2-0", "0-1/2"];

const BASES = [
  "checkmate", "resignation", "draw-agreement", "time-forfeit", "time-draw", "stalemate", "threefold-draw",
  "fifty-moves-draw", "dead-position", "illegal-move-forfeit", "late-arrival-forfeit", "device-forfeit", "rules-forfeit",
];

const PENALTIES = [
  "warning", "add-time-opponent", "reduce-time-offender", "raise-opponent-score", "reduce-offender-score",
  "game-lost", "fine", "exclude-rounds", "expel",
];

const REASONS = ["start-position", "colours-reversed", "position-lost"];

/** What kind of field the argument `name` of the ruling `ruling` is: `{ kind, values? }`. */
export function kindOf(ruling, name) {
  switch (name) {
    case "side":
    case "by": return { kind: "side" };
    case "ply": return { kind: "ply" };
    case "uci":
    case "move": return { kind: "move" };
    case "white_ms":
    case "black_ms": return { kind: ruling === "adjust-times" ? "difference" : "time" };
    case "ms": return { kind: "time" };
    case "fen": return { kind: "fen" };
    case "square":
    case "rook": return { kind: "square" };
    case "turned": return { kind: "number", values: ["90", "180", "270"] };
    case "basis": return { kind: "name", values: BASES };
    case "kind": return { kind: "name", values: PENALTIES };
    case "value": return ruling === "counter-correction" ? { kind: "number" } : { kind: "result" };
    case "reason": return ruling === "annul-game" ? { kind: "reason", values: REASONS } : { kind: "text" };
    case "seq":
    case "record":
    case "round": return { kind: "number" };
    default: return { kind: "text" };
  }
}

/** The milliseconds of `1:35:19`, `35:19`; null if it is none. */
export function parseTime(text) {
  const found = text.trim().match(/^([+\-−]?)(?:(\d{1,2}):)?(\d{1,2}):(\d{2})$/);
  if (!found) return null;
  const [, sign, h, m, s] = found;
  if (Number(s) > 59 || (h !== undefined && Number(m) > 59)) return null;
  const ms = ((Number(h ?? 0) * 60 + Number(m)) * 60 + Number(s)) * 1000;
  return sign === "-" || sign === "−" ? -ms : ms;
}

/**
 * A move as the reader wrote it, in English notation: `san` writes an English letter as he does.
 * Coordinates (`g1f3`) stay what they are.
 */
export function englishMove(text, san) {
  const given = text.trim();
  if (/^([a-n]\d{1,2}){2}[qrbn]?$/i.test(given)) return given.toLowerCase();
  if (/^[0O]-[0O](-[0O])?/.test(given)) return given.replaceAll("0", "O");
  const english = new Map([..."KQRBNabcdefghijklmn"].map((letter) => [san(letter), letter]));
  return [...given].map((letter) => english.get(letter) ?? letter).join("");
}
