"""Journals of matches: reading, invalid files, and the folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from wire_server import MakePlayer

from ggp_agent.player.guard import journal as journal_module
from ggp_agent.player.guard.journal import Journal, default_folder
from ggp_agent.protocol.messages import Start

START = Start("M.1", "first", "(role first)", 10, 2.5)


def written(folder: Path) -> Path:
    journal = Journal(folder).of(START)
    journal.start(START)
    journal.turn(0, None)
    journal.answer(0, "(take 1)")
    journal.turn(1, ("(take 1)", "noop"))
    (path,) = folder.iterdir()
    return path


def test_a_written_match_is_read_back(tmp_path: Path) -> None:
    path = written(tmp_path)
    (left,) = Journal(tmp_path).unfinished()
    assert left.start == START
    assert left.turns == ((None, "(take 1)", None), (("(take 1)", "noop"), None, None))
    assert 0 <= left.silence < 60
    left.journal.answer(1, "noop")
    (left,) = Journal(tmp_path).unfinished()
    assert left.turns[1] == (("(take 1)", "noop"), "noop", None)
    left.journal.close()
    assert not path.exists()
    assert Journal(tmp_path).unfinished() == []


def test_an_incomplete_last_line_is_ignored(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        found = Journal(tmp_path).unfinished()
        assert len(found) == (length >= first), length
        if found:
            kept = path.read_bytes()
            assert kept == whole[: whole.rindex(b"\n", 0, length) + 1]
            assert len(found[0].turns) == kept.count(b'{"turn"')


def changed(**fields: object) -> Callable[[list[Any]], object]:
    """Change fields of START."""
    return lambda lines: lines[0]["start"].update(fields)


def of_line(number: int, **fields: object) -> Callable[[list[Any]], object]:
    return lambda lines: lines[number].update(fields)


@pytest.mark.parametrize(
    "change",
    [
        of_line(2, answer=7),
        of_line(2, answer=-1),
        of_line(2, answer=True),
        of_line(2, answer="0"),
        of_line(2, move=None),
        of_line(3, turn=0),
        of_line(3, turn=2),
        of_line(3, moves="noop"),
        of_line(3, moves=["noop", 1]),
        of_line(3, moment="now"),
        of_line(3, moment=float("inf")),
        of_line(3, moment=10**400),
        of_line(0, start=[]),
        of_line(0, boot=4),
        changed(match_id=1),
        changed(match_id="another"),
        changed(match_id="\ud800"),
        changed(role=None),
        changed(rules=["(role first)"]),
        changed(start_clock="10"),
        changed(play_clock=float("nan")),
        changed(play_clock=float("-inf")),
        changed(play_clock=-1),
        changed(play_clock=86_400.5),
        changed(play_clock=10**400),
        changed(more=1),
        lambda lines: lines[0]["start"].pop("role"),
        lambda lines: lines[0].pop("boot"),
        lambda lines: lines[3].pop("moves"),
        lambda lines: lines[3].pop("moment"),
        lambda lines: lines.insert(1, []),
        lambda lines: lines.pop(0),
    ],
)
def test_a_journal_with_an_invalid_field_is_renamed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: Callable[[list[Any]], object]
) -> None:
    path = written(tmp_path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    content = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(content)
    assert_renamed(path, caplog)
    assert Path(f"{path}.unreadable").read_text() == content


@pytest.mark.parametrize(
    "content",
    [
        b"x\n",
        b"[]\n",
        b"{}\n",
        b"no line that is whole",
        b"\0\xff\n",
        b'{"start": "\xff"}\n',
        b"[" * 100_000 + b"\n",
        b'{"a":' * 100_000 + b"\n",
        b'{"start": ' + b"1" * 10_000 + b"}\n",
    ],
)
def test_an_invalid_journal_is_renamed(tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes) -> None:
    path = tmp_path / "0.jsonl"
    path.write_bytes(content)
    assert_renamed(path, caplog)
    assert Path(f"{path}.unreadable").read_bytes() == content


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize(
    "make",
    [
        os.mkfifo,
        os.mkdir,
        huge,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to("/dev/null"),
        lambda path: path.symlink_to(path),
    ],
)
def test_a_special_file_is_renamed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, make: Callable[[Path], object]
) -> None:
    for number in range(2):  # a file that was renamed before is kept
        path = tmp_path / "0.jsonl"
        make(path)
        caplog.clear()
        assert_renamed(path, caplog)
        assert len(list(tmp_path.iterdir())) == number + 1


def logged_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the lines about journals; the match of an earlier test may log its goals late."""
    return [record.getMessage() for record in caplog.records if record.name == "ggp_agent.player.guard.journal"]


