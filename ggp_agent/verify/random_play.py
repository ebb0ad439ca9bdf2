"""Random play-outs of a rule sheet, to find errors that only playing shows."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass, replace

from gdl import GdlError, MachineState, ReferenceMachine, RuleSheet, StateMachine, load_machine, parse_term
from gdl.checks import Finding
from gdl.compile.arithmetic import with_arithmetic
from gdl.language.percepts import hides_information
from gdl.language.playable import Relation, dependencies, reached
from gdl.language.rule_sheet import KEYWORD_ARITIES, NOWHERE, Literal, Negation, Position, Rule
from gdl.language.terms import Compound, Variable, arguments, relation, to_kif
from gdl.machines.reference import OddGoals

from ..game.play import stuck_role, turns
from ..game.roles import after_turns, is_chance
from ..hidden.possible_states import PossibleStates

# The largest number of joint moves in one turn for which the possible states of a role are all found.
MAX_JOINT_MOVES = 1_000
# The relation whose rules cause a finding.
_DEFINED_BY = {
    "GDL801": "legal",
    "GDL802": "terminal",
    **dict.fromkeys(("GDL803", "GDL804", "GDL805"), "goal"),
    "GDL806": "base",
    "GDL807": "input",
    "GDL809": "legal",
}
# The relation that does not hold, in a finding that an undefined relation may have caused.
_MISSING: dict[str, Relation] = {"GDL801": ("legal", 2), "GDL802": ("terminal", 0), "GDL803": ("goal", 2)}
# A sheet that takes longer than this to compile is played by the reasoner.
COMPILE_SECONDS = 10.0


def possible_states(machine: StateMachine, role: str) -> PossibleStates:
    """Return the states that a role holds for possible, all of them while they are complete."""
    return PossibleStates(machine, role, max_states=MAX_JOINT_MOVES, max_joint_moves=MAX_JOINT_MOVES)


@dataclass(frozen=True, slots=True)
class GameFindings:
    """The result of random games."""

    games: int  # the number of games that were played to their end, or to an error
    findings: list[Finding]  # the findings, sorted by code


def try_out(sheet: RuleSheet, playouts: int, *, max_turns: int, seed: int = 0) -> list[Finding]:
    """Play a sheet at random and report errors; see `play_at_random`."""
    return play_at_random(sheet, playouts, max_turns=max_turns, seed=seed).findings


def play_at_random(
    sheet: RuleSheet, playouts: int, *, max_turns: int, seed: int = 0, seconds: float = math.inf
) -> GameFindings:
    """Play a sheet at random and report errors.

    Each role chooses uniformly among its legal moves. For each kind of finding (and role, if it concerns one) the one
    with the fewest turns is kept, with the moves that lead to it.
    """
    games = 0
    play = _RandomPlay(sheet, max_turns, time.monotonic() + seconds)
    try:
        play.prepare(min(seconds, COMPILE_SECONDS))
        rng = random.Random(seed)
        while games < playouts and play.play(rng):
            games += 1
    except GdlError as error:
        moves = tuple(play.moves) if play.started else None
        play.report(Finding("GDL808", error.message, error.position, moves), "")
    except MemoryError:
        play.report(Finding("GDL808", "there is too little memory to play this game"), "")
    found = [
        replace(finding, message=finding.message + _cause(sheet, _MISSING[code], role)) if code in _MISSING else finding
        for (code, role), finding in play.found.items()
    ]
    return GameFindings(games, sorted(found, key=lambda finding: finding.code))


def _cause(sheet: RuleSheet, missing: Relation, role: str) -> str:
    """Return the end of a message: an undefined relation on which `missing` depends for a role; may be empty."""
    rules = []
    for rule in with_arithmetic(sheet).rules:
        head = rule.head.sentence
        about = arguments(head)[:1] if role and relation(head) == missing else ()
        if all(isinstance(each, Variable) or each == role for each in about):
            body = [formula for formula in rule.body if not isinstance(formula, Negation)]
            rules.append(replace(rule, body=tuple(body)))
    asks = dependencies(replace(sheet, rules=tuple(rules)))
    defined = {name for name, _ in asks} | KEYWORD_ARITIES.keys()
    undefined = sorted({name for name, _ in reached([missing], asks)} - defined)
    return f"; {missing[0]} depends on {undefined[0]}, which never holds" if undefined else ""


class _RandomPlay:
    """Play-outs of one sheet."""

    def __init__(self, sheet: RuleSheet, max_turns: int, until: float) -> None:
        self.found: dict[tuple[str, str], Finding] = {}  # findings so far, by code and subject
        self.moves: list[tuple[str, ...]] = []  # joint moves of the current play-out
        self.started = False  # whether a first state was computed
        self._sheet = sheet
        self._odd_goals = OddGoals(sheet)
        self._max_turns = max_turns
        self._until = until
        self._machine: StateMachine
        self._base: frozenset[str] | None = None
        self._inputs: dict[str, frozenset[str]] | None = None
        self._hides_information = hides_information(sheet)

    def prepare(self, seconds: float) -> None:
        """Build the fastest machine for the sheet and list the fluents and moves that the sheet declares."""
        try:
            self._machine = load_machine(self._sheet, seconds=seconds)
        except GdlError:
            # The interpreter may find the error that stops the compiler, together with the moves that lead to it.
            self._machine = ReferenceMachine(self._sheet)
        heads = {relation(rule.head.sentence) for rule in self._sheet.rules}
        if ("base", 1) in heads:
            self._base = frozenset(self._declared("base"))
        if ("input", 2) in heads:
            self._inputs = {role: frozenset(self._declared("input", role)) for role in self._machine.roles}

    def report(self, finding: Finding, about: str) -> None:
        """Store a finding, unless the same one was found after fewer moves."""
        key = finding.code, about
        known = self.found.get(key)
        if known is None or len(finding.moves or ()) < len(known.moves or ()):
            self.found[key] = finding

    def play(self, rng: random.Random) -> bool:
        """Play one game to its end, or to an error that stops it; return False if the time is over before."""
        self.moves = []
        machine = self._machine
        state = machine.initial()
        self.started = True
        seers = [role for role in machine.roles if self._hides_information and not is_chance(role)]
        beliefs = {role: possible_states(machine, role) for role in seers}

        def choose(role: str, legal: list[str]) -> str:
            self._check_moves(role, legal)
            return rng.choice(legal)

        self._check_state(state)
        for joint, after in turns(machine, choose):
            before, state = state, after
            self.moves.append(tuple(joint))
            self._observe(beliefs, before, joint, state)
            if time.monotonic() >= self._until:
                return False
            self._check_state(state)
            if len(self.moves) == self._max_turns and not machine.terminal(state):
                self._say("GDL802", f"no end after {self._max_turns:,} turns of random play", "")
                return True
        if role := stuck_role(machine, state):
            self._say("GDL801", f"{role} has no legal move {self._when()}", role)
        return True

    def _check_state(self, state: MachineState) -> None:
        self._check_fluents(state)
        terminal = self._machine.terminal(state)
        self._check_odd_goals(state)
        for role in self._machine.roles:
            self._check_goals(state, role, terminal)

    def _observe(
        self, beliefs: dict[str, PossibleStates], before: MachineState, joint: list[str], after: MachineState
    ) -> None:
        """Update what the roles know after a turn, and check that they know their own legal moves."""
        machine = self._machine
        terminal = machine.terminal(after)
        for role, belief in [*beliefs.items()]:
            percepts = machine.percepts(before, joint, role)
            belief.observe(joint[machine.roles.index(role)], percepts, terminal=terminal, seconds=math.inf)
            if not belief.is_complete:
                del beliefs[role]
            elif not terminal and len({frozenset(machine.legal(state, role)) for state, _ in belief.states}) > 1:
                message = f"{role} cannot know its legal moves {self._when()}: they differ between possible states"
                self._say("GDL809", message, role)

    def _say(self, code: str, message: str, about: str) -> None:
        self.report(Finding(code, message, self._place(_DEFINED_BY[code], about), tuple(self.moves)), about)

    def _place(self, name: str, role: str) -> Position:
        """Return the place of the first rule of a relation, if possible of a rule that names the role."""
        found = [rule for rule in self._sheet.rules if relation(rule.head.sentence)[0] == name]
        of_role = [rule for rule in found if role and to_kif(rule.head.sentence).startswith(f"({name} {role} ")]
        return next((rule.position for rule in (*of_role, *found)), NOWHERE)

    def _when(self) -> str:
        return after_turns(len(self.moves))

    def _check_fluents(self, state: MachineState) -> None:
        if self._base is not None:
            for fluent in self._machine.fluents(state):
                if fluent not in self._base:
                    self._say("GDL806", f"{fluent} holds {self._when()}, but base does not declare it", "")
                    return

    def _check_moves(self, role: str, legal: list[str]) -> None:
        if self._inputs is not None:
            for move in legal:
                if move not in self._inputs[role]:
                    message = f"{move} is legal for {role} {self._when()}, but input does not declare it"
                    self._say("GDL807", message, role)
                    return

    def _check_odd_goals(self, state: MachineState) -> None:
        for odd in self._odd_goals.of(self._machine, state):
            self._say("GDL805", f"the goal of {odd.role} is {odd.value} {self._when()}", odd.role)

    def _check_goals(self, state: MachineState, role: str, terminal: bool) -> None:
        try:
            values = self._machine.goals(state, role)
        except GdlError as error:
            self._say("GDL805", f"{error.message} {self._when()}", role)
            return
        if terminal and not values and not is_chance(role):
            self._say("GDL803", f"{role} has no goal value at the end, {self._when()}", role)
        elif terminal and len(values) > 1 and not is_chance(role):
            listed = ", ".join(map(str, values))
            self._say("GDL804", f"{role} has several goal values at the end, {self._when()}: {listed}", role)

    def _declared(self, name: str, *roles: str) -> list[str]:
        """Return the terms that `base`, or `input` of one role, declares, by a sheet in which `init` yields them."""
        each = Variable("each")
        asked = Compound(name, (*(parse_term(role, self._sheet.spellings) for role in roles), each))
        show = Rule(Literal(Compound("init", (each,))), (Literal(asked),))
        rules = tuple(rule for rule in self._sheet.rules if relation(rule.head.sentence)[0] != "init")
        machine = ReferenceMachine(RuleSheet((*rules, show), self._sheet.spellings, self._sheet.source))
        return machine.fluents(machine.initial())
