// What is printed: the report of an incident, and the scoresheet of a game.

import { html } from "/assets/dom.js";
import { installMen } from "/assets/pieces.js";
import { recordReport } from "./report-record.js";
import { scoresheet } from "./report-scoresheet.js";
import { t } from "./words.js";

export const styles = ["report.css"];

const PAPERS = { record: recordReport, scoresheet };

export function create(root, desk) {
  installMen();
  const bar = html("div", "report-bar");
  const print = html("button", "first", t("report.print"));
  print.type = "button";
  print.addEventListener("click", () => window.print());
  const back = html("a", "button", t("report.back"));
  const paper = html("article", "paper");
  const message = html("p", "refused");
  message.setAttribute("role", "alert");
  bar.append(back, print);
  root.append(bar, message, paper);
  let asked = null;
  let before = "";

  async function show({ of, id }) {
    asked = `${of}/${id}`;
    const mine = asked;
    before ||= document.title;
    message.textContent = "";
    try {
      const made = await PAPERS[of](desk, id);
      if (asked !== mine) return;
      paper.replaceChildren(...made.parts);
      back.href = made.back;
      document.title = made.title;
    } catch (problem) {
      paper.replaceChildren();
      message.textContent = problem.detail || problem.message;
    }
  }

  return {
    show,
    update() {},
    close() {
      asked = null;
      document.title = before;
    },
    keys: { "Shift+P": { run: () => window.print() } },
  };
}
