// Whether a side could still mate: the moves, to be followed on the board, or the reason why there are none.

import { html } from "/assets/dom.js";
import { positionsOf } from "./mate-line.js";
import { sideText } from "./people.js";
import { has, t } from "./words.js";

/** The one of a record and its proposals that says whether a side could mate, or null. */
export function mateOf(...records) {
  return records.find((one) => one.mate_side || one.mate_reasons) ?? null;
}

/** What `record` says of it, in sentences. */
export function mateWords(desk, record, game) {
  if (record.mate_reasons) {
    return record.mate_reasons.map(({ side, reason, positions }) => never(desk, side, reason, positions, game));
  }
  const side = sideText(game, record.mate_side);
  if (record.mate_test === "no") return [never(desk, record.mate_side, record.mate_reason, record.mate_positions, game)];
  if (record.mate_test === "unknown") {
    const basis = named(`mate.basis.${record.mate_basis.replaceAll(" ", "-")}`, record.mate_basis);
    return [t("mate.unknown", { side, basis, count: record.mate_nodes })];
  }
  const said = [record.mate_plies === 0 ? t("mate.stands", { side }) : t("mate.yes", { side, count: record.mate_plies })];
  if (isCut(record)) said.push(t("mate.cut", { count: record.mate_line.length }));
  return said;
}

function never(desk, side, reason, positions, game) {
  return t("mate.no", { side: sideText(game, side), reason: named(`mate.reason.${reason}`, reason, { count: positions ?? 0 }) });
}

function named(key, otherwise, values) {
  return has(key) ? t(key, values) : (otherwise ?? "").replaceAll("-", " ");
}

function isCut(record) {
  return record.mate_line?.length < record.mate_plies;
}

/** The moves as they are written: `61. f8=B Kb3 62. Bc5`. */
export function mateMoves(desk, record) {
  const moves = positionsOf(record.mate_fen, record.mate_line ?? []).slice(1);
  const written = moves.map(({ number, san }, i) => (i === 0 || number.endsWith(".") ? `${number} ${desk.san(san)}` : desk.san(san)));
  return written.join(" ") + (isCut(record) ? " …" : "");
}

/** The positions of the line as the board follows them: `{ fen, uci, check, text }`. */
export function mateFrames(desk, record) {
  const positions = positionsOf(record.mate_fen, record.mate_line ?? []);
  const frames = positions.map(({ fen, uci, san, number, check }) => {
    return { fen, uci, check, text: san ? `${number} ${desk.san(san)}` : t("mate.start") };
  });
  if (isCut(record)) frames.push({ fen: record.mate_end, uci: null, check: true, text: t("mate.end", { count: record.mate_plies }) });
  return frames;
}

/** The card: what is said, and the button that puts the moves on the board of `replay`. */
export class Mate {
  constructor(element, body, desk, replay) {
    Object.assign(this, { element, body, desk, replay, record: null });
    this.said = html("div", "mate-said");
    this.moves = html("p", "mate-moves");
    this.button = html("button", "plain mate-follow");
    this.button.type = "button";
    this.button.dataset.act = "line";
    this.button.addEventListener("click", () => this.toggle());
    this.words = html("span", "label");
    this.button.append(html("kbd", "", "v"), this.words);
    body.append(this.said, this.button, this.moves);
  }

  /** Shows what `record` says, or nothing. */
  show(record, game) {
    this.record = record;
    this.element.hidden = !record;
    if (!record) return;
    this.said.replaceChildren(...mateWords(this.desk, record, game).map((words) => html("p", "", words)));
    this.moves.textContent = this.hasLine ? mateMoves(this.desk, record) : "";
    for (const part of [this.moves, this.button]) part.hidden = !this.hasLine;
    this.dress();
  }

  /** Whether there are moves to be followed. */
  get hasLine() {
    return this.record?.mate_line?.length > 0;
  }

  /** Puts the moves on the board, or the readings back. */
  toggle() {
    this.replay.follow(this.replay.isFollowing ? null : mateFrames(this.desk, this.record));
    this.dress();
  }

  dress() {
    this.words.textContent = t(this.replay.isFollowing ? "mate.hide" : "mate.show");
  }
}
