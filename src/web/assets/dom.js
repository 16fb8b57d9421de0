// Two ways to make an element.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with a class, perhaps with a text and data attributes. */
export function html(name, className, text = "", data = {}) {
  const node = document.createElement(name);
  node.className = className;
  if (text) node.textContent = text;
  Object.assign(node.dataset, data);
  return node;
}

/** An SVG element with attributes and children. */
export function svg(name, attributes, children = []) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
