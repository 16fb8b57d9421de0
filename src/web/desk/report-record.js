// The printed report of an incident: what happened, the Law, the positions, the readings, the rulings.

import { html } from "/assets/dom.js";
import { isFour } from "/assets/turns.js";
import { sideWord, signersOf } from "./people.js";
import { articlesOf, rowsOf, sentence, timesText, wording } from "./record-facts.js";
import { mateMoves, mateOf, mateWords } from "./record-mate.js";
import { proofsOf, proofText } from "./record-proofs.js";
import { clockText } from "./record-values.js";
import { squaresOf, timeOf } from "./replay.js";
import { diagram, head, lines, pairs, players, section, table } from "./report-parts.js";
import { partText, resolutionOf } from "./resolution.js";
import { rulingWords } from "./ruling-words.js";
import { t } from "./words.js";

// A page holds so many readings beside the rest; the journal has them all.
const READINGS = 40;

/** The report of record `number`: `{ title, back, parts }`. */
export async function recordReport(desk, number) {
  const { record, proposals, rulings, history } = await desk.ask(`records/${number}`);
  // The clocks when it happened, not when it was decided.
  record.clock = history[0]?.clock ?? record.clock;
  const game = record.game ? await desk.ask(`games/${encodeURIComponent(record.game)}`).catch(() => null) : null;
  const path = `boards/${encodeURIComponent(record.board)}/readings?record=${number}&before_ms=5000&after_ms=2000`;
  const readings = await desk.ask(path).catch(() => null);
  const articles = await Promise.all(articlesOf(record).map(async (article) => [article, await wording(desk, record.edition, article)]));
  const title = `${t("report.record")}: ${desk.name(record.type)}`;
  const says = sentence(desk, record, game);
  const at = record.opened_at ?? record.at;
  return {
    title: `${title} · ${record.record}`,
    back: `#/record/${record.record}`,
    parts: [
      head(desk, t("report.record"), game ?? { board: record.board }, at, t("report.number", { number: record.record })),
      players(game),
      section(
        desk.name(record.type),
        ...(says ? [html("p", "lead", says)] : []),
        pairs([
          [t("report.time"), timeOf(at)], [t("report.status"), t(`status.${record.status}`)],
          [t("report.severity"), `${t(`severity.${record.severity}`)}, ${t(`certainty.${record.certainty}`)}`],
          ...rowsOf(desk, record, game).slice(1),
        ], "paper-facts two"),
      ),
      law(articles, record),
      positions(desk, record, readings, game),
      mate(desk, mateOf(record, ...proposals), game),
      readingsTable(desk, readings, record, game),
      rulingsTable(desk, rulings, game, record),
      carriedOut(desk, resolutionOf(record, proposals), game),
      section(t("report.remarks"), lines("", "", "")),
      signatures(game),
    ],
  };
}

function law(articles, record) {
  const parts = articles.map(([article, found]) => {
    const p = html("p", "");
    p.append(html("strong", "", `${t("record.article", { article })}${found?.title ? ` ${found.title}` : ""}. `), found?.text ?? "");
    return p;
  });
  if (parts.length === 0) return "";
  return section(t("report.law"), ...parts, html("p", "small", t("record.edition", { edition: record.edition })));
}

// Whether a side could still mate, with the moves.
function mate(desk, record, game) {
  if (!record) return "";
  const moves = record.mate_line?.length > 0 ? [html("p", "small", mateMoves(desk, record))] : [];
  return section(t("record.mate"), ...mateWords(desk, record, game).map((words) => html("p", "", words)), ...moves);
}

