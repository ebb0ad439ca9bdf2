"""Replay: recorded games of all kinds without differences, changed traces with one, files that are not traces."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cli_process
import pytest
from places import CORPUS
from quick import few

from gdl import NetworkMachine, ReferenceMachine, load_machine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.common.processes import family
from ggp_agent.verify.replay import AMBIGUOUS, list_hash, read_trace, replay

# One player and many, turns and simultaneous moves, recursion, rules for the initial state, nested terms, loops of
# positive recursion; none takes long to load.
GAMES = """
    3pffa 3pttc atariGoVariant_7x7 biddingTicTacToe blocker blocks2player blocksWorldParallel breakthrough
    breakthroughSmall cephalopodMicro chickentictactoe chomp circlesolitaire coins_atomic coloredtrails
    colonelBlotto connectFour connectFourSimultaneous doubletictactoe eightPuzzle
    factoringMutuallyAssuredDestruction ghostMaze2p gt_staghunt guess hanoi hidato19 incredible knightfight
    knightmove lightsOn maze max_knights minichess minichess-evilconjuncts nim1 numbertictactoe pancakes point_grab
    qyshinsu racetrackcorridor roshambo2 sheepAndWolf shmup snakeParallel sudokuGrade1 ticTacToe ticTacToeSerial
    tictactoe-init1 tictactoe_3d_6player tpeg tron_10x10 urmAdd wargame01
"""

# Three moves; every step records lists and hashes.
RULES = """
    (role r) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (legal r (go ?y)) (true (at ?x)) (succ ?x ?y)) (legal r stay)
    (<= (next (at ?y)) (does r (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does r stay))
    (<= terminal (true (at 4))) (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))
