"""A game and its states as values: legal moves, successors, drawing.

>>> from ggp_agent.game.load import load_game
>>> state = load_game("fast:breakthrough_6x6").initial_state()
>>> state.choosing, state.legal_moves("white")[:3]
(('white',), ('(move 1 2 1 3)', '(move 1 2 2 3)', '(move 2 2 1 3)'))
>>> after = state.play("a2-b3")
>>> after.choosing, after.is_terminal, after == state.play("a2-b3")
(('black',), False, True)
>>> try:
...     after.play("a2-a3")
... except IllegalMoveError as error:
...     print(str(error)[:53])
black cannot play a2-a3; legal moves: (move 1 5 1 4),
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from gdl import CompiledMachine, GdlError, RuleSheet, StateMachine, load_machine
from gdl.compile.kept_sheets import kept_sheet
from gdl.language.percepts import hides_information
from kif_games import Guide, catalogue, guide, rules

from ..common.errors import (
    ArgumentTypeError,
    HiddenInformationError,
    IllegalMoveError,
    UserError,
    one_line,
    require_type,
)

if TYPE_CHECKING:
    from ..mcts.config import SearchConfig
    from ..mcts.search_result import SearchResult
    from ..mcts.searcher import Searcher
    from .drawing.appearance import Appearance
    from .native.native_game import NativeGame

# The prefix of the names of native games.
NATIVE_PREFIX = "fast:"
# The kinds of state machines that compile the rules.
MachineKind: TypeAlias = Literal["any", "network", "reasoner"]

_MAX_LISTED = 5
_FORMAT = "ggp-agent state 1"


@dataclass(frozen=True, slots=True)
class Game:
    """The rules of one game, and its name.

    Attributes:
        name: a short name, valid in file names and match identifiers.
        sheet: the rules; they define at least one role.
        address: the source of the rules, which changes when the rules change: the URL of their version in a
            repository, or else their name and digest.
        module: the name of the native game that is used instead of the rules; the rules are then its reference sheet,
            or, if it has none, a sheet with only the roles. None if the rules are used.
        text: the text of the rules, for `sheet_errors`; empty for games of the catalogue and native games.
        path: the file of the rules; None if they come from elsewhere.
    """

    name: str
    sheet: RuleSheet = field(repr=False)
    address: str
    module: str | None = None
    text: str = field(default="", repr=False, compare=False)
    path: Path | None = field(default=None, repr=False, compare=False)

    def __deepcopy__(self, _: object) -> Game:
        """Return the game itself, because it never changes."""
        return self

    @property
    def word(self) -> str:
        """The name for users, i.e. a name of the catalogue, a file, or a native game with its prefix."""
        return self.name if self.module is None else NATIVE_PREFIX + self.module

    @property
    def digest(self) -> str:
        """A digest of the rules, independent of their source."""
        return rules_digest(self.sheet)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the rules, including chance."""
        return self.sheet.roles()

    @property
    def guide(self) -> Guide | None:
        """The guide of the catalogue for the game; None if the catalogue does not have exactly these rules."""
        name = self.name if self.module is None else _native_game(self.module).reference_sheet
        if name not in catalogue() or rules_digest(kept_sheet(rules(name), source=name)) != self.digest:
            return None
        return guide(name)

    @property
    def appearance(self) -> Appearance | None:
        """The appearance in pictures, as `appearance_for` returns it; None without one."""
        from .drawing.appearance import appearance_for

        name = self.name if self.module is None else _native_game(self.module).reference_sheet or self.module
        return appearance_for(self.path, name if self.guide is not None or not self.has_rules else "")

    def initial_state(self, kind: MachineKind = "any") -> State:
        """Return the initial state; the argument and the errors are as for `machine`."""
        machine = self.machine(kind)
        return State(self, machine, machine.initial())

    def _repr_html_(self) -> str:
        """Return the name, the roles and the initial state for a notebook."""
        from html import escape

        start = self.initial_state()
        roles = ", ".join(self.roles)
        return f"<p><b>{escape(self.word)}</b>: {escape(roles)}</p>{start._repr_svg_()}"

    @property
    def has_rules(self) -> bool:
        """True if there is a rule sheet; some native games have none."""
        return self.module is None or bool(_native_game(self.module).reference_sheet)

    @overload
    def machine(self, kind: MachineKind = "any") -> CompiledMachine: ...
    @overload
    def machine(self, kind: str) -> StateMachine: ...
    def machine(self, kind: str = "any") -> StateMachine:
        """Create the state machine: the native game if the word names one, otherwise a machine for the rules.

        Args:
            kind: the kind of state machine, as for `gdl.load_machine`.

        Raises:
            GdlError: the rules are invalid, or this kind of machine cannot be built for them.
            UserError: a kind was given for a native game.
        """
        if self.module is None:
            return load_machine(self.sheet, kind)
        if kind != "any":
            require_rules(self)
            raise UserError(f"{self.word} is a native game; for a {kind} load its rules, {self.sheet.source}")
        from .native.native_machine import NativeMachine

        return NativeMachine(_native_game(self.module))


