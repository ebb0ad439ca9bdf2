"""Play matches between configurations in this process: side by side, or one after the other if time is limited."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from gdl import CompiledMachine, LaneSimulator, MachineState
from gdl.machines.lane_widths import LANE_WIDTHS

from .. import _search
from ..common.errors import HiddenInformationError
from ..mcts.config import SearchConfig, lanes_for
from ..mcts.in_flight import fitting_in_flight
from ..mcts.limits import Limits
from ..mcts.load_evaluation import load_evaluation
from .adjudication import NEVER, AdjudicationRules
from .arena_match import ArenaMatch
from .match_plan import MatchPlan
from .match_result import MatchResult, random_opening
from .text_contestant import TextContestant


class LaneBlocks:
    """Divide lanes into blocks for searches with given numbers of simulations in flight.

    If all searches have the same number, there are as many blocks as fit. Otherwise each number gets about the same
    number of lanes; if they do not fit together, all searches take turns in one block.

    >>> blocks = LaneBlocks([100, 20, 100], 256)
    >>> blocks.lanes, blocks.count, blocks.free
    (256, 7, {100: [0], 20: [100, 120, 140, 160, 180, 200]})
    >>> LaneBlocks([1], 256, 3).free
    {1: [0, 1, 2]}
    >>> blocks = LaneBlocks([512, 8], 256)
    >>> blocks.lanes, blocks.count, blocks.free
    (512, 1, {512: [0], 8: [0]})
    """

    def __init__(self, flights: Iterable[int], preferred: int, most: int = LANE_WIDTHS[-1]) -> None:
        widths = sorted(set(flights), reverse=True)
        part = max(preferred // len(widths), widths[0])
        self.free: dict[int, list[int]] = {}  # first lanes of the free blocks, by number in flight
        used = 0
        for width in widths:
            blocks = max(1, min(most, part // width))
            self.free[width] = [used + width * block for block in range(blocks)]
            used += width * blocks
        self.count = sum(map(len, self.free.values()))  # number of searches that can run at once
        if used > LANE_WIDTHS[-1]:
            used, self.count = widths[0], 1
            only = [0]
            self.free = dict.fromkeys(widths, only)
        self.lanes = lanes_for(used)  # number of lanes that the simulator needs


# Memory limit of the trees of all matches side by side in one process, and the estimated memory of a simulation.
_TREES_BYTES = 1 << 30
_SIMULATION_BYTES = 400
# Memory limit of the reply forests of all matches side by side in one process, and the estimated memory of a forest at
# the end of a match for each simulation per move (measured in Go).
_FORESTS_BYTES = 4 << 30
_FOREST_BYTES = 100_000
# Limit for machines whose time is proportional to the lanes: more matches would not be faster, only their results
# later.
_SEATS_WHERE_LANES_COST = 16


@dataclass(frozen=True, slots=True)
class Contestant:
    """A configuration with its limit for each move: simulations or milliseconds, one of the two.

    >>> Contestant("a", SearchConfig(), simulations=100).simulations
    100
    >>> Contestant("a", SearchConfig())
    Traceback (most recent call last):
    ...
    ValueError: a contestant needs simulations or milliseconds, one of the two
    """

    name: str  # name in results
    config: SearchConfig  # configuration of the search. Its seed is ignored: every match has its own seeds
    simulations: int | None = None  # number of new simulations per move, at least 1
    milliseconds: float | None = None  # processor time of one thread per move, above 0

    def __post_init__(self) -> None:
        if (self.simulations is None) == (self.milliseconds is None):
            raise ValueError("a contestant needs simulations or milliseconds, one of the two")
        if self.simulations is not None and self.simulations < 1:
            raise ValueError(f"simulations must be at least 1, not {self.simulations}")
        if self.milliseconds is not None and not (math.isfinite(self.milliseconds) and self.milliseconds > 0):
            raise ValueError(f"milliseconds must be above 0, not {self.milliseconds}")
        if (self.config.threads or 1) > 1:
            raise ValueError(f"a contestant searches in one thread: leave out threads = {self.config.threads}")


AnyContestant = Contestant | TextContestant


@dataclass(frozen=True, slots=True)
class Arena:
    """The common parameters of all matches."""

    machine: CompiledMachine  # the machine of the game
    # Contestants in the order of their numbers in plans; all searches are limited by simulations or all by time. Text
    # players play in `TextArena` only.
    contestants: tuple[AnyContestant, ...]
    opening_plies: int = 0  # number of random joint moves at the beginning, the same moves for a whole round
    # Simulations in flight for configurations that do not set it. None: 1 if simulations are limited; if time is
    # limited, the number of the machine or the number that fits the time (`mcts/in_flight.py`).
    in_flight: int | None = None
    start: MachineState | None = None  # the state in which matches begin; None for the initial state
    adjudication: AdjudicationRules = NEVER  # the conditions under which a match ends before its terminal state
    # Simulations in flight by milliseconds; copies with another start share them.
    _fitting: dict[float, int | None] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for contestant in self._search_contestants():
            load_evaluation(self.machine, contestant.config)
        if len({contestant.simulations is None for contestant in self._search_contestants()}) > 1:
            raise ValueError("either all contestants count simulations, or all milliseconds")
        self._check_game()

    def _check_game(self) -> None:
        """Refuse games with hidden information, which `HiddenArena` plays, and text players."""
        if self.machine.hides_information:
            raise HiddenInformationError(self.machine.sheet.source, "this arena")
        if len(self._search_contestants()) < len(self.contestants):
            raise ValueError("text players do not play in this arena")

    def _search_contestants(self) -> list[Contestant]:
        """Return the contestants that search."""
        return [contestant for contestant in self.contestants if isinstance(contestant, Contestant)]

    def search_contestant(self, number: int) -> Contestant:
        """Return a contestant that searches."""
        contestant = self.contestants[number]
        if not isinstance(contestant, Contestant):
            raise TypeError(f"contestant {contestant.name} is a text player")
        return contestant

    @property
    def timed(self) -> bool:
        """Whether time is limited instead of simulations."""
        return any(contestant.simulations is None for contestant in self._search_contestants())

    def flights(self, contestant: int) -> int | None:
        """Return the number of simulations in flight of a contestant; None for the number of lanes."""
        own = self.search_contestant(contestant).config.in_flight
        return own or self.in_flight or (None if self.timed else 1)

    def config(self, plan: MatchPlan, role: int) -> SearchConfig:
        """Return the configuration that plays a role, with the seed of this role in this round."""
        seat = plan.seats[role]
        assert seat is not None
        seed = plan.stream(f"role {role}").getrandbits(63)
        return replace(self.search_contestant(seat).config, seed=seed, in_flight=self.flights(seat))

    def opening(self, plan: MatchPlan, referee: LaneSimulator) -> list[tuple[int, ...]]:
        """Return the opening of a round."""
        return random_opening(referee, self._first(referee), self.opening_plies, plan.stream("opening"))

    def _first(self, referee: LaneSimulator) -> bytes:
        """Return the state in which matches begin."""
        if self.start is None:
            return referee.initial
        assert isinstance(self.start, bytes)
        return self.start

    def _match(
        self,
        plan: MatchPlan,
        referee: LaneSimulator,
        searchers: Mapping[int, _search.Searcher],
        opening: Sequence[tuple[int, ...]],
    ) -> ArenaMatch:
        first = self._first(referee)
        return ArenaMatch(plan, self.machine, referee, searchers, first, opening, self.adjudication)

    def seats_side_by_side(self, matches: int) -> int:
        """Return the number of matches to play at once in a process, at most `matches`, within lanes and memory."""
        if self.timed:
            return 1
        simulations = max(contestant.simulations or 0 for contestant in self._search_contestants())
        trees = _TREES_BYTES // (_SIMULATION_BYTES * simulations * len(self.machine.roles))
        most = min(trees, matches)
        if forests := sum(map(self._forest_bytes, self._search_contestants())):
            most = min(most, _FORESTS_BYTES // forests)
        if self.machine.in_flight is not None:
            most = min(most, _SEATS_WHERE_LANES_COST)
        return max(1, min(most, LaneBlocks(self._all_flights(), self.machine.simulator().lanes).count))

    @staticmethod
    def _forest_bytes(contestant: Contestant) -> int:
        """Return the estimated memory of the reply forest of a contestant in one match; 0 if it has none."""
        playout = contestant.config.playout
        if playout.policy != "bhrf":
            return 0
        return min(playout.forest.memory_mb << 20, _FOREST_BYTES * (contestant.simulations or 0))

    def _fitting_in_flight(self, contestant: int) -> int | None:
        """Return the number of simulations in flight that fits the time of a contestant, measured once per time."""
        milliseconds = self.search_contestant(contestant).milliseconds
        assert milliseconds is not None
        if milliseconds not in self._fitting:
            self._fitting[milliseconds] = fitting_in_flight(self.machine, milliseconds / 1000)
        return self._fitting[milliseconds]

    def _all_flights(self) -> list[int]:
        return [self.flights(contestant) or 1 for contestant in range(len(self.contestants))]

    def play(self, plans: Iterable[MatchPlan], seats: int, moved: Callable[[int], None]) -> Iterator[MatchResult]:
        """Play matches as they are requested and yield each result."""
        return self._play_timed(plans, moved) if self.timed else self._play_side_by_side(plans, seats, moved)

    def _play_side_by_side(
        self, plans: Iterable[MatchPlan], seats: int, moved: Callable[[int], None]
    ) -> Iterator[MatchResult]:
        blocks = LaneBlocks(self._all_flights(), self.machine.simulator().lanes, seats)
        referee = self.machine.simulator(64)
        searches = _search.SideBySide(self.machine.simulator(blocks.lanes), self.machine.simulator(64))
        remaining = iter(plans)
        free_seats = seats
        waiting: dict[int, deque[tuple[ArenaMatch, int]]] = {flight: deque() for flight in blocks.free}
        running: dict[_search.Searcher, tuple[ArenaMatch, int, int]] = {}

        def start() -> None:
            """Start the waiting searches for which there are lanes, the longest waiting first."""
            for flight, line in waiting.items():
                while line and blocks.free[flight]:
                    match, role = line.popleft()
                    lane = blocks.free[flight].pop()
                    searcher = match.searchers[role]
                    running[searcher] = match, role, lane
                    searches.start(searcher, lane, self._simulations(match.plan, role))

        def go_on(match: ArenaMatch) -> Iterator[MatchResult]:
            """Queue the next search of a match, or yield its result."""
            nonlocal free_seats
            role = match.next_role()
            if role is None:
                free_seats += 1
                yield match.result()
            else:
                waiting[match.searchers[role].in_flight].append((match, role))

        while True:
            begun = 0
            for plan in islice(remaining, free_seats):
                begun += 1
                free_seats -= 1
                opening = self.opening(plan, referee)
                searchers = {
                    role: searches.searcher(self.config(plan, role))
                    for role, seat in enumerate(plan.seats)
                    if seat is not None
                }
                yield from go_on(self._match(plan, referee, searchers, opening))
            start()
            if not running and begun == 0:
                return
            for searcher in searches.run(None):
                match, role, lane = running.pop(searcher)
                blocks.free[searcher.in_flight].append(lane)
                match.decide(role, searcher.statistics())
                moved(1)
                yield from go_on(match)

    def _simulations(self, plan: MatchPlan, role: int) -> int:
        seat = plan.seats[role]
        assert seat is not None
        simulations = self.search_contestant(seat).simulations
        assert simulations is not None
        return simulations

    def _play_timed(self, plans: Iterable[MatchPlan], moved: Callable[[int], None]) -> Iterator[MatchResult]:
        referee = self.machine.simulator(64)
        for plan in plans:
            searchers = {
                role: self._lone_searcher(self.config(plan, role), seat)
                for role, seat in enumerate(plan.seats)
                if seat is not None
            }
            opening = self.opening(plan, referee)
            match = self._match(plan, referee, searchers, opening)
            while (role := match.next_role()) is not None:
                seat = plan.seats[role]
                assert seat is not None
                started = time.thread_time()
                found = searchers[role].run(self.limits(seat))
                match.decide(role, found, time.thread_time() - started)
                moved(1)
            yield match.result()

    def limits(self, contestant: int) -> Limits:
        """Return the limits of one move of a contestant."""
        one = self.search_contestant(contestant)
        if one.milliseconds is None:
            return Limits(simulations=one.simulations)
        return Limits(cpu_seconds=one.milliseconds / 1000)

    def _lone_searcher(self, config: SearchConfig, contestant: int) -> _search.Searcher:
        in_flight = config.in_flight or self.machine.in_flight or self._fitting_in_flight(contestant)
        lanes = None if in_flight is None else lanes_for(in_flight)
        return _search.Searcher(self.machine.simulator(lanes), replace(config, in_flight=in_flight))
