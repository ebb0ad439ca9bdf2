"""Displays of progress: which lines appear on stdout and stderr, with and without a terminal."""

from __future__ import annotations

import sys

import pytest

from ggp_agent.common.progress import BarDisplay, ProgressDisplay

NAME = "[red]:sob:\x1b"


@pytest.mark.parametrize("stdout", [False, True])
@pytest.mark.parametrize("quiet", [False, True])
def test_lines_are_printed_as_they_are_and_notes_always(
    quiet: bool, stdout: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with BarDisplay(NAME, 2, quiet=quiet, stdout=stdout) as display:
        display.line(NAME)
        display.show(NAME, completed=1, beside=NAME)
        display.advance()
        display.note(NAME)
    line, note = "" if quiet else "[red]:sob:?\n", "[red]:sob:?\n"
    assert not display.is_live
    assert tuple(capsys.readouterr()) == ((line, note) if stdout else ("", line + note))


def test_a_terminal_has_a_bar_and_a_status(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with BarDisplay(NAME, 2) as bar:
        bar.show(NAME, completed=1, beside=":sob:")
    assert bar.is_live
    shown = capsys.readouterr()
    assert shown.out == "" and all(text in shown.err for text in ("[red]:sob:?", "1/2"))
    with ProgressDisplay() as display:
        show = display.watcher(lambda count: f"{count} [b]states")
        assert show is not None and show(7) is False
    assert "7 [b]states" in capsys.readouterr().err


def test_a_watcher_needs_a_terminal() -> None:
    assert ProgressDisplay().watcher(str) is None
