// The pieces that were touched and not moved: the last ones, with how long and in whose turn.

import { kindOf, menOf } from "/assets/placement.js";
import { html } from "/assets/dom.js";
import { timeOf } from "./replay.js";
import { t } from "./words.js";

const SHOWN = 30;

/** The list of touched pieces in `root`. */
export class Touched {
  constructor(root, desk) {
    Object.assign(this, { root, desk });
    this.list = html("ol", "touched");
    this.message = html("p", "refused");
    this.message.setAttribute("role", "alert");
    root.append(this.list, this.message);
  }

  /** Asks for the touches of `game` on `board`, and shows them; newest first. */
  async load(board, game) {
    const query = new URLSearchParams({ board, types: "piece-touched", limit: String(SHOWN) });
    if (game) query.set("game", game);
    const found = await this.desk.ask(`history?${query}`).catch(() => ({ events: [] }));
    this.show(board, found.events);
  }

  show(board, events) {
    const rows = events.filter((event) => event.status !== "withdrawn");
    if (rows.length === 0) {
      this.list.replaceChildren(html("li", "quiet", t("touched.none")));
      return;
    }
    this.list.replaceChildren(...rows.map((event) => this.row(board, event)));
  }

  row(board, event) {
    const letter = menOf(event.fen_before)?.get(event.square);
    const item = html("li", "");
    const piece = letter ? t(`piece.${kindOf(letter)}`) : "";
    const seconds = `${((event.dwell_ms ?? 0) / 1000).toFixed(1)} s`;
    const told = [t(`side.${event.player ?? event.side}`), [piece, this.desk.san(event.square)].filter(Boolean).join(" "), seconds];
    if (event.turn === "off") told.push(t(event.player ? "touched.off_of_four" : "touched.off"));
    item.append(
      html("span", "time", timeOf(event.at)),
      html("span", "words", told.join(" · ")),
    );
    if (event.status === "rejected") item.append(html("span", "tag", t("touched.struck")));
    else if (this.desk.session.is("arbiter")) item.append(this.strike(board, event, `${piece} ${this.desk.san(event.square)}`));
    return item;
  }

  // The arbiter saw that it was no touch: it does not count.
  strike(board, event, piece) {
    const button = html("button", "plain", t("touched.strike"));
    button.type = "button";
    button.setAttribute("aria-label", t("touched.strike_which", { piece }));
    button.addEventListener("click", async () => {
      this.message.textContent = "";
      try {
        await this.desk.rule(board, { name: "strike-touch", seq: event.seq });
        button.disabled = true;
        this.desk.say(t("touched.struck_now"));
      } catch (problem) {
        this.message.textContent = problem.detail || problem.message;
      }
    });
    return button;
  }
}