// The positions that prove a claim; else what stood before and after.
function positions(desk, record, readings, game) {
  const proofs = proofsOf(record, game);
  if (proofs.length > 0) {
    const row = html("div", "diagrams proofs");
    row.append(...proofs.map((proof) => diagram(proofText(desk, game, proof), proof.fen)));
    return row;
  }
  if (!record.fen_before) return "";
  const frames = readings?.frames ?? [];
  const first = frames.findIndex((frame) => frame.within);
  const before = frames[Math.max(0, first - 1)]?.clock;
  const row = html("div", "diagrams");
  row.append(diagram(t("report.before"), record.fen_before, squaresOf(record), timesText(record.clock_before ?? before, game)));
  if (record.fen_after && record.fen_after !== record.fen_before) {
    row.append(diagram(t("report.after"), record.fen_after, squaresOf(record), timesText(record.clock, game)));
  }
  return row;
}

function clockHead(game) {
  return isFour(game) ? ["white", "black"].map((side) => sideWord(game, side)).join(" – ") : t("report.clock_both");
}

function readingsTable(desk, readings, record, game) {
  const frames = (readings?.frames ?? []).filter((frame) => says(frame));
  if (frames.length === 0) return "";
  // The evidence itself before what stands around it.
  const within = frames.filter((frame) => frame.within);
  const shown = frames.length <= READINGS ? frames : (within.length > 0 ? within : frames).slice(-READINGS);
  const origin = Date.parse(record.opened_at ?? record.at);
  const rows = shown.map((frame) => {
    const s = (Date.parse(frame.at) - origin) / 1000;
    const when = `${timeOf(frame.at)} (${s < 0 ? "−" : "+"}${Math.abs(s).toFixed(1)} s)`;
    const squares = [...new Set([...frame.lifted, ...frame.placed])].map(desk.san).join(", ");
    return [frame.within ? html("strong", "", when) : when, squares, what(frame), clocks(frame.clock)];
  });
  const names = ["time", "square", "what"].map((name) => t(`report.reading_${name}`));
  const list = table([...names, clockHead(game)], rows, "readings");
  return section(t("report.readings"), list, ...(shown.length < frames.length ? [html("p", "small", t("report.cut"))] : []));
}

// The clock that only ticks is no evidence.
function says({ kind, lifted, placed, events }) {
  return ["link", "ruling"].includes(kind) || lifted.length + placed.length > 0 || (events ?? []).some(({ type }) => type === "pressed" || type === "flag-fallen");
}

function what({ kind, link, lifted, placed, events }) {
  if (kind === "ruling") return t("report.ruling");
  if (kind === "link") return t(link === "back" ? "report.back_again" : "report.lost");
  const exchanged = lifted.some((square) => placed.includes(square));
  const words = [
    exchanged ? t("report.exchanged") : lifted.length > 0 && t("report.lifted"),
    !exchanged && placed.length > 0 && t("report.placed"),
    (events ?? []).some(({ type }) => type === "pressed") && t("replay.pressed"),
    (events ?? []).some(({ type }) => type === "flag-fallen") && t("replay.flag"),
  ];
  return words.filter(Boolean).join(", ");
}

function clocks(clock) {
  return clock ? `${clockText(clock.white_ms)} – ${clockText(clock.black_ms)}` : "";
}

// What hands had to do for it, with the times and whether it was done.
function carriedOut(desk, said, game) {
  if (!said) return "";
  const rows = said.parts.map((part) => [partText(desk, part, game), t(`resolution.state.${part.state}`)]);
  return section(t("report.carried_out"), table([t("report.to_do"), t("report.status")], rows, "carried-out"));
}

function rulingsTable(desk, rulings, game, record) {
  if (rulings.length === 0) return section(t("report.rulings"), html("p", "", t("report.rulings_none")));
  const rows = rulings.map((ruling) => {
    const about = ruling.record === record.record ? record : desk.state.records.get(ruling.record);
    const words = rulingWords(desk, ruling, game, about, rulings);
    return [timeOf(ruling.at), ruling.undone ? `${words} (${t("report.undone")})` : words, ruling.by ?? ""];
  });
  return section(t("report.rulings"), table([t("report.reading_time"), t("report.rulings"), t("report.by")], rows, "rulings"));
}

function signatures(game) {
  const row = lines(t("report.arbiter"), ...signersOf(game));
  row.classList.add("signatures");
  return row;
}
