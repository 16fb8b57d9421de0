// The grid: a card for each board.

import { Board } from "./board.js";
import { captured } from "./captured.js";
import { serverNow } from "./clock.js";
import { html } from "./dom.js";
import { Player } from "./player.js";
import { clockNow, isLive, pliesOf, positionAt } from "./state.js";
import { emptyBoard } from "./turns.js";
import { boardName, briefly, linkText, numberOf, resultText, t } from "./words.js";
import { EMBEDDED, toBoard } from "./address.js";
import { matchesOf, scoreText } from "./matches.js";

// Boards are drawn this far outside the screen, so that scrolling meets no empty ones.
const MARGIN = "400px";

// Pixels, as in style.css: between cards, what a card is higher than wide, the narrowest card that is
// read with ease across a table.
const GAP = 16;
const CARD_TEXT = 122;
const LEAST = 200;

// From this width on, with the card's margins, the text on a card is larger, by this height in all.
const WIDE = 342;
const WIDE_TEXT = 32;

class Card {
  constructor(key) {
    this.visible = false;
    this.element = html("a", "card", "", { key });
    if (EMBEDDED) this.element.target = "_blank";
    this.name = html("span", "board-name");
    this.status = html("span", "card-status");
    this.link = html("span", "link-state");
    const head = html("span", "card-head");
    head.append(this.name, this.link, this.status);
    this.black = new Player("black");
    this.white = new Player("white");
    this.board = new Board();
    this.board.element.setAttribute("aria-hidden", "true");
    this.element.append(head, this.black.element, this.board.element, this.white.element);
  }

  /** Shows `board`; `lag_s` seconds is its time behind that of the others. */
  show(board, lag_s) {
    this.data = board;
    this.lag_ms = 1000 * lag_s;
    const game = board.game;
    const href = toBoard(board);
    if (this.element.getAttribute("href") !== href) this.element.href = href;
    this.element.dataset.board = board.board;
    this.name.textContent = game?.match ? numberOf(board) : boardName(board.board);
    this.element.dataset.live = isLive(game);
    this.element.dataset.state = board.state ?? "";
    this.element.classList.toggle("no-game", !game);
    this.link.textContent = linkText(board);
    this.status.textContent = cardStatus(game);
    const { fen } = positionAt(game, pliesOf(game));
    const taken = game && captured(game.start, fen);
    for (const player of [this.white, this.black]) player.show(game, taken?.[player.side], isLive(game) ? fen : null);
    this.draw();
    this.tick(serverNow());
  }

  // The men of a board that nobody sees are not worth drawing.
  draw() {
    if (!this.visible || !this.data) return;
    const game = this.data.game;
    const { fen, uci, check } = positionAt(game, pliesOf(game));
    this.board.show(fen ?? emptyBoard(this.data), uci, check);
  }

  tick(now) {
    const clock = clockNow(this.data?.game);
    for (const player of [this.white, this.black]) player.tick(clock, now - this.lag_ms);
  }

  get ticks() {
    return this.visible && clockNow(this.data?.game)?.running != null;
  }
}

function cardStatus(game) {
  if (!game) return t("no_game");
  if (game.annulled) return t("annulled");
  if (game.awaited) return t("not_begun");
  if (!isLive(game)) return game.result === "*" ? t("ended") : resultText(game.result);
  // A move that was taken back may leave one that is not known here.
  return game.moves.length > 0 ? briefly(game, pliesOf(game)) : "";
}

/**
 * How `count` cards fit into `width` by `height` pixels without scrolling, as large as they can be:
 * `{ columns, width }`, or null if they would be too small to read.
 */
export function fit(count, width, height) {
  let best = { columns: 0, width: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const across = (width - GAP * (columns - 1)) / columns;
    const down = (height - GAP * (rows - 1)) / rows - CARD_TEXT;
    let size = Math.floor(Math.min(across, down));
    if (size >= WIDE) size = Math.max(WIDE - 1, Math.floor(Math.min(across, down - WIDE_TEXT)));
    if (size > best.width) best = { columns, width: size };
  }
  return best.width >= LEAST ? best : null;
}

