// The page: takes the events, and shows what the address says.

import { EMBEDDED, isOurs, read, toBoard, toGame, toRound } from "./address.js";
import { setServerTime, Ticker } from "./clock.js";
import { copy } from "./copy.js";
import { Feed } from "./feed.js";
import { Game } from "./game.js";
import { Games } from "./games.js";
import { Grid } from "./grid.js";
import { installMen } from "./pieces.js";
import { Results } from "./results.js";
import { Gap, isLive, State } from "./state.js";
import { allPlayers } from "./turns.js";
import { boardName, choose, delayText, language, numberOf, pairName, t, translate } from "./words.js";

// With fewer boards than this, looking is faster than searching.
const SEARCH_FROM = 8;

// What did not come is asked for again so much later.
const RETRY_MS = 3_000;

// What a relay shows is so old when it is worth saying: it looks every other second.
const OLD_S = 10;

// So long it is said that a link was copied.
const SAID_MS = 2_500;

const part = (id) => document.getElementById(id);

installMen();
document.documentElement.lang = language;
translate(document);

const state = new State();
const games = new Games();
const ticker = new Ticker();
const lagOf = (entry) => state.lagOf(entry);
const grid = new Grid(part("grid"), ticker, lagOf);
const results = new Results(part("results"));
const game = new Game(part("game"), ticker, lagOf);

let ready = false;
let address = read(location);
// The list from which a board was made large, and where it was scrolled to.
let list = { round: null, results: false };
let scrolled = 0;
let words = [];

// What changed since the last frame: names of boards and of games. A burst of events draws each once.
const changed = new Set();

function take(type, data) {
  if (type === "snapshot" || type === "resync") {
    setServerTime(data.now, data.speed ?? 1);
    tellAge(data.heard);
    state.load(data);
    games.take(state, true);
    changed.clear();
    ready = true;
    part("plain")?.remove();
    part("grid").setAttribute("aria-busy", "false");
    route();
    return;
  }
  if (type === "heard") {
    tellAge(data);
    return;
  }
  try {
    if (type === "pairings") {
      games.awaits();
      state.awaits(data, (name) => games.find(name));
      games.take(state, false);
      route();
      return;
    }
    const board = state.apply(type, data);
    if (board && type === "game-opened") opened(board);
    const name = board?.board ?? games.apply(type, data)?.game;
    if (name === undefined) return;
    redraw(name);
  } catch (error) {
    if (!(error instanceof Gap)) throw error;
    feed.restart();
  }
}

// A relay that the hall does not reach says how old what it shows is.
function tellAge(heard) {
  const age_s = heard?.checked_s ?? 0;
  const time = age_s < 60 ? `${age_s} s` : `${Math.floor(age_s / 60)} min`;
  part("old").textContent = age_s < OLD_S ? "" : t("old", { time });
}

// A game may have come from another board, which has none now.
function opened({ game: one }) {
  games.add(one);
  const empty = [...state.boards.values()].filter((board) => !board.game);
  for (const { board } of empty) redraw(board);
}

function redraw(name) {
  if (changed.size === 0) requestAnimationFrame(draw);
  changed.add(name);
}

const isLarge = () => address.game !== null || address.board !== null;

// The round that is played, or null if there are no rounds.
function currentRound() {
  const rounds = [...state.boards.values()].map((board) => board.game?.round ?? 0);
  return Math.max(0, ...rounds) || null;
}

// What a list shows: the boards as they are, or the games of a round.
function entries({ round, results: asResults }) {
  const shown = round ?? (asResults ? currentRound() : null);
  if (shown === null) return [...state.boards.values()].map((board) => ({ ...board, key: board.board }));
  return games.of(shown).map((one) => ({ ...boardOf(one), key: one.game }));
}

// The board of a game; where something else is on it by now, the game alone.
function boardOf(one) {
  const board = state.boards.get(one.board);
  return board?.game === one ? board : { board: one.board, state: null, game: one };
}

function shownLarge() {
  if (address.board !== null) return state.boards.get(address.board) ?? { board: address.board, state: null, game: null };
  const known = games.find(address.game);
  return known ? boardOf(known) : null;
}

