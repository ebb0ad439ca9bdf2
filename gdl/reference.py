"""A slow, direct interpreter of rule sheets: the oracle that every faster machine is tested against.

Algorithm: goal-directed evaluation with tables (Tamaki and Sato, 1986), each recursive knot iterated to its
least fixpoint. A goal is a sentence in which variables may be left open; its table holds the ground sentences
that answer it. A goal is evaluated by running the bodies of its rules from left to right over rows of variable
bindings, where every literal of a body is a goal again. Goals that wait for one another in a circle form a
knot, found by Tarjan's low-links (1972): `low` is the shallowest unfinished goal that an evaluation has seen.
The shallowest goal of a knot leads it: it is evaluated again and again, with everything below it, until no
table grows; then all tables of the knot are complete. `not` holds when its formula has no answer; what it asks
for must be complete, so negation inside a knot is an error. Since tables belong to goals and not to relations,
rules that are stratified only by their constants, such as `(<= (goal ?r 0) (not (goal ?r 100)))`, are no knot.

`not` and `distinct` wait until the rest of the body has bound their variables. A variable that nothing binds
is read as "no instance holds" in `not`, and differs from every other term in `distinct`.

Inside this file a compound term or a sentence is a tuple `(name, argument, ...)`, a symbol a string, and a
variable an integer: its column in the rows of its rule, or its number of first occurrence in a goal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from .errors import GdlRuleError, GdlSyntaxError
from .machine import State, StateMachine
from .parse import parse_term
from .rules import Conjunction, Disjunction, Distinct, Formula, Literal, Negation, Rule, RuleSheet, literals
from .terms import Compound, Term, Variable, arguments, relation, variables

_Term: TypeAlias = "str | int | tuple[_Term, ...]"
_Sentence: TypeAlias = tuple[_Term, ...]
_Row: TypeAlias = "list[_Term | None]"

# One goal takes four Python frames, so rules may be some thousands of goals deep. Such frames live on the heap.
_FRAMES = 40_000

# Kinds of relations: what a table depends on decides how long it is valid.
_STATIC, _STATE, _MOVE = 0, 1, 2

_NEVER = sys.maxsize


class ReferenceMachine(StateMachine):
    """Interpret a rule sheet directly.

    Not for use by several threads at once.

    >>> from gdl.parse import parse_sheet
    >>> machine = ReferenceMachine(parse_sheet('''
    ...     (role walker) (init (at 0)) (succ 0 1) (succ 1 2)
    ...     (<= (legal walker (go ?y)) (true (at ?x)) (succ ?x ?y))
    ...     (<= (next (at ?y)) (does walker (go ?y)))
    ...     (<= terminal (true (at 2)))
    ...     (<= (goal walker 100) (true (at 2)))'''))
    >>> state = machine.next(machine.initial(), ["(go 1)"])
    >>> machine.fluents(state), machine.legal(state, "walker"), machine.terminal(state)
    (['(at 1)'], ['(go 2)'], False)

    Raises:
        GdlRuleError: the sheet has no roles. Also raised by every query whose rules turn out to be unsafe (a
            head with an unbound variable), to negate themselves, or to recurse without end.
    """

    kind = "reference"

    def __init__(self, sheet: RuleSheet) -> None:
        if sys.getrecursionlimit() < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        self._sheet = sheet
        self._evaluation = _Evaluation(sheet)
        self._state: frozenset[_Term] = frozenset()
        self._roles = {_print(role): role for role in self._ask("role")}
        if not self._roles:
            raise GdlRuleError("the sheet has no roles; declare at least one, as in (role white)", source=sheet.source)
        self.roles = tuple(self._roles)
        self._initial = frozenset(self._ask("init"))

    def initial(self) -> State:
        return self._initial

    def legal(self, state: State, role: str) -> list[str]:
        self._enter(state)
        return sorted(_print(move) for move in self._ask("legal", self._role(role)))

    def next(self, state: State, moves: Sequence[str]) -> State:
        if len(moves) != len(self.roles):
            raise ValueError(f"a joint move has one move for each of {len(self.roles)} roles, here are {len(moves)}")
        self._enter(state)
        does = [("does", role, self._read(move)) for role, move in zip(self._roles.values(), moves, strict=True)]
        self._evaluation.set_moves(does)
        return frozenset(self._ask("next"))

    def terminal(self, state: State) -> bool:
        self._enter(state)
        return bool(self._evaluation.query(("terminal",)))

    def goals(self, state: State, role: str) -> list[int]:
        self._enter(state)
        values = set()
        for value in self._ask("goal", self._role(role)):
            text = _print(value)
            if not re.fullmatch(r"-?[0-9]+", text):
                message = f"the goal value {text} of {role} is no integer; goals are 0 to 100"
                raise GdlRuleError(message, source=self._sheet.source)
            values.add(int(text))
        return sorted(values)

    def fluents(self, state: State) -> list[str]:
        return sorted(map(_print, cast("frozenset[_Term]", state)))

    def state(self, fluents: Iterable[str]) -> State:
        return frozenset(map(self._read, fluents))

    def _enter(self, state: State) -> None:
        """Make the state the one that `true` speaks of; what was derived of it before stays known."""
        if state != self._state:
            self._state = cast("frozenset[_Term]", state)
            self._evaluation.set_state(self._state)

    def _ask(self, name: str, *known: _Term) -> list[_Term]:
        """List the last arguments with which a relation holds, given the arguments before it."""
        return [answer[-1] for answer in self._evaluation.query((name, *known, 0))]

    def _role(self, role: str) -> _Term:
        if role not in self._roles:
            raise ValueError(f"no role is called {role}; the roles are {', '.join(self.roles)}")
        return self._roles[role]

    def _read(self, text: str) -> _Term:
        try:
            term = parse_term(text, self._sheet.spellings)
        except GdlSyntaxError as error:
            raise ValueError(f"{text!r} is no term: {error.message}") from None
        if any(True for _ in variables(term)):
            raise ValueError(f"{text!r} holds a variable; moves and fluents hold none")
        return _compile_term(term, {})


@dataclass(slots=True)
class _Table:
    """Hold the answers to one goal, in the order in which they were found."""

    answers: dict[_Sentence, None] = field(default_factory=dict)
    complete: bool = False
    visited: bool = False  # being evaluated, or evaluated in the present round of the leader of its knot
    low: int = _NEVER


class _Evaluation:
    """Answer goals by the rules, the fluents of one state and the moves of one joint move."""

    def __init__(self, sheet: RuleSheet) -> None:
        self._sheet = sheet
        self._rules: dict[tuple[str, int], list[_CompiledRule]] = {}
        facts: list[_Sentence] = []
        for rule in sheet.rules:
            compiled = _compile_rule(rule)
            if not rule.body and not compiled.columns:
                facts.append(compiled.head)
            else:
                self._rules.setdefault(relation(rule.head.sentence), []).append(compiled)
        self._facts = _Facts(facts)
        self._kinds = _kinds(sheet)
        self._tables: list[dict[_Sentence, _Table]] = [{}, {}, {}]
        self._fluents = _Facts(())
        self._does = _Facts(())
        self._reset()

    def _reset(self) -> None:
        self._unfinished: list[_Table] = []  # visited and not complete, in the order of their visits
        self._depth = 0  # of the goal that is being evaluated
        self._low = _NEVER  # the shallowest unfinished goal seen by the present evaluation
        self._grown = 0  # answers found so far, in all tables

    def set_state(self, fluents: Iterable[_Term]) -> None:
        self._fluents = _Facts(("true", fluent) for fluent in fluents)
        self._tables[_STATE].clear()
        self._tables[_MOVE].clear()

    def set_moves(self, does: Iterable[_Sentence]) -> None:
        self._does = _Facts(does)
        self._tables[_MOVE].clear()

    def query(self, goal: _Sentence) -> list[_Sentence]:
        """List the ground sentences that hold and match the goal."""
        try:
            return list(self._answers(goal))
        except (GdlRuleError, RecursionError) as error:
            for tables in self._tables:
                tables.clear()
            self._reset()
            if isinstance(error, GdlRuleError):
                raise
            message = f"the rules recurse without end on the way to {goal[0]}"
            raise GdlRuleError(message, source=self._sheet.source) from None

    def _answers(self, goal: _Sentence) -> dict[_Sentence, None]:
        """Return the answers of a goal, which are all of them unless the goal is part of an unfinished knot."""
        key = cast(str, goal[0]), len(goal) - 1
        tables = self._tables[self._kinds.get(key, _STATIC)]
        table = tables.get(goal)
        if table is None:
            source = {"true": self._fluents, "does": self._does}.get(key[0], self._facts)
            table = tables[goal] = _Table(dict.fromkeys(source.find(goal)))
            table.complete = key not in self._rules or (_is_ground(goal) and bool(table.answers))
        if not table.complete:
            if not table.visited:
                self._evaluate(goal, table, self._rules[key])
            self._low = min(self._low, table.low)
        return table.answers

    def _evaluate(self, goal: _Sentence, table: _Table, rules: list[_CompiledRule]) -> None:
        """Complete the table of a goal, or bring it one round further where a shallower goal leads its knot."""
        depth, outer_low = self._depth, self._low
        self._depth += 1
        place = len(self._unfinished)
        table.visited = True
        while True:
            for waiting in self._unfinished[place:]:
                waiting.visited = False
            self._unfinished[place:] = [table]
            table.visited, table.low = True, depth
            self._low, grown = _NEVER, self._grown
            for rule in rules:
                self._apply(rule, goal, table)
                if table.complete:
                    break
            if table.complete or self._low != depth or self._grown == grown:
                break
        knot, low = self._unfinished[place:], self._low
        self._depth, self._low = depth, outer_low
        if table.complete:
            # A ground goal was proved halfway through a round; what waited for it is evaluated when asked again.
            for waiting in knot:
                waiting.visited = False
        elif low < depth:
            # A shallower goal leads. Whatever was met here waits for it too, whichever goal asks next.
            for waiting in knot:
                waiting.low = min(waiting.low, low)
            return
        else:
            for waiting in knot:
                waiting.complete = True
        del self._unfinished[place:]
        table.low = _NEVER

    def _apply(self, rule: _CompiledRule, goal: _Sentence, table: _Table) -> None:
        """Add the answers that one rule gives to the table of a goal."""
        row: _Row = [None] * rule.columns
        if not _bind(rule.head, goal, row):
            return
        ground = _is_ground(goal)
        for found in self._run(rule.body, [row]):
            free: dict[int, int] = {}
            answer = cast(_Sentence, _instantiate(rule.head, found, free))
            if free:
                message = f"the head of this rule holds a variable that its body leaves open: {rule.source}"
                raise GdlRuleError(message, source=self._sheet.source, position=rule.source.position)
            if answer not in table.answers and _fits(goal, answer):
                table.answers[answer] = None
                self._grown += 1
                if ground:
                    table.complete = True
                    return

    def _run(self, body: _Body, rows: list[_Row]) -> list[_Row]:
        """Extend the rows by every formula of a body in turn; what remains satisfies all of them."""
        for step in body:
            rows = self._extend(step, rows)
            if not rows:
                break
            if step.forget and len(rows) > 1:
                for row in rows:
                    for column in step.forget:
                        row[column] = None
                rows = list({tuple(row): row for row in rows}.values())
        return rows

    def _extend(self, step: _Step, rows: list[_Row]) -> list[_Row]:
        match step:
            case _Ask(pattern=pattern):
                extended = []
                for row in rows:
                    free: dict[int, int] = {}
                    answers = self._answers(cast(_Sentence, _instantiate(pattern, row, free)))
                    if not free:
                        if answers:
                            extended.append(row)
                        continue
                    for answer in answers:
                        candidate = row[:]
                        if _match(pattern, answer, candidate):
                            extended.append(candidate)
                return extended
            case _Either(bodies=bodies):
                return [found for body in bodies for found in self._run(body, [row[:] for row in rows])]
            case _None(body=body):
                return [row for row in rows if self._refuted(body, row)]
            case _Differ(left=left, right=right):
                kept = []
                for row in rows:
                    free = {}
                    if _instantiate(left, row, free) != _instantiate(right, row, free):
                        kept.append(row)
                return kept

    def _refuted(self, body: _Body, row: _Row) -> bool:
        """Tell that a body has no solution; only complete tables can say so."""
        outer_low, self._low = self._low, _NEVER
        refuted = not self._run(body, [row[:]])
        if refuted and self._low != _NEVER:
            asked = next(step for step in _asks(body))
            message = f"the rules make {asked.source} depend on its own negation"
            raise GdlRuleError(message, source=self._sheet.source, position=asked.source.position)
        self._low = min(self._low, outer_low)
        return refuted


class _Facts:
    """Find ground sentences by any combination of known arguments.

    An index is built when a combination is first asked for. Fluents inside `true` are indexed by their own
    arguments, since nearly every sheet keeps its whole state in relations such as `(true (cell 1 1 x))`.
    """

    def __init__(self, sentences: Iterable[_Sentence]) -> None:
        self._all: dict[tuple[_Term, ...], list[_Sentence]] = {}
        self._indexes: dict[tuple[_Term, ...], dict[_Sentence, list[_Sentence]]] = {}
        for sentence in sentences:
            self._all.setdefault((sentence[0], len(sentence)), []).append(sentence)

    def find(self, goal: _Sentence) -> list[_Sentence]:
        """List the sentences that match a goal."""
        key = goal[0], len(goal)
        sentences = self._all.get(key, [])
        known = _known_parts(goal)
        if not known or len(sentences) < 4:
            return [sentence for sentence in sentences if _fits(goal, sentence)]
        places, values = tuple(place for place, _ in known), tuple(value for _, value in known)
        index = self._indexes.get((*key, *places))
        if index is None:
            index = self._indexes[(*key, *places)] = {}
            for sentence in sentences:
                parts = dict(_parts(sentence))
                if all(place in parts for place in places):
                    index.setdefault(tuple(parts[place] for place in places), []).append(sentence)
        return [sentence for sentence in index.get(values, ()) if _fits(goal, sentence)]


def _parts(sentence: _Sentence) -> Iterator[tuple[int, _Term]]:
    """Number the arguments of a sentence, those of a fluent inside `true` with its name and arity first."""
    if sentence[0] == "true" and isinstance(sentence[1], tuple):
        yield 0, len(sentence[1])
        yield from enumerate(sentence[1], start=1)
    else:
        yield from enumerate(sentence[1:], start=1)


def _known_parts(goal: _Sentence) -> list[tuple[int, _Term]]:
    return [(place, part) for place, part in _parts(goal) if place == 0 or _is_ground(part)]


# ---- terms


def _is_ground(term: _Term) -> bool:
    if type(term) is tuple:
        for part in term:  # noqa: SIM110 (a generator inside `all` would use the stack of C)
            if not _is_ground(part):
                return False
        return True
    return type(term) is str


def _instantiate(term: _Term, row: _Row, free: dict[int, int]) -> _Term:
    """Replace variables by their values; unbound ones are numbered in order, and noted in `free`."""
    if type(term) is str:
        return term
    if type(term) is int:
        value = row[term]
        return free.setdefault(term, len(free)) if value is None else value
    return tuple([_instantiate(part, row, free) for part in cast(_Sentence, term)])


def _match(pattern: _Term, ground: _Term, row: _Row) -> bool:
    """Bind the variables of a pattern so that it becomes the ground term, if that is possible."""
    if type(pattern) is int:
        value = row[pattern]
        if value is None:
            row[pattern] = ground
            return True
        return value == ground
    if type(pattern) is str:
        return pattern == ground
    pattern = cast(_Sentence, pattern)
    if type(ground) is not tuple or len(pattern) != len(ground):
        return False
    for part, other in zip(pattern, ground, strict=True):  # noqa: SIM110
        if not _match(part, other, row):
            return False
    return True


def _fits(goal: _Sentence, answer: _Sentence) -> bool:
    return _match(goal, answer, [None] * _count(goal))


def _count(term: _Term) -> int:
    """Count the variables of a goal."""
    if type(term) is int:
        return term + 1
    count = 0
    if type(term) is tuple:
        for part in term:
            count = max(count, _count(part))
    return count


def _bind(head: _Term, goal: _Term, row: _Row) -> bool:
    """Bind the variables of a head by the ground parts of a goal.

    The open parts of the goal bind nothing: the rule may find too much, and `_fits` sorts that out.
    """
    if type(goal) is int:
        return True
    if type(head) is int:
        return not _is_ground(goal) or _match(head, goal, row)
    if type(head) is str:
        return head == goal
    head = cast(_Sentence, head)
    if type(goal) is not tuple or len(head) != len(goal):
        return False
    for part, other in zip(head, goal, strict=True):  # noqa: SIM110
        if not _bind(part, other, row):
            return False
    return True


def _print(term: _Term) -> str:
    return f"({' '.join(map(_print, term))})" if isinstance(term, tuple) else str(term)


# ---- rules, made ready for evaluation


@dataclass(frozen=True, slots=True)
class _Ask:
    """A literal; `forget` names, here and below, the columns that nothing after the step reads."""

    source: Literal
    forget: tuple[int, ...]
    pattern: _Sentence


@dataclass(frozen=True, slots=True)
class _Either:
    """A disjunction: one body for each of its formulas."""

    forget: tuple[int, ...]
    bodies: tuple[_Body, ...]


@dataclass(frozen=True, slots=True)
class _None:
    """A negation: its formula, as a body, has no solution."""

    forget: tuple[int, ...]
    body: _Body


@dataclass(frozen=True, slots=True)
class _Differ:
    """Two terms that must differ."""

    forget: tuple[int, ...]
    left: _Term
    right: _Term


_Step: TypeAlias = _Ask | _Either | _None | _Differ
_Body: TypeAlias = tuple[_Step, ...]


@dataclass(frozen=True, slots=True)
class _CompiledRule:
    """A rule whose variables have become columns of a row."""

    head: _Sentence
    body: _Body
    columns: int
    source: Rule


def _compile_term(term: Term, columns: dict[Variable, int]) -> _Term:
    if isinstance(term, Compound):
        return (term.name, *(_compile_term(argument, columns) for argument in term.args))
    return columns.setdefault(term, len(columns)) if isinstance(term, Variable) else term


def _compile_sentence(sentence: Term, columns: dict[Variable, int]) -> _Sentence:
    return (relation(sentence)[0], *(_compile_term(argument, columns) for argument in arguments(sentence)))


def _compile_rule(rule: Rule) -> _CompiledRule:
    columns: dict[Variable, int] = {}
    head = _compile_sentence(rule.head.sentence, columns)
    body = _compile_body(rule.body, columns, set(columns))
    return _CompiledRule(head, body, len(columns), rule)


def _compile_body(formulas: Iterable[Formula], columns: dict[Variable, int], read_after: set[Variable]) -> _Body:
    steps: list[_Step] = []
    for formula in reversed(_order(list(formulas))):
        inside = _variables(formula)
        forget = tuple(columns.setdefault(variable, len(columns)) for variable in sorted(inside - read_after, key=str))
        match formula:
            case Literal(sentence=sentence):
                steps.append(_Ask(formula, forget, _compile_sentence(sentence, columns)))
            case Disjunction(formulas=parts):
                bodies = tuple(_compile_body([part], columns, read_after) for part in parts)
                steps.append(_Either(forget, bodies))
            case Negation(formula=inner):
                steps.append(_None(forget, _compile_body([inner], columns, set())))
            case Distinct(left=left, right=right):
                left_term, right_term = _compile_term(left, columns), _compile_term(right, columns)
                steps.append(_Differ(forget, left_term, right_term))
        read_after = read_after | inside
    return tuple(reversed(steps))


def _order(formulas: list[Formula]) -> list[Formula]:
    """Open conjunctions, and let each formula wait for those that bind what it must not be asked without."""
    waiting = [part for formula in formulas for part in _conjuncts(formula)]
    ordered: list[Formula] = []
    bound: set[Variable] = set()
    while waiting:
        ready = 0
        for place, formula in enumerate(waiting):
            needs = _needs(formula) - bound
            if not any(needs & _gives(other) for other in waiting[:place] + waiting[place + 1 :]):
                ready = place
                break
        bound |= _gives(waiting[ready])
        ordered.append(waiting.pop(ready))
    return ordered


def _conjuncts(formula: Formula) -> list[Formula]:
    if isinstance(formula, Conjunction):
        return [part for inner in formula.formulas for part in _conjuncts(inner)]
    return [formula]


def _variables(formula: Formula) -> set[Variable]:
    match formula:
        case Literal(sentence=sentence):
            return set(variables(sentence))
        case Distinct(left=left, right=right):
            return {*variables(left), *variables(right)}
        case Negation(formula=inner):
            return _variables(inner)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            return set().union(*map(_variables, parts))


def _gives(formula: Formula) -> set[Variable]:
    """Collect the variables that a formula binds."""
    match formula:
        case Literal():
            return _variables(formula)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            return set().union(*map(_gives, parts))
        case Negation() | Distinct():
            return set()


def _needs(formula: Formula) -> set[Variable]:
    """Collect the variables that should be bound before a formula is asked, if anything else binds them."""
    match formula:
        case Literal():
            return set()
        case Negation() | Distinct():
            return _variables(formula)
        case Disjunction(formulas=parts):
            return set().union(*map(_needs, parts))
        case Conjunction(formulas=parts):
            return set().union(*map(_needs, parts)) - _gives(formula)


def _asks(body: _Body) -> Iterator[_Ask]:
    for step in body:
        if isinstance(step, _Ask):
            yield step
        for inner in step.bodies if isinstance(step, _Either) else [step.body] if isinstance(step, _None) else []:
            yield from _asks(inner)


def _kinds(sheet: RuleSheet) -> dict[tuple[str, int], int]:
    """Tell of each relation whether it depends on the moves, on the state alone, or on neither."""
    kinds = {("true", 1): _STATE, ("does", 2): _MOVE}
    changed = True
    while changed:
        changed = False
        for rule in sheet.rules:
            head = relation(rule.head.sentence)
            asked = (relation(literal.sentence) for formula in rule.body for literal in literals(formula))
            kind = max((kinds.get(key, _STATIC) for key in asked), default=_STATIC)
            if kind > kinds.get(head, _STATIC):
                kinds[head] = kind
                changed = True
    return kinds
