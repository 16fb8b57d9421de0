// A finger over the board turns the pages of the game.

// A finger moved so far, and much more across than down, means it.
const FAR_PX = 36;
const STEEP = 1.5;

/** Calls `step(by)` for each swipe over `element`: to the left is forward. */
export function onSwipe(element, step) {
  let start = null;
  element.addEventListener("pointerdown", (event) => {
    start = event.isPrimary && event.pointerType !== "mouse" ? { x: event.clientX, y: event.clientY } : null;
  });
  element.addEventListener("pointerup", (event) => {
    if (!start || !event.isPrimary) return;
    const [across, down] = [event.clientX - start.x, event.clientY - start.y];
    start = null;
    if (Math.abs(across) >= FAR_PX && Math.abs(across) > STEEP * Math.abs(down)) step(across < 0 ? 1 : -1);
  });
  element.addEventListener("pointercancel", () => { start = null; });
}
