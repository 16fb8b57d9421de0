// What is known of the boards: a snapshot, and the events after it.
//
// No drawing here and no chess: positions come as FENs, moves as lists. Everything else on the page
// is a picture of this state.

import { shownMs } from "./clock.js";

// Events that carry a game's result.
const OUTCOMES = ["result-signalled", "checkmate", "stalemate", "dead-position", "game-over"];

// An outcome with one of these no longer holds.
const WITHDRAWN = ["withdrawn", "rejected", "expired"];

const LINK_STATES = { "board-connected": "fresh", "board-stale": "stale", "board-lost": "lost" };

/** An event that does not fit: something was missed, and a new snapshot is needed. */
export class Gap extends Error {}

/** All boards, by name in the order of the hall. */
export class State {
  constructor() {
    this.boards = new Map();
    this.tournament = { name: null, site: null };
    this.desk = false;
    this.journal = "ok";
    this.speed = 1;
    this.delay_s = 0;
  }

  /** Replaces everything by `snapshot`. */
  load(snapshot) {
    this.tournament = snapshot.tournament ?? { name: null, site: null };
    this.desk = snapshot.desk === true;
    this.journal = snapshot.journal ?? "ok";
    this.speed = snapshot.speed ?? 1;
    this.delay_s = snapshot.delay_s ?? 0;
    this.boards = new Map();
    for (const board of snapshot.boards) this.boards.set(board.board, { ...board });
    this.sort();
  }

  /** Takes one event; answers with the board that changed, or null if none did. */
  apply(type, event) {
    if (type in LINK_STATES) return this.link(event.board, LINK_STATES[type]);
    if (type === "game-opened") return this.open(event);
    if (type === "alternatives") return this.doubt(event);
    if (type === "game-changed") this.goesOn(event);
    const board = this.boards.get(event.board);
    if (!board?.game || board.game.game !== event.game) {
      if (type === "move-made") throw new Gap(`a move of ${event.game}, which is not known`);
      return null;
    }
    return change(board.game, type, event) ? board : null;
  }

  /** By how many seconds the time of `board` is behind that of the others, if it has a delay of its own. */
  lagOf(board) {
    return board.delay_s === undefined ? 0 : board.delay_s - this.delay_s;
  }

  link(name, state) {
    const board = this.board(name);
    board.state = state;
    return board;
  }

  // The arbiter's pages alone are told: the moves that ply `doubtful_ply` may have been.
  doubt({ board: name, doubtful_ply, alternatives }) {
    const board = this.board(name);
    Object.assign(board, { doubtful_ply, alternatives });
    return board;
  }

  open(event) {
    const board = this.board(event.board);
    const game = { game: event.game, board: event.board, opened_at: event.at };
    Object.assign(game, { moves: [], clock: null, closed: false });
    describe(game, event);
    // Before it begins, a game may be given another board.
    for (const other of this.boards.values()) {
      if (other.game?.game === event.game) other.game = null;
    }
    board.game = game;
    return board;
  }

  /**
   * Takes what `boards` show, by name the name of the game, of which the `games` are awaited: who plays is known, and
   * nothing else yet. `find` knows other games by their names.
   */
  awaits({ boards, games }, find) {
    const awaited = new Map(games.map((game) => [game.game, game]));
    for (const [name, wanted] of Object.entries(boards)) {
      const board = this.board(name);
      // What was seen begin goes on.
      if (board.game && !board.game.awaited && (!board.game.closed || board.game.game === wanted)) continue;
      board.game = awaited.get(wanted) ?? find(wanted) ?? null;
      if (wanted && !board.game) throw new Gap(`board ${name} shows ${wanted}, which is not known`);
    }
  }

  // What is said of a game is said by the board at which it is played: it may have gone there from another one.
  goesOn({ board: name, game }) {
    const left = [...this.boards.values()].find((other) => other.board !== name && other.game?.game === game);
    if (!left) return;
    this.board(name).game = Object.assign(left.game, { board: name });
    left.game = null;
  }

  board(name) {
    if (!this.boards.has(name)) {
      this.boards.set(name, { board: name, state: null, game: null });
      this.sort();
    }
    return this.boards.get(name);
  }

  // Board 10 comes after board 9.
  sort() {
    const order = new Intl.Collator("en", { numeric: true }).compare;
    this.boards = new Map([...this.boards].sort(([a], [b]) => order(a, b)));
  }
}

/** Takes an event of `game`; answers whether something changed. */
export function change(game, type, event) {
  if (OUTCOMES.includes(type)) return outcome(game, type, event);
  switch (type) {
    // Of a closed game the board knows no longer what was ruled since.
    case "game-changed": describe(game, game.closed ? { ...event, result: undefined } : event); return true;
    case "game-closed": game.result = event.result ?? game.result; game.closed = true; return true;
    case "move-made": return moveMade(game, event);
    case "move-completed": return moveCompleted(game, event);
    case "move-retracted": return moveRetracted(game, event);
    case "result-changed": return resultChanged(game, event);
    case "game-annulled": game.annulled = !WITHDRAWN.includes(event.status); return true;
    case "clock-read": game.clock = clock(event); return true;
    case "mate-threat": return threat(game, event);
    default: return false;
  }
}

