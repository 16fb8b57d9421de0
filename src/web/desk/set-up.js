// The first day: what has to be known of the tournament, boards that get their names by a lifted king, and the file
// that comes of it, shown before it is written.

import { html } from "/assets/dom.js";
import { create as createNaming } from "./set-up-boards.js";
import { create as createWritten } from "./set-up-written.js";
import { store } from "./stored.js";

export const styles = ["set-up.css"];

// What is typed is looked at when the reader rests.
const REST_MS = 300;

const PROFILES = ["standard", "rapid", "rapid-reduced", "blitz", "blitz-reduced"];
const TIMES = ["40/5400+30:1800+30", "5400+30", "3600+30", "1500+10", "900+10", "300+3", "180+2"];
const DELAYS_MIN = [0, 5, 15, 30];

// Fields with a word on them.
const EXPLAINED = ["profile", "time_control", "names", "elsewhere", "spectators", "lichess_round", "lichess_token"];

export function create(root, desk) {
  return new SetUp(root, desk);
}

class SetUp {
  constructor(root, desk) {
    this.desk = desk;
    const { t } = desk;
    this.title = t("set_up.title");
    this.keys = {};
    this.asked = 0;
    this.there = html("p", "empty", t("set_up.there"));
    // Who cannot be written for knows it before he has answered everything.
    this.unwritable = html("p", "problem");
    this.form = html("form", "");
    this.naming = createNaming(html("div", ""), desk, () => this.rest());
    this.form.append(
      html("p", "hint", t("set_up.what")),
      this.unwritable,
      this.chapter("event", ...this.event()),
      this.chapter("boards", this.naming.root),
      this.chapter("arbiters", ...this.arbiters()),
      this.chapter("public", ...this.published()),
      this.chapter("file", ...this.file()),
    );
    this.form.addEventListener("input", () => this.rest());
    // A stroke of Enter in a field writes nothing: the file is looked at first.
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.written = createWritten(html("div", "written"), desk);
    root.append(html("h2", "", this.title), this.there, this.form, this.written.root);
  }

  chapter(name, ...content) {
    const section = html("section", "chapter");
    const title = html("h3", "", this.desk.t(`set_up.${name}`));
    title.id = `set-up-${name}`;
    section.setAttribute("aria-labelledby", title.id);
    section.append(title, ...content);
    return section;
  }

  // A labelled field, with a word on it if there is one.
  field(name, input = html("input", "")) {
    const { t } = this.desk;
    const label = html("label", "", t(`set_up.${name}`));
    Object.assign(input, { name, autocomplete: "off" });
    label.append(input);
    if (EXPLAINED.includes(name)) {
      const text = html("span", "hint", t(`set_up.hint.${name}`));
      text.id = `set-up-${name}-what`;
      input.setAttribute("aria-describedby", text.id);
      label.append(text);
    }
    this[name] = input;
    return label;
  }

  tick(name) {
    const input = Object.assign(html("input", ""), { type: "checkbox" });
    const label = this.field(name, input);
    label.className = "tick";
    label.prepend(input);
    return label;
  }

  event() {
    const { t } = this.desk;
    const profile = html("select", "");
    for (const one of PROFILES) profile.append(new Option(t(`set_up.profiles.${one}`), `fide-2023-${one}`));
    const labels = [this.field("name"), this.field("site"), this.field("profile", profile), this.field("time_control")];
    const times = html("datalist", "");
    times.id = "set-up-times";
    times.append(...TIMES.map((time) => new Option(time)));
    this.time_control.setAttribute("list", times.id);
    return [...labels, times];
  }

  arbiters() {
    const names = Object.assign(html("textarea", ""), { rows: 2 });
    return [this.field("names", names), this.tick("elsewhere")];
  }

  published() {
    const { t } = this.desk;
    const delay = html("select", "");
    for (const n of DELAYS_MIN) delay.append(new Option(n === 0 ? t("set_up.at_once") : t("set_up.minutes", { n }), n * 60));
    const pgn = this.tick("files");
    const folder = this.field("pgn");
    const lichess = [this.field("lichess_round"), this.field("lichess_token")];
    this.lichess_token.type = "password";
    return [this.tick("spectators"), this.field("feed_delay_s", delay), pgn, folder, ...lichess];
  }

  file() {
    const { t } = this.desk;
    this.path = html("p", "path");
    this.toml = Object.assign(html("pre", "toml"), { tabIndex: 0 });
    this.toml.setAttribute("aria-label", t("set_up.file"));
    this.problem = html("p", "problem");
    this.problem.setAttribute("role", "alert");
    this.save = Object.assign(html("button", "first", t("set_up.write")), { type: "button", disabled: true });
    this.save.addEventListener("click", () => this.write());
    const later = Object.assign(html("button", "", t("set_up.later")), { type: "button" });
    later.addEventListener("click", () => {
      store("set-up-later", true);
      this.desk.go("#/");
    });
    const ends = html("div", "ends");
    ends.append(later, this.save);
    return [this.path, this.toml, this.problem, ends];
  }

  async show() {
    const { file, pgn, problem } = await this.desk.ask("set-up").catch(() => ({ file: null }));
    this.unwritable.textContent = problem ? this.desk.t("set_up.unwritable", { problem }) : "";
    this.there.hidden = file !== null;
    this.form.hidden = file === null;
    if (file === null) return;
    if (!this.pgn.value) this.pgn.value = pgn;
    this.pgn.parentElement.hidden = !this.files.checked;
    this.naming.show();
    this.draft();
  }

  update(changed) {
    this.naming.update(changed);
  }

  close() {
    clearTimeout(this.resting);
    this.naming.close();
    this.written.close();
  }

  said() {
    const text = (name) => this[name].value.trim();
    return {
      name: text("name"),
      site: text("site"),
      profile: this.profile.value,
      time_control: text("time_control"),
      boards: this.naming.named(),
      arbiters: text("names").split(/[\n,;]/).map((name) => name.trim()).filter(Boolean),
      elsewhere: this.elsewhere.checked,
      spectators: this.spectators.checked,
      feed_delay_s: Number(this.feed_delay_s.value),
      pgn: this.files.checked ? text("pgn") : "",
      lichess_round: text("lichess_round"),
      lichess_token: text("lichess_token"),
    };
  }

  rest() {
    this.save.disabled = true;
    this.pgn.parentElement.hidden = !this.files.checked;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.draft(), REST_MS);
  }

  // What is written is what is shown: until it is, nothing can be written.
  async draft() {
    const asked = ++this.asked;
    try {
      const { file, toml, digest, problem } = await this.desk.ask("set-up/draft", { method: "POST", body: this.said() });
      if (asked !== this.asked) return;
      this.path.textContent = file;
      this.toml.textContent = toml;
      this.digest = digest;
      if (this.problem.textContent !== (problem ?? "")) this.problem.textContent = problem ?? "";
      this.save.disabled = problem !== null;
    } catch (problem) {
      if (asked === this.asked) this.problem.textContent = problem.message;
    }
  }

  async write() {
    if (this.save.disabled) return;
    this.save.disabled = true;
    try {
      const written = await this.desk.ask("set-up", { method: "PUT", body: { ...this.said(), digest: this.digest } });
      this.naming.close();
      store("set-up-later", false);
      this.form.hidden = true;
      this.written.show(written);
    } catch (problem) {
      // Whatever has changed meanwhile is there to be looked at.
      await this.draft();
      this.problem.textContent = problem.message;
    }
  }
}
