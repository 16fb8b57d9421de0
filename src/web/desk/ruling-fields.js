// The fields of a ruling's form: each knows its value, or null while it has none that can be sent.

import { html } from "/assets/dom.js";
import { CHESS, geometryOf } from "/assets/geometry.js";
import { isLive, pliesOf } from "/assets/state.js";
import { isFour } from "/assets/turns.js";
import { resultWords, sideWord } from "./people.js";
import { clockText, plyText } from "./record-values.js";
import { englishMove, parseTime } from "./ruling-kinds.js";
import { boardName, t } from "./words.js";

let count = 0;

/** A field for `argument` of `ruling`; `context` has the `desk`, the `game`, the `ply` and `fen` shown, the `clock`. */
export function field(ruling, argument, context, changed) {
  const { kind, values } = argument;
  const make = BOARDS[ruling] ? board : MAKERS[kind] ?? text;
  const made = make({ ruling, name: argument.name, values, optional: argument.optional, ...context }, changed);
  const element = html("div", `field field-${kind}`, "", { argument: argument.name });
  const label = html(made.group ? "span" : "label", "field-name", argumentWords(argument.name, context.game));
  if (argument.optional) label.append(html("span", "quiet", ` ${t("ruling.optional")}`));
  count += 1;
  if (made.group) {
    label.id = `field-${count}`;
    made.element.setAttribute("role", "radiogroup");
    made.element.setAttribute("aria-labelledby", label.id);
  } else {
    made.element.id = `field-${count}`;
    label.htmlFor = made.element.id;
  }
  element.append(label, made.element);
  if (made.hint) element.append(html("p", "quiet", made.hint));
  return { element, name: argument.name, optional: argument.optional, value: made.value, focus: made.focus ?? (() => made.element.focus()) };
}

/** What the argument `name` of a ruling on `game` is called. */
export function argumentWords(name, game) {
  const [, side] = name.match(/^(white|black)_ms$/) ?? [];
  return side && isFour(game) ? t("arg.team_ms", { side: sideWord(game, side) }) : t(`arg.${name}`);
}

const MAKERS = { side, ply, move, time, difference, fen, square, number, name, result, reason };

// Two or more buttons of which one is chosen.
function choice(options, { chosen = null, optional }, changed) {
  const element = html("div", "choice");
  let value = chosen;
  const group = `choice-${count}`;
  for (const [one, words] of options) {
    const label = html("label", "option");
    const input = Object.assign(document.createElement("input"), { type: "radio", name: group, value: one, checked: one === chosen });
    input.addEventListener("change", () => { value = one; changed(); });
    // What may be left empty can be emptied again.
    if (optional) input.addEventListener("click", () => {
      if (input.dataset.was === "true") { input.checked = false; value = null; changed(); }
      for (const other of element.querySelectorAll("input")) other.dataset.was = String(other.checked);
    });
    label.append(input, html("span", "", words));
    element.append(label);
  }
  return { element, group: true, value: () => value, focus: () => element.querySelector("input")?.focus() };
}

function side({ ruling, game, optional }, changed) {
  const sides = ["white", "black"].map((one) => [one, sideWord(game, one)]);
  if (ruling === "pause") sides.push(["arbiter", t("report.arbiter")]);
  return choice(sides, { optional }, changed);
}

function result({ ruling, game, values }, changed) {
  const common = values.map((value) => [value, resultWords(game, value)]);
  return choice(common, { optional: false, ruling }, changed);
}

function select(options, chosen, changed, optional) {
  const element = html("select", "");
  if (optional || chosen == null) element.append(new Option("–", ""));
  for (const [value, words] of options) element.append(new Option(words, value, false, value === chosen));
  element.addEventListener("change", changed);
  return element;
}

// Which boards may be meant. The only one on which nothing is played is the spare.
const BOARDS = {
  "move-to-board": (other) => !(isLive(other.game) && pliesOf(other.game) > 0),
  "exchange-boards": (other, game) => other.game?.round != null && !other.game.closed && other.game.round === game?.round,
};