def assert_renamed(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal(path.parent)
    assert journal.unfinished() == []
    assert not os.path.lexists(path) and os.path.lexists(f"{path}.unreadable")
    (line,) = logged_lines(caplog)
    assert "\n" not in line and len(line) < 500
    assert line.startswith(f"{path} is not a valid journal: ") and "; renamed to " in line
    assert journal.unfinished() == []
    assert len(logged_lines(caplog)) == 1


def test_an_empty_journal_is_removed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "0.jsonl").write_bytes(b"")
    assert Journal(tmp_path).unfinished() == []
    assert list(tmp_path.iterdir()) == [] and not logged_lines(caplog)


def test_a_copy_of_a_journal_is_not_read_as_a_match(tmp_path: Path) -> None:
    path = written(tmp_path)
    (tmp_path / "copy.jsonl").write_bytes(path.read_bytes())
    assert len(Journal(tmp_path).unfinished()) == 1
    assert (tmp_path / "copy.jsonl.unreadable").exists()


@pytest.mark.parametrize("clock", [0.125, 86_399.75, 86_400])
def test_long_clocks_and_fractions_are_kept(tmp_path: Path, clock: float) -> None:
    start = replace(START, start_clock=clock, play_clock=clock)
    Journal(tmp_path).of(start).start(start)
    (left,) = Journal(tmp_path).unfinished()
    assert left.start == start


def test_the_player_starts_despite_invalid_files_among_its_journals(tmp_path: Path, make: MakePlayer) -> None:
    folder = tmp_path / "matches" / "127.0.0.1-0"
    path = written(folder)
    broken = path.read_text().replace('"play_clock": 2.5', '"play_clock": "soon"')
    (folder / "first.jsonl").write_text(broken)
    os.mkfifo(folder / "second.jsonl")
    player = make(journal=Journal(folder))
    player.resume()
    assert list(player._matches) == ["m.1"]


def test_journals_from_before_the_start_of_the_machine_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    written(tmp_path)
    monkeypatch.setattr(journal_module, "_boot", lambda: "another")
    assert Journal(tmp_path).unfinished() == []
    assert list(tmp_path.iterdir()) == [] and not logged_lines(caplog)


def test_an_unusable_folder_causes_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(tmp_path / "file" / "folder").of(START)
    journal.start(START)
    journal.turn(0, None)
    journal.close()
    assert caplog.text.count("cannot be written: Not a directory") == 1


def test_the_folder_of_journals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_AGENT_STATE", "/state")
    assert default_folder("0.0.0.0", 9147) == Path("/state/matches/0.0.0.0-9147")
    assert default_folder("a/../b", 1) == Path("/state/matches/a_.._b-1")
    monkeypatch.setenv("GGP_AGENT_STATE", "off")
    assert default_folder("0.0.0.0", 9147) is None
    monkeypatch.delenv("GGP_AGENT_STATE")
    monkeypatch.setenv("XDG_STATE_HOME", "/xdg")
    assert default_folder("::1", 9147) == Path("/xdg/ggp-agent/matches/__1-9147")
    monkeypatch.setenv("XDG_STATE_HOME", "")
    assert default_folder("::1", 9147) == Path(os.path.expanduser("~/.local/state/ggp-agent/matches/__1-9147"))
