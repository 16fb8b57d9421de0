// One game: the board at any move, the clocks, the moves with their incidents, the time over the game,
// what was touched, and the rulings on it.

import { Board } from "/assets/board.js";
import { captured } from "/assets/captured.js";
import { serverNow } from "/assets/clock.js";
import { html, svg } from "/assets/dom.js";
import { Moves } from "/assets/moves.js";
import { installMen } from "/assets/pieces.js";
import { Player } from "/assets/player.js";
import { clockAt, clockNow, isLive, positionAt } from "/assets/state.js";
import { emptyBoard } from "/assets/turns.js";
import { Doubt } from "./game-doubt.js";
import { GameRecords, notesOf } from "./game-records.js";
import { Graph } from "./graph.js";
import { pairText, resultWords } from "./people.js";
import { PlayBanner } from "./play.js";
import { endText, plyText } from "./record-values.js";
import { RulingList } from "./ruling-list.js";
import { RulingPanel } from "./ruling.js";
import { Touched } from "./touched.js";
import { boardName, t } from "./words.js";

export const styles = ["record.css", "game.css", "play.css"];

const SIGNS = {
  first: "M17 6l-6 6 6 6M8 6v12",
  back: "M14.5 6l-6 6 6 6",
  forward: "M9.5 6l6 6-6 6",
  flip: "M8 19V5M4.5 8.5L8 5l3.5 3.5M16 5v14M12.5 15.5L16 19l3.5-3.5",
};

export function create(root, desk) {
  return new GameView(root, desk);
}

class GameView {
  constructor(root, desk) {
    Object.assign(this, { root, desk });
    this.name = null;
    this.ply = null;
    this.build();
  }

  build() {
    installMen();
    const { desk } = this;
    this.head = html("header", "game-head");
    this.board = new Board({ coordinates: desk.san });
    this.players = { white: new Player("white"), black: new Player("black") };
    const stage = html("div", "stage");
    stage.append(this.players.black.element, this.board.element, this.players.white.element);
    this.outcome = html("p", "outcome");
    const shows = html("div", "game-shows");
    this.play = new PlayBanner(shows, desk);
    shows.append(stage, this.outcome, this.controls());
    const plays = html("div", "game-plays");
    const rules = html("div", "game-rules");
    this.movesElement = html("ol", "moves");
    this.movesElement.setAttribute("aria-label", t("game.moves"));
    this.movesElement.tabIndex = 0;
    this.moves = new Moves(this.movesElement, (ply) => this.go(ply), desk.san);
    plays.append(this.movesElement);
    this.graph = new Graph(part(plays, "game.graph"), desk, (ply) => this.go(ply));
    this.touched = new Touched(part(plays, "game.touched"), desk);
    const stands = html("div", "game-stands");
    this.doubt = new Doubt(stands, desk);
    this.records = new GameRecords(part(stands, "game.incidents"), desk);
    this.made = new RulingList(part(stands, "game.rulings"), desk);
    rules.append(stands);
    this.panel = new RulingPanel(part(rules, "ruling.title"), desk, () => this.context());
    this.heard = html("p", "heard");
    this.heard.setAttribute("aria-live", "polite");
    const body = html("div", "game-body");
    body.append(shows, plays, rules);
    this.root.append(this.head, body, this.heard);
  }

