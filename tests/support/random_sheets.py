"""Random rule sheets: small games that use every feature of the language; most have no purpose.

The meaning of unsafe rules may depend on the order of evaluation, so such rules are not written: a negation or
`distinct` inside `or` contains only variables that the rule always binds.

Relations are layered so that no rule depends on its own negation: a rule of layer n uses relations of layers up to n
and, under negation, of layers below n. Recursion within a layer is allowed.
"""

from __future__ import annotations

from random import Random

CONSTANTS = ("a", "b", "c")
VARIABLES = ("?x", "?y", "?z")
STATIC = {"edge": 2, "num": 1, "few": 1}
FLUENTS = {"on": 1, "at": 2, "flag": 0}
MOVES = {"go": 1, "put": 2, "noop": 0}
DERIVED = {"one": 1, "path": 2, "any": 0, "some": 1, "pair": 2, "last": 1}
LAYERS = [("one", "path"), ("any", "some"), ("pair", "last")]


def sentence(name: str, terms: list[str]) -> str:
    return f"({name} {' '.join(terms)})" if terms else name


def random_sheet(random: Random) -> str:
    return _Writer(random).sheet()


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.pool: tuple[str, ...] = VARIABLES  # terms that a formula may contain
        self.sure: tuple[str, ...] = ()  # variables that the current rule always binds

    def sheet(self) -> str:
        lines = ["(role r) (role s)"]
        lines += [f"(num {constant})" for constant in CONSTANTS]
        lines += [sentence(name, [self.constant() for _ in range(arity)]) for name, arity in STATIC.items()]
        lines += [f"(edge {self.constant()} {self.constant()})" for _ in range(3)]
        lines += [f"(init {self.fluent(CONSTANTS)})" for _ in range(self.random.randint(0, 3))]
        for layer, names in enumerate(LAYERS):
            for name in names:
                for _ in range(self.random.randint(1, 3)):
                    terms = self.terms(DERIVED[name])
                    lines.append(self.rule(sentence(name, terms), layer))
        top = len(LAYERS)
        for role in ("r", "s"):
            lines.append(f"(legal {role} noop)")
            for _ in range(2):
                lines.append(self.rule(f"(legal {role} {self.move(VARIABLES)})", top))
            for value in (0, 50, 100):
                lines.append(self.rule(f"(goal {role} {value})", top))
        lines.append(self.rule("terminal", top))
        for _ in range(5):
            lines.append(self.rule(f"(next {self.fluent(VARIABLES)})", top, does=True))
        return "\n".join(lines) + "\n"

    def constant(self) -> str:
        return self.random.choice(CONSTANTS)

    def terms(self, count: int, of: tuple[str, ...] | None = None) -> list[str]:
        return [self.random.choice(of or (*self.pool, "a")) for _ in range(count)]

    def fluent(self, of: tuple[str, ...]) -> str:
        name = self.random.choice(list(FLUENTS))
        return sentence(name, self.terms(FLUENTS[name], of))

    def move(self, of: tuple[str, ...]) -> str:
        name = self.random.choice(list(MOVES))
        return sentence(name, self.terms(MOVES[name], of))

    def rule(self, head: str, layer: int, *, does: bool = False) -> str:
        self.sure = tuple(variable for variable in VARIABLES if variable in head)
        body = [self.formula(layer, does, 2) for _ in range(self.random.randint(1, 3))]
        # Each variable of the head is bound by an additional literal.
        body += [self.binder(variable, layer) for variable in self.sure]
        self.random.shuffle(body)
        return f"(<= {head} {' '.join(body)})"

    def binder(self, variable: str, layer: int) -> str:
        other = self.random.choice((*VARIABLES, "b"))
        binders = [f"(num {variable})", f"(edge {variable} {other})", f"(true (at {other} {variable}))"]
        return self.random.choice(binders)

    def formula(self, layer: int, does: bool, depth: int, *, inside_or: bool = False) -> str:
        draw = self.random.random()
        if inside_or and 0.18 <= draw < 0.46:
            self.pool = (*self.sure, "a", "c")
            try:
                return self.closed(layer, does, depth, draw)
            finally:
                self.pool = VARIABLES
        if 0.18 <= draw < 0.46:
            return self.closed(layer, does, depth, draw)
        return self.open(layer, does, depth, draw, inside_or)

    def open(self, layer: int, does: bool, depth: int, draw: float, inside_or: bool) -> str:
        if depth and draw < 0.12:
            parts = [self.formula(layer, does, depth - 1, inside_or=True) for _ in range(self.random.randint(1, 3))]
            return f"(or {' '.join(parts)})"
        if depth and draw < 0.18:
            parts = [self.formula(layer, does, depth - 1, inside_or=inside_or) for _ in range(2)]
            return f"(and {' '.join(parts)})"
        return self.literal(layer, does, layer + 1)

    def closed(self, layer: int, does: bool, depth: int, draw: float) -> str:
        if draw < 0.38:
            return f"(not {self.negated(layer, does, depth)})"
        term = self.random.choice(self.pool)
        other = self.random.choice([each for each in (*self.pool, *CONSTANTS) if each != term])
        return f"(distinct {term} {other})"

    def negated(self, layer: int, does: bool, depth: int) -> str:
        """Return the content of a `not`: a literal or a small formula."""
        draw = self.random.random()
        if depth and draw < 0.1:
            return f"(not {self.literal(layer, does, layer)})"
        if depth and draw < 0.3:
            return f"(or {self.literal(layer, does, layer)} {self.literal(layer, does, layer)})"
        if depth and draw < 0.4:
            return f"(and {self.literal(layer, does, layer)} {self.literal(layer, does, layer)})"
        return self.literal(layer, does, layer)

    def literal(self, layer: int, does: bool, below: int) -> str:
        """Return a literal with a relation of a layer less than `below`."""
        names = [name for names in LAYERS[:below] for name in names]
        kind = self.random.random()
        if does and kind < 0.25:
            return f"(does {self.random.choice(('r', 's', '?x'))} {self.move((*self.pool, 'a', 'b'))})"
        if kind < 0.5:
            return f"(true {self.fluent((*self.pool, 'a', 'b'))})"
        if kind < 0.65 or not names:
            name = self.random.choice(list(STATIC))
            return sentence(name, self.terms(STATIC[name]))
        name = self.random.choice(names)
        return sentence(name, self.terms(DERIVED[name]))
