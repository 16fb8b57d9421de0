// What is known of the hall: the boards as spectators have them, and beside them what only the desk is
// told: records, doubts, whether a board is ready for the round.

import { Gap, State } from "/assets/state.js";
import { leftOf } from "./left.js";

// Closed records that are kept; the older ones can be asked for.
const CLOSED = 400;

// The journal's remarks on itself: it is healed when it can say what is missing.
const JOURNAL = { "journal-degraded": "degraded", "journal-gap": "ok" };

const RANKS = ["info", "notice", "alert", "critical"];

/** How grave a severity is: 0 to 3. */
export function rank(severity) {
  return Math.max(0, RANKS.indexOf(severity));
}

// The gravest first, of equally grave ones the youngest.
function graver(a, b) {
  return rank(b.severity) - rank(a.severity) || b.record - a.record;
}

/** All boards by name, and all records by number. */
export class DeskState extends State {
  constructor(ask) {
    super();
    this.ask = ask;
    this.records = new Map();
    // The open incidents of each board, gravest first, and its open proposals: each belongs to an incident.
    this.open = new Map();
    this.proposed = new Map();
  }

  /** Replaces everything by `snapshot`; answers the open records that were not known before. */
  load(snapshot) {
    const before = this.records;
    super.load(snapshot);
    for (const { readiness } of this.boards.values()) if (readiness) this.readiness(readiness);
    this.records = new Map((snapshot.records ?? []).map((record) => [record.record, record]));
    this.open = new Map();
    this.proposed = new Map();
    for (const record of this.records.values()) this.file(record);
    return [...this.records.values()].filter((record) => record.status === "open" && !before.has(record.record));
  }

  /** Takes one event; answers `{ board, record, isNew }`: what changed, and whether it was not there before. */
  apply(type, event) {
    if (type === "readiness") return { board: this.readiness(event) };
    if (type === "boards") return this.here(event);
    if (type === "journal") {
      this.journal = event.state;
      return {};
    }
    if (type === "play") return { board: this.play(event) };
    if (type in JOURNAL) this.journal = JOURNAL[type];
    const board = super.apply(type, event)?.board ?? event.board;
    // A ruling names a record, too, but is none.
    if (event.record == null || event.status == null) return { board };
    const before = this.records.get(event.record);
    // A game that goes on at another board takes along what waits for the arbiter.
    if (before && before.board !== event.board) this.file({ ...before, status: "moved" });
    this.records.set(event.record, { ...event, opened_at: before?.opened_at ?? event.at });
    this.file(this.records.get(event.record));
    if (this.records.size > CLOSED) this.forget();
    return { board, record: event.record, isNew: !before && event.status === "open" };
  }

  // While a game is under way there is nothing for which the board would have to be ready.
  readiness(readiness) {
    this.board(readiness.board).readiness = readiness.ready === null ? null : readiness;
    this.board(readiness.board).stage = readiness.stage ?? null;
    return readiness.board;
  }

  // A board was added while the hall is open, or taken away; whoever draws them all begins anew.
  here({ board, here }) {
    if (here) this.board(board);
    else this.boards.delete(board);
    return { board, all: true };
  }

  // What the player of a game against somebody elsewhere has to do.
  play(play) {
    this.board(play.board).play = play;
    return play.board;
  }

  /** The open incidents of a board, gravest first. */
  incidents(board) {
    return this.open.get(board) ?? [];
  }

  /** What waits for the arbiter at a board, gravest first: open incidents, and what is left of decided ones. */
  waiting(board) {
    const incidents = this.incidents(board);
    const proposed = this.proposed.get(board);
    if (!proposed) return incidents;
    return [...incidents, ...leftOf(proposed, incidents, this.boards.get(board)?.game)].sort(graver);
  }

  /** How much waits that calls for the arbiter: of severity alert or above. */
  grave() {
    const boards = [...new Set([...this.open.keys(), ...this.proposed.keys()])];
    return boards.flatMap((board) => this.waiting(board)).filter((one) => rank(one.severity) >= rank("alert")).length;
  }

  file(record) {
    const { board, record: number, status, kind } = record;
    const filed = kind === "proposal" ? this.proposed : this.open;
    const open = (filed.get(board) ?? []).filter((other) => other.record !== number);
    if (status === "open") open.push(record);
    open.sort(graver);
    if (open.length > 0) filed.set(board, open);
    else filed.delete(board);
  }

  // The oldest closed records go first: a map keeps the order in which they came.
  forget() {
    let closed = [...this.records.values()].filter((record) => record.status !== "open");
    for (const { record } of closed.slice(0, Math.max(0, closed.length - CLOSED))) this.records.delete(record);
  }

  /**
   * Fetches all moves of the game on `name`, of which the stream gave the last one only; from then on
   * events keep them. Answers with the board (its `game.moves` has then `game.plies` moves), or null
   * without a game.
   */
  async whole(name) {
    for (;;) {
      const game = this.boards.get(name)?.game;
      if (!game) return null;
      if (game.moves.length >= (game.plies ?? 0)) return this.boards.get(name);
      const found = await this.ask(`games/${encodeURIComponent(game.game)}`);
      // What came meanwhile by the stream is newer.
      if (this.boards.get(name)?.game !== game) continue;
      const known = game.plies - game.moves.length;
      if (found.moves.length < known) throw new Gap(`${found.moves.length} moves of ${game.game}, not ${known}`);
      game.moves = [...found.moves.slice(0, known), ...game.moves];
      return this.boards.get(name);
    }
  }
}