class State:
    """One state of a game; it never changes.

    States of one game are equal if the same fluents are true. They can be pickled: the pickle contains the rules and
    the fluents, and loading it compiles the game again.

    All methods are safe to call from any thread at any time.

    Attributes:
        game: the game of the state.
        machine: the state machine; states that were derived from each other share it.
        packed: the state in the format of the machine.
    """

    __slots__ = ("_turn", "game", "machine", "packed")

    def __init__(self, game: Game, machine: CompiledMachine, packed: bytes) -> None:
        self.game = game
        self.machine = machine
        self.packed = packed
        self._turn: tuple[bytes, tuple[str, ...]] | None = None  # the state before, and the moves; None at the start

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the rules, including chance."""
        return self.machine.roles

    @property
    def is_terminal(self) -> bool:
        """True if the game is over."""
        return self.machine.terminal(self.packed)

    @property
    def goals(self) -> dict[str, int | None]:
        """The highest goal value of each role, 0..100, or None if it has none; before the end, the current goals."""
        return {role: self.machine.goal(self.packed, role) for role in self.roles}

    @property
    def fluents(self) -> list[str]:
        """The true fluents as KIF, sorted."""
        return self.machine.fluents(self.packed)

    @property
    def choosing(self) -> tuple[str, ...]:
        """The roles that have more than one legal move; empty if the game is over."""
        return tuple(role for role, moves in self.legal_moves().items() if len(moves) > 1)

    @overload
    def legal_moves(self) -> dict[str, tuple[str, ...]]: ...
    @overload
    def legal_moves(self, role: str) -> tuple[str, ...]: ...
    def legal_moves(self, role: str | None = None) -> dict[str, tuple[str, ...]] | tuple[str, ...]:
        """Return the legal moves of one role, or of all roles; empty if the game is over.

        Raises:
            ValueError: there is no such role.
            ArgumentTypeError: the role is not a text.
        """
        if role is None:
            return {each: self.legal_moves(each) for each in self.roles}
        try:
            moves = tuple(self.machine.legal(self.packed, role))
        except (TypeError, ValueError):
            require_type(role, str, "role", "the name of a role")
            raise
        return () if self.is_terminal else moves

    def play(self, *moves: str) -> State:
        """Return the state after a turn.

        Args:
            moves: one move for each role, in order; or a single move if at most one role has a choice.

        Raises:
            IllegalMoveError: the game is over, a move is not legal, or the number of moves is wrong.
            ArgumentTypeError: a move is not a text.
        """
        joint = self._joint(moves)
        after = State(self.game, self.machine, self.machine.next(self.packed, joint))
        after._turn = self.packed, joint
        return after

    def percepts(self, role: str) -> tuple[str, ...]:
        """Return what a role perceived of the turn that led to this state (GDL-II), as KIF, sorted.

        The result is empty for a state that `play` has not returned, such as the initial state, and for a game without
        `sees` rules. Equal states may have other percepts, because the turns that led to them differ.

        >>> from ggp_agent.game.load import load_game
        >>> text = "(role a) (role b) (legal a one) (legal a two) (legal b wait) (<= (sees b ?m) (does a ?m))"
        >>> load_game(text).initial_state().play("two", "wait").percepts("b")
        ('two',)

        Raises:
            ValueError: there is no such role.
            ArgumentTypeError: the role is not a text.
        """
        require_type(role, str, "role", "the name of a role")
        if role not in self.roles:
            raise ValueError(f"no role is called {role}; the roles are {self._names()}")
        return () if self._turn is None else tuple(self.machine.percepts(*self._turn, role))

    def _joint(self, moves: tuple[str, ...]) -> tuple[str, ...]:
        if self.is_terminal:
            raise IllegalMoveError("the game is over: no move can be played")
        legal = self.legal_moves()
        if len(moves) == 1 < len(self.roles):
            choosing = [role for role in self.roles if len(legal[role]) > 1]
            if len(choosing) > 1:
                at_once = " and ".join(choosing)
                raise IllegalMoveError(f"{at_once} move at the same time: give a move for each of {self._names()}")
            mover = (choosing or [role for role in self.roles if moves[0] in legal[role]] or self.roles)[0]
            moves = tuple(moves[0] if role == mover else legal[role][0] for role in self.roles)
        if len(moves) != len(self.roles):
            raise IllegalMoveError(f"wrong number of moves: {len(moves)}; give one for each of {self._names()}")
        joint = []
        for role, move in zip(self.roles, moves, strict=True):
            spelled = move if move in legal[role] else self._spelled(move)
            if spelled not in legal[role]:
                raise IllegalMoveError(f"{role} cannot play {move}; legal moves: {listed(legal[role])}")
            joint.append(spelled)
        return tuple(joint)

    def _spelled(self, move: str) -> str:
        try:
            return self.machine.spelled(self._text(move))
        except GdlError:
            return move

    def _text(self, move: object) -> str:
        if isinstance(move, str):
            return move
        hint = f"give one argument for each of {self._names()}, such as state.play(move, move)"
        raise ArgumentTypeError(f"a move must be a text, not a value of type {type(move).__name__}; {hint}")

    def _names(self) -> str:
        return ", ".join(self.roles)

    def searcher(self, config: SearchConfig | str | None = None) -> Searcher:
        """Return a searcher for this state; it keeps its tree between turns.

        Raises:
            ValueError: the game does not support the configuration, such as the number of lanes or an evaluation.
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
        config: SearchConfig | str | None = None,
    ) -> SearchResult:
        """Search this state until the first limit; see `search`.

        Raises:
            ValueError: no limit is given, a limit is negative, or as for `searcher`.
        """
        if simulations is None and seconds is None:
            raise ValueError("no limit of the search is given: simulations=..., seconds=..., or both")
        return self.searcher(config).run(simulations=simulations, seconds=seconds)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as a dictionary for JSON: roles, fluents, moves and goals."""
        legal = self.legal_moves()
        try:
            complete = _packed(self.machine, tuple(self.fluents)) == self.packed
        except (ValueError, UserError):  # a native game in the middle of a turn of its rule sheet
            complete = False
        numbers = None
        if self.machine.numbering is not None:  # else numbers are valid in this process only
            each = enumerate(legal.items())
            numbers = {name: [self.machine.move_number(role, move) for move in moves] for role, (name, moves) in each}
        return {
            "format": _FORMAT,
            "game": self.game.word,
            "rules": self.game.digest,
            "roles": list(self.roles),
            "fluents": self.fluents,
            "complete": complete,
            "terminal": self.is_terminal,
            "legal_moves": {role: list(moves) for role, moves in legal.items()},
            "move_numbers": numbers,
            "goals": self.goals,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], game: Game | None = None) -> State:
        """Return the state of a dictionary that `to_dict` has returned.

        Args:
            data: the dictionary, also after a way through JSON.
            game: the game; None to load it by its word in the dictionary.

        Raises:
            UserError: the dictionary has another format, other rules or no single state; or there is no such game.
        """
        require_type(data, Mapping, "data", "a dictionary as State.to_dict() returns it")
        if data.get("format") != _FORMAT:
            form = data.get("format")
            raise UserError(f"the dictionary has the format {form!r}, not {_FORMAT!r} as of State.to_dict()")
        word, rules = _text(data, "game"), _text(data, "rules")
        if game is None:
            from .. import load_game  # loading a game needs this module

            game = load_game(word)
        machine = _machine_of(game, "any")
        if rules != game.digest:
            raise UserError(f"the state is of other rules than {word}: the digest is {rules}, not {game.digest}")
        fluents = data.get("fluents")
        if not isinstance(fluents, list) or not all(isinstance(fluent, str) for fluent in fluents):
            raise UserError("the key fluents must be a list of texts")
        if data.get("complete") is False:
            raise UserError(f"the fluents of this state of {word} do not determine it; use pickle to store such states")
        try:
            return cls(game, machine, _packed(machine, tuple(fluents)))
        except (ValueError, GdlError, UserError) as error:
            raise UserError(f"the fluents are not a state of {word}: {one_line(error)}") from None

    def to_svg(self) -> str:
        """Return a drawing as an SVG document: the board, or the true fluents if no board can be derived.

        The cells of the turn that led to this state are marked.
        """
        from .drawing.game_drawing import GameDrawing

        before, moves = self._turn or (None, ())
        return GameDrawing(self.machine, self.game.guide, self.game.appearance).svg(self.packed, before, moves)

    def _repr_svg_(self) -> str:
        """Return the drawing for a notebook: light and 320 pixels wide."""
        from .drawing.game_drawing import for_notebook

        return for_notebook(self.to_svg())

    def __str__(self) -> str:
        """Return a drawing as text: a board if one can be derived, else a list of fluents."""
        from .drawing.board import Board

        return "\n".join(Board(self.machine, self.game.guide).draw(self.packed).whole_lines())

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
        turn = None if self._turn is None else (self._content_of(self._turn[0]), self._turn[1])
        return _restored, (self.game, kind, self._content(), turn)

    def _content(self) -> bytes | tuple[str, ...]:
        return self._content_of(self.packed)

    def _content_of(self, packed: bytes) -> bytes | tuple[str, ...]:
        """Return a state without its machine: its fluents; for native games the packed state."""
        return packed if self.game.module is not None else tuple(self.machine.fluents(packed))


# The machines of unpickled states, shared by all states of a game: by game and kind, the latest last.
_MACHINES: dict[tuple[str, str | None, str], CompiledMachine] = {}
_MAX_MACHINES = 16
_MACHINES_LOCK = threading.Lock()


_Content: TypeAlias = bytes | tuple[str, ...]


def _restored(game: Game, kind: MachineKind, content: _Content, turn: tuple[_Content, tuple[str, ...]] | None) -> State:
    machine = _machine_of(game, kind)
    state = State(game, machine, _packed(machine, content))
    state._turn = None if turn is None else (_packed(machine, turn[0]), turn[1])
    return state


def _packed(machine: CompiledMachine, content: _Content) -> bytes:
    packed = content if isinstance(content, bytes) else machine.state(content)
    assert isinstance(packed, bytes)
    return packed


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise UserError(f"the key {key} must be a text, not {value!r}")
    return value


def _machine_of(game: Game, kind: MachineKind) -> CompiledMachine:
    """Return the shared machine of unpickled states of a game."""
    key = (game.address, game.module, kind)
    with _MACHINES_LOCK:
        machine = _MACHINES.get(key)
    if machine is None:
        machine = game.machine(kind)  # takes seconds, so without the lock: two threads may both do it
    with _MACHINES_LOCK:
        machine = _MACHINES.pop(key, machine)  # another thread may have stored one
        _MACHINES[key] = machine
        while len(_MACHINES) > _MAX_MACHINES:
            del _MACHINES[next(iter(_MACHINES))]
    return machine


def listed(moves: Iterable[str]) -> str:
    """List the first moves, and the number of the others."""
    moves = list(moves)
    more = f" and {len(moves) - _MAX_LISTED} more" if len(moves) > _MAX_LISTED else ""
    return ", ".join(moves[:_MAX_LISTED]) + more


def require_rules(game: Game) -> None:
    """Refuse a native game without a rule sheet.

    Raises:
        UserError: the game has no rule sheet.
    """
    if not game.has_rules:
        raise UserError(
            f"{game.word} has no rule sheet, which this command needs; play, search, arena, bench and perft do not"
        )


def _native_game(name: str) -> NativeGame:
    # Imported on first use: most games have rules.
    from .native.registry import native_game

    return native_game(name)


def rules_digest(sheet: RuleSheet) -> str:
    """Return a digest of rules, 16 hexadecimal digits."""
    return hashlib.sha256(str(sheet).encode()).hexdigest()[:16]


def search(
    state: State,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    config: SearchConfig | str | None = None,
) -> SearchResult:
    """Search a state until the first limit; the same as `State.search`.

    Args:
        state: the state to search.
        simulations: the largest number of simulations, at least 0.
        seconds: the longest wall-clock time, at least 0.
        config: the configuration of the search, or a text such as "selection.exploration=0.7"; the default if None.

    Raises:
        ValueError: no limit is given, a limit is negative, or the configuration needs something that this game does
            not have, such as more lanes or an evaluation.
        ArgumentTypeError: an argument has a wrong type.
    """
    require_type(state, State, "state", "a State")
    return state.search(simulations=simulations, seconds=seconds, config=config)


def has_hidden_information(game: Game) -> bool:
    """Return whether a role may not know the state; rules are compiled if needed."""
    return hides_information(game.sheet) and game.machine().hides_information


def require_perfect_information(game: Game, what: str) -> None:
    """Refuse a game in which a role may not know the state."""
    if has_hidden_information(game):
        raise HiddenInformationError(game.word, what)


def added_rules(word: str) -> str:
    """Return the added rules of a native game, or how a game of the catalogue ends; empty if there is nothing to say.

    >>> added_rules("fast:cannon")
    'a draw after 1,000 moves'
    >>> added_rules("connect_four")
    'The game ends with the first line of four, or when all seven columns are full.'
    """
    if word.startswith(NATIVE_PREFIX):
        return _native_game(word.removeprefix(NATIVE_PREFIX)).added_rules
    return " ".join(guide(word).end.split()) if word in catalogue() else ""


def move_limit(word: str) -> int:
    """Return the number of moves after which every game ends; 0 if no rule limits it, or for a rule sheet.

    >>> move_limit("fast:go_9x9"), move_limit("connect_four")
    (162, 0)
    """
    return _native_game(word.removeprefix(NATIVE_PREFIX)).move_limit if word.startswith(NATIVE_PREFIX) else 0


def turn_limit(game: Game) -> int | None:
    """Return the number of turns that no match of a game exceeds; None if it is unknown.

    It is known for native games with a limit, and for the rules of the catalogue.

    >>> from ggp_agent.game.load import load_game
    >>> turn_limit(load_game("fast:go_9x9")), turn_limit(load_game("connect_four"))
    (162, 42)
    """
    limit = move_limit(game.word)
    if limit or game.guide is None:
        return limit or None
    name = game.name if game.module is None else _native_game(game.module).reference_sheet
    return catalogue()[name].max_turns
