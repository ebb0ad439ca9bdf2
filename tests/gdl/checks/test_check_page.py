"""The page of finding codes is complete: it has every code, each bad example gives the code, no good example does."""

from __future__ import annotations

import re

import pytest
from places import ROOT

from gdl.checks import CODES, Finding, check_text, cycles
from ggp_agent.verify import random_play as trial

PAGE = (ROOT / "docs" / "reference" / "finding_codes.md").read_text(encoding="utf-8")
SHEET = re.search(r"```kif\n(.*?)```", PAGE, re.DOTALL)[1]
ROW = re.compile(r"^\| `(GDL\d+)` \| (\w+) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
ROWS = {match[1]: match.groups()[1:] for match in ROW.finditer(PAGE)}


@pytest.fixture(autouse=True)
def short_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the time for rules that never end."""
    monkeypatch.setattr(cycles, "MAX_GROUND_SECONDS", 0.3)
    monkeypatch.setattr(trial, "COMPILE_SECONDS", 0.3)


def expand(example: str) -> str:
    def repeated(match: re.Match[str]) -> str:
        return {"NUL": "\0"}.get(match[1], match[1]) * int(match[2])

    return re.sub(r"\{(.+?)\*(\d+)\}", repeated, example)


def sheet_of(cell: str) -> str:
    """Build the sheet of a cell of the table."""
    sheet, added = SHEET, ""
    for word, example in re.findall(r"(without |with |alone |)`(.+?)`", cell):
        if word == "alone ":
            return expand(example)
        if word == "without ":
            assert example in sheet
            sheet = sheet.replace(example, "")
        else:
            added = expand(example)
    assert added or cell == "the sheet" or cell.startswith("without ")
    return sheet + added


def findings(cell: str, code: str) -> list[Finding]:
    report = check_text(sheet_of(cell))
    found = list(report.findings)
    if code.startswith("GDL8"):
        assert report.verdict != "error", found
        found += trial.try_out(report.sheet, 5, max_turns=30)
    return found


def test_every_code_is_on_the_page_in_order() -> None:
    assert list(ROWS) == list(CODES)
    assert {code: row[:2] for code, row in ROWS.items()} == {
        code: (kind.severity, kind.title) for code, kind in CODES.items()
    }


def test_the_sheet_of_the_page_has_no_findings() -> None:
    assert findings("the sheet", "GDL8") == []


@pytest.mark.parametrize("code", CODES)
def test_the_bad_example_yields_the_code(code: str) -> None:
    found = [finding for finding in findings(ROWS[code][2], code) if finding.code == code]
    assert found
    assert all(finding.severity == CODES[code].severity and finding.cure for finding in found)


@pytest.mark.parametrize("code", CODES)
def test_the_good_example_has_no_errors_and_not_the_code(code: str) -> None:
    for finding in findings(ROWS[code][3], code):
        assert finding.severity == "warning" and finding.code != code
