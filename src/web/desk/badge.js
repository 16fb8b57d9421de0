// The badge of an incident: what it is, how grave, and since when.

import { html } from "/assets/dom.js";

/** A link to `record` that says what it is: `{ element, age }`, of which `age` is empty. */
export function badgeOf(record, { t, name }) {
  const element = html("a", "badge", "", { severity: record.severity });
  element.href = `#/record/${record.record}`;
  element.title = `${name(record.type)} (${t(`severity.${record.severity}`)})`;
  const age = html("span", "age");
  element.append(html("span", "what", name(record.type)), html("span", "heard", t(`severity.${record.severity}`)), age);
  return { element, age };
}

/** `4 min`, `2 h`: how long something has waited. */
export function ageText(ms, t) {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes === 0) return t("list.now");
  return minutes < 60 ? t("list.minutes", { n: minutes }) : t("list.hours", { n: Math.floor(minutes / 60) });
}
