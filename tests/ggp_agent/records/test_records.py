"""Reading, listing, showing and exporting match records, valid and invalid."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from recorded import as_others_write, played, write
from small_games import CARDS, NIM

from ggp_agent.cli import build_parser, main
from ggp_agent.common.errors import UserError
from ggp_agent.records.details import details
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.read_record import read_document, read_record
from ggp_agent.records.record_list import read_time
from ggp_agent.records.record_terms import split_state

PAGE = ROOT / "docs" / "reference" / "match_records.md"


@pytest.fixture(autouse=True)
def files(in_empty_folder: Path) -> None:
    Path("nim.kif").write_text(NIM)
    Path("cards.kif").write_text(CARDS)


class Shell:
    """Run commands and return their output."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def run(self, *arguments: str, status: int = 0) -> str:
        """Return the output of a command with this exit status."""
        assert main(list(arguments)) == status
        return self._capsys.readouterr().out

    def document(self, *arguments: str, status: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", status=status))

    def fail(self, *arguments: str) -> str:
        """Return the error line of a command that fails."""
        assert main(list(arguments)) == 2
        shown = self._capsys.readouterr()
        assert shown.out == ""
        (line,) = shown.err.splitlines()
        return line.removeprefix("ggp-agent: error: ")

    def matches(self, *arguments: str) -> list[str]:
        """Return the identifiers in a printed list."""
        return [each["match"] for each in self.document("records", *arguments)["records"]]

    def errors(self, *arguments: str, status: int) -> list[str]:
        assert main(list(arguments)) == status
        return self._capsys.readouterr().err.splitlines()


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def folder() -> Path:
    """Five records of three games, an hour apart."""
    hour = 3_600_000
    start = read_time("2026-03-01T12:00")
    nim = played("nim.kif", match="nim.1", started=start, players=("agent", "random"))
    late = played("nim.kif", match="nim.2", seed=2, started=start + hour, players=("agent:mine.toml", "legal"))
    late.errors[1] = ["IL (take 9)", ""]
    late.errors[2] = ["", "TO"]
    running = played("nim.kif", match="nim.30", started=start + 2 * hour, turns=1, players=("random", "agent"))
    aborted = played("cards.kif", match="cards.4", started=start + 3 * hour, turns=0, players=("agent", "random"))
    aborted.aborted = True
    other = played("tic_tac_toe", match="Other.5", started=start + 26 * hour)
    for record in (nim, late, running, aborted, other):
        record.write(Path("matches") / f"{record.match_id}.json")
    return Path("matches")


# ---- reading


def test_our_records_are_read_back(folder: Path) -> None:
    for path in folder.iterdir():
        record = read_record(path)
        assert record.document() == json.loads(path.read_text()) == read_document(path)
        assert record.extra == {}
        record.write(Path("again.json"))
        assert Path("again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("shouted", [False, True])
def test_records_of_other_managers_are_read_back(shouted: bool) -> None:
    ours = played("tic_tac_toe")
    document = as_others_write(ours, shouted=shouted)
    document |= {"previewClock": 30, "x-viewer": {"colour": ["red"]}, "startClock": 10.0}
    record = read_record(write(Path("o.json"), document))
    assert (record.roles, record.players, record.errors, record.move_times) == ((), (), [], [])
    assert [[fluent.lower() for fluent in state] for state in record.states] == ours.states
    assert record.game.lower() == "tic_tac_toe" and record.goals == ours.goals and record.completed
    assert record.extra == {
        "previewClock": 30,
        "x-viewer": {"colour": ["red"]},
        "tournamentNameFromHost": "a tournament",
    }
    written = record.document()
    assert written["previewClock"] == 30 and written["x-viewer"] == {"colour": ["red"]}


def test_states_in_any_format() -> None:
    fluents = ["(cell 1 1 b)", "(f (g a) b)", "ended"]
    for text in (
        "( (cell 1 1 b) (f (g a) b) ended )",
        "((cell 1 1 b)(f(g a)b)ended)",
        "( ( true ( cell 1 1 b ) ) (true (f (g a) b)) (true ended))",
        "(\t(TRUE (cell 1 1 b))\n(TRUE (f (g a) b)) (TRUE ended) )",
    ):
        assert split_state(text) == fluents
    assert split_state("()") == split_state("( )") == []
    for text in ("", "a", "(a", "a)", "(a) (b)", "(a) b", ")(", "((a)"):
        with pytest.raises(ValueError, match="is not a list of fluents"):
            split_state(text)


def test_files_that_are_not_records(shell: Shell, folder: Path) -> None:
    good = json.loads((folder / "nim.1.json").read_text())
    text = json.dumps(good, ensure_ascii=False)
    Path("folder.json").mkdir()
    os.mkfifo("pipe.json")
    with open("huge.json", "wb") as file:
        file.truncate(2 << 30)
    contents: dict[str, tuple[bytes, str]] = {
        "empty": (b" \n", "the file is empty"),
        "notes": (b"mine", "it is not JSON (line 1: Expecting value)"),
        "kif": (NIM.encode(), "it is not JSON"),
        "binary": (bytes(range(256)), "it is not JSON"),
        "list": (b"[1]", "it is JSON, but not an object"),
        "deep": (b"[" * 200_000, "it is not JSON"),
        "nan": (text.replace("10,", "NaN,", 1).encode(), "it is not JSON"),
        "digits": (text.replace("10,", "1" * 5000 + ",", 1).encode(), "it is not JSON"),
    }
    for name, (data, _) in contents.items():
        Path(f"{name}.json").write_bytes(data)
    complaints = {name: f"this is not a match record: {complaint}" for name, (_, complaint) in contents.items()}
    changes: dict[str, tuple[dict[str, Any], str]] = {
        "config": (dict.fromkeys(good), "matchId: null is not text"),
        "id": ({"matchId": " "}, "the field matchId is empty"),
        "clock": ({"playClock": "5"}, 'playClock: "5" is not a number of seconds'),
        "infinite": ({"playClock": 1e999}, "it is not JSON"),
        "time": ({"startTime": 1.5}, "startTime: 1.5 is not a number of milliseconds"),
        "flag": ({"isCompleted": 1}, "isCompleted: 1 is not true or false"),
        "states": (
            {"states": good["states"][:2]},
            f"states and moves do not match: 2 and {len(good['moves'])}",
        ),
        "state": (
            {"states": [["at", "1"]] * len(good["states"])},
            'states: ["at", "1"] is not the KIF text of a state',
        ),
        "kinds": ({"states": "all"}, "states is not a list"),
        "times": (
            {"stateTimes": [1]},
            f"states and stateTimes do not match: {len(good['states'])} and 1",
        ),
        "errors": (
            {"errors": [["", ""]]},
            f"states and errors do not match: {len(good['states'])} and 1",
        ),
        "moves": ({"moves": [["a", "b", "c"]] * len(good["moves"])}, "moves, entry 0: 3 values for 2 roles"),
        "role": ({"errors": [[""]] * len(good["states"])}, "errors, entry 0: 1 values for 2 roles"),
        "players": ({"playerNamesFromHost": ["one"]}, "playerNamesFromHost has 1 entries for 2 roles"),
        "goals": ({"goalValues": [True, 1]}, "goalValues: true is not a goal"),
    }
    for name, (change, complaint) in changes.items():
        write(Path(f"{name}.json"), good | change)
        complaints[name] = f"this is not a match record: {complaint}"
    write(Path("missing.json"), {name: value for name, value in good.items() if name not in ("states", "moves")})
    complaints["missing"] = "this is not a match record: the fields states, moves are missing"
    accent = text.replace("agent", "é", 1).encode()
    for name, data in (
        ("torn", text.encode()[:-40]),
        ("torn2", accent[: accent.index("é".encode()) + 1]),
        ("torn3", b"{"),
    ):
        Path(f"{name}.json").write_bytes(data)
        complaints[name] = "this match record is incomplete: it ends in the middle of its JSON"
    complaints |= {
        "folder": "this is a folder, not a match record",
        "pipe": "this is not a file",
        "huge": "this is not a match record: 2,048 MB is too large",
        "absent": "cannot read the match record: no such file or directory",
    }
    for name, complaint in complaints.items():
        with pytest.raises(UserError) as caught:
            read_record(Path(f"{name}.json"))
        assert str(caught.value).startswith(f"{name}.json: {complaint}"), caught.value
        assert len(str(caught.value)) < 200 and "\n" not in str(caught.value)
        if name not in ("folder", "pipe", "absent"):
            assert shell.fail("records", "show", f"{name}.json").startswith(f"{name}.json: {complaint}")
    # A valid record, except for one state.
    write(Path("kif2.json"), good | {"states": ["((a)"] * len(good["states"])})
    assert shell.fail("records", "replay", "kif2.json") == (
        "kif2.json: this is not a match record: states: '((a)' is not a list of fluents"
    )
    assert "nim.kif: this is not a match record" in shell.fail("play", "nim.kif", "--resume", "nim.kif")


# ---- listing


def test_list(shell: Shell, folder: Path) -> None:
    lines = shell.run("records").splitlines()
    assert lines[0].split() == ["match", "game", "players", "goals", "turns", "errors", "date", "state", "signature"]
    assert [line.split()[0] for line in lines[1:]] == ["nim.1", "nim.2", "nim.30", "cards.4", "Other.5"]
    assert lines[2].split()[1:4] == ["nim", "agent:mine.toml", "legal"]
    turns = len(read_record(folder / "nim.2.json").moves)
    assert lines[2].split()[-6:] == [str(turns), "2", "2026-03-01", "13:00:00", "complete", "none"]
    assert [line.split()[-2] for line in lines[1:]] == ["complete", "complete", "running", "aborted", "complete"]
    assert shell.run("records", "list", "matches") == shell.run("records", "matches") == "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("--game NIM", "nim.1 nim.2 nim.30"),
        ("--game c*", "cards.4"),
        ("--player agent", "nim.1 nim.30 cards.4 Other.5"),
        ("--player agent:*", "nim.2"),
        ("--state running", "nim.30"),
        ("--state aborted", "cards.4"),
        ("--errors", "nim.2"),
        ("--errors TO", "nim.2"),
        ("--errors CE", ""),
        ("--since 2026-03-01T13:00", "nim.2 nim.30 cards.4 Other.5"),
        ("--since 2026-03-01T13:00:01 --until 2026-03-01", "nim.30 cards.4"),
        ("--until 2026-03-01T12:59", "nim.1"),
        ("--since 1m", ""),
        ("--last 2", "cards.4 Other.5"),
        ("--game nim --last 1", "nim.30"),
        ("--signature valid", ""),
        ("matches/nim.2.json matches/nim.1.json", "nim.1 nim.2"),
    ],
)
def test_filters(shell: Shell, folder: Path, options: str, found: str) -> None:
    assert shell.matches(*shlex.split(options)) == found.split()


