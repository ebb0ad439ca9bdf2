// The findings of a rule sheet: of the check and of random games, and one line that summarises both.
import { button, el, fill, plain } from "./dom.js";

const SHOWN_TURNS = 6;

function count(number, what) {
  return number ? `${number} ${what}${number > 1 ? "s" : ""}` : "";
}

function summary(findings) {
  const errors = findings.filter((each) => each.severity === "error").length;
  return [count(errors, "error"), count(findings.length - errors, "warning")].filter(Boolean).join(", ") || "No errors or warnings";
}

/** Return the last joint moves that lead to a finding. */
function line(moves) {
  const hidden = Math.max(0, moves.length - SHOWN_TURNS);
  const shown = moves.slice(hidden).map((joint) => joint.map(plain).join(", "));
  return [hidden ? `after ${hidden} turns` : "", ...shown].filter(Boolean).join(" · ");
}

function item(each, show, fix) {
  return el(`li.${each.severity}`, {},
    el("div", {}, each.line ? button(`line ${each.line}`, () => show(each.line, each.column)) : null,
      el("strong", {}, ` ${each.severity} ${each.code}`)),
    el("div", {}, each.message),
    each.moves && each.moves.length ? el("div.cure", {}, `moves: ${line(each.moves)}`) : null,
    each.cure ? el("div.cure", {}, `cure: ${each.cure}`) : null,
    (each.fixes || []).map((one) => button(`Fix: ${one.title}`, () => fix(one))));
}

/** Return the sentence about random games. */
function outcome({ problem, findings, games }) {
  if (problem) return `Not played at random: ${problem}.`;
  if (!games && !findings.length) return "No random game ended within the time limit; run “ggp-agent check FILE --play 20”.";
  return `${count(games, "random game") || "no random game"} played${findings.length ? "." : " without a problem."}`;
}

/** The list of findings, and the line above it; the caller inserts `verdict` and `list`. */
export class Findings {
  /**
   * @param {(line: number, column: number) => void} show - called to show the place of a finding.
   * @param {(fix: {title: string, edits: Object[]}) => void} fix - called to apply a fix of a finding.
   */
  constructor(show, fix) {
    this.show = show;
    this.fix = fix;
    this.checked = [];
    this.verdict = el("p.verdict", { role: "status" });
    this.list = el("ul.findings", { "aria-label": "Findings" });
  }

  /** Show a text instead of findings. */
  wait(text) {
    this.verdict.textContent = text;
  }

  /** Show the findings of the check. */
  check(findings, { playing }) {
    this.checked = findings;
    this.summarise(findings, playing ? "Playing at random …" : "");
    fill(this.list, this.items(findings));
  }

  /** Show the findings of random games, too; they come first. The other elements stay, as one may be pressed now. */
  play(result) {
    this.summarise([...result.findings, ...this.checked], outcome(result));
    this.list.prepend(...this.items(result.findings));
  }

  summarise(findings, more) {
    this.verdict.textContent = `${summary(findings)}. ${more}`.trim();
  }

  items(findings) {
    return findings.map((each) => item(each, this.show, this.fix));
  }
}
