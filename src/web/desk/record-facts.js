// What a record says: in one sentence, as facts, and by which article.

import { html } from "/assets/dom.js";
import { has, t } from "./words.js";
import { touchesText } from "./record-proofs.js";
import { sideWord } from "./people.js";
import { clockText, valuesOf } from "./record-values.js";

/** What happened, in a sentence; empty where its name says it all. */
export function sentence(desk, record, game) {
  const own = `what.${record.type}_of_four`;
  const key =
    record.sub === "other-layout" ? `what.${record.type}_layout`
    : record.fault === "dead" && record.certainty === "suspected" ? `what.${record.type}_unseen`
    : record.fault && record.certainty === "suspected" ? `what.${record.type}_suspected`
    : record.fault ? `what.${record.type}_${record.fault === "other-board" ? "board" : record.fault}`
    : record.type === "unexplained-position" && record.severity === "notice" ? `what.${record.type}_offered`
    : record.type === "resolution" && record.of == null ? "what.resolution_moved"
    : record.player && has(own) ? own
    : `what.${record.type}`;
  if (!has(key)) return "";
  // Values that a record lacks leave no holes behind.
  return t(key, valuesOf(desk, record, game)).replace(/\s*\(\s*\)/g, "").replace(/:\s*([.;]|$)/g, "$1").trim();
}

/** A list of names and values as `dl`. */
export function facts(rows) {
  const list = html("dl", "facts");
  for (const [name, value] of rows) {
    if (value == null || value === "") continue;
    const dd = html("dd", "");
    if (value instanceof Node) dd.append(value);
    else dd.textContent = value;
    list.append(html("dt", "", name), dd);
  }
  return list;
}

/** What is told of `record` beside its sentence: rows of a list. */
export function rowsOf(desk, record, game) {
  const values = valuesOf(desk, record, game);
  return [
    [t("record.by"), values.side],
    [t("record.move"), values.number && values.move ? `${values.number} ${values.move}` : values.move || (record.ply ? values.after : "")],
    [t("record.squares"), values.squares],
    [t("record.kinds"), values.kinds],
    [t("record.obligation"), values.obligation],
    [t("record.verdict"), values.verdict],
    [t("record.occurrences"), values.plies],
    [t("record.touches"), touchesText(desk, record)],
    [t("record.result"), values.result],
    [t("record.reason"), values.reason],
    [t("record.seen"), timesText(record.seen ?? null, game)],
    [t("record.expected"), timesText(record.expected ?? null, game)],
    [t("record.clock"), timesText(record.clock, game)],
  ];
}

/** `White 1:35:19 · Black 1:34:59`, or of the two teams of `game`. */
export function timesText(times, game) {
  if (times == null || typeof times !== "object") return "";
  return ["white", "black"].map((side) => `${sideWord(game, side)} ${clockText(times[`${side}_ms`])}`).join(" · ");
}

/** The first of the articles that a record names; they stand as `7.5.1, A.5.2`, those of four players as `T3, R-9, T-aim`. */
export function articlesOf(record) {
  return (record.article ?? "").split(/,\s*/).filter((article) => /\d|^T-/.test(article));
}

const known = new Map();

/** The wording of `article`, or null where there is none. */
export async function wording(desk, edition, article) {
  const path = `articles/${encodeURIComponent(edition)}/${encodeURIComponent(article)}?lang=${document.documentElement.lang}`;
  if (!known.has(path)) known.set(path, desk.ask(path).catch(() => null));
  return known.get(path);
}

/** The articles of `record` with our wording of each, filled in when they come. */
export function law(desk, record) {
  const box = html("div", "law");
  const articles = articlesOf(record);
  if (articles.length === 0) {
    box.append(html("p", "quiet", t("record.no_article")));
    return box;
  }
  for (const article of articles) {
    const row = html("div", "article");
    const head = html("p", "article-head");
    head.append(html("strong", "article-number", t("record.article", { article })));
    row.append(head);
    box.append(row);
    wording(desk, record.edition, article).then((found) => {
      if (!found) return;
      if (found.title) head.append(" ", html("span", "article-title", found.title));
      row.append(html("p", "article-text", found.text));
    });
  }
  box.append(html("p", "quiet", t("record.edition", { edition: record.edition })));
  return box;
}