def test_winners(shell: Shell, folder: Path) -> None:
    for summary in shell.document("records")["records"]:
        if summary["goals"] and max(summary["goals"]) > min(summary["goals"]):
            place = summary["goals"].index(max(summary["goals"]))
            for name in (summary["roles"][place], summary["players"][place]):
                assert summary["match"] in shell.matches("--won-by", name)
            assert summary["match"] not in shell.matches("--won-by", summary["roles"][1 - place])
        else:
            assert summary["match"] not in shell.matches("--won-by", "*")
    drawn = played("nim.kif", match="drawn")
    drawn.goals = [50, 50]
    drawn.write(folder / "drawn.json")
    assert "drawn" not in shell.matches("--won-by", "*") and "drawn" in shell.matches()


def test_list_as_csv(shell: Shell, folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(shell.run("records", "--csv"))))
    assert [row["match"] for row in rows] == ["nim.1", "nim.2", "nim.30", "cards.4", "Other.5"]
    assert rows[1]["players"] == "agent:mine.toml legal" and rows[1]["errors"] == "2"
    assert rows[2]["goals"] == "-" and rows[2]["file"] == "matches/nim.30.json"


def test_files_beside_the_records(shell: Shell, folder: Path) -> None:
    for number in range(8):
        (folder / f"note{number}.json").write_text("{}")
    (folder / ".nim.json.abc.part").write_text("{")
    (folder / "readme.txt").write_text("mine")
    listed = shell.document("records")
    assert len(listed["records"]) == 5 and len(listed["unreadable"]) == 8
    skipped, *lines = shell.errors("records", status=0)
    assert skipped == "skipped, because records are files ending with .json or .xml: matches/readme.txt"
    assert len(lines) == 6 and lines[-1] == "ggp-agent: error: and 3 more files that are not match records"
    # An invalid file that was named is an error, but the other files are listed.
    lines = shell.errors("records", "matches/nim.1.json", "matches/note1.json", status=2)
    assert lines == [
        "ggp-agent: error: matches/note1.json: this is not a match record: the fields matchId, startTime, startClock, "
        "playClock, states, moves are missing"
    ]


