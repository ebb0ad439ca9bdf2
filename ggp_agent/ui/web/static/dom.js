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

/** Return the moves of one turn as text, without `noop`. */
export function together(moves) {
  const all = Object.values(moves);
  const chosen = all.filter((move) => move !== "noop");
  return (chosen.length ? chosen : all.slice(0, 1)).map(plain).join(", ");
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
