// What is left to do about an incident that is decided: its proposals that are still open.

import { isLive } from "/assets/state.js";
import { valuesOf } from "./record-values.js";
import { dueText } from "./resolution.js";
import { has, t } from "./words.js";

/** Proposals that only say something: what may be played instead. */
export const SAID = ["replacement-moves"];

/**
 * Those of the open `proposals` whose record is none of the open `incidents` any more: one entry a record, as an
 * incident with the list `left`. When `game` is over, nothing of it can be done.
 */
export function leftOf(proposals, incidents, game) {
  const entries = new Map();
  for (const one of proposals) {
    // What hands have to do for a game that came from another board belongs to no record but itself.
    const { type, of = type, of_record: record = one.record } = one;
    if (SAID.includes(type) || incidents.some((other) => other.record === record)) continue;
    if (game && !isLive(game)) continue;
    const { board, severity, opened_at } = one;
    const entry = entries.get(record) ?? { record, type: of, board, severity, opened_at, left: [] };
    entry.left.push(one);
    entries.set(record, entry);
  }
  return [...entries.values()];
}

/** `+2:00 for Black, clocks; at the board: position`: what the arbiter has to decide yet, and what hands have to do. */
export function leftText(desk, left, game) {
  const word = (one) => {
    const key = `list.left_of.${one.type}`;
    return has(key) ? t(key, valuesOf(desk, one, game)) : desk.name(one.type);
  };
  const decided = left.find(({ type }) => type === "resolution");
  const words = [...new Set(left.filter((one) => one !== decided).map(word))].join(", ");
  return [words, decided ? dueText(decided) : ""].filter(Boolean).join("; ");
}

/** What an incident is called where boards are listed: by its name, or by what is left of it. */
export function whatText(desk, incident, game) {
  if (!incident.left) return desk.name(incident.type);
  const [one, ...others] = incident.left;
  if (one.type === "resolution" && others.length === 0) return dueText(one, true);
  return t("list.left", { what: leftText(desk, incident.left, game) });
}
