"""Findings and fixes as diagnostics and code actions of the protocol."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from .open_sheets import OpenSheet

SOURCE = "ggp-agent"
_SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}


def diagnostics(sheet: OpenSheet, findings: list[dict[str, Any]]) -> list[types.Diagnostic]:
    """Return the findings of a sheet as diagnostics; the range is the word or list at which a finding begins."""
    return [
        types.Diagnostic(
            range=_range(sheet, finding),
            message=f"{finding['message']} (cure: {finding['cure']})",
            severity=_SEVERITIES[finding["severity"]],
            code=finding["code"],
            source=SOURCE,
        )
        for finding in findings
    ]


def actions(sheet: OpenSheet, uri: str, findings: list[dict[str, Any]], within: types.Range) -> list[types.CodeAction]:
    """Return the fixes of the findings whose lines a range of the text touches."""
    found = []
    offset = sheet.positions.offset_of_finding
    for finding, diagnostic in zip(findings, diagnostics(sheet, findings), strict=True):
        if not within.start.line <= diagnostic.range.start.line <= within.end.line:
            continue
        for fix in finding.get("fixes", ()):
            edits = [
                types.TextEdit(sheet.range(offset(*edit["start"]), offset(*edit["end"])), edit["replacement"])
                for edit in fix["edits"]
            ]
            change = types.WorkspaceEdit(changes={uri: edits})
            kind = types.CodeActionKind.QuickFix
            found.append(types.CodeAction(fix["title"], kind=kind, diagnostics=[diagnostic], edit=change))
    return found


def _range(sheet: OpenSheet, finding: dict[str, Any]) -> types.Range:
    if not finding["line"]:
        return sheet.range(0, 0)
    start = sheet.positions.offset_of_finding(finding["line"], finding["column"])
    word = sheet.names.tree.word_at(start)
    node = word if word is not None and word.start == start else sheet.names.tree.starting_at(start)
    line_end = sheet.text.find("\n", start)
    limit = line_end if line_end >= 0 else len(sheet.text)
    return sheet.range(start, min(node.end, limit) if node is not None else min(start + 1, limit))
