// Build elements. All text goes in as text, never as markup: rules, names and records are nobody's to trust.

/**
 * Make an element.
 * @param {string} tag - its name, with classes after dots: "p.note".
 * @param {Object} [attributes] - `on` holds listeners by event; true and false switch an attribute on and off.
 * @param {...(Node|string|null|Array)} children - strings become text.
 */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (value === true) {
      made.setAttribute(key, "");
    } else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(key, value);
    }
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

/** Put new children into an element in the place of the old ones. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return parent;
}

/** Make a button. */
export function button(text, press, attributes = {}) {
  return el("button", { type: "button", ...attributes, on: { click: press } }, text);
}

/** Make a label with its control. */
export function labelled(text, control) {
  return el("label.field", {}, el("span", {}, text), control);
}

/** Make a choice among values: [[value, text], ...]. */
export function choice(options, chosen, changed) {
  const made = el("select", {}, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  if (changed) made.addEventListener("change", () => changed(made.value));
  return made;
}

/** Write a move as people read it: without the parentheses of KIF. */
export function plain(move) {
  return move.replace(/[()]/g, " ").replace(/\s+/g, " ").trim();
}

/** Write the moves of one turn, by role, without those that do nothing. */
export function together(moves) {
  const all = Object.values(moves);
  const chosen = all.filter((move) => move !== "noop");
  return (chosen.length ? chosen : all.slice(0, 1)).map(plain).join(", ");
}

/** Tell people who hear the page rather than see it. */
export function say(text) {
  document.getElementById("says").textContent = text;
}

/** Show what went wrong; an empty text takes it away. */
export function trouble(text) {
  const place = document.getElementById("trouble");
  place.hidden = !text;
  fill(place, text ? [el("span", {}, text), button("Dismiss", () => trouble(""))] : []);
}
