"""A network that was learned for a game: its weights, its encoding, and its file.

The file is an uncompressed NumPy archive (`.npz`), so `numpy.load(path)` reads it. With F features, P policies, V
values and hidden layers of H1 and H2 units, a state with the true features f has

    h1 = relu(b1 + sum of w1[f]),   h2 = relu(b2 + h1 @ w2),
    values = tanh(bv + wv @ h2 + sum of sv[:, f]),   logits = bp + wp @ h2 + sum of s[f]

| array | shape | |
|---|---|---|
| `w1`, `b1`, `w2`, `b2` | [F, H1], [H1], [H1, H2], [H2] | hidden layers |
| `wv`, `bv`, `sv` | [V, H2], [V], [V, F] | values |
| `wp`, `bp`, `s` | [P, H2], [P], [F, P] | logits; `s` is missing in large games |
| `features` | [views, fluents] | the feature of each fluent in each view; 65535 for none |
| `policies` | [views, moves of all roles] | the policy of each move, role by role |
| `values`, `signs` | [views, roles] | the value of each role, and 1 or -1 |
| `symmetry_features`, `symmetry_policies`, `symmetry_values` | [n, F], [n, P], [n, V] | permutations |
| `header` | bytes of a JSON object | format, game, and how the network was trained |
| `course` | [n, 3] | the learning curve, n at most 200: CPU-seconds, error in new games, Elo; may be missing |

All weights are 32-bit floats, and `course` has 64-bit floats. `csrc/learning/learned_network.hpp` and `encoding.hpp`
describe the computation.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine, LaneSimulator, NetworkMachine
from gdl.compile.cache import Beside, Cache, default_cache
from gdl.compile.structure import structure_of
from gdl.files import write_whole
from gdl.json_text import checked_count, checked_list, checked_object, checked_text, parse_json, read_typed

from .. import _learning
from ..common.array_file import read_arrays
from ..common.errors import UserError, describe_os_error, require_network, require_type
from ..common.terminal_text import amount
from . import LEARNED

# The number in maps for "no feature" and "no policy".
NONE = 0xFFFF
MAX_FEATURES = 65_535


@dataclass(frozen=True, slots=True)
class View:
    """A state as the network sees it when a certain role chooses."""

    features: list[int]  # the feature of each fluent, or `NONE`
    policies: list[list[int]]  # the policy of each move by role, or `NONE`
    values: list[int]  # the value of each role
    signs: list[float]  # 1 by role, or -1 if the value counts for the opponent


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A permutation of features, policies and values that maps positions to positions of equal value."""

    features: list[int]
    policies: list[int]
    values: list[int]


@dataclass(frozen=True, slots=True)
class Encoding:
    """The numbers of features, policies and values of a game, its views and its symmetries."""

    features: int
    policies: int
    values: int
    views: list[View]  # one view, or one for each role if the roles can be exchanged: the view of the role that chooses
    symmetries: list[Symmetry]  # symmetries that multiply samples


# Maximal number of points of a stored course.
MAX_POINTS = 200
# A point replaces the one before it if that one came sooner than this part of the time after its predecessor.
_MIN_DISTANCE = 0.01


class CoursePoint(NamedTuple):
    """A state of the run."""

    cpu_seconds: float  # the processor time of the run until then
    error: float  # the error in new games, `Training.loss`
    elo: float  # the sum of the Elo differences between consecutive checkpoints until then, `Training.elo`


Course: TypeAlias = tuple[CoursePoint, ...]


def checked_course(points: Iterable[Sequence[float]]) -> Course:
    """Return the points of a course from an untrusted source."""
    course = []
    for values in points:
        if len(values) != 3 or not all(map(math.isfinite, values)):
            raise ValueError("a point of the learning curve does not have three finite numbers")
        course.append(CoursePoint(*map(float, values)))
    times = [0.0, *(point.cpu_seconds for point in course)]
    if any(later < earlier for earlier, later in pairwise(times)):
        raise ValueError("the time of the learning curve is negative or falls")
    return tuple(course)


def add_point(course: list[CoursePoint], point: CoursePoint) -> None:
    """Add the latest point to a course in place, and keep at most `MAX_POINTS` points.

    The kept points are at about equal distances, and the last one is always the latest.
    """
    if len(course) > 1 and course[-1].cpu_seconds - course[-2].cpu_seconds < _MIN_DISTANCE * point.cpu_seconds:
        del course[-1]
    course.append(point)
    course[:] = thinned(course)


def thinned(course: Sequence[CoursePoint]) -> Course:
    """Return at most `MAX_POINTS` points: every second one is removed as often as needed, and the last one is kept."""
    points = tuple(course)
    while len(points) > MAX_POINTS:
        points = points[::-2][::-1]
    return points


