"""Games that are easy to play and that no grounder finishes, and who is alive among processes."""

from __future__ import annotations

import os
from pathlib import Path

# Six dials of twenty figures; the move that reads all of them has 20^6 instances, of which each state has one.
JOIN = (
    "(role r) (legal r wait) (<= (legal r (read ?a ?b ?c ?d ?e ?f)) (true (dial 1 ?a)) (true (dial 2 ?b))"
    " (true (dial 3 ?c)) (true (dial 4 ?d)) (true (dial 5 ?e)) (true (dial 6 ?f)))"
    " (<= (next (dial ?n ?y)) (true (dial ?n ?x)) (after ?x ?y)) (<= (init (dial ?n 1)) (number ?n))"
    + "".join(f" (number {n})" for n in range(1, 7))
    + "".join(f" (after {n} {n % 20 + 1})" for n in range(1, 21))
    + " (<= terminal (true (dial 1 9))) (goal r 50)"
)

# The same dials in a goal, which only asks which of them are different.
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

# Thirteen dials of twelve figures, of which the grounder looks for all settings with no figure twice; there is none.
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
    """Tell whether a process runs; one that has ended and that nobody has asked for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def compilers(parent: int | None = None) -> list[int]:
    """List the living compilers that a process has started, by default this one, among whatever else it has."""
    return [process for process in children(parent or os.getpid()) if b"compile_game" in _command_line(process)]


def _command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
