// Create elements. Text is inserted as text, never as markup, because rules, names and records are not trusted.

/**
 * Create an element.
 * @param {string} tag - the name, with classes after dots: "p.note".
 * @param {Object} [attributes] - `on` has listeners by event; true and false set and omit an attribute.
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

/** Replace the children of an element. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return parent;
}

/** Create a button. */
export function button(text, press, attributes = {}) {
  return el("button", { type: "button", ...attributes, on: { click: press } }, text);
}

/** Create a button that acts when it is pressed again within four seconds; the first press shows a question. */
export function careful(text, question, press, attributes = {}) {
  let timer = 0;
  const made = button(text, () => {
    const sure = Boolean(timer);
    clearTimeout(timer);
    timer = sure ? 0 : setTimeout(() => rest(), 4000);
    made.textContent = sure ? text : question;
    if (sure) press();
    else say(question);
  }, attributes);
  const rest = () => {
    timer = 0;
    made.textContent = text;
  };
  return made;
}

/** Create a label with its control. */
export function labelled(text, control) {
  return el("label.field", {}, el("span", {}, text), control);
}

/** Create a selection of values: [[value, text], ...]. */
export function choice(options, chosen, changed) {
  const made = el("select", {}, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  if (changed) made.addEventListener("change", () => changed(made.value));
  return made;
}

/** Return a move without the parentheses of KIF. */
export function plain(move) {
  return move.replace(/[()]/g, " ").replace(/\s+/g, " ").trim();
}

// The names of the cells of the shown board.
let cells = new Set();
// Verbs that say no more than the cells of a move.
const PLAIN_VERBS = new Set(["move", "place", "mark", "put", "play"]);

/** Set the board whose cells moves name, by its drawing. */
export function knowCells(svg) {
  cells = new Set([...svg.matchAll(/ data-cell="([^"]*)"/g)].map(([, name]) => name));
}

/** Return the number of words from a place on that name a cell, such as `e 5` the cell e5; 0 if they name none. */
function wordsOfCell(words, at) {
  return [4, 3, 2, 1].find((size) => {
    const part = words.slice(at, at + size);
    return part.length === size && (cells.has(part.join(",")) || (size === 2 && cells.has(part.join(""))));
  }) || 0;
}

/** Return a move as people write it: `(move c 4 d 5)` as c4-d5, `(place e 5)` as e5, `(drop 4)` as drop 4. */
export function spoken(move) {
  const words = plain(move).split(" ");
  const parts = [];
  let named = false; // whether the last part is a cell
  for (let at = 0; at < words.length; ) {
    const size = wordsOfCell(words, at);
    const part = words.slice(at, at + (size || 1));
    const text = size === 2 && cells.has(part.join("")) ? part.join("") : part.join(",");
    if (size && named) parts.push(`${parts.pop()}-${text}`);
    else parts.push(text);
    named = size > 0;
    at += size || 1;
  }
  return parts.length === 2 && named && PLAIN_VERBS.has(parts[0]) ? parts[1] : parts.join(" ");
}

/** Return the moves of one turn as text, without `noop`. */
export function together(moves) {
  const all = Object.values(moves);
  const chosen = all.filter((move) => move !== "noop");
  return (chosen.length ? chosen : all.slice(0, 1)).map(spoken).join(", ");
}

/** Announce a text to screen readers. */
export function say(text) {
  document.getElementById("says").textContent = text;
}

/** Show an error; an empty text hides it. */
export function trouble(text) {
  const place = document.getElementById("trouble");
  place.hidden = !text;
  fill(place, text ? [el("span", {}, text), button("Dismiss", () => trouble(""))] : []);
}
