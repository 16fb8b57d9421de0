// One incident: what happened, what the Law says, the readings that show it, and what the arbiter decides.

import { Board } from "/assets/board.js";
import { serverNow } from "/assets/clock.js";
import { html } from "/assets/dom.js";
import { boardName, has, t } from "./words.js";
import { Came } from "./record-came.js";
import { Decide } from "./record-decide.js";
import { facts, law, rowsOf, sentence, timesText } from "./record-facts.js";
import { Mate, mateOf } from "./record-mate.js";
import { proofsOf, proofText } from "./record-proofs.js";
import { pairText } from "./people.js";
import { plyText } from "./record-values.js";
import { Replay, squaresOf, timeOf } from "./replay.js";
import { Resolution, resolutionOf } from "./resolution.js";
import { RulingList } from "./ruling-list.js";

export const styles = ["record.css", "replay.css"];

export function create(root, desk) {
  return new RecordView(root, desk);
}

class RecordView {
  constructor(root, desk) {
    Object.assign(this, { root, desk });
    this.number = null;
    this.found = null;
    this.build();
  }

  build() {
    this.head = html("header", "record-head");
    this.note = html("p", "refused");
    this.note.setAttribute("role", "alert");
    const left = html("div", "record-shows");
    const right = html("div", "record-says");
    this.happened = card(right, "record.happened");
    const mate = card(right, "record.mate");
    this.decision = card(right, "record.decision");
    this.came = new Came(html("div", "came"), this.desk);
    this.law = card(right, "record.law");
    this.rulings = card(right, "record.rulings");
    this.decide = new Decide(this.decision.body, this.desk, {
      // Its events may be here before the answer.
      asks: () => this.came.expect(this.found.record.board),
      refused: () => this.came.clear(),
    });
    this.resolution = new Resolution(this.desk, (ruling) => this.decide.rule(ruling));
    this.decision.body.before(this.resolution.element);
    this.list = new RulingList(this.rulings.body, this.desk);
    this.decision.body.after(this.came.root, this.noteForm());
    this.replay = new Replay(html("div", "replay"), this.desk);
    this.mate = new Mate(mate.element, mate.body, this.desk, this.replay);
    this.pictures = html("div", "pictures");
    this.before = picture(t("record.before"));
    this.after = picture(t("record.after"));
    this.pictures.append(this.before.element, this.after.element);
    left.append(this.replay.root, this.pictures);
    const body = html("div", "record-body");
    body.append(left, right);
    this.root.append(this.head, this.note, body);
  }

