"""Matches with text players: programs that read requests and write moves, and programs that fail."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exploding_sheets import is_alive
from match_hosting import TURNS, Notes, check, ended, errors_of, long_game, new_record, run_match, start_manager
from quick import few
from text_programs import HEAD
from waiting import wait_for

from ggp_agent.cli import main
from ggp_agent.game.load import load_game
from ggp_agent.manager.conditions import Conditions
from ggp_agent.manager.seats import Seat, TextSeat
from ggp_agent.protocol.clocks import Deadline
from ggp_agent.protocol.text_command import TextCommand
from ggp_agent.protocol.text_process import MAX_ANSWER_BYTES, MAX_LOG_LINES, TextAnswerError, TextProcess
from ggp_agent.records.match_record import MatchRecord

GOOD = "for request in requests(): answer(request['legal'][-1])"
WAIT = "for request in requests(): answer('wait')"


def words(folder: Path, program: str) -> list[str]:
    path = folder / "player.py"
    path.write_text(HEAD + program)
    return [sys.executable, str(path)]


def requests_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "requests").read_text().splitlines()]


def pids_of(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "pids").read_text().split()]


def play(
    folder: Path,
    program: str,
    *,
    retries: int = 1,
    strict: bool = False,
    play_clock: float = 20.0,
    tolerance: float = 0.0,
    settings: dict[str, str] | None = None,
    at: dict[int, Callable[[], None]] | None = None,
    **options: Any,
) -> tuple[MatchRecord, Notes]:
    """Host a match of the long game: a text player against random moves; no process of it remains."""
    record, notes = new_record(play_clock), Notes(at)
    record.start_clock = play_clock
    conditions = Conditions(tolerance=tolerance, **options)
    with TextProcess(words(folder, program), folder=folder, note=notes.note) as process:
        text = TextSeat(process, TextCommand(("player",), retries, strict, **settings or {}))
        seats = [Seat("left", "one", None, text=text), Seat("right", "two", None)]
        run_match(long_game(), seats, record, observer=notes, conditions=conditions)
    check(record)
    assert not [pid for pid in pids_of(folder) if is_alive(pid)]
    return record, notes


def test_a_program_plays_a_match_with_complete_requests(tmp_path: Path) -> None:
    record, notes = play(tmp_path, GOOD)
    assert {error for errors in record.errors for error in errors} == {""}
    assert record.extra["retriedAnswers"] == [0, 0] and notes.lines == []
    requests = requests_of(tmp_path)
    assert [each["turn"] for each in requests] == list(range(1, TURNS + 1))
    for number, request in enumerate(requests):
        assert (request["version"], request["type"], request["attempt"], request["error"]) == (1, "turn", 1, "")
        assert (request["game"], request["role"], request["roles"]) == ("game", "left", ["left", "right"])
        assert request["state"] == sorted(record.states[number]) and request["history"] == record.moves[:number]
        assert request["legal"] == sorted(request["legal"]) and record.moves[number][0] == request["legal"][-1]
        for part in (
            request["rules"],
            *request["state"],
            *request["legal"],
            *(" ".join(each) for each in record.moves[:number]),
        ):
            assert part in request["prompt"]
    assert 20 < requests[0]["seconds"] <= 40 and 0 < requests[1]["seconds"] <= 20
    assert len(pids_of(tmp_path)) == 1


def test_a_program_may_answer_one_request_and_exit(tmp_path: Path) -> None:
    record, _ = play(tmp_path, "answer(len(next(requests())['legal']))")
    assert errors_of(record, 0) == [""] * (TURNS + 1)
    assert len(pids_of(tmp_path)) == TURNS
    assert [moves[0] for moves in record.moves] == [each["legal"][-1] for each in requests_of(tmp_path)]


def test_invalid_answers_are_requested_again_with_the_reason(tmp_path: Path) -> None:
    program = (
        "for r in requests():\n"
        "    bad = '(Wave 99)' if r['turn'] == 2 else '( WAIT'\n"
        "    answer(bad if r['attempt'] < 2 + (r['turn'] == 2) else 'wait')"
    )
    record, notes = play(tmp_path, program, retries=2)
    assert errors_of(record, 0) == [""] * (TURNS + 1)
    assert record.extra["retriedAnswers"] == [TURNS + 1, 0]
    second = [each for each in requests_of(tmp_path) if each["turn"] == 2]
    assert [each["attempt"] for each in second] == [1, 2, 3]
    assert "(Wave 99) is not a legal move" in second[1]["error"] and second[1]["error"] in second[1]["prompt"]
    assert any(line.endswith("answers: 13 retried") for line in notes.lines)


@pytest.mark.parametrize(
    ("program", "code", "retried"),
    [
        ("for r in requests(): answer('(Wave 99)')", "IL (Wave 99)", TURNS),
        ("for r in requests(): answer('no ( move')", "IN no ( move", TURNS),
        ("for r in requests(): answer(99)", "IL 99", TURNS),
        (f"for r in requests(): answer('wait' * {MAX_ANSWER_BYTES})", "IN", TURNS),
        ("next(requests())\nsys.exit(3)", "CE", 0),
        ("sys.exit()", "CE", 0),
    ],
)
def test_a_random_move_replaces_each_invalid_answer(tmp_path: Path, program: str, code: str, retried: int) -> None:
    record, notes = play(tmp_path, program)
    assert errors_of(record, 0) == ["", *[code] * TURNS]
    assert record.extra["retriedAnswers"] == [retried, 0]
    assert len([line for line in notes.lines if "instead" in line]) == TURNS
    if code == "CE":  # a program that never answers is restarted three times
        assert len(pids_of(tmp_path)) == 4


# Forms of the last legal move, as Python expressions.
FORMS = """[f'{n}. {move}', f'{n}) {move}', f'{n}.', f'#{n}', f'{move}.', f'{move},', f'`{move}`', f'**{move}**',
 move.strip('()') + ',', json.dumps(move), f'Answer: {move}', json.dumps({'move': n})]
