// Who sits at this page: the role and the name that the daemon gave it, and until when.

const RANKS = ["spectator", "operator", "arbiter"];

// A timer cannot wait for longer than this.
const LONGEST_MS = 2 ** 31 - 1;

// The stream breaks for many reasons; whether the session is one of them is asked this often at most.
const CHECK_MS = 5_000;

const NOBODY = { role: "spectator", name: null, expires_at: null };

/** The session of this page; `onchange()` is called when somebody comes or goes. */
export class Session {
  constructor(ask) {
    this.ask = ask;
    this.onchange = () => {};
    this.checked_at = -Infinity;
    Object.assign(this, NOBODY);
    // Why nobody is logged in: null at first, "expired", or what became of the link: "link" (no longer good),
    // "soon" (too many attempts), "no_answer".
    this.reason = null;
  }

  /** Whether the visitor has at least this role. */
  is(role) {
    return RANKS.indexOf(this.role) >= RANKS.indexOf(role);
  }

  /** Logs in by the link that led here, or takes up the session that there is. */
  async begin() {
    const token = linkToken();
    if (token) {
      try {
        return await this.login(token);
      } catch (problem) {
        this.reason = { 401: "link", 429: "soon" }[problem.status] ?? "no_answer";
      }
    }
    await this.check();
    if (this.role === "spectator") this.onchange();
  }

  async login(token) {
    this.take(await this.ask("login", { method: "POST", body: { token } }));
  }

  async logout() {
    await this.ask("logout", { method: "POST" });
    this.reason = null;
    this.take(NOBODY);
  }

  /** Asks whether the session still holds. */
  async check() {
    if (performance.now() - this.checked_at < CHECK_MS) return;
    this.checked_at = performance.now();
    const found = await this.ask("session").catch(() => null);
    if (!found || found.role === this.role) return;
    if (this.is("operator")) this.reason = "expired";
    this.take(found);
  }

  /** The daemon no longer knows this session. */
  ended() {
    if (!this.is("operator")) return;
    this.reason = "expired";
    this.take(NOBODY);
  }

  take({ role, name, expires_at }) {
    Object.assign(this, { role, name, expires_at });
    clearTimeout(this.timer);
    const left_ms = expires_at ? Date.parse(expires_at) - Date.now() : LONGEST_MS;
    if (this.is("operator") && left_ms < LONGEST_MS) this.timer = setTimeout(() => this.ended(), Math.max(0, left_ms));
    this.onchange();
  }
}

// The token leaves the address at once, before anybody copies it.
function linkToken() {
  const found = location.hash.match(/^#login=(.+)$/);
  if (!found) return null;
  history.replaceState(null, "", `${location.pathname}#/`);
  return decodeURIComponent(found[1]);
}
