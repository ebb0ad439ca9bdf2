"""Games that are easy to play but cannot be grounded, and the living child processes."""

from __future__ import annotations

import os
from pathlib import Path

# Six dials of twenty figures; the move that reads all of them has 20^6 instances, one of them in each state.
JOIN = (
    "(role r) (legal r wait) (<= (legal r (read ?a ?b ?c ?d ?e ?f)) (true (dial 1 ?a)) (true (dial 2 ?b))"
    " (true (dial 3 ?c)) (true (dial 4 ?d)) (true (dial 5 ?e)) (true (dial 6 ?f)))"
    " (<= (next (dial ?n ?y)) (true (dial ?n ?x)) (after ?x ?y)) (<= (init (dial ?n 1)) (number ?n))"
    + "".join(f" (number {n})" for n in range(1, 7))
    + "".join(f" (after {n} {n % 20 + 1})" for n in range(1, 21))
    + " (<= terminal (true (dial 1 9))) (goal r 50)"
)

# The same dials in a goal, which depends only on which of them are different.
GOALS = JOIN.replace("(legal r (read", "(shown (all").replace(" (goal r 50)", "") + (
    " (<= apart (shown (all ?a ?b ?c ?d ?e ?f)) (distinct ?a ?f)) (<= (goal r 100) (not apart)) (<= (goal r 0) apart)"
    " (legal r (turn 6)) (<= (next (dial 6 1)) (does r (turn 6)) (true (dial 6 ?x)))"
)

# A term that grows by one function symbol each turn.
TERMS = (
    "(role r) (init (count 0)) (legal r go) (legal r stay) (<= (next (count (s ?n))) (true (count ?n)))"
    " (<= terminal (true (count (s (s (s (s (s (s ?n)))))))) ) (goal r 50)"
)

# A clock of five hands with sixty places each.
COUNTER = (
    "(role r) (init (clock 0 0 0 0 0)) (legal r tick) (legal r wait)"
    + "".join(f" (after {n} {n + 1})" for n in range(59))
    + "".join(
        f" (<= (next (clock {' '.join(hands[:moving])} ?y {' '.join(['0'] * (4 - moving))}))"
        f" (true (clock {' '.join(hands[:moving])} ?x {' '.join(['59'] * (4 - moving))})) (after ?x ?y))"
        for moving in range(5)
        for hands in [["?a", "?b", "?c", "?d"]]
    )
    + " (<= terminal (true (clock ?a ?b ?c 0 8))) (goal r 50)"
)

# Thirteen dials of twelve figures; the grounder searches for settings without a repeated figure, and there is none.
_DIALS = [f"?x{n}" for n in range(13)]
PIGEONS = (
    "(role r) (legal r wait) (legal r stay)"
    + "".join(f" (init (dial {n} 1))" for n in range(13))
    + "".join(f" (after {n} {n % 12 + 1})" for n in range(1, 13))
    + " (<= (next (dial ?n ?y)) (true (dial ?n ?x)) (after ?x ?y)) (<= (legal r sing)"
    + "".join(f" (true (dial {n} {x}))" for n, x in enumerate(_DIALS))
    + "".join(f" (distinct {x} {y})" for n, x in enumerate(_DIALS) for y in _DIALS[:n])
    + ") (<= terminal (true (dial 1 9))) (goal r 50)"
)

# Five turns, with any moves.
_FIVE_TURNS = (
    " (init (step 1)) (<= (next (step ?y)) (true (step ?x)) (after ?x ?y))"
    + "".join(f" (after {n} {n + 1})" for n in range(1, 6))
    + " (<= terminal (true (step 6))) (goal r 50)"
)

# Endless terms of one function symbol, and of two, whose number explodes before they nest deep.
CHAIN_WITHOUT_END = (
    "(role r) (number 0) (<= (number (s ?x)) (number ?x)) (<= (legal r (say ?x)) (number ?x))" + _FIVE_TURNS
)
TREES_WITHOUT_END = (
    "(role r) (tree 0) (<= (tree (f ?x ?y)) (tree ?x) (tree ?y)) (<= (legal r (say ?x)) (tree ?x)) (legal r wait)"
    " (<= (legal r stop) (not (tree (g 0))))" + _FIVE_TURNS
)

# The trees grow in the third turn only, long after players have replied that they are ready.
LATE_WITHOUT_END = TREES_WITHOUT_END.replace("(<= (legal r (say ?x))", "(<= (legal r (say ?x)) (true (step 3))")

WITHOUT_END = {"chain": CHAIN_WITHOUT_END, "trees": TREES_WITHOUT_END, "late": LATE_WITHOUT_END}


def many_moves(each: int = 24) -> str:
    """Write rules in which the only role chooses one of a number of moves to the fourth power; 331,776 by default."""
    numbers = " ".join(f"(number {n})" for n in range(each))
    return f"(role r) {numbers} (<= (legal r (m ?a ?b ?c ?d)) {' '.join(f'(number ?{v})' for v in 'abcd')})" + (
        _FIVE_TURNS
    )


def long_body(literals: str) -> str:
    """Write rules in which one rule has these literals as its body, and makes a move legal."""
    return f"(role r) (p 0) (legal r go) (<= (legal r long) {literals})" + _FIVE_TURNS


# Long bodies that hold; the first is nearly as long as a text may be.
LONG_BODIES = {
    "one literal": long_body("(p 0) " * 60_000),
    "one variable": long_body("(p ?x) " * 6_000),
    "variables": long_body(" ".join(f"(p ?{n:x})" for n in range(6_000))),
    "negations": long_body(" ".join(f"(not q{n:x})" for n in range(6_000))),
    "inequalities": long_body(" ".join(f"(distinct ?{n:x} 1) (p ?{n:x})" for n in range(3_000))),
}

EXPLODING = {"join": JOIN, "terms": TERMS, "counter": COUNTER}


def children(parent: int) -> list[int]:
    """List the living processes whose parent is the given one."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, above = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if int(above) == parent and state != "Z":
                found.append(int(folder.name))
    return found


def is_alive(process: int) -> bool:
    """Return whether a process runs; a process that has ended but was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def compilers(parent: int | None = None) -> list[int]:
    """List the living compiler processes of a process, by default this one, without its other children."""
    return [process for process in children(parent or os.getpid()) if "compile_game" in command_line(process)]


def command_line(process: int) -> str:
    """Return the command of a process; empty if the process has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""