"""


def names() -> list[str]:
    """Choose the games that this copy of the corpus has."""
    return [name for name in GAMES.split() if (CORPUS / "traces" / f"{name}.json.gz").is_file()]


needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus of recorded games is not at {CORPUS}")


@pytest.mark.slow
@needs_corpus
def test_recorded_games_show_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(names()) >= 40
    traces = [str(CORPUS / "traces" / f"{name}.json.gz") for name in names()]
    status = main(["verify", *traces, "--rules", str(CORPUS / "rules"), "--jobs", "2", "--json"])
    shown = capsys.readouterr()
    assert status == 0, shown.err
    document = json.loads(shown.out)
    assert document["games"] == len(traces)
    assert document["differences"] == 0
    assert [game["game"] for game in document["per_game"]] == names()
    assert {game["machine"] for game in document["per_game"]} == {"network"}
    assert document["steps"] == sum(game["steps"] for game in document["per_game"]) > 1000
    assert all(game["seconds"] > 0 and game["differences"] == 0 for game in document["per_game"])


def record() -> dict[str, Any]:
    """Record one play-out of the rules above, by the reference, as the corpus does."""
    machine = ReferenceMachine(parse_sheet(RULES))
    state = machine.initial()
    trace: dict[str, Any] = {
        "roles": ["r"],
        "init": machine.fluents(state),
        "init_hash": list_hash(machine.fluents(state)),
        "init_terminal": False,
        "init_goal_sets": [["0"]],
    }
    steps = []
    for move in "(go 2)", "stay", "(go 3)", "(go 4)":
        legal = machine.legal(state, "r")
        state = machine.next(state, [move])
        fluents = machine.fluents(state)
        goals = [[str(goal) for goal in machine.goals(state, "r")]]
        step = {"legal_n": [len(legal)], "legal_hash": [list_hash(legal)], "legal": [sorted(legal)], "move": [move]}
        step |= {"n": len(fluents), "hash": list_hash(fluents), "next": fluents, "goal_sets": goals}
        steps.append(step | {"terminal": machine.terminal(state)})
    playout = {"steps": steps, "end": "terminal", "length": 4, "final_goal_sets": [["100"]]}
    return trace | {"playouts": [playout], "truncated": False}


def save(folder: Path, trace: object) -> str:
    """Write the rules and a trace into a folder; return the path of the trace."""
    (folder / "walk.kif").write_text(RULES)
    path = folder / "walk.json.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump(trace, file)
    return str(path)


@pytest.mark.parametrize("machine", ["any", "reference", "network"])
def test_a_correct_trace_has_no_differences(capsys: pytest.CaptureFixture[str], tmp_path: Path, machine: str) -> None:
    path = save(tmp_path, record())
    assert main(["verify", path, "--rules", str(tmp_path), "--machine", machine]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    line, total = shown.out.splitlines()
    assert line.split()[:4] == ["walk", "reference" if machine == "reference" else "network", "5", "steps"]
    assert line.endswith("same")
    assert total == "1 game, 5 steps, 0 differences"


def doctored(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    trace = record()
    change(trace)
    return trace


WRONG: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "hash of legal moves": (
        lambda t: t["playouts"][0]["steps"][1].update(legal_hash=[list_hash(["stay"])]),
        "walk, play-out 1, step 2, hash of legal moves",
    ),
    "legal moves": (
        lambda t: t["playouts"][0]["steps"][2].update(legal=[["(go 4)", "stay"]]),
        "walk, play-out 1, step 3, legal moves",
    ),
    "number of legal moves": (
        lambda t: t["playouts"][0]["steps"][0].update(legal_n=[3]),
        "walk, play-out 1, step 1, number of legal moves",
    ),
    "next state": (lambda t: t["playouts"][0]["steps"][0].update(next=["(at 3)"]), "walk, play-out 1, step 1, fluents"),
    "state hash": (
        lambda t: t["playouts"][0]["steps"][3].update(hash=list_hash(["(at 5)"])),
        "walk, play-out 1, step 4, state hash",
    ),
    "terminal": (lambda t: t["playouts"][0]["steps"][3].update(terminal=False), "walk, play-out 1, step 4, terminal"),
    "goals on the way": (
        lambda t: t["playouts"][0]["steps"][1].update(goal_sets=[["50"]]),
        "walk, play-out 1, step 2, goals",
    ),
    "final goals": (lambda t: t["playouts"][0].update(final_goal_sets=[[]]), "walk, play-out 1, step 4, goals"),
    "roles": (lambda t: t.update(roles=["q"]), "walk, initial state, roles"),
    "initial state": (lambda t: t.update(init=["(at 2)"]), "walk, initial state, fluents"),
    "initial hash": (lambda t: t.update(init_hash="0" * 40), "walk, initial state, state hash"),
    "initial goals": (lambda t: t.update(init_goal_sets=[["0", "100"]]), "walk, initial state, goals"),
}


@pytest.mark.parametrize("what", few(WRONG, 4))
def test_a_changed_trace_differs(capsys: pytest.CaptureFixture[str], tmp_path: Path, what: str) -> None:
    change, where = WRONG[what]
    path = save(tmp_path, doctored(change))
    assert main(["verify", path, "--rules", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0].endswith("1 difference")
    lines = shown.err.splitlines()
    assert lines[0] == f"first difference: {where}"
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["expected", "got", "moves so far", "state"]
    assert lines[1].split(":", 1)[1].strip() != lines[2].split(":", 1)[1].strip()

    assert main(["verify", path, "--rules", str(tmp_path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["differences"] == 1


def test_a_recorded_move_that_the_machine_does_not_have_is_a_difference(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = save(tmp_path, doctored(lambda t: t["playouts"][0]["steps"][1].update(move=["(go 7)"])))
    assert main(["verify", path, "--rules", str(tmp_path)]) == 1
    assert "(go 7)" in capsys.readouterr().err


def test_a_sheet_that_does_not_load_is_a_difference(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = save(tmp_path, record())
    (tmp_path / "walk.kif").write_text(RULES + "(<= (true x) terminal)")
    assert main(["verify", path, "--rules", str(tmp_path)]) == 1
    assert "first difference: walk, loading, rules" in capsys.readouterr().err


def test_differences_have_state_and_moves(tmp_path: Path) -> None:
    path = save(tmp_path, doctored(WRONG["next state"][0]))
    result = replay(Path(path), tmp_path, NetworkMachine)
    (difference,) = result.differences
    assert (result.game, result.machine, result.steps) == ("walk", "network", 5)
    assert (difference.expected, difference.got) == ('["(at 3)"]', '["(at 2)"]')
    assert (difference.state, difference.moves) == (["(at 2)"], ["(go 2)"])


def nested(folder: Path) -> None:
    with gzip.open(folder / "walk.json.gz", "wt") as file:
        file.write("[" * 100_000)


def damaged(folder: Path) -> None:
    data = bytearray(gzip.compress(b"{}" * 1000))
    data[12] ^= 0xFF
    (folder / "walk.json.gz").write_bytes(data)


def no_json(folder: Path) -> None:
    with gzip.open(folder / "walk.json.gz", "wt") as file:
        file.write("{")


def cut_short(folder: Path) -> None:
    data = (folder / "walk.json.gz").read_bytes()
    (folder / "walk.json.gz").write_bytes(data[: len(data) // 2])


BAD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "missing": (lambda folder: (folder / "walk.json.gz").unlink(), "walk.json.gz: the file does not exist"),
    "not gzipped": (lambda folder: (folder / "walk.json.gz").write_text("{}"), "walk.json.gz: this is not a trace"),
    "cut short": (cut_short, "walk.json.gz: this is not a trace"),
    "nested": (nested, "walk.json.gz: this is not a trace"),
    "damaged": (damaged, "walk.json.gz: this is not a trace"),
    "no JSON": (no_json, "walk.json.gz: this is not a trace"),
    "a list": (lambda folder: save(folder, [1, 2]), "the key 'playouts' is missing"),
    "other keys": (lambda folder: save(folder, {"roles": []}), "the key 'playouts' is missing"),
    "half the keys": (lambda folder: save(folder, {"playouts": []}), "the key 'roles' is missing"),
    "wrong play-outs": (
        lambda folder: save(folder, {**record(), "playouts": [{"steps": [{}]}]}),
        "walk.json.gz: this is not a trace",
    ),
    "without its rules": (lambda folder: (folder / "walk.kif").unlink(), "walk.kif: the rule sheet of the trace"),
}


@pytest.mark.parametrize("what", BAD)
def test_files_that_are_not_traces_are_reported_in_one_line(
    refusal: Callable[..., str], tmp_path: Path, what: str
) -> None:
    path = save(tmp_path, record())
    change, message = BAD[what]
    change(tmp_path)
    assert message in refusal("verify", path, "--rules", str(tmp_path))


def test_a_missing_folder_of_rules_is_reported(refusal: Callable[..., str], tmp_path: Path) -> None:
    assert "nowhere: the folder does not exist" in refusal(
        "verify", save(tmp_path, record()), "--rules", str(tmp_path / "nowhere")
    )


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.2, 0.5])  # while processes start, and behind it
def test_an_interrupt_is_quiet_at_any_time(tmp_path: Path, seconds: float) -> None:
    path = save(tmp_path, record())
    process = cli_process.start(
        "verify", *[path] * 500, "--rules", str(tmp_path), "--jobs", "2", start_new_session=True
    )
    while sys.platform == "linux" and len(family(process.pid)) == 1:
        assert process.poll() is None
        time.sleep(0.005)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in err


def test_traces_read_back(tmp_path: Path) -> None:
    assert read_trace(Path(save(tmp_path, record()))) == record()


@needs_corpus
def test_the_other_reading_of_ambiguous_rules_passes_by_name() -> None:
    result = replay(CORPUS / "traces" / "test_case_3a.json.gz", CORPUS / "rules", load_machine)
    assert result.ambiguity == AMBIGUOUS["test_case_3a"]
    assert not result.differences
    folders = (CORPUS / "rules", CORPUS / "gdl2" / "rules")
    assert all(any((folder / f"{game}.kif").is_file() for folder in folders) for game in AMBIGUOUS)


@needs_corpus
def test_steps_and_play_outs_can_be_limited() -> None:
    trace = CORPUS / "traces" / "ticTacToe.json.gz"
    assert replay(trace, CORPUS / "rules", load_machine, playouts=2, steps=3).steps == 1 + 2 * 3


def xml_trace(moves: list[str]) -> str:
    """Return a play-out of RULES as game controllers write it."""
    machine = ReferenceMachine(parse_sheet(RULES))
    state, steps = machine.initial(), []
    for number, move in enumerate([*moves, ""], start=1):
        fluents = "".join(f"<fluent>{fluent}</fluent>" for fluent in machine.fluents(state))
        legal = "".join(f'<move role="r">{each}</move>' for each in machine.legal(state, "r"))
        played = f'<legal_moves>{legal}</legal_moves><moves><move role="r">{move}</move></moves>'
        last = "<terminal/><goal_values><goal_value role='r'>100</goal_value></goal_values>"
        steps.append(f"<step nb='{number}'>\n<state>{fluents}</state>{played if move else last}</step>")
        if move:
            state = machine.next(state, [move])
    return f"<?xml version='1.0'?>\n<gametrace><game>small</game><steps>{''.join(steps)}</steps></gametrace>"


def test_traces_of_game_controllers_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, trace = tmp_path / "small.kif", tmp_path / "small.trace.xml"
    rules.write_text(RULES)
    text = xml_trace(["(go 2)", "stay", "(go 3)", "(go 4)"])
    trace.write_text(text)
    words = [str(trace), "--rules", str(tmp_path)]
    assert main(["verify", *words]) == 0
    assert ", 5 steps, 0 differences" in capsys.readouterr().out
    assert main(["records", "check", str(trace), "--rules", str(rules)]) == 0
    for changed, what in (
        (text.replace('<move role="r">stay</move></legal', "</legal"), "legal moves"),
        (text.replace("(at 3)", "(at 4)"), "fluents"),
        (text.replace(">100<", ">50<"), "goals"),
    ):
        trace.write_text(changed)
        assert changed != text and main(["verify", *words]) == 1
        assert what in capsys.readouterr().err
    for broken in (text[:-20], text.replace("<moves>", "<other>").replace("</moves>", "</other>"), "<gametrace/>"):
        trace.write_text(broken)
        assert main(["verify", *words]) == 2
        assert capsys.readouterr().err.startswith(f"ggp-agent: error: {trace}: this is not a trace: ")
