// Questions to the daemon: JSON there and back, and what it says when it refuses.

/** Why the daemon did not do what was asked: its problem document. */
export class Problem extends Error {
  constructor(status, { title = "", detail = "" } = {}) {
    super(detail || title || `HTTP ${status}`);
    Object.assign(this, { status, title, detail });
  }
}

let unknown = () => {};

/** `action` is called whenever an answer says that nobody is logged in. */
export function onUnknown(action) {
  unknown = action;
}

/** Asks for `path` below `/api/v1/`; the answer's JSON, or a [`Problem`] is thrown. */
export async function ask(path, { method = "GET", body, signal } = {}) {
  const headers = { accept: "application/json, application/problem+json" };
  // A file goes as it is.
  const isFile = body instanceof Blob;
  if (body !== undefined) headers["content-type"] = isFile ? "text/plain" : "application/json";
  const text = body === undefined || isFile ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(`/api/v1/${path}`, { method, headers, body: text, signal, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: "no answer" });
  }
  const json = await answer.json().catch(() => null);
  if (answer.ok) return json;
  if (answer.status === 401 && path !== "login") unknown();
  throw Object.assign(new Problem(answer.status, json ?? {}), {
    retry_s: Number(answer.headers.get("retry-after")) || null,
  });
}

/** Makes `ruling` (its `name` and arguments) on `board`, or on its `game` if that is closed: no board has it any more. */
export function rule(board, ruling, game) {
  const on = game?.closed ? `games/${encodeURIComponent(game.game)}` : `boards/${encodeURIComponent(board)}`;
  return ask(`${on}/rulings`, { method: "POST", body: ruling });
}
