// The printed scoresheet of a game, and, when it is adjourned, what stands on the envelope (Guideline I.2).

import { html } from "/assets/dom.js";
import { allPlayers, isFour, orderOf, turnOf } from "/assets/turns.js";
import { resultWords, sideWord } from "./people.js";
import { clockText, endText } from "./record-values.js";
import { diagram, head, lines, pairs, players, section } from "./report-parts.js";
import { timesText } from "./record-facts.js";
import { t } from "./words.js";

// So many moves a column; a longer game goes on in the next pair of columns.
const ROWS = 30;

/** The scoresheet of game `id`: `{ title, back, parts }`. */
export async function scoresheet(desk, id) {
  const game = await desk.ask(`games/${encodeURIComponent(id)}`);
  const sheet = await adjournment(desk, game);
  const title = t(sheet ? "report.adjournment" : "report.scoresheet");
  return {
    title: `${t("report.scoresheet")} ${id}`,
    back: `#/board/${encodeURIComponent(game.board)}`,
    parts: [
      head(desk, title, game, game.opened_at ?? Date.now(), id),
      players(game),
      ...(sheet ? [envelope(sheet, game)] : []),
      section(t("report.moves"), moves(desk, game), html("p", "small", t("report.times"))),
      result(desk, game, sheet !== null),
      signatures(game),
    ],
  };
}

/** The sheet of an adjournment that stands, or null: none was written, or the game was resumed. */
async function adjournment(desk, game) {
  const query = new URLSearchParams({ board: game.board, game: game.game, types: "adjournment-sheet" });
  const [{ events }, rulings] = await Promise.all([
    desk.ask(`history?${query}`).catch(() => ({ events: [] })),
    desk.ask(`boards/${encodeURIComponent(game.board)}/rulings`).catch(() => []),
  ]);
  const sheet = events.find((event) => event.type === "adjournment-sheet" && event.status !== "withdrawn");
  if (!sheet || (game.result ?? "*") !== "*") return null;
  const resumed = rulings.some((ruling) => ruling.name === "resume-game" && ruling.seq > sheet.seq && !ruling.undone);
  return resumed ? null : sheet;
}

/** What stands on the envelope: never the sealed move itself, which nobody here may know. */
function envelope(sheet, game) {
  const base_ms = baseOf(game.time_control);
  const used = (side) => (base_ms == null || sheet.times == null ? null : usedBy(game, side, sheet.times[`${side}_ms`], base_ms));
  const offer = /white|black/.exec(sheet.open ?? "")?.[0];
  const rows = [
    [t("report.sealed_by"), sideWord(game, sheet.side)], [t("report.sealed_number"), String(sheet.number ?? "–")],
    [t("report.left"), timesText(sheet.times, game)],
    [t("report.used"), used("white") == null ? "" : timesText({ white_ms: used("white"), black_ms: used("black") }, game)],
    [t("report.offer"), offer ? sideWord(game, offer) : t("report.no_offer")],
    [t("report.fen"), html("code", "", sheet.fen)],
  ];
  const body = html("div", "envelope");
  body.append(diagram(t("report.sealing"), sheet.fen), pairs(rows, "paper-facts one"));
  const resume = lines(t("report.resumption_date"), t("report.resumption_time"), t("report.resumption_place"));
  resume.classList.add("three");
  return section(t("report.adjournment"), body, html("h3", "", t("report.resumption")), resume, html("p", "small", t("report.envelope")));
}

// The seconds of `5400+30` or `40/7200:…`: of the first period.
function baseOf(control) {
  if (!control) return null;
  const found = /^(?:\d+\/)?(\d+)(?:\+(\d+))?/.exec(control);
  return found ? { base_ms: Number(found[1]) * 1000, increment_ms: Number(found[2] ?? 0) * 1000, periods: control.includes(":") } : null;
}

// What was given by then, less what is left; with several periods it depends on when they began.
function usedBy(game, side, left_ms, { base_ms, increment_ms, periods }) {
  if (periods || left_ms == null) return null;
  const completed = game.moves.filter((move) => move.side === side && move.completed).length;
  const given_ms = base_ms + increment_ms * (completed + 1);
  return Math.max(0, given_ms - left_ms);
}

function moves(desk, game) {
  const rows = [];
  for (const move of game.moves) {
    const { number, player } = turnOf(game, move.ply);
    if (rows.at(-1)?.number !== number) rows.push({ number });
    rows.at(-1)[player] = move;
  }
  const columns = html("div", isFour(game) ? "score four" : "score");
  const order = orderOf(game);
  for (let i = 0; i === 0 || i < rows.length; i += ROWS) {
    const list = document.createElement("table");
    const head = document.createElement("tr");
    const th = (text) => Object.assign(document.createElement("th"), { textContent: text, scope: "col" });
    head.append(th(t("report.move_number")), ...order.flatMap((player) => [th(t(`side.${player}`)), th(t("report.at_press"))]));
    list.append(head, ...rows.slice(i, i + ROWS).map((row) => scoreRow(desk, row, order)));
    columns.append(list);
  }
  return columns;
}

function scoreRow(desk, row, order) {
  const tr = document.createElement("tr");
  const td = (text, className) => Object.assign(document.createElement("td"), { textContent: text, className });
  tr.append(td(`${row.number}.`, "number"));
  for (const move of order.map((player) => row[player])) {
    const cell = td(move ? desk.san(move.san) : "", "san");
    if (move && !move.completed) cell.append(html("span", "small", ` ${t("report.made_only")}`));
    if (move?.legal === false) cell.append(" *");
    tr.append(cell, td(move?.clock ? clockText(move.clock[`${move.side}_ms`]) : "", "time"));
  }
  return tr;
}

function result(desk, game, isAdjourned) {
  if ((game.result ?? "*") === "*") return isAdjourned ? "" : lines(t("report.result"));
  const words = [resultWords(game), endText(desk, game.reason)].filter(Boolean).join(" · ");
  return pairs([[t("report.result"), html("strong", "", words)]], "paper-result");
}

function signatures(game) {
  const names = allPlayers(game).map((player) => `${t(`side.${player}`)}: ${game[player]?.name ?? ""}`);
  const row = lines(...names, t("report.arbiter"));
  row.classList.add("signatures");
  return row;
}