/** The line above the boards of a match: both teams and how it stands. */
class MatchHead {
  constructor(number) {
    this.element = html("h3", "match", "", { match: number });
    this.teams = [html("span", "team"), html("span", "team")];
    this.score = html("span", "match-score");
    this.element.append(this.teams[0], this.score, this.teams[1]);
  }

  show({ teams, points, over }) {
    teams.forEach((team, i) => { this.teams[i].textContent = team ?? "?"; });
    this.score.textContent = scoreText(points);
    this.element.classList.toggle("running", !over);
  }
}

/** All cards, in `element`; running clocks are given to `ticker`. */
export class Grid {
  constructor(element, ticker, lagOf) {
    this.element = element;
    this.ticker = ticker;
    this.lagOf = lagOf;
    this.cards = new Map();
    this.heads = new Map();
    this.observer = new IntersectionObserver((entries) => this.seen(entries), { rootMargin: MARGIN });
  }

  /** Shows `entries` (`{ key, board, game }`) in their order and nothing else; `matches(entry)` says which are looked for. */
  load(entries, matches) {
    this.entries = entries;
    this.matches = matches;
    const keys = new Set(entries.map(({ key }) => key));
    for (const [key, card] of this.cards) {
      if (!keys.has(key)) this.remove(key, card);
    }
    for (const entry of entries) this.one(entry);
    this.order();
  }

  /** Shows one of the entries, of which something changed. */
  show(entry) {
    this.one(entry);
    if (entry.game?.match) this.order();
  }

  one(entry) {
    if (!this.cards.has(entry.key)) this.add(entry.key);
    const card = this.cards.get(entry.key);
    card.show(entry, this.lagOf(entry));
    card.element.hidden = !this.matches(entry);
    this.ticker.set(card, card.ticks);
  }

  // Boards of a match stand together under their head, all others behind them.
  order() {
    const matches = matchesOf(this.entries);
    const alone = this.entries.filter((entry) => entry.game?.match == null);
    const numbers = new Set(matches.map(({ number }) => number));
    for (const [number, { element }] of this.heads) {
      if (!numbers.has(number)) {
        element.remove();
        this.heads.delete(number);
      }
    }
    const card = ({ key }) => this.cards.get(key).element;
    const nodes = matches.flatMap((match) => [this.head(match), ...match.entries.map(card)]);
    nodes.push(...alone.map(card));
    nodes.forEach((node, i) => {
      if (this.element.children[i] !== node) this.element.insertBefore(node, this.element.children[i] ?? null);
    });
    this.resize();
  }

  head(match) {
    if (!this.heads.has(match.number)) this.heads.set(match.number, new MatchHead(match.number));
    const head = this.heads.get(match.number);
    head.show(match);
    head.element.hidden = match.entries.every((entry) => !this.matches(entry));
    return head.element;
  }

  /** Makes the cards as large as so many can be on this screen. */
  resize() {
    const { left, top, width } = this.element.getBoundingClientRect();
    // Hidden behind the large board, it has no size.
    if (width === 0) return;
    const count = [...this.cards.values()].filter((card) => !card.element.hidden).length;
    const foot = document.getElementById("foot")?.offsetHeight ?? 0;
    const best = this.heads.size > 0 ? this.rows(width) : fit(count, width, innerHeight - (top + scrollY) - Math.max(left, foot + GAP));
    this.element.classList.toggle("fits", best !== null);
    this.element.style.setProperty("--columns", best?.columns ?? 0);
    this.element.style.setProperty("--card-width", `${best?.width ?? 0}px`);
  }

  // The boards of a match stand in one row, if the screen is wide enough for that.
  rows(width) {
    const columns = Math.max(...matchesOf(this.entries).map((match) => match.entries.length));
    const size = Math.floor((width - GAP * (columns - 1)) / columns);
    return size >= LEAST ? { columns, width: Math.min(size, WIDE - 1) } : null;
  }

  add(key) {
    const card = new Card(key);
    this.cards.set(key, card);
    this.element.append(card.element);
    this.observer.observe(card.element);
  }

  remove(key, card) {
    this.observer.unobserve(card.element);
    this.ticker.set(card, false);
    card.element.remove();
    this.cards.delete(key);
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = this.cards.get(target.dataset.key);
      if (!card) continue;
      card.visible = isIntersecting;
      card.draw();
      card.tick(serverNow());
      this.ticker.set(card, card.ticks);
    }
  }
}
