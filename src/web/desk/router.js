// Which view is shown: the part of the address behind the `#`.

import { idly } from "./idle.js";

const ROUTES = [
  ["list", /^\/?$/, () => null],
  ["game", /^\/board\/([^/]+)$/, ([board]) => board],
  ["record", /^\/record\/(\d+)$/, ([number]) => Number(number)],
  ["round", /^\/round$/, () => null],
  ["pairings", /^\/pairings$/, () => null],
  ["boards", /^\/boards$/, () => null],
  ["history", /^\/history$/, () => null],
  ["report", /^\/report\/(record|scoresheet)\/([^/]+)$/, ([of, id]) => ({ of, id })],
  ["settings", /^\/settings$/, () => null],
  ["set-up", /^\/set-up$/, () => null],
];

// What is opened from a list of boards.
const OPENED = ["game", "record"];

/** What the address `hash` leads to: `{ view, argument, query }`; an unknown one leads to the list. */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split("?");
  for (const [view, pattern, argument] of ROUTES) {
    const found = path.match(pattern);
    if (found) return { view, argument: argument(found.slice(1).map(decoded)), query: new URLSearchParams(query) };
  }
  return { view: "list", argument: null, query: new URLSearchParams() };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Shows the views in `element`, each in a section of its own; `arrived()` is called after each step. */
export class Router {
  constructor(element, desk, arrived) {
    this.element = element;
    this.desk = desk;
    this.arrived = arrived;
    // The addresses that led here, the present one last.
    this.trail = [];
    this.views = new Map();
    this.shown = null;
    this.running = false;
    addEventListener("hashchange", () => this.route());
  }

  /** The state is there; from now on the address decides. */
  start() {
    if (this.running) return;
    this.running = true;
    this.element.hidden = false;
    this.route();
    // So that the first of them opens as fast as the next.
    idly(OPENED, fetchView);
  }

  /** Nothing is shown any longer, and nothing is kept that was. */
  stop() {
    this.leave();
    this.running = false;
    this.trail = [];
    this.element.hidden = true;
    this.element.replaceChildren();
    this.views.clear();
  }

  update(changed) {
    if (this.shown?.ready) this.shown.view.update?.(changed);
  }

  async route() {
    if (!this.running) return;
    this.follow(location.hash);
    const { view: name, argument, query } = parse(location.hash);
    this.leave(name);
    this.element.dataset.view = name;
    for (const link of document.querySelectorAll("[data-leads]")) {
      if (link.dataset.leads.split(" ").includes(name)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const entry = this.views.get(name) ?? this.make(name);
    const again = this.shown === entry;
    this.shown = entry;
    entry.root.hidden = false;
    const module = await fetchView(name);
    // The address may have changed while the module was loaded.
    if (this.shown !== entry || !this.running) return;
    wear(module.styles ?? []);
    entry.view ??= module.create(entry.root, this.desk);
    const focus = entry.view.show(argument, query);
    entry.ready = true;
    if (!again) scrollTo(0, name === "list" ? entry.scrolled : 0);
    (focus instanceof HTMLElement ? focus : entry.root).focus({ preventScroll: true });
    this.arrived();
  }

  follow(hash) {
    if (this.trail.at(-2) === hash) this.trail.pop();
    else if (this.trail.at(-1) !== hash) this.trail.push(hash);
  }

  /** Goes where the reader came from; to the list, if he came from elsewhere. */
  back() {
    if (this.trail.length > 1) history.back();
    else location.hash = "#/";
  }

  focus() {
    this.shown?.root.focus();
  }

  /** What the view that is shown calls itself. */
  get title() {
    return this.shown?.view?.title ?? "";
  }

  leave(next) {
    const entry = this.shown;
    if (!entry || entry.name === next) return;
    entry.scrolled = scrollY;
    entry.root.hidden = true;
    entry.ready = false;
    entry.view?.close?.();
    this.shown = null;
  }

  make(name) {
    const root = document.createElement("section");
    root.className = `view ${name}-view`;
    root.tabIndex = -1;
    this.element.append(root);
    const entry = { name, root, view: null, ready: false, scrolled: 0 };
    this.views.set(name, entry);
    return entry;
  }

  /** The keys of the view that is shown. */
  get keys() {
    return this.shown?.view?.keys ?? {};
  }
}

const fetched = new Map();

// The module of a view with its styles, fetched once.
function fetchView(name) {
  if (!fetched.has(name)) fetched.set(name, import(`./${name}.js`).then(styled).catch(failed));
  return fetched.get(name);
}

async function styled(module) {
  await Promise.all((module.styles ?? []).map(style));
  return module;
}

// The style sheets of the views by their names. Only those of the view that is shown hold: none reaches into another.
const sheets = new Map();

let worn = [];

function wear(names) {
  worn = names;
  for (const [name, link] of sheets) settle(name, link);
}

function settle(name, link) {
  link.media = worn.includes(name) ? "all" : "not all";
}

function failed(error) {
  console.error(error);
  return { create: missing };
}

function missing(root, desk) {
  root.textContent = desk.t("frame.no_view");
  return { show() {} };
}

function style(name) {
  if (sheets.has(name)) return sheets.get(name).loaded;
  // Browsers put off what holds for no medium: it is fetched as one that holds, and put away when it is there.
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/desk/${name}` });
  sheets.set(name, link);
  link.loaded = new Promise((done) => {
    link.onload = link.onerror = () => {
      settle(name, link);
      done();
    };
    document.head.append(link);
  });
  return link.loaded;
}
