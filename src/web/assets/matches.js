// Matches of teams: which games belong together, and how the match stands.

import { playersOf } from "./turns.js";
import { scores } from "./words.js";

const POINTS = { 1: 1, "½": 0.5, 0: 0, "+": 1, "−": 0 };

// Whose points the two players' are: of the first team of the match (0) or of the second (1). White of the
// first board plays for the first team, and colours alternate.
function sides(game, teams) {
  const named = teamsOf(game).map((team) => teams.indexOf(team));
  if (named[0] >= 0) return [named[0], 1 - named[0]];
  if (named[1] >= 0) return [1 - named[1], named[1]];
  return game.match.board % 2 === 1 ? [0, 1] : [1, 0];
}

/** The teams of both sides of `game`; partners play for the same. */
export function teamsOf(game) {
  return ["white", "black"].map((side) => playersOf(game, side).map((player) => game[player]?.team).find(Boolean));
}

/**
 * The matches among `entries` (each with a `game`), in their order:
 * `{ number, teams, points, over, entries }`. A game without a result gives nobody a point yet.
 */
export function matchesOf(entries) {
  const matches = new Map();
  for (const entry of entries) {
    const number = entry.game?.match?.number;
    if (number == null) continue;
    if (!matches.has(number)) matches.set(number, { number, points: [0, 0], over: true, entries: [] });
    matches.get(number).entries.push(entry);
  }
  for (const match of matches.values()) {
    match.entries.sort((a, b) => a.game.match.board - b.game.match.board);
    const [{ game: first }] = match.entries;
    const teams = teamsOf(first);
    match.teams = first.match.board % 2 === 1 ? teams : teams.reverse();
    for (const { game } of match.entries.filter((entry) => !entry.game.annulled)) {
      const points = scores(game.result);
      if (!points) match.over = false;
      sides(game, match.teams).forEach((side, i) => { match.points[side] += POINTS[points?.[i]] ?? 0; });
    }
  }
  return [...matches.values()].sort((a, b) => a.number - b.number);
}

/** Points of both as people write them: `2½ – ½`, with little room between. */
export function scoreText(points) {
  return points.map(pointsText).join("\u2009–\u2009");
}

function pointsText(points) {
  const [whole, half] = [Math.floor(points), points % 1 ? "½" : ""];
  return whole === 0 && half ? half : `${whole}${half}`;
}
