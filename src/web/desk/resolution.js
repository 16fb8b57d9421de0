// What was ruled, while hands carry it out: what of it board and clock show, and what is still to be done.

import { serverNow, shownMs } from "/assets/clock.js";
import { html } from "/assets/dom.js";
import { clockNow } from "/assets/state.js";
import { sideText } from "./people.js";
import { clockText, plyText, spanText } from "./record-values.js";
import { t } from "./words.js";

const MARKS = { "to-do": "✗", done: "✓", waived: "–" };

/** A part of a resolution in words: `White's clock: 1:14:30`. */
function partText(desk, part, game) {
  const values = {
    after: plyText(desk, game, part.ply),
    squares: (part.squares ?? []).map(desk.san).join(", "),
    side: part.side ? sideText(game, part.side) : "",
    time: clockText(part.target_ms),
  };
  const words = t(`resolution.part.${part.name}`, values);
  return part.added_ms ? t("resolution.with", { what: words, amount: signedSpan(part.added_ms) }) : words;
}

function signedSpan(ms) {
  return `${ms < 0 ? "−" : "+"}${spanText(ms)}`;
}

/** What is still to be done of `said`, in a few words: `at the board: position, clocks`. */
export function dueText(said) {
  const tasks = said.parts.filter((part) => part.state === "to-do").map((part) => t(`resolution.task.${part.name}`));
  return t("resolution.due", { what: [...new Set(tasks)].join(", ") });
}

/** The checklist in `element`; `rule(ruling)` is called with what the arbiter waives. */
export class Resolution {
  constructor(desk, rule) {
    Object.assign(this, { desk, rule, said: null });
    this.element = html("section", "resolution");
    this.element.setAttribute("aria-label", t("resolution.title"));
  }

  /** Shows `said`, a `resolution`, or nothing. */
  show(said, game) {
    const key = JSON.stringify([said, game?.game]);
    if (key === this.key) return;
    Object.assign(this, { said, game, key, shows: [] });
    this.element.hidden = !said;
    if (!said) return;
    const isOpen = said.status === "open";
    const list = html("ol", "parts");
    list.append(...said.parts.map((part) => this.row(part, isOpen)));
    const title = isOpen ? "title" : said.parts.every(({ state }) => state === "done") ? "done" : "over";
    this.element.replaceChildren(html("h3", "", t(`resolution.${title}`)), list);
    this.tick();
  }

  row(part, isOpen) {
    const item = html("li", "part", "", { state: part.state, part: part.name });
    const mark = html("span", "mark", MARKS[part.state]);
    mark.setAttribute("aria-hidden", "true");
    const words = html("span", "words");
    words.append(html("span", "label", partText(this.desk, part, this.game)), html("span", "said", t(`resolution.state.${part.state}`)));
    item.append(mark, words);
    if (part.squares?.length) words.append(html("span", "detail", t("resolution.squares", { squares: part.squares.map(this.desk.san).join(", ") })));
    if (isOpen && part.name === "clock-times" && part.state === "to-do") {
      const shows = html("span", "detail");
      words.append(shows);
      this.shows.push([shows, part.side]);
    }
    if (isOpen && part.state === "to-do" && this.desk.session.is("arbiter")) item.append(this.waive(part));
    return item;
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
    for (const [element, side] of this.shows ?? []) {
      const ms = shownMs(clock, side, serverNow());
      const words = ms == null ? "" : t("resolution.shows", { time: clockText(ms) });
      if (element.textContent !== words) element.textContent = words;
    }
  }
}
