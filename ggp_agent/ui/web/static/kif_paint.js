// Colours for rules in KIF: one pass over the text, each character looked at once.
import { el, fill } from "./dom.js";

// A comment, a parenthesis, spaces, or a word; one of them always fits, so the text is cut without going back.
const TOKEN = /;[^\n]*|[()]|\s+|[^\s();]+/g;
const KEYWORDS = new Set(["<=", "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "not", "or", "distinct", "sees"]);
// Of a text that is coloured at every key; longer ones are shown plain.
const MOST = 100_000;

/** Cut a text into pairs of kind and text; the kind is empty where there is nothing to colour. */
export function tokens(text) {
  const found = [];
  let opened = false;
  for (const [token] of text.matchAll(TOKEN)) {
    let kind = "";
    if (token[0] === ";") kind = "comment";
    else if (KEYWORDS.has(token.toLowerCase())) kind = "keyword";
    else if (token[0] === "?") kind = "variable";
    else if (/^\d+$/.test(token)) kind = "number";
    else if (opened && token !== "(" && token !== ")" && token.trim()) kind = "relation";
    if (token.trim() && kind !== "comment") opened = token === "(";
    const last = found[found.length - 1];
    if (last && last[0] === kind) last[1] += token;
    else found.push([kind, token]);
  }
  return found;
}

/** Paint a text behind the field that it is written in; returns whether it was. */
export function paint(place, text) {
  const painted = text.length <= MOST;
  // The last line break needs something after it to take up a line.
  fill(place, painted ? [...tokens(text).map(([kind, token]) => (kind ? el(`span.kif-${kind}`, {}, token) : token)), "\n"] : []);
  return painted;
}