function matches(entry) {
  if (words.length === 0) return true;
  const players = allPlayers(entry.game).map((player) => entry.game?.[player] ?? {});
  const names = players.flatMap(({ name, title, team, federation }) => [name, title, team, federation]);
  const text = [boardName(entry.board), numberOf(entry), ...names].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function draw() {
  const names = new Set(changed);
  changed.clear();
  if (isLarge()) {
    const shown = shownLarge();
    if (shown && (names.has(shown.board) || names.has(shown.game?.game))) showLarge();
    else if (!shown) showLarge();
  } else {
    const shown = entries(address);
    if (address.results) results.show(shown, matches);
    else if (sameKeys(shown)) {
      grid.entries = shown;
      shown.filter(({ board, game: one }) => names.has(board) || names.has(one?.game)).forEach((entry) => grid.show(entry));
    } else grid.load(shown, matches);
  }
  head();
}

function sameKeys(shown) {
  return shown.length === grid.entries?.length && shown.every(({ key }, i) => key === grid.entries[i].key);
}

function head() {
  const { tournament, boards, desk, journal, speed } = state;
  const shown = isLarge() ? [...boards.values()] : entries(address);
  const live = shown.filter((entry) => isLive(entry.game)).length;
  part("tournament").textContent = tournament.name ?? "adoube";
  part("place").textContent = tournament.site ?? "";
  part("count").textContent = shown.length > 0 ? t("live_of", { live, count: shown.length }) : "";
  part("count").classList.toggle("live", live > 0);
  part("delay").textContent = delayText(state.delay_s);
  part("speed").textContent = speed === 1 ? "" : t("speed", { speed });
  part("journal").textContent = desk && journal !== "ok" ? t("journal") : "";
  part("search").classList.toggle("idle", boards.size < SEARCH_FROM && words.length === 0);
  part("empty").textContent = emptyText(shown);
  part("empty").hidden = part("empty").textContent === "";
  rounds();
  document.title = title(tournament.name ?? "adoube");
}

function emptyText(shown) {
  if (!ready || isLarge()) return "";
  if (shown.length === 0) return address.round === null ? t("empty") : t("no_such_round", { round: address.round });
  return shown.some(matches) ? "" : t("nothing_found");
}

function title(fallback) {
  if (!isLarge()) return address.round === null ? fallback : `${fallback}, ${t("round", { round: address.round })}`;
  const one = shownLarge()?.game;
  return one ? pairName(one) : boardName(address.board ?? address.game);
}

// The way to the other rounds, and to the results of this one.
function rounds() {
  const current = currentRound();
  const shown = address.round ?? current;
  part("round-nav").classList.toggle("none", shown === null);
  part("round-name").textContent = shown === null ? "" : t("round", { round: shown });
  const to = (round) => toRound(round === current ? null : round, address.results);
  lead("previous-round", shown > 1 ? to(shown - 1) : null);
  lead("next-round", shown !== null && shown < (current ?? 0) ? to(shown + 1) : null);
  for (const [id, asResults] of [["as-boards", false], ["as-results", true]]) {
    part(id).href = toRound(address.round, asResults);
    if (address.results === asResults) part(id).setAttribute("aria-current", "page");
    else part(id).removeAttribute("aria-current");
  }
  part("round-pgn").href = shown === null ? "/pgn/games.pgn" : `/pgn/round-${shown}/games.pgn`;
}

function lead(id, href) {
  part(id).classList.toggle("none", href === null);
  if (href === null) part(id).removeAttribute("href");
  else part(id).href = href;
}

// Shows what the address says.
function route() {
  const before = address;
  const wasLarge = before.game !== null || before.board !== null;
  address = read(location);
  if (!wasLarge && isLarge()) scrolled = scrollY;
  part("game").hidden = !isLarge();
  part("grid-view").hidden = isLarge() || address.results;
  part("results-view").hidden = isLarge() || !address.results;
  document.body.classList.toggle("large", isLarge());
  if (isLarge()) showLarge();
  else showList();
  if (before.game !== address.game || before.board !== address.board) arrive(before, wasLarge);
  head();
}

function showList() {
  list = { round: address.round, results: address.results };
  game.close();
  if (!ready) return;
  const shown = entries(address);
  if (address.results) results.show(shown, matches);
  else grid.load(shown, matches);
  // The games of a round that is over are on no board any more.
  const round = address.round ?? (address.results ? currentRound() : null);
  if (round !== null) ask(games.round(round), () => { if (!isLarge()) showAgain(); });
}

function showAgain() {
  const shown = entries(address);
  if (address.results) results.show(shown, matches);
  else if (!sameKeys(shown)) grid.load(shown, matches);
  head();
}

function showLarge() {
  const shown = shownLarge();
  part("missing").hidden = true;
  part("game").classList.toggle("unknown", !shown);
  neighbours(shown);
  if (shown) game.show(shown);
  else game.close();
  if (!ready) return;
  const name = shown?.game?.game ?? address.game;
  if (name === null) return;
  const wasWhole = shown?.game && shown.game.plies === undefined;
  if (wasWhole && shown.game.unsure === undefined) return;
  ask(games.whole(name), (one) => {
    if (one && address.game === name && one.game !== name) return showLarge();
    if ((shownLarge()?.game?.game ?? address.game) !== name) return;
    if (!one) part("missing").hidden = false;
    else if (!asked.has(one)) {
      asked.add(one);
      showLarge();
      head();
    }
  });
}

// Games of which everything came: they are drawn anew once.
const asked = new WeakSet();

let retry = 0;
function ask(asking, done) {
  asking.then(done).catch(() => {
    clearTimeout(retry);
    retry = setTimeout(route, RETRY_MS);
  });
}

function arrive(before, wasLarge) {
  if (EMBEDDED) return;
  if (isLarge()) {
    scrollTo(0, 0);
    part("to-grid").focus({ preventScroll: true });
  } else if (wasLarge) {
    scrollTo(0, scrolled);
    const [name, value] = before.board === null ? ["href", toGame(before.game)] : ["data-board", before.board];
    document.querySelector(`main section:not([hidden]) a[${name}="${CSS.escape(value)}"]`)?.focus({ preventScroll: true });
  }
}

// The way back, and to the boards beside this one.
function neighbours(shown) {
  const round = shown?.game?.round ?? null;
  const isOther = round !== null && round !== currentRound();
  const from = isOther && list.round === null ? { round, results: list.results } : list;
  part("to-grid").href = toRound(from.round, from.results);
  const all = entries(from).filter(matches);
  const at = all.findIndex(({ board, game: one }) => (shown?.game ? one?.game === shown.game.game : board === shown?.board));
  lead("previous-board", all[at - 1] ? toBoard(all[at - 1]) : null);
  lead("next-board", at >= 0 && all[at + 1] ? toBoard(all[at + 1]) : null);
  const now = shown?.game && address.game !== null ? state.boards.get(shown.board)?.game : null;
  const isPast = now != null && now.game !== shown.game.game;
  part("board-now").hidden = !isPast;
  if (!isPast) return;
  part("board-now").href = toGame(now.game);
  part("board-now").textContent = t("board_now", { players: pairName(now) });
}

function go(href) {
  history.pushState(null, "", href);
  route();
}

const KEYS = {
  ArrowLeft: () => game.step(-1),
  ArrowRight: () => game.step(1),
  ArrowUp: () => game.go(0),
  ArrowDown: () => game.go(Infinity),
  Home: () => game.go(0),
  End: () => game.go(Infinity),
  f: () => game.flip(),
  Escape: () => { if (!EMBEDDED) go(part("to-grid").href); },
};

addEventListener("keydown", (event) => {
  if (!isLarge() || event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("select")) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// Ways within the page need no new one.
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  // As long as there are no games the page is what the server made of it.
  if (!ready) return;
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.target || link.hasAttribute("download") || !isOurs(link)) return;
  event.preventDefault();
  if (link.href !== location.href) go(link.href);
});