Weights: TypeAlias = dict[str, np.ndarray[Any, np.dtype[np.float32]]]

FORMAT = 1
SUFFIX = ".npz"
MAX_BYTES = 256_000_000
# With larger weights the sums of the largest networks could be infinite.
MAX_WEIGHT = 1e6
# The largest array of direct weights from features to policies; larger games have none.
MAX_DIRECT = 4_000_000

_HEADER = {"format", "game", "roles", "moves", "shape", "training"}


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """The numbers of units; see `csrc/learning/learned_network.hpp` for their ranges."""

    features: int
    policies: int
    values: int
    hidden1: int
    hidden2: int
    direct_policy: bool

    @classmethod
    def of(cls, encoding: Encoding, hidden1: int, hidden2: int) -> NetworkShape:
        """Return the shape of a network for an encoding."""
        direct = encoding.features * encoding.policies <= MAX_DIRECT
        return cls(encoding.features, encoding.policies, encoding.values, hidden1, hidden2, direct)


@dataclass(frozen=True, slots=True)
class Training:
    """How a network was trained.

    Attributes:
        games, positions: the numbers of games and positions of self-play.
        cpu_seconds: the processor time of self-play and training.
        loss: the mean squared error of the values (-1 .. 1) against the results of games that were not used for
            training: about 1 if nothing is known and no game is drawn.
        elo: the sum of the Elo differences between consecutive checkpoints.
    """

    games: int = 0
    positions: int = 0
    cpu_seconds: float = 0.0
    loss: float = 0.0
    elo: float = 0.0

    def __str__(self) -> str:
        """Return a description in one line."""
        unit, name = (1, "CPU-seconds") if self.cpu_seconds < 60 else (60, "CPU-minutes")
        return (
            f"{amount(self.games, 'game')} of self-play in {self.cpu_seconds / unit:.1f} {name}; "
            f"error {self.loss:.3f} in new games; {self.elo:+.0f} Elo over the untrained network"
        )


@dataclass(frozen=True, slots=True, eq=False)
class LearnedNetwork:
    """A network for one game.

    Attributes:
        game: a digest of the fluents and moves that it belongs to, `game_digest`.
        shape, encoding, weights: the network.
        training: the numbers of the training.
        course: the learning curve, at most `MAX_POINTS` points; empty if it is unknown.
    """

    game: str
    shape: NetworkShape
    encoding: Encoding
    weights: Weights
    training: Training = field(default_factory=Training)
    course: Course = ()

    def in_core(self) -> _learning.LearnedGame:
        """Return a copy of the network for simulators."""
        return _learning.LearnedGame(self.shape, self.encoding, self.weights)

    # ---- bytes and files

    def to_bytes(self) -> bytes:
        """Return the content of a file."""
        views, symmetries = self.encoding.views, self.encoding.symmetries
        header = {
            "format": FORMAT,
            "game": self.game,
            "roles": len(views[0].values),
            "moves": [len(moves) for moves in views[0].policies],
            "shape": asdict(self.shape),
            "training": asdict(self.training),
        }
        arrays: dict[str, Any] = {
            "features": np.array([view.features for view in views], np.uint16),
            "policies": np.array([[*chain(*view.policies)] for view in views], np.uint16),
            "values": np.array([view.values for view in views], np.uint16),
            "signs": np.array([view.signs for view in views], np.float32),
            "header": np.frombuffer(json.dumps(header).encode(), np.uint8),
        }
        for name in ("features", "policies", "values"):
            rows = [getattr(symmetry, name) for symmetry in symmetries]
            arrays[f"symmetry_{name}"] = np.array(rows, np.uint16).reshape(len(rows), getattr(self.shape, name))
        if self.course:
            arrays["course"] = np.array(self.course, np.float64)
        written = io.BytesIO()
        arrays |= self.weights
        np.savez(written, **arrays)
        return written.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> LearnedNetwork:
        """Read the output of `to_bytes`.

        Raises:
            ValueError: the content is something else, or an array does not fit.
        """
        arrays = read_arrays(content, MAX_BYTES)
        header = checked_object(parse_json(bytes(_take(arrays, "header", np.uint8, None))), _HEADER)
        if checked_count(header["format"]) != FORMAT:
            raise ValueError(f"the format is {header['format']}, not {FORMAT}")
        shape = read_typed(NetworkShape, header["shape"])
        encoding = _encoding(arrays, shape, [checked_count(count) for count in checked_list(header["moves"])])
        weights = {name: _take(arrays, name, np.float32, size) for name, size in _sizes(shape).items()}
        course = _course(arrays) if "course" in arrays else ()
        if arrays:
            raise ValueError(f"there is an unknown array, {next(iter(arrays))}")
        require_weights(weights.values())
        game, training = checked_text(header["game"]), read_typed(Training, header["training"])
        found = cls(game, shape, encoding, weights, training, course)
        found.in_core()  # raises ValueError if shape and encoding are out of range
        return found

    def save(self, path: str | Path) -> None:
        """Write the network to a file, in place of an earlier one.

        Raises:
            UserError: the file cannot be written.
        """
        try:
            write_whole(Path(path), self.to_bytes())
        except OSError as error:
            raise UserError(f"{path}: the network cannot be written: {describe_os_error(error)}") from None

    @classmethod
    def load(cls, path: str | Path) -> LearnedNetwork:
        """Read a network from a file.

        Raises:
            UserError: the file cannot be read, is damaged, or is not a learned network of this version.
        """
        try:
            with Path(path).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise UserError(describe_os_error(error)) from None
        if len(content) > MAX_BYTES:
            raise UserError(f"{path}: a learned network has at most {MAX_BYTES:,} bytes")
        try:
            return cls.from_bytes(content)
        except (ValueError, KeyError, RecursionError) as error:
            raise UserError(f"{path} is not a learned network that can be used: {error}") from None

    def require_game(self, machine: NetworkMachine, source: str) -> None:
        """Raise UserError, which names the source, if the network belongs to another game than the machine."""
        if self.game != game_digest(machine):
            raise UserError(f"{source}: this network was learned for another game, or for an earlier form of its rules")


