// What the arbiter decides about a record: confirm, reject, postpone, or carry out what is proposed. A click on the
// button that says all that it does confirms; everything else that changes a game asks once more.

import { html } from "/assets/dom.js";
import { has, t } from "./words.js";
import { SAID } from "./left.js";
import { timesText } from "./record-facts.js";
import { clockText, numberAt, valuesOf } from "./record-values.js";

// Rejecting one of these decides something in the game; rejecting another closes a question.
const DECIDED = ["claim", "outcome"];

// A second tap on what led to the record would land on its button within this.
const LOOK_MS = 500;

// What confirming a record carries out, as far as it is proposed.
const CARRIED_OUT = [
  "restore-position", "set-position", "transfer-position", "replace-by-queen", "castling-ban", "return-clock", "undo-press",
  "add-time-opponent", "reduce-time-offender", "increment-mode", "counter-correction", "clock-times", "annul-game", "declare-result",
];

// A record that was decided may have proposals left.
const HAS_LEFT = ["confirmed", "corrected"];

/** The words of a proposal: what its button says, and what exactly will happen. */
export function proposalWords(desk, proposal, game, others = []) {
  const values = { ...valuesOf(desk, proposal, game), change: changeText(proposal, others) };
  const of = (part) => {
    const key = `proposal.${proposal.type}.${part}`;
    return has(key) ? t(key, values) : "";
  };
  return { label: of("label") || desk.name(proposal.type), detail: of("detail") };
}

// `1:35:19 becomes 1:37:19`, of the times that are restored, if any are.
function changeText({ type, side, amount_ms, clock }, others) {
  const times = others.find((one) => one.type === "clock-times")?.then ?? clock;
  const was_ms = times?.[`${side}_ms`];
  if (was_ms == null || amount_ms == null) return "";
  const now_ms = Math.max(0, type === "reduce-time-offender" ? was_ms - amount_ms : was_ms + amount_ms);
  return t("record.becomes", { was: clockText(was_ms), now: clockText(now_ms) });
}

const DRAWS = ["draw-offer", "claim-threefold", "claim-threefold-intended", "claim-fifty-moves", "claim-fifty-moves-intended"];
const TOUCHED = ["touch-move-suspected", "castling-rook-first", "move-changed-after-release", "promotion-choice-changed"];
const ILLEGAL = ["illegal-move-completed", "clock-pressed-without-move", "promotion-not-replaced", "illegal-position"];

/** What ends the game with a confirmation of `record`: something with a `result`, or null. */
export function endOf(record, proposals, incidents) {
  const { type, kind, result } = record;
  if (kind === "outcome" || type === "result-signalled") return record;
  if (DRAWS.includes(type)) return { result: "1/2-1/2" };
  if (type === "claim-flag-fall") return incidents.find((one) => ["time-forfeit", "time-draw"].includes(one.type)) ?? null;
  if (type === "possible-resignation") {
    const loser = record.side ?? record.by;
    return loser ? { result: loser === "white" ? "0-1" : "1-0" } : null;
  }
  return proposals.find((one) => one.kind === "outcome") ?? (result && kind === "claim" ? record : null);
}

// A player's claim about a move: what is on record about it is confirmed with it.
function claimedOf({ type, side }, incidents) {
  const names = { "claim-touch-move": TOUCHED, "claim-illegal-move": ILLEGAL }[type];
  return names && incidents.find((one) => names.includes(one.type) && one.by !== side);
}

// Its penalty is proposed with it: no draw is.
function isWrongClaim({ type, verdict }) {
  return DRAWS.includes(type) && verdict === "incorrect";
}

// Rejecting that a draw was agreed too early is the arbiter's consent to it (9.1.1).
function rejection(desk, { type, kind }) {
  if (type === "draw-agreement-too-early") {
    return { label: t("record.consent"), asks: true, detail: t("record.consent_detail") };
  }
  const asks = DECIDED.includes(kind);
  return { label: t("record.reject"), asks, detail: asks ? t("record.reject_detail", { name: desk.name(type) }) : "" };
}

