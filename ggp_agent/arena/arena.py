"""Play matches between contestants in this process: side by side if all search an open game with limited simulations.

Other matches are played one after the other: if time is limited, if a text player takes part, or if the game hides
information. A random legal move replaces a missing or invalid answer of a text player.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from gdl import CompiledMachine, LaneSimulator, MachineState

from .. import _search
from ..common.errors import UserError
from ..game.game import Game, State, has_hidden_information
from ..game.play import at_random, drawn_opening
from ..mcts.config import SEEING, SearchConfig, lanes_for
from ..mcts.limits import Limits, fitting_in_flight
from ..mcts.searcher import load_evaluation
from ..mcts.side_by_side import GameSearches, LaneBlocks, play_side_by_side
from .adjudication import NEVER, AdjudicationRules
from .arena_match import ArenaMatch
from .match_result import MatchPlan, MatchResult
from .program_player import ProgramPlayer, TextContestant
from .role_players import RoleChoice, RolePlayer, SearchPlayer, WaitingPlayer

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
    # Contestants in the order of their numbers in plans; all searches are limited by simulations or all by time.
    contestants: tuple[AnyContestant, ...]
    opening_plies: int = 0  # number of random joint moves at the beginning, the same moves for a whole round
    # Simulations in flight for configurations that do not set it. None: 1 if simulations are limited; if time is
    # limited, the number of the machine or the number that fits the time (`mcts/limits.py`).
    in_flight: int | None = None
    start: MachineState | None = None  # the packed state in which matches begin; None for the initial state
    adjudication: AdjudicationRules = NEVER  # the conditions under which a match ends before its terminal state
    game: Game | None = None  # the game in requests to text players; None to name it after its source
    samples: bool = False  # whether results have statistics of simulations
    # Called with each choice of a player before it is played: the match, the number of the role, and the choice.
    on_choice: Callable[[ArenaMatch, int, RoleChoice], None] | None = field(default=None, repr=False, compare=False)
    # Simulations in flight by milliseconds; copies with another start share them.
    _fitting: dict[float, int | None] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for contestant in self._search_contestants():
            load_evaluation(self.machine, contestant.config)
        if len({contestant.simulations is None for contestant in self._search_contestants()}) > 1:
            raise ValueError("either all contestants count simulations, or all milliseconds")
        if self.start is not None or self.adjudication != NEVER:
            for unfit, what in (
                (self._has_text_players, "a comparison with text players"),
                (self.machine.hides_information, "a game with hidden information"),
            ):
                if unfit:
                    raise ValueError(f"{what} has neither another start nor adjudication")

    @property
    def _initial(self) -> State:
        return State(self.game or game_of(self.machine), self.machine, self.machine.initial())

    @property
    def _has_text_players(self) -> bool:
        return len(self._search_contestants()) < len(self.contestants)

    @property
    def _is_side_by_side(self) -> bool:
        """Whether matches are played side by side."""
        return not (self.timed or self._has_text_players or self.machine.hides_information)

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
        seat, seed = plan.contestant(role), plan.stream(f"role {role}").getrandbits(63)
        return replace(self.search_contestant(seat).config, seed=seed, in_flight=self.flights(seat))

    def opening(self, plan: MatchPlan) -> list[tuple[int, ...]]:
        """Return the opening of a round, uniformly among the joint moves that do not end the game."""
        opening = drawn_opening(self.machine, at_random(plan.stream("opening")), self.opening_plies, self.start)
        if opening is None:
            raise ValueError(f"an opening of {self.opening_plies} plies ends the game; choose a smaller number")
        return [tuple(map(self.machine.move_number, range(len(joint)), joint)) for joint in opening]

    def match(self, plan: MatchPlan, referee: LaneSimulator, players: Mapping[int, RolePlayer]) -> ArenaMatch:
        """Return a new match between players, after its opening."""
        first, opening = self.start or referee.initial, self.opening(plan)
        assert isinstance(first, bytes)
        if first != referee.initial:
            for player in players.values():
                if isinstance(player, SearchPlayer):
                    player.searcher.set_root(first)
        return ArenaMatch(plan, self.machine, referee, players, opening, first, self.adjudication)

    def players(
        self, plan: MatchPlan, searcher: Callable[[SearchConfig], _search.Searcher] | None = None
    ) -> dict[int, RolePlayer]:
        """Return a new player for each role except chance, by the number of the role.

        `searcher` makes the searcher of a configuration; None for a searcher with a simulator of its own.
        """
        return {role: self._player(plan, role, searcher) for role, seat in enumerate(plan.seats) if seat is not None}

    def _player(
        self, plan: MatchPlan, role: int, searcher: Callable[[SearchConfig], _search.Searcher] | None
    ) -> RolePlayer:
        contestant = self.contestants[plan.contestant(role)]
        if isinstance(contestant, TextContestant):
            return ProgramPlayer(self._initial, role, contestant)
        config = self.config(plan, role)
        if self.machine.hides_information and config.hidden.method != SEEING:
            return WaitingPlayer(self._initial, role, config.hidden, config.seed)
        found = self._lone_searcher(config, contestant) if searcher is None else searcher(config)
        return SearchPlayer(self.machine, role, found, samples=self.samples)

    def _decide(self, match: ArenaMatch, role: int, choice: RoleChoice, cpu_seconds: float = 0.0) -> None:
        if self.on_choice is not None:
            self.on_choice(match, role, choice)
        match.decide(role, choice, cpu_seconds)

    def seats_side_by_side(self, matches: int) -> int:
        """Return the number of matches to play at once in a process, at most `matches`, within lanes and memory."""
        if not self._is_side_by_side:
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

    def _all_flights(self) -> list[int]:
        return [self.flights(contestant) or 1 for contestant in range(len(self.contestants))]

    def play(self, plans: Iterable[MatchPlan], seats: int, moved: Callable[[int], None]) -> Iterator[MatchResult]:
        """Play matches as they are requested and yield each result."""
        return (
            self._play_side_by_side(plans, seats, moved) if self._is_side_by_side else self._play_in_turn(plans, moved)
        )

    def _play_side_by_side(
        self, plans: Iterable[MatchPlan], seats: int, moved: Callable[[int], None]
    ) -> Iterator[MatchResult]:
        blocks = LaneBlocks(self._all_flights(), self.machine.simulator().lanes, seats)
        referee = self.machine.simulator(64)
        searches = _search.SideBySide(self.machine.simulator(blocks.lanes), self.machine.simulator(64))

        def match(plan: MatchPlan) -> GameSearches[MatchResult]:
            match = self.match(plan, referee, self.players(plan, searches.searcher))
            while (role := match.next_role()) is not None:
                player, simulations = match.players[role], self.limits(plan, role).simulations
                assert isinstance(player, SearchPlayer)
                assert simulations is not None
                yield player.searcher, simulations
                choice = player.choice(player.searcher.statistics())
                self._decide(match, role, choice, player.searcher.shared_seconds)
                moved(1)
            return match.result()

        return play_side_by_side(searches, blocks, map(match, plans), seats)

    def _play_in_turn(self, plans: Iterable[MatchPlan], moved: Callable[[int], None]) -> Iterator[MatchResult]:
        referee = self.machine.simulator(64)
        for plan in plans:
            players = self.players(plan)
            try:
                match = self.match(plan, referee, players)
                while (role := match.next_role()) is not None:
                    started = time.thread_time()
                    choice = players[role].search(self.limits(plan, role))
                    self._decide(match, role, choice, time.thread_time() - started)
                    moved(1)
            finally:
                for player in players.values():
                    player.close()
            yield self._with_answers(match.result(), players)

    def _with_answers(self, result: MatchResult, players: Mapping[int, RolePlayer]) -> MatchResult:
        """Return a result with the counts of answers; refuse a text player that never answered."""
        if not self._has_text_players:
            return result
        answers = tuple(players[role].answers if role in players else None for role in range(len(result.plan.seats)))
        pairs = zip(answers, result.cpu_seconds, strict=True)
        cpu_seconds = tuple(seconds if counts is None else 0.0 for counts, seconds in pairs)
        result = replace(result, answers=answers, cpu_seconds=cpu_seconds)
        for number, contestant in enumerate(self.contestants):
            found = result.answers_of(number)
            if found.requests and found.missing == found.requests:
                raise UserError(f"{contestant.name}: no answer in match {result.plan.number}: {found.error}")
        return result

    def limits(self, plan: MatchPlan, role: int) -> Limits:
        """Return the limits of one move of a role."""
        one = self.contestants[plan.contestant(role)]
        if isinstance(one, TextContestant):
            return Limits(seconds=one.milliseconds / 1000)
        if one.milliseconds is None:
            return Limits(simulations=one.simulations)
        return Limits(cpu_seconds=one.milliseconds / 1000)

    def _lone_searcher(self, config: SearchConfig, contestant: Contestant) -> _search.Searcher:
        in_flight = config.in_flight or self.machine.in_flight
        if in_flight is None:  # the number that fits the time, measured once per time
            milliseconds = contestant.milliseconds
            assert milliseconds is not None
            if milliseconds not in self._fitting:
                self._fitting[milliseconds] = fitting_in_flight(self.machine, milliseconds / 1000)
            in_flight = self._fitting[milliseconds]
        lanes = None if in_flight is None else lanes_for(in_flight)
        return _search.Searcher(self.machine.simulator(lanes), replace(config, in_flight=in_flight))


def game_of(machine: CompiledMachine) -> Game:
    """Return the game from which a worker can build an equal machine."""
    return Game(machine.sheet.source, machine.sheet, "", machine.native)


def require_fitting(game: Game, contestants: Iterable[AnyContestant]) -> None:
    """Refuse keys that have no effect because the game hides information, or because it does not."""
    hides = has_hidden_information(game)
    for contestant in contestants:
        if not isinstance(contestant, Contestant):
            continue
        config = contestant.config
        if without := config.keys_without_effect(hides_information=hides):
            why = f"hidden information, method {config.hidden.method}" if hides else "no hidden information"
            raise UserError(
                f"{contestant.name}: no effect in {game.word} ({why}): {', '.join(without)}; leave them out"
            )
