"""Every game of the catalogue plays as it did when the digests of its golden play-through were written."""

from __future__ import annotations

from itertools import islice, zip_longest
from pathlib import Path

import golden_playthroughs
import pytest
from compiled import catalogue_network
from golden_playthroughs import STATES_PER_DIGEST, difference, digests, states, stored_digests

from gdl import ReferenceMachine, StateMachine, parse_sheet
from gdl.machines.machine import MachineState
from kif_games import catalogue, rules

GAMES = sorted(catalogue())

# How far the reference interpreter, which is slow, follows: twenty states.
REFERENCE_DIGESTS = 2


def reference(game: str) -> StateMachine:
    return ReferenceMachine(parse_sheet(rules(game), source=game))


def check(game: str, network: StateMachine, checked: StateMachine, count: int | None = None) -> None:
    """Compare digests of a machine with the stored ones, all or the first `count`."""
    texts = islice(states(checked), None if count is None else count * STATES_PER_DIGEST)
    pairs = zip_longest(stored_digests()[game][:count], digests(texts))
    for number, (expected, found) in enumerate(pairs):
        if expected != found:
            second = reference(game) if checked is network else checked
            pytest.fail(difference(game, number, network, second), pytrace=False)


@pytest.mark.parametrize("game", GAMES)
def test_network_plays_as_recorded(game: str) -> None:
    machine = catalogue_network(game)
    check(game, machine, machine)


@pytest.mark.parametrize("game", GAMES)
def test_reference_plays_as_recorded(game: str) -> None:
    check(game, catalogue_network(game), reference(game), REFERENCE_DIGESTS)


def test_no_game_is_without_a_playthrough_and_none_is_left_over() -> None:
    assert sorted(stored_digests()) == GAMES


class WrongGoals(ReferenceMachine):
    """A machine with a wrong goal in states that have a mark in the centre."""

    def goals(self, state: MachineState, role: str) -> list[int]:
        goals = super().goals(state, role)
        return goals if "(cell 2 2 b)" in self.fluents(state) else [99, *goals]


def test_the_first_state_in_which_the_machines_differ_is_printed() -> None:
    game = "tic_tac_toe"
    wrong = WrongGoals(parse_sheet(rules(game)))
    pairs = zip(states(reference(game)), states(wrong), strict=False)
    right, text = next((right, text) for right, text in pairs if right != text)
    with pytest.raises(pytest.fail.Exception) as failure:
        check(game, catalogue_network(game), wrong, REFERENCE_DIGESTS)
    expected = f"{game}: the machines differ\n\nnetwork:\n{right}\n\nreference interpreter:\n{text}"
    assert failure.value.msg == expected


def test_a_digest_that_no_machine_gives_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, texts = "tic_tac_toe", list(states(reference("tic_tac_toe")))
    machine = catalogue_network(game)
    stored = stored_digests()[game]
    monkeypatch.setattr(golden_playthroughs, "FILE", tmp_path / "playthroughs.txt")
    for changed, number, text in (
        ([stored[0], "0" * 16, *stored[2:]], 2, texts[10]),
        (stored[:-1], len(stored), texts[30]),
        ([*stored, "0" * 16], len(stored) + 1, "no state"),
    ):
        golden_playthroughs.FILE.write_text(" ".join([game, *changed]))
        with pytest.raises(pytest.fail.Exception) as failure:
            check(game, machine, machine)
        message = failure.value.msg or ""
        assert message.startswith(f"{game}: both machines agree, but digest {number} is not the stored one.")
        assert f"run 'python tests/support/golden_playthroughs.py {game}'" in message
        assert message.endswith(f"The first of the ten states:\n\n{text}")
