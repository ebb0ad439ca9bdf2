"""One function prints the results of all commands."""

from __future__ import annotations

import pytest

from ggp_agent.common.progress import plain_table
from ggp_agent.common.report import print_result


def test_a_result_is_a_document_or_paragraphs_tables_and_texts_of_several_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    table = plain_table("role", "value")
    table.add_row("x", "50.0")
    parts = ["a won 3, b won 0", table, "1  a long line\n2", ""]
    print_result({"wins": 3}, parts, as_json=False)
    assert capsys.readouterr().out == "a won 3, b\n  won 0\nrole  value\nx      50.0\n1  a long line\n2\n\n"
    print_result({"wins": 3}, parts, as_json=True, indent=1)
    assert capsys.readouterr().out == '{\n "wins": 3\n}\n'
