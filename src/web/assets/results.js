// The results of a round: a row for each game, matches of teams with their scores.

import { toBoard } from "./address.js";
import { html } from "./dom.js";
import { matchesOf, scoreText, teamsOf } from "./matches.js";
import { armyMark } from "./pieces.js";
import { isLive, pliesOf } from "./state.js";
import { isFour, orderOf, playersOf } from "./turns.js";
import { briefly, numberOf, outcomeText, pairName, playerName, resultText, t } from "./words.js";

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

class Row {
  constructor(entry) {
    this.element = html("tr", "result-row");
    const cell = (className) => this.element.appendChild(html("td", className));
    this.number = cell("row-number");
    this.white = cell("row-player");
    this.result = cell("row-result");
    this.black = cell("row-player");
    this.state = cell("row-state");
    this.link = html("a", "row-link");
    this.result.append(this.link);
    this.show(entry);
  }

  show(entry) {
    const { game } = entry;
    setText(this.number, numberOf(entry));
    for (const side of ["white", "black"]) this.player(this[side], game, side);
    const href = toBoard(entry);
    if (this.link.getAttribute("href") !== href) this.link.href = href;
    setText(this.link, game?.annulled ? t("annulled") : !game || game.result === "*" ? "–" : resultText(game.result));
    const told = isFour(game) && !game.annulled && game.result !== "*" ? `, ${outcomeText(game)}` : "";
    this.link.setAttribute("aria-label", `${game ? pairName(game) : ""}: ${this.link.textContent}${told}`);
    const plies = pliesOf(game);
    const last = isLive(game) && plies > 0 ? briefly(game, plies) : "";
    setText(this.state, isLive(game) || game?.awaited ? last || t("not_begun") : plies > 0 ? t("moves", { count: Math.ceil(plies / orderOf(game).length) }) : "");
    this.element.classList.toggle("live", isLive(game));
  }

  player(cell, game, side) {
    const players = playersOf(game, side).map((player) => [player, game?.[player] ?? {}]);
    const key = JSON.stringify([players, game?.match]);
    if (cell.dataset.key === key) return;
    cell.dataset.key = key;
    cell.replaceChildren(...players.map(([player, { title, elo, federation, team }]) => {
      const line = html("span", "row-who", "", { player });
      if (players.length > 1) line.append(armyMark(player));
      line.append(html("span", "title", title ?? ""), html("span", "name", game ? playerName(game, player) : ""));
      const ofOne = players.length > 1 || game?.match ? null : team;
      line.append(html("span", "more", [elo, federation, ofOne].filter(Boolean).join(" · ")));
      return line;
    }));
    // Partners play for one team; that of a match stands over it.
    const team = players.length > 1 && !game?.match && teamsOf(game)[side === "white" ? 0 : 1];
    if (team) cell.append(html("span", "row-team", team));
  }
}

/** The table in `element`. */
export class Results {
  constructor(element) {
    this.element = element;
    this.rows = new Map();
    this.heads = new Map();
    this.shape = "";
  }

  /** Shows `entries` (`{ key, board, game }`), of which `matches(entry)` says whether it is looked for. */
  show(entries, matches) {
    const groups = matchesOf(entries);
    const alone = entries.filter((entry) => entry.game?.match == null && entry.game);
    const shape = JSON.stringify([groups.map((group) => [group.number, group.entries.map(({ key }) => key)]), alone.map(({ key }) => key)]);
    if (shape !== this.shape) this.build(groups, alone);
    this.shape = shape;
    for (const entry of entries) {
      const row = this.rows.get(entry.key);
      if (!row) continue;
      row.show(entry);
      row.element.hidden = !matches(entry);
    }
    for (const group of groups) this.head(group, group.entries.every((entry) => !matches(entry)));
  }

  build(groups, alone) {
    this.rows.clear();
    this.heads.clear();
    const bodies = [...groups, ...(alone.length > 0 ? [{ entries: alone }] : [])].map((group) => {
      const body = html("tbody", "");
      if (group.teams) body.append(this.addHead(group));
      for (const entry of group.entries) {
        const row = new Row(entry);
        this.rows.set(entry.key, row);
        body.append(row.element);
      }
      return body;
    });
    this.element.replaceChildren(...bodies);
  }

  addHead({ number }) {
    const row = html("tr", "match-row", "", { match: number });
    const cells = ["row-number", "team", "match-score", "team", "row-state"].map((name) => html(name === "team" ? "th" : "td", name));
    for (const cell of cells.filter((one) => one.tagName === "TH")) cell.scope = "colgroup";
    row.append(...cells);
    this.heads.set(number, { row, cells });
    return row;
  }

  head({ number, teams, points, over }, hidden) {
    const { row, cells } = this.heads.get(number);
    row.hidden = hidden;
    const [, first, score, second, state] = cells;
    setText(first, teams[0] ?? "?");
    setText(score, scoreText(points));
    setText(second, teams[1] ?? "?");
    setText(state, over ? "" : t("running"));
    row.classList.toggle("running", !over);
  }
}
