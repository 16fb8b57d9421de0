// A game against somebody who does not sit at the board: what its player has to do, in a banner over the game.

import { html } from "/assets/dom.js";
import { t } from "./words.js";

// What calls for a hand on the board, rather than for patience.
const URGENT = ["set-up", "make", "must-stand", "other-move", "take-back", "press", "gone"];

// More squares than this are a board that is not set up.
const NAMED = 8;

/** The banner in `root`, shown only in such a game; `groups` are the squares that are meant. */
export class PlayBanner {
  groups = {};

  constructor(root, desk) {
    Object.assign(this, { desk });
    this.element = html("section", "desk-card play");
    this.element.setAttribute("aria-label", t("play.title"));
    this.what = html("p", "play-what");
    this.what.setAttribute("role", "status");
    this.more = html("ul", "play-more");
    this.message = html("p", "refused");
    this.message.setAttribute("role", "alert");
    this.element.append(this.what, this.more, this.buttons(), this.message);
    this.element.hidden = true;
    root.append(this.element);
  }

  buttons() {
    const row = html("div", "play-buttons");
    const button = (key, ruling) => {
      const node = html("button", "plain", t(key));
      node.type = "button";
      node.addEventListener("click", () => this.rule(ruling));
      row.append(node);
      return node;
    };
    this.draw = button("play.draw", "draw-offer");
    this.resign = button("play.resign", "resign");
    return row;
  }

  /** Shows what `board` tells, or nothing. */
  show(board) {
    const { play } = board ?? {};
    const key = JSON.stringify(play ?? null);
    if (key === this.shown) return;
    this.shown = key;
    this.told = play;
    this.element.hidden = !play;
    this.groups = play && !play.end ? { meant: play.squares, wrong: play.wrong.map(({ square }) => square) } : {};
    if (!play) return;
    this.element.dataset.urgent = URGENT.includes(play.state) && !play.end;
    this.what.textContent = whatText(play, this.desk);
    this.more.replaceChildren(...moreTexts(play, this.desk).map((text) => html("li", "", text)));
    this.draw.textContent = t(play.draw_offered ? "play.draw_accept" : "play.draw");
    this.draw.hidden = this.resign.hidden = Boolean(play.end) || play.state === "gone" || !this.desk.session.is("arbiter");
  }

  // What is ruled for the player is what he says to his opponent.
  async rule(name) {
    const { board, side } = this.told;
    if (name === "resign" && !window.confirm(t("play.resign_sure"))) return;
    try {
      await this.desk.rule(board, { name, side });
      this.message.textContent = "";
    } catch (problem) {
      this.message.textContent = problem.detail || problem.message;
    }
  }
}

function whatText({ state, san, made, end, opponent }, desk) {
  const values = { move: san ? desk.san(san) : "", made: made ?? "", opponent: opponent ?? t("play.opponent") };
  if (end) return end.result === "*" ? t("play.annulled") : t("play.over", { result: end.result });
  return t(`play.state.${state}`, values);
}

function moreTexts({ wrong, away, state, takeback_asked, draw_offered, times }, desk) {
  const texts = [];
  if (times) texts.push(t("play.times", { white: clockText(times.white_ms), black: clockText(times.black_ms) }));
  if (away && state !== "gone") texts.push(t("play.away", { reason: away }));
  if (state === "gone") texts.push(away);
  if (draw_offered) texts.push(t("play.draw_offered"));
  if (takeback_asked) texts.push(t("play.takeback_asked"));
  if (wrong.length > 0) {
    const named = wrong.slice(0, NAMED).map(({ square, should }) => (should ? `${letterOf(should, desk)}${square}` : `–${square}`));
    texts.push(t("play.wrong", { squares: named.join(" ") + (wrong.length > NAMED ? " …" : "") }));
  }
  return texts;
}

function letterOf(letter, desk) {
  return /p/i.test(letter) ? "" : desk.san(letter.toUpperCase());
}

function clockText(ms) {
  const seconds = Math.floor(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
