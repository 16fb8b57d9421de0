// The list of moves: the turns of a round with the times left, each a button that shows its position.

import { timeText } from "./clock.js";
import { html } from "./dom.js";
import { armyMark } from "./pieces.js";
import { isFour, orderOf, turnOf } from "./turns.js";
import { t } from "./words.js";

/** A list in `element`; `chosen(ply)` is called for a click on a move; `san` writes a move for the reader. */
export class Moves {
  constructor(element, chosen, san = (text) => text) {
    this.element = element;
    this.san = san;
    this.notes = new Map();
    this.clear(null);
    element.addEventListener("click", (event) => {
      const button = event.target.closest("[data-ply]");
      if (button) chosen(Number(button.dataset.ply));
    });
  }

  /** Shows the moves of `game`, drawing only those that changed, and marks `ply`. */
  show(game, ply) {
    if (game?.game !== this.game?.game || game?.start !== this.game?.start) this.clear(game);
    this.game = game;
    const moves = game?.moves ?? [];
    let same = 0;
    while (same < this.drawn.length && this.drawn[same].move === moves[same]) same++;
    // A move that was only completed keeps its place; from any other change on, the list is drawn anew.
    if (same < this.drawn.length && this.drawn.length <= moves.length) same = this.refresh(same, moves);
    this.cut(same);
    for (const move of moves.slice(same)) this.append(move);
    this.mark(ply);
  }

  /** Notes at moves, by ply: `{ kind, words }` marks the move with a class and tells why. */
  annotate(notes) {
    this.notes = notes;
    for (const { move, button } of this.drawn) this.dress(button, move);
  }

  clear(game) {
    this.game = game;
    this.drawn = [];
    this.marked = null;
    this.element.replaceChildren();
    this.element.classList.toggle("of-four", isFour(game));
    if (isFour(game)) this.element.append(this.heads(game));
  }

  // A column for each of four players.
  heads(game) {
    const row = html("li", "pair heads");
    row.append(html("span", "number"));
    for (const player of orderOf(game)) {
      const head = html("span", "head", "", { player });
      head.append(armyMark(player), html("span", "", t(player)));
      row.append(head);
    }
    return row;
  }

  refresh(from, moves) {
    for (let i = from; i < this.drawn.length; i++) {
      const [drawn, move] = [this.drawn[i], moves[i]];
      if (drawn.move.uci !== move.uci || drawn.move.fen !== move.fen) return i;
      drawn.move = move;
      this.dress(drawn.button, move);
    }
    return this.drawn.length;
  }

  cut(length) {
    for (const { button } of this.drawn.splice(length)) {
      const row = button.parentElement;
      button.remove();
      if (!row.querySelector("[data-ply]")) row.remove();
    }
  }

  append(move) {
    const { number, column, player } = turnOf(this.game, move.ply);
    const button = html("button", "move", "", { ply: move.ply, side: move.side, player });
    button.type = "button";
    this.dress(button, move);
    let row = this.element.lastElementChild;
    // The first child is the number.
    const taken = () => row.childElementCount - 1;
    if (!row || row.matches(".heads") || taken() > column) {
      row = html("li", "pair");
      row.append(html("span", "number", `${number}`));
      this.element.append(row);
    }
    while (taken() < column) row.append(html("span", "move none", "…"));
    row.append(button);
    this.drawn.push({ move, button });
  }

  mark(ply) {
    const button = this.drawn[ply - 1]?.button ?? null;
    if (button === this.marked && button?.classList.contains("current")) return;
    this.marked?.classList.remove("current");
    this.marked?.removeAttribute("aria-current");
    this.marked = button;
    button?.classList.add("current");
    button?.setAttribute("aria-current", "true");
    this.reveal(button);
  }

  // Scrolls the list alone: the page must not jump under the reader at every move.
  reveal(button) {
    const list = this.element;
    if (!button) {
      list.scrollTop = 0;
      return;
    }
    const row = button.parentElement;
    const heads = list.querySelector(".heads")?.offsetHeight ?? 0;
    const top = row.offsetTop - list.offsetTop;
    if (top - heads < list.scrollTop) list.scrollTop = top - heads;
    else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top + row.offsetHeight - list.clientHeight;
    }
  }

  dress(button, move) {
    const san = html("span", "san", this.san(move.san));
    const time = html("span", "time", timeText(move.clock?.[`${move.side}_ms`]));
    button.replaceChildren(san, time);
    // A move that is announced may still be withdrawn.
    button.classList.toggle("announced", !move.completed);
    // An illegal move that stands is part of the game, and no move that a program would play.
    const stands = move.legal === false;
    button.classList.toggle("illegal", stands);
    const note = this.notes.get(move.ply);
    button.title = note?.words ?? (stands ? t("illegal") : "");
    if (note) {
      button.dataset.note = note.kind;
      san.append(html("span", "heard", ` (${note.words})`));
    } else delete button.dataset.note;
  }
}
