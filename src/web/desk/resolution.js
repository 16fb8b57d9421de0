// What was ruled, while hands carry it out: what of it board and clock show, and what is still to be done.

import { serverNow, shownMs } from "/assets/clock.js";
import { html } from "/assets/dom.js";
import { clockNow } from "/assets/state.js";
import { sideText } from "./people.js";
import { clockText, plyText, spanText } from "./record-values.js";
import { t } from "./words.js";

const MARKS = { "to-do": "✗", done: "✓", waived: "–" };

/**
 * What was carried out for a record, of its `proposals`: the last resolution that was not taken back, or undefined. One
 * for a game that came from another board belongs to no record, and is one itself.
 */
export function resolutionOf(record, proposals) {
  if (record.type === "resolution") return record;
  if (record.status === "open") return undefined;
  return proposals.findLast((one) => one.type === "resolution" && one.status !== "withdrawn");
}

/** A part of a resolution in words: `Clock of White: 1:14:30`. */
export function partText(desk, part, game) {
  const values = {
    after: plyText(desk, game, part.ply),
    squares: (part.squares ?? []).map(desk.san).join(", "),
    side: part.side ? sideText(game, part.side) : "",
    time: clockText(part.target_ms),
  };
  // What is added to a time that runs is no time yet.
  if (part.name === "clock-times" && part.target_ms == null) {
    return t("resolution.added", { ...values, amount: part.added_ms ? signedSpan(part.added_ms) : "" });
  }
  const words = t(`resolution.part.${part.name}`, values);
  return part.added_ms ? t("resolution.with", { what: words, amount: signedSpan(part.added_ms) }) : words;
}

function signedSpan(ms) {
  return `${ms < 0 ? "−" : "+"}${spanText(ms)}`;
}

/** What is still to be done of `said`, in a few words: `at the board: position, clocks`; `alone`, as a sentence begins. */
export function dueText(said, alone = false) {
  const tasks = said.parts.filter((part) => part.state === "to-do").map((part) => t(`resolution.task.${part.name}`));
  return t(alone ? "resolution.due_alone" : "resolution.due", { what: [...new Set(tasks)].join(", ") });
}

/** The checklist in `element`; `rule(ruling)` is called with what the arbiter waives. */
export class Resolution {
  constructor(desk, rule) {
    Object.assign(this, { desk, rule, said: null, rows: new Map() });
    this.element = html("section", "resolution");
    this.element.setAttribute("aria-label", t("resolution.title"));
  }

  /** Shows `said`, a `resolution`, or nothing. */
  show(said, game) {
    const key = JSON.stringify([said, game?.game]);
    if (key === this.key) return;
    Object.assign(this, { said, game, key });
    this.element.hidden = !said;
    const before = this.rows;
    this.rows = new Map();
    if (!said) return;
    const isOpen = said.status === "open";
    const list = html("ol", "parts");
    for (const part of said.parts) {
      // A row that says the same stays: somebody may be writing in it.
      const is = JSON.stringify([said.record, isOpen, part]);
      this.rows.set(is, before.get(is) ?? this.row(part, isOpen));
      list.append(this.rows.get(is).item);
    }
    const title = isOpen ? "title" : said.parts.every(({ state }) => state === "done") ? "done" : "over";
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.element.replaceChildren(html("h3", "", t(`resolution.${title}`)), list);
    if (focused?.isConnected) focused.focus();
    this.tick();
  }

  row(part, isOpen) {
    const item = html("li", "part", "", { state: part.state, part: part.name });
    const row = { item, side: part.side };
    const mark = html("span", "mark", MARKS[part.state]);
    mark.setAttribute("aria-hidden", "true");
    const words = html("span", "words");
    words.append(html("span", "label", partText(this.desk, part, this.game)), html("span", "said", t(`resolution.state.${part.state}`)));
    item.append(mark, words);
    if (part.squares?.length) words.append(html("span", "detail", t("resolution.squares", { squares: part.squares.map(this.desk.san).join(", ") })));
    if (isOpen && part.name === "clock-times" && part.state === "to-do") {
      const shows = html("span", "detail");
      words.append(shows);
      row.shows = shows;
    }
    if (isOpen && part.state === "to-do" && this.desk.session.is("arbiter")) item.append(this.waive(part));
    return row;
  }

  // Leaving a part as it is needs a word, which the report has.
  waive(part) {
    const form = html("form", "waive");
    const open = html("button", "plain", t("resolution.waive"));
    open.type = "button";
    const input = Object.assign(html("input", ""), { type: "text", maxLength: 500, required: true, placeholder: t("resolution.why"), hidden: true });
    input.setAttribute("aria-label", t("resolution.why"));
    const send = html("button", "plain", t("resolution.waive"));
    send.hidden = true;
    open.addEventListener("click", () => {
      [open.hidden, input.hidden, send.hidden] = [true, false, false];
      input.focus();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text !== "") this.rule({ name: "waive", record: this.said.record, part: part.name, side: part.side, text });
    });
    form.append(open, input, send);
    return form;
  }

  /** What the clock shows now. */
  tick() {
    const clock = clockNow(this.desk.state.boards.get(this.said?.board)?.game);
    for (const { shows, side } of this.rows.values()) {
      const ms = shows ? shownMs(clock, side, serverNow()) : null;
      const words = ms == null ? "" : t("resolution.shows", { time: clockText(ms) });
      if (shows && shows.textContent !== words) shows.textContent = words;
    }
  }
}
