// What calls the arbiter: a sound and a notification for each new incident of severity alert or above.

import { pairText } from "./people.js";
import { rank } from "./state.js";
import { ring } from "./sound.js";
import { load, store } from "./stored.js";
import { boardName } from "./words.js";

// Incidents that come together ring once.
const APART_MS = 2_000;

/** Rings and notifies; each is switched on by the reader and remembered, and both can be muted. */
export class Alarm {
  constructor(desk, announce) {
    this.desk = desk;
    this.announce = announce;
    this.rang_at = -Infinity;
    this.impossible = false;
    this.onchange = () => {};
    // A browser lets a page sound only after the reader has touched it.
    this.context = null;
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => this.wake(), { capture: true });
    this.button = document.getElementById("alarm");
    this.button.addEventListener("click", () => this.press());
    document.addEventListener("visibilitychange", () => this.show());
  }

  get sound() {
    return load("sound", false);
  }

  get notifications() {
    return load("notifications", false) && this.refused === null && permission() === "granted";
  }

  get muted() {
    return load("muted", false);
  }

  /** Why there can be no notifications here: `insecure`, `denied`, `none`; null if there can. */
  get refused() {
    if (!isSecureContext) return "insecure";
    if (this.impossible || !("Notification" in window)) return "none";
    return permission() === "denied" ? "denied" : null;
  }

  /** `off`, `muted`, `waiting` (for the reader's first touch) or `on`. */
  get standing() {
    if (!this.sound && !this.notifications) return "off";
    if (this.muted) return "muted";
    return this.sound && this.context?.state !== "running" ? "waiting" : "on";
  }

  /** Switches the sound on, and lets it be heard once; or off. */
  async setSound(on) {
    store("sound", on);
    if (on) {
      store("muted", false);
      await this.wake();
      if (this.context) ring(this.context, "alert");
    }
    this.show();
  }

  /** Switches notifications on, for which the browser asks the reader; or off. */
  async setNotifications(on) {
    if (on && permission() === "default") await Notification.requestPermission();
    store("notifications", on && permission() === "granted");
    if (on) store("muted", false);
    this.show();
  }

  /** Silence, or its end. */
  mute() {
    if (this.standing === "off") return this.desk.say(this.desk.t("alarm.is_off"));
    store("muted", !this.muted);
    this.desk.say(this.desk.t(this.muted ? "alarm.now_muted" : "alarm.now_on"));
    this.show();
  }

  // The button in the head: it switches on what was never on, and then mutes.
  async press() {
    if (this.standing === "off") {
      await this.setSound(true);
      this.desk.say(this.desk.t("alarm.heard"));
    } else if (this.standing === "waiting") {
      await this.wake();
      this.show();
    } else {
      this.mute();
    }
  }

  async wake() {
    if (!this.sound || this.context?.state === "running") return;
    this.context ??= new AudioContext();
    this.context.onstatechange = () => this.show();
    await this.context.resume().catch(() => {});
    this.show();
  }

  /** A new incident. */
  tell(record) {
    if (record.kind === "proposal" || rank(record.severity) < rank("alert")) return;
    this.announce(record);
    if (this.muted) return;
    if (this.sound && performance.now() - this.rang_at > APART_MS) {
      this.rang_at = performance.now();
      if (this.context?.state === "running") ring(this.context, record.severity);
    }
    if (this.notifications) this.notify(record);
  }

  notify(record) {
    const { name, state, go } = this.desk;
    const game = state.boards.get(record.board)?.game;
    const title = `${boardName(record.board)}: ${name(record.type)}`;
    const notification = this.make(title, { body: pairText(game), tag: `record-${record.record}`, silent: true });
    if (!notification) return;
    notification.onclick = () => {
      focus();
      go(`#/record/${record.record}`);
      notification.close();
    };
  }

  // Browsers of telephones know notifications, and refuse to make one for a page.
  make(title, options) {
    try {
      return new Notification(title, options);
    } catch {
      this.impossible = true;
      this.show();
      return null;
    }
  }

  show() {
    const { t } = this.desk;
    const { standing } = this;
    this.button.dataset.standing = standing;
    this.button.setAttribute("aria-pressed", String(standing === "on"));
    this.button.querySelector(".text").textContent = t(`alarm.${standing}`);
    this.button.title = t(`alarm.title_${standing}`);
    this.onchange();
  }
}

function permission() {
  return globalThis.Notification?.permission ?? "denied";
}
