// The boards that were found get their names: whose king is lifted next is the next one.

import { html } from "/assets/dom.js";

// The list is asked for so often while it is shown.
const ASK_MS = 2_000;

// Whoever lifts a king holds it so long at least; the sensor of one that stands there may flicker.
const HELD_MS = 400;

// Where kings and what may lie in their place stand, on a board that feels no pieces, whichever way it lies.
const KINGS = ["d1", "e1", "d8", "e8"];

const byName = new Intl.Collator("en", { numeric: true }).compare;

/** A list of boards to be named; `changed()` is called when a name is another one. */
export function create(root, desk, changed) {
  return new Naming(root, desk, changed);
}

class Naming {
  constructor(root, desk, changed) {
    Object.assign(this, { root, desk, changed });
    const { t } = desk;
    this.rows = new Map();
    this.added = 0;
    this.lift = html("p", "lift");
    this.lift.setAttribute("role", "status");
    this.list = html("ul", "found");
    this.list.setAttribute("aria-labelledby", "set-up-boards");
    this.left = html("p", "hint");
    // Ports that are not asked by themselves: what is there may be anybody's.
    this.ports = html("div", "ports");
    root.append(html("p", "hint", t("set_up.boards_what")), this.lift, this.list, this.left, this.ports);
  }

  show() {
    this.close();
    this.fetch();
    this.asking = setInterval(() => this.fetch(), ASK_MS);
  }

  close() {
    clearInterval(this.asking);
    for (const { held } of this.rows.values()) clearTimeout(held);
  }

  async fetch() {
    const [boards, ports] = await Promise.all(["boards", "ports"].map((path) => this.desk.ask(path).catch(() => null)));
    if (boards === null) return;
    this.offer(ports ?? []);
    for (const [name, row] of this.rows) if (!boards.some(({ board }) => board === name)) this.drop(name, row);
    for (const board of boards) {
      if (!this.rows.has(board.board)) this.add(board.board);
      this.tell(this.rows.get(board.board), board);
    }
    this.draw();
  }

  // A port is asked once somebody says that a board is there.
  offer(ports) {
    const unasked = ports.filter(({ state }) => state === "not-asked").map(({ port, device }) => ({ port, name: device ?? port }));
    const known = [...this.ports.querySelectorAll("button")].map((button) => button.value);
    if (unasked.map(({ port }) => port).join() === known.join()) return;
    const { t } = this.desk;
    this.ports.replaceChildren(...unasked.map(({ port, name }) => {
      const button = Object.assign(html("button", "", t("set_up.ask", { port: name })), { type: "button", value: port });
      button.addEventListener("click", () => this.ask(button, port, name));
      return button;
    }));
    if (unasked.length > 0) this.ports.prepend(html("p", "hint", t("set_up.ask_what")));
  }

  async ask(button, port, name) {
    button.disabled = true;
    try {
      await this.desk.ask("boards", { method: "POST", body: { id: name.split("/").pop(), port } });
      await this.fetch();
    } catch (problem) {
      this.desk.say(problem.message);
      button.disabled = false;
    }
  }

  add(board) {
    const { t } = this.desk;
    const row = { board, element: html("li", ""), input: html("input", ""), facts: html("span", "hint") };
    const label = html("label", "", t("set_up.board_name"));
    Object.assign(row.input, { maxLength: 32, autocomplete: "off", spellcheck: false });
    row.facts.id = `set-up-board-${++this.added}`;
    row.input.setAttribute("aria-describedby", row.facts.id);
    row.input.dataset.board = board;
    row.input.addEventListener("input", () => {
      row.byHand = true;
      this.draw();
    });
    label.append(row.input);
    row.element.append(label, row.facts);
    this.rows.set(board, row);
    this.list.append(row.element);
    this.changed();
  }

  drop(name, row) {
    clearTimeout(row.held);
    row.element.remove();
    this.rows.delete(name);
    this.changed();
  }

  tell(row, { serial, port, state }) {
    const { t } = this.desk;
    const number = serial ? t("set_up.number", { serial }) : "";
    const heard = state === "fresh" ? "" : t("set_up.not_heard");
    row.facts.textContent = [number, port, heard].filter(Boolean).join(" · ");
  }

  draw() {
    const { t } = this.desk;
    const rows = [...this.rows.values()];
    const nameless = rows.filter((row) => !row.input.value.trim()).length;
    const say = (node, text) => { if (node.textContent !== text) node.textContent = text; };
    if (rows.length === 0) say(this.lift, t("set_up.none"));
    else if (nameless > 0) say(this.lift, t("set_up.lift", { name: this.next() }));
    else say(this.lift, t("set_up.all_named"));
    say(this.left, nameless === rows.length || nameless === 0 ? "" : t("set_up.left_out", { n: nameless, count: nameless }));
  }

  // The lowest number that no board has.
  next() {
    const taken = new Set([...this.rows.values()].map((row) => row.input.value.trim()));
    let name = 1;
    while (taken.has(String(name))) name += 1;
    return String(name);
  }

  update({ events }) {
    for (const event of events) {
      const row = isKing(event) ? this.rows.get(event.board) : null;
      if (!row) continue;
      clearTimeout(row.held);
      if (event.type === "piece-lifted") row.held = setTimeout(() => this.lifted(row), HELD_MS);
    }
  }

  // A board that has a name keeps it, and only shows which one it is. So does one whose name was taken away by hand:
  // it was lifted by mistake, or its sensor is sick.
  lifted(row) {
    for (const { element } of this.rows.values()) element.classList.toggle("lifted", element === row.element);
    if (row.byHand || row.input === document.activeElement || row.input.value.trim()) return;
    row.input.value = this.next();
    this.draw();
    this.changed();
  }

  /** The boards that have a name, in the order of the names. */
  named() {
    const boards = [...this.rows.values()].map(({ board, input }) => ({ board, id: input.value.trim() }));
    return boards.filter(({ id }) => id).sort((one, other) => byName(one.id, other.id));
  }
}

function isKing({ type, piece, square }) {
  if (type !== "piece-lifted" && type !== "piece-placed") return false;
  return piece ? piece.toLowerCase() === "k" : KINGS.includes(square);
}
