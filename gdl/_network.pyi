from collections.abc import Iterable

from ._simulator import LaneArrays, LaneSimulator, StopFlag

class GroundProgram:
    @property
    def rules(self) -> int: ...
    @property
    def atoms(self) -> int: ...

def ground(
    library: str,
    program: str,
    constants: Iterable[str],
    roles: Iterable[str],
    stop: StopFlag,
    max_rules: int,
    max_seconds: float,
) -> GroundProgram: ...
def compile_game(
    library: str, program: str, constants: Iterable[str], roles: Iterable[str], max_rules: int, max_gates: int
) -> bytes: ...
def confine(parent: int, cpu_seconds: float, most_bytes: int) -> bool: ...
def best_isa() -> str: ...
def has_kernel(isa: str) -> bool: ...

class Network:
    fluents: tuple[str, ...]
    always: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...]
    percepts: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[int, ...], ...]
    phases: tuple[int, ...]
    passes: tuple[tuple[str, int, float], ...]
    ground_rules: int
    ground_atoms: int
    raw_gates: int
    gates: int
    depth: int
    loop_variables: int
    ground_cpu_s: float
    network_cpu_s: float
    def __init__(self, content: bytes) -> None: ...
    def gates_of(self, stage: str) -> list[tuple[int, bool, list[int], list[int]]]: ...
    def outputs(
        self,
    ) -> tuple[list[list[int]], int, list[list[tuple[int, int]]], list[tuple[int, int, bool]]]: ...
    def outlook(self) -> list[tuple[int, int, int | None, int | None]]: ...
    @property
    def first_move(self) -> int: ...
    def percept_values(self) -> list[list[int]]: ...
    def machine_code(self, lanes: int, isa: str) -> tuple[int, int] | None: ...
    def simulator(self, lanes: int, isa: str) -> LaneSimulator | None: ...
    def lane_arrays(self, n: int, lanes: int, isa: str, threads: int, chance: int) -> LaneArrays | None: ...
