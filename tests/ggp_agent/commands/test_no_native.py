"""`--no-native` of the commands that play."""

from __future__ import annotations

import pytest

from ggp_agent.cli import build_parser, main


@pytest.mark.parametrize("command", ["serve", "match"])
@pytest.mark.parametrize("words", [[], ["--no-native"]])
def test_the_flag_is_set(command: str, words: list[str]) -> None:
    assert build_parser([command]).parse_args([command, *words]).no_native is bool(words)


def test_a_match_accepts_the_flag(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("match"))
    assert main(["match", "tic_tac_toe", "--player", "legal", "legal", "--no-native", "--startclock", "2"]) == 0
