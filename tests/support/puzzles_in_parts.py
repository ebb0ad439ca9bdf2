"""Puzzles of several boards for tests: sliding figures side by side, and pairs of moves made at once."""

from __future__ import annotations

# Two boards of 2 x 3 cells with five figures each, where a turn moves one figure, on either board.
SLIDING = (
    "(role r) (init (step 0)) (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= terminal (true (step 60)))"
    + "".join(f"(after {n} {n + 1})" for n in range(60))
    + "(column 1) (column 2) (column 3) (row 1) (row 2) (beside 1 2) (beside 2 1) (beside 2 3) (beside 3 2)"
    + "(<= (cell ?x ?y) (column ?x) (row ?y))"
    + "(<= (near ?x ?y ?u ?y) (row ?y) (beside ?x ?u))"
    + "(<= (near ?x 1 ?x 2) (column ?x)) (<= (near ?x 2 ?x 1) (column ?x))"
    + "".join(
        f"(init (at {board} {x} {y} {figure}))"
        for board, figures in (("a", "e c b d a *"), ("b", "b a d c e *"))
        for (x, y), figure in zip([(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2)], figures.split(), strict=True)
    )
    + "(<= (legal r (slide ?b ?x ?y)) (true (at ?b ?u ?v *)) (near ?x ?y ?u ?v))"
    + "(<= (next (at ?b ?x ?y *)) (does r (slide ?b ?x ?y)))"
    + "(<= (next (at ?b ?u ?v ?f)) (does r (slide ?b ?x ?y)) (true (at ?b ?u ?v *)) (true (at ?b ?x ?y ?f)))"
    + "(<= (next (at ?b ?x ?y ?f)) (does r (slide ?b ?u ?v)) (true (at ?b ?x ?y ?f)) (still ?x ?y ?u ?v)"
    + " (distinct ?f *))"
    + "(<= (next (at ?b ?x ?y ?f)) (does r (slide ?c ?u ?v)) (true (at ?b ?x ?y ?f)) (distinct ?b ?c))"
    + "(<= (still ?x ?y ?u ?v) (cell ?x ?y) (cell ?u ?v) (distinct ?x ?u))"
    + "(<= (still ?x ?y ?u ?v) (cell ?x ?y) (cell ?u ?v) (distinct ?y ?v))"
    + "(<= (solved ?b) (true (at ?b 1 1 a)) (true (at ?b 2 1 b)) (true (at ?b 3 1 c))"
    + " (true (at ?b 1 2 d)) (true (at ?b 2 2 e)))"
    + "(<= terminal (solved a) (solved b)) (<= (goal r 100) (solved a) (solved b))"
    + "(<= (goal r 50) (solved a) (not (solved b))) (<= (goal r 50) (solved b) (not (solved a)))"
    + "(<= (goal r 0) (not (solved a)) (not (solved b)))"
)

# Two rings of five places; each move goes one place forwards, backwards or stays, on both. The targets are 2 and 1
# places away.
RINGS = """
(role r) (init (at left 0)) (init (at right 0)) (ring left) (ring right)
(place 0) (place 1) (place 2) (place 3) (place 4)
(next_to 0 1) (next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 0)
(way on) (way back) (way stay)
(<= (leads on ?x ?y) (next_to ?x ?y)) (<= (leads back ?x ?y) (next_to ?y ?x)) (<= (leads stay ?x ?x) (place ?x))
(<= (legal r (go ?v ?w)) (way ?v) (way ?w) (open left ?v) (open right ?w))
(<= (open ?r ?w) (ring ?r) (way ?w) (not (shut ?r ?w)))
(<= (shut left on) (true (at left 0)))
(<= (next (at left ?y)) (does r (go ?w ?v)) (true (at left ?x)) (leads ?w ?x ?y))
(<= (next (at right ?y)) (does r (go ?v ?w)) (true (at right ?x)) (leads ?w ?x ?y))
(<= terminal (true (at left 2)) (true (at right 1)))
(<= (goal r 100) (true (at left 2)) (true (at right 1)))
(<= (goal r 0) (not (true (at left 2)))) (<= (goal r 0) (not (true (at right 1))))
"""
