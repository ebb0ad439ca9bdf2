// The goals that the roles can expect, as one bar next to the board.
import { el, fill } from "./dom.js";

// Background and text of parts, where the names of all roles are colours.
const COLOURS = {
  red: ["#b3261e", "#fff"], yellow: ["#e9bd2c", "#111"], white: ["#f3efe6", "#111"], black: ["#26231f", "#fff"],
  blue: ["#1f5fb0", "#fff"], green: ["#1f7a3a", "#fff"], orange: ["#c9621a", "#fff"],
};

/** The bar: one part for each role, the first role at the bottom. */
export class EvaluationBar {
  constructor() {
    this.element = el("div.evaluation", { role: "img", hidden: true });
  }

  /**
   * Show the expected goals; nothing if they are unknown.
   * @param {string[]} roles - the roles in order.
   * @param {?Object} values - the expected goal of each role, 0 to 100; null if unknown.
   */
  show(roles, values) {
    const shown = roles.filter((role) => role.toLowerCase() !== "random" && Number.isFinite(values?.[role]));
    this.element.hidden = !shown.length;
    if (!shown.length) return;
    const text = shown.map((role) => `${role} ${Math.round(values[role])}`).join(", ");
    this.element.setAttribute("aria-label", `Expected goals: ${text}`);
    this.element.title = text;
    const sum = shown.length > 1 ? shown.reduce((all, role) => all + values[role], 0) : 100;
    const coloured = shown.every((role) => role in COLOURS);
    const parts = shown.map((role) => {
      const part = el(`div.part.part${roles.indexOf(role) % 6}`, {}, String(Math.round(values[role])));
      part.style.flexGrow = String(sum ? values[role] / sum : 1 / shown.length);
      if (coloured) [part.style.background, part.style.color] = COLOURS[role];
      return part;
    });
    if (shown.length === 1) {
      const rest = el("div.part.rest");
      rest.style.flexGrow = String(1 - values[shown[0]] / 100);
      parts.push(rest);
    }
    fill(this.element, parts);
  }
}
