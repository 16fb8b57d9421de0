// What stands around every view: the head, the notices, and the line that says what was done.

import { html } from "/assets/dom.js";
import { isLive } from "/assets/state.js";
import { boardName } from "./words.js";

// A line is read in this time.
const SAID_MS = 6_000;
const LINKED_MS = 12_000;

const part = (id) => document.getElementById(id);

/** Head and notices of the page. */
export class Frame {
  constructor(desk) {
    this.desk = desk;
    this.lost_at = null;
    this.at = "";
    setInterval(() => this.tellLoss(), 1_000);
    part("log-out").addEventListener("click", () => desk.session.logout());
    part("said").querySelector("button").addEventListener("click", () => this.hush());
    addEventListener("hashchange", () => {
      if (part("said").querySelector("a")?.hash === location.hash) this.hush();
    });
    part("show-keys").addEventListener("click", () => desk.keys.help());
  }

  /** Somebody is logged in, and the first snapshot is there. */
  ready() {
    part("waiting").hidden = true;
  }

  /** Nobody is logged in. */
  rest() {
    this.lost_at = null;
    part("connection").hidden = true;
    part("waiting").hidden = true;
  }

  who() {
    const { session, t } = this.desk;
    const known = session.is("operator");
    part("who").hidden = !known;
    const role = known ? t(`roles.${session.role}`) : "";
    part("who-name").textContent = session.name ?? role;
    part("who-role").textContent = part("who-name").textContent === role ? "" : role;
    part("waiting").hidden = !known;
  }

  update({ all, records }) {
    if (all || records.size > 0) this.count();
    if (all || this.journal !== this.desk.state.journal) this.head();
  }

  /** What the view that is shown calls itself. */
  title(text) {
    this.at = text;
    this.count();
  }

  head() {
    const { state, t } = this.desk;
    const games = [...state.boards.values()].map((board) => board.game).filter(isLive);
    const round = Math.max(0, ...games.map((game) => game.round ?? 0));
    const { name, site } = state.tournament;
    part("tournament").textContent = name ?? "adoube";
    part("place").textContent = [site, round > 0 ? t("frame.round", { round }) : ""].filter(Boolean).join(" · ");
    this.journal = state.journal;
    part("journal").textContent = state.journal === "ok" ? "" : t("frame.not_recording");
    part("speed").textContent = state.speed === 1 ? "" : t("frame.speed", { speed: state.speed });
  }

  /** Shows a line for a while, perhaps with a link to what it speaks of; it is heard, too. */
  say(text, link = null) {
    const line = part("said");
    line.firstChild.replaceChildren(text, ...(link ? [" ", link] : []));
    line.classList.add("shown");
    clearTimeout(this.saying);
    this.saying = setTimeout(() => this.hush(), link ? LINKED_MS : SAID_MS);
  }

  hush() {
    part("said").classList.remove("shown");
  }

  /** Says that `record` is new, wherever the reader is. */
  announce(record) {
    const { t, name } = this.desk;
    const values = { board: boardName(record.board), name: name(record.type) };
    const href = `#/record/${record.record}`;
    // Whoever looks at it need not be led there.
    if (location.hash === href) return;
    const link = Object.assign(html("a", "", t("frame.open_incident")), { href });
    this.say(t("frame.new_incident", values), link);
  }

  // How many wait, at the list's name and in the title of the page.
  count() {
    const { state } = this.desk;
    const grave = state.grave();
    part("open-count").textContent = grave || "";
    part("open-count").setAttribute("aria-label", grave ? this.desk.t("frame.grave", { n: grave, count: grave }) : "");
    const title = [this.at, state.tournament.name ?? "adoube"].filter(Boolean).join(" · ");
    document.title = grave ? `(${grave}) ${title}` : title;
  }

  /** The stream stands, or is lost. */
  connection(standing) {
    if (standing === (document.body.dataset.connection === "live")) return;
    document.body.dataset.connection = standing ? "live" : "lost";
    this.lost_at = standing ? null : this.lost_at ?? Date.now();
    part("connection").hidden = standing;
    this.tellLoss();
  }

  tellLoss() {
    if (this.lost_at === null) return;
    const seconds = Math.floor((Date.now() - this.lost_at) / 1000);
    const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    part("lost-for").textContent = this.desk.t("frame.lost_for", { time });
  }
}
