// A row of the list: one board.

import { paintClock, serverNow, shownMs } from "/assets/clock.js";
import { html } from "/assets/dom.js";
import { clockNow, isLive, moveAt, pliesOf } from "/assets/state.js";
import { allPlayers, isFour, turnOf } from "/assets/turns.js";
import { resultText } from "/assets/words.js";
import { ageText, badgeOf } from "./badge.js";
import { whatText } from "./left.js";
import { namesText } from "./people.js";
import { numberAt } from "./record-values.js";
import { isShort } from "./urgency.js";

const SIDES = ["white", "black"];

// Cloned, since a thousand rows are made at once.
const template = html("li", "row");
template.innerHTML = `
  <a class="row-link" tabindex="-1"></a>
  <span class="who-plays" data-side="white"><span class="title"></span><span class="name"></span></span>
  <span class="clock" data-side="white"></span>
  <span class="clock" data-side="black"></span>
  <span class="who-plays" data-side="black"><span class="title"></span><span class="name"></span></span>
  <span class="last"></span>
  <span class="badges"></span>`;

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets a data attribute, for which styles are looked through, only where it changes. */
export function setData(element, key, value) {
  if (element.dataset[key] !== value) element.dataset[key] = value;
}

/** The row of the board `name`. */
export class Row {
  constructor(name, desk) {
    this.name = name;
    this.desk = desk;
    this.visible = false;
    this.drawn = false;
    this.element = template.cloneNode(true);
    this.element.dataset.board = name;
    const found = (selector) => this.element.querySelector(selector);
    this.link = found(".row-link");
    this.link.href = `#/board/${encodeURIComponent(name)}`;
    this.link.textContent = name;
    this.players = SIDES.map((side) => found(`.who-plays[data-side=${side}]`));
    this.clocks = SIDES.map((side) => found(`.clock[data-side=${side}]`));
    this.last = found(".last");
    this.badges = found(".badges");
    this.incidents = [];
    this.ages = [];
  }

  /** Shows `board` with the `incidents` that wait there; a row that nobody sees can wait. */
  show(board, incidents) {
    Object.assign(this, { board, incidents, drawn: false });
    if (this.visible) this.draw();
  }

  draw() {
    if (this.drawn || !this.board) return;
    this.drawn = true;
    const { t } = this.desk;
    const { game, state } = this.board;
    for (const [i, side] of SIDES.entries()) {
      // Of partners there is room for the names alone.
      setText(this.players[i].firstChild, isFour(game) ? "" : game?.[side]?.title ?? "");
      setText(this.players[i].lastChild, nameOf(game, side));
    }
    this.element.classList.toggle("over", !isLive(game));
    setData(this.element, "state", state ?? "");
    const standing = this.standing();
    if (this.stood !== standing) this.last.replaceChildren(...standing.split("\n").map((line, i) => html("span", i ? "link" : "", line)));
    this.stood = standing;
    this.showBadges();
    const label = this.label();
    if (this.labelled !== label) this.link.setAttribute("aria-label", label);
    this.labelled = label;
    this.tick(serverNow());
  }

  // The last move or the result, and below it what is wrong with the link.
  standing() {
    const { t } = this.desk;
    const { game, state, doubtful_ply } = this.board;
    const link = state === "lost" || state === "stale" ? `\n${t(`link.${state}`)}` : "";
    if (!game) return t("list.no_game") + link;
    if (!isLive(game)) return (game.result === "*" ? t("list.ended") : resultText(game.result)) + link;
    if (this.board.stage) return t(`stage.${this.board.stage}`) + link;
    const move = numbered(game, this.desk);
    return move + (doubtful_ply && this.board.alternatives?.length ? " ?" : "") + link;
  }

  // The gravest incident by its name, and how many more there are: every row stays one line high.
  showBadges() {
    const left = (one) => one.left?.map((proposal) => proposal.seq).join("+") ?? "";
    const key = this.incidents.map((one) => `${one.record}${one.severity}${left(one)}`).join();
    if (key === this.badged) return;
    this.badged = key;
    this.ages = [];
    const [gravest, ...others] = this.incidents;
    this.badges.replaceChildren();
    if (!gravest) return;
    const badge = badgeOf(gravest, this.desk, this.board.game);
    this.badges.append(badge.element);
    this.ages.push([badge.age, Date.parse(gravest.opened_at)]);
    if (others.length > 0) this.badges.append(this.more(others));
    for (const link of this.badges.children) link.tabIndex = this.link.tabIndex;
    this.age(serverNow());
  }

  more(others) {
    const { t } = this.desk;
    const link = Object.assign(html("a", "more", `+${others.length}`), { href: this.link.href });
    link.title = t("list.more", { n: others.length, names: others.map((one) => this.what(one)).join(", ") });
    link.setAttribute("aria-label", link.title);
    return link;
  }

  /** How long each incident has waited. */
  age(now) {
    for (const [node, opened_ms] of this.ages) setText(node, ageText(now - opened_ms, this.desk.t));
  }

  label() {
    const { t } = this.desk;
    const { game } = this.board;
    const values = { board: this.name, white: nameOf(game, "white"), black: nameOf(game, "black"), state: this.standing().replace("\n", ", ") };
    const names = this.incidents.map((one) => this.what(one));
    return [t(game ? "list.row" : "list.empty_row", values), ...names].join(", ");
  }

  what(incident) {
    return whatText(this.desk, incident, this.board.game);
  }

  tick(now) {
    const game = this.board?.game;
    const clock = clockNow(game);
    for (const [i, side] of SIDES.entries()) {
      const left_ms = shownMs(clock, side, now);
      const running = clock?.running === side;
      paintClock(this.clocks[i], left_ms, running);
      this.clocks[i].classList.toggle("low", isLive(game) && isShort(game, left_ms, running));
    }
  }

  get ticks() {
    return this.visible && clockNow(this.board?.game)?.running != null;
  }

  /** Whether the row, its link and its badges, is where Tab leads. */
  reachable(on) {
    for (const link of this.element.querySelectorAll("a")) link.tabIndex = on ? 0 : -1;
  }

  /** What a search looks at. */
  get text() {
    const game = this.board?.game;
    const players = allPlayers(game).flatMap((player) => [game?.[player]?.name, game?.[player]?.team]);
    return [this.name, ...players].filter(Boolean).join(" ").toLowerCase();
  }
}

function nameOf(game, side) {
  return game ? namesText(game, side) : "";
}

// `12… Nf6`, or of four players `12. h2-h4`, for which there is room; `…` while the last move is not known.
function numbered(game, { san, t }) {
  const ply = pliesOf(game);
  const move = moveAt(game, ply);
  if (!move) return ply > 0 ? "…" : t("list.no_move");
  const number = isFour(game) ? `${turnOf(game, ply).number}.` : numberAt(game, ply);
  return `${number} ${san(move.san)}`;
}
