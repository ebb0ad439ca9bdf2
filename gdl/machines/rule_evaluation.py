"""Direct evaluation of rules: find the ground sentences that hold in a state, by goals with tables.

Algorithm: goal-directed evaluation with tables (Tamaki and Sato, 1986), where each component of goals is iterated to
its least fixpoint. A goal is a sentence that may contain variables; its table contains the ground sentences that answer
it. A goal is evaluated by running the bodies of its rules from left to right over rows of variable bindings, where
every literal of a body is a goal again. Goals that wait for one another in a cycle form a component, found by Tarjan's
low-links (1972): `low` is the shallowest unfinished goal that an evaluation has seen. The shallowest goal of a
component leads it: it is evaluated again and again, with everything below it, until no table grows. Then all tables
of the component are complete. `not` holds when its formula has no answer. The tables for this formula must be complete,
so negation inside a component is an error. Tables belong to goals and not to relations. So rules that are stratified
only by their constants, such as `(<= (goal ?r 0) (not (goal ?r 100)))`, are allowed.

`not` and `distinct` wait until the rest of the body has bound their variables. An unbound variable means "no instance
holds" in `not`, and differs from every other term in `distinct`.

Terms are plain tuples, and bodies are steps over the columns of a row (`evaluation_plan`). Rows go through a body
together, so that equal rows are dropped early. At most one batch of rows does so at a time, so that the first answers
to a goal with very many answers are found before the last ones.

For difficult or endless rules, some legal moves are found with small tables: a table that is full, or receives terms
that nest too deep, is cut. Sentences derived from a cut table are correct; only a negation must not use it.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from ..compile.arithmetic import with_arithmetic
from ..language.errors import GdlLimitError, GdlRuleError
from ..language.parse import MAX_NESTING
from ..language.playable import dependencies
from ..language.rule_sheet import Rule, RuleSheet
from ..language.terms import relation
from .evaluation_plan import (
    Ask,
    Body,
    CompiledRule,
    Differ,
    Either,
    Facts,
    Pattern,
    Refute,
    Row,
    Sentence,
    Step,
    asks,
    bind_head,
    compile_rule,
    fits,
    instantiate,
    is_ground,
    match_ground,
    nesting,
)

# Terms that nest deeper than texts may (`gdl.language.parse`) show that rules build terms without end.
_NESTING = 2 * MAX_NESTING

# Number of rows that go through a body together; the answers to one goal may exceed it.
_BATCH = 20_000

# Limit of the answers to all goals of one query; they take some hundred megabytes.
_MAX_ANSWERS = 2_000_000

# Kinds of relations: a table is valid until the data changes on which it depends.
_STATIC, _STATE, _MOVE = 0, 1, 2

_NEVER = sys.maxsize

# Limits of the search for some legal moves: the number of moves, the depth of goals, and the nesting of terms, which is
# the limit of messages.
_SOME = 1_000
_SOME_DEPTH = 1_000
_SOME_NESTING = MAX_NESTING // 2


class StoppedError(Exception):
    """The evaluation was stopped."""


@dataclass(slots=True)
class _Table:
    """The answers to one goal, in the order in which they were found."""

    answers: dict[Sentence, None] = field(default_factory=dict)
    complete: bool = False
    visited: bool = False  # in evaluation, or evaluated in the current round of the leader
    low: int = _NEVER
    cut: bool = False  # this table or one that it was derived from may lack answers


class Evaluation:
    """Answer goals by the rules, the fluents of a state and the moves of a joint move."""

    def __init__(self, sheet: RuleSheet) -> None:
        sheet = with_arithmetic(sheet)
        self._sheet = sheet
        self._rules: dict[tuple[str, int], list[Rule]] = {}
        self._compiled: dict[tuple[str, int], list[CompiledRule]] = {}  # compiled on first use
        facts: list[Sentence] = []
        for rule in sheet.rules:
            compiled = None if rule.body else compile_rule(rule)
            if compiled is not None and not compiled.columns:
                facts.append(compiled.head)
            else:
                self._rules.setdefault(relation(rule.head.sentence), []).append(rule)
        self._facts = Facts(facts)
        self._kinds = _kinds(sheet)
        self._tables: list[dict[Sentence, _Table]] = [{}, {}, {}]
        self._fluents = Facts(())
        self._does = Facts(())
        self._most = _NEVER  # limit of answers in a table, beyond which it is cut
        self._nesting = _NESTING  # limit of the nesting of terms, likewise
        self._most_grown = _NEVER  # limit of answers in all tables, beyond which evaluation ends
        self._stop: Callable[[], bool] | None = None
        self._reset()

    def _reset(self) -> None:
        self._unfinished: list[_Table] = []  # visited but not complete, in the order of their visits
        self._depth = 0  # depth of the goal in evaluation
        self._low = _NEVER  # depth of the shallowest unfinished goal seen by the current evaluation
        self._grown = 0  # answers found so far, in all tables
        self._cut = False  # whether the current evaluation has used a table that was cut
        self._any_cut = False  # whether any table was cut

    def set_state(self, fluents: Iterable[Pattern]) -> None:
        """Set the fluents of `true`; drop tables that depend on the state or the moves."""
        self._fluents = Facts(("true", fluent) for fluent in fluents)
        self._tables[_STATE].clear()
        self._tables[_MOVE].clear()

    def set_moves(self, does: Iterable[Sentence]) -> None:
        """Set the moves of `does`; drop tables that depend on the moves."""
        self._does = Facts(does)
        self._tables[_MOVE].clear()

    def query(self, goal: Sentence) -> list[Sentence]:
        """List the ground sentences that hold and match the goal."""
        self._most_grown = self._grown + _MAX_ANSWERS
        try:
            return list(self._answers(goal))
        except BaseException as error:  # also when interrupted: incomplete tables must not be used later
            for tables in self._tables:
                tables.clear()
            self._reset()
            if isinstance(error, RecursionError):
                raise self._endless(goal) from None
            raise

    def some(self, goal: Sentence) -> tuple[list[Sentence], bool]:
        """List some ground sentences that hold and match the goal, with small tables."""
        self._most, self._nesting = _SOME, _SOME_NESTING
        try:
            answers = self.query(goal)
        finally:
            self._most, self._nesting = _NEVER, _NESTING
        are_all, self._cut = not self._cut, False
        if self._any_cut:
            self._any_cut = False
            for tables in self._tables:
                for key in [key for key, table in tables.items() if table.cut]:
                    del tables[key]
        return answers, are_all

    @contextlib.contextmanager
    def stopped_by(self, stop: Callable[[], bool]) -> Iterator[None]:
        """Call `stop` now and then during evaluations, and end them when it returns True."""
        self._stop = stop
        try:
            yield
        finally:
            self._stop = None

    def _endless(self, goal: Sentence) -> GdlRuleError:
        return GdlRuleError(f"the rules recurse without end on the way to {goal[0]}", source=self._sheet.source)

    def _answers(self, goal: Sentence) -> dict[Sentence, None]:
        """Return the answers of a goal, which are complete unless the goal is part of an unfinished component."""
        key = cast(str, goal[0]), len(goal) - 1
        tables = self._tables[self._kinds.get(key, _STATIC)]
        table = tables.get(goal)
        if table is None:
            source = {"true": self._fluents, "does": self._does}.get(key[0], self._facts)
            table = tables[goal] = _Table(dict.fromkeys(source.find(goal)))
            table.complete = key not in self._rules or (is_ground(goal) and bool(table.answers))
        if not table.complete:
            if not table.visited:
                self._evaluate(goal, table, self._rules_for(key))
            self._low = min(self._low, table.low)
        if table.cut:
            self._cut = True
        return table.answers

    def _rules_for(self, key: tuple[str, int]) -> list[CompiledRule]:
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = [compile_rule(rule) for rule in self._rules[key]]
        return compiled

    def _evaluate(self, goal: Sentence, table: _Table, rules: list[CompiledRule]) -> None:
        """Complete the table of a goal, or run one round if a shallower goal leads its component."""
        if nesting(goal) > self._nesting or (self._depth > _SOME_DEPTH and self._most < _NEVER):
            if self._most == _NEVER:
                raise self._endless(goal)
            table.cut = table.complete = self._any_cut = True
            return
        depth, outer_low, outer_cut = self._depth, self._low, self._cut
        self._depth += 1
        place = len(self._unfinished)
        table.visited = True
        while True:
            for waiting in self._unfinished[place:]:
                waiting.visited = False
            self._unfinished[place:] = [table]
            table.visited, table.low = True, depth
            self._low, self._cut, grown = _NEVER, table.cut, self._grown
            for rule in rules:
                self._apply(rule, goal, table)
                if table.complete:
                    break
            if table.complete or self._low != depth or self._grown == grown:
                break
        component, low, cut = self._unfinished[place:], self._low, self._cut
        self._depth, self._low, self._cut = depth, outer_low, outer_cut
        if table.complete:
            # A ground goal was proved within a round; goals that waited for it are evaluated when asked again.
            for waiting in component:
                waiting.visited = False
            table.cut = False
        elif low < depth:
            # A shallower goal leads. All goals visited here wait for it too, whichever goal asks next.
            for waiting in component:
                waiting.low = min(waiting.low, low)
            table.cut = cut
            return
        else:
            for waiting in component:
                cut = cut or waiting.cut
            for waiting in component:
                waiting.complete, waiting.cut = True, cut
        del self._unfinished[place:]
        table.low = _NEVER

    def _apply(self, rule: CompiledRule, goal: Sentence, table: _Table) -> None:
        """Add the answers that one rule gives to the table of a goal."""
        row: Row = [None] * rule.columns
        if not bind_head(rule.head, goal, row):
            return
        ground = is_ground(goal)
        for found in self._run(rule.body, [row]):
            free: dict[int, int] = {}
            answer = cast(Sentence, instantiate(rule.head, found, free))
            if free:
                message = f"the head of this rule contains a variable that its body does not bind: {rule.source}"
                raise GdlRuleError(message, source=self._sheet.source, position=rule.source.position)
            if answer not in table.answers and fits(goal, answer):
                if len(table.answers) >= self._most or nesting(answer) > self._nesting:
                    if self._most == _NEVER:
                        raise self._endless(goal)
                    table.cut = self._cut = self._any_cut = True
                    return
                table.answers[answer] = None
                self._grown += 1
                if ground:
                    table.complete = True
                    return
                if self._grown > self._most_grown:
                    message = f"more than {_MAX_ANSWERS:,} sentences hold on the way to {goal[0]}"
                    raise GdlLimitError(message, source=self._sheet.source)

    def _run(self, body: Body, rows: list[Row]) -> Iterator[Row]:
        """Extend the rows by every formula of a body in turn; the remaining rows satisfy all of them.

        The caller must not use the rows afterwards.
        """
        pending = [(0, rows)]  # rows that still have to pass the body, from a step on
        while pending:
            place, rows = pending.pop()
            while rows and place < len(body):
                self._heed_stop()
                step = body[place]
                rows, rest = self._extend(step, rows)
                if rest:
                    pending.append((place, rest))
                if step.forget and len(rows) > 1:
                    for row in rows:
                        for column in step.forget:
                            row[column] = None
                    rows = list({tuple(row): row for row in rows}.values())
                place += 1
            yield from rows

    def _heed_stop(self) -> None:
        if self._stop is not None and self._stop():
            raise StoppedError

    def _extend(self, step: Step, rows: list[Row]) -> tuple[list[Row], list[Row]]:
        """Extend rows by one step until they fill a batch; return them and the rows that are not extended yet."""
        most = min(_BATCH, self._most)
        match step:
            case Ask(pattern=pattern):
                extended: list[Row] = []
                for place, row in enumerate(rows):
                    if len(extended) >= most:
                        return extended, rows[place:]
                    self._ask(pattern, row, extended)
                return extended, []
            case Either(bodies=bodies):
                batch, rest = rows[:most], rows[most:]
                return [found for body in bodies for found in self._run(body, [row[:] for row in batch])], rest
            case Refute(body=body):
                return [row for row in rows if self._refuted(body, row)], []
            case Differ(left=left, right=right):
                kept = []
                for row in rows:
                    free: dict[int, int] = {}
                    if instantiate(left, row, free) != instantiate(right, row, free):
                        kept.append(row)
                return kept, []

    def _ask(self, pattern: Sentence, row: Row, extended: list[Row]) -> None:
        """Add one row for each answer to a literal; the row itself is reused for the last one."""
        free: dict[int, int] = {}
        answers = self._answers(cast(Sentence, instantiate(pattern, row, free)))
        if not free:
            if answers:
                extended.append(row)
            return
        left = len(answers)
        for answer in answers:
            left -= 1
            if not left % _BATCH:
                self._heed_stop()
            candidate = row[:] if left else row
            if match_ground(pattern, answer, candidate):
                extended.append(candidate)

    def _refuted(self, body: Body, row: Row) -> bool:
        """Return whether a body has no solution; this needs complete tables that were not cut."""
        outer_low, self._low = self._low, _NEVER
        outer_cut, self._cut = self._cut, False
        refuted = next(self._run(body, [row[:]]), None) is None
        if refuted and self._low != _NEVER:
            asked = next(step for step in asks(body))
            message = f"the rules make {asked.source} depend on its own negation"
            raise GdlRuleError(message, source=self._sheet.source, position=asked.source.position)
        self._low = min(self._low, outer_low)
        unknown = refuted and self._cut
        self._cut = outer_cut or unknown
        return refuted and not unknown


def _kinds(sheet: RuleSheet) -> dict[tuple[str, int], int]:
    """Return the kind of each relation: it depends on the moves, on the state alone, or on neither."""
    kinds = {("true", 1): _STATE, ("does", 2): _MOVE}
    asks = dependencies(sheet)
    changed = True
    while changed:
        changed = False
        for head, asked in asks.items():
            kind = max((kinds.get(key, _STATIC) for key in asked), default=_STATIC)
            if kind > kinds.get(head, _STATIC):
                kinds[head] = kind
                changed = True
    return kinds
