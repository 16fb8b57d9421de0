// What a reader chooses for this page; for the arbiter, who may log in, and what was done.

import { html } from "/assets/dom.js";
import { create as createAudit } from "./audit.js";
import { create as createFeeds } from "./feeds.js";
import { create as createTokens } from "./tokens.js";
import { choose, language, LANGUAGES } from "./words.js";

export const styles = ["settings.css"];

export function create(root, desk) {
  return new Settings(root, desk);
}

class Settings {
  constructor(root, desk) {
    this.desk = desk;
    const { t, session } = desk;
    root.append(html("h2", "settings-title", t("frame.settings")));
    const part = (name, ...content) => {
      const section = html("section", "part");
      const title = html("h3", "", t(`settings.${name}`));
      title.id = `settings-${name}`;
      section.setAttribute("aria-labelledby", title.id);
      section.append(title, ...content);
      root.append(section);
      return section;
    };
    const connections = Object.assign(html("a", "to-boards", t("frame.connections")), { href: "#/boards" });
    this.setUp = Object.assign(html("a", "to-boards", t("set_up.again")), { href: "#/set-up", hidden: true });
    part("boards", connections, this.setUp);
    part("language", this.languages());
    part("alarm", ...this.alarms());
    part("keys", this.letters());
    const feeds = html("div", "");
    this.parts = [createFeeds(feeds, desk, part("feeds", feeds))];
    if (session.is("arbiter")) {
      for (const [name, make] of [["tokens", createTokens], ["audit", createAudit]]) {
        const content = html("div", "");
        part(name, content);
        this.parts.push(make(content, desk));
      }
    }
    this.title = desk.t("frame.settings");
    this.keys = {};
  }

  languages() {
    const group = html("div", "choices");
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", "settings-language");
    for (const [tag, name] of Object.entries(LANGUAGES)) {
      const button = Object.assign(html("button", "", name), { type: "button", lang: tag });
      button.setAttribute("aria-pressed", String(tag === language()));
      button.addEventListener("click", () => tag !== language() && choose(tag));
      group.append(button);
    }
    return group;
  }

  alarms() {
    const { t, alarm } = this.desk;
    this.sound = this.toggle("sound", () => alarm.setSound(!alarm.sound));
    this.notifications = this.toggle("notifications", () => alarm.setNotifications(!alarm.notifications));
    this.muted = this.toggle("muted", () => alarm.mute());
    this.why = html("p", "hint");
    return [html("p", "hint", t("settings.alarm_what")), this.sound, this.notifications, this.muted, this.why];
  }

  letters() {
    this.letter = this.toggle("letters", () => {
      this.desk.keys.on = !this.desk.keys.on;
      this.draw();
    });
    return this.letter;
  }

  toggle(name, act) {
    const { t } = this.desk;
    const button = Object.assign(html("button", "switch"), { type: "button" });
    button.setAttribute("role", "switch");
    const text = html("span", "switch-text", t(`settings.${name}`));
    text.append(html("span", "hint", t(`settings.${name}_what`)));
    button.append(text, html("span", "knob"));
    button.addEventListener("click", act);
    return button;
  }

  draw() {
    const { t, alarm, keys } = this.desk;
    const set = (button, on) => button.setAttribute("aria-checked", String(on));
    set(this.sound, alarm.sound);
    set(this.notifications, alarm.notifications);
    set(this.muted, alarm.muted && alarm.standing !== "off");
    set(this.letter, keys.on);
    this.notifications.disabled = alarm.refused !== null;
    this.muted.disabled = alarm.standing === "off";
    this.why.textContent = alarm.refused ? t(`settings.refused_${alarm.refused}`) : "";
  }

  show() {
    this.desk.alarm.onchange = () => this.draw();
    this.draw();
    for (const part of this.parts) part.show();
    if (this.desk.session.is("arbiter")) this.offer();
  }

  async offer() {
    const { file } = await this.desk.ask("set-up").catch(() => ({ file: null }));
    this.setUp.hidden = file === null;
  }

  update() {}

  close() {
    this.desk.alarm.onchange = () => {};
    for (const part of this.parts) part.close?.();
  }
}
