"""Choose the fastest available machine for a sheet: strategies are tried in turn, each with limits.

1. `split`: a network from split rules (`split`). If it is large, also `plain`: a network from the rules without
   splitting, which is used if it is much smaller.
2. `magic`: a network from split rules that derive only what is needed (`magic`).
3. `goals on demand`: a network from split rules without the rules for goals (`goals_on_demand`). Its knowledge of the
   fluents is used to try `determined values`: a network with goals from rules that are split where the state
   determines values (`determined`). The second network is used if there is one.
4. If there is no network, the reasoner (`reasoner`) evaluates the rules directly.

Only lack of time, memory or size leads from one strategy to the next; rules that are not a game are rejected at once.
The result is stored in a cache (`cache`), also a failure, so that a hopeless strategy is not tried again.
"""

from __future__ import annotations

import copyreg
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from .. import _network
from .._reasoner import deferred_goals
from .._simulator import LaneSimulator, StopFlag
from ..compile.arithmetic import with_arithmetic
from ..compile.cache import Attempt, Cache, CacheEntry, default_cache
from ..compile.clauses import Auxiliaries, Clause, Condition, Holds, clauses
from ..compile.compiler_process import DEFAULT_LIMITS, NO_LIMIT, CompilerLimits, Outcome
from ..compile.determined import dependencies_of_fluents, to_asp_determined
from ..compile.ground import AspProgram, asp_program, relevant, to_asp, to_asp_plain
from ..compile.magic import magic
from ..compile.split import split
from ..compile.structure import Structure, structure_of
from ..language.errors import GdlError, GdlLimitError
from ..language.parse import parse_term
from ..language.playable import require_playable
from ..language.rule_sheet import RuleSheet
from ..language.terms import Compound, Term, arguments, relation
from .compiled import CompiledMachine, FluentWeights
from .machine import MachineState, StateMachine
from .network import NetworkMachine, compile_network
from .reasoner import ReasonerMachine, reasoner_program, term_text, with_sheet_errors

# The blank makes sure that no relation of a sheet has this name.
_GOAL = "goal on demand"


def to_asp_without_goals(sheet: RuleSheet) -> AspProgram:
    """Translate all rules except those on which only goals depend, split, to a program for clingo."""
    require_playable(sheet)
    auxiliaries = Auxiliaries()
    renamed = [
        Clause(_renamed(clause.head), tuple([_renamed_condition(condition) for condition in clause.body]))
        for clause in split(clauses(sheet, auxiliaries), auxiliaries)
    ]
    return asp_program(relevant(renamed))


def _renamed(sentence: Term) -> Term:
    return Compound(_GOAL, arguments(sentence)) if relation(sentence) == ("goal", 2) else sentence


def _renamed_condition(condition: Condition) -> Condition:
    return Holds(_renamed(condition.sentence), condition.negated) if isinstance(condition, Holds) else condition


