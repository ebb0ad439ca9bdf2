"""Fixes of findings: a fix removes its finding and adds no error."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st
from quick import examples

import kif_games
from gdl.checks import Finding, check_text
from gdl.checks.findings import MAX_FINDINGS_OF_A_CODE
from gdl.checks.fixes import Fix, SheetFixes
from gdl.language.forms import KifTree

SHEET = """\
(role robot) ; alone
(init (at 1))
(<= (legal robot (go ?x)) (true (at ?x)) (near ?x ?y))
(<= (next (at ?y)) (does robot (go ?x)) (near ?x ?y))
(near 1 2)
(near 2 3)
(<= terminal (true (at 3)))
(<= (goal robot 100) (true (at 3)))
"""

# A change of the sheet (old text, new text), the code of the finding, and the line after its fix; None if the fix
# restores the sheet.
DEFECTS = [
    ("(near 1 2)", "(near 1 2))", "GDL103", None),
    ("(near 1 2)", "((near 1 2))", "GDL107", None),
    ("(near 1 2)", "/* two\nlines */\n(near 1 2)", "GDL120", "; /* two\n; lines */\n(near 1 2)"),
    ("(near 1 2)", "(near 1 2) // beside", "GDL120", "(near 1 2) ; // beside"),
    ("(<= terminal", "(:- terminal", "GDL121", None),
    ("(<= terminal (true (at 3)))", "(=> (true (at 3)) terminal)", "GDL121", None),
    ("(near 2 3)", "(Near 2 3)", "GDL209", None),
    ("(near ?x ?y))\n(<= (next", "(near ?X ?y))\n(<= (next", "GDL210", None),
    ("(next (at ?y)) (does robot", "(next (at ?y)) (dose robot", "GDL207", None),
    ("(true (at ?x))", "(at ?x)", "GDL207", None),
    ("(true (at ?x)) (near ?x ?y)", "(true (at ?x)) (naer ?x ?y)", "GDL207", None),
    (
        "(<= (goal robot 100) (true (at 3)))",
        "(<= (goal ?r 100) (true (at 3)))",
        "GDL508",
        "(<= (goal ?r 100) (true (at 3)) (role ?r))",
    ),
    ("(near 2 3)", "(<= (near 2 3))", "GDL601", None),
    ("(true (at 3)))\n(<= (goal", "(and (true (at 3))))\n(<= (goal", "GDL602", None),
    ("(true (at ?x)) (near ?x ?y)", "(and (true (at ?x)) (near ?x ?y))", "GDL602", None),
    (
        "(<= terminal (true (at 3)))",
        "(<= terminal (or (true (at 3)) (or (true (at 2)) (true (at 9)))))",
        "GDL603",
        "(<= terminal (or (true (at 3)) (true (at 2)) (true (at 9))))",
    ),
    (
        "(<= terminal (true (at 3)))",
        "(<= terminal (not (or (true (at 1)) (true (at 2)))))",
        "GDL605",
        "(<= terminal (not (true (at 1))) (not (true (at 2))))",
    ),
    ("(near 2 3)\n", "(near 2 3)\n  (near 2 3)  \n", "GDL606", None),
    ("(<= terminal (true", "(<= (terminal) (true", "GDL607", None),
]


def fixes_of(text: str, code: str = "GDL") -> list[tuple[Finding, Fix]]:
    report = check_text(text)
    fixes = SheetFixes(text, report.sheet)
    return [(each, fix) for each in report.findings if each.code.startswith(code) for fix in fixes.of(each)]


def errors(text: str) -> Counter[str]:
    return Counter(finding.code for finding in check_text(text).findings if finding.severity == "error")


def codes(text: str) -> Counter[str]:
    return Counter(finding.code for finding in check_text(text).findings)


def test_the_sheet_is_valid() -> None:
    assert check_text(SHEET).verdict == "valid"


@pytest.mark.parametrize(("old", "new", "code", "line"), DEFECTS)
def test_a_fix_gives_the_expected_text(old: str, new: str, code: str, line: str | None) -> None:
    assert SHEET.count(old) == 1
    broken = SHEET.replace(old, new)
    found = fixes_of(broken, code)
    assert len(found) == 1, check_text(broken).findings
    assert found[0][1].applied(broken) == (SHEET if line is None else SHEET.replace(old, line))


def test_a_misspelt_head() -> None:
    broken = SHEET.replace("(legal robot", "(leagl robot") + "(<= (leagl robot (go 9)) (true (at 9)))\n"
    (_, fix), *_ = fixes_of(broken, "GDL208")
    assert fix.applied(broken) == broken.replace("leagl", "legal")


def test_names_that_differ_in_digits_are_no_misspellings() -> None:
    broken = SHEET.replace("(near 1 2)", "(near1 1 2)").replace("(near 2 3)", "(near2 2 3)")
    assert fixes_of(broken, "GDL207") == []


def test_comments_within_a_removed_list_stay() -> None:
    broken = SHEET.replace("(true (at 3)))\n(<= (goal", "(and ; all\n (true (at 3)) ; of it\n))\n(<= (goal")
    ((_, fix),) = fixes_of(broken, "GDL602")
    fixed = fix.applied(broken)
    assert "; all\n" in fixed and "; of it\n" in fixed
    assert check_text(fixed).verdict == "valid"


def test_positions_count_characters_after_the_byte_order_mark() -> None:
    text = "\ufeff" + SHEET.replace("\n", "\r\n").replace("; alone", "; \U0001f600 alone") + "(role robot)\r\n"
    ((finding, fix),) = fixes_of(text, "GDL606")
    assert fix.document()["edits"] == [{"start": [9, 1], "end": [10, 1], "replacement": ""}]
    assert finding.position == (9, 1)


def test_infix_sheets_have_one_fix() -> None:
    assert fixes_of("role(robot)\nrole(robot)\n") == []
    text = "role(robot)\r\np(?x, Door, ?door) :- q(?x, ?Door) & q(Door, _)\r\nr(?u) :- s(?u)\r\n"
    ((finding, fix),) = fixes_of(text, "GDL219")
    assert finding.message == "?x is read as the variable X (and 2 more variables)"
    assert finding.position == (2, 3)
    assert fix.applied(text).splitlines()[1:] == ["p(X, Door, Door_2) :- q(X, Door_2) & q(Door, _)", "r(U) :- s(U)"]


GAMES = [name for name, entry in kif_games.catalogue().items() if not entry.hidden]
SMALL = [text for text in (kif_games.rules(name) for name in GAMES) if len(text) < 6000]

# Codes of forms that are left out by the checks.
UNREAD = {"GDL103", "GDL107", "GDL120", "GDL121"}


def changes(part: str) -> list[str]:
    """Return a part of a sheet with defects."""
    return [
        *(f"{part})", f"({part})", f"(and {part})", f"(or {part})", f"(not {part})", f"(<= {part})"),
        *(f"{part} {part}", f"// {part}", part.upper(), part[:-2] + part[:-3:-1]),
        *(part.replace("<=", ":-"), part.replace("(true ", "(ture ")),
        re.sub(r"\(true (\([^()]*\))\)", r"\1", part),
    ]


@st.composite
def defective(draw: st.DrawFn) -> str:
    """Return a sheet of the catalogue with one or two defects at random places."""
    text = draw(st.sampled_from(SMALL))
    for _ in range(draw(st.integers(1, 2))):
        tree = KifTree(text)
        word = draw(st.sampled_from(tree.words))
        form = draw(st.sampled_from(tree.forms))
        node = draw(st.sampled_from([word, word.parent or word, form]))
        new = draw(st.sampled_from(changes(text[node.start : node.end])))
        text = text[: node.start] + new + text[node.end :]
    return text


@given(defective())
@examples(60, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_a_fix_removes_its_finding_and_adds_no_error(broken: str) -> None:
    before = errors(broken)
    for finding, fix in fixes_of(broken):
        fixed = fix.applied(broken)
        count = codes(broken)[finding.code]
        assert codes(fixed)[finding.code] < count or count > MAX_FINDINGS_OF_A_CODE, (finding, fix)
        # A form that could not be read may have hidden errors.
        assert finding.code in UNREAD or not errors(fixed) - before, (finding, fix)
