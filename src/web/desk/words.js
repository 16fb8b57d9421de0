// What people read: the words of their language, and how it writes moves, names and dates.
//
// A file words/LANGUAGE.json holds the frame's words, words/LANGUAGE-views.json those of the views. A key is
// a path ("list.search"); a text takes values as {name}; one that depends on a number is an object
// { "one": …, "other": … } chosen by the value `count`. What a language lacks is read in English.

import { load as loadStored, store } from "./stored.js";

export const LANGUAGES = { en: "English", el: "Ελληνικά", fi: "Suomi" };

const FALLBACK = "en";

let chosen = FALLBACK;
let words = [];
let plural = new Intl.PluralRules(FALLBACK);
let changed = () => {};

/** The language of the page: `en`, `el` or `fi`. */
export function language() {
  return chosen;
}

/** Reads the words of the language that the reader chose, or that his browser prefers. */
export async function load() {
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES);
  const stored = loadStored("language", null);
  chosen = stored in LANGUAGES ? stored : preferred ?? FALLBACK;
  plural = new Intl.PluralRules(chosen);
  const files = [...new Set([chosen, FALLBACK])].flatMap((tag) => [`${tag}`, `${tag}-views`]);
  words = await Promise.all(files.map(file));
}

async function file(name) {
  const answer = await fetch(`/desk/words/${name}.json`).catch(() => null);
  return answer?.ok ? answer.json() : {};
}

/** Chooses a language, for the next time too. */
export function choose(tag) {
  store("language", tag);
  changed();
}

/** `action` is called when another language was chosen. */
export function onlanguage(action) {
  changed = action;
}

function find(key) {
  for (const file of words) {
    let at = file;
    for (const step of key.split(".")) at = at?.[step];
    if (at != null && at !== "") return at;
  }
  return null;
}

/** Whether there are words for `key`. */
export function has(key) {
  return find(key) !== null;
}

/** The words for `key` with `values` put in. */
export function t(key, values = {}) {
  let text = find(key);
  if (text === null) return key;
  if (typeof text === "object") text = text[plural.select(values.count ?? 0)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** What people call an event or a record: `illegal-move-completed` is "Illegal move". */
export function name(type) {
  const text = find(`names.${type}`);
  if (typeof text === "string") return text;
  return type.charAt(0).toUpperCase() + type.slice(1).replaceAll("-", " ");
}

/** All events and records that there are words for. */
export function names() {
  return Object.keys(find("names") ?? {});
}

/** The name to show for a board: "Board 7", or the name that the hall gave it. */
export function boardName(name) {
  return /^\d+$/.test(name) ? t("frame.board", { board: name }) : name;
}

/** An instant (RFC 3339) as people write it: the time, and the day unless it is today. */
export function when(at) {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  const day = today ? {} : { day: "numeric", month: "short" };
  return new Intl.DateTimeFormat(regional(), { ...day, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(date);
}

// English is read everywhere: day before month.
function regional() {
  return chosen === "en" ? "en-GB" : chosen;
}

/** A move in English notation as the reader's language writes it: `Nf3` is `Rf3` in Finnish. */
export function san(text) {
  if (!text || chosen === FALLBACK) return text ?? "";
  const letters = find("notation.letters") ?? {};
  if (/^O-O/.test(text)) return text.replaceAll("O", "0");
  return text.replace("=", "").replace(/[KQRBNa-n]/g, (letter) => letters[letter] ?? letter);
}

/** Puts words into what of `root` asks for them: `data-t` its text, `data-t-label` its name, and so on. */
export function translate(root) {
  for (const node of root.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const [data, attribute] of [["tLabel", "aria-label"], ["tTitle", "title"], ["tPlaceholder", "placeholder"]]) {
    const selector = `[data-${data.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}]`;
    for (const node of root.querySelectorAll(selector)) node.setAttribute(attribute, t(node.dataset[data]));
  }
}
