// How urgent a board is: what the list is ordered by, and why a board stands where it stands.

import { shownMs } from "/assets/clock.js";
import { clockNow, isLive } from "/assets/state.js";
import { rank } from "./state.js";

// Time trouble as the Laws have it (8.4): less than five minutes left, and no 30 s added with each
// move. Whatever is added: less than a minute on the clock that runs.
const TROUBLE_MS = 5 * 60_000;
const RUNNING_MS = 60_000;
const ENOUGH_INCREMENT_S = 30;

/** The parts of the list, the most urgent first. */
export const GROUPS = ["incidents", "time", "link", "rest"];

const REST = { group: "rest", weight: 0, mark: "", since: "" };

/**
 * How urgent `board` is at the server's time `now`: the `group` that it belongs to, its `weight` among
 * all boards, the `mark` of its row, and `since` when it waits.
 *
 * Incidents of mere information do not call for the arbiter, and move nothing.
 */
export function urgency(board, incidents, now) {
  const [gravest] = incidents;
  const severity = rank(gravest?.severity);
  if (severity > 0) {
    // Who waits longest comes first.
    const since = incidents.filter((one) => rank(one.severity) === severity).map((one) => one.opened_at).sort()[0];
    return { group: "incidents", weight: 10 + severity, mark: gravest.severity, since };
  }
  const pressed = pressure(board.game, now);
  if (pressed) return { group: "time", weight: pressed === "flag" ? 6 : 5, mark: pressed, since: "" };
  // Behind the end of its game nobody needs the board.
  if (board.game && !isLive(board.game)) return REST;
  if (board.state === "lost") return { group: "link", weight: 3, mark: "lost", since: "" };
  if (board.state === "stale") return { group: "link", weight: 2, mark: "stale", since: "" };
  return REST;
}

// "flag", "trouble" or null.
function pressure(game, now) {
  if (!isLive(game) || !game.clock) return null;
  const clock = clockNow(game);
  let found = null;
  for (const side of ["white", "black"]) {
    const left_ms = shownMs(clock, side, now);
    if (left_ms === 0) return "flag";
    if (isShort(game, left_ms, clock.running === side)) found = "trouble";
  }
  return found;
}

/** Whether a clock of `game` that shows `left_ms` means time trouble. */
export function isShort(game, left_ms, running) {
  if (left_ms == null) return false;
  return running && left_ms < RUNNING_MS || left_ms < TROUBLE_MS && increment_s(game) < ENOUGH_INCREMENT_S;
}

// `5400+30`, `40/7200:20/3600:900+30`: the increment of the last period.
function increment_s(game) {
  return Number((game.time_control ?? "").match(/\+(\d+)$/)?.[1] ?? 0);
}
