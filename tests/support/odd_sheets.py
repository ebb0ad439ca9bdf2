"""Random small games that bend the rules for goals, roles and constants, in ways that game managers accept.

Goals have several values, none, numbers beyond 0 to 100 or words. Roles of `legal` and `goal` are variables that are
unbound, or bound in only some part of an `or`. Constants are compound terms. Each game has two roles and ends after at
most three turns.
"""

from __future__ import annotations

from hypothesis import strategies as st

_TERMS = ("x", "y", "(f x)", "(f (g y))")
_VALUES = ("0", "7", "50", "100", "007", "0100", "150", "-5", "win", "(f 1)")
_FRAME = """
(role a) (role b) (succ 0 1) (succ 1 2) (succ 2 3) (init (turn 0))
(<= (next (turn ?m)) (true (turn ?n)) (succ ?n ?m))
(<= terminal (true (turn 3)))
(legal ?any noop)
"""


def _conditions(role: str) -> st.SearchStrategy[str]:
    """Return body literals without variables except the role, which may stay unbound."""
    term = st.sampled_from(_TERMS)
    turn = st.sampled_from("0123")
    return st.one_of(
        term.map("(true (on {}))".format),
        term.map("(not (true (on {})))".format),
        turn.map("(true (turn {}))".format),
        term.map(f"(true (mine {role} {{}}))".format),
        term.map(f"(not (true (mine {role} {{}})))".format),
        term.map(f"(or (true (on {{}})) (true (mine {role} x)))".format),
        st.just(f"(distinct {role} a)"),
    )


@st.composite
def _rule(draw: st.DrawFn, head: str, role: str) -> str:
    body = draw(st.lists(_conditions(role), max_size=2))
    return f"(<= {head} {' '.join(body)})" if body else head


@st.composite
def odd_sheets(draw: st.DrawFn) -> str:
    lines = [_FRAME]
    lines += [f"(init (on {term}))" for term in draw(st.lists(st.sampled_from(_TERMS), max_size=2))]
    role = st.sampled_from(("?r", "a", "b"))
    for _ in range(draw(st.integers(0, 3))):
        player = draw(role)
        lines.append(draw(_rule(f"(legal {player} (put {draw(st.sampled_from(_TERMS))}))", player)))
    lines.append("(<= (next (on ?t)) (does ?r (put ?t)))")
    lines.append("(<= (next (mine ?r ?t)) (does ?r (put ?t)))")
    if draw(st.booleans()):
        lines.append("(<= (next (mine ?r ?t)) (true (mine ?r ?t)))")
    for _ in range(draw(st.integers(0, 5))):
        player = draw(role)
        lines.append(draw(_rule(f"(goal {player} {draw(st.sampled_from(_VALUES))})", player)))
    if draw(st.booleans()):
        values = draw(st.lists(st.sampled_from(_VALUES), max_size=3))
        lines += [f"(worth {value} {draw(st.sampled_from(_TERMS))})" for value in values]
        lines.append(f"(<= (goal {draw(role)} ?n) (worth ?n ?t) (true (on ?t)))")
    return "\n".join(lines)
