// How the feeds stand that carry games and incidents to others: whether they get through, and which games do not.

import { html } from "/assets/dom.js";
import { when } from "./words.js";

export function create(root, desk, section) {
  return new Feeds(root, desk, section);
}

class Feeds {
  constructor(root, desk, section) {
    this.desk = desk;
    this.section = section;
    this.list = html("ul", "tokens");
    section.hidden = true;
    this.what = html("p", "hint", desk.t("feeds.what"));
    root.append(this.what, this.list);
  }

  // Most halls have none, and then there is nothing to say.
  async show() {
    const feeds = await this.desk.ask("feeds").catch(() => []);
    this.section.hidden = feeds.length === 0;
    this.what.hidden = feeds.every(({ feed }) => feed !== "webhook");
    this.list.replaceChildren(...feeds.map((feed) => this.row(feed)));
  }

  row({ feed, to, state, failing_since, last_error, queued, homeless, note, games = [] }) {
    const { t } = this.desk;
    const item = html("li", "");
    const text = html("span", "token-text");
    const waiting = queued > 0 ? t("feeds.queued", { n: queued, count: queued }) : "";
    const since = failing_since ? t("feeds.since", { when: when(failing_since) }) : "";
    text.append(html("strong", "", to), html("span", "hint", [feed, since, waiting, failing_since ? last_error : ""].filter(Boolean).join(" · ")));
    if (homeless > 0) text.append(html("span", "hint problem", t("feeds.homeless", { n: homeless, count: homeless })));
    text.append(...games.map(({ game, error }) => html("span", "hint problem", `${game}: ${error}`)));
    if (note) {
      text.append(html("span", "hint", t(`feeds.note.${note}`)));
    }
    item.append(text, html("strong", failing_since ? "problem" : ["off", "idle"].includes(state) ? "hint" : "well", t(`feeds.${failing_since ? "failing" : state}`)));
    return item;
  }
}
