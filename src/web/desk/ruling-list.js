// Rulings that were made, newest first, each with its undoing.

import { html } from "/assets/dom.js";
import { t } from "./words.js";
import { timeOf } from "./replay.js";
import { rulingWords } from "./ruling-words.js";

/** A button that undoes `ruling` on its board, after one more key; `failed(text)` takes a refusal. */
export function undoButton(desk, ruling, failed) {
  const button = html("button", "undo plain", t("ruling.undo"));
  button.type = "button";
  let asked = false;
  const rest = () => {
    asked = false;
    button.textContent = t("ruling.undo");
    button.classList.remove("first");
  };
  button.addEventListener("blur", rest);
  button.addEventListener("click", async () => {
    if (!asked) {
      asked = true;
      button.textContent = t("ruling.undo_sure");
      button.classList.add("first");
      return;
    }
    rest();
    try {
      await desk.rule(ruling.board, { name: "undo", ruling: ruling.seq });
      desk.say(t("ruling.undone_now"));
    } catch (problem) {
      failed(problem.detail || problem.message);
    }
  });
  return button;
}

/** The rulings of a board or a record in `root`. */
export class RulingList {
  constructor(root, desk) {
    Object.assign(this, { root, desk });
    this.message = html("p", "refused");
    this.message.setAttribute("role", "alert");
    this.list = html("ol", "ruling-list");
    root.append(this.list, this.message);
  }

  /** Shows `rulings`, newest first; `recordOf(number)` knows what they are about. */
  show(rulings, game, recordOf = () => null) {
    const isArbiter = this.desk.session.is("arbiter");
    this.list.replaceChildren(...rulings.map((ruling) => {
      const item = html("li", "", "", { ruling: ruling.name, seq: ruling.seq });
      item.classList.toggle("gone", ruling.undone);
      const about = recordOf(ruling.record);
      const words = html("span", "words", rulingWords(this.desk, ruling, game, about, rulings));
      const who = html("span", "who-when", [timeOf(ruling.at), ruling.by].filter(Boolean).join(" · "));
      item.append(words, who);
      if (ruling.undone) item.append(html("span", "tag", t("ruling.undone")));
      // An undoing is not undone: the ruling is made again.
      else if (isArbiter && !["undo", "note"].includes(ruling.name)) {
        item.append(undoButton(this.desk, ruling, (text) => { this.message.textContent = text; }));
      }
      return item;
    }));
  }
}
