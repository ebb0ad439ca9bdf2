"""Words and patterns that must not return in pages, messages, docstrings and comments: plain English for all readers.

`CONTRIBUTING.md` asks for subject, verb, object and one statement per sentence. A pattern here stands for a habit that
made earlier texts hard to read. Code and quotes in backticks are not checked.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if not re.match(r"\w+-\w+\.md$", path.name)),
]
# Python and Cython.
SOURCES = sorted(
    path
    for folder in ("ggp_agent", "gdl", "kif_games", "tools")
    for suffix in ("py", "pyi", "pyx", "pxd")
    for path in (ROOT / folder).rglob(f"*.{suffix}")
)
MAX_LINE = 120
MAX_METHOD_WORDS = 1_800
MAX_README_LINES = 90

# The habit, a pattern, and what to write instead.
PATTERNS = {
    "told": (r"\btold\b", "reported, returned, known"),
    "tells": (r"\btells?\b", "reports, shows, describes"),
    "anew": (r"\banew\b", "again"),
    "so many": (r"\bso many\b", "the number"),
    "nobody": (r"\b(?:nobody|somebody|whoever)\b", "the role, the player, the user"),
    "it is none": (r"\b(?:it|which|that) (?:is|are) none\b", "the noun with 'not'"),
    "those that": (r"\bthose (?:that|of|who|which|with)\b", "the noun again"),
    "take down": (r"\b(?:take|takes|took|taken) down\b", "store, record"),
    "held against": (r"\bh(?:eld|old|olds) \w+ ?against\b", "compared with"),
    "to be had": (r"\b(?:is|are|not) to be had\b", "available"),
    "mended": (r"\bmend(?:s|ed|ing)?\b", "fix"),
    "inversion": (r"(?:^|[.;:] |- )(?:Lies|Holds|Stands|Is|Are) (?:it|they|one|there) [^?]*,", "If it is .., then .."),
    "as ever": (r"\bas ever\b", "as before, or leave it out"),
}
# First words of descriptions of arguments and attributes, which should be noun phrases ("whether ..", "called .." are
# fine): with these words a description is only understood together with the name before it.
NOT_FIRST_WORDS = {
    *("of", "in", "for", "by", "after", "before", "to", "from", "on", "at", "with", "without", "as", "during", "until"),
    *("which", "whose", "that", "what", "where", "when", "how", "who", "why", "while", "if", "since", "there", "so"),
    *("it", "its", "they", "them", "their", "told"),
}


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page with their numbers, without code and without what programs print."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)


def offences(name: str, lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    """Yield each match of a pattern with its place and what to write instead."""
    for number, line in lines:
        for habit, (pattern, instead) in PATTERNS.items():
            if re.search(pattern, line, re.IGNORECASE):
                yield f"{name}:{number}: '{habit}' (write: {instead}): {line.strip()[:80]}"


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield docstrings, other strings and comments of a source with the numbers of their first lines."""
    with tokenize.open(path) as file:
        tokens = list(tokenize.generate_tokens(file.readline))
    yield from ((token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT)
    if path.suffix not in (".py", ".pyi"):  # Cython has no syntax tree
        yield from ((token.start[0], token.string) for token in tokens if token.type == tokenize.STRING)
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of strings and comments of a source with their numbers, without code."""
    for first, text in strings(path):
        if " " in text:
            for number, line in enumerate(text.splitlines(), first):
                yield number, re.sub(r"`[^`]*`", "", line)


def descriptions(text: str) -> Iterator[tuple[int, str]]:
    """Yield the descriptions of arguments and attributes in a docstring with the numbers of their lines, from 0."""
    section = entry = -1  # indentation of the heading and of its entries; -1 outside of a section and before an entry
    for number, line in enumerate(text.splitlines()):
        indentation = len(line) - len(line.lstrip())
        if line.strip() in ("Args:", "Attributes:"):
            section, entry = indentation, -1
        elif section >= 0 and line.strip():
            if indentation <= section:
                section = -1
                continue
            entry = indentation if entry < 0 else entry
            described = re.match(r"[*\w,. `]+?: (.+)", line.strip())
            if indentation == entry and described:
                yield number, described[1]


def test_pages_are_in_plain_english() -> None:
    found = [each for page in PAGES for each in offences(str(page.relative_to(ROOT)), prose(page.read_text()))]
    assert found == []


def test_sources_are_in_plain_english() -> None:
    assert [each for path in SOURCES for each in offences(str(path.relative_to(ROOT)), lines_of(path))] == []


def test_descriptions_of_arguments_are_noun_phrases() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{first + number}: {text}"
        for path in SOURCES
        for first, docstring in strings(path)
        for number, text in descriptions(docstring)
        if first_word(text) in NOT_FIRST_WORDS
    ] == []


def first_word(text: str) -> str:
    """Return the first word of a description in small letters; empty if it begins with code."""
    found = re.match(r"[a-z]+\b", text.lower())
    return found[0] if found else ""


def test_earlier_descriptions_are_found() -> None:
    docstring = """Solve it.

    Args:
        plan: it.
        rows: after which it ends, or
            from which it starts: at the latest then.
        seconds: time limit.

    Raises:
        UserError: it is none.
    """
    found = list(descriptions(docstring))
    assert found == [(3, "it."), (4, "after which it ends, or"), (6, "time limit.")]
    assert [first_word(text) in NOT_FIRST_WORDS for _, text in found] == [True, True, False]


def test_comments_and_cython_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1  # as those of the page\n")
    (tmp_path / "b.pyx").write_text('cdef class A:\n    """What is told."""\n\n    cdef int* x  # begin anew\n')
    assert len(list(offences("a.py", lines_of(tmp_path / "a.py")))) == 1
    assert len(list(offences("b.pyx", lines_of(tmp_path / "b.pyx")))) == 2


@pytest.mark.parametrize(
    ("habit", "sentence"),
    [
        ("told", "cannot be told from one half"),
        ("tells", "The log tells depth and proofs."),
        ("nobody", "whoever has just moved"),
        ("it is none", "Rules that are none raise an error."),
        ("those that", "as those of the page"),
        ("inversion", "- Lies it above 50 %, the values are better."),
        ("held against", "what the tests hold it against"),
    ],
)
def test_patterns_find_earlier_sentences(habit: str, sentence: str) -> None:
    assert re.search(PATTERNS[habit][0], sentence, re.IGNORECASE)


def test_lines_are_short() -> None:
    long = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in PAGES
        for number, line in prose(page.read_text())
        if len(line) > MAX_LINE and not line.lstrip().startswith("|")
    ]
    assert long == []


def test_method_pages_and_the_readme_are_short() -> None:
    for page in (ROOT / "docs" / "methods").glob("*.md"):
        words = [word for word in page.read_text().split() if re.search(r"\w", word)]
        assert len(words) <= MAX_METHOD_WORDS, page.name
    assert len((ROOT / "README.md").read_text().splitlines()) <= MAX_README_LINES