class GoalsOnDemandMachine(NetworkMachine):
    """A machine with a network for everything except goals, and the reasoner for goals.

    Some sheets become too large by their goals alone: whether a role has filled a whole board correctly is easy to
    evaluate in one state, but not for all states at once. Goals are needed once in a play-out, so the reasoner can
    answer them.
    """

    defers_goals = True

    def _adopt(self, sheet: RuleSheet, structure: Structure, network: _network.Network) -> None:
        self._program = reasoner_program(sheet)
        super()._adopt(sheet, structure, network)

    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        def printed(names: tuple[str, ...]) -> list[str]:
            return [term_text(parse_term(name, self.sheet.spellings)) for name in names]

        simulator = super().simulator(lanes, isa)
        return deferred_goals(simulator, self._program, printed(self.fluent_names), printed(self.constant_fluents))

    def goals(self, state: MachineState, role: str) -> list[int]:
        return with_sheet_errors(self.sheet, lambda: super(GoalsOnDemandMachine, self).goals(state, role))


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to compile a network.

    Attributes:
        name: the name in reports and in the cache.
        translate: the function that makes the program for clingo.
        share: the part of the remaining time that the strategy may use.
        machine: the class of the machine that runs the network.
    """

    name: str
    translate: Callable[[RuleSheet], AspProgram]
    share: float
    machine: type[NetworkMachine] = NetworkMachine


def _to_asp_magic(sheet: RuleSheet) -> AspProgram:
    auxiliaries = Auxiliaries()
    return asp_program(relevant(magic(split(clauses(sheet, auxiliaries), auxiliaries), auxiliaries)))


SPLIT = Strategy("split", to_asp, 0.75)
PLAIN = Strategy("plain", to_asp_plain, 0.5)
MAGIC = Strategy("magic", _to_asp_magic, 0.6)
GOALS_ON_DEMAND = Strategy("goals on demand", to_asp_without_goals, 1.0, GoalsOnDemandMachine)
# Its real translation needs dependencies of fluents, which are known later; this one has none.
DETERMINED = Strategy("determined values", partial(to_asp_determined, frozenset()), 0.6)
NETWORK_STRATEGIES = (SPLIT, MAGIC, GOALS_ON_DEMAND)
_STRATEGIES = {strategy.name: strategy for strategy in (*NETWORK_STRATEGIES, PLAIN, DETERMINED)}

# The plain rules are tried too if the split ones gave at least _PLAIN_GATES gates from at most _PLAIN_BASE ground
# rules. The plain rules may have _PLAIN_GROWTH times the ground rules. Their network is used if it has at most
# _PLAIN_GAIN times the gates: in public hex play-outs are 1.35 times as fast then. Two of the 270 public sheets would
# gain with smaller networks (1.2 to 1.35). The attempt would take up to half of the time of loading all others.
_PLAIN_GATES = 30_000
_PLAIN_BASE = 100_000
_PLAIN_GROWTH = 10
_PLAIN_MAX_RULES = 700_000
_PLAIN_GAIN = 0.85

# After `split` was too large, other strategies succeed early or not at all: of 270 public sheets, magic compiled
# one (merrills, 724,000 rules in 0.38 of the time of `split`), goals on demand one (sudoku, 2,400 rules); of four
# sheets nothing is compiled, and the attempts take 11 to 25 CPU-seconds without this bound. So magic gets this part of
# the time of `split`, at least these seconds, and both get this part of the largest number of rules.
_MAGIC_TIME, _MAGIC_SECONDS = 0.5, 1.0
_LATER_RULES = {MAGIC.name: 3, GOALS_ON_DEMAND.name: 30}

# With less time no process is started.
_MIN_SECONDS = 0.1


@dataclass(slots=True)
class MachineChoice:
    """A machine, and how it was made.

    Attributes:
        machine: the machine.
        strategy: the strategy that compiled the network, or the kind of the machine if it is not a network.
        attempts: the strategies that were tried, in this order, by this process or by the one that filled the cache.
        cached: whether the result came from the cache.
    """

    machine: CompiledMachine
    strategy: str
    attempts: tuple[Attempt, ...]
    cached: bool


def choose_machine(
    sheet: RuleSheet,
    *,
    limits: CompilerLimits = DEFAULT_LIMITS,
    stop: StopFlag | None = None,
    cache: Cache | None = None,
    last: Callable[[RuleSheet], CompiledMachine] | None = ReasonerMachine,
) -> MachineChoice:
    """Build the fastest machine for a sheet that is possible within limits.

    >>> from gdl import parse_sheet
    >>> choice = choose_machine(parse_sheet("(role r) (legal r go) (init x) (<= (next x) (true x))"))
    >>> choice.machine.kind, choice.strategy, choice.attempts[0].outcome.value
    ('network', 'split', 'network')

    Args:
        sheet: the rules.
        limits: the limits; the time is for all strategies together, memory and ground rules are for each.
        stop: a flag that another thread may set to stop compiling at once.
        cache: the cache of networks; the cache of the user by default.
        last: the function that builds a machine if there is no network; None raises an error instead.

    Raises:
        GdlRuleError: the rules do not describe a game that can be played; the message contains the cause.
        GdlLimitError: there is no network within the limits, and `last` is None.
    """
    require_playable(sheet)
    if cache is None:
        cache = default_cache()
    structure = structure_of(sheet)
    known = cache.read(structure.key)
    if known is not None and known.network:
        try:
            made = _STRATEGIES[known.strategy].machine.from_compiled(sheet, structure, _network.Network(known.network))
            return MachineChoice(made, known.strategy, known.attempts, cached=True)
        except GdlError:
            raise
        except Exception as error:  # a damaged file may raise anything
            cache.discard(structure.key, str(error))
            known = None
    trials = _Trials(sheet, structure, limits, stop, known.attempts if known is not None else ())
    step = trials.run(NETWORK_STRATEGIES)
    attempts = tuple(trials.attempts)
    settled = tuple([attempt for attempt in attempts if attempt.settled])
    if trials.is_news and step is not None and settled == attempts:
        cache.write(structure.key, CacheEntry(step.strategy.name, attempts, step.content))
    elif trials.is_news and step is None and settled:
        cache.write(structure.key, CacheEntry("", settled, b""))
    if step is not None:
        made = step.strategy.machine.from_compiled(sheet, structure, step.network)
        return MachineChoice(made, step.strategy.name, attempts, cached=False)
    if last is None:
        raise GdlLimitError(attempts[-1].reason, source=sheet.source)
    machine = last(sheet)
    return MachineChoice(machine, machine.kind, attempts, cached=not trials.is_news)


def load_machine(
    sheet: RuleSheet, kind: str = "any", *, stop: StopFlag | None = None, seconds: float | None = None
) -> StateMachine:
    """Build a machine of a given kind for a sheet, by default the fastest.

    Args:
        sheet: the rules.
        kind: `network`, `reasoner`, `reference`, or `any`: the network, or the reasoner if the rules are too large for
            a network.
        stop: a flag that another thread may set to stop compiling early.
        seconds: the limit of CPU-seconds for compiling; by default, and at most, the limit of `CompilerLimits`.

    Raises:
        GdlError: a machine of this kind cannot play the rules.
    """
    if kind == "reference":
        from .reference import ReferenceMachine

        return ReferenceMachine(sheet)
    if kind == "reasoner":
        return ReasonerMachine(sheet)
    limits = CompilerLimits()
    if seconds is not None:
        limits = CompilerLimits(seconds=min(seconds, limits.seconds))
    return choose_machine(sheet, limits=limits, stop=stop, last=None if kind == "network" else ReasonerMachine).machine


@dataclass(frozen=True, slots=True)
class _Step:
    """A network and the strategy that compiled it; `content` is the network as bytes."""

    strategy: Strategy
    content: bytes
    network: _network.Network


class _Trials:
    """Try strategies and remember their results.

    Attributes:
        attempts: the results so far.
        is_news: whether one of them was not known before.
    """

    def __init__(
        self,
        sheet: RuleSheet,
        structure: Structure,
        limits: CompilerLimits,
        stop: StopFlag | None,
        known: Sequence[Attempt],
    ) -> None:
        self.attempts: list[Attempt] = []
        self.is_news = False
        self._sheet = sheet
        self._structure = structure
        self._limits = limits
        self._stop = stop
        self._known = {attempt.strategy: attempt for attempt in known}
        self._programs: dict[str, AspProgram] = {}

    def run(self, strategies: Sequence[Strategy]) -> _Step | None:
        """Return the result of the first strategy that succeeds."""
        for strategy in strategies:
            first = self.attempts[0] if self.attempts else None
            if first is not None and first.outcome is Outcome.SIZE:
                seconds = max(_MAGIC_TIME * first.cpu_s, _MAGIC_SECONDS) if strategy is MAGIC else math.inf
                step = self._try(strategy, self._limits.max_rules // _LATER_RULES[strategy.name], seconds=seconds)
            else:
                step = self._try(strategy, self._limits.max_rules)
            if step is not None:
                return self._better(step)
            if self.attempts[-1].outcome is Outcome.STOPPED:
                break
        return None

    def _better(self, step: _Step) -> _Step:
        """Try to find a better network than the one of a successful strategy."""
        if step.strategy is SPLIT:
            return self._smaller(step)
        if step.strategy is GOALS_ON_DEMAND:
            return self._with_goals(step)
        return step

    def _with_goals(self, step: _Step) -> _Step:
        """Try to compile goals too, with dependencies of fluents from the network without goals."""
        network = step.network
        known = dependencies_of_fluents(network.fluents, network.always, network.groups)
        if not known:
            return step
        strategy = replace(DETERMINED, translate=partial(to_asp_determined, known))
        return self._try(strategy, self._limits.max_rules) or step

    def _smaller(self, step: _Step) -> _Step:
        """Try the rules without splitting too, if their network may be much smaller."""
        # Gates of the look-ahead do not count: they are useful, and a larger network has more room for them.
        gates = {name: gates for name, gates, _ in step.network.passes}["shared"]
        ground_rules = step.network.ground_rules
        if gates < _PLAIN_GATES or ground_rules > _PLAIN_BASE:
            return step
        canonical = self._structure.sheet
        if self._translate(PLAIN, canonical) == self._translate(SPLIT, canonical):
            return step
        # Most networks of plain rules are too large; their compilation ends before the longest passes.
        max_rules = min(_PLAIN_MAX_RULES, _PLAIN_GROWTH * ground_rules)
        return self._try(PLAIN, max_rules, int(_PLAIN_GAIN * gates)) or step

    def _try(
        self, strategy: Strategy, max_rules: int, max_gates: int = NO_LIMIT, seconds: float = math.inf
    ) -> _Step | None:
        left = self._limits.seconds - sum(attempt.cpu_s for attempt in self.attempts)
        seconds = max(min(strategy.share * left, seconds), _MIN_SECONDS)
        limits = CompilerLimits(seconds, self._limits.memory_mb, max_rules)
        known = self._known.get(strategy.name)
        if known is not None and known.fails_within(limits):
            self.attempts.append(known)
            return None
        self.is_news = True
        translate = partial(self._translate, strategy)
        compilation = compile_network(
            self._sheet, self._structure, translate, limits, max_gates=max_gates, stop=self._stop
        )
        network = _network.Network(compilation.network) if compilation.network else None
        self.attempts.append(Attempt.of(strategy.name, compilation, limits, network))
        return None if network is None else _Step(strategy, compilation.network, network)

    def _translate(self, strategy: Strategy, sheet: RuleSheet) -> AspProgram:
        """Make the program of a strategy; the program of the canonical sheet is made only once."""
        if sheet is not self._structure.sheet:
            return strategy.translate(with_arithmetic(sheet))
        if strategy.name not in self._programs:
            self._programs[strategy.name] = strategy.translate(sheet)
        return self._programs[strategy.name]


def _reduced(machine: NetworkMachine) -> tuple[Callable[..., NetworkMachine], tuple[Any, ...]]:
    """Return what a pickle of a network contains: the rules, which are compiled again, and the added evaluations."""
    return _unpickled, (machine.sheet, machine.added_evaluations)


def _unpickled(sheet: RuleSheet, added: dict[str, FluentWeights]) -> NetworkMachine:
    machine = choose_machine(sheet, last=None).machine
    assert isinstance(machine, NetworkMachine)
    for name, weights in added.items():
        machine.add_evaluation(name, weights)
    return machine


for _kind in (NetworkMachine, GoalsOnDemandMachine):
    copyreg.pickle(_kind, _reduced)
