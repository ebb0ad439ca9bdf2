"""Positions of a game as values: what may be played, what comes of it, how it looks.

>>> from ggp_agent.games import load_game
>>> state = load_game("fast:breakthrough_6x6").initial_state()
>>> state.choosing, state.legal_moves("white")[:3]
(('white',), ('a2-a3', 'a2-b3', 'b2-a3'))
>>> after = state.play("a2-b3")
>>> after.choosing, after.is_terminal, after == state.play("a2-b3")
(('black',), False, True)
>>> after.play("a2-a3")
Traceback (most recent call last):
ggp_agent.errors.IllegalMoveError: black cannot play a2-a3; legal are a5-a4, a5-b4, b5-a4, b5-b4, b5-c4 and 11 more
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from gdl import CompiledMachine

from .errors import IllegalMoveError

if TYPE_CHECKING:
    from .games import Game
    from .search import SearchConfig, Searcher, Statistics

_LISTED = 5


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
        from gdl import GdlError

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
        from .search import Searcher

        searcher = Searcher(self.machine, config)
        searcher.set_root(self.packed)
        return searcher

    def search(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        config: SearchConfig | None = None,
    ) -> Statistics:
        """Search this position until the first limit; see `search.position_search`.

        Raises:
            ValueError: no limit is given, or one is negative; or as `searcher`.
        """
        from .search.position_search import search

        return search(self, simulations=simulations, seconds=seconds, config=config)

    def __str__(self) -> str:
        """Return a drawing as text, as good as what is known of the game."""
        from .drawing.board import board_of

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
