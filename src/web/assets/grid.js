// The grid: a card for each board.

import { Board, captured } from "./board.js";
import { serverNow } from "./clock.js";
import { html } from "./dom.js";
import { Player } from "./player.js";
import { clockNow, isLive, positionAt } from "./state.js";
import { boardName, linkText, numbered, resultText } from "./words.js";

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
  constructor(name) {
    this.visible = false;
    this.element = html("a", "card", "", { board: name });
    this.element.href = `#/board/${encodeURIComponent(name)}`;
    this.status = html("span", "card-status");
    this.link = html("span", "link-state");
    const head = html("span", "card-head");
    head.append(html("span", "board-name", boardName(name)), this.link, this.status);
    this.black = new Player("black");
    this.white = new Player("white");
    this.board = new Board();
    this.board.element.setAttribute("aria-hidden", "true");
    this.element.append(head, this.black.element, this.board.element, this.white.element);
  }

  show(board) {
    this.data = board;
    const game = board.game;
    this.element.dataset.live = isLive(game);
    this.element.dataset.state = board.state ?? "";
    this.element.classList.toggle("no-game", !game);
    this.link.textContent = linkText(board);
    this.status.textContent = cardStatus(game);
    const taken = game && captured(game.start, positionAt(game, game.moves.length).fen);
    for (const player of [this.white, this.black]) player.show(game, taken?.[player.side]);
    this.draw();
    this.tick(serverNow());
  }

  // The men of a board that nobody sees are not worth drawing.
  draw() {
    if (!this.visible || !this.data) return;
    const game = this.data.game;
    const { fen, uci, check } = positionAt(game, game?.moves.length ?? 0);
    this.board.show(fen, uci, check);
  }

  tick(now) {
    const clock = clockNow(this.data?.game);
    for (const player of [this.white, this.black]) player.tick(clock, now);
  }

  get ticks() {
    return this.visible && clockNow(this.data?.game)?.running != null;
  }
}

function cardStatus(game) {
  if (!game) return "no game";
  if (!isLive(game)) return game.result === "*" ? "ended" : resultText(game.result);
  return game.moves.length > 0 ? numbered(game, game.moves.length) : "";
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

/** All cards, in `element`; running clocks are given to `ticker`. */
export class Grid {
  constructor(element, ticker) {
    this.element = element;
    this.ticker = ticker;
    this.cards = new Map();
    this.words = [];
    this.observer = new IntersectionObserver((entries) => this.seen(entries), { rootMargin: MARGIN });
  }

  /** Shows all of `boards` and nothing else. */
  load(boards) {
    for (const [name, card] of this.cards) {
      if (!boards.has(name)) this.remove(name, card);
    }
    for (const board of boards.values()) this.show(board);
    this.order(boards);
  }

  /** Shows one board, of which something changed; answers whether it is new. */
  show(board) {
    const fresh = !this.cards.has(board.board);
    if (fresh) this.add(board.board);
    const card = this.cards.get(board.board);
    card.show(board);
    card.element.hidden = !this.matches(board);
    this.ticker.set(card, card.ticks);
    return fresh;
  }

  /** Puts the cards into the order of `boards`. */
  order(boards) {
    const cards = [...boards.keys()].map((name) => this.cards.get(name).element);
    cards.forEach((card, i) => {
      if (this.element.children[i] !== card) this.element.insertBefore(card, this.element.children[i] ?? null);
    });
    this.resize();
  }

  /** Makes the cards as large as so many can be on this screen. */
  resize() {
    const { left, top, width } = this.element.getBoundingClientRect();
    // Hidden behind the large board, it has no size.
    if (width === 0) return;
    const count = [...this.cards.values()].filter((card) => !card.element.hidden).length;
    const best = fit(count, width, innerHeight - (top + scrollY) - left);
    this.element.classList.toggle("fits", best !== null);
    this.element.style.setProperty("--columns", best?.columns ?? 0);
    this.element.style.setProperty("--card-width", `${best?.width ?? 0}px`);
  }

  /** Shows only boards that have all of `words` in their names. */
  filter(words) {
    this.words = words;
    for (const card of this.cards.values()) card.element.hidden = !this.matches(card.data);
    this.resize();
  }

  matches({ board, game }) {
    const players = ["white", "black"].flatMap((side) => [game?.[side]?.name, game?.[side]?.team]);
    const text = [boardName(board), ...players].join(" ").toLowerCase();
    return this.words.every((word) => text.includes(word));
  }

  add(name) {
    const card = new Card(name);
    this.cards.set(name, card);
    this.element.append(card.element);
    this.observer.observe(card.element);
  }

  remove(name, card) {
    this.observer.unobserve(card.element);
    this.ticker.set(card, false);
    card.element.remove();
    this.cards.delete(name);
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = this.cards.get(target.dataset.board);
      if (!card) continue;
      card.visible = isIntersecting;
      card.draw();
      card.tick(serverNow());
      this.ticker.set(card, card.ticks);
    }
  }
}
