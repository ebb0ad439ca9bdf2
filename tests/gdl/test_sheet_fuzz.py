"""Some mutated rule sheets; `make fuzz-sheets` loads thousands of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import sheet_fuzz

from gdl import GdlError


def test_mutated_sheets_are_games_or_refused() -> None:
    lines: list[str] = []
    assert sheet_fuzz.fuzz(60, 7, lines.append) == []
    assert "60 sheets" in lines[-1] and "refused" in lines[-1]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (IndexError("list index out of range"), "IndexError: list index out of range"),
        (GdlError("is wrong", source="elsewhere"), "the error is not one line about the file"),
        (GdlError("is wrong", source="PATH"), "the error has no place"),
        (GdlError("two\nlines", source="PATH"), "the error is not one line about the file"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_errors_are_found(error: Exception, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mutant.kif"
    if isinstance(error, GdlError) and error.source == "PATH":
        error = GdlError(error.message, source=str(path))

    def fail(_: Path) -> None:
        raise error

    monkeypatch.setattr(sheet_fuzz, "load_game", fail)
    kind, wrong = sheet_fuzz.load(path)
    assert kind == "fault" and message in wrong
