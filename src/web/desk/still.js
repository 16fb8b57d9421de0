// Whether somebody reads a part of the page: then nothing in it changes its place.

// Who has not moved for so long is no longer reading.
const READING_MS = 15_000;

/** Watches `element`; `left()` is called when the pointer leaves it. */
export class Still {
  constructor(element, left) {
    this.element = element;
    this.pointed_at = this.typed_at = -Infinity;
    for (const kind of ["pointermove", "pointerdown", "wheel", "touchmove"]) {
      element.addEventListener(kind, () => { this.pointed_at = performance.now(); }, { passive: true });
    }
    element.addEventListener("keydown", () => { this.typed_at = performance.now(); });
    element.addEventListener("pointerleave", left);
  }

  /** Somebody points at it and moved just now, or has the focus in it and typed just now. */
  get reading() {
    const since = performance.now() - READING_MS;
    const points = this.pointed_at > since && this.element.matches(":hover");
    return points || (this.typed_at > since && this.element.contains(document.activeElement));
  }
}
