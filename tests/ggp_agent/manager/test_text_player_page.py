"""The page about text players: its match, its programs, and its table of fields."""

from __future__ import annotations

import http.server
import json
import re
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

from ggp_agent.cli import main
from ggp_agent.protocol.text_command import TextCommand
from ggp_agent.protocol.text_process import MAX_ANSWER_BYTES, MAX_LOG_LINES, MAX_OUTPUT_BYTES
from ggp_agent.protocol.text_turns import TurnRequest

GUIDE = ROOT / "docs" / "guide"
PAGE = (GUIDE / "text_players.md").read_text()
PROGRAM = (GUIDE / "text_player.py").read_text()
# The programs of the page by name; the first comment names them.
PROGRAMS = {
    found[2]: found[1] for found in re.finditer(r"^```(?:py|sh)\n((?:#!.*\n)?# (\w+\.\w+)\n(?:.*\n)*?)```", PAGE, re.M)
}


@pytest.fixture
def folder(in_empty_folder: Path) -> Path:
    (in_empty_folder / "docs" / "guide").mkdir(parents=True)
    (in_empty_folder / "docs" / "guide" / "text_player.py").write_text(PROGRAM)
    for name, text in PROGRAMS.items():
        (in_empty_folder / name).write_text(text)
        (in_empty_folder / name).chmod(0o755)
    return in_empty_folder


def masked(output: str) -> list[str]:
    """Return the lines of a match without moves, times and the name of the record; turns as one line."""
    lines = [re.sub(r"\d+\.\d\d s", "S", line) for line in output.splitlines()]
    lines = [
        re.sub(r"^ +\d+  x (?:\(mark \d \d\)|noop) S  o (?:\(mark \d \d\)|noop) S$", "turn", line) for line in lines
    ]
    lines = [re.sub(r"(tic_tac_toe\.)\d+\.\w{4}", r"\1N", line) for line in lines]
    return [line for number, line in enumerate(lines) if line != "turn" or lines[number - 1] != "turn"]


def test_the_match_of_the_page_has_its_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(r"^```console\n\$ ggp-agent (.*)\n((?:.*\n)*?)^```", PAGE, re.M)
    assert block is not None
    assert main(shlex.split(block[1])) == 0
    shown = capsys.readouterr()
    got, expected = masked(shown.out), masked(block[2])
    assert "turn" in expected and shown.err == ""
    # The agent never loses, but a draw is possible on a busy machine.
    assert [line for line in got if "goals" not in line] == [line for line in expected if "goals" not in line]
    assert any(line in got for line in ("goals: x 100, o 0", "goals: x 50, o 50"))


def test_the_example_wins_against_the_first_legal_move(folder: Path) -> None:
    player = "exec:python3 docs/guide/text_player.py"
    for players in ([player, "legal"], ["legal", player]):
        assert main(["match", "tic_tac_toe", "--player", *players, "--json", "--record", f"{players[0][:4]}.json"]) == 0
        record = json.loads((folder / f"{players[0][:4]}.json").read_text())
        assert record["goalValues"][players.index(player)] == 100
        assert not any(any(errors) for errors in record["errors"])
    assert PROGRAM.count("\n") <= 60 and "ggp_agent" not in PROGRAM


@pytest.mark.slow
@pytest.mark.parametrize("game", ["connect_four", "kuhn_poker", "lights_out"])
def test_the_example_plays_other_games_without_errors(game: str, folder: Path) -> None:
    player = "exec:python3 docs/guide/text_player.py"
    players = [player] if game == "lights_out" else [player, "random"]
    assert main(["match", game, "--player", *players, "--json", "--record", "m.json"]) == 0
    record = json.loads((folder / "m.json").read_text())
    assert record["isCompleted"] and not any(any(errors) for errors in record["errors"])


@pytest.mark.parametrize(
    ("command", "first"), [("python3 last_move.py", "(mark 3 3)"), ("./first_move.sh?retries=2", "(mark 1 1)")]
)
def test_the_small_programs_play(command: str, first: str, folder: Path) -> None:
    assert f"exec:{command}" in PAGE.replace('"', "")
    assert main(["match", "tic_tac_toe", "--player", f"exec:{command}", "legal", "--json", "--record", "m.json"]) == 0
    record = json.loads((folder / "m.json").read_text())
    assert not any(any(errors) for errors in record["errors"])
    assert record["moves"][0] == [first, "noop"]


class _Model(http.server.BaseHTTPRequestHandler):
    """A model server that explains the last move of the numbered list."""

    prompts: list[str] = []  # noqa: RUF012

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.prompts.append(body["prompt"])
        last = re.findall(r"^(\d+)\. ", body["prompt"], re.M)[-1]
        reply = json.dumps({"content": f"The last move looks good.\n\n{last}\n"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/completion"
        server.shutdown()


def test_the_language_model_plays(model: str, folder: Path) -> None:
    program = folder / "model_player.py"
    program.write_text(program.read_text().replace("http://127.0.0.1:8080/completion", model))
    player = "exec:python3 model_player.py?retries=3"
    assert player in PAGE.replace('"', "")
    assert main(["match", "tic_tac_toe", "--player", player, "legal", "--json", "--record", "m.json"]) == 0
    record = json.loads((folder / "m.json").read_text())
    assert not any(any(errors) for errors in record["errors"])
    assert record["moves"][0][0] == "(mark 3 3)"
    assert len(_Model.prompts) == len(record["moves"][::2])
    assert all("You play the role x in the game tic_tac_toe" in prompt for prompt in _Model.prompts)


def test_the_table_has_all_fields_and_the_limits_are_right() -> None:
    table = PAGE.partition("## The protocol")[2].partition("The **answer**")[0]
    heads = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {name for head in heads for name in re.findall(r"`(\w+)`", head)}
    common = ("game", "role", ("role",), "(role role)", 1, ("wait",))
    open_game = TurnRequest(*common, state=(), history=(), command=TextCommand(("program",), answer="json"))
    hidden = TurnRequest(*common, state=None, history=(), percepts=())
    assert named == {*json.loads(open_game.line(1.0)), *json.loads(hidden.line(1.0))}
    assert f"{MAX_ANSWER_BYTES:,} bytes" in PAGE and MAX_OUTPUT_BYTES == 1 << 20 and "1 MiB" in PAGE
    assert f"the first {MAX_LOG_LINES} lines" in PAGE
