// The players of a pairing put right, and its board chosen, in a dialog.

import { html } from "/assets/dom.js";
import { allPlayers } from "/assets/turns.js";
import { resultText } from "/assets/words.js";
import { grammarOf } from "./ruling.js";

const FIELDS = [["name", "text"], ["title", "text"], ["elo", "number"], ["fide_id", "number"], ["federation", "text"], ["team", "text"]];

export class Correction {
  /** `done()` is called when something was changed. */
  constructor(desk, done) {
    this.desk = desk;
    this.done = done;
    const { t } = desk;
    this.element = html("dialog", "correction");
    this.element.setAttribute("aria-labelledby", "correction-title");
    this.form = html("form", "");
    this.heading = html("h2", "");
    this.heading.id = "correction-title";
    this.board = html("select", "");
    const board = html("label", "", t("pairings.field.board"));
    board.append(this.board);
    this.place = board;
    this.result = html("select", "correction-result");
    this.outcome = html("label", "", t("pairings.field.result"));
    this.outcome.append(this.result);
    this.until = Object.assign(html("input", "correction-until"), { type: "text", autocomplete: "off", maxLength: 100 });
    this.later = html("label", "", t("pairings.field.postponed"));
    this.later.append(this.until);
    this.inputs = { red: {}, blue: {}, white: {}, black: {} };
    this.sides = Object.fromEntries(Object.keys(this.inputs).map((player) => [player, this.side(player)]));
    const sides = html("div", "correction-sides");
    sides.append(...Object.values(this.sides));
    this.problem = html("p", "problem");
    this.problem.setAttribute("role", "alert");
    const save = Object.assign(html("button", "first", t("pairings.save")), { type: "submit" });
    const cancel = Object.assign(html("button", "", t("pairings.cancel")), { type: "button" });
    cancel.addEventListener("click", () => this.element.close());
    const acts = html("p", "correction-acts");
    acts.append(save, cancel);
    this.form.append(this.heading, sides, board, this.later, this.outcome, this.problem, acts);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    this.element.append(this.form);
    this.element.addEventListener("close", () => done());
  }

  side(side) {
    const { t } = this.desk;
    const group = html("fieldset", "", "", { side });
    group.append(html("legend", "", t(`side.${side}`)));
    for (const [field, type] of FIELDS) {
      const label = html("label", "", t(`pairings.field.${field}`));
      const input = Object.assign(html("input", "", "", { field }), { type, autocomplete: "off", spellcheck: false });
      if (type === "number") Object.assign(input, { min: 0, inputMode: "numeric" });
      this.inputs[side][field] = input;
      label.append(input);
      group.append(label);
    }
    return group;
  }

  open(pairing, boards) {
    const { t } = this.desk;
    this.pairing = pairing;
    this.heading.textContent = t("pairings.correct_title", { game: pairing.game });
    const isBye = pairing.result === "bye";
    this.players = allPlayers(pairing);
    for (const [player, group] of Object.entries(this.sides)) {
      group.hidden = !this.players.includes(player) || (isBye && player === "black");
      for (const [field] of FIELDS) this.inputs[player][field].value = pairing[player]?.[field] ?? "";
    }
    this.place.hidden = isBye || pairing.state !== "waiting" || Boolean(pairing.result);
    this.board.replaceChildren(...boards.map((board) => new Option(board, board, false, board === pairing.board)));
    this.problem.textContent = "";
    // Postponed without a word when is postponed all the same.
    this.postponed = pairing.state === "postponed" ? pairing.postponed || "?" : "";
    this.until.value = this.postponed;
    this.later.hidden = isBye || !["waiting", "postponed"].includes(pairing.state) || !this.desk.session.is("arbiter");
    this.offerResults(isBye);
    this.element.showModal();
    this.inputs[this.players[0]].name.focus();
  }

  // A result is a fact of the game: it can be given or changed whenever it was played, by whoever may.
  async offerResults(isBye) {
    const { pairing } = this;
    this.outcome.hidden = true;
    if (isBye || pairing.state === "playing") return;
    const grammar = await grammarOf(this.desk).catch(() => []);
    this.ruling = grammar.find(({ name }) => name === (pairing.result ? "change-result" : "result"));
    if (pairing !== this.pairing || !this.ruling?.roles.includes(this.desk.session.role)) return;
    const values = this.ruling.arguments.find(({ name }) => name === "value").values;
    const none = pairing.result ? [] : [new Option("–", "")];
    this.result.replaceChildren(...none, ...values.map((value) => new Option(resultText(value), value, false, value === pairing.result)));
    this.outcome.hidden = false;
  }

  player(side) {
    const value = ([field, type]) => {
      const text = this.inputs[side][field].value.trim();
      return [field, text === "" ? null : type === "number" ? Number(text) : text];
    };
    return Object.fromEntries(FIELDS.map(value));
  }

  async save() {
    const { ask, say, t } = this.desk;
    const { game, board, round } = this.pairing;
    const body = Object.fromEntries(this.players.map((player) => [player, this.player(player)]));
    this.problem.textContent = "";
    try {
      await ask(`pairings/${encodeURIComponent(game)}`, { method: "PUT", body });
      if (!this.place.hidden && this.board.value !== board) {
        await ask(`rounds/${round}/boards`, { method: "PUT", body: { [game]: this.board.value } });
      }
      const until = this.until.value.trim();
      if (!this.later.hidden && until !== this.postponed) {
        const ruling = until === "" ? { name: "resume-game" } : { name: "postpone-game", until };
        await ask(`games/${encodeURIComponent(game)}/rulings`, { method: "POST", body: ruling });
      }
      if (!this.outcome.hidden && this.result.value && this.result.value !== this.pairing.result) {
        await ask(`games/${encodeURIComponent(game)}/rulings`, { method: "POST", body: { name: this.ruling.name, value: this.result.value } });
      }
      this.element.close();
      say(t("pairings.saved", { game }));
    } catch (problem) {
      this.problem.textContent = problem.message;
    }
  }
}