  controls() {
    const row = html("div", "game-controls");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", t("game.moves"));
    const button = (name, action) => {
      const node = html("button", `to-${name}`);
      node.type = "button";
      node.setAttribute("aria-label", t(`game.${name}`));
      node.append(svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, [svg("path", { d: SIGNS[name] })]));
      node.addEventListener("click", action);
      return node;
    };
    this.live = html("button", "live");
    this.live.type = "button";
    this.live.addEventListener("click", () => this.go(Infinity));
    row.append(
      button("first", () => this.go(0)), button("back", () => this.step(-1)),
      button("forward", () => this.step(1)), this.live, button("flip", () => this.flip()),
    );
    return row;
  }

  show(name) {
    if (name !== this.name) this.ply = null;
    this.name = name;
    this.panel.load();
    this.load();
  }

  async load() {
    const name = this.name;
    this.drawHead();
    try {
      await this.desk.state.whole(name);
    } catch (problem) {
      this.desk.say(problem.detail || problem.message);
    }
    if (this.name !== name) return;
    this.gameId = this.data?.game?.game ?? null;
    this.draw();
    this.loadRulings();
    this.touched.load(name, this.gameId);
  }

  async loadRulings() {
    const name = this.name;
    const rulings = await this.desk.ask(`boards/${encodeURIComponent(name)}/rulings`).catch(() => []);
    if (this.name !== name) return;
    this.made.root.parentElement.hidden = rulings.length === 0;
    this.made.show(rulings, this.data?.game, (number) => this.desk.state.records.get(number));
  }

  update(changed) {
    if (!changed.all && !changed.boards.has(this.name)) return;
    const game = this.data?.game;
    // A new game, or only the last move of this one: ask for all of it.
    if (changed.all || (game?.game ?? null) !== this.gameId) return void this.load();
    const mine = changed.events.filter((event) => event.board === this.name);
    if (mine.some((event) => event.type === "ruled")) this.loadRulings();
    if (mine.some((event) => event.type === "piece-touched")) this.touched.load(this.name, this.gameId);
    if (this.ply !== null && this.ply >= this.length) this.ply = null;
    this.draw();
    const last = mine.findLast((event) => event.type === "move-made");
    if (last) this.heard.textContent = plyText(this.desk, game, this.length);
  }

  close() {
    this.desk.ticker.set(this, false);
  }

  get data() {
    return this.desk.state.boards.get(this.name) ?? null;
  }

  get length() {
    return this.data?.game?.moves.length ?? 0;
  }

  context() {
    const game = this.data?.game ?? null;
    const ply = this.ply ?? this.length;
    return { board: this.name, game, ply, fen: positionAt(game, ply).fen, clock: game?.clock };
  }

  go(ply) {
    this.ply = ply >= this.length ? null : Math.max(0, ply);
    this.drawPosition();
  }

  step(by) {
    this.go((this.ply ?? this.length) + by);
  }

  flip() {
    this.board.turn();
    this.turned();
  }

  turned() {
    this.root.classList.toggle("flipped", this.board.isBlackBelow);
  }

  draw() {
    const { records } = this.desk.state;
    const mine = [...records.values()].filter((one) => one.board === this.name && (one.game ?? this.gameId) === this.gameId);
    this.notes = notesOf(this.desk, mine);
    const key = JSON.stringify([...this.notes]);
    if (key !== this.noted) this.moves.annotate(this.notes);
    this.noted = key;
    this.records.show(mine, this.data?.game);
    this.doubt.show(this.data);
    this.play.show(this.data);
    // What the board says there is not believed, whether or not somebody has taken note of it.
    const holds = (one) => one.status === "open" || one.status === "confirmed";
    const sick = mine.filter((one) => one.type === "sensor-fault" && holds(one) && one.square);
    this.board.highlight({ ...this.play.groups, sick: sick.map((one) => one.square) });
    this.drawHead();
    this.drawPosition();
  }

  drawPosition() {
    const game = this.data?.game ?? null;
    const ply = this.ply ?? this.length;
    const { fen, uci, check } = positionAt(game, ply);
    this.board.show(fen ?? emptyBoard(this.data), uci, check);
    this.board.element.setAttribute("aria-label", t("game.shown", { after: plyText(this.desk, game, ply) }));
    const taken = game && captured(game.start, fen);
    const turn = isLive(game) || this.ply !== null ? fen : null;
    for (const player of Object.values(this.players)) player.show(game, taken?.[player.side], turn);
    this.turned();
    this.moves.show(game, ply);
    this.graph.show(game, ply, this.notes);
    this.root.classList.toggle("past", this.ply !== null);
    const behind = this.length - ply;
    this.live.textContent = `${t(isLive(game) || !game ? "game.live" : "game.end")}${behind > 0 ? ` +${behind}` : ""}`;
    this.live.setAttribute("aria-pressed", String(behind === 0));
    const isOver = game && !isLive(game);
    this.outcome.hidden = !isOver;
    this.outcome.textContent = isOver ? [resultWords(game), endText(this.desk, game.reason)].filter(Boolean).join(" · ") : "";
    if (this.panel.chosen) this.panel.say();
    this.tick(serverNow());
    this.desk.ticker.set(this, this.clock()?.running != null);
  }

  drawHead() {
    const game = this.data?.game;
    const words = html("div", "head-words");
    const state = this.data?.state;
    const { stage } = this.desk.state.boards.get(this.name) ?? {};
    const notes = [
      stage && isLive(game) ? t(`stage.${stage}`) : "", game?.round ? t("frame.round", { round: game.round }) : "", game?.time_control, game ? "" : t("game.no_game"),
    ];
    const title = html("h2", "", boardName(this.name ?? ""));
    const line = html("p", "when", [pairText(game), ...notes].filter(Boolean).join(" · "));
    words.append(title, line);
    if (state === "lost" || state === "stale") words.append(html("p", "link-lost", t(`game.${state}`)));
    const nav = html("nav", "game-links");
    nav.setAttribute("aria-label", t("game.title"));
    const names = [...this.desk.state.boards.keys()];
    const at = names.indexOf(this.name);
    const links = [
      [names[at - 1] && `#/board/${encodeURIComponent(names[at - 1])}`, "‹", "game.previous"],
      [at >= 0 && names[at + 1] && `#/board/${encodeURIComponent(names[at + 1])}`, "›", "game.next"],
      [game && `#/report/scoresheet/${encodeURIComponent(game.game)}`, t("game.scoresheet")],
      [`#/history?board=${encodeURIComponent(this.name ?? "")}`, t("game.history")],
    ];
    for (const [href, text, label] of links) {
      if (!href) continue;
      const link = html("a", "button", text);
      link.href = href;
      if (label) link.setAttribute("aria-label", t(label));
      nav.append(link);
    }
    this.head.replaceChildren(words, nav);
  }

  clock() {
    const game = this.data?.game;
    return this.ply === null ? clockNow(game) : clockAt(game, this.ply);
  }

  tick(now) {
    const clock = this.clock();
    for (const player of Object.values(this.players)) player.tick(clock, now);
  }

  get keys() {
    const key = (words, run) => ({ words: `game.${words}`, run });
    return {
      ArrowLeft: key("key_back", () => this.step(-1)),
      ArrowRight: key("key_forward", () => this.step(1)),
      Home: key("key_first", () => this.go(0)),
      End: key("key_live", () => this.go(Infinity)),
      f: key("key_flip", () => this.flip()),
      r: key("key_ruling", () => this.panel.focus()),
      "/": key("key_find", () => this.panel.findRuling()),
      i: key("key_incident", () => {
        const [gravest] = this.desk.state.waiting(this.name);
        if (gravest) this.desk.go(`#/record/${gravest.record}`);
      }),
    };
  }
}

function part(parent, title) {
  const element = html("section", "desk-card");
  const body = html("div", "card-body");
  element.append(html("h3", "", t(title)), body);
  parent.append(element);
  return body;
}
