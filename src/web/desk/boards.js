// The boards as devices: whether each is heard, where it is, what is wrong with it; added, changed, taken away.

import { html } from "/assets/dom.js";

export const styles = ["boards.css"];

// The list is asked for so often while it is shown; ages go on by themselves in between.
const ASK_MS = 2_000;
const TICK_MS = 1_000;

const FIELDS = ["id", "port", "serial", "protocol"];

export function create(root, desk) {
  return new Boards(root, desk);
}

class Boards {
  constructor(root, desk) {
    this.desk = desk;
    this.rows = new Map();
    const { t } = desk;
    this.title = t("boards.title");
    this.counts = html("p", "counts");
    this.counts.setAttribute("role", "status");
    this.problem = html("p", "problem");
    this.problem.setAttribute("role", "alert");
    const button = (words, run) => {
      const one = Object.assign(html("button", "", t(words)), { type: "button" });
      one.addEventListener("click", run);
      return one;
    };
    const head = html("div", "boards-head");
    const text = html("div", "");
    text.append(html("h2", "", this.title), this.counts);
    this.add = button("boards.add", () => this.edit(null, this.add));
    this.add.className = "first";
    this.reload = button("boards.reload", () => this.read());
    head.append(text, this.reload, this.add);
    this.list = html("ul", "boards-list");
    this.list.setAttribute("aria-label", this.title);
    this.empty = html("p", "empty", t("boards.none"));
    this.empty.hidden = true;
    this.makeForm();
    root.append(head, this.problem, this.list, this.empty, this.dialog);
    this.keys = { a: { words: "boards.keys.add", run: () => this.edit(null, this.add) } };
  }

  makeForm() {
    const { t } = this.desk;
    this.dialog = html("dialog", "board-form");
    this.form = html("form", "");
    this.formTitle = html("h2", "");
    this.formTitle.id = "board-form-title";
    this.dialog.setAttribute("aria-labelledby", this.formTitle.id);
    this.form.append(this.formTitle);
    this.ports = html("datalist", "");
    this.ports.id = "board-form-ports";
    for (const name of FIELDS) {
      const label = html("label", "", t(`boards.field.${name}`));
      const input = Object.assign(html("input", ""), { autocomplete: "off", spellcheck: false });
      input.setAttribute("autocapitalize", "off");
      this[name] = input;
      label.append(input);
      const hint = t(`boards.hint.${name}`);
      if (hint) {
        const node = html("span", "hint", hint);
        node.id = `board-form-${name}`;
        input.setAttribute("aria-describedby", node.id);
        label.append(node);
      }
      this.form.append(label);
    }
    Object.assign(this.id, { required: true, maxLength: 32 });
    this.port.setAttribute("list", this.ports.id);
    this.wrong = html("p", "problem");
    this.wrong.setAttribute("role", "alert");
    const close = Object.assign(html("button", "", t("boards.cancel")), { type: "button" });
    close.addEventListener("click", () => this.dialog.close());
    this.save = Object.assign(html("button", "first", t("boards.save")), { type: "submit" });
    const ends = html("div", "ends");
    ends.append(close, this.save);
    this.form.append(this.ports, this.wrong, ends);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.dialog.append(this.form);
    this.dialog.addEventListener("close", () => this.opener?.isConnected && this.opener.focus());
  }

  show() {
    this.fetch();
    this.asking = setInterval(() => this.fetch(), ASK_MS);
    this.ticking = setInterval(() => this.tick(), TICK_MS);
  }

  close() {
    clearInterval(this.asking);
    clearInterval(this.ticking);
    if (this.dialog.open) this.dialog.close();
  }

  update() {}

  async fetch() {
    const { ask, t } = this.desk;
    try {
      this.boards = await ask("boards");
      this.asked = performance.now();
      if (this.unknown) this.problem.textContent = "";
      this.unknown = false;
    } catch (problem) {
      this.unknown = true;
      this.problem.textContent = t("boards.unknown", { why: problem.message });
      return;
    }
    this.draw();
  }

  draw() {
    const names = new Set(this.boards.map(({ board }) => board));
    for (const [name, row] of this.rows) {
      if (names.has(name)) continue;
      row.element.remove();
      this.rows.delete(name);
    }
    this.boards.forEach((board, at) => {
      if (!this.rows.has(board.board)) this.rows.set(board.board, new Row(board.board, this));
      const row = this.rows.get(board.board);
      row.show(board);
      if (this.list.children[at] !== row.element) this.list.insertBefore(row.element, this.list.children[at] ?? null);
    });
    this.empty.hidden = this.boards.length > 0;
    this.count();
    this.tick();
  }

  count() {
    const { t } = this.desk;
    const of = (state) => this.boards.filter((board) => board.state === state).length;
    const parts = ["fresh", "stale", "lost", "waiting"].map((state) => [state, of(state)]).filter(([, n]) => n > 0);
    const text = parts.map(([state, n]) => t(`boards.count.${state}`, { n, count: n })).join(" · ");
    if (this.counts.textContent !== text) this.counts.textContent = text;
  }

  tick() {
    const passed = performance.now() - (this.asked ?? performance.now());
    for (const row of this.rows.values()) row.tick(passed);
  }

  /** Opens the form for `board`, or for a new one. */
  async edit(board, opener) {
    const { ask, t } = this.desk;
    this.edited = board;
    this.opener = opener;
    this.wrong.textContent = "";
    this.formTitle.textContent = board ? t("boards.change_of", { board: board.board }) : t("boards.add");
    this.id.value = board?.board ?? "";
    this.port.value = board ? board.port ?? "auto" : "";
    this.serial.value = board?.serial ?? "";
    this.protocol.value = "";
    this.protocol.placeholder = board?.protocol ?? "";
    this.dialog.showModal();
    this.id.focus();
    const ports = await ask("ports").catch(() => []);
    this.ports.replaceChildren(new Option("auto"), ...ports.map(({ port }) => new Option(port)));
  }

