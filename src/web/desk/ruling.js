// The arbiter rules on a game: which rulings there are, a form for one, and what it will say.

import { html } from "/assets/dom.js";
import { argumentWords, field } from "./ruling-fields.js";
import { COMMON, ELSEWHERE, GROUPS } from "./ruling-kinds.js";
import { rulingWords } from "./ruling-words.js";
import { has, t } from "./words.js";

let grammar = null;

/** The rulings that there are, their arguments and who may make them. */
export function grammarOf(desk) {
  grammar ??= desk.ask("rulings").catch((problem) => { grammar = null; throw problem; });
  return grammar;
}

/** The panel in `root`; `context()` tells the board, the game, and what is shown of it. */
export class RulingPanel {
  constructor(root, desk, context) {
    Object.assign(this, { root, desk, context });
    root.classList.add("ruling-panel");
    this.message = html("p", "refused");
    this.message.setAttribute("role", "alert");
    this.body = html("div", "ruling-body");
    root.append(this.body, this.message);
  }

  async load() {
    try {
      const rows = await grammarOf(this.desk);
      this.rulings = new Map(rows.filter((row) => this.allows(row)).map((row) => [row.name, row]));
      this.menu();
    } catch (problem) {
      this.message.textContent = problem.detail || problem.message;
    }
  }

  allows({ group, roles }) {
    return roles.includes(this.desk.session.role) && !ELSEWHERE.includes(group);
  }

  /** Shows which rulings there are: the common ones, a field to find any of them, and the others by their groups. */
  menu() {
    this.chosen = null;
    const rows = [...this.rulings.values()];
    if (rows.length === 0) return this.body.replaceChildren(html("p", "quiet", t("ruling.none")));
    const others = rows.map((row) => row.group).filter((group) => !GROUPS.includes(group));
    const rare = (group) => rows.filter((row) => row.group === group && !COMMON.includes(row.name)).map((row) => row.name);
    const groups = [...GROUPS, ...new Set(others)].map((group) => {
      const names = rare(group);
      if (names.length === 0) return null;
      const details = html("details", "ruling-group");
      details.append(html("summary", "", has(`group.${group}`) ? t(`group.${group}`) : group), this.names(names));
      return details;
    });
    const shown = html("div", "rulings-by-group");
    shown.append(...groups.filter(Boolean));
    const common = this.names(COMMON.filter((name) => this.rulings.has(name)));
    common.classList.add("common");
    this.body.replaceChildren(common, this.finder(shown), shown);
  }

  names(names) {
    const list = html("div", "ruling-names");
    list.append(...names.map((name) => this.button(name)));
    return list;
  }

  // Any ruling by a part of what it is called; Enter takes the first.
  finder(groups) {
    this.find = Object.assign(html("input", "ruling-find"), {
      type: "search", placeholder: t("ruling.find"), autocomplete: "off", spellcheck: false,
    });
    this.find.setAttribute("aria-label", t("ruling.find"));
    const found = html("div", "rulings-found");
    found.setAttribute("aria-live", "polite");
    const matches = () => {
      const asked = this.find.value.trim().toLocaleLowerCase();
      const is = (name) => label(this.desk, name).toLocaleLowerCase().includes(asked) || name.includes(asked);
      return asked === "" ? null : [...this.rulings.keys()].filter(is);
    };
    this.find.addEventListener("input", () => {
      const names = matches();
      groups.hidden = names !== null;
      found.replaceChildren(...(names === null ? [] : [names.length > 0 ? this.names(names) : html("p", "quiet", t("ruling.none_found"))]));
    });
    this.find.addEventListener("keydown", (event) => {
      const [first] = (event.key === "Enter" && matches()) || [];
      if (!first) return;
      event.preventDefault();
      this.choose(first);
    });
    const finder = html("div", "ruling-finder");
    finder.append(this.find, found);
    return finder;
  }

  button(name) {
    const button = html("button", "", label(this.desk, name), { ruling: name });
    button.type = "button";
    button.addEventListener("click", () => this.choose(name));
    return button;
  }

  /** Shows the form of one ruling; `given` fills it in. */
  choose(name) {
    const row = this.rulings.get(name);
    this.chosen = name;
    this.message.textContent = "";
    const form = html("form", "ruling-form");
    const head = html("div", "ruling-form-head");
    const back = html("button", "", t("ruling.back"));
    back.type = "button";
    back.append(" ", html("kbd", "", "Esc"));
    back.addEventListener("click", () => this.back());
    head.append(html("h4", "", label(this.desk, name)), back);
    const context = { desk: this.desk, ...this.context() };
    this.preview = html("p", "preview");
    this.preview.setAttribute("aria-live", "polite");
    this.submit = html("button", "first", t("ruling.make"));
    this.fields = row.arguments.map((argument) => field(name, argument, context, () => this.say()));
    form.append(head, ...this.fields.map((one) => one.element), this.preview, this.submit);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.make();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.back();
    });
    this.body.replaceChildren(form);
    this.say();
    if (this.fields.length > 0) this.fields[0].focus();
    else this.submit.focus();
  }

  back() {
    const name = this.chosen;
    this.menu();
    const button = [...this.body.querySelectorAll("button")].find((one) => one.textContent === label(this.desk, name));
    button?.focus();
  }

  /** The ruling as the form has it, or what is missing. */
  read() {
    const ruling = { name: this.chosen };
    const missing = [];
    for (const { name, optional, value } of this.fields) {
      const given = value();
      if (given != null && given !== "") ruling[name] = given;
      else if (!optional) missing.push(argumentWords(name, this.context().game));
    }
    return { ruling, missing };
  }

  say() {
    const { ruling, missing } = this.read();
    const text = missing.length > 0
      ? t("ruling.missing", { what: missing.join(", ") })
      : t("ruling.will", { what: rulingWords(this.desk, ruling, this.context().game) });
    if (this.preview.textContent !== text) this.preview.textContent = text;
    this.preview.classList.toggle("quiet", missing.length > 0);
    this.submit.setAttribute("aria-disabled", String(missing.length > 0));
  }

  async make() {
    const { ruling, missing } = this.read();
    if (missing.length > 0 || this.busy) return;
    this.busy = true;
    this.message.textContent = "";
    const { board, game } = this.context();
    const words = rulingWords(this.desk, ruling, game);
    try {
      await this.desk.rule(board, ruling, game);
      this.desk.say(t("ruling.made", { what: words }));
      this.onmade?.(ruling);
      this.back();
    } catch (problem) {
      this.message.textContent = problem.detail || problem.message;
    } finally {
      this.busy = false;
    }
  }

  /** Puts the focus where a ruling is found by its name. */
  findRuling() {
    if (this.chosen) this.back();
    this.find?.focus();
  }

  /** Puts the focus on the first ruling. */
  focus() {
    this.body.querySelector("button, input, select")?.focus();
  }
}

function label(desk, name) {
  return has(`do.${name}`) ? t(`do.${name}`) : desk.name(name);
}