def test_half_a_character_is_refused(shell: Shell, folder: Path) -> None:
    for name, value in (("matchId", "\ud800"), ("playerNamesFromHost", ["\udc00", "b"]), ("note", {"\ud83d": 1})):
        write(folder / "half.json", played("nim.kif", match="half").document() | {name: value})
        listed = shell.document("records")
        assert len(listed["records"]) == 5
        assert "half a character" in str(listed["unreadable"])
        lines = shell.errors("records", "show", "matches/half.json", status=2)
        assert len(lines) == 1 and "this is not a match record: it is not JSON (a text has half a character" in lines[0]


def test_control_characters_in_names_are_replaced(shell: Shell) -> None:
    record = played("nim.kif", match="m\x1b[2J\u202e", players=("?\x07", "b\n"))
    record.errors[1][0] = "IL \x1b[31m"
    write(Path("m.json"), record.document())
    for arguments in ("list", "list --csv", "show", "replay", "export --format text", "export --format csv"):
        out = shell.run("records", *arguments.split(), "m.json")
        assert "IL" in out or arguments.startswith("list")
        assert not set(out) & set("\x1b\u202e\x07")
    assert shell.matches("m.json") == ["m\x1b[2J\u202e"]
    assert read_record(Path("m.json")).write(Path("again.json")) is None
    assert read_record(Path("again.json")).players == ("?\x07", "b\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("records",), "the folder matches does not exist here; name a folder of records, or play a match first"),
        (("records", "nowhere"), "nowhere: there is no such file or folder"),
        (("records", "shwo", "x"), "shwo: there is no such file or folder; did you mean 'ggp-agent records show'?"),
        (("records", "--since", "yesterday"), "'yesterday' is not a time; give 2026-11-21"),
        (("records", "--since", "999999w"), "'999999w' is not a time"),
        (("records", "--state", "over"), "invalid choice: 'over'"),
        (("records", "--json", "--csv"), "not allowed with argument"),
        (("records", "--nonsense"), "unrecognized arguments: --nonsense"),
        (("records", "show", "nim"), "'nim': no such file, and there is no folder matches with matches"),
        (("records", "replay", "nim", "--folder", "."), "'nim': no match in . has this name or prefix"),
        (("records", "show"), "the following arguments are required: MATCH"),
    ],
)
def test_wrong_arguments(shell: Shell, arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in shell.fail(*arguments)


# ---- one match


def test_matches_by_prefix_of_their_name(shell: Shell, folder: Path) -> None:
    (folder / "Other.5.json").rename(folder / "renamed.json")
    for word, match in (
        ("nim.1", "nim.1"),
        ("nim.3", "nim.30"),
        ("c", "cards.4"),
        ("Oth", "Other.5"),
        ("ren", "Other.5"),
    ):
        assert shell.document("records", "show", word)["match"] == match
    played("nim.kif", match="nim.3").write(folder / "nim.3.json")
    assert shell.document("records", "show", "nim.3")["match"] == "nim.3"
    assert shell.fail("records", "show", "nim") == "'nim': 4 matches have this prefix: nim.1, nim.2, nim.3, .."
    assert shell.fail("records", "show", "x").startswith("'x': no match in matches has this name or prefix")


def test_show(shell: Shell, folder: Path) -> None:
    shown = shell.document("records", "show", "nim.2")
    record = read_record(folder / "nim.2.json")
    assert (shown["startClock"], shown["playClock"], shown["turns"]) == (10, 5, len(record.moves))
    assert [each["moves"] for each in shown["moves"]] == record.moves
    second = shown["players"][1]
    times = [each[1] / 1000 for each in record.move_times]
    assert (second["role"], second["player"], second["errors"]) == ("second", "legal", 1)
    assert second["seconds"]["total"] == pytest.approx(sum(times), abs=0.001)
    assert second["seconds"]["longest"] == max(times) and second["seconds"]["leastLeft"] == 5 - max(times)
    assert second["seconds"]["longestTurn"] == len(times)
    record.extra["playClocks"] = [5, 2]
    assert details(record, record.document(), Path("m"))["players"][1]["seconds"]["leastLeft"] == 2 - max(times)
    for wrong in (True, 10**400, [2]):
        record.extra["playClocks"] = [5, wrong]
        assert details(record, record.document(), Path("m"))["players"][1]["seconds"]["leastLeft"] == 5 - max(times)
    assert shown["errors"][0] == {
        "turn": 1,
        "role": "first",
        "player": "agent:mine.toml",
        "error": "IL (take 9)",
        "move": record.moves[0][0],
    }
    lines = shell.run("records", "show", "nim.2").splitlines()
    assert lines[0] == f"nim.2: nim, complete, {len(times)} turns"
    assert "played     2026-03-01 13:00:00, 10 s to prepare, 5 s a move" in lines[2]
    assert f"turn 1: first (agent:mine.toml): IL (take 9); drew {record.moves[0][0]} instead" in lines
    assert f"  1  first {record.moves[0][0]} 0.00 s [IL]  second noop 0.12 s" in lines
    # Records of other managers contain less.
    write(Path("o.json"), as_others_write(played("tic_tac_toe"), shouted=True))
    lines = shell.run("records", "show", "o.json").splitlines()
    assert lines[4] == "other keys tournamentNameFromHost"
    assert [line.split()[:2] for line in lines[7:9]] == [["1", "-"], ["2", "-"]]
    assert [line.split()[3:] for line in lines[7:9]] == [["0", "-", "-", "-", "-", "-"]] * 2
    assert lines[10].startswith("  1  1 (MARK ") and lines[10].endswith("  2 NOOP")


def test_export(shell: Shell, folder: Path) -> None:
    original = (folder / "nim.2.json").read_bytes()
    assert shell.run("records", "export", "nim.2").encode() == original
    shell.run("records", "export", "nim.2", "--out", "new/copy.json")
    assert Path("new/copy.json").read_bytes() == original
    shell.run("records", "export", "nim.2", "--out", "moves.csv")
    rows = list(csv.DictReader(Path("moves.csv").read_text().splitlines()))
    record = read_record(folder / "nim.2.json")
    assert [row["move"] for row in rows] == [move for moves in record.moves for move in moves]
    assert rows[0] == {
        "match": "nim.2",
        "turn": "1",
        "role": "first",
        "player": "agent:mine.toml",
        "move": record.moves[0][0],
        "seconds": "0.0",
        "error": "IL (take 9)",
    }
    shell.run("records", "export", "nim.2", "--out", "match.txt")
    assert Path("match.txt").read_text() == shell.run("records", "show", "nim.2")
    shell.run("records", "export", "nim.1", "nim.2", "--format", "text", "--out", "texts/")
    assert sorted(path.name for path in Path("texts").iterdir()) == ["nim.1.txt", "nim.2.txt"]
    shell.run("records", "export", "nim.1", "nim.2", "--out", "both.csv")
    assert {row["match"] for row in csv.DictReader(Path("both.csv").read_text().splitlines())} == {"nim.1", "nim.2"}
    assert "--out moves.csv: this exists already" in shell.fail("records", "export", "nim.1", "--out", "moves.csv")
    assert "several matches need --out FOLDER" in shell.fail("records", "export", "nim.1", "nim.2")
    assert "several matches need --out FOLDER" in shell.fail("records", "export", "nim.1", "nim.2", "--out", "a.json")
    assert "no match in" in shell.fail("records", "export", "zzz")
    write(Path("nim.1.json"), record.document())
    two = ("export", "nim.1.json", "matches/nim.1.json", "--out", "two/")
    assert "another match would be written to the same file nim.1.json" in shell.fail("records", *two)
    assert not Path("two").exists()


def test_match_without_moves(shell: Shell) -> None:
    empty = MatchRecord("m.0", "g", "elsewhere", (), (), 1, 1)
    empty.write(Path("m.0.json"))
    assert shell.run("records", "m.0.json").splitlines()[1].split()[:5] == ["m.0", "g", "-", "-", "0"]
    assert shell.run("records", "show", "m.0.json").splitlines()[0] == "m.0: g, running, 0 turns"
    assert shell.run("records", "replay", "m.0.json") == "the record has no states\n"


def test_commands_of_the_documentation() -> None:
    import re

    commands = re.findall(
        r"^    ggp-agent ((?:records|match|players|play)\b.*?)(?:  +#.*)?$", PAGE.read_text(), re.MULTILINE
    )
    assert len(commands) >= 12
    parser = build_parser()
    for command in commands:
        parser.parse_args(shlex.split(command.partition(" > ")[0]))
