// The arbiter's desk: who is there, what is known of the hall, and which view of it is shown.
//
// A *view* is a module beside this one, named in router.js. It exports
//
//   create(root, desk) -> { show(argument, query), update(changed), close(), keys }
//   styles (optional)  -> ["game.css", …], beside the module, loaded before `create`
//
// `create`   is called once, at the first visit, and builds the view into `root` (a <section>, else empty).
// `show`     is called whenever the address leads to the view, also from one board to the next:
//            `#/board/3` gives "3", `#/record/17` gives 17, `#/report/record/17` gives
//            { of: "record", id: "17" }; `query` is a URLSearchParams of what stands behind a `?`.
//            It may answer with the element that takes the focus; else the view itself takes it.
// `update`   is called at most once a frame, only while the view is shown and after `show`, with
//            what changed: { all, boards: Set of names, records: Set of numbers, events: [event…] };
//            with `all` everything may be new (a snapshot), and the rest is empty.
// `close`    is called when the address leads elsewhere (timers, players, dialogs). `root` is hidden.
// `keys`     { "c": { words: "record.confirm", run(event) {…} }, "g x": … }: a key or two strokes, what
//            the list of keys says of it (a words key), and what it does. `run` may answer false: not
//            mine. Keys rest while the reader writes. `Escape` without a view's own goes back.
// `title`    (optional, may be a getter) what stands in the title of the page.
//
// `desk` gives
//
//   state      boards, records, tournament: state.js. `state.whole(board)` fetches all moves of its game.
//   t(key, values), san(text), name(type)            words.js: what people read, in their language
//   ask(path, { method, body, signal }) -> JSON      "records/17" below /api/v1/; throws Problem
//                                                    { status, title, detail, message }
//   rule(board, ruling, game)                        posts a ruling; throws Problem (409: refused)
//   session    { role, name, is("operator") }        is: at least that role
//   ticker     of /assets/clock.js: `ticker.set(view, on)` calls `view.tick(now)` five times a second
//   say(text)                                        a line that is shown for a while, and heard
//   go(address), back()                              "#/record/17"; where the reader came from
//   leave()                                          the daemon is about to begin anew
//
// Shared pieces: badge.js (the badge of an incident), `boardName` of words.js, and in desk.css the classes
// `first` (the button that does it), `hint`, `empty`, and the colours of severities.

import { setServerTime, Ticker } from "/assets/clock.js";
import { Gap } from "/assets/state.js";
import { installMen } from "/assets/pieces.js";
import { Feed, TYPES } from "/assets/feed.js";
import { Alarm } from "./alarm.js";
import { ask, onUnknown, rule } from "./ask.js";
import { Frame } from "./frame.js";
import { Keys } from "./keys.js";
import { Login } from "./login.js";
import { Router } from "./router.js";
import { Session } from "./session.js";
import { DeskState } from "./state.js";
import { load as stored } from "./stored.js";
import { language, load as loadWords, name, names, onlanguage, san, t, translate } from "./words.js";

// What a hidden page misses is drawn anew instead of being kept.
const KEPT_EVENTS = 500;

installMen();
const state = new DeskState(ask);
const session = new Session(ask);
const ticker = new Ticker();
const desk = { state, session, ticker, t, san, name, ask, rule };
desk.go = (address) => { location.hash = address; };
desk.back = () => router.back();

const frame = new Frame(desk);
desk.say = (text) => frame.say(text);
desk.alarm = new Alarm(desk, (record) => frame.announce(record));
const keys = new Keys(desk);
const router = new Router(document.getElementById("views"), desk, () => frame.title(router.title));
desk.keys = keys;
keys.view = () => router.keys;
const login = new Login(document.getElementById("login"), desk);

let feed = null;

// What changed since the last frame: a burst of events draws each board once.
let changed = nothing();
let drawing = false;

function nothing() {
  return { all: false, boards: new Set(), records: new Set(), events: [] };
}

function draw() {
  drawing = false;
  const now = changed;
  changed = nothing();
  frame.update(now);
  router.update(now);
}

// A jump within the page, which is not an address of ours.
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  router.focus();
});

function mark(change) {
  change(changed);
  if (changed.events.length > KEPT_EVENTS) changed = { ...nothing(), all: true };
  if (!drawing) requestAnimationFrame(draw);
  drawing = true;
}

function take(type, data) {
  if (type === "snapshot" || type === "resync") return whole(data);
  let found;
  try {
    found = state.apply(type, data);
  } catch (error) {
    if (!(error instanceof Gap)) throw error;
    return feed.restart();
  }
  mark((changed) => {
    if (found.all) Object.assign(changed, nothing(), { all: true });
    if (changed.all) return;
    changed.events.push(data);
    if (found.board) changed.boards.add(found.board);
    if (found.record != null) changed.records.add(found.record);
  });
  if (found.isNew) desk.alarm.tell(state.records.get(found.record));
}

// The desk's stream without its secrets is a spectator's: the session is over.
function whole(data) {
  if (data.desk !== true) return session.ended();
  setServerTime(data.now, data.speed ?? 1);
  const fresh = state.load(data);
  // What was open when the page was opened is seen, not heard; what came while the line was down is.
  if (router.running) for (const record of fresh) desk.alarm.tell(record);
  mark((changed) => { changed.all = true; });
  frame.ready();
  router.start();
}

async function open() {
  login.hide();
  const [types] = await Promise.all([ask("names").then((rows) => rows.map((row) => row.name), names), firstDay()]);
  feed = new Feed("/api/v1/events?moves=last", {
    event: take,
    lost: () => { frame.connection(false); session.check(); },
    back: () => frame.connection(true),
  }, [...new Set([...TYPES, ...types])]);
}

// Without a configuration the desk begins with what has to be known.
async function firstDay() {
  if (!session.is("arbiter") || !/^#?\/?$/.test(location.hash) || stored("set-up-later", false)) return;
  const { file } = await ask("set-up").catch(() => ({ file: null }));
  if (file !== null) location.hash = "#/set-up";
}

// The daemon is about to begin anew: what is shown stays, wherever the address leads, and nothing more is asked.
desk.leave = () => {
  router.running = false;
  session.onchange = () => {};
  feed?.close();
};

function shut() {
  feed?.close();
  feed = null;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  router.stop();
  frame.rest();
  login.show();
}

async function begin() {
  await loadWords();
  translate(document);
  desk.alarm.show();
  onlanguage(() => location.reload());
  document.documentElement.lang = language();
  session.onchange = () => {
    frame.who();
    if (session.is("operator") && !feed) open();
    if (!session.is("operator") && (feed || !login.shown)) shut();
  };
  onUnknown(() => session.ended());
  await session.begin();
}

begin();
