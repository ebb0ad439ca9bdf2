"""No command replaces a file without `--force`, and a refusal comes before the work."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT

from ggp_agent.cli import COMMANDS, build_parser, main

KEPT = "the only copy"
# A command for each option that names a file to write. Most of them would work for minutes.
COMMAND_LINES = {
    "arena --out": "arena tic_tac_toe --a default --b default --games 100000 --simulations 10000",
    "bench --csv": "bench tic_tac_toe --cpu-seconds 500",
    "bench --chart": "bench tic_tac_toe --cpu-seconds 500",
    "convert --out": f"convert {ROOT}/kif_games/hex.kif --to infix",
    "dataset make --out": "dataset tic_tac_toe --n 100000",
    "dataset make --card": "dataset tic_tac_toe --n 100000 --out new.jsonl",
    "learn --export": "learn tic_tac_toe",
    "match --svg": "match tic_tac_toe --player agent agent --playclock 500",
    "measure --csv": "measure tic_tac_toe --games 100000",
    "measure --html": "measure tic_tac_toe --games 100000",
    "measure --markdown": "measure tic_tac_toe --games 100000",
    "search --tree": "search tic_tac_toe --seconds 500",
    "search --chart": "search tic_tac_toe --simulations 100000000",
    "tournament --csv": "tournament missing.toml",
    "tournament --html": "tournament missing.toml",
    "tune --chart": "tune tic_tac_toe --parameters selection.constant=0.1..2 --trials 1000 --simulations 10000",
    "match --record": "match tic_tac_toe --player agent agent --playclock 500",
    "play --record": "play tic_tac_toe",
}


pytestmark = pytest.mark.usefixtures("in_empty_folder")


@pytest.mark.parametrize("option", COMMAND_LINES)
def test_a_file_that_exists_is_refused_before_the_work(refusal: Callable[..., str], option: str) -> None:
    words = [*shlex.split(COMMAND_LINES[option]), option.split()[-1]]
    Path("taken.svg").write_text(KEPT)
    Path("folder.svg").mkdir()
    Path("link.svg").symlink_to("nowhere")
    os.mkfifo("pipe.svg")
    for name, reason in (
        ("taken.svg", "this exists already; name a new file, or replace it with --force"),
        ("link.svg", "this exists already; name a new file, or replace it with --force"),
        ("folder.svg", "this is a directory; give the path of a file"),
        ("pipe.svg", "this is not a regular file; give the path of a file"),
        ("taken.svg/new.svg", f"{Path('taken.svg').absolute()} is not a directory"),
    ):
        line = refusal(*words, name)
        assert line == f"{option.split()[-1]} {name}: {reason}"
    assert Path("taken.svg").read_text() == KEPT and sorted(map(str, Path().iterdir())) == [
        "folder.svg",
        "link.svg",
        "pipe.svg",
        "taken.svg",
    ]


def test_every_output_is_tested() -> None:
    found = set()
    for command in COMMANDS:
        parser = build_parser([command])
        (commands,) = (action for action in parser._actions if action.dest == "command")
        stack = [(command, commands.choices[command])]  # type: ignore[index]
        while stack:
            name, each = stack.pop()
            found |= {f"{name} {option}" for option, _, _ in each.get_default("outputs") or ()}
            for action in each._actions:
                if isinstance(action.choices, dict):
                    stack += [(f"{name} {word}", inner) for word, inner in action.choices.items()]
    assert found == set(COMMAND_LINES)


def test_force_replaces_a_file() -> None:
    command = shlex.split(f"convert {ROOT}/kif_games/hex.kif --to infix --out hex.hrf")
    Path("hex.hrf").write_text(KEPT)
    assert main([*command, "--force"]) == 0
    assert "role(" in Path("hex.hrf").read_text()
    arena = shlex.split("arena tic_tac_toe --a default --b default --games 2 --simulations 2 --out games.jsonl --force")
    Path("games.jsonl").write_text(KEPT)
    assert main(arena) == 0
    assert KEPT not in Path("games.jsonl").read_text() and len(Path("games.jsonl").read_text().splitlines()) == 2
    match = shlex.split("match tic_tac_toe --player legal legal --record m.json --svg m.svg --force")
    Path("m.json").write_text(KEPT)
    Path("m.svg").write_text(KEPT)
    assert main(match) == 0
    assert KEPT not in Path("m.json").read_text() + Path("m.svg").read_text()


def test_two_options_may_not_name_the_same_file(refusal: Callable[..., str]) -> None:
    line = refusal(*shlex.split("measure tic_tac_toe --games 100000 --csv a --html ./a"))
    assert line == "--html ./a: --csv names the same file"


def test_force_without_a_file_is_refused(refusal: Callable[..., str]) -> None:
    line = refusal(*shlex.split("search tic_tac_toe --seconds 500 --force"))
    assert line == "--force is for --tree and --chart; leave it out"


def test_force_is_allowed_beside_options_that_exclude_each_other(refusal: Callable[..., str]) -> None:
    Path("net.npz").write_text(KEPT)
    assert "game is called" in refusal(*shlex.split("learn nowhere --export net.npz --force"))
    assert "game is called" in refusal(*shlex.split("play nowhere --record net.npz --force"))
