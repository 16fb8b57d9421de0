// Who is not logged in sees this alone: a field for his token, and the way to the games.

/** The form in `element`. */
export class Login {
  constructor(element, desk) {
    this.element = element;
    this.desk = desk;
    this.form = element.querySelector("form");
    this.token = element.querySelector("#token");
    this.message = element.querySelector("#login-message");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
  }

  get shown() {
    return !this.element.hidden;
  }

  show() {
    const { reason } = this.desk.session;
    this.element.hidden = false;
    document.body.dataset.out = "";
    document.title = "adoube";
    this.say(reason ? this.desk.t(`login.${reason}`) : "");
    this.token.focus();
  }

  hide() {
    this.element.hidden = true;
    delete document.body.dataset.out;
    this.token.value = "";
    this.say("");
  }

  say(text) {
    this.message.textContent = text;
  }

  async send() {
    const { session, t } = this.desk;
    const token = this.token.value.trim();
    if (!token) return this.say(t("login.empty"));
    const button = this.form.querySelector("button");
    button.disabled = true;
    try {
      await session.login(token);
      if (!session.is("operator")) this.say(t("login.wrong"));
    } catch (problem) {
      const key = { 401: "login.wrong", 429: "login.often", 0: "login.no_answer" }[problem.status];
      this.say(key ? t(key, { seconds: problem.retry_s ?? 60 }) : problem.message);
      this.token.select();
    } finally {
      button.disabled = false;
    }
  }
}
