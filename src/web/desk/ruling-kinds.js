// Where rulings are offered, and how what is written in their fields is read. What they are, their groups and the kind
// of each argument are told by the daemon.

/** The rulings that an arbiter needs most and at once; they stand before the groups. */
export const COMMON = ["pause", "result", "clock-times", "correct-move", "restore-position", "draw-agreed", "resign", "note"];

/** The groups in their order; behind them whatever else there is. */
export const GROUPS = ["claims", "clock", "moves", "position", "adjourn", "game", "touch", "report", "penalty"];

/** What is ruled elsewhere: about a record, about the round, by the operator's own tools. */
export const ELSEWHERE = ["records", "round"];

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
