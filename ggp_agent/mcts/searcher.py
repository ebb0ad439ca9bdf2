"""Monte-Carlo tree search of one match: the Python interface of the C++ search.

>>> from gdl import NetworkMachine, parse_sheet
>>> machine = NetworkMachine(parse_sheet('''
...     (role left) (role right) (init (turn 0)) (legal left stay) (legal left go) (legal right stay)
...     (<= (next (turn 1)) (true (turn 0)) (does left stay)) (<= (next (turn 2)) (true (turn 0)) (does left go))
...     (<= terminal (true (turn 1))) (<= terminal (true (turn 2)))
...     (<= (goal left 100) (true (turn 2))) (<= (goal left 0) (not (true (turn 2)))) (goal right 50)'''))
>>> searcher = Searcher(machine, SearchConfig(in_flight=8))
>>> statistics = searcher.run(simulations=1000)
>>> statistics.best, statistics.bounds
(('go', 'stay'), {'left': (100, 100), 'right': (50, 50)})
>>> statistics.moves["left"][0].value
100.0
>>> searcher.advance(["go", "stay"])
>>> searcher.statistics().terminal, searcher.statistics().values
(True, {'left': 100.0, 'right': 50.0})
"""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from gdl import CompiledMachine, LaneSimulator, MachineState
from gdl.files import write_whole

from .. import _search
from ..common.errors import HiddenInformationError, UserError, describe_os_error, require_network, require_type
from ..common.one_at_a_time import OneAtATime
from ..evaluation import FOUND, LEARNED
from ..evaluation.evaluation_file import add_evaluation_file
from ..evaluation.found_evaluation import load_found
from ..evaluation.learned_network import load_learned
from . import tree_file
from .config import SearchConfig, lanes_for
from .configurations import as_configuration
from .limits import Limits
from .search_result import RootStatistics, SearchResult, in_words
from .search_tree import TreeNode, list_nodes
from .tree_file import TreeHeader

# Search one position in several threads, each with its own tree (root parallelization).
#
# Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search", CG 2008: no thread waits for another. Equal
# seeds and equal numbers of simulations give equal trees.

# Returns the simulator to use instead of a simulator of a machine.
WrapSimulator: TypeAlias = Callable[[CompiledMachine, LaneSimulator], LaneSimulator]


