"""Puzzles for tests of one role: a square of figures, a labyrinth without an end, a long walk."""

from __future__ import annotations

# 4 x 4 cells in blocks of 2 x 2; every line, column and block takes each of four figures once.
SUDOKU = """
(role player)
(index 1) (index 2) (index 3) (index 4) (block 1 1) (block 2 1) (block 3 2) (block 4 2)
(<= (init (free ?x ?y)) (index ?x) (index ?y) (not (given ?x ?y)))
(<= (given ?x ?y) (index ?n) (clue ?x ?y ?n))
(<= (init (cell ?x ?y ?n)) (clue ?x ?y ?n))
(clue 1 1 1) (clue 2 2 4) (clue 3 4 2) (clue 4 3 1)
(<= (taken ?x ?y ?n) (index ?y) (true (cell ?x ?z ?n)))
(<= (taken ?x ?y ?n) (index ?x) (true (cell ?z ?y ?n)))
(<= (taken ?x ?y ?n) (true (cell ?u ?v ?n)) (block ?u ?a) (block ?x ?a) (block ?v ?b) (block ?y ?b))
(<= (legal player (write ?x ?y ?n)) (true (free ?x ?y)) (index ?n) (not (taken ?x ?y ?n)))
(<= (next (cell ?x ?y ?n)) (true (cell ?x ?y ?n)))
(<= (next (cell ?x ?y ?n)) (does player (write ?x ?y ?n)))
(<= (next (free ?x ?y)) (true (free ?x ?y)) (does player (write ?u ?v ?n)) (distinct ?u ?x))
(<= (next (free ?x ?y)) (true (free ?x ?y)) (does player (write ?u ?v ?n)) (distinct ?v ?y))
(<= open (true (free ?x ?y)))
(<= movable (legal player ?m))
(<= terminal (not movable))
(<= (goal player 100) (not open))
(<= (goal player 0) open)
"""

# It can be walked without end; the exit is closed.
ENDLESS = """
(role r) (init (at 0)) (init shut) (after 0 1) (after 1 2) (after 2 0)
(<= (legal r (go ?y)) (true (at ?x)) (after ?x ?y)) (legal r stay)
(<= (next (at ?y)) (does r (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does r stay))
(<= (next shut) (true shut))
(<= terminal (true (at 1)) (not (true shut)))
(<= (goal r 100) (true (at 1))) (<= (goal r 0) (not (true (at 1))))
"""

# Forty switches, each of which may be turned at any time; it ends when all are on, and the goal depends on the order.
SWITCHES = 40
HARD = (
    "(role r) (<= (legal r (turn ?x)) (switch ?x)) (<= (next (on ?x)) (true (on ?x)) (not (does r (turn ?x))))"
    "(<= (next (on ?y)) (true (on ?x)) (does r (turn ?x)) (near ?x ?y) (not (true (on ?y))))"
    "(<= (next (on ?x)) (does r (turn ?x)) (not (true (on ?x)))) (init (on 3)) (init (on 17)) (init (on 20))"
    "(<= off (switch ?x) (not (true (on ?x)))) (<= terminal (not off)) (goal r 100)"
    + "".join(f"(switch {n}) (near {n} {(7 * n + 3) % SWITCHES})" for n in range(SWITCHES))
)
