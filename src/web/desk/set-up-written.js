// What was written on the first day, who may log in from now on, and the way to the desk that begins with it.

import { html } from "/assets/dom.js";

// The daemon is asked so often whether it has begun anew.
const ASK_MS = 300;

// At another address it cannot be asked, and has begun by then.
const BEGUN_MS = 3_000;

// Who has not begun by then has said why where it was started.
const SILENT_MS = 20_000;

export function create(root, desk) {
  return new Written(root, desk);
}

class Written {
  constructor(root, desk) {
    Object.assign(this, { root, desk });
    root.hidden = true;
  }

  /** Shows what was `written`; who has nothing to read goes on by himself. */
  show({ file, desk: address, fingerprint, elsewhere, spectators, arbiters, remarks }) {
    const { t } = this.desk;
    this.desk.leave();
    this.root.hidden = false;
    const said = html("p", "", t("set_up.written", { file }));
    said.setAttribute("role", "status");
    this.on = Object.assign(html("button", "first on", t("set_up.on")), { type: "button", disabled: true });
    this.on.addEventListener("click", () => go(address));
    this.root.replaceChildren(said, ...this.tokens(arbiters), ...remarks.map((one) => html("p", "problem", one)));
    if (elsewhere) this.root.append(html("p", "", t("set_up.elsewhere_at", { address: elsewhere })));
    if (spectators) this.root.append(html("p", "", t("set_up.spectators_at", { address: spectators })));
    if (fingerprint) this.root.append(html("p", "", t("set_up.fingerprint")), html("code", "", fingerprint));
    this.silent = html("p", "problem");
    this.silent.setAttribute("role", "alert");
    this.root.append(this.silent, this.on);
    said.tabIndex = -1;
    said.focus();
    const hasToRead = arbiters.length > 0 || remarks.length > 0 || elsewhere || spectators;
    this.wait(address, () => (hasToRead ? (this.on.disabled = false) : go(address)));
  }

  tokens(arbiters) {
    if (arbiters.length === 0) return [];
    const { t } = this.desk;
    const list = html("ul", "tokens");
    for (const { name, token } of arbiters) {
      const item = html("li", "");
      const code = Object.assign(html("code", "", token), { tabIndex: 0 });
      code.setAttribute("aria-label", t("set_up.token_of", { name }));
      item.append(html("strong", "", name), code);
      list.append(item);
    }
    return [html("p", "", t("set_up.tokens")), list];
  }

  // The daemon that has begun anew knows nobody yet.
  wait(address, begun) {
    if (new URL(address).origin !== location.origin) {
      this.waiting = setTimeout(begun, BEGUN_MS);
      return;
    }
    const since = performance.now();
    this.waiting = setInterval(async () => {
      const session = await fetch("/api/v1/session").then((answer) => answer.json()).catch(() => null);
      const isLate = !session && performance.now() - since > SILENT_MS;
      const said = isLate ? this.desk.t("set_up.silent") : "";
      if (this.silent.textContent !== said) this.silent.textContent = said;
      if (session?.role !== "spectator") return;
      clearInterval(this.waiting);
      begun();
    }, ASK_MS);
  }

  close() {
    clearInterval(this.waiting);
    this.root.replaceChildren();
    this.root.hidden = true;
  }
}

// The page that is shown has the address already, but for what stands behind the `#`.
function go(address) {
  location.assign(address);
  if (new URL(address).origin === location.origin) location.reload();
}
