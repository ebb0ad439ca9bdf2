"""The forms around the terms in the answers of language models: code marks, bullets, numbers, labels, reasoning.

All functions read a text in linear time.

>>> bare("**Answer:** `(mark 3 3)`."), bare("- x,"), bare("-1"), bare("<move>noop</move>")
('(mark 3 3)', 'x', '-1', 'noop')
>>> split_number("9. (mark 3 3)"), split_number("#9"), split_number("(mark 3 3)"), split_number("3,1: x")
((9, '(mark 3 3)'), (9, ''), (None, '(mark 3 3)'), (None, '3,1: x'))
"""

from __future__ import annotations

import json
import re
from typing import Any

# Quotes, marks of code and bold text, square brackets, and blanks around a term; and the stops behind it.
MARKS = "`*\"'\u201c\u201d\u2018\u2019\u00ab\u00bb[]$ \t\r\n"
_STOPS = ".,;:!"
_BULLETS = "-+>\u2022\u2013\u2014\u2192"
# The words before a colon that do not belong to a term.
_LABELS = frozenset(
    f"{article}{word}"
    for article in ("", "my ", "the ", "final ", "my final ", "best ", "the best ", "my best ")
    for word in ("answer", "move", "choice")
)
_FENCES = ("```", "~~~")
# Layers of form around a term, such as a bullet before a number before code marks.
_MAX_LAYERS = 4
# The begin and end of reasoning before an answer; a tag that surrounds an answer.
_REASONING_TAGS = "(?:think|thinking|thought|thoughts|reasoning|analysis|scratchpad)"
_REASONING_BEGIN = re.compile(f"<{_REASONING_TAGS}>", re.I)
_REASONING = re.compile(f"</{_REASONING_TAGS}>", re.I)
_TAG = re.compile(r"<([a-z_]{1,20})>")
# The number of a line in a list: `9.`, `9)`, `(9)`, `#9`, and `9:`, `9 -` or `9` before a parenthesis.
_NUMBER = re.compile(r"([#(]?)([0-9]{1,9})([.)\]](?=[\s(*`]|$)|(?:\s*[-:\u2013])?(?=\s*\())?")
_BREAK = re.compile(r"[(),]|\sand\s")


def bare(text: str) -> str:
    """Return a term without the marks, bullets, labels and stops around it."""
    for _ in range(_MAX_LAYERS):
        before = text
        text = text.strip(MARKS).rstrip(_STOPS + MARKS)
        if text[:1] in _BULLETS and text[1:2].isspace():
            text = text[2:]
        label, colon, _ = text[:50].partition(":")
        if colon and label.strip(MARKS).lower() in _LABELS:
            text = text[len(label) + 1 :]
        tag = _TAG.match(text)
        if tag is not None and text.endswith(f"</{tag[1]}>"):
            text = text[tag.end() : -len(tag[1]) - 3]
        if text.startswith("\\boxed{") and text.endswith("}"):
            text = text[7:-1]
        if text == before:
            break
    return text


def split_number(text: str) -> tuple[int | None, str]:
    """Return the number of a line of a list and the rest of the line; None if the text does not begin with a number."""
    found = _NUMBER.match(text)
    is_alone = found is not None and found.end() == len(text) and found[1] != "("
    if found is None or (found[3] is None and found[1] != "#" and not is_alone):
        return None, text
    return int(found[2]), text[found.end() :].strip()


def without_reasoning(text: str) -> str:
    """Return the text behind the last block of reasoning, such as `<think>..</think>`."""
    return _REASONING.split(text)[-1]


def json_in(text: str) -> Any:
    """Return the JSON object, as a list of pairs (name, value), or the JSON array of a text; None without one."""
    text = text.strip("` \t\r\n").removeprefix("json").strip()
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return None
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: pairs)
    except (ValueError, RecursionError):
        return None