/** The panel of decisions in `root`; `asks(ruling)` is called before one is sent, `refused()` if it was refused. */
export class Decide {
  constructor(root, desk, { asks, refused }) {
    Object.assign(this, { root, desk, asks, refused });
    this.proposals = [];
    this.actions = new Map();
    this.asking = null;
    this.message = html("p", "refused");
    this.message.setAttribute("role", "alert");
    this.list = html("div", "decisions");
    this.asked = html("div", "asked");
    this.asked.hidden = true;
    this.asked.setAttribute("role", "group");
    this.asked.setAttribute("aria-labelledby", "asked-words");
    this.root.append(this.list, this.asked, this.message);
    // Whatever is shown now was not read yet.
    window.addEventListener("hashchange", () => { this.shownAt = performance.now(); });
  }

  /** Shows what can be decided about `record` with its `proposals`. */
  show(record, proposals, game) {
    const another = record.record !== this.record?.record || record.status !== this.record?.status;
    Object.assign(this, { record, game });
    // What hands are at is ticked off beside this.
    this.proposals = proposals.filter((one) => one.status === "open" && one.type !== "resolution");
    if (another) {
      this.cancel(false);
      this.message.textContent = "";
    }
    this.actions.clear();
    const isArbiter = this.desk.session.is("arbiter");
    const open = record.status === "open";
    // A resolution is done when the sensors say so.
    const isDue = (open && record.type !== "resolution") || (record.status === "expired" && record.kind === "irregularity");
    const nodes = [];
    if (!isArbiter) nodes.push(html("p", "quiet", t("record.for_arbiter")));
    const acts = this.proposals.filter((one) => !SAID.includes(one.type));
    nodes.push(...this.said(), ...this.proposed(acts, isArbiter));
    const isLeft = HAS_LEFT.includes(record.status) && this.carried().length > 0;
    if (isArbiter && (isDue || isLeft)) nodes.push(this.row(open, isLeft));
    else if (isArbiter && acts.length === 0 && record.type !== "resolution") nodes.push(html("p", "quiet", t("record.nothing_to_decide")));
    const had = this.list.contains(document.activeElement) ? document.activeElement.dataset.act : null;
    const before = this.list.textContent;
    this.list.replaceChildren(...nodes);
    if (this.list.textContent !== before) this.shownAt = performance.now();
    if (had) this.list.querySelector(`[data-act="${CSS.escape(had)}"]`)?.focus();
  }

  said() {
    return this.proposals.filter((one) => SAID.includes(one.type)).map((one) => {
      const { label, detail } = proposalWords(this.desk, one, this.game);
      const p = html("p", "said");
      p.append(html("strong", "", `${label}:`), " ", detail);
      return p;
    });
  }

  proposed(acts, isArbiter) {
    if (acts.length === 0) return [];
    const list = html("ol", "proposals");
    list.setAttribute("aria-label", t("record.proposals"));
    let digit = 0;
    for (const proposal of acts) {
      const choices = this.choices(proposal);
      for (const choice of choices) {
        digit += 1;
        const item = html("li", "");
        // Which move it was an operator may say too.
        const may = isArbiter || (choice.ruling.name === "confirm-move" && this.desk.session.is("operator"));
        item.append(may ? this.action(String(digit), choice) : this.plain(choice));
        const declines = choices.length === 1 || (choice === choices[0] && choice.ruling.record === proposal.record);
        if (isArbiter && declines) item.append(this.decline(proposal, choice.label));
        list.append(item);
      }
    }
    return [html("h3", "", t("record.proposals")), list];
  }

