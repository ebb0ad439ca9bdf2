"""A game and its states as values: legal moves, successors, drawing.

>>> from ggp_agent.game.load import load_game
>>> state = load_game("fast:breakthrough_6x6").initial_state()
>>> state.choosing, state.legal_moves("white")[:3]
(('white',), ('a2-a3', 'a2-b3', 'b2-a3'))
>>> after = state.play("a2-b3")
>>> after.choosing, after.is_terminal, after == state.play("a2-b3")
(('black',), False, True)
>>> try:
...     after.play("a2-a3")
... except IllegalMoveError as error:
...     print(error)
black cannot play a2-a3; legal are a5-a4, a5-b4, b5-a4, b5-b4, b5-c4 and 11 more
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from gdl import CompiledMachine, GdlError, RuleSheet, StateMachine, load_machine
from gdl.compile.kept_sheets import kept_sheet
from kif_games import Guide, catalogue, guide, rules

from ..common.errors import IllegalMoveError, UserError
from .drawing.board import board_of
from .native.native_machine import NativeMachine
from .native.registry import native_game

if TYPE_CHECKING:
    from ..mcts.config import SearchConfig
    from ..mcts.search_result import SearchResult
    from ..mcts.searcher import Searcher

# What stands before the name of a hand-coded game.
MODULE_PREFIX = "fast:"

_LISTED = 5


@dataclass(frozen=True, slots=True)
class Game:
    """The rules of one game, and what it is called.

    Attributes:
        name: a short name, fit for file names and match identifiers.
        sheet: its rules; at least one says what is a role.
        address: where the rules are from, in a form that changes when they change: the URL of their version in a
            repository, or else their name and digest.
        module: the name of the hand-coded game that is played instead of the rules, which are its reference sheet;
            where it has none they name the roles alone.
    """

    name: str
    sheet: RuleSheet
    address: str
    module: str | None = None

    @property
    def word(self) -> str:
        """What a user calls it: a name of the catalogue, that of a file, or `fast:` and the name of a module."""
        return self.name if self.module is None else MODULE_PREFIX + self.module

    @property
    def digest(self) -> str:
        """What changes when the rules change, wherever they are from."""
        return rules_digest(self.sheet)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the rules; that of chance is one."""
        return self.sheet.roles()

    @property
    def guide(self) -> Guide | None:
        """What the catalogue tells people of the game; None where it does not have just these rules."""
        name = self.name if self.module is None else native_game(self.module).reference_sheet
        if name not in catalogue() or rules_digest(kept_sheet(rules(name), source=name)) != self.digest:
            return None
        return guide(name)

    def initial_state(self, kind: Literal["any", "network", "reasoner"] = "any") -> State:
        """Return the position that the game begins with.

        Args:
            kind: of its machine, as below.

        Raises:
            GdlError, UserError: as `machine`.
        """
        machine = self.machine(kind)
        return State(self, machine, machine.initial())

    @property
    def has_rules(self) -> bool:
        """Whether there is a rule sheet, as for all but some hand-coded games."""
        return self.module is None or bool(native_game(self.module).reference_sheet)

    @overload
    def machine(self, kind: Literal["any", "network", "reasoner"] = "any") -> CompiledMachine: ...
    @overload
    def machine(self, kind: str) -> StateMachine: ...
    def machine(self, kind: str = "any") -> StateMachine:
        """Build a machine: the hand-coded module if that was asked for, or else one for the rules.

        Args:
            kind: as for `gdl.load_machine`.

        Raises:
            GdlError: the rules describe no game that can be played, or none that a machine of this kind can play.
            UserError: a module was asked for together with another kind of machine.
        """
        if self.module is None:
            return load_machine(self.sheet, kind)
        if kind != "any":
            require_rules(self)
            raise UserError(f"{self.word} is a machine of its own; a {kind} is made of its rules, {self.sheet.source}")
        return NativeMachine(native_game(self.module))


