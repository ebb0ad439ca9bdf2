"""`--no-native`, and its old name `--no-modules`, which prints a notice."""

from __future__ import annotations

import pytest

from ggp_agent.cli import build_parser, main

COMMANDS = ["serve", "match"]
NOTICE = "ggp-agent: --no-modules is now called --no-native; the old name will be removed\n"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("words", "no_native", "err"), [([], False, ""), (["--no-native"], True, ""), (["--no-modules"], True, NOTICE)]
)
def test_both_names_set_the_flag(
    command: str, words: list[str], no_native: bool, err: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_parser([command]).parse_args([command, *words]).no_native is no_native
    assert capsys.readouterr() == ("", err)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_only_the_new_name(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser([command]).parse_args([command, "--help"])
    shown = capsys.readouterr().out
    assert "--no-native" in shown
    assert "--no-modules" not in shown


@pytest.mark.parametrize(("flag", "notices"), [("--no-native", []), ("--no-modules", [NOTICE.strip()])])
def test_a_match_accepts_both_names(
    flag: str,
    notices: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("match"))
    assert main(["match", "tic_tac_toe", "--player", "legal", "legal", flag, "--startclock", "2"]) == 0
    assert [line for line in capsys.readouterr().err.splitlines() if "--no-" in line] == notices