part("search").addEventListener("input", (event) => {
  words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!ready || isLarge()) return;
  showList();
  head();
});

let said = 0;
part("copy").addEventListener("click", async () => {
  const one = shownLarge()?.game;
  const link = new URL(one ? toGame(one.game) : location.href, location.href).href;
  if (!await copy(link)) return;
  part("copied").textContent = t("copied");
  clearTimeout(said);
  said = setTimeout(() => { part("copied").textContent = ""; }, SAID_MS);
});

part("language").value = language;
part("language").addEventListener("change", (event) => {
  choose(event.target.value);
  location.reload();
});

addEventListener("popstate", route);
addEventListener("hashchange", route);
addEventListener("resize", () => grid.resize());

// The connection: silent while it stands, plain when it does not.
let lost_at = null;

function connection(standing) {
  if (standing === (document.body.dataset.connection === "live")) return;
  document.body.dataset.connection = standing ? "live" : "lost";
  lost_at = standing ? null : lost_at ?? Date.now();
  part("connection").hidden = standing;
  tellLoss();
}

function tellLoss() {
  if (lost_at === null) return;
  const seconds = Math.floor((Date.now() - lost_at) / 1000);
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  part("lost-for").textContent = t("lost_for", { time });
}

setInterval(tellLoss, 1000);
const feed = new Feed("/api/v1/events?moves=last", {
  event: take,
  lost: () => connection(false),
  back: () => connection(true),
});

// A page that the browser keeps for the way back listens to nothing.
addEventListener("pagehide", () => feed.close());
addEventListener("pageshow", (event) => { if (event.persisted) feed.open(); });
route();