class State:
    """One position; it never changes.

    Positions of one game are equal where the same fluents hold. They can be pickled: rules and fluents go along, and
    the game is compiled again where they are read.

    Any thread may call all methods at any time, also of positions that come of one another.

    Attributes:
        game: that it is of.
        machine: what computes it; positions that come of one another share it.
        packed: the state as the machine keeps it.
    """

    __slots__ = ("game", "machine", "packed")

    def __init__(self, game: Game, machine: CompiledMachine, packed: bytes) -> None:
        self.game = game
        self.machine = machine
        self.packed = packed

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the rules."""
        return self.machine.roles

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.machine.terminal(self.packed)

    @property
    def goals(self) -> dict[str, int | None]:
        """The highest goal value of each role, 0..100, None where none holds; before the end, interim goals."""
        return {role: self.machine.goal(self.packed, role) for role in self.roles}

    @property
    def fluents(self) -> list[str]:
        """What holds, as KIF, sorted."""
        return self.machine.fluents(self.packed)

    @property
    def choosing(self) -> tuple[str, ...]:
        """The roles that have more than one legal move; none where the game is over."""
        return tuple(role for role, moves in self.legal_moves().items() if len(moves) > 1)

    @overload
    def legal_moves(self) -> dict[str, tuple[str, ...]]: ...
    @overload
    def legal_moves(self, role: str) -> tuple[str, ...]: ...
    def legal_moves(self, role: str | None = None) -> dict[str, tuple[str, ...]] | tuple[str, ...]:
        """Return the legal moves of a role, or those of all roles; none where the game is over.

        Raises:
            ValueError: there is no such role.
        """
        if role is None:
            return {each: self.legal_moves(each) for each in self.roles}
        moves = tuple(self.machine.legal(self.packed, role))
        return () if self.is_terminal else moves

    def play(self, *moves: str) -> State:
        """Return the position after a turn.

        Args:
            moves: one for each role, in order; or one alone, where no more than one role has a choice.

        Raises:
            IllegalMoveError: the game is over, a move is not legal, or their number is wrong.
        """
        joint = self._joint(moves)
        return State(self.game, self.machine, self.machine.next(self.packed, joint))

    def _joint(self, moves: tuple[str, ...]) -> tuple[str, ...]:
        if self.is_terminal:
            raise IllegalMoveError("the game is over: no move can be played")
        legal = self.legal_moves()
        if len(moves) == 1 < len(self.roles):
            choosing = [role for role in self.roles if len(legal[role]) > 1]
            if len(choosing) > 1:
                at_once = " and ".join(choosing)
                raise IllegalMoveError(f"{at_once} move at once: give a move for each of {self._names()}")
            mover = (choosing or [role for role in self.roles if moves[0] in legal[role]] or self.roles)[0]
            moves = tuple(moves[0] if role == mover else legal[role][0] for role in self.roles)
        if len(moves) != len(self.roles):
            raise IllegalMoveError(f"{len(moves)} moves are too few or many: give one for each of {self._names()}")
        joint = []
        for role, move in zip(self.roles, moves, strict=True):
            spelled = move if move in legal[role] else self._spelled(move)
            if spelled not in legal[role]:
                raise IllegalMoveError(f"{role} cannot play {move}; legal are {listed(legal[role])}")
            joint.append(spelled)
        return tuple(joint)

    def _spelled(self, move: str) -> str:
        try:
            return self.machine.spelled(move)
        except GdlError:
            return move

    def _names(self) -> str:
        return ", ".join(self.roles)

    def searcher(self, config: SearchConfig | None = None) -> Searcher:
        """Return a search of this position, whose tree is kept over the turns.

        Raises:
            ValueError: the configuration asks for what this game has not, such as more lanes or an evaluation.
        """
        from ..mcts.searcher import Searcher  # imports numpy, which a game without a search does not need

        searcher = Searcher(self.machine, config)
        searcher.set_root(self.packed)
        return searcher

    def search(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        config: SearchConfig | None = None,
    ) -> SearchResult:
        """Search this position until the first limit; see `position_search.search`.

        Raises:
            ValueError: no limit is given, or one is negative; or as `searcher`.
        """
        if simulations is None and seconds is None:
            raise ValueError("say how long to search: simulations=..., seconds=..., or both")
        return self.searcher(config).run(simulations=simulations, seconds=seconds)

    def __str__(self) -> str:
        """Return a drawing as text, as good as what is known of the game."""
        return "\n".join(board_of(self.machine, self.game.guide).draw(self.packed, None).whole_lines())

    def __repr__(self) -> str:
        if self.is_terminal:
            return f"<{self.game.word}, over: {', '.join(f'{role} {goal}' for role, goal in self.goals.items())}>"
        moves = ", ".join(f"{role} {len(self.legal_moves(role))}" for role in self.choosing) or "one each"
        return f"<{self.game.word}, moves: {moves}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        if self.machine is other.machine:
            return self.packed == other.packed
        return (self.game.address, self.game.module, self._content()) == (
            other.game.address,
            other.game.module,
            other._content(),
        )

    def __hash__(self) -> int:
        return hash((self.game.address, self.game.module, self._content()))

    def __reduce__(self) -> tuple[Any, ...]:
        kind = "any" if self.game.module is not None else self.machine.kind
        return _restored, (self.game, kind, self._content())

    def _content(self) -> bytes | tuple[str, ...]:
        """Return what is the same on all machines: the fluents, of hand-coded games the packed state."""
        return self.packed if self.game.module is not None else tuple(self.fluents)


# The machines of states that were pickled, so that those of one game share one: by game and kind, the latest last.
_MACHINES: dict[tuple[str, str | None, str], CompiledMachine] = {}
_MOST_MACHINES = 16
_MACHINES_LOCK = threading.Lock()


def _restored(game: Game, kind: str, content: bytes | tuple[str, ...]) -> State:
    machine = _machine_of(game, kind)
    packed = content if isinstance(content, bytes) else machine.state(content)
    assert isinstance(packed, bytes)
    return State(game, machine, packed)


def _machine_of(game: Game, kind: str) -> CompiledMachine:
    """Return the machine that restored states of a game share."""
    key = (game.address, game.module, kind)
    with _MACHINES_LOCK:
        machine = _MACHINES.get(key)
    if machine is None:
        made = game.machine(kind)  # may take seconds; two threads may both do it
        assert isinstance(made, CompiledMachine)
        machine = made
    with _MACHINES_LOCK:
        machine = _MACHINES.pop(key, machine)  # the one that another thread put there meanwhile
        _MACHINES[key] = machine
        while len(_MACHINES) > _MOST_MACHINES:
            del _MACHINES[next(iter(_MACHINES))]
    return machine


def listed(moves: Iterable[str]) -> str:
    """Name the first few moves, and say how many there are more."""
    moves = list(moves)
    more = f" and {len(moves) - _LISTED} more" if len(moves) > _LISTED else ""
    return ", ".join(moves[:_LISTED]) + more


def require_rules(game: Game) -> None:
    """Refuse a hand-coded game that has no rule sheet, for what is done with rules.

    Raises:
        UserError: it has none.
    """
    if not game.has_rules:
        raise UserError(
            f"{game.word} has no rule sheet, which this needs; play, search, arena, bench and perft do without"
        )


def rules_digest(sheet: RuleSheet) -> str:
    """Return a digest of rules, 16 hexadecimal digits."""
    return hashlib.sha256(str(sheet).encode()).hexdigest()[:16]


def search(
    state: State,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    config: SearchConfig | None = None,
) -> SearchResult:
    """Search a state until the first limit; the same as `State.search`.

    Args:
        state: the state to search.
        simulations: the largest number of simulations, at least 0.
        seconds: the longest wall-clock time, at least 0.
        config: the configuration of the search; the default configuration if None.

    Raises:
        ValueError: no limit is given, a limit is negative, or the configuration needs something that this game does
            not have, such as more lanes or an evaluation.
    """
    return state.search(simulations=simulations, seconds=seconds, config=config)
