// A ruling in words: what was ruled, or is about to be.

import { has, t } from "./words.js";
import { clockText, plyText, valuesOf } from "./record-values.js";

const NAMED = ["name", "by", "type", "kind", "seq", "at", "t_ms", "board", "game", "undone"];

/**
 * An `undo` in words, by the ruling that it undoes, if that is among `others`.
 */
function undoWords(desk, ruling, game, others) {
  const undone = others.find((one) => one.seq === ruling.ruling);
  if (!undone) return t("says.undo", { number: ruling.ruling });
  return t("says.undo_of", { what: rulingWords(desk, undone, game, desk.state.records.get(undone.record)) });
}

/** A `ruled` event as it was ruled: there an argument that is called like a field of every event has another name. */
function asRuled(event) {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name.replace(/^argument_/, ""), value]));
}

/** `ruled` (name and arguments of a ruling, or a `ruled` event) in words; `record` is what it is about, if known. */
export function rulingWords(desk, ruled, game, record = null, others = []) {
  const ruling = asRuled(ruled);
  if (ruling.name === "undo") return undoWords(desk, ruling, game, others);
  const key = `says.${ruling.name}`;
  // The `by` of a ruling is who made it, of a pause who stopped the clocks; never the side of a player.
  const { by, type, kind, ...rest } = ruling;
  const values = valuesOf(desk, { ...rest, kind: ruling.name === "penalty" ? kind : undefined }, game);
  Object.assign(values, {
    record: record ? desk.name(record.type) : t("ruling.record", { number: ruling.record ?? ruling.ruling ?? "" }),
    move: desk.san(ruling.move ?? ruling.uci ?? ""),
    after: plyText(desk, game, ruling.ply),
    white: signed(ruling, "white_ms"),
    black: signed(ruling, "black_ms"),
    choice: ruling.choice ? desk.san(ruling.choice) : "",
    by: by ?? "",
    part: ruling.part ? t(`resolution.task.${ruling.part}`) : "",
  });
  if (ruling.choice && has(`${key}_choice`)) return t(`${key}_choice`, values);
  if (ruling.without?.length && has(`${key}_without`)) return t(`${key}_without`, { ...values, without: namesOf(desk, ruling.without) });
  const given = Object.keys(rest).filter((name) => !NAMED.includes(name));
  if (!has(key)) return [desk.name(ruling.name), ...given.map((name) => rest[name])].join(" · ");
  return t(key, values).replace(/\s*\(\s*\)/g, "").replace(/:\s*$/, "").trim();
}

// One name or several.
function namesOf(desk, names) {
  return [names].flat().map((name) => desk.name(name)).join(", ");
}

// An adjustment has a sign, a setting has none.
function signed(ruling, key) {
  const ms = ruling[key];
  if (ms == null) return "";
  if (ruling.name !== "adjust-times") return clockText(ms);
  return `${ms < 0 ? "−" : "+"}${clockText(Math.abs(ms))}`;
}
