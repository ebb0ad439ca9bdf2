"""`ggp-agent play` in games with hidden information: what a person sees, the end, and what is not available."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

from ggp_agent.cli import main

QUICK = ("--simulations", "50", "--seed", "1")
# Of the doors 1 to 4 one is locked, and alice perceives nothing; she may open any other door.
DOORS = """
    (role alice) (role random) (init (step 1)) (door 1) (door 2) (door 3) (door 4) (succ 1 2) (succ 2 3)
    (<= (legal random (lock ?d)) (true (step 1)) (door ?d)) (<= (legal random noop) (not (true (step 1))))
    (<= (legal alice noop) (true (step 1)))
    (<= (legal alice (open ?d)) (door ?d) (not (true (step 1))) (not (true (locked ?d))))
    (<= (next (locked ?d)) (does random (lock ?d))) (<= (next (locked ?d)) (true (locked ?d)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next (opened ?d)) (does alice (open ?d)))
    (<= (sees alice never) (true never)) (<= terminal (true (step 3)))
    (<= (goal alice 100) (true (opened 4))) (<= (goal alice 0) (not (true (opened 4))))
"""


class Person:
    """Type lines into the command and return what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def play(self, game: str, *lines: str, options: tuple[str, ...] = QUICK) -> list[str]:
        self._monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["play", game, *options]) == 0
        shown = self._capsys.readouterr()
        assert shown.err == ""
        return shown.out.splitlines()

    def fail(self, *words: str) -> str:
        assert main(["play", *words]) == 2
        shown = self._capsys.readouterr()
        assert shown.out == ""
        (line,) = shown.err.splitlines()
        return line.removeprefix("ggp-agent: error: ")


@pytest.fixture
def person(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Person:
    monkeypatch.chdir(tmp_path)
    return Person(capsys, monkeypatch)


def during(lines: list[str]) -> list[str]:
    """Return the lines before the end."""
    return lines[: lines.index("all moves and percepts:")] if "all moves and percepts:" in lines else lines


def test_a_whole_game_shows_the_own_percepts_and_at_the_end_everything(person: Person) -> None:
    lines = person.play("kuhn_poker", "bet", "bet")
    own = [line for line in during(lines) if line.startswith("turn ")]
    (card,) = [card for card in ("jack", "queen", "king") if own[0] == f"turn 1: first noop; sees (dealt {card})"]
    assert not any("(deal " in line or "second sees" in line for line in during(lines))
    end = lines[lines.index("all moves and percepts:") :]
    assert end[1].startswith(f"turn 1: first noop, second noop, random (deal {card} ")
    other = end[1].removesuffix(")").split()[-1]
    assert end[2:4] == [f"    first sees (dealt {card})", f"    second sees (dealt {other})"]
    assert f"(holds second {other})" in end
    assert lines[-1].startswith("the game is over, goals: first ") and lines[-1].endswith("random none")


def test_equal_seeds_give_equal_games(person: Person) -> None:
    games = [person.play("leduc_poker", *["1"] * 8, options=("--simulations", "40", "--seed", seed)) for seed in "445"]
    assert games[0] == games[1] != games[2]


def test_another_role(person: Person) -> None:
    lines = person.play("kuhn_poker", "pass", "pass", options=("--role", "second", *QUICK))
    assert lines[0] == "kuhn_poker: first agent, second person, random random; type 'help' for help"
    observed = [line for line in during(lines) if line.startswith("turn ")]
    assert observed[0].startswith("turn 1: second noop; sees (dealt ")
    assert observed[1] in [f"turn 2: second noop; sees (did first {move})" for move in ("bet", "pass")]


def test_commands_that_would_show_the_state_are_refused(person: Person) -> None:
    lines = person.play("kuhn_poker", "?", "undo", "board", "draw x.svg", "save x.json", "load x.json", "fold", "turns")
    for word in ("?", "undo", "board", "draw", "save", "load"):
        assert f"{word}: not available in games with hidden information" in lines
    assert "fold is not legal here; first has bet, pass" in lines
    assert len([line for line in lines if line.startswith("turn 1: first noop; sees (dealt ")]) == 2
    assert "all moves and percepts:" not in lines and not list(Path().iterdir())


def test_moves_that_are_not_legal_are_replaced(person: Person) -> None:
    Path("doors.kif").write_text(DOORS)
    replaced = 0
    for seed in range(8):
        lines = person.play("doors.kif", "4", options=("--simulations", "1", "--seed", str(seed)))
        assert "1 (open 1)   2 (open 2)   3 (open 3)   4 (open 4)" in lines
        lock = next(line for line in lines if "random (lock " in line)
        if "(lock 4)" in lock:
            replaced += 1
            assert any("(chosen at random, because (open 4) is not legal); sees nothing" in line for line in lines)
        assert f"goals: alice {0 if '(lock 4)' in lock else 100}" in lines[-1]
    assert 0 < replaced < 8


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--watch"], "one person plays one role; give --role once, without --watch"),
        (["--role", "first", "--role", "second"], "one person plays one role; give --role once"),
        (["--role", "third"], "kuhn_poker has no role third for a person; its roles: first, second"),
        (["--resume", "x.json"], "play has no --resume for such games"),
        (["--record", "x.json"], "play has no --record for such games"),
        (["--config", "uniform"], "no effect in kuhn_poker, which hides information: playout.decisive"),
        (["--config", "hidden.method=seeing"], "hidden.method seeing is for arena and experiment only"),
    ],
)
def test_options_that_such_games_do_not_have(person: Person, words: list[str], complaint: str) -> None:
    assert complaint in person.fail("kuhn_poker", *words)


def test_as_a_process(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "ggp_agent", "play", "blind_tic_tac_toe", "--seconds", "0.05", "--role", "o"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input="1\n" * 20,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.splitlines()[-1].startswith("the game is over, goals: x ")
