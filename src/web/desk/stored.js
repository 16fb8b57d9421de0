// What this browser remembers of its reader's choices.

const PREFIX = "adoube-desk-";

/** What was stored under `key`, or `otherwise`. */
export function load(key, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    // A browser may forbid storage; then a choice lasts as long as the page.
    return otherwise;
  }
}

/** Stores `value` under `key`. */
export function store(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {}
}
