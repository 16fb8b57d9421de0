// The order of the rows in the page: few of them move, and those that do are seen moving.

const MOVE_MS = 260;

/**
 * Puts the children of `list` into the order `wanted`; others go. A row that moves one place up or far
 * down costs one or two moves, not one for each row that it passes.
 */
export function arrange(list, wanted) {
  const kept = new Set(wanted);
  for (const child of [...list.children]) if (!kept.has(child)) child.remove();
  let at = list.firstElementChild;
  for (const child of wanted) {
    if (child !== at && at?.nextElementSibling === child) {
      // The one in between moves down: it comes back in its turn.
      list.append(at);
      at = child;
    }
    if (child === at) at = at.nextElementSibling;
    else list.insertBefore(child, at);
  }
}

/** Does `change`, after which `elements` that stand elsewhere are seen going there. */
export function moving(elements, change) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return change();
  const before = elements.map((element) => element.getBoundingClientRect().top);
  change();
  const after = elements.map((element) => element.getBoundingClientRect().top);
  elements.forEach((element, i) => {
    const moved = before[i] - after[i];
    if (Math.abs(moved) < 1 || Math.abs(moved) > 2 * innerHeight) return;
    element.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: MOVE_MS, easing: "ease-out" });
  });
}
