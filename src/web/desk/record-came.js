// What came of a ruling: the events after it, in words.

import { html } from "/assets/dom.js";
import { t } from "./words.js";
import { proposalWords } from "./record-decide.js";
import { resultWords } from "./people.js";
import { plyText, valuesOf } from "./record-values.js";
import { undoButton } from "./ruling-list.js";
import { rulingWords } from "./ruling-words.js";

// What a ruling did to a game shows in others; what the sensors say beside them is no consequence, and which move it
// was, the moves say.
const QUIET = [
  "piece-lifted", "piece-placed", "pressed", "piece-touched", "clock-before-correction", "alternatives", "confirm-move",
];

// What the arbiter still does with his hands, on the clock.
const BY_HAND = ["clock-times", "add-time-opponent", "reduce-time-offender", "counter-correction", "return-clock", "undo-press", "increment-mode"];

/** One event as a line, or an empty text; `words` is where the words for moves stand. */
export function lineOf(desk, event, game, words = "came", others = []) {
  const { type, status, kind } = event;
  if (QUIET.includes(type)) return "";
  const values = valuesOf(desk, event, game);
  const move = `${plyText(desk, game, event.ply)}`;
  if (type === "ruled") return rulingWords(desk, event, game, desk.state.records.get(event.record), others);
  if (type === "move-made") return t(`${words}.made`, { move: numbered(desk, game, event) });
  if (type === "move-retracted") return t(`${words}.retracted`, { move: numbered(desk, game, event) });
  if (type === "move-completed") return "";
  if (type === "clock-read") return "";
  if (["game-over", "result-changed"].includes(type)) return t("came.result", { result: resultWords(game ?? desk.state.boards.get(event.board)?.game, event.result ?? "*") });
  if (type === "game-changed") return t("came.changed");
  if (type === "game-closed") return t("came.closed");
  if (type === "game-opened") return t("came.opened");
  if (status) {
    const name = kind === "proposal" ? proposalWords(desk, event, game).label : desk.name(type);
    const done = words === "came" && kind === "proposal" && status === "confirmed";
    return t("came.record", { name, status: t(done ? `came.${BY_HAND.includes(type) ? "by_hand" : "done"}` : `status.${status}`) });
  }
  return [desk.name(type), values.side, move].filter(Boolean).join(" · ");
}

function numbered(desk, game, event) {
  const known = game ?? { variant: event.player ? "four-player" : undefined };
  return plyText(desk, { ...known, moves: [event] }, event.ply);
}

/** The events after a ruling, as a list in `root`. */
export class Came {
  constructor(root, desk) {
    Object.assign(this, { root, desk });
    root.setAttribute("role", "status");
    this.clear();
  }

  clear() {
    this.ruled = null;
    this.events = [];
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  /** Waits for what comes of a ruling on `board`. */
  expect(board) {
    this.clear();
    this.board = board;
    this.waiting = true;
  }

  /** Takes events of the stream, and shows what they say. */
  take(events, game) {
    const mine = events.filter((event) => event.board === this.board);
    for (const event of mine) {
      if (this.waiting && event.type === "ruled") {
        this.ruled = event;
        this.waiting = false;
      } else if (this.ruled && event.t_ms === this.ruled.t_ms) this.events.push(event);
    }
    if (this.ruled && mine.length > 0) this.draw(game);
  }

  draw(game) {
    const others = this.events.filter((event) => event.record == null || event.record !== this.ruled.record || event.kind === "proposal");
    const lines = [...new Set(others.map((event) => lineOf(this.desk, event, game)).filter(Boolean))];
    const list = html("ul", "");
    list.append(...lines.map((line) => html("li", "", line)));
    this.root.hidden = false;
    this.root.replaceChildren(
      html("h3", "", t("came.title", { ruling: lineOf(this.desk, this.ruled, game) })),
      lines.length > 0 ? list : html("p", "quiet", t("came.nothing")),
    );
    const message = html("p", "refused");
    if (!["undo", "note"].includes(this.ruled.name)) {
      this.root.append(undoButton(this.desk, this.ruled, (text) => { message.textContent = text; }), message);
    }
  }
}
