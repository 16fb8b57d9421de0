// Who may log in: the tokens, a new one, and the end of one.

import { html } from "/assets/dom.js";
import { when } from "./words.js";

export function create(root, desk) {
  return new Tokens(root, desk);
}

class Tokens {
  constructor(root, desk) {
    this.desk = desk;
    const { t } = desk;
    this.list = html("ul", "tokens");
    this.fresh = html("div", "fresh-token");
    this.fresh.setAttribute("role", "status");
    this.problem = html("p", "problem");
    this.problem.setAttribute("role", "alert");
    this.form = html("form", "token-form");
    const name = html("label", "", t("tokens.name"));
    this.name = Object.assign(html("input", ""), { required: true, maxLength: 80, autocomplete: "off" });
    name.append(this.name);
    const role = html("label", "", t("tokens.role"));
    this.role = html("select", "");
    for (const one of ["operator", "arbiter"]) this.role.append(new Option(t(`roles.${one}`), one));
    role.append(this.role);
    const make = Object.assign(html("button", "first", t("tokens.make")), { type: "submit" });
    this.form.append(name, role, make);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.make();
    });
    root.append(html("p", "hint", t("tokens.what")), this.list, this.fresh, this.form, this.problem);
  }

  async show() {
    this.problem.textContent = "";
    try {
      const tokens = await this.desk.ask("tokens");
      this.list.replaceChildren(...tokens.filter((one) => !one.revoked_at).map((one) => this.row(one)));
    } catch (problem) {
      this.problem.textContent = problem.message;
    }
  }

  // A token that was shown is not shown again.
  close() {
    this.fresh.replaceChildren();
  }

  row({ id, role, name, created_at, last_used_at }) {
    const { t } = this.desk;
    const item = html("li", "");
    const text = html("span", "token-text");
    const used = last_used_at ? t("tokens.used", { when: when(last_used_at) }) : t("tokens.unused");
    text.append(
      html("strong", "", name),
      html("span", "hint", [t(`roles.${role}`), t("tokens.made", { when: when(created_at) }), used].join(" · ")),
    );
    const end = Object.assign(html("button", "", t("tokens.revoke")), { type: "button" });
    end.setAttribute("aria-label", t("tokens.revoke_of", { name }));
    end.addEventListener("click", () => this.revoke(end, id, name));
    item.append(text, end);
    return item;
  }

  // Asks in place; a second press does it.
  async revoke(button, id, name) {
    const { ask, say, t } = this.desk;
    if (!button.dataset.sure) {
      button.dataset.sure = "yes";
      button.textContent = t("tokens.sure");
      button.setAttribute("aria-label", t("tokens.sure_of", { name }));
      button.addEventListener("blur", () => this.show(), { once: true });
      return;
    }
    try {
      await ask(`tokens/${encodeURIComponent(id)}`, { method: "DELETE" });
      say(t("tokens.revoked", { name }));
      await this.show();
    } catch (problem) {
      this.problem.textContent = problem.message;
    }
  }

  async make() {
    const { ask, t } = this.desk;
    this.problem.textContent = "";
    try {
      const made = await ask("tokens", { method: "POST", body: { role: this.role.value, name: this.name.value.trim() } });
      const code = Object.assign(html("code", "", made.token), { tabIndex: 0 });
      const copy = Object.assign(html("button", "", t("tokens.copy")), { type: "button" });
      copy.addEventListener("click", () => this.copy(code));
      this.fresh.replaceChildren(html("p", "", t("tokens.once", { name: made.name })), code, copy);
      this.form.reset();
      await this.show();
    } catch (problem) {
      this.problem.textContent = problem.message;
    }
  }

  // Without a secure context the clipboard is closed: then the text is chosen, to be copied by hand.
  async copy(code) {
    getSelection().selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(code.textContent);
      this.desk.say(this.desk.t("tokens.copied"));
    } catch {
      this.desk.say(this.desk.t("tokens.copy_by_hand"));
    }
  }
}
