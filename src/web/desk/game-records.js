// The incidents of a game: what waits first, the closed ones when asked for.

import { html } from "/assets/dom.js";
import { leftOf, whatText } from "./left.js";
import { sentence } from "./record-facts.js";
import { timeOf } from "./replay.js";
import { t } from "./words.js";

const RANKS = ["info", "notice", "alert", "critical"];

// What hands have to do for a game that came from another board belongs to no other record.
const isOwn = ({ type, of }) => type === "resolution" && of == null;

// What happens in every game is no incident until it asks for something.
const isListed = (record) => (record.kind !== "proposal" || isOwn(record)) && record.status !== "withdrawn"
  && (record.status === "open" || record.severity !== "info");

// What is left to do of those that are decided.
function leftIn(records, game) {
  const open = records.filter((record) => record.status === "open");
  return leftOf(open.filter((record) => record.kind === "proposal"), open, game);
}

/** Notes at the moves of a game, by ply: `{ kind, words }`, the gravest of each ply. */
export function notesOf(desk, records) {
  const notes = new Map();
  const rank = (record) => RANKS.indexOf(record.severity);
  for (const record of records.filter((one) => isListed(one) && one.ply > 0)) {
    const known = notes.get(record.ply);
    if (known && known.rank >= rank(record)) continue;
    const kind = record.status === "open" ? record.severity : "closed";
    notes.set(record.ply, { kind, words: desk.name(record.type), rank: rank(record) });
  }
  return notes;
}

/** The list in `root`. */
export class GameRecords {
  constructor(root, desk) {
    Object.assign(this, { root, desk });
    this.open = html("ol", "record-list");
    this.closed = html("details", "closed-records");
    this.summary = html("summary", "");
    this.rest = html("ol", "record-list");
    this.closed.append(this.summary, this.rest);
    this.none = html("p", "quiet", t("game.no_incidents"));
    root.append(this.open, this.none, this.closed);
  }

  show(records, game) {
    // What stands there already keeps the focus.
    const key = JSON.stringify([game?.game, records.map(({ record, seq }) => [record, seq])]);
    if (key === this.shown) return;
    this.shown = key;
    const listed = records.filter(isListed).sort((a, b) => b.record - a.record);
    this.left = new Map(leftIn(records, game).map((entry) => [entry.record, entry]));
    const open = listed.filter((record) => record.status === "open" || this.left.has(record.record));
    open.sort((a, b) => RANKS.indexOf(b.severity) - RANKS.indexOf(a.severity));
    const closed = listed.filter((record) => !open.includes(record));
    this.open.replaceChildren(...open.map((record) => this.row(record, game)));
    this.rest.replaceChildren(...closed.map((record) => this.row(record, game)));
    this.none.hidden = open.length > 0;
    this.closed.hidden = closed.length === 0;
    this.summary.textContent = t("game.closed_incidents", { count: closed.length });
  }

  row(record, game) {
    const item = html("li", "");
    const link = html("a", "record-link", "", { severity: record.severity });
    link.href = `#/record/${record.record}`;
    const head = html("span", "record-name", this.desk.name(record.type));
    const left = this.left.get(record.record);
    const says = left ? whatText(this.desk, left, game) : record.status === "open" ? sentence(this.desk, record, game) : "";
    const when = [timeOf(record.opened_at ?? record.at), record.status === "open" ? "" : t(`status.${record.status}`)];
    link.append(head, html("span", "time", when.filter(Boolean).join(" · ")));
    if (says) link.append(html("span", "detail", says));
    item.append(link);
    return item;
  }
}
