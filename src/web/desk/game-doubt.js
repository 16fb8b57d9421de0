// What an uncertain move may have been, and the arbiter's word that settles it.

import { html } from "/assets/dom.js";
import { numberAt } from "./record-values.js";
import { t } from "./words.js";

/** The explanations in `root`, shown only while there is a doubt. */
export class Doubt {
  constructor(root, desk) {
    this.desk = desk;
    this.element = html("section", "desk-card doubt");
    this.element.setAttribute("role", "status");
    root.append(this.element);
  }

  /** Shows the doubt of `board`, or nothing. */
  show(board) {
    const { game, doubtful_ply: ply, alternatives } = board ?? {};
    const key = JSON.stringify([game?.game, ply, alternatives]);
    if (key === this.shown) return;
    this.shown = key;
    this.element.hidden = !game || !ply || !alternatives?.length;
    if (this.element.hidden) return this.element.replaceChildren();
    const number = numberAt(game, ply);
    const list = html("ol", "explanations");
    list.append(...alternatives.map((one) => this.row(board.board, ply, one)));
    this.message = html("p", "refused");
    this.message.setAttribute("role", "alert");
    this.element.replaceChildren(html("h3", "", t("game.doubt")), html("p", "said", t("game.doubt_words", { number })), list, this.message);
  }

  row(board, ply, { san, uci, chance }) {
    const item = html("li", "");
    const move = san ? this.desk.san(san) : t("game.none_of");
    const bar = html("span", "chance-bar");
    bar.style.setProperty("--chance", `${Math.round(100 * chance)}%`);
    item.append(html("span", "san", move), bar, html("span", "chance", `${Math.round(100 * chance)} %`));
    const given = uci ?? san;
    if (given && this.desk.session.is("operator")) item.append(this.confirm(board, ply, given, move));
    return item;
  }

  confirm(board, ply, uci, move) {
    const button = html("button", "plain", t("game.confirm", { move }));
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await this.desk.rule(board, { name: "confirm-move", ply, uci });
        this.message.textContent = "";
        this.desk.say(t("says.confirm-move", { after: "", move }).trim());
      } catch (problem) {
        this.message.textContent = problem.detail || problem.message;
      }
    });
    return button;
  }
}
