// The men on the page: every one refers to a shape of his kind. His colours come from style.css, by the class
// of the `use` element: the same drawing serves all armies, light and dark.

import { svg } from "./dom.js";
import { MEN } from "./men.js";
import { armyOf, kindOf } from "./placement.js";

// A group, not a `symbol`: that would be a viewport with a clip of its own, a thousand times over.
function shape(role) {
  const { body, balls, marks, eyes } = MEN.shapes[role];
  const circle = (name) => ([cx, cy, r]) => svg("circle", { class: name, cx, cy, r });
  return svg("g", { id: `man-${role}`, transform: MEN.place }, [
    ...body.map((d) => svg("path", { class: "man-body", d })),
    ...balls.map(circle("man-body")),
    ...marks.map((d) => svg("path", { class: "man-mark", d })),
    ...eyes.map(circle("man-eye")),
    svg("path", { class: "man-foot", d: MEN.foot.d, "stroke-width": MEN.foot.width }),
  ]);
}

// A disc, as a draughtsman.
function unknown() {
  const disc = (name, r) => svg("circle", { class: name, cx: 50, cy: 52, r });
  return svg("g", { id: "man-unknown", transform: MEN.place }, [disc("man-body", 31), disc("man-mark", 19)]);
}

/** Puts the shapes into the document once; every man on the page refers to them. */
export function installMen() {
  if (document.getElementById("men")) return;
  const shapes = svg("defs", {}, [...Object.keys(MEN.shapes).map(shape), unknown()]);
  document.body.prepend(svg("svg", { id: "men", width: 0, height: 0, "aria-hidden": "true" }, [shapes]));
}

/** The sign of an army of four: its king. */
export function armyMark(army) {
  const use = svg("use", { href: "#man-k", class: `man ${army}` });
  return svg("svg", { class: "army", viewBox: "0 0 100 100", "aria-hidden": "true" }, [use]);
}

/**
 * One man, `letter` as in a position (`N` White's knight, `n` Black's, `rN` Red's), 100 units wide; `?` is one of
 * whom a board only feels that he is there.
 */
export function man(letter) {
  if (letter === "?") return svg("use", { href: "#man-unknown", class: "man unknown", "data-man": "?" });
  return svg("use", { href: `#man-${kindOf(letter)}`, class: `man ${armyOf(letter)}`, "data-man": letter });
}
