from collections.abc import Callable, Sequence
from typing import TypeAlias

from gdl._core import LaneSimulator

# (mean, [(move, visits, mean)]) for each role
_Roles: TypeAlias = list[tuple[float, list[tuple[int, int, float]]]]
# (terminal, visits, simulations, nodes, bytes, depth, seconds, roles, principal variation)
RawStatistics: TypeAlias = tuple[bool, int, int, int, int, int, float, _Roles, list[list[int]]]

class Searcher:
    def __init__(
        self,
        lanes: LaneSimulator,
        *,
        exploration: float,
        in_flight: int,
        seed: int,
        memory_bytes: int,
        playout_limit: int,
    ) -> None: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def root_state(self) -> bytes: ...
    def set_root(self, state: bytes) -> None: ...
    def advance(self, moves: Sequence[int]) -> None: ...
    def run(
        self, simulations: int | None, seconds: float | None, stopped: Callable[[], bool] | None
    ) -> RawStatistics: ...
    def stop(self) -> None: ...
    def statistics(self) -> RawStatistics: ...
    def tree_hash(self) -> int: ...
