// One board large: players, clocks, the moves, and any position of the game.

import { Board } from "./board.js";
import { captured } from "./captured.js";
import { serverNow } from "./clock.js";
import { Moves } from "./moves.js";
import { menOf } from "./placement.js";
import { Player } from "./player.js";
import { clockAt, clockNow, isLive, isWhole, pliesOf, positionAt } from "./state.js";
import { onSwipe } from "./swipe.js";
import { allPlayers, emptyBoard } from "./turns.js";
import { boardName, delayText, doubtText, linkText, numbered, outcomeText, playerName, reasonText, sanText, sideName, t, timeControlText } from "./words.js";

/** The large view in `root`; its running clock is given to `ticker`. */
export class Game {
  constructor(root, ticker, lagOf) {
    this.root = root;
    this.ticker = ticker;
    this.lagOf = lagOf;
    this.data = null;
    this.ply = null;
    const part = (name) => root.querySelector(`#${name}`);
    const names = ["board-title", "board-note", "doubt", "threat", "result", "last-move", "live", "behind", "large-board", "pgn", "gif"];
    this.parts = Object.fromEntries(names.map((name) => [name, part(name)]));
    this.board = new Board({ coordinates: sanText });
    this.players = { white: new Player("white"), black: new Player("black") };
    const { black, white } = this.players;
    this.parts["large-board"].append(black.element, this.board.element, white.element);
    this.moves = new Moves(part("moves"), (ply) => this.go(ply), sanText);
    const buttons = {
      first: () => this.go(0),
      back: () => this.step(-1),
      forward: () => this.step(1),
      live: () => this.go(Infinity),
      flip: () => this.flip(),
    };
    for (const [id, action] of Object.entries(buttons)) part(id).addEventListener("click", action);
    onSwipe(this.parts["large-board"], (by) => this.step(by));
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
    // What is not known cannot be shown; it is on its way.
    if (!this.data || (this.data.game && !isWhole(this.data.game))) return;
    this.ply = ply >= this.length ? null : Math.max(0, ply);
    this.draw();
  }

  step(by) {
    this.go((this.ply ?? this.length) + by);
  }

  flip() {
    this.board.turn();
    this.turned();
  }

  // The team below is that of the seat below, or of the one at its right hand.
  turned() {
    this.root.classList.toggle("flipped", this.board.isBlackBelow);
  }

  tick(now) {
    const clock = this.clock();
    const lag_ms = this.data ? 1000 * this.lagOf(this.data) : 0;
    for (const player of Object.values(this.players)) player.tick(clock, now - lag_ms);
  }

  get length() {
    return pliesOf(this.data?.game);
  }

  draw() {
    const game = this.data.game;
    const ply = this.ply ?? this.length;
    const { fen, uci, check } = positionAt(game, ply);
    this.board.show(fen ?? emptyBoard(this.data), uci, check);
    this.board.element.setAttribute("aria-label", this.boardLabel(game, ply));
    const taken = game && captured(game.start, fen);
    const turn = isLive(game) || this.ply !== null ? fen : null;
    for (const player of Object.values(this.players)) player.show(game, taken?.[player.side], turn);
    this.turned();
    this.write(game, fen);
    this.moves.show(game && isWhole(game) ? game : null, ply);
    this.tick(serverNow());
    this.ticker.set(this, this.clock()?.running != null);
  }

  write(game, fen) {
    const { parts } = this;
    parts["board-title"].textContent = boardName(this.data.board);
    const round = game?.round ? t("round", { round: game.round }) : "";
    const unknown = game && !menOf(fen) ? t("not_drawn") : "";
    const nobody = game ? "" : t("no_game_yet");
    const delay = isLive(game) || game?.awaited ? delayText(this.data.delay_s) : "";
    const notes = [round, timeControlText(game?.time_control), delay, linkText(this.data), unknown, nobody];
    parts["board-note"].textContent = notes.filter(Boolean).join(" · ");
    const doubt = doubtText(this.data);
    parts.doubt.hidden = doubt === "";
    parts.doubt.querySelector(".text").textContent = doubt;
    const threats = isLive(game) && this.ply === null ? allPlayers(game).filter((player) => game.threats?.includes(player)) : [];
    parts.threat.textContent = threats.map((player) => t("mate_threat", { player: playerName(game, player) })).join(" · ");
    parts.threat.hidden = threats.length === 0;
    parts.result.textContent = this.resultLine(game);
    parts.result.hidden = parts.result.textContent === "";
    const behind = this.ply === null ? 0 : this.length - this.ply;
    parts.live.setAttribute("aria-pressed", String(behind === 0));
    parts.live.querySelector(".text").textContent = t(isLive(game) || !game || game.awaited ? "live" : "end");
    parts.live.classList.toggle("over", !isLive(game) && !game?.awaited);
    parts.behind.textContent = behind > 0 ? `+${behind}` : "";
    this.root.classList.toggle("past", behind > 0);
    this.offer(game);
  }

  // What can be taken home.
  offer(game) {
    const { pgn, gif } = this.parts;
    const path = game ? `/api/v1/games/${encodeURIComponent(game.game)}` : "";
    pgn.hidden = !game;
    gif.hidden = !game || game.result === "*" || pliesOf(game) === 0;
    if (pgn.getAttribute("href") !== `${path}.pgn`) pgn.href = `${path}.pgn`;
    if (gif.getAttribute("href") !== `${path}/game.gif`) gif.href = `${path}/game.gif`;
  }

  resultLine(game) {
    if (game?.annulled) return t("annulled");
    if (!game || isLive(game)) return "";
    if (game.awaited) return t("not_begun");
    const result = game.result === "*" ? t("closed") : outcomeText(game);
    return [result, reasonText(game.reason)].filter(Boolean).join(" · ");
  }

  // The past has the times that its move had; only the present runs.
  clock() {
    const game = this.data?.game;
    return this.ply === null ? clockNow(game) : clockAt(game, this.ply);
  }

  boardLabel(game, ply) {
    if (!game) return t("board_empty");
    const where = ply > 0 ? t("last_position", { move: numbered(game, ply) }) : t("start_position");
    return t("playing", { white: sideName(game, "white"), black: sideName(game, "black"), where });
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
