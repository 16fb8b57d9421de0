// One board large: players, clocks, the moves, and any position of the game.

import { Board, captured, menOf } from "./board.js";
import { serverNow } from "./clock.js";
import { Moves } from "./moves.js";
import { Player } from "./player.js";
import { clockAt, clockNow, isLive, positionAt } from "./state.js";
import { boardName, doubtText, linkText, numbered, playerName, reasonText, resultText } from "./words.js";

/** The large view in `root`; its running clock is given to `ticker`. */
export class Game {
  constructor(root, ticker) {
    this.root = root;
    this.ticker = ticker;
    this.data = null;
    this.ply = null;
    const part = (name) => root.querySelector(`#${name}`);
    const names = ["board-title", "board-note", "doubt", "result", "last-move", "live", "behind", "large-board"];
    this.parts = Object.fromEntries(names.map((name) => [name, part(name)]));
    this.board = new Board({ coordinates: true });
    this.players = { white: new Player("white"), black: new Player("black") };
    const { black, white } = this.players;
    this.parts["large-board"].append(black.element, this.board.element, white.element);
    this.moves = new Moves(part("moves"), (ply) => this.go(ply));
    const buttons = {
      first: () => this.go(0),
      back: () => this.step(-1),
      forward: () => this.step(1),
      live: () => this.go(Infinity),
      flip: () => this.flip(),
    };
    for (const [id, action] of Object.entries(buttons)) part(id).addEventListener("click", action);
  }

  /** Shows `board`: another one begins live, the same one stays where the reader is. */
  show(board) {
    const another = board.board !== this.data?.board || board.game?.game !== this.shown;
    this.data = board;
    this.shown = board.game?.game;
    if (another) this.ply = null;
    if (this.ply !== null && this.ply >= this.length) this.ply = null;
    this.draw();
    if (!another) this.announce();
    this.announced = this.lastMove();
  }

  /** Forgets the board: nothing here ticks any more. */
  close() {
    this.data = null;
    this.ticker.set(this, false);
    this.parts["last-move"].textContent = "";
  }

  /** Shows the position after `ply` moves; the last one is the live one. */
  go(ply) {
    if (!this.data) return;
    this.ply = ply >= this.length ? null : Math.max(0, ply);
    this.draw();
  }

  step(by) {
    this.go((this.ply ?? this.length) + by);
  }

  flip() {
    this.board.flip(!this.board.flipped);
    this.root.classList.toggle("flipped", this.board.flipped);
  }

  tick(now) {
    const clock = this.clock();
    for (const player of Object.values(this.players)) player.tick(clock, now);
  }

  get length() {
    return this.data?.game?.moves.length ?? 0;
  }

  draw() {
    const game = this.data.game;
    const ply = this.ply ?? this.length;
    const { fen, uci, check } = positionAt(game, ply);
    this.board.show(fen, uci, check);
    this.board.element.setAttribute("aria-label", this.boardLabel(game, ply));
    const taken = game && captured(game.start, fen);
    for (const player of Object.values(this.players)) player.show(game, taken?.[player.side]);
    this.write(game, fen);
    this.moves.show(game, ply);
    this.tick(serverNow());
    this.ticker.set(this, this.clock()?.running != null);
  }

  write(game, fen) {
    const { parts } = this;
    parts["board-title"].textContent = boardName(this.data.board);
    const round = game?.round ? `Round ${game.round}` : "";
    const unknown = game && !menOf(fen) ? "this board cannot be drawn here" : "";
    const nobody = game ? "" : "no game yet";
    const notes = [round, game?.time_control, linkText(this.data), unknown, nobody];
    parts["board-note"].textContent = notes.filter(Boolean).join(" · ");
    const doubt = doubtText(this.data);
    parts.doubt.hidden = doubt === "";
    parts.doubt.querySelector(".text").textContent = doubt;
    parts.result.textContent = this.resultLine(game);
    parts.result.hidden = parts.result.textContent === "";
    const behind = this.ply === null ? 0 : this.length - this.ply;
    parts.live.setAttribute("aria-pressed", String(behind === 0));
    parts.live.querySelector(".text").textContent = isLive(game) || !game ? "Live" : "End";
    parts.live.classList.toggle("over", !isLive(game));
    parts.behind.textContent = behind > 0 ? `+${behind}` : "";
    this.root.classList.toggle("past", behind > 0);
  }

  resultLine(game) {
    if (!game || isLive(game)) return "";
    const result = game.result === "*" ? "Game closed without a result" : resultText(game.result);
    return [result, reasonText(game.reason)].filter(Boolean).join(" · ");
  }

  // The past has the times that its move had; only the present runs.
  clock() {
    const game = this.data?.game;
    return this.ply === null ? clockNow(game) : clockAt(game, this.ply);
  }

  boardLabel(game, ply) {
    if (!game) return "Empty board";
    const where = ply > 0 ? `after ${numbered(game, ply)}` : "at the start";
    return `${playerName(game, "white")} against ${playerName(game, "black")}, position ${where}`;
  }

  lastMove() {
    const game = this.data?.game;
    return game && this.length > 0 ? numbered(game, this.length) : "";
  }

  // For those who hear the page: the last move, once.
  announce() {
    const last = this.lastMove();
    if (last !== this.announced) this.parts["last-move"].textContent = last;
  }
}
