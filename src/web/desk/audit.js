// What was done at the desk, and by whom: the newest first.

import { html } from "/assets/dom.js";
import { has, when } from "./words.js";

const FIRST = 25;
const MORE = 200;

export function create(root, desk) {
  return new Audit(root, desk);
}

class Audit {
  constructor(root, desk) {
    this.desk = desk;
    const { t } = desk;
    this.limit = FIRST;
    this.table = html("table", "audit");
    const heads = html("tr", "");
    for (const name of ["at", "who", "action", "outcome"]) {
      heads.append(Object.assign(html("th", "", t(`audit.${name}`)), { scope: "col" }));
    }
    const head = html("thead", "");
    head.append(heads);
    this.body = html("tbody", "");
    this.table.append(head, this.body);
    this.more = Object.assign(html("button", "", t("audit.more")), { type: "button" });
    this.more.addEventListener("click", () => {
      this.limit = MORE;
      this.show();
    });
    this.problem = html("p", "problem");
    this.problem.setAttribute("role", "alert");
    const frame = html("div", "audit-frame");
    // Wider than a telephone, it is gone through with the keys.
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", t("settings.audit"));
    frame.append(this.table);
    root.append(html("p", "hint", t("audit.what")), frame, this.more, this.problem);
  }

  async show() {
    const { ask } = this.desk;
    this.problem.textContent = "";
    try {
      const entries = await ask(`audit?limit=${this.limit}`);
      this.body.replaceChildren(...entries.map((entry) => this.row(entry)));
      this.more.hidden = this.limit >= MORE || entries.length < this.limit;
    } catch (problem) {
      this.problem.textContent = problem.message;
    }
  }

  row({ at, who, role, address, action, outcome, detail }) {
    const { t } = this.desk;
    const row = html("tr", outcome === "ok" ? "" : "refused");
    const cell = (text, ...more) => {
      const node = html("td", "", text);
      node.append(...more.filter(Boolean).map((one) => html("span", "hint", one)));
      row.append(node);
    };
    const word = (key) => (has(key) ? t(key) : key.split(".").at(-1));
    cell(when(at));
    cell(who ?? t("audit.nobody"), [role ? t(`roles.${role}`) : "", address ?? t("audit.command_line")].filter(Boolean).join(" · "));
    cell(word(`audit.actions.${action}`), typeof detail === "object" && detail ? JSON.stringify(detail) : detail);
    cell(word(`audit.outcomes.${outcome}`));
    return row;
  }
}
