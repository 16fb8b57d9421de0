// The games that are not on a board any more, and the moves that the snapshot left out.

import { change, complete, isWhole } from "./state.js";

async function fetched(path) {
  const answer = await fetch(path);
  if (answer.ok) return answer.json();
  if (answer.status === 404) return null;
  throw new Error(`${path}: ${answer.status}`);
}

/** All games that the page knows, by name. */
export class Games {
  constructor() {
    this.known = new Map();
    this.asked = new Map();
    // Names of pairings, and what their games were called when they began.
    this.names = new Map();
  }

  /** The game `name`, as far as it is known. */
  find(name) {
    return this.known.get(name) ?? this.known.get(this.names.get(name));
  }

  /** Takes what is on the boards of `state`; `fresh` if it is a new snapshot. */
  take(state, fresh) {
    if (fresh) this.asked.clear();
    for (const { game } of state.boards.values()) {
      if (game) this.add(game);
    }
  }

  /** Other games are awaited now: those that are on no board are asked for again. */
  awaits() {
    for (const [name, { awaited }] of this.known) {
      if (!awaited) continue;
      this.known.delete(name);
      this.asked.delete(`/api/v1/games/${encodeURIComponent(name)}`);
    }
    for (const path of this.asked.keys()) {
      if (path === "/api/v1/games" || path.startsWith("/api/v1/games?")) this.asked.delete(path);
    }
  }

  /** Takes a game, which may have been known before: then its moves are shown until they have come again. */
  add(game) {
    const before = this.known.get(game.game);
    if (before === game) return;
    if (before && isWhole(before) && !isWhole(game)) complete(game, before.moves);
    this.known.set(game.game, game);
  }

  /** An event of a game that is on no board: a result put right. Answers with the game, if something changed. */
  apply(type, event) {
    const game = this.known.get(event.game);
    const moves = type.startsWith("move-") || type === "clock-read";
    return game && !moves && change(game, type, event) ? game : null;
  }

  /** The games of `round` (null: of none), in the order of their numbers. */
  of(round) {
    const games = [...this.known.values()].filter((game) => (game.round ?? null) === round);
    const numbers = new Set(games.filter((game) => !game.annulled).map((game) => game.number));
    // What does not count is shown only where nothing was played in its place.
    const shown = games.filter((game) => !game.annulled || !numbers.has(game.number));
    const names = new Intl.Collator("en", { numeric: true });
    return shown.sort((a, b) => a.number - b.number || names.compare(a.game, b.game));
  }

  /** Asks for `path` once; `take` gets what comes. */
  async once(path, take) {
    if (this.asked.has(path)) return this.asked.get(path);
    const asking = fetched(path).then(take);
    this.asked.set(path, asking);
    // What did not come is asked for again the next time.
    asking.catch(() => this.asked.delete(path));
    return asking;
  }

  /** Asks for the games of `round`, of which some are known. */
  async round(round) {
    const path = round === null ? "/api/v1/games" : `/api/v1/games?round=${round}`;
    return this.once(path, (games) => {
      for (const { last_move, fen: _, ...game } of games ?? []) {
        // What is known from the stream is newer.
        if (!this.known.has(game.game)) this.add({ ...game, moves: last_move ? [last_move] : [] });
      }
    });
  }

  /** Asks for all moves of the game `name`; answers with it, or with null if there is no such game. */
  async whole(name) {
    return this.once(`/api/v1/games/${encodeURIComponent(name)}`, (whole) => {
      if (!whole) return null;
      this.names.set(name, whole.game);
      const game = this.known.get(whole.game);
      if (!game) this.known.set(whole.game, whole);
      else if (!complete(game, whole.moves)) throw new Error(`${name} is older than what is known of it`);
      return this.find(name);
    });
  }
}
