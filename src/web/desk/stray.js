// Games that are played and belong to no round: the desk asks whether theirs shall be opened.

import { html } from "/assets/dom.js";
import { isLive, pliesOf } from "/assets/state.js";

// Pairings may come while they are played: so often is it asked whether a round waits for them.
const AGAIN_MS = 10_000;

/** The question, in `element`. */
export class Stray {
  constructor(desk) {
    this.desk = desk;
    this.key = "";
    this.asked_at = -Infinity;
    this.element = Object.assign(html("p", "stray"), { hidden: true });
    this.element.setAttribute("role", "status");
    this.text = html("span", "");
    this.opens = Object.assign(html("button", "first"), { type: "button" });
    this.opens.addEventListener("click", () => this.open());
    this.element.append(this.text, this.opens);
  }

  /** Looks at the boards. */
  look() {
    const boards = [...this.desk.state.boards.values()].filter(({ game }) => isLive(game) && pliesOf(game) > 0 && !game.round);
    const names = boards.map(({ board }) => board);
    const key = names.join();
    const isOld = names.length > 0 && performance.now() - this.asked_at > AGAIN_MS;
    if (key === this.key && !isOld) return;
    this.key = key;
    this.ask(names);
  }

  async ask(names) {
    this.asked_at = performance.now();
    const { next } = names.length > 0 ? await this.desk.ask("round").catch(() => ({})) : {};
    if (this.key !== names.join()) return;
    const theirs = names.filter((name) => next?.games[name]).length;
    this.next = theirs > 0 ? next : null;
    this.element.hidden = !this.next;
    if (!this.next) return;
    const { t, session } = this.desk;
    const { round } = this.next;
    this.text.textContent = t("stray", { n: theirs, count: theirs, round });
    this.opens.textContent = t("pairings.open_round", { round });
    this.opens.hidden = !session.is("operator");
  }

  async open() {
    const { ask, say, t } = this.desk;
    const { round } = this.next;
    try {
      await ask(`rounds/${round}/open`, { method: "POST" });
      say(t("pairings.round_open", { round }));
      this.element.hidden = true;
    } catch (problem) {
      say(problem.message);
    }
  }
}
