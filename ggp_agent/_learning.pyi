from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gdl._simulator import LaneSimulator

from .evaluation.learned_network import Encoding, NetworkShape
from .learning.options import TrainingOptions
from .learning.self_play import Positions

NONE: int

def initial_weights(shape: NetworkShape, seed: int, active: float) -> dict[str, npt.NDArray[np.float32]]: ...

class LearnedGame:
    def __init__(
        self, shape: NetworkShape, encoding: Encoding, weights: dict[str, npt.NDArray[np.float32]]
    ) -> None: ...

class LearnedSimulator(LaneSimulator):
    def __init__(self, lanes: LaneSimulator, game: LearnedGame, name: str) -> None: ...
    def evaluate_states(
        self,
        states: npt.NDArray[np.uint64],
        values: npt.NDArray[np.float32],
        probabilities: list[npt.NDArray[np.float32]],
    ) -> None: ...
    def set_game(self, game: LearnedGame) -> None: ...

class Trainer:
    def __init__(
        self,
        shape: NetworkShape,
        encoding: Encoding,
        weights: dict[str, npt.NDArray[np.float32]],
        options: TrainingOptions,
        isa: str,
    ) -> None: ...
    @property
    def steps(self) -> int: ...
    @property
    def samples(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def add(self, positions: Positions) -> int: ...
    def keep(self, samples: int) -> None: ...
    def measure(self, most: int) -> tuple[float, int, float, int]: ...
    def train(
        self, steps: int, rate: float, mix: float, stopped: Callable[[], bool] | None = None
    ) -> tuple[float, int, float, int]: ...
    def weights(self) -> dict[str, npt.NDArray[np.float32]]: ...
    def state(self) -> tuple[int, list[npt.NDArray[np.float32]]]: ...
    def restore(self, steps: int, parts: Sequence[npt.NDArray[Any]]) -> None: ...
