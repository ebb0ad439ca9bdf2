// Syntax highlighting of KIF, in one pass over the text.
import { el, fill } from "./dom.js";

// A comment, a parenthesis, spaces, or a word; one of them always matches, so there is no backtracking.
const TOKEN = /;[^\r\n]*|[()]|\s+|[^\s();]+/g;
const KEYWORDS = new Set(["<=", "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "not", "or", "distinct", "sees", "percept"]);
// Maximal characters of a text that is coloured on every key press; longer texts are shown without colours.
const MOST = 100_000;

/** Split a text into pairs of kind and text; the kind is empty if the text has no colour. */
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

/** Show a coloured text behind the text field; return false if the text is too long. */
export function paint(place, text) {
  const painted = text.length <= MOST;
  // A line break at the end needs a following text to be shown.
  fill(place, painted ? [...tokens(text).map(([kind, token]) => (kind ? el(`span.kif-${kind}`, {}, token) : token)), "\n"] : []);
  return painted;
}
