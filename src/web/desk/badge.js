// The badge of an incident: what it is, how grave, and since when.

import { html } from "/assets/dom.js";
import { whatText } from "./left.js";

/** A link to `record` that says what it is, or what is left of it: `{ element, age }`, of which `age` is empty. */
export function badgeOf(record, desk, game) {
  const { t, name } = desk;
  const what = whatText(desk, record, game);
  const severity = t(`severity.${record.severity}`);
  const element = html("a", "badge", "", { severity: record.severity });
  element.href = `#/record/${record.record}`;
  element.title = record.left ? `${name(record.type)}: ${what} (${severity})` : `${what} (${severity})`;
  const age = html("span", "age");
  element.append(html("span", "what", what), html("span", "heard", severity), age);
  return { element, age };
}

/** `4 min`, `2 h`: how long something has waited. */
export function ageText(ms, t) {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes === 0) return t("list.now");
  return minutes < 60 ? t("list.minutes", { n: minutes }) : t("list.hours", { n: Math.floor(minutes / 60) });
}
