// The row of one pairing: its board, its players, how far it is, and what may be done with it.

import { html, svg } from "/assets/dom.js";
import { teamsOf } from "/assets/matches.js";
import { isFour, playersOf } from "/assets/turns.js";
import { boardName } from "./words.js";

/** The names of those who play for `side` in `pairing`. */
export function sideNames(pairing, side) {
  return playersOf(pairing, side).map((player) => pairing[player]?.name ?? "?").join(" & ");
}

export class PairingRow {
  /** `acts`: `up` and `down` (false: not possible), `correct`. */
  constructor(pairing, desk, acts) {
    this.desk = desk;
    const { t } = desk;
    const { game, state, board, result } = pairing;
    const isBye = result === "bye";
    const waits = state === "waiting" && !result;
    this.element = html("li", "pairing", "", { game, state });
    this.element.draggable = waits;
    const place = html("span", "pairing-board", isBye ? "" : board);
    if (!isBye) place.append(html("span", "spoken", ` ${boardName(board)}`));
    const names = html("span", "pairing-players");
    if (isBye) names.append(this.player("white", pairing.white ?? {}));
    else for (const side of ["white", "black"]) names.append(...this.side(pairing, side));
    const until = pairing.postponed ? `: ${pairing.postponed}` : "";
    const told = isBye ? t("pairings.bye") : state === "finished" && result ? result : `${t(`pairings.state.${state}`)}${until}`;
    const standing = html("span", "pairing-state", told, { state });
    const buttons = html("span", "pairing-acts");
    const who = { game, white: sideNames(pairing, "white"), black: sideNames(pairing, "black") };
    if (!isBye) buttons.append(this.button("up", acts.up, who), this.button("down", acts.down, who));
    buttons.append(this.button("correct", acts.correct, who));
    this.element.append(place, html("span", "pairing-game", game), names, standing, buttons);
  }

  // Partners play for one team, which stands below them.
  side(pairing, side) {
    const isTeam = isFour(pairing);
    const lines = playersOf(pairing, side).map((player) => {
      const { team, ...one } = pairing[player] ?? {};
      return this.player(player, isTeam ? one : { ...one, team });
    });
    const [ofWhite, ofBlack] = isTeam ? teamsOf(pairing) : [];
    const team = side === "white" ? ofWhite : ofBlack;
    return team ? [...lines, html("span", "pairing-team", team)] : lines;
  }

  player(side, { name, title, federation, elo, team }) {
    const { t } = this.desk;
    const line = html("span", "pairing-player", "", { side });
    if (title) line.append(html("span", "title", title));
    line.append(html("span", name ? "name" : "name nobody", name ?? t(`side.${side}`)));
    const more = [federation, elo, team].filter(Boolean).join(" · ");
    if (more) line.append(html("span", "more", more));
    return line;
  }

  button(act, run, who) {
    const { t } = this.desk;
    const button = Object.assign(html("button", "", "", { act }), { type: "button", disabled: !run });
    const label = t(`pairings.${act}`, who);
    button.setAttribute("aria-label", label);
    button.title = label;
    const paths = { up: "M12 19V5M6 11l6-6 6 6", down: "M12 5v14M6 13l6 6 6-6", correct: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3" };
    button.append(svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, [svg("path", { d: paths[act] })]));
    if (run) button.addEventListener("click", run);
    return button;
  }
}