function describe(game, event) {
  for (const key of ["round", "number", "variant", "start", "time_control", "white", "black", "red", "blue", "result"]) {
    if (event[key] !== undefined) game[key] = event[key];
  }
  game.match = event.match ?? undefined;
}

/** How many moves `game` has; a snapshot may hold the last ones only. */
export function pliesOf(game) {
  return game?.plies ?? game?.moves.length ?? 0;
}

// Where the move `ply` is in the list of those that are known.
function indexOf(game, ply) {
  return ply - 1 - (pliesOf(game) - game.moves.length);
}

/** The move `ply` of `game`, from 1; undefined if there is none, or if it is not known here. */
export function moveAt(game, ply) {
  return game?.moves[indexOf(game, ply)];
}

function moveMade(game, { ply, side, player, san, uci, fen, legal, clock }) {
  if (ply !== pliesOf(game) + 1) throw new Gap(`ply ${ply} after ${pliesOf(game)}`);
  game.moves.push({ ply, side, player, san, uci, fen, legal, clock, completed: false });
  if (game.plies !== undefined) game.plies = ply;
  return true;
}

function moveCompleted(game, { ply, clock }) {
  const move = moveAt(game, ply);
  if (!move) return false;
  // A new object: the move list sees by identity what changed.
  game.moves[indexOf(game, ply)] = { ...move, clock: clock ?? move.clock, completed: true };
  return true;
}

function moveRetracted(game, { ply, fen }) {
  if (ply > pliesOf(game)) return true;
  game.moves.length = Math.max(0, indexOf(game, ply));
  if (game.plies !== undefined) game.plies = ply - 1;
  if (game.unsure !== undefined) game.unsure = Math.min(game.unsure, ply - 1);
  // The move that led here may not be known.
  game.fen = fen;
  return true;
}

/** Whether all moves of `game` are known. */
export function isWhole(game) {
  return game.moves.length === pliesOf(game);
}

/**
 * Completes `game`, of which the last moves are known, by the `moves` of it as somebody else has them: a little
 * older or newer. False if they are too old.
 */
export function complete(game, moves) {
  const plies = pliesOf(game);
  // So many did not come with the stream: they may be asked for once more.
  const unsure = game.unsure ?? plies - game.moves.length;
  if (moves.length < unsure) return false;
  const sure = game.moves.slice(game.moves.length - (plies - unsure));
  game.moves = [...moves.slice(0, unsure).map((move) => ({ ...move, completed: true })), ...sure];
  game.unsure = unsure;
  delete game.plies;
  return true;
}

function clock({ white_ms, black_ms, running, at }) {
  return white_ms == null && black_ms == null ? null : { white_ms, black_ms, running, at };
}

// Of four players: who would be mated, were it his turn now.
function threat(game, { player, status }) {
  const others = (game.threats ?? []).filter((other) => other !== player);
  game.threats = WITHDRAWN.includes(status) ? others : [...others, player];
  return true;
}

function outcome(game, type, { at, result, status, reason }) {
  if (WITHDRAWN.includes(status)) {
    if (game.ended_by !== type) return false;
    game.result = "*";
    game.ended_by = game.ended_at = game.reason = null;
  } else if (result) {
    game.result = result;
    game.ended_by = type;
    game.ended_at ??= at;
    game.reason = reason ?? (type === "game-over" ? game.reason : type);
  }
  return true;
}

// By the arbiter's word; with the result taken back, the game goes on.
function resultChanged(game, { at, result }) {
  const isOpen = result === "*";
  game.result = result;
  game.ended_by = game.reason = isOpen ? null : "ruling";
  game.ended_at = isOpen ? null : game.ended_at ?? at;
  return true;
}

/** A game without a result goes on, once it has begun. */
export function isLive(game) {
  return game != null && !game.awaited && !game.closed && (game.result ?? "*") === "*";
}

/** The clock of `game`: when a game is over, the one on the table may still run, ours stands. */
export function clockNow(game) {
  const clock = game?.clock ?? null;
  if (!clock?.running || isLive(game)) return clock;
  const end = Date.parse(game.ended_at ?? clock.at);
  const [white_ms, black_ms] = ["white", "black"].map((side) => shownMs(clock, side, end));
  return { white_ms, black_ms, running: null, at: game.ended_at };
}

/** What the clock showed after `ply` moves of `game`. */
export function clockAt(game, ply) {
  const clock = game.moves.findLast((move) => move.ply <= ply && move.clock)?.clock;
  return clock ? { ...clock, running: null } : null;
}

/** What stands on a board after `ply` moves of `game`: FEN, the move to mark, whether it gives check. */
export function positionAt(game, ply) {
  const move = moveAt(game, ply);
  const retracted = ply > 0 && ply === pliesOf(game) ? game?.fen : null;
  const fen = move?.fen ?? retracted ?? game?.start ?? null;
  return { fen, uci: move?.uci ?? null, check: /[+#]$/.test(move?.san ?? "") };
}
