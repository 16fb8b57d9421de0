// The strip of one side: title, name and rating of its player or of both partners, what it has captured, its points,
// its clock.

import { paintClock, shownMs } from "./clock.js";
import { html, svg } from "./dom.js";
import { teamsOf } from "./matches.js";
import { armyMark, man } from "./pieces.js";
import { playersOf, toMove } from "./turns.js";
import { manName, playerName, scores, t } from "./words.js";

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** One name with what belongs to it. */
class Who {
  constructor(player, isPartner) {
    Object.assign(this, { player, isPartner });
    this.element = html("span", "who", "", { player });
    this.title = html("span", "title");
    this.name = html("span", "name");
    this.rating = html("span", "rating");
    this.affiliation = html("span", "affiliation");
    this.turn = html("span", "heard");
    if (isPartner) this.element.append(armyMark(player));
    this.element.append(this.title, this.name, this.turn, this.rating, this.affiliation);
  }

  show(game, isToMove) {
    const player = game?.[this.player];
    setText(this.title, player?.title ?? "");
    setText(this.name, game ? playerName(game, this.player) : "");
    setText(this.rating, player?.elo ? String(player.elo) : "");
    // Only beside a large board is there room for it. The team of partners is no matter of one of them.
    const affiliation = [player?.federation, this.isPartner ? null : player?.team].filter(Boolean).join(" · ");
    setText(this.affiliation, affiliation);
    this.name.title = [player?.name, affiliation].filter(Boolean).join(" · ");
    this.element.classList.toggle("to-move", isToMove);
    setText(this.turn, isToMove ? `, ${t("to_move")}` : "");
  }
}

/** The strip of `side`, on a card and beside the large board. */
export class Player {
  constructor(side) {
    this.side = side;
    this.element = html("div", "player", "", { side });
    this.team = html("span", "team-name");
    this.captured = html("span", "captured");
    this.score = html("span", "score");
    this.clock = html("span", "clock", "", { side });
    this.clock.setAttribute("role", "timer");
    this.element.append(this.team, this.captured, this.score, this.clock);
    this.men = null;
    this.who = [];
    this.sit(null);
  }

  /**
   * Shows who plays `game` (null: nobody), the points of the side, and what it has `captured`. Of partners, him who is
   * to move in the position `fen` (null: nobody is).
   */
  show(game, captured, fen = null) {
    this.sit(game);
    const turn = this.who.length > 1 ? toMove(game, fen) : null;
    for (const who of this.who) who.show(game, who.player === turn);
    const [first, second] = this.who.length > 1 ? teamsOf(game) : [];
    setText(this.team, (this.side === "white" ? first : second) ?? "");
    const points = scores(game?.result);
    setText(this.score, points ? points[this.side === "white" ? 0 : 1] : "");
    this.element.classList.toggle("winner", points?.[this.side === "white" ? 0 : 1] === "1");
    this.element.classList.toggle("decided", points != null);
    this.showCaptured(captured);
  }

  /** Shows the time of `clock` (null: none) at the server's time `now`. */
  tick(clock, now) {
    paintClock(this.clock, shownMs(clock, this.side, now), clock?.running === this.side);
  }

  // One player, or two partners.
  sit(game) {
    const players = playersOf(game, this.side);
    if (players.join() === this.who.map(({ player }) => player).join()) return;
    for (const { element } of this.who) element.remove();
    this.who = players.map((player) => new Who(player, players.length > 1));
    this.element.prepend(...this.who.map(({ element }) => element));
    this.element.classList.toggle("team", players.length > 1);
  }

  showCaptured(captured) {
    const key = captured ? captured.men.join("") + captured.ahead : "";
    if (key === this.men) return;
    this.men = key;
    this.captured.replaceChildren();
    if (!captured || captured.men.length + captured.ahead === 0) return;
    this.captured.append(row(captured.men));
    if (captured.ahead > 0) this.captured.append(html("span", "ahead", `+${captured.ahead}`));
    this.captured.setAttribute("role", "img");
    this.captured.setAttribute("aria-label", capturedText(captured.men));
  }
}

function capturedText(men) {
  return t("captured", { men: men.map(manName).join(", ") || t("nothing") });
}

// Men of a kind overlap, kinds stand apart: a row stays short and can be counted.
const SAME_KIND = 46;
const NEXT_KIND = 84;

function row(men) {
  let x = 0;
  const uses = men.map((letter, i) => {
    if (i > 0) x += men[i - 1] === letter ? SAME_KIND : NEXT_KIND;
    const use = man(letter);
    use.setAttribute("x", x);
    return use;
  });
  return svg("svg", { class: "row", viewBox: `0 0 ${x + 100} 100`, "aria-hidden": "true" }, uses);
}
