// Work that can wait until the page has nothing better to do.

// So long at a time, where the browser does not say how long it is idle.
const SLICE_MS = 6;

const soon = globalThis.requestIdleCallback ?? ((work) => setTimeout(() => {
  const end = performance.now() + SLICE_MS;
  work({ timeRemaining: () => end - performance.now() });
}, 20));

/** Does `act` with each of `items`, a few at a time. */
export function idly(items, act) {
  const waiting = [...items].reverse();
  const work = (idle) => {
    while (waiting.length > 0 && idle.timeRemaining() > 1) act(waiting.pop());
    if (waiting.length > 0) soon(work);
  };
  if (waiting.length > 0) soon(work);
}