"""


@pytest.mark.parametrize("strict", [False, True])
def test_forms_that_name_one_legal_move_are_repaired(tmp_path: Path, strict: bool) -> None:
    program = f"for r in requests():\n    move, n = r['legal'][-1], len(r['legal'])\n    answer({FORMS}[r['turn'] - 1])"
    record, notes = play(tmp_path, program, retries=0, strict=strict)
    assert sum(error != "" for error in errors_of(record, 0)) == (TURNS if strict else 0)
    assert record.extra["repairedAnswers"] == [0 if strict else TURNS, 0] and record.extra["retriedAnswers"] == [0, 0]
    assert strict or [line.partition("answers: ")[2] for line in notes.lines] == [f"{TURNS} repaired"]


# Answers of several lines that name the last legal move, as Python expressions.
BLOCKS = r"""[f'```\n{move}\n```', f'```kif\n\n{move}\n```', f'~~~\n{move}\n~~~', f'```json\n{json.dumps(each)}\n```',
 json.dumps(each, indent=1), f'<think>\nwait?\n\n</think>\n{move}', f'<think>wait\n</think>\n\n```\n{n}\n```',
 f'<reasoning>\n```\nwait\n```\n</reasoning> {n}', f'<answer>\n{move}\n</answer>', f'Move:\n{move}',
 f'<think>a</think>\n{move}', f'<think>{"x" * 9000}\n</think>\n{json.dumps(each, indent=2)}']