def last_block(text: str) -> list[str]:
    """Return the lines of an answer: behind its reasoning, of its last block between code fences if there is one.

    >>> last_block("<think>(a)</think>\\nThe moves are:\\n(b)")
    ['(b)']
    >>> last_block("So:\\n```kif\\n(a 1)\\n(a 2)\\n```\\nDone.")
    ['(a 1)', '(a 2)']
    """
    blocks: list[list[str]] = [[]]
    for line in map(str.strip, without_reasoning(text).splitlines()):
        if line.startswith(_FENCES) and line[:3] not in line[3:]:
            blocks.append([])
        elif line and not (line[0] == "<" and line.find(">") == len(line) - 1):  # no line of a tag, such as <answer>
            blocks[-1].append(line)
    inside = [block for block in blocks[1::2] if block]
    lines = inside[-1] if inside else [line for block in blocks for line in block]
    has_heading = len(lines) > 1 and (lines[0].rstrip(MARKS).endswith(":") or lines[0].startswith("#"))
    return lines[1:] if has_heading else lines


class AnswerLines:
    """Read the lines of one answer, which ends with its first line, or with the end of what its first line begins.

    A first line may be a heading that ends with a colon or begin reasoning such as `<think>`, behind which the answer
    follows; or be a code fence, `{` or a tag.

    >>> lines = AnswerLines()
    >>> [lines.add(line) for line in ("<think>The middle", "is free.</think>", "```", "(mark 2 2)", "```")]
    [False, False, False, False, True]
    >>> AnswerLines().add("(mark 2 2)"), AnswerLines().add("<think>No.</think> (mark 2 2)")
    (True, True)
    """

    def __init__(self) -> None:
        self._end = ""  # the beginning of the last line; empty until it is known
        self._reasons = False

    def add(self, line: str) -> bool:
        """Add a line; return whether the answer is complete."""
        line = line.strip()
        if self._end:
            return line.startswith(self._end)
        self._reasons = self._reasons or _REASONING_BEGIN.match(line) is not None
        if self._reasons:
            *before, line = _REASONING.split(line)
            if not before:
                return False
            line, self._reasons = line.strip(), _REASONING_BEGIN.match(line) is not None
        if line.startswith(_FENCES) and line[:3] not in line[3:]:
            self._end = line[:3]
        elif (tag := _TAG.fullmatch(line)) is not None:
            self._end = f"</{tag[1]}>"
        elif line == "{":
            self._end = "}"
        return bool(line) and not (self._end or self._reasons or line.endswith(":"))


def terms_in(text: str) -> list[str]:
    """Return the terms of an answer, one or several on each line, without the forms around them.

    >>> terms_in("```\\n1. (mark 1 1), (mark 1 2).\\n- `noop`\\n```"), terms_in('["x", "o"]'), terms_in("x and o.")
    (['(mark 1 1)', '(mark 1 2)', 'noop'], ['x', 'o'], ['x', 'o'])
    """
    return [term for line in lines_in(text) for part in _parts(line) if (term := bare(part))]


def lines_in(text: str) -> list[str]:
    """Return the lines of an answer without bullets, numbers and marks, or the texts in JSON."""
    lines = last_block(text)
    listed = json_in("\n".join(lines))
    if isinstance(listed, list) and len(listed) == 1 and isinstance(listed[0], tuple):  # an object with one field
        listed = listed[0][1] if isinstance(listed[0][1], list) else [listed[0][1]]
    if isinstance(listed, list) and all(isinstance(each, str) for each in listed):
        lines = listed
    return [rest for line in lines if (rest := _without_number(bare(line)))]


def _without_number(line: str) -> str:
    """Return a line without its number; a number alone is a term."""
    _, rest = split_number(line)
    return bare(rest) if rest else line


def _parts(line: str) -> list[str]:
    """Split a line at commas and the word `and` outside parentheses, and between two lists."""
    parts, depth, start, end = [], 0, 0, 0
    for found in _BREAK.finditer(line):
        if found[0] == "(":
            if depth == 0 and end > 0 and not line[end : found.start()].strip():
                parts.append(line[start:end])
                start = end
            depth += 1
        elif found[0] == ")":
            depth -= 1
            end = found.end()
        elif depth == 0:
            parts.append(line[start : found.start()])
            start, end = found.end(), 0
    return [*parts, line[start:]]
