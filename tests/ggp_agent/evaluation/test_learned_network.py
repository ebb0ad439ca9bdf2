"""Files of learned networks: NumPy reads and writes them; damaged and foreign files are refused with one line."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled import catalogue_network

import ggp_agent as ggp
from gdl import NetworkMachine, ReasonerMachine, parse_sheet
from gdl.compile.cache import FOLDER_VARIABLE, OFF, Cache
from ggp_agent import _learning
from ggp_agent.common.errors import UserError
from ggp_agent.evaluation.evaluation_file import evaluation_digest
from ggp_agent.evaluation.learned_network import (
    MAX_BYTES,
    MAX_POINTS,
    CoursePoint,
    LearnedNetwork,
    LearnedStore,
    NetworkShape,
    Training,
    evaluate,
    game_digest,
    load_learned,
)
from ggp_agent.learning.learner import encode_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.mcts.searcher import Searcher, load_evaluation
from kif_games import rules


@pytest.fixture(scope="module")
def machine() -> NetworkMachine:
    return catalogue_network("tic_tac_toe")


@pytest.fixture(scope="module")
def network(machine: NetworkMachine) -> LearnedNetwork:
    encoding = encode_game(machine)
    shape = NetworkShape.of(encoding, 16, 16)
    weights = _learning.initial_weights(shape, 1, 10.0)
    return LearnedNetwork(game_digest(machine), shape, encoding, weights, Training(3, 20, 1.5, 0.25, 12.0))


def arrays_of(network: LearnedNetwork) -> dict[str, Any]:
    with np.load(io.BytesIO(network.to_bytes())) as stored:
        return dict(stored)


def packed(arrays: dict[str, Any], save: Callable[..., None] = np.savez) -> bytes:
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def with_header(network: LearnedNetwork, **changes: Any) -> bytes:
    arrays = arrays_of(network)
    header = json.loads(bytes(arrays["header"])) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    return packed(arrays)


def test_a_network_is_read_back(network: LearnedNetwork, tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    network.save(path)
    found = LearnedNetwork.load(path)
    assert (found.game, found.shape, found.encoding, found.training) == (
        network.game,
        network.shape,
        network.encoding,
        network.training,
    )
    assert found.to_bytes() == network.to_bytes()
    assert str(found.training).startswith("3 games of self-play in 1.5 CPU-seconds; error 0.250 ")


def test_numpy_may_write_the_file(network: LearnedNetwork) -> None:
    arrays = arrays_of(network)
    for name in ("w1", "w2", "wp"):
        arrays[name] = np.asfortranarray(arrays[name])  # as a transposed array of another program
    for save in (np.savez, np.savez_compressed):
        found = LearnedNetwork.from_bytes(packed(arrays, save))
        assert all(np.array_equal(found.weights[name], values) for name, values in network.weights.items())


def test_numpy_computes_the_same(network: LearnedNetwork, machine: NetworkMachine) -> None:
    state = machine.next(machine.initial(), ["(mark 2 2)", "noop"])
    w, view = arrays_of(network), 1
    words = np.frombuffer(state, np.uint8)
    true = np.flatnonzero(np.unpackbits(words, bitorder="little")[: len(machine.fluent_names)])
    f = w["features"][view][true]
    h1 = np.maximum(w["b1"] + w["w1"][f].sum(0), 0)
    h2 = np.maximum(w["b2"] + h1 @ w["w2"], 0)
    value = np.tanh(w["bv"] + w["wv"] @ h2 + w["sv"][:, f].sum(1))
    logits = w["bp"] + w["wp"] @ h2 + w["s"][f].sum(0)
    found = evaluate(network, machine, [state])
    assert found.values[0] == pytest.approx(w["signs"][view] * value[w["values"][view]], abs=1e-5)
    first = len(machine.move_names(0))
    legal = machine.legal_numbers(state, 1)
    chances = np.exp(logits[w["policies"][view][[first + move for move in legal]]])
    assert found.probabilities[1][0][legal] == pytest.approx(chances / chances.sum(), abs=1e-5)


def test_states_are_evaluated_in_each_of_their_forms(network: LearnedNetwork, machine: NetworkMachine) -> None:
    state = ggp.load_game("tic_tac_toe").initial_state().play("(mark 2 2)")
    array = np.frombuffer(state.packed, np.uint64).reshape(1, -1)
    forms = [[state], [state.packed], array, list(array)]
    first, *others = [evaluate(network, machine, form).values for form in forms]
    assert all(np.array_equal(first, each) for each in others)
    with pytest.raises(ggp.ArgumentTypeError, match=r"machine must be a machine, such as game.machine\(\)"):
        evaluate(network, state.game, [state])  # type: ignore[arg-type]
    with pytest.raises(ggp.ArgumentTypeError, match="each state must be a State"):
        evaluate(network, machine, ["(mark 2 2)"])


def refuse(content: bytes, path: Path) -> str:
    path.write_bytes(content)
    with pytest.raises(UserError) as error:
        LearnedNetwork.load(path)
    assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)
    return str(error.value)


def test_damaged_files_are_refused(network: LearnedNetwork, tmp_path: Path) -> None:
    path, content = tmp_path / "bad.npz", network.to_bytes()
    for bad in (b"", b"hello", content[:1000], content[:-30]):
        assert "damaged, or not an archive of NumPy" in refuse(bad, path)
    refuse(content[5000:], path)
    arrays = arrays_of(network)
    refuse(packed(arrays | {"w1": np.array([{}], object)}), path)  # would be unpickled
    assert "w1 has another type or shape" in refuse(packed(arrays | {"w1": arrays["w1"].astype(np.float64)}), path)
    assert "w1 has another type or shape" in refuse(packed(arrays | {"w1": arrays["w1"][1:]}), path)
    assert "unknown array, more" in refuse(packed(arrays | {"more": arrays["w1"]}), path)
    del arrays["b2"]
    assert "b2 is missing" in refuse(packed(arrays), path)


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), 1e9])
def test_weights_are_finite_and_bounded(network: LearnedNetwork, tmp_path: Path, weight: float) -> None:
    arrays = arrays_of(network)
    arrays["w2"][3, 2] = weight
    assert "a weight is not within" in refuse(packed(arrays), tmp_path / "bad.npz")


def with_shape(shape: str, kind: str = "'<f4'", is_fortran: str = "False", data: bytes = b"abcd") -> bytes:
    """Return an archive of one array whose header has the text of a shape, a type and an order."""
    header = f"{{'descr': {kind}, 'fortran_order': {is_fortran}, 'shape': {shape}, }}".encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("w1.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        with_shape("(True,)"),
        with_shape("(1, True)"),
        with_shape("(1.0,)"),
        with_shape("(-1, -1)"),
        with_shape("(0, -5)", data=b""),
        with_shape(f"({2**63}, 0)", data=b""),
        with_shape(f"(0, {2**63 - 1}, 2)", data=b""),
        with_shape(f"({'1,' * 65})"),
        with_shape("(1,)", is_fortran="None"),
        with_shape("(1,)", is_fortran="1"),
        with_shape("(5,)", kind="'|V0'", data=b""),
        with_shape("(4,)", kind="'|b1'"),
        with_shape("(1,)", kind="'<M8[s]'", data=bytes(8)),
        with_shape("(1,)", kind="[('a', '<f4')]"),
    ],
)
def test_unusual_headers_of_arrays_are_refused(tmp_path: Path, content: bytes) -> None:
    assert "damaged" in (reason := refuse(content, tmp_path / "bad.npz")) or "an array has another type" in reason


def test_damaged_compression_is_refused(network: LearnedNetwork, tmp_path: Path) -> None:
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.writestr("w1.npy", network.to_bytes())
        content = bytearray(file.getvalue())
        content[60:90] = b"\xff" * 30
        assert "damaged" in refuse(bytes(content), tmp_path / "bad.npz")


def test_huge_sizes_are_refused(network: LearnedNetwork, tmp_path: Path) -> None:
    path, content = tmp_path / "bad.npz", network.to_bytes()
    # The size of the first entry in the directory of the archive.
    at = content.index(b"PK\x01\x02")
    refuse(content[: at + 24] + struct.pack("<I", 2**32 - 2) + content[at + 28 :], path)
    # An array whose header announces more numbers than the archive has.
    array = io.BytesIO()
    np.save(array, np.zeros(4, np.float32))
    huge = array.getvalue().replace(b"(4,), }" + b" " * 13, b"(4000000000000,), } ")
    assert b"4000000000000" in huge
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("w1.npy", huge)
    refuse(file.getvalue(), path)
    # An archive that is small and unpacks to more than the limit.
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("w1.npy", bytes(MAX_BYTES + 1))
    assert "too large" in refuse(bomb.getvalue(), path)


def test_headers_are_checked(network: LearnedNetwork, tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    assert "the format is 0, not 1" in refuse(with_header(network, format=0), path)
    shape = json.loads(bytes(arrays_of(network)["header"]))["shape"]
    for wrong in (
        {"shape": shape | {"hidden1": 32}},
        {"shape": shape | {"hidden1": 10**15}},
        {"shape": shape | {"direct_policy": 1}},
        {"shape": []},
        {"moves": [10, -1]},
        {"moves": []},
        {"moves": 5},
        {"moves": [10, True]},
        {"format": True},
        {"format": 1.0},
        {"training": {}},
        {"game": 5},
    ):
        refuse(with_header(network, **wrong), path)
    arrays = arrays_of(network)
    for name, place in (("features", (0, 0)), ("policies", (0, 0)), ("values", (0, 0)), ("symmetry_features", (0, 0))):
        changed = arrays[name].copy()
        changed[place] = 60_000
        refuse(packed(arrays | {name: changed}), path)
    assert "sign" in refuse(packed(arrays | {"signs": arrays["signs"] * 2}), path)


def test_random_damage_raises_one_error(network: LearnedNetwork) -> None:
    draw = random.Random(44)
    content = network.to_bytes()
    refused = 0
    for _ in range(300):
        bad = bytearray(content)
        # Most changes of a weight are valid but for the checksum, so headers and the directory are changed more often.
        for _ in range(draw.randint(1, 4)):
            near = draw.choice([0, draw.randrange(200), len(bad) - 1 - draw.randrange(1500), draw.randrange(len(bad))])
            bad[near] = draw.randrange(256)
        try:
            LearnedNetwork.from_bytes(bytes(bad))
        except (ValueError, KeyError):
            refused += 1
    assert refused > 150


def test_a_course_is_read_back(network: LearnedNetwork, tmp_path: Path) -> None:
    course = (CoursePoint(0.5, 1.0, 0.0), CoursePoint(1.0, 0.75, 0.0), CoursePoint(1.0, 0.5, -12.5))
    with_course, without = tmp_path / "with.npz", tmp_path / "without.npz"
    replace(network, course=course).save(with_course)
    network.save(without)
    assert LearnedNetwork.load(with_course).course == course
    assert LearnedNetwork.load(without).course == () and "course" not in np.load(without)
    with np.load(with_course) as stored:
        assert stored["course"].tolist() == [list(point) for point in course]
    assert evaluation_digest(str(with_course)) == evaluation_digest(str(without))


@pytest.mark.parametrize(
    ("course", "reason"),
    [
        (np.zeros((2, 2)), "course has another shape"),
        (np.zeros(3), "course has another shape"),
        (np.zeros(()), "course has another shape"),
        (np.zeros((MAX_POINTS + 1, 3)), "course has another shape"),
        (np.zeros((2, 3), np.float32), "course has another type or shape"),
        (np.array([[1, 1, 0], [2, np.nan, 0]]), "three finite numbers"),
        (np.array([[1, 1, 0], [2, 1, -np.inf]]), "three finite numbers"),
        (np.array([[2.0, 1, 0], [1, 1, 0]]), "negative or falls"),
        (np.array([[-1.0, 1, 0]]), "negative or falls"),
    ],
)
def test_damaged_courses_are_refused(
    network: LearnedNetwork, tmp_path: Path, course: np.ndarray[Any, Any], reason: str
) -> None:
    assert reason in refuse(packed(arrays_of(network) | {"course": course}), tmp_path / "bad.npz")


def test_networks_of_other_games_are_refused(network: LearnedNetwork, tmp_path: Path) -> None:
    path = tmp_path / "tic_tac_toe.npz"
    network.save(path)
    other = NetworkMachine(parse_sheet(rules("connect_four")))
    config = SearchConfig.from_toml(f'[evaluation]\nfile = "{path}"')
    with pytest.raises(UserError, match="this network was learned for another game"):
        load_evaluation(other, config)


def searcher_by(network: LearnedNetwork, machine: NetworkMachine, path: Path) -> Searcher:
    network.save(path)
    config = read_configuration(
        f"selection.formula=puct,evaluation.file={path},playout.early_termination.plies=0,in_flight=4"
    )
    own = NetworkMachine(machine.sheet)
    load_evaluation(own, config)
    assert str(path) in own.evaluations
    return Searcher(own, config)


def test_a_search_uses_the_file(machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path) -> None:
    searchers = [searcher_by(network, machine, tmp_path / "tic_tac_toe.npz") for _ in range(2)]
    assert [searcher.run(simulations=300).visits for searcher in searchers] == [300, 300]
    assert searchers[0].tree_hash() == searchers[1].tree_hash()


@pytest.mark.parametrize("simulations", [1, 40])
def test_a_search_reports_the_probabilities_of_the_network(
    machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path, simulations: int
) -> None:
    found = searcher_by(network, machine, tmp_path / "network.npz").run(simulations=simulations)
    known = evaluate(network, machine, [machine.initial()]).probabilities
    for number, role in enumerate(machine.roles):
        for move in found.moves[role]:
            if len(found.moves[role]) == 1:
                assert move.probability is None
            else:
                place = list(machine.move_names(number)).index(move.move)
                assert move.probability == pytest.approx(known[number][0, place], abs=1e-5)


def test_a_search_without_a_network_reports_no_probabilities(machine: NetworkMachine) -> None:
    found = Searcher(machine, SearchConfig()).run(simulations=20)
    assert {move.probability for moves in found.moves.values() for move in moves} == {None}


def test_unwritable_files_name_the_file(network: LearnedNetwork, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"file.small\.npz: the network cannot be written"):
        network.save(tmp_path / "file" / "small.npz")


# ---- the store


def renamed(text: str) -> str:
    return re.sub(r"\b(mark|marked|control|line|row|column|diagonal|open|x|o)\b", r"my_\1", text)


def test_renamed_rules_find_the_network(machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path) -> None:
    store = LearnedStore(Cache(tmp_path))
    assert store.read(machine) is None
    store.write(machine, network)
    copy = NetworkMachine(parse_sheet(renamed(rules("tic_tac_toe"))))
    assert set(copy.fluent_names) != set(machine.fluent_names)
    found = store.read(copy)
    assert found is not None and found.to_bytes() == network.to_bytes()
    load_learned(copy, store)
    assert "learned" in copy.evaluations
    assert store.read(NetworkMachine(parse_sheet(rules("connect_four")))) is None


def test_networks_that_do_not_fit_are_ignored(machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path) -> None:
    store = LearnedStore(Cache(tmp_path))
    with pytest.raises(UserError, match="cannot be stored"):
        store.write(machine, replace(network, game="0" * 16))
    assert store.read(machine) is None
    with pytest.raises(UserError, match="run ggp-agent learn GAME first"):
        load_learned(NetworkMachine(machine.sheet), store)
    with pytest.raises(UserError, match=r"evaluation.name = learned needs the network of a rule sheet"):
        load_learned(ReasonerMachine(machine.sheet), store)


def test_a_network_that_could_not_be_read_is_not_stored(
    machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path
) -> None:
    store = LearnedStore(Cache(tmp_path))
    store.write(machine, network)
    spoilt = {name: np.full_like(values, np.nan) for name, values in network.weights.items()}
    with pytest.raises(UserError, match="cannot be stored: a weight is not within"):
        store.write(machine, replace(network, weights=spoilt))
    with pytest.raises(UserError, match=r"cannot be stored: it has .* bytes, and the cache .* at most 1,000"):
        LearnedStore(Cache(tmp_path, 1000)).write(machine, network)
    kept = store.read(machine)
    assert kept is not None and kept.to_bytes() == network.to_bytes()
    # A stored network of another kind of damage is no network.
    Cache(tmp_path).write_beside(next(tmp_path.glob("*.beside")).name.removesuffix(".beside"), with_shape("(True,)"))
    assert store.read(machine) is None


def test_a_store_without_a_folder_reports_it(
    machine: NetworkMachine, network: LearnedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, OFF)
    with pytest.raises(UserError, match="the network cannot be stored: the cache is off"):
        LearnedStore().write(machine, network)
