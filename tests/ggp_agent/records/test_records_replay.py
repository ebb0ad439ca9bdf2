"""Recorded matches: replay in the terminal, and comparison with the rules."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recorded import as_others_write, played, played_on, write
from small_games import CARDS, COUNTING, NIM

from gdl import ReferenceMachine, load_machine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.game.load import load_game
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.record_check import RecordDifference, check
from ggp_agent.records.record_rules import keep_rules
from ggp_agent.records.viewer import HELP, RecordViewer


@pytest.fixture(autouse=True)
def files(in_empty_folder: Path) -> None:
    for name, rules in (("nim", NIM), ("counting", COUNTING), ("cards", CARDS)):
        Path(f"{name}.kif").write_text(rules)


Run = Callable[..., tuple[list[str], list[str]]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `records`; return the lines of stdout and stderr."""

    def records(*arguments: str, status: int = 0) -> tuple[list[str], list[str]]:
        assert main(["records", *arguments]) == status
        shown = capsys.readouterr()
        return shown.out.splitlines(), shown.err.splitlines()

    return records


def saved(record: MatchRecord, name: str = "m.json") -> str:
    return str(write(Path(name), record.document()))


# ---- comparison with the rules


def test_a_fluent_named_true_is_recorded_and_read_back(run: Run) -> None:
    Path("odd.kif").write_text(
        "(role r) (init (true (at 0))) (init (at 0)) (legal r go) (<= (next (at 1)) (does r go))"
        "(<= terminal (true (at 1))) (goal r 100)"
    )
    path = saved(played("odd.kif", seed=3))
    assert run("check", path, "--rules", "odd.kif")[0][0].endswith(": same, 1 turn")


@pytest.mark.parametrize("game", ["nim.kif", "counting.kif", "cards.kif", "connect_four", "checkers", "lights_out"])
def test_valid_records_have_no_differences(game: str) -> None:
    record = played(game, seed=3)
    sheet = load_game(game).sheet
    machines = [load_machine(sheet)] if len(record.moves) > 50 else [load_machine(sheet), ReferenceMachine(sheet)]
    for machine in machines:
        assert check(record, machine) == []
    others = json.loads(json.dumps(as_others_write(record, shouted=True)))
    from ggp_agent.records.read_record import record_of

    assert check(record_of(others, "m"), machines[0]) == []


def changed(record: MatchRecord, **fields: Any) -> MatchRecord:
    for name, value in fields.items():
        setattr(record, name, value)
    return record


def test_each_difference_is_found() -> None:
    machine = ReferenceMachine(parse_sheet(NIM))

    def nim() -> MatchRecord:
        return played("nim.kif", seed=1)

    good = nim()
    last = len(good.moves)
    state = [*good.states[2][:-1], "(heap 0)"]
    cases: list[tuple[MatchRecord, list[tuple[int, str]]]] = [
        (changed(nim(), roles=("second", "first")), [(0, "roles")]),
        (changed(nim(), moves=[["(take 3)", "noop"], *good.moves[1:]]), [(1, "move of first"), (1, "state")]),
        (changed(nim(), moves=[*good.moves[:1], ["(take 1)", "(take 1)"], *good.moves[2:]]), [(2, "move of first")]),
        (changed(nim(), goals=good.goals[::-1]), [(last, "goals")]),
        (changed(nim(), goals=[None, 100]), [(last, "goals")]),
        (
            changed(nim(), states=[*good.states[:2], state, *good.states[3:]]),
            [(2, "state"), (3, "end")],
        ),
        (changed(nim(), states=[[*good.states[0], "(heap 2)"], *good.states[1:]]), [(0, "state"), (1, "state")]),
        (changed(nim(), moves=good.moves[:-1], states=good.states[:-1]), [(last - 1, "end"), (last - 1, "goals")]),
        (
            changed(nim(), moves=[*good.moves, ["noop", "noop"]], states=[*good.states, good.states[-1]]),
            [(last + 1, "end")],
        ),
        (changed(nim(), errors=[["", ""], ["IL (take 1)", ""]] + [["", ""]] * (last - 1)), [(1, "error of first")]),
        (changed(nim(), errors=[["", ""], ["IL (take 9)", "TO"]] + [["", ""]] * (last - 1)), []),
        (changed(nim(), states=[]), []),
    ]
    for record, differences in cases:
        found = check(record, machine)
        assert [(each.turn, each.what) for each in found][: len(differences)] == differences
        assert bool(found) == bool(differences)
    (goals,) = check(changed(nim(), goals=[7, 7]), machine)
    by_rules = " ".join(map(str, good.goals))
    assert str(goals) == f"turn {last}, goals: {by_rules} by the rules, 7 7 in the record"


