"""Journals of matches: what is read again, what is not, and where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ggp_agent.player import journal as journal_module
from ggp_agent.player.journal import Journal, default_folder
from ggp_agent.protocol import Start

START = Start("M.1", "first", "(role first)", 10, 2.5)


def written(folder: Path) -> Path:
    journal = Journal(folder).of(START)
    journal.start(START)
    journal.turn(0, None)
    journal.answer(0, "(take 1)")
    journal.turn(1, ("(take 1)", "noop"))
    (path,) = folder.iterdir()
    return path


def test_a_match_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = written(tmp_path)
    (left,) = Journal(tmp_path).unfinished()
    assert left.start == START
    assert left.turns == ((None, "(take 1)"), (("(take 1)", "noop"), None))
    assert 0 <= left.silence < 60
    left.journal.answer(1, "noop")
    (left,) = Journal(tmp_path).unfinished()
    assert left.turns[1] == (("(take 1)", "noop"), "noop")
    left.journal.close()
    assert not path.exists()
    assert Journal(tmp_path).unfinished() == []


def test_every_torn_line_is_tolerated(tmp_path: Path) -> None:
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


def test_what_makes_no_sense_is_removed(tmp_path: Path) -> None:
    for number, text in enumerate(["", "{}\n", "[]\n", '{"start": {"match_id": 1}}\n', "x\n", "\0\xff\n"]):
        (tmp_path / f"{number}.jsonl").write_text(text)
    assert Journal(tmp_path).unfinished() == []
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_read_from_before_the_machine_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path)
    monkeypatch.setattr(journal_module, "_boot", lambda: "another")
    assert Journal(tmp_path).unfinished() == []


def test_a_place_that_cannot_be_used_is_complained_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(tmp_path / "file" / "folder").of(START)
    journal.start(START)
    journal.turn(0, None)
    journal.close()
    assert caplog.text.count("cannot be written: Not a directory") == 1


def test_where_journals_are(monkeypatch: pytest.MonkeyPatch) -> None:
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
