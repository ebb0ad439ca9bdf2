// The goals that the roles can expect, as one bar next to the board.
import { el, fill } from "./dom.js";
import { roleColours } from "./role_colours.js";

/** The bar: one part for each role, the first role at the bottom. */
export class EvaluationBar {
  constructor() {
    this.element = el("div.evaluation", { role: "img", hidden: true });
  }

  /**
   * Show the expected goals; nothing if they are unknown.
   * @param {string[]} roles - the roles in order.
   * @param {?Object} values - the expected goal of each role, 0 to 100; null if unknown.
   * @param {boolean} turned - whether the first role is at the top, as on a turned board.
   */
  show(roles, values, turned = false) {
    const shown = roles.filter((role) => role.toLowerCase() !== "random" && Number.isFinite(values?.[role]));
    this.element.hidden = !shown.length;
    if (!shown.length) return;
    const text = shown.map((role) => `${role} ${Math.round(values[role])}`).join(", ");
    this.element.setAttribute("aria-label", `Expected goals: ${text}`);
    this.element.title = text;
    const sum = shown.length > 1 ? shown.reduce((all, role) => all + values[role], 0) : 100;
    const colours = roleColours(roles);
    const parts = shown.map((role) => {
      const part = el(`div.part.${colours.get(role)}`, {}, String(Math.round(values[role])));
      part.style.flexGrow = String(sum ? values[role] / sum : 1 / shown.length);
      return part;
    });
    if (shown.length === 1) {
      const rest = el("div.part.rest");
      rest.style.flexGrow = String(1 - values[shown[0]] / 100);
      parts.push(rest);
    }
    this.element.classList.toggle("turned", turned);
    fill(this.element, parts);
  }
}