def require_weights(weights: Iterable[np.ndarray[Any, np.dtype[np.float32]]]) -> None:
    """Raise ValueError if a weight is not a number, or is too large for a network."""
    if not all((np.abs(values) <= MAX_WEIGHT).all() for values in weights):
        raise ValueError(f"a weight is not within {-MAX_WEIGHT:g} .. {MAX_WEIGHT:g}")


def game_digest(machine: NetworkMachine) -> str:
    """Return a digest of the fluents and moves of a machine in the order of their numbers.

    Copies of a game with other names have the same digest, because the names come from the canonical sheet.
    """
    network = machine.network
    lines = [
        *network.fluents,
        *(f"{role} {move}" for role in range(len(machine.roles)) for move in network.moves[role]),
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _sizes(shape: NetworkShape) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of weights by name."""
    sizes: dict[str, tuple[int, ...]] = {
        "w1": (shape.features, shape.hidden1),
        "b1": (shape.hidden1,),
        "w2": (shape.hidden1, shape.hidden2),
        "b2": (shape.hidden2,),
        "wv": (shape.values, shape.hidden2),
        "bv": (shape.values,),
        "sv": (shape.values, shape.features),
        "wp": (shape.policies, shape.hidden2),
        "bp": (shape.policies,),
    }
    return sizes | ({"s": (shape.features, shape.policies)} if shape.direct_policy else {})


def _take(
    arrays: dict[str, Any], name: str, kind: type, size: tuple[int, ...] | None
) -> np.ndarray[Any, np.dtype[Any]]:
    if name not in arrays:
        raise ValueError(f"the array {name} is missing")
    values = arrays.pop(name)
    if values.dtype != kind or (size is not None and values.shape != size):
        raise ValueError(f"the array {name} has another type or shape")
    return np.ascontiguousarray(values)


def _course(arrays: dict[str, Any]) -> Course:
    points = _take(arrays, "course", np.float64, None)
    if points.shape[1:] != (3,) or len(points) > MAX_POINTS:
        raise ValueError("the array course has another shape")
    return checked_course(points.tolist())


def _encoding(arrays: dict[str, Any], shape: NetworkShape, moves: list[int]) -> Encoding:
    features = _take(arrays, "features", np.uint16, None)
    if features.ndim != 2 or not len(features):
        raise ValueError("the array features has another shape")
    views, roles = len(features), len(moves)
    policies = _take(arrays, "policies", np.uint16, (views, sum(moves)))
    values = _take(arrays, "values", np.uint16, (views, roles))
    signs = _take(arrays, "signs", np.float32, (views, roles))
    ends = np.cumsum(moves)[:-1]
    seen = [
        View(
            features[view].tolist(),
            [part.tolist() for part in np.split(policies[view], ends)],
            values[view].tolist(),
            signs[view].tolist(),
        )
        for view in range(views)
    ]
    count = len(_peek(arrays, "symmetry_features"))
    parts = [
        _take(arrays, f"symmetry_{name}", np.uint16, (count, getattr(shape, name))).tolist()
        for name in ("features", "policies", "values")
    ]
    symmetries = [Symmetry(*each) for each in zip(*parts, strict=True)]
    return Encoding(shape.features, shape.policies, shape.values, seen, symmetries)


def _peek(arrays: dict[str, Any], name: str) -> np.ndarray[Any, np.dtype[Any]]:
    values = arrays.get(name)
    if not isinstance(values, np.ndarray) or values.ndim != 2:
        raise ValueError(f"the array {name} is missing or has another shape")
    return values


# ---- values of states

_Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class NetworkValues:
    """What a network says about n states.

    Attributes:
        values: the expected reward of each role, -1 .. 1, and in terminal states the reward of the goal; float32,
            [n, roles].
        probabilities: the probability of each move by role, 0 for moves that are not legal and in terminal states;
            float32, [n, moves].
    """

    values: _Floats
    probabilities: tuple[_Floats, ...]


def evaluate(
    network: LearnedNetwork, machine: NetworkMachine, states: Iterable[Any] | npt.NDArray[np.uint64]
) -> NetworkValues:
    """Evaluate states of a machine by a network.

    Args:
        network: the network.
        machine: the machine of the game of the network, such as `state.machine`.
        states: objects with `packed`, such as `State`; packed states; or the rows of an array, uint64 [n, words], such
            as `Lanes.store()` and `states` of the positions of self-play.

    Raises:
        UserError: the network belongs to another game.
        ArgumentTypeError: `machine` or a state has another type.
        ValueError: a state has another size.
    """
    require_type(machine, CompiledMachine, "machine", "a machine, such as game.machine()")
    machine = require_network(machine, "a learned network")
    network.require_game(machine, "the network")
    size = len(machine.initial())
    rows = [_bytes_of(state) for state in states]
    if any(len(row) != size for row in rows):
        raise ValueError(f"a packed state of this game has {size} bytes")
    packed = np.frombuffer(b"".join(rows), np.uint64).reshape(len(rows), size // 8).copy()
    values = np.zeros((len(rows), len(machine.roles)), np.float32)
    probabilities = [
        np.zeros((len(rows), len(machine.move_names(role))), np.float32) for role in range(len(machine.roles))
    ]
    if rows:
        simulator = _learning.LearnedSimulator(machine.simulator(), network.in_core(), LEARNED)
        simulator.evaluate_states(packed, values, probabilities)
    return NetworkValues(values, tuple(probabilities))


def _bytes_of(state: Any) -> bytes:
    packed = state.tobytes() if isinstance(state, np.ndarray) else getattr(state, "packed", state)
    require_type(packed, bytes, "each state", "a State, a packed state, or a row of uint64")
    assert isinstance(packed, bytes)
    return packed


# ---- the networks of this user

# Increase this number when the meaning of a stored network changes: older ones are then ignored.
VERSION = 1

_NETWORKS = Beside("network", f"learned{VERSION}", LearnedNetwork.from_bytes, LearnedNetwork.to_bytes)


class LearnedStore:
    """The learned networks of this user. Copies of a game with other names share one network."""

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: CompiledMachine) -> LearnedNetwork | None:
        """Return the network of a game; None without a stored network."""
        if not isinstance(machine, NetworkMachine):
            return None
        network = _NETWORKS.read(self._cache, structure_of(machine.sheet).key)
        return network if network is not None and network.game == game_digest(machine) else None

    def write(self, machine: NetworkMachine, network: LearnedNetwork) -> None:
        """Store a network in place of an earlier one."""
        network.require_game(machine, "the network cannot be stored")
        try:
            LearnedNetwork.from_bytes(network.to_bytes())
        except ValueError as error:
            raise UserError(f"the network cannot be stored: {error}") from None
        if obstacle := _NETWORKS.write(self._cache, structure_of(machine.sheet).key, network):
            raise UserError(f"the network cannot be stored: {obstacle}")


def load_learned(machine: CompiledMachine, store: LearnedStore | None = None) -> None:
    """Add the network that was learned for its game to a machine that lacks it."""
    if LEARNED in machine.evaluations:
        return
    machine = require_network(machine, f"evaluation.name = {LEARNED}")
    network = (store or LearnedStore()).read(machine)
    if network is None:
        raise UserError(f"evaluation.name is {LEARNED}, but this game has none: run ggp-agent learn GAME first")
    add_learned(machine, network)


def add_learned(machine: NetworkMachine, network: LearnedNetwork, name: str = LEARNED) -> None:
    """Add a network to all simulators of a machine that are made from now on."""
    game = network.in_core()

    def with_network(simulator: LaneSimulator) -> LaneSimulator:
        return _learning.LearnedSimulator(simulator, game, name)

    machine.add_layer(name, with_network)