"""


def test_answers_may_have_several_lines(tmp_path: Path) -> None:
    program = (
        "for r in requests():\n    move, n = r['legal'][-1], len(r['legal'])\n    each = {'move': move}\n"
        f"    answer({BLOCKS}[r['turn'] - 1])"
    )
    record, _ = play(tmp_path, program, retries=0)
    assert errors_of(record, 0) == [""] * (TURNS + 1) and record.extra["repairedAnswers"] == [TURNS, 0]
    assert [moves[0] for moves in record.moves] == [each["legal"][-1] for each in requests_of(tmp_path)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["```\none\n", "two"], "two"),  # the answer to the first request has no end
        (["<think>\nand so on", "```\ntwo\n```"], "```\ntwo\n```"),
        (["{", "two"], "two"),
        (["", "```\none\n```\ntwo"], "two"),  # a late answer of several lines counts as one answer
        (["```\none", "two\n```\nthree"], "two"),
    ],
)
def test_an_unfinished_answer_costs_one_request(tmp_path: Path, answers: list[str], expected: str) -> None:
    program = f"for r in {answers!r}:\n    sys.stdin.readline()\n    if r: answer(r)"
    with TextProcess(words(tmp_path, program), folder=tmp_path) as process:
        with pytest.raises(TextAnswerError, match="in time") as error:
            process.ask("1", Deadline(1.0))
        assert ("but not completed it" in str(error.value)) is bool(answers[0])
        assert process.ask("2", Deadline(20.0)) == expected


def test_an_answer_of_several_lines_is_bounded_and_ends_with_the_program(tmp_path: Path) -> None:
    program = (
        "sys.stdin.readline()\nanswer('```\\n' + ('x' * 999 + '\\n') * 99 + '```')\n"
        "sys.stdin.readline()\nanswer('```\\nmove')"
    )
    with TextProcess(words(tmp_path, program), folder=tmp_path) as process:
        with pytest.raises(TextAnswerError, match="longer than") as error:
            process.ask("1", Deadline(20.0))
        assert error.value.code == "IN"
        assert process.ask("2", Deadline(20.0)) == "```\nmove"


def test_requests_without_legal_moves(tmp_path: Path) -> None:
    program = "for r in requests(): answer('1' if r['turn'] == 2 else 'Wait.' if r['turn'] == 3 else 'wait')"
    record, _ = play(tmp_path, program, retries=0, settings={"moves": "no"})
    assert errors_of(record, 0) == ["", "", "IL 1", *[""] * (TURNS - 2)]  # without the list, numbers name no move
    assert record.extra["repairedAnswers"] == [1, 0]
    (request, *_) = requests_of(tmp_path)
    assert "legal" not in request and "1. " not in request["prompt"].partition("Turn 1.")[2]
    assert "the second argument of legal" in request["prompt"]


@pytest.mark.parametrize("strict", [False, True])
def test_answers_as_json(tmp_path: Path, strict: bool) -> None:
    answers = ["wait", '{"move": 1}', '```\n{"move": "wait"}\n```']
    program = (
        f"for r in requests():\n    move = {{'move': r['schema']['properties']['move']['enum'][0]}}\n"
        f"    answer([*{answers!r}, *[json.dumps(move)] * {TURNS}][r['turn'] - 1])"
    )
    record, _ = play(tmp_path, program, retries=0, strict=strict, settings={"answer": "json"})
    codes = ["IN wait", 'IN {"move": 1}', 'IN ``` {"move": "wait"} ```'] if strict else [""] * 3
    assert errors_of(record, 0) == ["", *codes, *[""] * (TURNS - 3)]
    assert record.extra["repairedAnswers"] == [0 if strict else 3, 0]
    prompt = requests_of(tmp_path)[0]["prompt"]
    assert prompt.endswith(json.dumps(requests_of(tmp_path)[0]["schema"])) and "\n1. " not in prompt


def test_the_state_as_json(tmp_path: Path) -> None:
    play(tmp_path, WAIT, settings={"board": "json"})
    state = json.loads(requests_of(tmp_path)[1]["prompt"].partition("present goals:\n")[2].partition("\n")[0])
    assert state == {"roles": ["left", "right"], "fluents": ["(step 1)"], "goals": {"left": 50, "right": 50}}


def test_the_state_as_a_board(tmp_path: Path, in_empty_folder: Path) -> None:
    words(tmp_path, "for r in requests(): answer(r['legal'][0])")
    player = f"exec:{sys.executable} player.py?board=text"
    options = ["--startclock", "20", "--playclock", "20", "--max-turns", "2", "--record", "m.json"]
    assert main(["match", "tic_tac_toe", "--player", player, "legal", *options]) == 0
    assert "The state:\n3 . . .   turn o\n2 . . .\n1 x . .\n  1 2 3\n\nTurn 2." in requests_of(tmp_path)[1]["prompt"]


@pytest.mark.parametrize(
    ("game", "options", "expected"),
    [
        ("tic_tac_toe", ["--scramble"], "tic_tac_toe: board=json is not possible with invented names; remove it"),
        ("kuhn_poker", [], "kuhn_poker: board=json is not possible with a game that hides information; remove it"),
    ],
)
def test_a_form_of_the_state_without_effect_is_refused(
    game: str, options: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = ["--record", str(tmp_path / "m.json")]
    assert main(["match", game, "--player", "exec:cat?board=json", "legal", *options, *record]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"ggp-agent: error: exec:cat?board=json: {expected}"


def test_late_answers_are_dropped_and_the_next_answer_counts(tmp_path: Path) -> None:
    program = (
        "for r in requests():\n    while r['turn'] == 3 and not os.path.exists('go'): time.sleep(0.01)\n"
        "    answer(r['legal'][0])"
    )
    record, notes = play(tmp_path, program, play_clock=1.5, at={4: (tmp_path / "go").touch})
    errors = errors_of(record, 0)
    assert [turn for turn, error in enumerate(errors) if error] == [3] and errors[3] == "TO"
    played = {each["turn"]: each["legal"][0] for each in requests_of(tmp_path)}
    for turn in (turn for turn in range(1, TURNS + 1) if not errors[turn]):
        assert record.moves[turn - 1][0] == played[turn]
    assert any("has not answered in time" in line for line in notes.lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "codes"),
    few(
        [
            ("while True: time.sleep(60)", {"TO"}),
            ("while True: print('nonsense ' * 100)", {"IL", "IN", "TO"}),
            ("while True: sys.stdout.write('x' * 100_000)", {"IN", "TO"}),
            ("os.close(0)\ntime.sleep(60)", {"TO", "CE"}),
            ("os.close(1)\ntime.sleep(60)", {"TO", "CE"}),
            ("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)", {"TO"}),
            ("if os.fork() == 0: signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)", {"TO"}),
        ],
        2,
    ),
)
def test_no_program_delays_a_match_beyond_its_clocks(tmp_path: Path, program: str, codes: set[str]) -> None:
    began = time.monotonic()
    record, _ = play(tmp_path, program, play_clock=0.1)
    assert {error[:2] for error in errors_of(record, 0)[1:]} <= codes
    assert time.monotonic() - began < 60


def test_the_output_on_stderr_is_limited(tmp_path: Path) -> None:
    noise = "for _ in range(100_000): print('noise ' * 20, file=sys.stderr)\n"
    record, notes = play(tmp_path, noise + WAIT)
    assert errors_of(record, 0) == [""] * (TURNS + 1)
    assert len(notes.lines) == MAX_LOG_LINES + 1 and notes.lines[-1].endswith("further lines on stderr are not shown")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("raise ValueError('my mistake')", r"has ended \(status 1\) without an answer; .*ValueError: my mistake"),
        ("import os; os.kill(os.getpid(), 11)", r"has ended \(SIGSEGV\)"),
        ("import os, time; os.close(1); time.sleep(60)", "has closed its input or its output"),
    ],
)
def test_the_error_describes_the_end_of_the_program(program: str, expected: str) -> None:
    with TextProcess([sys.executable, "-c", program]) as process:
        with pytest.raises(TextAnswerError, match=expected) as error:
            process.ask("{}", Deadline(20))
        assert error.value.code == "CE"


def test_a_large_request_reaches_a_slow_reader(tmp_path: Path) -> None:
    program = words(tmp_path, "time.sleep(0.5)\nfor r in requests(): answer(len(r))")
    with TextProcess(program, folder=tmp_path) as process:
        assert process.ask(json.dumps("x" * 1_000_000), Deadline(20)) == "1000000"


def test_scrambled_names_hide_the_names_of_the_rules(tmp_path: Path) -> None:
    record, _ = play(tmp_path, GOOD, scramble_seed=7)
    assert errors_of(record, 0) == [""] * (TURNS + 1)
    for request in requests_of(tmp_path):
        text = json.dumps(request["rules"]) + json.dumps(request["legal"]) + json.dumps(request["state"])
        assert request["game"] == "" and request["role"] != "left"
        assert not re.search(r"(?i)\b(wave|wait|step|left|right)\b", text)


def test_a_role_of_a_game_with_hidden_information_gets_only_its_percepts(tmp_path: Path) -> None:
    game = load_game("kuhn_poker")
    record = MatchRecord("m1", game.name, game.address, game.roles, ("one", "two", "random"), 20.0, 20.0)
    with TextProcess(words(tmp_path, GOOD), folder=tmp_path) as process:
        seats = [Seat(role, role, None) for role in game.roles]
        seats[0] = Seat(game.roles[0], "one", None, text=TextSeat(process, TextCommand(("player",))))
        run_match(game, seats, record)
    assert record.completed and errors_of(record, 0) == [""] * len(record.states)
    for number, request in enumerate(requests_of(tmp_path)):
        assert not {"state", "history"} & set(request)
        assert request["moves"] == [moves[0] for moves in record.moves[:number]]
        assert request["percepts"] == [seen[0] for seen in record.percepts[:number]]
    hidden = next(move for moves in record.moves for move in moves if "deal" in move)
    last = requests_of(tmp_path)[-1]
    assert last["turn"] > 1 and hidden not in last["prompt"]


def test_the_command_plays_and_reports_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], refusal: Callable[..., str], in_empty_folder: Path
) -> None:
    words(tmp_path, "for r in requests(): answer('(mark 9 9)')")
    player = f"exec:{sys.executable} player.py?retries=2"
    arguments = ["match", "tic_tac_toe", "--player", player, "legal", "--max-turns", "3", "--record", "m.json"]
    arguments += ["--on-error", "random"]
    assert main(arguments) == 0
    shown = capsys.readouterr()
    assert f"x ({player}): answers: 3 illegal, 6 retried" in shown.err
    record = json.loads(Path("m.json").read_text())
    assert record["playerNamesFromHost"] == [player, "legal"] and record["retriedAnswers"] == [6, 0]
    # The record of another person may name any command.
    line = refusal("match", "--resume", "m.json", "--max-turns", "4")
    assert "the record names the command 'exec:" in line and "--player" in line
    assert main(["match", "--resume", "m.json", "--max-turns", "4", "--player", player, "legal"]) == 0
    assert json.loads(Path("m.json").read_text())["retriedAnswers"] == [8, 0]


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ("exec:", "the command is missing"),
        ("exec:no_such_program_1 x", "there is no program 'no_such_program_1' on the PATH"),
        ("exec:./nothing.sh", "there is no file ./nothing.sh"),
        ("exec:./plain.txt", "./plain.txt is not executable"),
        ("exec:python3 'x", "no closing quotation"),
        ("exec:python3?retries=x", "retries must be a whole number 0 .. 100"),
        ("exec:python3?strict&tries=1", "the settings are retries=N, strict, moves=yes|no, board=facts|text|json, "),
        ("exec:python3?answer=xml", "answer=line|json, not 'answer=xml'"),
        ("exec:python3?strict&strict", "strict is given twice"),
        ("exec:python3?retries=101", "retries must be a whole number 0 .. 100"),
    ],
)
def test_a_wrong_command_is_one_line(
    player: str, expected: str, tmp_path: Path, refusal: Callable[..., str], in_empty_folder: Path
) -> None:
    (tmp_path / "plain.txt").write_text("")
    line = refusal("match", "tic_tac_toe", "--player", player, "legal")
    assert line.startswith("exec:") and expected in line
    assert not (tmp_path / "matches").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", few([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], 1))
def test_the_program_ends_with_the_manager(tmp_path: Path, number: signal.Signals) -> None:
    program = "if os.fork() == 0: open('pids', 'a').write(f'{os.getpid()}\\n')\n"
    words(tmp_path, "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + program + "while True: time.sleep(60)")
    player = f"exec:{sys.executable} player.py"
    process = start_manager(tmp_path, "tic_tac_toe", "--player", player, "legal", "--startclock", "60")
    with ended(process):
        wait_for(lambda: (tmp_path / "pids").exists() and len(pids_of(tmp_path)) == 2)
        os.kill(process.pid, number)
        status = process.wait(30)
        assert status == {signal.SIGKILL: -9}.get(number, 130)
        wait_for(lambda: not any(map(is_alive, pids_of(tmp_path))))
