// The strip of one player: title, name and rating, what he has captured, his points, his clock.

import { paintClock, shownMs } from "./clock.js";
import { html, svg } from "./dom.js";
import { man } from "./pieces.js";
import { manName, playerName, scores, t } from "./words.js";

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The strip of `side`, on a card and beside the large board. */
export class Player {
  constructor(side) {
    this.side = side;
    this.element = html("div", "player", "", { side });
    this.title = html("span", "title");
    this.name = html("span", "name");
    this.rating = html("span", "rating");
    this.from = html("span", "from");
    this.captured = html("span", "captured");
    this.score = html("span", "score");
    this.clock = html("span", "clock", "", { side });
    this.clock.setAttribute("role", "timer");
    const who = html("span", "who");
    who.append(this.title, this.name, this.rating, this.from);
    this.element.append(who, this.captured, this.score, this.clock);
    this.men = null;
  }

  /** Shows who plays `game` (null: nobody), his points, and what he has `captured`. */
  show(game, captured) {
    const player = game?.[this.side];
    setText(this.title, player?.title ?? "");
    setText(this.name, game ? playerName(game, this.side) : "");
    setText(this.rating, player?.elo ? String(player.elo) : "");
    // Only beside a large board is there room for it.
    setText(this.from, [player?.federation, player?.team].filter(Boolean).join(" · "));
    this.name.title = [player?.name, player?.federation, player?.team].filter(Boolean).join(" · ");
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
