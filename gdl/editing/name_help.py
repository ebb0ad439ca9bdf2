"""The explanation of the word at a place of a sheet, in Markdown, and the words that may stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..checks.findings import CONNECTIVES
from ..language.forms import KifTree, Node
from ..language.rule_sheet import KEYWORD_ARITIES
from .sheet_names import NameUse, SheetNames

# The meaning of the words of the language: a pattern and one sentence.
KEYWORD_HELP: dict[str, tuple[str, str]] = {
    "<=": ("(<= head body ...)", "The head holds if every formula of the body holds."),
    "not": ("(not formula)", "The formula does not hold. Its variables must be bound by positive literals."),
    "or": ("(or formula ...)", "At least one of the formulas holds."),
    "and": ("(and formula ...)", "All formulas hold. Not a word of GDL: write the formulas directly into the body."),
    "distinct": ("(distinct term term)", "The two terms are different. Their variables must be bound elsewhere."),
    "role": ("(role name)", "A fact for each player of the game."),
    "init": ("(init fluent)", "The fluent is true in the initial state."),
    "true": ("(true fluent)", "The fluent is true in the current state; in bodies only."),
    "next": ("(next fluent)", "The fluent is true in the next state; in heads only."),
    "base": ("(base fluent)", "Declares a fluent that may become true."),
    "input": ("(input role move)", "Declares a move that may become legal."),
    "legal": ("(legal role move)", "The role may choose the move in the current state."),
    "does": ("(does role move)", "The role chooses the move in this turn; in bodies only."),
    "goal": ("(goal role value)", "The value of a terminal state for the role, a whole number from 0 to 100."),
    "terminal": ("terminal", "The current state ends the game."),
    "sees": ("(sees role percept)", "The role observes the percept after this turn (GDL-II)."),
    "percept": ("(percept role percept)", "Declares a percept that the role may observe (GDL-II)."),
    "random": ("random", "The role that chooses each of its legal moves with the same probability (GDL-II)."),
}

# Limits of the definitions shown, and of the characters of each.
_MAX_SHOWN = 4
_MAX_CHARACTERS = 400


def help_at(names: SheetNames, offset: int) -> tuple[Node, str] | None:
    """Return the word at an offset and its explanation in Markdown; None if there is no word."""
    word = names.tree.word_at(offset)
    if word is None:
        return None
    if word.text.startswith("?"):
        return word, f"`{word.text}`: variable; {_count(len(names.variables_at(offset)), 'occurrence')} in this rule"
    use = names.uses.get(word.name)
    if _is_keyword(word) or use is None:
        if word.name not in KEYWORD_HELP:
            return None
        pattern, meaning = KEYWORD_HELP[word.name]
        return word, f"`{pattern}`\n\n{meaning}"
    return word, _explanation(names.tree, use)


def _is_keyword(word: Node) -> bool:
    """Return whether a word is a keyword or connective in its place; such a word within a term is a constant."""
    if word.name == "random":
        return True
    if word.name not in KEYWORD_ARITIES and word.name not in CONNECTIVES:
        return False
    parent = word.parent
    return parent is None or parent.parts[0] is word or parent.name in CONNECTIVES - {"distinct"}


def _explanation(tree: KifTree, use: NameUse) -> str:
    kinds = " and ".join(kind if not arity else f"{kind} with {_count(arity, 'argument')}" for kind, arity in use.kinds)
    parts = [f"`{use.name}`: {kinds}; {_count(len(use.words), 'occurrence')}"]
    forms = list(dict.fromkeys(head.form for head in use.definitions))
    if forms:
        parts.append("\n\n".join(f"```kif\n{_shown(tree, form)}\n```" for form in forms[:_MAX_SHOWN]))
    if len(forms) > _MAX_SHOWN:
        parts.append(f"and {_count(len(forms) - _MAX_SHOWN, 'more definition')}")
    return "\n\n".join(parts)


def _shown(tree: KifTree, form: Node) -> str:
    text = tree.text[form.start : form.end]
    return (text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 3] + "...").replace("```", "'''")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


# ---- completions


# Limit of the offered words.
MAX_COMPLETIONS = 300

_PREFIX = re.compile(r"[^\s();]*\Z")
_HEADS = ("<=", "role", "init", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept")
_BODIES = ("true", "does", "not", "or", "distinct", "role", "legal", "goal", "terminal")
_FORMULA_LISTS = {"<=", "not", "or", "and"}
_FLUENTS = {"init", "true", "next", "base"}
_MOVES = {"legal", "does", "input"}
_OF_ROLES = {*_MOVES, "role", "goal", "sees", "percept"}


@dataclass(frozen=True, slots=True)
class Completion:
    """A word that may stand at a place."""

    word: str
    kind: str  # `keyword`, `variable`, or a kind of `NameUse`
    detail: str = ""  # the pattern of a keyword, or kind and number of arguments of a name; may be empty


def complete(names: SheetNames, offset: int) -> tuple[int, list[Completion]]:
    """Return the words that may stand at an offset."""
    if not names.readable:
        return offset, []
    text = names.tree.text
    line = max(text.rfind("\n", 0, offset), offset - 1000, -1) + 1
    if names.tree.has_comment(line, offset):
        return offset, []
    match = _PREFIX.search(text, line, offset)
    start = match.start() if match else offset
    prefix = text[start:offset].lower()
    offered = {each.word.lower(): each for each in _candidates(names, start) if each.word.lower().startswith(prefix)}
    word = names.tree.word_at(start)
    if word is not None and word.start == start and word.name in names.uses:
        use = names.uses[word.name]
        if len(use.words) == 1:  # the word that is being written
            offered.pop(word.name, None)
    return start, list(offered.values())[:MAX_COMPLETIONS]


def _candidates(names: SheetNames, start: int) -> Iterable[Completion]:
    around = names.tree.list_at(start)
    if around is None:
        return [*_of(names.of_kind("relation")), Completion("terminal", "keyword", "terminal")]
    index = sum(part.start < start for part in around.parts)
    if index:
        return _arguments(names, around, index - 1, start)
    outer = around.parent
    if outer is None:
        return [*_keywords(_HEADS), *_of(names.of_kind("relation"))]
    place = sum(part.start < around.start for part in outer.parts)
    if outer.name in _FORMULA_LISTS:
        words = _HEADS[1:] if outer.name == "<=" and place == 1 else _BODIES
        return [*_keywords(words), *_of(names.of_kind("relation"))]
    kinds = _kinds(outer.name, place - 1)
    return _of(names.of_kind(*kinds) if kinds else names.of_kind("function", "fluent", "move"))


def _arguments(names: SheetNames, around: Node, index: int, start: int) -> list[Completion]:
    if around.name in _FORMULA_LISTS:
        return [Completion("terminal", "keyword", "terminal"), *_of(names.of_kind("relation"))]
    kinds = _kinds(around.name, index)
    words = (each for each in around.form.words() if each.text.startswith("?") and each.start != start)
    variables = {word.name: Completion(word.text, "variable") for word in words}
    known = names.of_kind(*kinds) if kinds else names.of_kind("constant", "role")
    return [*variables.values(), *_of(known)]


def _kinds(keyword: str, index: int) -> tuple[str, ...]:
    """Return the kinds of the terms that may be an argument of a keyword; empty if any term may."""
    if keyword in _FLUENTS and index == 0:
        return ("fluent",)
    if keyword in _OF_ROLES and index == 0:
        return ("role",)
    return ("move",) if keyword in _MOVES and index == 1 else ()


def _keywords(words: Iterable[str]) -> list[Completion]:
    return [Completion(word, "keyword", KEYWORD_HELP[word][0]) for word in words]


def _of(uses: Iterable[NameUse]) -> list[Completion]:
    found = []
    for use in uses:
        kind, arity = next(iter(use.kinds))
        found.append(Completion(use.name, kind, f"{kind}, {arity} argument{'' if arity == 1 else 's'}"))
    return found
