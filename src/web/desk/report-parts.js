// Parts of what is printed: its head, diagrams, lines to write on.

import { Board } from "/assets/board.js";
import { html } from "/assets/dom.js";
import { geometryOf } from "/assets/geometry.js";
import { teamsOf } from "/assets/matches.js";
import { allPlayers, isFour, toMove } from "/assets/turns.js";
import { sideWord } from "./people.js";
import { san, t } from "./words.js";

/** `3 May 2026`, in the language of the page. */
export function dateText(at) {
  // English is read everywhere: day before month.
  const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  return new Date(at).toLocaleDateString(language, { day: "numeric", month: "long", year: "numeric" });
}

/** Event, place, date, round and board of `game`, below the title of the paper. */
export function head(desk, title, game, at, extra = "") {
  const { tournament } = desk.state;
  const element = html("header", "paper-head");
  const words = html("div", "paper-title");
  words.append(html("h1", "", title), html("span", "paper-extra", extra));
  const rows = [
    [t("report.event"), tournament.name], [t("report.place"), tournament.site], [t("report.date"), dateText(at)],
    [t("report.round"), game?.round], [t("report.board"), game?.board],
    [t("report.time_control"), game?.time_control],
  ];
  element.append(words, pairs(rows, "paper-facts"));
  return element;
}

/** Names and values; what is not known is left out. */
export function pairs(rows, className) {
  const list = html("dl", className);
  for (const [name, value] of rows) {
    if (value == null || value === "") continue;
    const pair = html("div", "");
    const dd = html("dd", "");
    dd.append(value);
    pair.append(html("dt", "", name), dd);
    list.append(pair);
  }
  return list;
}

/** The players of `game`, with what else is known of them. */
export function players(game) {
  const rows = allPlayers(game).map((side) => {
    const player = game?.[side] ?? {};
    const known = [player.title, player.name].filter(Boolean).join(" ") || "–";
    const more = [player.elo, player.federation, player.fide_id && `${t("report.title_fide")} ${player.fide_id}`, isFour(game) ? null : player.team];
    const value = html("span", "");
    value.append(html("strong", "", known), " ", html("span", "small", more.filter(Boolean).join(" · ")));
    return [t(`side.${side}`), value];
  });
  // Partners play for one team.
  if (isFour(game)) teamsOf(game).forEach((team, i) => rows.push([sideWord(game, ["white", "black"][i]), team]));
  return pairs(rows, "paper-players");
}

/** A diagram with its title; squares of the incident are framed. */
export function diagram(title, fen, squares = [], note = "") {
  const figure = html("figure", "diagram");
  const board = new Board({ coordinates: san });
  board.highlight({ about: squares });
  board.show(fen, null);
  board.element.setAttribute("aria-label", title);
  const caption = html("figcaption", "");
  const side = toMove({ variant: geometryOf(fen)?.seats === 4 ? "four-player" : "chess" }, fen);
  caption.append(html("strong", "", title), html("span", "small", [note, side && t("report.to_move", { side: t(`side.${side}`) })].filter(Boolean).join(" · ")));
  figure.append(caption, board.element);
  return figure;
}

export function section(title, ...parts) {
  const element = html("section", "paper-part");
  element.append(html("h2", "", title), ...parts);
  return element;
}

/** Lines to write on, each with what belongs there. */
export function lines(...names) {
  const element = html("div", "paper-lines");
  for (const name of names) {
    const line = html("div", "line");
    line.append(html("span", "", name));
    element.append(line);
  }
  return element;
}

/** A table of `rows` under `head`. */
export function table(head, rows, className) {
  const element = html("table", className);
  const tr = (cells, name) => {
    const row = document.createElement("tr");
    for (const cell of cells) {
      const td = document.createElement(name);
      if (name === "th") td.scope = "col";
      td.append(cell ?? "");
      row.append(td);
    }
    return row;
  };
  const thead = document.createElement("thead");
  thead.append(tr(head, "th"));
  const body = document.createElement("tbody");
  body.append(...rows.map((row) => tr(row, "td")));
  element.append(thead, body);
  return element;
}