def make_trees(
    machine: CompiledMachine, config: SearchConfig, isa: str | None = None, wrap: WrapSimulator | None = None
) -> list[_search.Searcher]:
    """Make one searcher for each thread of a configuration.

    The threads share the memory limit equally. The first tree uses the seed of the configuration; the seeds of the
    others are drawn from it.
    """
    load_evaluation(machine, config)
    threads = config.threads or 1
    in_flight = config.in_flight or machine.in_flight
    lanes = None if in_flight is None else lanes_for(in_flight)
    seeds = random.Random(config.seed)
    simulators = [machine.simulator(lanes, isa) for _ in range(threads)]
    return [
        _search.Searcher(
            simulator if wrap is None else wrap(machine, simulator),
            replace(
                config,
                in_flight=in_flight,
                seed=seeds.getrandbits(64) if number else config.seed,
                memory_mb=max(1, config.memory_mb // threads),
            ),
        )
        for number, simulator in enumerate(simulators)
    ]


def run_trees(trees: Sequence[_search.Searcher], limits: Limits) -> RootStatistics:
    """Search up to the limits and return the merged statistics; the first tree runs in the thread of the caller.

    The number of simulations is divided among the threads. Limits of time apply to each thread.
    """
    first, *others = trees
    if not others:
        return first.run(limits)
    simulations, stopped = limits.simulations, limits.stopped
    ended = threading.Event()
    if stopped is not None and stopped():
        ended.set()
    errors: list[BaseException] = []

    def end() -> None:
        # The event ends a run that has not begun yet, the call a run that has begun.
        ended.set()
        for tree in trees:
            tree.stop()

    def run_beside(tree: _search.Searcher, share: int | None) -> None:
        try:
            if tree.run(replace(limits, simulations=share, settled_role=None, stopped=ended.is_set)).is_proven:
                end()
        except BaseException as error:  # raised again by the waiting thread
            errors.append(error)
            end()

    shares = [None] * len(trees) if simulations is None else _shares(simulations, len(trees))
    threads = [
        threading.Thread(target=run_beside, args=each, name="search", daemon=True)
        for each in zip(others, shares[1:], strict=True)
    ]
    own = replace(limits, simulations=shares[0], stopped=lambda: ended.is_set() or (stopped is not None and stopped()))
    complete = False
    try:
        for thread in threads:
            thread.start()
        found = first.run(own)
        complete = simulations is not None and found.simulations == shares[0] and not found.is_proven
    finally:
        if not complete:
            end()
        for thread in threads:
            if thread.ident is not None:  # Ctrl-C may come before all threads have started
                thread.join()
    if errors:
        raise errors[0]
    return _search.merged(trees)


def tree_hash(trees: Sequence[_search.Searcher]) -> int:
    """Return 64 bits over all trees; for a single tree its own hash."""
    hashes = [tree.tree_hash() for tree in trees]
    return hashes[0] if len(hashes) == 1 else random.Random(repr(hashes)).getrandbits(64)


def _shares(simulations: int, threads: int) -> list[int | None]:
    """Divide a number of simulations among threads.

    >>> _shares(10, 4)
    [3, 3, 2, 2]
    """
    least, more = divmod(simulations, threads)
    return [least + (number < more) for number in range(threads)]


class HasMachine(Protocol):
    """Something with a state machine, such as a `State`."""

    machine: CompiledMachine


class Searcher:
    """Search the tree of one match; the tree is kept from move to move.

    With more than one thread each thread searches its own tree with its own seed. Results are the merged statistics of
    all trees.

    `copy.copy`, `copy.deepcopy` and `pickle` make a searcher that continues like this one, and independently of it;
    `save` and `load` use a file. All of them keep the whole search: all nodes with their statistics and proofs, the
    tables of shared nodes, random numbers, and what play-outs have learned. A searcher on a reasoner can be copied, but
    not pickled or saved, because the reasoner numbers states and moves as it meets them.

    Any thread may call `stop`, `statistics`, `best_move`, `root` and `in_flight` at any time. All other methods raise
    RuntimeError while another call of one of them is running. Searchers of one machine are independent.
    """

    def __init__(
        self,
        machine: CompiledMachine,
        config: SearchConfig | str | None = None,
        *,
        isa: str | None = None,
        wrap: WrapSimulator | None = None,
    ) -> None:
        """Start at the initial state of a machine, on the given instruction set or the best available one.

        Args:
            machine: the state machine of the game.
            config: the configuration, or a text such as "selection.exploration=0.7"; the default if None.
            isa: the instruction set; None for the best available.
            wrap: returns the simulator to use instead of a simulator of the machine.

        Raises:
            ArgumentTypeError: the configuration is neither a `SearchConfig` nor a text.
            UserError: the text is not a configuration.
            HiddenInformationError: the game hides information from its players (GDL-II).
            ValueError: the machine has too few lanes for `config.in_flight`, or no kernel for the instruction set.
        """
        self.config = as_configuration(config)
        if machine.hides_information:
            raise HiddenInformationError(machine.sheet.source, "Searcher, unlike HiddenSearcher,")
        self._machine = machine
        self._isa = isa
        self._roles = machine.roles
        self._wrap = wrap
        self._trees = make_trees(machine, self.config, isa, wrap)
        self._root: MachineState = machine.initial()
        self._use = OneAtATime("the search is running: stop it first")
        # Held while the trees move to another root, so that `statistics` never merges trees of different roots.
        self._moving = threading.RLock()

    # ---- copies and files

    def save(self, path: str | Path) -> None:
        """Store the whole search in a file, which `load` reads; see `tree_file` for its format.

        The file has about the size of the tree in memory. A file of the same name is replaced when it is complete.

        Raises:
            UserError: the file cannot be written, or the game is played by the reasoner.
            RuntimeError: another call is running.
        """
        try:
            write_whole(Path(path), self._packed())
        except OSError as error:
            raise UserError(describe_os_error(error)) from None

    @classmethod
    def load(
        cls, path: str | Path, machine: CompiledMachine | HasMachine, config: SearchConfig | str | None = None
    ) -> Searcher:
        """Return a searcher that continues a stored search like the original.

        Load only files that you trust: the digest of a file detects damage, but not a forged tree.

        Args:
            path: a file that `save` has written.
            machine: the machine of the game, or a state of the game; the root is the stored one in any case.
            config: the configuration, which must be the stored one; None to use the stored one.

        Raises:
            UserError: the file cannot be read, is truncated, damaged, or of another kind, version, game or
                configuration.
        """
        if not isinstance(machine, CompiledMachine):
            machine = getattr(machine, "machine", machine)
            require_type(machine, CompiledMachine, "machine", "a state machine or a state")
        assert isinstance(machine, CompiledMachine)
        known = None if config is None else as_configuration(config)
        return cls._unpacked(tree_file.read(Path(path)), str(path), machine, known)

    def _packed(self) -> bytes:
        """Return the whole search as the bytes of a file."""
        if (numbering := self._machine.numbering) is None:
            raise UserError("a search by the reasoner can be copied in its process, but not pickled or saved")
        if self._wrap is not None:
            raise UserError("a search with Python functions can be copied in its process, but not pickled or saved")
        with self._use:
            trees = [tree.dump() for tree in self._trees]
            hashed = tree_hash(self._trees)
        sizes = tuple(map(len, trees))
        header = TreeHeader(numbering, self._roles, self.config.to_toml(), sizes, hashed)
        return tree_file.pack(header, trees)

    @classmethod
    def _unpacked(cls, data: bytes, source: str, machine: CompiledMachine, config: SearchConfig | None) -> Searcher:
        header, trees = tree_file.unpack(data, source)
        if machine.numbering != header.numbering:
            stored = " and ".join(header.roles)
            raise UserError(
                f"{source}: the search tree, of a game of {stored}, belongs to other rules or to another "
                "version of the state machine"
            )
        if config is not None and config.to_toml() != header.config:
            stored_lines = set(header.config.splitlines())
            other = next((line for line in config.to_toml().splitlines() if line not in stored_lines), "a key")
            raise UserError(f"{source}: the search tree has another configuration; {other} is not the stored value")
        made = cls(machine, config or SearchConfig.from_toml(header.config, source=source))
        try:
            made._restore(trees)
        except ValueError as error:
            raise UserError(f"{source}: the search tree cannot be read: {error}") from None
        if tree_hash(made._trees) != header.tree_hash:
            raise UserError(f"{source}: the search tree cannot be read: its nodes have other values")
        return made

    def _restore(self, trees: Sequence[bytes | memoryview]) -> None:
        for tree, data in zip(self._trees, trees, strict=True):
            tree.restore(data)
        self._root = self._trees[0].root_state

    def __copy__(self) -> Searcher:
        return self.__deepcopy__()

    def __deepcopy__(self, _: object = None) -> Searcher:
        with self._use:
            trees = [tree.dump() for tree in self._trees]
        made = Searcher(self._machine, self.config, isa=self._isa, wrap=self._wrap)
        made._restore(trees)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._packed(), self._machine)

    @property
    def in_flight(self) -> int:
        """The number of simulations in progress per tree in the latest run; before the first run the largest number."""
        return self._trees[0].in_flight

    @property
    def root(self) -> MachineState:
        """The state at the root."""
        return self._root

    def set_root(self, state: MachineState) -> None:
        """Discard the tree and start at a state of the machine, with the random numbers of the seed.

        Raises:
            ValueError: the bytes are not a state of this game.
            TypeError: the state is not `bytes`.
            RuntimeError: another call is running.
        """
        if not isinstance(state, bytes):
            raise TypeError(f"a state of a compiled machine is bytes, not {type(state).__name__}")
        with self._use, self._moving:
            for tree in self._trees:
                tree.set_root(state)
            self._root = state

    def advance(self, moves: Sequence[str]) -> None:
        """Play a joint move at the root and keep the part of the tree after it.

        Takes constant time; later runs free the rest of the tree.

        Args:
            moves: one legal move per role as KIF, in role order.

        Raises:
            ValueError: the number of moves is wrong, a move is not legal, or the game is over; the root does not
                change.
            RuntimeError: another call is running.
        """
        if len(moves) != len(self._roles):
            raise ValueError(f"a joint move has {len(self._roles)} moves, one per role, not {len(moves)}")
        with self._use:
            self._advance(moves)

    def _advance(self, moves: Sequence[str]) -> None:
        known = _search.merged(self._trees)
        if known.terminal:
            raise ValueError("the game is over: no move can be played")
        numbers = [self._machine.move_number(role, move) for role, move in enumerate(moves)]
        for role, number in enumerate(numbers):
            if number not in known.roles[role].moves["move"]:
                raise ValueError(f"{moves[role]} is not a legal move of {self._roles[role]} at the root")
        with self._moving:
            for tree in self._trees:
                tree.advance(numbers)
            self._root = self._trees[0].root_state

    def run(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        cpu_seconds: float | None = None,
        settled: str | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> SearchResult:
        """Search until the first limit is reached; without limits, until `stop`.

        Returns at once if the root is terminal or no role has a choice, and as soon as the goals of all roles that have
        a choice are proven. Simulations in progress at the end of the time are not counted, so one long run learns more
        than many short ones. Other Python threads run meanwhile. Ctrl-C ends a run in the main thread as usual.

        Args:
            simulations: number of simulations to complete exactly, at least 0.
            seconds: wall-clock time, at least 0; exceeded by less than one turn of all lanes.
            cpu_seconds: processor time of this thread; other programs do not affect it.
            settled: name of a role; the run ends if its best move can no longer change and the root has received a
                quarter of the simulations of a whole run, checked ten times per second, unless `SearchConfig.settle`
                is false. Simulations from earlier roots do not count.
            stopped: called before the run and ten times per second; the run ends if it returns true. Unlike `stop`, it
                works also just before a run begins.

        Raises:
            ValueError: a limit is negative or NaN, or there is no such role.
            ArgumentTypeError: the number of simulations is not an integer, or a time is not a number.
            RuntimeError: another call is running.
            MemoryError: memory ran out although the tree is within its limit; the tree stays usable.
        """
        role = None if settled is None else self._role_number(settled)
        limits = Limits(simulations, seconds, cpu_seconds, None if self.config.settle is False else role, stopped)
        with self._use:
            found = run_trees(self._trees, limits)
        return in_words(found, self._machine)

    def stop(self) -> None:
        """End the current run, if any, within a turn of the lanes; callable from any thread."""
        for tree in self._trees:
            tree.stop()

    def statistics(self) -> SearchResult:
        """Return the statistics of the root; during a run they are at most about 0.1 s old."""
        with self._moving:
            found = _search.merged(self._trees)
        return in_words(found, self._machine)

    def statistics_behind(self, path: Sequence[Sequence[str]]) -> SearchResult:
        """Return the statistics of a state after the root, without moving the root.

        Args:
            path: joint moves from the root to the state, each with one legal move per role.

        Raises:
            ValueError: a joint move is not legal in its state.
            RuntimeError: another call is running.
        """
        with self._use:
            return self._statistics_behind(path)

    def _statistics_behind(self, path: Sequence[Sequence[str]]) -> SearchResult:
        state = self.root
        for moves in path:
            if self._machine.terminal(state):
                raise ValueError("the game is over before the last of the given moves")
            for role, move in zip(self._roles, moves, strict=True):
                if not self._machine.is_legal(state, role, move):
                    raise ValueError(f"{move} is not a legal move of {role} in its state")
            state = self._machine.next(state, moves)
        numbers = [[self._machine.move_number(role, move) for role, move in enumerate(moves)] for moves in path]
        assert isinstance(state, bytes)
        return in_words(_search.merged_behind(self._trees, numbers, state), self._machine)

    def tree(self, max_nodes: int = 1_000) -> list[TreeNode]:
        """Return the most visited nodes of the tree, the root first; a parent precedes its children.

        Args:
            max_nodes: maximal number of nodes, at least 1.

        Raises:
            ValueError: `max_nodes` is below 1.
            RuntimeError: another call is running.
        """
        with self._use:
            return list_nodes(self._trees, self._machine, self._root, max_nodes)

    def best_move(self, role: str) -> str:
        """Return the best move of a role: the first of `SearchResult.moves`.

        Raises:
            ValueError: there is no such role, or the root is terminal.
        """
        number = self._role_number(role)
        statistics = self.statistics()
        if statistics.terminal:
            raise ValueError(f"the game is over: {role} has no move")
        return statistics.best[number]

    def best_line(self, seconds: float = math.inf) -> tuple[int, tuple[str, ...]] | None:
        """Return the best line from the root that simulations have found, in a game of one role.

        Simulations that played out by rank or by an evaluation are not considered (`csrc/search/driver/best_line.hpp`).

        Args:
            seconds: time limit for replaying the line of each thread; a line that takes longer is left out.

        Returns:
            Goal of the line, 0..100, and its moves as KIF up to the end of the game; None without a line, or in games
            of several roles.

        Raises:
            RuntimeError: another call is running.
        """
        with self._use:
            lines = [tree.best_line(seconds) for tree in self._trees]
        goal, moves = max(lines, key=lambda line: line[0])
        return (goal, tuple(self._machine.move_name(0, move) for move in moves)) if moves else None

    def tree_hash(self) -> int:
        """Return 64 bits over structure, moves, visits and rewards of the whole tree.

        Raises:
            RuntimeError: another call is running.
        """
        with self._use:
            return tree_hash(self._trees)

    def _role_number(self, role: str) -> int:
        if role not in self._roles:
            raise ValueError(f"there is no role {role}; the roles are {', '.join(self._roles)}")
        return self._roles.index(role)


def _unpickled(data: bytes, machine: CompiledMachine) -> Searcher:
    return Searcher._unpacked(data, "pickle", machine, None)


def load_evaluation(machine: CompiledMachine, config: SearchConfig) -> None:
    """Add the evaluation of a configuration, read from a file or found for the game, to a machine that lacks it."""
    if config.evaluation.name == FOUND:
        load_found(machine)
    if config.evaluation.name == LEARNED:
        load_learned(machine)
    path = config.evaluation.file
    if not config.evaluation.is_read or path in machine.evaluations:
        return
    add_evaluation_file(require_network(machine, f"evaluation.file = {path}"), path)
