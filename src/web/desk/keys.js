// Keys: those that hold everywhere, those of the view that is shown, and the list of them all.

import { html } from "/assets/dom.js";
import { load, store } from "./stored.js";

// The second of two strokes comes within this time.
const SECOND_STROKE_MS = 1_500;

const WRITING = "input:not([type=checkbox], [type=radio], [type=button], [type=range]), textarea, select, [contenteditable]";
const PRESSED = "button, a, summary, input, select, textarea, [role=button], [role=tab]";
const MOVED = "input[type=radio], input[type=range], select, textarea, [role=slider], [role=listbox]";

/** Every stroke on the page; `view` are the keys of the view that is shown. */
export class Keys {
  constructor(desk) {
    this.desk = desk;
    this.view = () => ({});
    this.before = null;
    this.dialog = document.getElementById("keys");
    const go = (words, address) => ({ words, run: () => desk.go(address) });
    this.everywhere = {
      "g l": go("keys.list", "#/"),
      "g r": go("keys.round", "#/round"),
      "g c": go("keys.connections", "#/boards"),
      "g h": go("keys.history", "#/history"),
      "g s": go("keys.settings", "#/settings"),
      m: { words: "keys.mute", run: () => desk.alarm.mute() },
      "?": { words: "keys.help", run: () => this.help() },
      Escape: { words: "keys.back", run: () => this.back() },
    };
    addEventListener("keydown", (event) => this.pressed(event));
  }

  /** Whether single letters act; a reader who dictates switches them off. */
  get on() {
    return load("keys", true);
  }

  set on(on) {
    store("keys", on);
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing || event.defaultPrevented) return;
    if (!this.desk.session.is("operator") || document.querySelector("dialog[open]")) return;
    const { key, target } = event;
    const name = event.shiftKey && key.length > 1 ? `Shift+${key}` : key;
    if (target.matches?.(WRITING)) {
      if (key === "Escape") target.blur();
      return;
    }
    if ((key === "Enter" || key === " ") && target.matches?.(PRESSED)) return;
    if (/^Arrow|^Home$|^End$|^Page/.test(key) && target.matches?.(MOVED)) return;
    if (!this.on && key.length === 1) return;
    const two = this.before && event.timeStamp - this.before.at < SECOND_STROKE_MS ? `${this.before.key} ${key}` : null;
    const action = (two && this.find(two)) ?? this.find(name);
    const begins = key.length === 1 && this.all().some((other) => other.startsWith(`${key} `));
    this.before = begins && !action ? { key, at: event.timeStamp } : null;
    if (action && action.run(event) !== false) event.preventDefault();
  }

  all() {
    return [...Object.keys(this.view()), ...Object.keys(this.everywhere)];
  }

  find(stroke) {
    return this.view()[stroke] ?? this.everywhere[stroke];
  }

  back() {
    if (location.hash === "#/" || location.hash === "") return false;
    this.desk.back();
    return true;
  }

  /** Shows what the keys do. */
  help() {
    const { t } = this.desk;
    const rows = (keys) => Object.entries(keys).filter(([, { words }]) => words).map(([stroke, { words }]) => {
      const row = html("div", "key-row");
      const strokes = html("dt", "");
      strokes.append(...stroke.split(" ").map((one) => html("kbd", "", keyName(one, t))));
      row.append(strokes, html("dd", "", t(words)));
      return row;
    });
    const part = (title, keys) => {
      const list = html("dl", "key-list");
      list.append(...rows(keys));
      return list.childElementCount > 0 ? [html("h3", "", t(title)), list] : [];
    };
    this.dialog.querySelector(".content").replaceChildren(
      ...part("keys.here", this.view()),
      ...part("keys.everywhere", this.everywhere),
    );
    this.dialog.showModal();
  }
}

const SIGNS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

function keyName(stroke, t) {
  if (stroke === "Escape") return t("keys.escape");
  if (stroke === " ") return t("keys.space");
  return SIGNS[stroke] ?? stroke;
}