  // What was not changed is not sent.
  async send() {
    const { ask, say, t } = this.desk;
    const before = this.edited;
    const known = before ? { id: before.board, port: before.port ?? "auto", serial: before.serial ?? "", protocol: "" } : {};
    const body = {};
    for (const name of FIELDS) {
      const value = this[name].value.trim();
      if (value !== (known[name] ?? "")) body[name] = value;
    }
    if (before && Object.keys(body).length === 0) return this.dialog.close();
    this.save.disabled = true;
    this.wrong.textContent = "";
    try {
      const path = before ? `boards/${encodeURIComponent(before.board)}` : "boards";
      const { remarks } = await ask(path, { method: before ? "PATCH" : "POST", body });
      this.dialog.close();
      say([t(before ? "boards.changed" : "boards.added", { board: this.id.value.trim() }), ...remarks].join(" "));
      await this.fetch();
    } catch (problem) {
      this.wrong.textContent = problem.message;
    } finally {
      this.save.disabled = false;
    }
  }

  /** Takes a board away; answers why it was not, if it could be forced. */
  async remove(board, force) {
    const { ask, say, t } = this.desk;
    this.problem.textContent = "";
    try {
      await ask(`boards/${encodeURIComponent(board)}${force ? "?force=true" : ""}`, { method: "DELETE" });
      say(t("boards.removed", { board }));
      await this.fetch();
      this.add.focus();
      return false;
    } catch (problem) {
      this.problem.textContent = problem.message;
      return problem.status === 409;
    }
  }

  async read() {
    const { ask, say, t } = this.desk;
    this.problem.textContent = "";
    try {
      const { added, removed, moved, reopened, remarks, restart } = await ask("reload", { method: "POST" });
      const n = [added, removed, moved, reopened].reduce((sum, boards) => sum + boards.length, 0);
      const again = restart.length > 0 ? [t("boards.restart", { keys: restart.join(", ") })] : [];
      say([t("boards.reloaded", { n, count: n }), ...remarks, ...again].join(" "));
      await this.fetch();
    } catch (problem) {
      this.problem.textContent = problem.message;
    }
  }
}

class Row {
  constructor(name, view) {
    this.view = view;
    const { t } = view.desk;
    this.element = html("li", "board-row");
    this.name = html("a", "board-name", name);
    this.name.href = `#/board/${encodeURIComponent(name)}`;
    this.state = html("strong", "board-state");
    this.age = html("span", "board-age");
    this.facts = html("dl", "board-facts");
    this.reason = html("p", "board-reason");
    const button = (words, label, run) => {
      const one = Object.assign(html("button", "", t(words)), { type: "button" });
      one.setAttribute("aria-label", t(label, { board: name }));
      one.addEventListener("click", run);
      return one;
    };
    this.change = button("boards.change", "boards.change_of", () => view.edit(this.board, this.change));
    this.remove = button("boards.remove", "boards.remove_of", () => this.press());
    this.remove.addEventListener("blur", () => this.rest());
    const acts = html("div", "board-acts");
    acts.append(this.change, this.remove);
    const head = html("div", "board-head");
    head.append(this.name, this.state, this.age);
    this.element.append(head, this.facts, this.reason, acts);
  }

  show(board) {
    const { t } = this.view.desk;
    this.board = board;
    this.element.dataset.state = board.state;
    this.state.textContent = t(`boards.state.${board.state}`);
    const facts = [
      ["port", board.port ?? t("boards.nowhere")], ["serial", board.serial], ["protocol", board.protocol],
      ["origin", board.origin && t(`boards.origin.${board.origin}`)],
    ].filter(([, value]) => value);
    const text = JSON.stringify(facts);
    if (text !== this.shown) {
      this.shown = text;
      this.facts.replaceChildren(...facts.map(([name, value]) => {
        const pair = html("div", "");
        pair.append(html("dt", "", t(`boards.fact.${name}`)), html("dd", "", value));
        return pair;
      }));
    }
    if (this.reason.textContent !== (board.reason ?? "")) this.reason.textContent = board.reason ?? "";
  }

  tick(passed) {
    const { t } = this.view.desk;
    const { age_ms } = this.board;
    this.age.textContent = age_ms == null ? "" : t("boards.age", { time: span(age_ms + passed, t) });
  }

  // A second press does it; a third one, where a game is in the way, does it all the same.
  async press() {
    const { t } = this.view.desk;
    const sure = this.remove.dataset.sure;
    if (!sure) return this.ask("yes", t("boards.sure"));
    const refused = await this.view.remove(this.board.board, sure === "force");
    if (refused) this.ask("force", t("boards.force"));
    else this.rest();
  }

  ask(sure, words) {
    this.remove.dataset.sure = sure;
    this.remove.textContent = words;
    this.remove.setAttribute("aria-label", `${words}: ${this.board.board}`);
  }

  rest() {
    const { t } = this.view.desk;
    delete this.remove.dataset.sure;
    this.remove.textContent = t("boards.remove");
    this.remove.setAttribute("aria-label", t("boards.remove_of", { board: this.board.board }));
  }
}

function span(ms, t) {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return t("boards.seconds", { n: seconds });
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? t("boards.minutes", { n: minutes }) : t("boards.hours", { n: Math.floor(minutes / 60) });
}