def test_check_command(run: Run) -> None:
    played("connect_four").write(Path("matches/c.json"))
    played("tic_tac_toe").write(Path("matches/t.json"))
    out, err = run("check", "matches")
    assert [line.split(":")[1].split(",")[0] for line in out] == [" same", " same"] and err == []
    wrong = changed(played("tic_tac_toe", match="wrong"), goals=[1, 2])
    wrong.write(Path("matches/wrong.json"))
    out, err = run("check", "matches", status=1)
    assert out[2].startswith("wrong: 1 difference, ") and out[3].strip().endswith("1 2 in the record")
    (checked,) = json.loads("\n".join(run("check", "wrong", "--json", status=1)[0]))["records"]
    assert [each["what"] for each in checked["differences"]] == ["goals"]
    # For a game outside the catalogue, the rules of the match must be given.
    saved(played("nim.kif"))
    out, err = run("check", "m.json", status=2)
    assert out == [] and err == [
        "ggp-agent: error: m.json: the rules of nim are not known: the catalogue has no game of that name; "
        "name them with --rules GAME"
    ]
    assert run("check", "m.json", "--rules", "nim.kif", "--machine", "reference")[0][0].startswith("nim.1: same, ")
    keep_rules(load_game("nim.kif"), Path())  # the rules beside the record, as `play` stores them
    assert run("check", "m.json")[0][0].startswith("nim.1: same, ")
    assert "nim.1" in json.loads("\n".join(run("analyse", "m.json", "--simulations", "10", "--json")[0]))["match"]
    shutil.rmtree(".rules")
    assert (
        "tic_tac_toe: these are not the rules of nim.1; name its rules, or leave them out"
        in run("check", "m.json", "--rules", "tic_tac_toe", status=2)[1][0]
    )
    Path("tic_tac_toe.kif").write_text(NIM)
    saved(played("tic_tac_toe.kif"))
    assert "the catalogue has other rules of that name" in run("check", "m.json", status=2)[1][0]
    # The name of a game in a record is not used as a path, and its length is limited.
    for name in ("nim.kif", "./nim.kif", "/dev/zero", "fast_nim", "fast_../nim.kif", "x" * 5000):
        saved(changed(played("nim.kif"), game=name))
        (line,) = run("check", "m.json", status=2)[1]
        assert "are not known: the catalogue has no game of that name" in line and len(line) < 240
    # For a match of another manager, any rules may be given.
    write(Path("o.json"), as_others_write(played("tic_tac_toe"), shouted=True))
    assert run("check", "o.json", "--rules", "tic_tac_toe")[0][0].startswith("tic_tac_toe.1: same, ")
    assert "differences" in run("check", "o.json", "--rules", "connect_four", status=1)[0][0]
    assert run("check", "o.json", "--rules", "nowhere.kif", status=2)[1] == [
        "ggp-agent: error: o.json: nowhere.kif: no such file or directory"
    ]


# ---- replay


def test_replay_without_a_terminal(run: Run) -> None:
    record = played("tic_tac_toe", seed=5)
    record.errors[1][0] = "TO"
    out, err = run("replay", saved(record))
    assert err == ["checked by the rules of tic_tac_toe: same"]
    assert out[:8] == [
        "beginning",
        "3 . . .   turn x",
        "2 . . .",
        "1 . . .",
        "  1 2 3",
        "",
        f"turn 1: x {record.moves[0][0]} 0.00 s [TO] o noop 0.12 s",
        out[7],
    ]
    column, row = record.moves[0][0].strip("()").split()[1:]
    assert out[7 + 3 - int(row)].split()[int(column)] == "x"
    assert out[-1] == f"the game is over, goals: x {record.goals[0]}, o {record.goals[1]}"
    assert run("replay", "m.json", "--all") == (out, err)
    late, _ = run("replay", "m.json", "--turn", "3")
    assert late[0].startswith("turn 3:") and late == out[-len(late) :]
    started = time.monotonic()
    assert run("replay", "m.json", "--turn", str(len(record.moves) - 1), "--delay", "0.3")[0] == out[-12:]
    assert time.monotonic() - started >= 0.3
    assert run("replay", "m.json", "--turn", "99", status=2)[1][-1].endswith(
        f"--turn 99: the record has turns 0 to {len(record.moves)}"
    )


def test_replay_shows_differences(run: Run) -> None:
    record = changed(played("tic_tac_toe"), goals=[1, 2])
    out, err = run("replay", saved(record), status=1)
    assert err == ["checked by the rules of tic_tac_toe: 1 difference"]
    assert out[-2].startswith("! turn ") and out[-2].endswith(" by the rules, 1 2 in the record")
    out, err = run("replay", "m.json", "--no-check")
    assert err == [] and not [line for line in out if line.startswith("!")]


def test_replay_of_incomplete_matches(run: Run) -> None:
    assert run("replay", saved(played("tic_tac_toe", turns=2)))[0][-1] == (
        "the record ends here, before the end of the game"
    )
    aborted = changed(played("tic_tac_toe", turns=2), aborted=True)
    assert run("replay", saved(aborted))[0][-1] == "the match was aborted"
    document = played("tic_tac_toe", turns=2).document()
    document |= {"states": document["states"][:2], "stateTimes": [], "errors": []}
    write(Path("m.json"), document)
    out = run("replay", "m.json")[0]
    assert out[-3].startswith("turn 2:") and out[-2] == "the state after this move was not recorded"