function board({ ruling, desk, game }, changed) {
  const isMeant = (other) => other.board !== game?.board && BOARDS[ruling](other, game);
  const options = [...desk.state.boards.values()].filter(isMeant).map((other) => [other.board, boardName(other.board)]);
  const element = select(options, options.length === 1 ? options[0][0] : null, changed, false);
  return { element, hint: options.length === 0 ? t("ruling.no_board") : "", value: () => element.value || null };
}

// The move that is shown is the one that is meant, until the reader says otherwise.
function ply({ ruling, desk, game, ply: shown }, changed) {
  const length = game?.moves.length ?? 0;
  const from = ruling === "restore-position" ? 0 : 1;
  const to = ["insert-move", "correct-move"].includes(ruling) ? length + 1 : length;
  const options = [];
  for (let one = to; one >= from; one--) options.push([String(one), plyText(desk, game, one)]);
  const chosen = String(Math.min(to, Math.max(from, shown)));
  const element = select(options, chosen, changed, false);
  return { element, value: () => (element.value === "" ? null : Number(element.value)) };
}

function input(changed, attributes = {}) {
  const element = Object.assign(html("input", ""), { type: "text", autocomplete: "off", spellcheck: false, ...attributes });
  element.addEventListener("input", changed);
  return element;
}

function move({ desk, game }, changed) {
  const example = desk.san(isFour(game) ? "h2-h4" : "Nf3");
  const element = input(changed, { placeholder: example, maxLength: 12 });
  element.autocapitalize = "off";
  return {
    element, hint: isFour(game) ? t("ruling.move_hint_long", { san: example }) : t("ruling.move_hint", { san: example }),
    value: () => (element.value.trim() === "" ? null : englishMove(element.value, desk.san)),
  };
}

function time({ name, ruling, clock }, changed) {
  const now = { white_ms: clock?.white_ms, black_ms: clock?.black_ms, ms: ruling === "add-time-opponent" ? 120_000 : undefined }[name];
  const element = input(changed, { inputMode: "numeric", placeholder: "h:mm:ss", value: now == null ? "" : clockText(now) });
  return { element, value: () => positive(parseTime(element.value)) };
}

function positive(ms) {
  return ms != null && ms >= 0 ? ms : null;
}

function difference(_, changed) {
  const element = input(changed, { placeholder: "+0:02:00", value: "+0:00:00" });
  return { element, value: () => parseTime(element.value) };
}

function fen({ fen: shown }, changed) {
  const element = html("textarea", "");
  Object.assign(element, { rows: 2, value: shown ?? "", spellcheck: false });
  element.addEventListener("input", changed);
  return { element, hint: t("ruling.fen_hint"), value: () => element.value.trim() || null };
}

function square({ game, fen: shown }, changed) {
  const geometry = geometryOf(shown ?? game?.start) ?? CHESS;
  const element = input(changed, { maxLength: 3, placeholder: "e4" });
  element.autocapitalize = "off";
  const given = () => element.value.trim().toLowerCase();
  return { element, value: () => (geometry.known.has(given()) ? given() : null) };
}

function number({ values, optional }, changed) {
  if (values.length > 0) {
    const element = select(values.map((value) => [value, `${value}°`]), values[0], changed, optional);
    return { element, value: () => Number(element.value) };
  }
  const element = input(changed, { inputMode: "numeric" });
  return { element, value: () => (/^\d+$/.test(element.value.trim()) ? Number(element.value) : null) };
}

function name({ desk, values, optional }, changed) {
  const element = select(values.map((value) => [value, desk.name(value)]), null, changed, optional);
  return { element, value: () => element.value || null };
}

function reason({ values, optional }, changed) {
  const element = select(values.map((value) => [value, t(`reason.${value}`)]), values[0], changed, optional);
  return { element, value: () => element.value || null };
}

function text(_, changed) {
  const element = input(changed, { maxLength: 500 });
  return { element, value: () => element.value.trim() || null };
}
