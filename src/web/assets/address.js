// What the address says, and how addresses are made: every game and every round has one that can be handed on.
//
//   /                 all boards (at the desk: /watch)
//   /round/5          a round, also when it is over
//   /game/5-12        a game, on whatever board it is
//   /#/board/7        a board, whatever game is on it
//   ?results          of all boards or of a round: its results
//   ?embed            for a page of somebody else: nothing but boards

const HOME = document.body.dataset.home;

/** Whether the page is part of somebody else's. */
export const EMBEDDED = document.body.classList.contains("embed");

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** What `url` (a URL or `location`) asks for: `{ game, board, round, results }`, null where it does not say. */
export function read(url) {
  const [, kind, name] = url.pathname.match(/^\/(game|round)\/([^/]+)$/) ?? [];
  const board = kind ? null : decoded(url.hash.match(/^#\/board\/(.+)$/)?.[1] ?? "") || null;
  return {
    game: kind === "game" ? decoded(name) : null,
    board,
    round: kind === "round" && /^\d+$/.test(name) ? Number(name) : null,
    results: new URLSearchParams(url.search).has("results"),
  };
}

/** Whether `url` is of this page. */
export function isOurs(url) {
  return url.origin === location.origin && (url.pathname === HOME || /^\/(game|round)\/[^/]+$/.test(url.pathname));
}

/** All boards, or those of a round; or their results. */
export function toRound(round, results = false) {
  return (round === null ? HOME : `/round/${round}`) + (results ? "?results" : "");
}

/** A game. */
export function toGame(game) {
  return `/game/${encodeURIComponent(game)}`;
}

/** A board: its game, which can be handed on, or as long as there is none whatever will be on it. */
export function toBoard({ board, game }) {
  return game ? toGame(game.game) : `${HOME}#/board/${encodeURIComponent(board)}`;
}