def test_games_without_a_board_show_changes(run: Run) -> None:
    record = played("nim.kif")
    out, err = run("replay", saved(record))
    assert err[0].startswith("not checked: the rules of nim are not known")
    assert out[:3] == ["beginning", "(control first)", "(heap 5)"]
    assert out[5:7] == ["- (control first)", "- (heap 5)"] and out[7] == "+ (control second)"
    out, err = run("replay", "m.json", "--rules", "nim.kif", "--turn", "1")
    assert err == ["checked by the rules of nim: same"] and out[1:3] == record.states[1]


def test_boards_of_native_games(run: Run) -> None:
    # The picture is drawn from the reference sheet, under any name.
    record = played("breakthrough_6x6", seed=2)
    out, _ = run("replay", saved(record))
    assert out[1:8] == [
        "6 b b b b b b   white to move",
        "5 b b b b b b",
        *["4 . . . . . .", "3 . . . . . ."],
        *out[5:7],
        "  a b c d e f",
    ]
    # Within a turn of several moves, the picture is drawn from the fluents.
    amazons = run("replay", saved(played("amazons_6x6", turns=2)))[0]
    assert sum(line == "  a b c d e f" for line in amazons) == 2
    # In the notation of players.
    game = load_game("fast:breakthrough_6x6")
    fast = played_on(game, game.machine(), seed=4)
    out, err = run("replay", saved(fast))
    assert err == ["checked by the rules of breakthrough_6x6: same"]
    assert out[1] == "6 b b b b b b   white to move"
    assert f"turn 1: white {fast.moves[0][0]} 0.00 s black noop 0.12 s" in out
    (first, *_), _ = run("check", "m.json")
    assert first == f"fast_breakthrough_6x6.4: same, {len(fast.moves)} turns"


def test_boards_without_rules(run: Run) -> None:
    write(Path("o.json"), as_others_write(played("tic_tac_toe"), shouted=True))
    out, err = run("replay", "o.json")
    assert err == [
        "not checked: the rules of TIC_TAC_TOE are not known: the catalogue has no game of that name; "
        "name them with --rules GAME"
    ]
    assert out[1:5] == ["3 . . .   turn x", "2 . . .", "1 . . .", "  1 2 3"] and out[6].startswith("turn 1: 1 (MARK ")
    out, err = run("replay", "o.json", "--rules", "lights_out", status=1)
    assert [line for line in out if line.startswith("turn 1: 1 (MARK ")] and "difference" in err[0]
    out, err = run("replay", "o.json", "--rules", "tic_tac_toe")
    assert err == ["checked by the rules of tic_tac_toe: same"] and out[6].startswith("turn 1: x (MARK ")


def test_stepping() -> None:
    record = played("tic_tac_toe")
    last = len(record.moves)
    said: list[str] = []
    replay = RecordViewer(record, record.roles, say=said.append)
    typed = iter(["", "n", "b", "0", "b", "99", "what", "all", "", "2", "q"])
    prompts = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return next(typed)

    replay.step(0, read)
    heads = [text.splitlines()[0].split(":")[0] for text in said]
    assert heads[:6] == ["beginning", "turn 1", "turn 2", "turn 1", "beginning", "beginning"]
    assert said[6] == f"there is no turn 99; the record has 0 to {last}" and said[7] == HELP
    assert heads[8:-2] == [f"turn {number}" for number in range(1, last + 1)]
    assert said[-2] == "this is the end; b goes back, q leaves" and heads[-1] == "turn 2"
    assert prompts[:3] == [f"turn {number} of {last}> " for number in (0, 1, 2)]
    assert prompts[-1] == f"turn 2 of {last}> "
    with contextlib.suppress(StopIteration):
        replay.step(3, read)
    assert said[-1].startswith("turn 3:")


def test_notes_are_shown_at_their_turns() -> None:
    record = played("nim.kif")
    said: list[str] = []
    differences = [RecordDifference(1, "state", "this", "that")]
    RecordViewer(record, record.roles, differences=differences, say=said.append).run()
    turns = [text for text in said if text]
    assert (
        turns[1].endswith("! turn 1, state: this by the rules, that in the record") and "!" not in turns[0] + turns[2]
    )


def test_stepping_on_a_terminal() -> None:
    """A process on a pseudo-terminal waits for a line after each turn, and ends at the end of input."""
    saved(played("tic_tac_toe"))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ggp_agent", "records", "replay", "m.json"],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    shown = ""

    def until(text: str) -> None:
        nonlocal shown
        while text not in shown:
            assert select.select([ours], [], [], 30)[0], shown
            shown += os.read(ours, 4096).decode()

    try:
        until("turn 0 of ")
        assert "turn 1:" not in shown
        os.write(ours, b"\n")
        until("turn 1 of ")
        assert "turn 1: x" in shown and "turn 2:" not in shown
        os.write(ours, b"\x04")
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