  // One button a proposal; one a move where the question is which move it was.
  choices(proposal) {
    const { desk, game } = this;
    const confirm = { name: "confirm", record: proposal.record };
    if (proposal.type === "confirm-move" && this.record.type === "record-gap") {
      return (proposal.ways ?? [proposal.moves]).map((way) => ({
        label: t("proposal.confirm-move.label", { move: this.line(way) }),
        detail: t("proposal.confirm-move.way"),
        ruling: { name: "confirm", record: this.record.record, choice: way.join(" ") },
      }));
    }
    if (proposal.type === "confirm-move" && proposal.moves?.length) {
      const ply = this.record.at_ply ?? this.record.ply;
      const ruling = (move) => (desk.session.is("arbiter")
        ? { name: "confirm", record: this.record.record, choice: move }
        : { name: "confirm-move", ply, uci: move });
      return proposal.moves.map((move) => {
        const values = { ...valuesOf(desk, proposal, game), move: desk.san(move) };
        const [label, detail] = ["label", "detail"].map((part) => t(`proposal.confirm-move.${part}`, values));
        return { label, detail, ruling: ruling(move) };
      });
    }
    if (proposal.type === "restore-candidates") {
      return (proposal.candidates ?? []).map(({ ply, clock }) => ({
        label: t("proposal.restore-position.label", valuesOf(desk, { ply }, game)),
        detail: [timesText(clock, game), t("proposal.restore-position.detail")].filter(Boolean).join(" · "),
        ruling: { name: "restore-position", ply },
      }));
    }
    const proposed = { ...proposalWords(desk, proposal, game, this.proposals), ruling: confirm };
    if (proposal.type !== "clock-times" || !proposal.start) return [proposed];
    return [{ ...proposed, detail: t("proposal.clock-times.lifted") }, this.fromTheStart(proposal)];
  }

  // The times with which the move began, for an arbiter who gives back what was thought about it.
  fromTheStart(proposal) {
    const { white_ms, black_ms } = proposal.start;
    const values = valuesOf(this.desk, { white_ms, black_ms }, this.game);
    const [label, detail] = ["label", "start"].map((part) => t(`proposal.clock-times.${part}`, values));
    return { label, detail, ruling: { name: "confirm", record: proposal.record, choice: "start" } };
  }

  // `2. Nf3 Nc6 3. Bb5`: moves from the record's ply on.
  line(moves) {
    return moves.map((move, index) => {
      const number = numberAt(this.game, this.record.ply + index);
      return index === 0 || number.endsWith(".") ? `${number} ${this.desk.san(move)}` : this.desk.san(move);
    }).join(" ");
  }

  // What is declined is not carried out with the rest.
  decline(proposal, label) {
    const button = html("button", "decline plain", "×", { act: `decline-${proposal.record}`, declines: proposal.record });
    button.type = "button";
    button.title = t("record.decline", { what: label });
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", () => this.rule({ name: "reject", record: proposal.record }));
    return button;
  }

  plain({ label, detail }) {
    const p = html("p", "said");
    p.append(html("strong", "", label), " ", detail);
    return p;
  }

  action(key, { label, detail, ruling, asks = true, kind = "proposal" }) {
    const button = html("button", kind, "", { act: key, record: ruling.record ?? "" });
    button.type = "button";
    const words = html("span", "words");
    words.append(html("span", "label", label));
    if (detail) words.append(html("span", "detail", detail));
    button.append(html("kbd", "", key), words);
    button.setAttribute("aria-keyshortcuts", key);
    const run = () => (asks ? this.ask(ruling, label, detail, button) : this.rule(ruling));
    // The button says all that it does, and one undo takes it back: a click on it is meant, a key may be a slip.
    const isMeant = (click) => kind === "first" && click.detail === 1 && performance.now() - this.shownAt > LOOK_MS;
    button.addEventListener("click", (click) => (isMeant(click) ? this.rule(ruling) : run()));
    this.actions.set(key, run);
    return button;
  }

