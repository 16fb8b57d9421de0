// A file of pairings: chosen or dropped, shown with what it would change, taken over or not.

import { html } from "/assets/dom.js";
import { allPlayers } from "/assets/turns.js";
import { sideNames } from "./pairings-row.js";

// More changes than anybody reads are counted.
const SHOWN = 300;

// What pairing programs write where it is not UTF-8, by the part of the world.
const ENCODINGS = ["windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1257"];

export class Import {
  /** `done()` is called when pairings were imported. */
  constructor(desk, done) {
    this.desk = desk;
    this.done = done;
    this.element = html("section", "import");
    const { t } = desk;
    this.drop = html("div", "drop");
    const choose = html("label", "choose-file");
    this.input = Object.assign(html("input", ""), { type: "file", accept: ".pgn,.trf,.trfx,.txt,.csv,.xlsx" });
    choose.append(html("span", "", t("pairings.choose")), this.input);
    const round = html("label", "only-round", t("pairings.only_round"));
    this.round = Object.assign(html("input", ""), { type: "number", min: 1, max: 9999, inputMode: "numeric" });
    round.append(this.round);
    const encoding = html("label", "only-round", t("pairings.encoding"));
    this.encoding = html("select", "");
    this.encoding.append(...["", ...ENCODINGS].map((name) => Object.assign(html("option", "", name || t("pairings.encoding_found")), { value: name })));
    encoding.append(this.encoding);
    this.drop.append(choose, html("p", "hint", t("pairings.formats")), round, encoding);
    this.shown = html("div", "preview");
    this.shown.setAttribute("role", "status");
    this.problem = html("p", "problem");
    this.problem.setAttribute("role", "alert");
    this.element.setAttribute("aria-label", t("pairings.import"));
    this.element.append(this.drop, this.problem, this.shown);
    this.input.addEventListener("change", () => this.take(this.input.files[0]));
    for (const field of [this.round, this.encoding]) field.addEventListener("change", () => this.take(this.file));
    this.takeDrops();
  }

  takeDrops() {
    const { drop } = this;
    const has = (event) => [...event.dataTransfer.types].includes("Files");
    for (const kind of ["dragenter", "dragover"]) {
      drop.addEventListener(kind, (event) => {
        if (!has(event)) return;
        event.preventDefault();
        drop.classList.add("over");
      });
    }
    drop.addEventListener("dragleave", (event) => {
      if (!drop.contains(event.relatedTarget)) drop.classList.remove("over");
    });
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      this.take(event.dataTransfer.files[0]);
    });
  }

  clear() {
    this.file = null;
    this.input.value = "";
    this.problem.textContent = "";
    this.shown.replaceChildren();
  }

  path(preview) {
    const query = new URLSearchParams({ preview, name: this.file.name });
    if (this.round.value) query.set("round", this.round.value);
    if (this.encoding.value) query.set("encoding", this.encoding.value);
    return `pairings?${query}`;
  }

  async take(file) {
    if (!file) return;
    this.file = file;
    this.shown.replaceChildren();
    const told = await this.send(true);
    if (told && this.file === file) this.preview(told);
  }

  // The file as it is; null if it was refused, and why is shown.
  async send(preview) {
    this.problem.textContent = "";
    this.element.setAttribute("aria-busy", "true");
    try {
      return await this.desk.ask(this.path(preview), { method: "POST", body: this.file });
    } catch (problem) {
      this.shown.replaceChildren();
      this.problem.textContent = `${this.file.name}: ${problem.message}`;
      return null;
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  preview({ changes, remarks }) {
    const { t } = this.desk;
    const count = (kind) => changes.filter((change) => change.kind === kind).length;
    const kinds = ["added", "changed", "withdrawn", "kept"].filter((kind) => count(kind) > 0);
    const head = changes.length === 0 ? t("pairings.no_changes") : kinds.map((kind) => t(`pairings.count.${kind}`, { count: count(kind), n: count(kind) })).join(", ");
    const list = html("ul", "changes");
    list.append(...changes.slice(0, SHOWN).map((change) => this.change(change)));
    if (changes.length > SHOWN) list.append(html("li", "hint", t("pairings.more", { n: changes.length - SHOWN })));
    const notes = html("ul", "remarks");
    notes.append(...remarks.map((remark) => html("li", "", remark)));
    const accept = Object.assign(html("button", "first", t("pairings.accept"), { act: "accept" }), { type: "button", disabled: changes.length === 0 });
    const cancel = Object.assign(html("button", "", t("pairings.cancel"), { act: "cancel" }), { type: "button" });
    accept.addEventListener("click", () => this.accept(accept));
    cancel.addEventListener("click", () => { this.clear(); this.input.focus(); });
    const acts = html("p", "preview-acts");
    acts.append(accept, cancel);
    const title = html("h3", "", this.file.name);
    title.append(html("span", "preview-count", head));
    this.shown.replaceChildren(title, acts, ...(remarks.length > 0 ? [notes] : []), ...(changes.length > 0 ? [list] : []));
  }

  change({ kind, game, what, before, after }) {
    const { t } = this.desk;
    const item = html("li", "change", "", { kind });
    item.append(html("span", "change-kind", t(`pairings.kind.${kind}`)), html("strong", "", game));
    const text = kind === "changed" ? differences(before, after, t) : null;
    item.append(html("span", "change-what", text ?? title(after ?? before, t)));
    item.title = what;
    return item;
  }

  async accept(button) {
    button.disabled = true;
    const told = await this.send(false);
    if (!told) return;
    this.desk.say(this.desk.t("pairings.imported", { name: this.file.name }));
    this.clear();
    this.done();
  }
}

function title(pairing, t) {
  if (pairing.result === "bye") return `${pairing.white.name ?? "?"} (${t("pairings.bye")})`;
  return `${sideNames(pairing, "white")} – ${sideNames(pairing, "black")}`;
}

// What differs, in the reader's language.
function differences(before, after, t) {
  const rows = [];
  const add = (words, one, other) => {
    if ((one ?? null) !== (other ?? null)) rows.push(`${words}: ${one ?? "–"} → ${other ?? "–"}`);
  };
  add(t("pairings.field.number"), before.number, after.number);
  if (before.board || after.board) add(t("pairings.field.board"), before.board ?? String(before.number), after.board ?? String(after.number));
  const place = (match) => (match ? `${match.number}.${match.board}` : null);
  add(t("pairings.field.match"), place(before.team_match), place(after.team_match));
  add(t("pairings.field.result"), before.result, after.result);
  for (const side of new Set([...allPlayers(before), ...allPlayers(after)])) {
    for (const field of ["name", "title", "elo", "fide_id", "federation", "team"]) {
      const words = field === "name" ? t(`side.${side}`) : t("pairings.of_side", { side: t(`side.${side}`), field: t(`pairings.field.${field}`) });
      add(words, before[side]?.[field], after[side]?.[field]);
    }
  }
  return rows.length > 0 ? rows.join("; ") : null;
}
