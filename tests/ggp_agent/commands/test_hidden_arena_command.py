"""`arena` and `experiment` in games with hidden information: records, resumption, and mistakes in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ggp_agent.cli import main

DETERMINISED = "hidden.method=determinised,hidden.particles=100"
KUHN = ["arena", "kuhn_poker", "--a", "hidden.particles=100", "--b", DETERMINISED, "--simulations", "50", "--jobs", "2"]


def test_a_record_has_percepts_and_a_store_resumes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    records = []
    for number, games in enumerate(("4", "6")):
        record = tmp_path / f"{number}.jsonl"
        words = ["--games", games, "--store", str(tmp_path / "store.sqlite"), "--out", str(record), "--json"]
        assert main([*KUHN, *words]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["games"] == int(games) and found["errors"] == []
        assert found["contestants"]["b"]["config"]["hidden"]["method"] == "determinised"
        records.append([json.loads(line) for line in record.read_text().splitlines()])
    assert [sorted(match["match"] for match in record) for record in records] == [[0, 1, 2, 3], [4, 5]]
    seats = {tuple(match["seats"]) for match in records[0]}
    assert seats == {("a", "b", None), ("b", "a", None)}
    for match in records[0] + records[1]:
        assert len(match["percepts"]) == match["turns"] and match["moves"][0][2].startswith("(deal ")
        assert [len(percepts) for percepts in match["percepts"][0]] == [1, 1, 0]


def test_the_same_command_plays_the_same_games(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = []
    for jobs in ("1", "2"):
        record = tmp_path / f"{jobs}.jsonl"
        assert main([*KUHN, "--games", "6", "--seed", "4", "--jobs", jobs, "--out", str(record)]) == 0
        matches = [json.loads(line) for line in record.read_text().splitlines()]
        lines.append(sorted((match["match"], match["moves"], match["simulations"]) for match in matches))
    capsys.readouterr()
    assert lines[0] == lines[1] and len(lines[0]) == 6


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--a", "hidden.method=best"], 'hidden.method must be ismcts, oos, determinised or seeing, not "best"'),
        (["--a", "hidden.particles=0"], "hidden.particles must be 1 .. 1000000, not 0"),
        (["--a", "hidden.learned=2"], "hidden.learned must be true or false, not 2"),
        (["--b", "hidden.mode=ismcts"], "unknown key hidden.mode; known are method, particles, learned"),
        (
            ["--a", "selection.exploration=1,playout.limit=9"],
            "a: no effect in kuhn_poker (hidden information, method ismcts): selection.exploration, playout.limit",
        ),
        (["--b", "hidden.method=seeing,hidden.particles=9"], "(hidden information, method seeing): hidden.particles"),
        (["--in-flight", "2"], "(hidden information, method ismcts): in_flight; leave them out"),
    ],
)
def test_wrong_keys(refusal: Callable[..., str], words: list[str], complaint: str) -> None:
    base = ["arena", "kuhn_poker", "--a", "default", "--b", "default", "--games", "2", "--simulations", "1"]
    assert complaint in refusal(*base, *words)


def test_keys_of_hidden_information_need_such_a_game(refusal: Callable[..., str], tmp_path: Path) -> None:
    words = ["--a", "default", "--b", "hidden.method=determinised", "--games", "2", "--simulations", "1"]
    line = "b: no effect in tic_tac_toe (no hidden information): hidden.method; leave them out"
    store = tmp_path / "store.sqlite"
    assert refusal("arena", "tic_tac_toe", *words, "--store", str(store)) == line
    assert not store.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--config", "hidden.method=seeing"],
        ["match", "kuhn_poker", "--player", "agent:hidden.method=seeing", "--player", "random"],
        ["play", "kuhn_poker", "--config", "hidden.method=seeing"],
        ["tournament", "plan.toml"],
    ],
)
def test_players_do_not_see_the_state(refusal: Callable[..., str], in_empty_folder: Path, words: list[str]) -> None:
    Path("plan.toml").write_text(
        'games = ["kuhn_poker"]\nplayers.b = "random"\n'
        '[players.a]\nplayer = "agent"\nconfig = { hidden.method = "seeing" }\n'
    )
    assert "hidden.method seeing is for arena and experiment only" in refusal(*words)


STUDY = """
games = ["kuhn_poker"]
simulations = 30
games_per_cell = 4
base = "hidden.particles=50"
opponent = "hidden.method=determinised"
variants.ismcts = "hidden.method=ismcts"
"""


def test_a_study(refusal: Callable[..., str], capsys: pytest.CaptureFixture[str], in_empty_folder: Path) -> None:
    study = Path("mine.toml")
    study.write_text(STUDY)
    assert main(["experiment", "run", "mine.toml", "--jobs", "2"]) == 0
    capsys.readouterr()
    assert main(["experiment", "report", "mine.toml"]) == 0
    out = capsys.readouterr().out
    assert "hidden.particles" in out and "determinised" in out
    study.write_text(STUDY.replace("particles=50", "particles=60"))
    assert "kuhn_poker/ismcts/30" in refusal("experiment", "run", "mine.toml")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("games_per_cell = 4", "adjudication.proven = true", "its matches have no adjudication; leave it out"),
        ("hidden.particles=50", "selection.exploration=1", "ismcts: no effect in kuhn_poker"),
        ('"kuhn_poker"', '"tic_tac_toe"', "ismcts: no effect in tic_tac_toe (no hidden information)"),
        ("games_per_cell = 4", 'positions = ["win-1"]', "a study of positions does not support such games yet"),
    ],
)
def test_what_a_study_cannot_have(
    refusal: Callable[..., str], in_empty_folder: Path, old: str, new: str, complaint: str
) -> None:
    study = STUDY.replace(old, new)
    Path("mine.toml").write_text(study.replace("opponent =", "#") if "positions" in new else study)
    assert complaint in refusal("experiment", "run", "mine.toml")