  row(open, isLeft) {
    const { record, desk } = this;
    const about = (name) => ({ name, record: record.record });
    const done = this.consequences();
    const row = html("div", "act-row");
    // A claim that the game does not bear out is rejected as a rule, with what follows from that.
    const isWrong = open && isWrongClaim(record);
    const confirm = this.action("c", {
      label: t(isLeft ? "record.confirm_left" : "record.confirm"), kind: isWrong ? "plain" : "first",
      ruling: about("confirm"), asks: true, detail: done,
    });
    row.append(confirm);
    if (open) {
      const refused = rejection(desk, record);
      if (isWrong) refused.detail = [refused.detail, this.carriedOut()].filter(Boolean).join(" ");
      const reject = this.action("x", { ...refused, kind: isWrong ? "first" : "plain", ruling: about("reject") });
      if (isWrong) row.prepend(reject);
      else row.append(reject);
      row.append(this.action("p", { label: t("record.postpone"), kind: "plain", ruling: about("postpone"), asks: false }));
    }
    return row;
  }

  // The proposals that go with a confirmation, in the order in which they are carried out.
  carried() {
    return CARRIED_OUT.flatMap((type) => this.proposals.filter((one) => one.type === type));
  }

  // Confirming also carries out what is proposed.
  consequences() {
    const { desk, game } = this;
    const ends = endOf(this.record, this.proposals, desk.state.incidents(this.record.board));
    if (ends) return t("record.confirm_outcome", valuesOf(desk, ends, game));
    const meant = claimedOf(this.record, desk.state.incidents(this.record.board));
    if (meant) return t("record.confirm_claimed", { name: desk.name(meant.type) });
    const done = this.carriedOut();
    const { type, status } = this.record;
    // Behind its window it is proposed once it is confirmed.
    if (!done && !HAS_LEFT.includes(status) && TOUCHED.includes(type) && type !== "promotion-choice-changed") {
      return t("record.confirm_touch", valuesOf(this.desk, this.record, this.game));
    }
    return done || t("record.confirm_only");
  }

  // What is done with the decision, in words.
  carriedOut() {
    const done = this.carried().map((one) => proposalWords(this.desk, one, this.game).label);
    return done.length > 0 ? t("record.confirm_detail", { what: done.join("; ") }) : "";
  }

  /** Asks once more, with the button that Enter presses. */
  ask(ruling, label, detail, from) {
    this.asking = from ?? null;
    this.message.textContent = "";
    const words = html("p", "asked-words");
    words.id = "asked-words";
    words.append(html("strong", "", label), detail ? html("span", "detail", detail) : "");
    const yes = html("button", "first", "", { act: "yes" });
    yes.type = "button";
    yes.append(t("record.do_it"), " ", html("kbd", "", "↵"));
    yes.addEventListener("click", () => this.rule(ruling));
    const no = html("button", "plain", "");
    no.type = "button";
    no.append(t("record.cancel"), " ", html("kbd", "", "Esc"));
    no.addEventListener("click", () => this.cancel());
    this.asked.replaceChildren(words, yes, no);
    this.asked.hidden = false;
    this.isAsking = true;
    yes.focus();
    this.asked.scrollIntoView({ block: "nearest" });
  }

  /** Takes the question back. */
  cancel(focus = true) {
    this.isAsking = false;
    this.asked.hidden = true;
    this.asked.replaceChildren();
    if (focus) this.asking?.focus();
    this.asking = null;
  }

  /** Makes a ruling on the board of the record; a refusal is told where it was asked. */
  async rule(ruling) {
    if (this.busy) return;
    this.busy = true;
    this.root.setAttribute("aria-busy", "true");
    this.cancel();
    this.asks(ruling);
    try {
      await this.desk.rule(this.record.board, ruling);
      this.message.textContent = "";
    } catch (problem) {
      this.refused();
      this.message.textContent = problem.detail || problem.message;
    } finally {
      this.busy = false;
      this.root.removeAttribute("aria-busy");
    }
  }

  /** What the key `key` does; false if nothing. */
  press(key) {
    const run = this.actions.get(key);
    if (!run) return false;
    run();
    return true;
  }
}
