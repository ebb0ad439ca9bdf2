"""Every regular expression of the program takes linear time, whatever it is held against."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator

import pytest
from places import ROOT
from quick import few

FOLDERS = ("gdl", "ggp_agent", "kif_games")
FUNCTIONS = frozenset(("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"))

# Texts grow to so many characters. What is linear takes a thousandth of a second for the longest; what goes over its
# text once for each of its characters takes these seconds of processor time long before.
LONGEST = 1 << 16
ALLOWED = 0.25

PIECES = [
    " ", "\t", "\n", "\r\n", "a", "1", "(", ")", "()", "(a ", "a ", " a", "1-", "a=", ";", "; \n", "http://",
    "HTTP/1.1 ", "\ncontent-length: 1", "(true ", "a.", "\\", '"', ":1-1", "\ufffd", "<", "</", "-", "a1-",
]  # fmt: skip


Pattern = re.Pattern[str] | re.Pattern[bytes]


def patterns() -> Iterator[tuple[str, frozenset[str], Pattern]]:
    """Find the patterns in the sources: file and line, what is done with each, and the pattern."""
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        text = path.read_text()
        if "import re\n" not in text:
            continue
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in FUNCTIONS
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
            ):
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                uses = uses_of(tree, node, place) if node.func.attr == "compile" else {node.func.attr}
                yield place, frozenset(uses & {"match", "fullmatch"} or {"search"}), compiled(node, place)


def uses_of(tree: ast.Module, call: ast.Call, place: str) -> set[str]:
    """Return the methods of a pattern that its file calls; it has to have a name there."""
    names = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and node.value is call
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert names, f"{place}: the pattern has no name"
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
    }


def compiled(call: ast.Call, place: str) -> Pattern:
    """Compile the pattern of a call, which has to be a literal, so that none is missed."""
    first, flags = call.args[0], 0
    if isinstance(first, ast.JoinedStr):  # a name of our own stands in it
        parts = [part.value if isinstance(part, ast.Constant) else "name" for part in first.values]
        return re.compile("".join(map(str, parts)))
    assert isinstance(first, ast.Constant), f"{place}: the pattern is no literal"
    for other in [*call.args[1:], *(keyword.value for keyword in call.keywords)]:
        if isinstance(other, ast.Attribute) and isinstance(other.value, ast.Name) and other.value.id == "re":
            flags |= getattr(re, other.attr)
    return re.compile(first.value, flags)


ALL = list(patterns())


def test_patterns_are_found() -> None:
    assert len(ALL) > 40


@pytest.mark.parametrize(("ways", "pattern"), few([pytest.param(*found[1:], id=found[0]) for found in ALL], 40))
def test_patterns_are_linear(ways: frozenset[str], pattern: Pattern) -> None:
    for piece in PIECES:
        for before, after in (("", ""), ("(", "\0"), ("a=", "\0"), ("GET ", "x\0")):
            length = 1 << 10
            while length <= LONGEST:
                text = before + piece * (length // len(piece)) + after
                subject = text if isinstance(pattern.pattern, str) else text.encode()
                for way in ways:
                    began = time.thread_time()
                    getattr(pattern, way)(subject)
                    assert time.thread_time() - began < ALLOWED, (way, before, piece, after, length)
                length *= 2
