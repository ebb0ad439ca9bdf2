"""Static checks of rule sheets: errors that can be found without playing.

The checks are functions from a sheet (and its text) to findings, one module for each theme: `text`, `vocabulary`,
`keywords`, `matching`, `cycles`. `check_text` runs them all.
"""

from __future__ import annotations

from dataclasses import replace

from ..compile.arithmetic import arithmetic_relations
from ..language.forms import with_lf
from ..language.infix import infix_message, is_infix
from ..language.parse import recover_sheet
from ..language.rule_sheet import RuleSheet
from .cycles import check_cycles, check_safety
from .findings import CODES, Finding, Findings, Kind, Report, Severity, Verdict, arranged
from .keywords import (
    check_arithmetic,
    check_completeness,
    check_dependencies,
    check_percepts,
    check_places,
    check_style,
)
from .matching import check_matching
from .text import InfixSheetText, SheetText, check_upper_case
from .vocabulary import check_definitions, check_unread_fluents, check_vocabulary

__all__ = ["CODES", "Finding", "Kind", "Report", "Severity", "Verdict", "arranged", "check_text"]

# After one of these errors the rest of the sheet cannot be checked.
_HOPELESS = {"GDL101", "GDL102", "GDL116", "GDL118"}


def check_text(text: str, *, source: str = "<text>") -> Report:
    """Check a rule sheet.

    Forms with syntax errors are left out, and the other forms are checked without them. A finding that a left-out form
    could have caused, such as an undefined relation, is not reported.

    >>> report = check_text('''(role robot) (init (at 1)) (legal robot wait) (<= terminal (true (at 1)))
    ...     (<= (goal robot ?points) (not (true (at 1))))''')
    >>> report.verdict, [(finding.code, finding.message) for finding in report.findings]
    ('error', [('GDL501', 'the head contains ?points, which no positive literal of the body binds in every case')])
    """
    text = with_lf(text.removeprefix("\ufeff"))
    recovered = recover_sheet(text, source=source)
    infix = is_infix(text)
    found = [Finding(error.code, error.message, error.position, infix=infix) for error in recovered.errors]
    if not _HOPELESS.intersection(finding.code for finding in found):
        words = InfixSheetText(recovered.text) if infix else SheetText(recovered.text)
        hints, sheet = ([], recovered.sheet) if infix else check_upper_case(recovered.sheet, words)
        found += hints
        others = _check(sheet, words, complete=recovered.complete)
        # The characters of a wrong arrow are part of its error.
        arrows = {finding.position for finding in found if finding.code == "GDL121"}
        others = (finding for finding in others if finding.code != "GDL211" or finding.position not in arrows)
        found += map(_in_infix, others) if infix else others
    return Report(recovered.sheet, arranged(found))


def _in_infix(finding: Finding) -> Finding:
    if finding.infix:
        return finding
    advice = infix_message(finding.advice)
    return replace(finding, message=infix_message(finding.message), advice=advice, infix=True)


def _check(sheet: RuleSheet, text: SheetText, *, complete: bool) -> Findings:
    if complete:
        missing = list(check_completeness(sheet))
        yield from missing
        if any(finding.code == "GDL301" for finding in missing):
            return
    yield from text.findings(arithmetic_relations(sheet.rules))
    yield from check_vocabulary(sheet, text)
    if complete:
        yield from check_definitions(sheet)
        yield from check_arithmetic(sheet)
    yield from check_places(sheet)
    yield from check_dependencies(sheet)
    if complete:
        yield from check_percepts(sheet)
    yield from check_safety(sheet)
    yield from check_style(sheet)
    if complete:
        yield from check_matching(sheet)
        yield from check_unread_fluents(sheet)
        yield from check_cycles(sheet)
