"""Replacements in a KIF text that keep its words apart and its comments whole."""

from __future__ import annotations

from typing import NamedTuple

from ..language.kif_tree import KifTree, Node


class Replacement(NamedTuple):
    """The new text of a part of a text, from one offset to another."""

    start: int
    end: int
    text: str


def removed(start: int, end: int) -> Replacement:
    """Remove a part of a text."""
    return Replacement(start, end, "")


def word_instead(tree: KifTree, node: Node, word: str) -> Replacement:
    """Replace a node by a word, with blanks that keep it apart from the text beside it."""
    before, after = tree.text[node.start - 1 : node.start], tree.text[node.end : node.end + 1]
    left = "" if before in ("", "(") or before.isspace() else " "
    right = "" if after in ("", ")") or after.isspace() else " "
    return Replacement(node.start, node.end, f"{left}{word}{right}")


def parts_instead(tree: KifTree, node: Node, first: int = 1) -> list[Replacement]:
    """Replace a list by its parts from a number on; comments stay.

    The text before the first of these parts and the closing parenthesis are removed. A comment before the first part
    stays, and then the blanks beside it, too.
    """
    parts = node.parts[first:]
    opening = node.parts[first - 1].end if first else node.start + 1
    begin = parts[0].start if not tree.has_comment(opening, parts[0].start) else opening
    end = node.end - 1
    last = end if tree.has_comment(parts[-1].end, end) else parts[-1].end
    before, after = tree.text[node.start - 1 : node.start], tree.text[node.end : node.end + 1]
    # A word at the edge of the list must not become one with the text beside the list.
    left = "" if before in ("", "(") or before.isspace() else " "
    right = "" if after in ("", ")") or after.isspace() else " "
    return [Replacement(node.start, begin, left), Replacement(last, node.end, right)]
