// The page: takes the events, and shows the grid or one board large, as the address says.

import { setServerTime, Ticker } from "./clock.js";
import { Feed } from "./feed.js";
import { Game } from "./game.js";
import { Grid } from "./grid.js";
import { installMen } from "./pieces.js";
import { Gap, isLive, State } from "./state.js";
import { boardName, playerName } from "./words.js";

// With fewer boards than this, looking is faster than searching.
const SEARCH_FROM = 8;

const part = (id) => document.getElementById(id);

installMen();
const state = new State();
const ticker = new Ticker();
const grid = new Grid(part("grid"), ticker);
const game = new Game(part("game"), ticker);

// The board that is shown large, or null for the grid; where the grid was scrolled to.
let large = null;
let scrolled = 0;

// Boards that changed since the last frame. A burst of events draws each board once.
const changed = new Set();

function take(type, data) {
  if (type === "snapshot" || type === "resync") {
    setServerTime(data.now, data.speed ?? 1);
    state.load(data);
    changed.clear();
    part("grid").setAttribute("aria-busy", "false");
    head();
    grid.load(state.boards);
    route();
    return;
  }
  try {
    const board = state.apply(type, data);
    if (!board) return;
    if (changed.size === 0) requestAnimationFrame(draw);
    changed.add(board.board);
  } catch (error) {
    if (!(error instanceof Gap)) throw error;
    feed.restart();
  }
}

function draw() {
  let fresh = false;
  for (const name of changed) {
    const board = state.boards.get(name);
    if (!board) continue;
    fresh = grid.show(board) || fresh;
    if (name === large) game.show(board);
  }
  changed.clear();
  if (fresh) {
    grid.order(state.boards);
    if (large) route();
  }
  head();
}

function head() {
  const { tournament, boards, desk, journal, speed } = state;
  const games = [...boards.values()].map((board) => board.game).filter(Boolean);
  const round = Math.max(0, ...games.map((one) => one.round ?? 0));
  const live = games.filter(isLive).length;
  part("tournament").textContent = tournament.name ?? "adoube";
  part("place").textContent = [tournament.site, round > 0 ? `Round ${round}` : ""].filter(Boolean).join(" · ");
  part("count").textContent = boards.size > 0 ? `${live} live of ${boards.size}` : "";
  part("speed").textContent = speed === 1 ? "" : `test run at ${speed} times the speed`;
  part("journal").textContent = desk && journal !== "ok" ? "Not recording: games go on in memory" : "";
  part("empty").hidden = boards.size > 0 || part("grid").getAttribute("aria-busy") === "true";
  part("search").hidden = boards.size < SEARCH_FROM;
  document.title = title(tournament.name ?? "adoube");
}

function title(fallback) {
  if (large === null) return fallback;
  const one = boardShown()?.game;
  return one ? `${playerName(one, "white")} – ${playerName(one, "black")}` : boardName(large);
}

function boardShown() {
  return large === null ? null : state.boards.get(large) ?? null;
}

function addressed() {
  const match = location.hash.match(/^#\/board\/(.+)$/);
  if (!match) return null;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return null;
  }
}

// Shows what the address says. A board that does not exist is shown as an empty one.
function route() {
  const before = large;
  large = addressed();
  if (before === null && large !== null) scrolled = scrollY;
  part("game").hidden = large === null;
  part("grid-view").hidden = large !== null;
  document.body.classList.toggle("large", large !== null);
  if (large === null) {
    game.close();
    grid.resize();
  } else {
    game.show(boardShown() ?? { board: large, state: null, game: null });
  }
  if (before !== large) arrive(before);
  neighbours();
  head();
}

function arrive(before) {
  if (large !== null) {
    scrollTo(0, 0);
    part("to-grid").focus({ preventScroll: true });
  } else if (before !== null) {
    scrollTo(0, scrolled);
    document.querySelector(`.card[data-board="${CSS.escape(before)}"]`)?.focus({ preventScroll: true });
  }
}

function neighbours() {
  const names = [...state.boards.keys()];
  const at = names.indexOf(large);
  const links = { "previous-board": names[at - 1], "next-board": at < 0 ? undefined : names[at + 1] };
  for (const [id, name] of Object.entries(links)) {
    part(id).classList.toggle("none", name === undefined);
    if (name === undefined) part(id).removeAttribute("href");
    else part(id).href = `#/board/${encodeURIComponent(name)}`;
  }
}

const KEYS = {
  ArrowLeft: () => game.step(-1),
  ArrowRight: () => game.step(1),
  ArrowUp: () => game.go(0),
  ArrowDown: () => game.go(Infinity),
  Home: () => game.go(0),
  End: () => game.go(Infinity),
  f: () => game.flip(),
  Escape: () => { location.hash = ""; },
};

addEventListener("keydown", (event) => {
  if (large === null || event.altKey || event.ctrlKey || event.metaKey) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

part("search").addEventListener("input", (event) => {
  grid.filter(event.target.value.toLowerCase().split(/\s+/).filter(Boolean));
});
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
  head();
}

function tellLoss() {
  if (lost_at === null) return;
  const seconds = Math.floor((Date.now() - lost_at) / 1000);
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  part("lost-for").textContent = `for ${time}`;
}

setInterval(tellLoss, 1000);
const feed = new Feed("api/v1/events", {
  event: take,
  lost: () => connection(false),
  back: () => connection(true),
});
route();