  noteForm() {
    const form = html("form", "note-form");
    const input = html("input", "");
    Object.assign(input, { type: "text", maxLength: 500, placeholder: t("record.note_hint") });
    input.setAttribute("aria-label", t("record.note"));
    const button = html("button", "plain", t("record.note"));
    form.append(input, button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim() === "") return;
      const text = t("record.note_about", { number: this.number, text: input.value.trim() });
      this.decide.rule({ name: "note", text }).then(() => { input.value = ""; });
    });
    this.noteInput = input;
    this.form = form;
    return form;
  }

  async show(number) {
    if (number !== this.number) {
      this.found = null;
      this.came.clear();
    }
    this.number = number;
    this.note.textContent = "";
    await this.load(true);
  }

  async load(withReadings) {
    const number = this.number;
    try {
      const found = await this.desk.ask(`records/${number}`);
      const { board, game } = found.record;
      // The clocks when it happened, not when it was decided.
      found.record.clock = found.history[0]?.clock ?? found.record.clock;
      const readings = withReadings
        ? await this.desk.ask(`boards/${encodeURIComponent(board)}/readings?record=${number}`).catch(() => null)
        : undefined;
      const played = game ? await this.desk.ask(`games/${encodeURIComponent(game)}`).catch(() => null) : null;
      if (this.number !== number) return;
      Object.assign(this, { found, game: played });
      if (withReadings) this.replay.show(readings, { record: found.record, game: played });
      this.draw();
    } catch (problem) {
      this.root.classList.toggle("missing", !this.found);
      this.note.textContent = problem.detail || problem.message;
    }
  }

  update(changed) {
    if (!this.found) return;
    const { board } = this.found.record;
    this.came.take(changed.events, this.game);
    const touched = changed.all || changed.records.has(this.number)
      || this.found.proposals.some((one) => changed.records.has(one.record))
      || changed.events.some((event) => event.board === board && event.type === "ruled");
    if (!touched) return;
    this.isDue = true;
    if (!this.loading) this.reload();
  }

  // What comes while it is read is read as well.
  async reload() {
    this.loading = true;
    while (this.isDue) {
      this.isDue = false;
      await this.load(false);
    }
    this.loading = false;
  }

  close() {
    this.replay.stop();
    this.desk.ticker.set(this, false);
    this.decide.cancel(false);
  }

  draw() {
    const { record, proposals, rulings } = this.found;
    this.root.classList.remove("missing");
    this.drawHead(record);
    const says = sentence(this.desk, record, this.game);
    this.happened.body.replaceChildren(
      ...(says ? [html("p", "sentence", says)] : []),
      facts(rowsOf(this.desk, record, this.game)),
    );
    this.mate.show(mateOf(record, ...proposals), this.game);
    if (this.lawOf !== `${record.edition} ${record.article}`) this.law.body.replaceChildren(law(this.desk, record));
    this.lawOf = `${record.edition} ${record.article}`;
    this.decide.show(record, proposals, this.game);
    const ruled = resolutionOf(record, proposals);
    this.resolution.show(ruled, this.game);
    this.form.hidden = !this.desk.session.is("arbiter");
    const known = new Map([record, ...proposals].map((one) => [one.record, one]));
    this.list.show([...rulings].reverse(), this.game, (number) => known.get(number) ?? this.desk.state.records.get(number));
    this.rulings.element.hidden = rulings.length === 0;
    this.drawPictures(record);
    this.tick(serverNow());
    this.desk.ticker.set(this, record.status === "open" || ruled?.status === "open");
    document.title = `${this.desk.name(record.type)} · ${boardName(record.board)}`;
  }

  drawHead(record) {
    const up = html("a", "up");
    up.href = `#/board/${encodeURIComponent(record.board)}`;
    up.append(html("span", "up-board", boardName(record.board)), html("span", "up-players", pairText(this.game)));
    const title = html("h2", "", this.desk.name(record.type));
    const badges = html("p", "badges");
    this.age = html("span", "age");
    this.window = html("span", "window");
    badges.append(
      html("span", "badge severity", t(`severity.${record.severity}`), { severity: record.severity }),
      html("span", "tag status", t(`status.${record.status}`), { status: record.status }),
      html("span", "tag", t(`certainty.${record.certainty}`)),
      this.age, this.window,
    );
    const report = html("a", "button", t("record.report"));
    report.href = `#/report/record/${record.record}`;
    const ply = record.ply ? plyText(this.desk, this.game, record.ply) : "";
    const when = html("p", "when", [timeOf(record.opened_at ?? record.at), ply].filter(Boolean).join(" · "));
    const words = html("div", "head-words");
    words.append(up, title, when, badges);
    this.head.replaceChildren(words, report);
  }

  // How long it has been open, and until when something can be done about it.
  tick(now) {
    const record = this.found?.record;
    if (!record) return;
    const since = Math.max(0, Math.floor((now - Date.parse(record.opened_at ?? record.at)) / 1000));
    const text = record.status === "open" ? t("record.age", { time: ageText(since) }) : "";
    if (this.age.textContent !== text) this.age.textContent = text;
    const window = record.status === "open" ? windowText(record.window, now) : "";
    if (this.window.textContent !== window) this.window.textContent = window;
    this.resolution.tick();
  }

  drawPictures(record) {
    const { seat } = this.replay.board;
    const proofs = proofsOf(record, this.game);
    const differ = record.fen_before && record.fen_after && record.fen_before !== record.fen_after;
    this.pictures.hidden = !differ && proofs.length === 0;
    for (const one of [this.before, this.after]) one.element.hidden = !differ || proofs.length > 0;
    this.before.show(record.fen_before, squaresOf(record), seat);
    this.after.show(record.fen_after, squaresOf(record), seat);
    for (const old of this.pictures.querySelectorAll(".proof")) old.remove();
    for (const proof of proofs) {
      const { fen } = proof;
      const one = picture(proofText(this.desk, this.game, proof));
      one.element.classList.add("proof");
      one.show(fen, [], seat);
      this.pictures.append(one.element);
    }
    this.before.times.textContent = timesText(record.clock_before ?? this.replay.clockBefore, this.game);
    this.after.times.textContent = timesText(record.clock, this.game);
  }

  get keys() {
    const key = (words, run) => ({ words, run });
    const { replay } = this;
    const keys = {
      ",": key("record.key_back", () => replay.step(-1)),
      ".": key("record.key_forward", () => replay.step(1)),
      ArrowLeft: key("record.key_back", () => replay.step(-1)),
      ArrowRight: key("record.key_forward", () => replay.step(1)),
      Home: key("record.key_first", () => replay.first()),
      End: key("record.key_last", () => replay.last()),
      " ": key("record.key_play", () => replay.toggle()),
      s: key("record.key_speed", () => replay.setSpeed(replay.speed === 1 ? 4 : 1)),
      f: key("record.key_flip", () => { replay.flip(); this.drawPictures(this.found.record); }),
      c: key("record.key_confirm", () => this.decide.press("c")),
      x: key("record.key_reject", () => this.decide.press("x")),
      p: key("record.key_postpone", () => this.decide.press("p")),
      n: key("record.key_note", () => this.noteInput.focus()),
      b: key("record.key_board", () => this.desk.go(`#/board/${encodeURIComponent(this.found?.record.board ?? "")}`)),
    };
    for (const digit of [...this.decide.actions.keys()].filter((name) => /^\d$/.test(name))) {
      keys[digit] = key(digit === "1" ? "record.key_digit" : undefined, () => this.decide.press(digit));
    }
    if (this.mate.hasLine) keys.v = key("record.key_line", () => this.mate.toggle());
    if (this.decide.isAsking) keys.Escape = key("record.cancel", () => this.decide.cancel());
    return keys;
  }
}

function card(parent, title) {
  const element = html("section", `desk-card ${title.replace(".", "-")}`);
  const body = html("div", "card-body");
  element.append(html("h3", "", t(title)), body);
  parent.append(element);
  return { element, body };
}

function picture(title) {
  const element = html("figure", "picture");
  const board = new Board();
  board.element.setAttribute("aria-label", title);
  const caption = html("figcaption", "");
  const times = html("span", "times");
  caption.append(html("strong", "", title), times);
  element.append(caption, board.element);
  const show = (fen, squares, seat) => {
    board.show(fen, null);
    board.flip(seat);
    board.highlight({ about: squares });
  };
  return { element, times, show };
}

/** `4 min`, `12 s`, `1 h 5 min`. */
export function ageText(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// A window is an instant, or an act that closes it.
function windowText(window, now) {
  if (!window) return "";
  const left_s = Math.ceil((Date.parse(window) - now) / 1000);
  if (!Number.isNaN(left_s)) return t("record.window_left", { time: ageText(Math.max(0, left_s)) });
  const key = `window.${window}`;
  return t("record.window", { until: has(key) ? t(key) : window });
}
