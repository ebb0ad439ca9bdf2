"""The names of a sheet: what each one is, where it is defined and occurs, how it is renamed; and the outline."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..checks.findings import CONNECTIVES, RELATIONS, shown
from ..language.forms import MAX_CHARACTERS, MAX_SYMBOL, KifTree, Node, is_unmistakable
from ..language.infix import is_infix
from ..language.rule_sheet import KEYWORD_ARITIES

# Keywords with a fluent, a role, a move or a percept as an argument, and the number of this argument.
_FLUENT_AT = {"init": 0, "true": 0, "next": 0, "base": 0}
_ROLE_AT = {"role": 0, "legal": 0, "does": 0, "goal": 0, "sees": 0, "percept": 0, "input": 0}
_MOVE_AT = {"legal": 1, "does": 1, "input": 1}
_PERCEPT_AT = {"sees": 1, "percept": 1}
# Keywords whose heads define the name in their argument.
_DEFINING = {"init", "next", "base", "legal", "input", "role", "percept", "sees"}


@dataclass(slots=True)
class NameUse:
    """One name and its occurrences."""

    name: str  # the first spelling
    # The uses of the name, each as (kind, number of arguments); a kind is `relation`, `fluent`, `move`, `percept`,
    # `role`, `function` or `constant`.
    kinds: dict[tuple[str, int], None] = field(default_factory=dict)
    definitions: list[Node] = field(default_factory=list)  # the heads of facts and rules that define it
    words: list[Node] = field(default_factory=list)  # the occurrences in the order of the text
    goal_value: bool = False  # True if a goal of the sheet is this number

    def is_a(self, kind: str) -> bool:
        """Return whether the name is of a kind, with any number of arguments."""
        return any(each == kind for each, _ in self.kinds)


class SheetNames:
    """The names of a text."""

    def __init__(self, text: str) -> None:
        # False if the text has no names, because of its notation or length.
        self.readable = len(text) <= MAX_CHARACTERS and not is_infix(text.removeprefix("\ufeff"))
        # The offsets stay the same.
        lines = text.replace("\ufeff", " ").replace("\r\n", " \n").replace("\r", "\n")
        self.tree = KifTree(lines if self.readable else "")  # the tree of the text
        self.uses: dict[str, NameUse] = {}  # the names by their lower case
        self.variable_goals = False  # True if a goal value is a variable, so that any number may be a goal value
        for form in self.tree.forms:
            self._form(form)
        for word in self.tree.words:
            if (use := self.uses.get(word.name)) is not None:
                use.words.append(word)

    def use_at(self, offset: int) -> NameUse | None:
        """Return the name at an offset; None for variables, keywords and comments."""
        word = self.tree.word_at(offset)
        return self.uses.get(word.name) if word is not None else None

    def variables_at(self, offset: int) -> list[Node]:
        """Return the occurrences of the variable at an offset within its rule; empty if it is no variable."""
        word = self.tree.word_at(offset)
        if word is None or not word.text.startswith("?"):
            return []
        return [each for each in word.form.words() if each.name == word.name]

    def occurrences(self, offset: int) -> list[Node]:
        """Return the occurrences of the name or variable at an offset."""
        use = self.use_at(offset)
        return use.words if use is not None else self.variables_at(offset)

    def definitions(self, offset: int) -> list[Node]:
        """Return the heads that define the name at an offset; for a variable its first occurrence in the rule."""
        use = self.use_at(offset)
        return use.definitions if use is not None else self.variables_at(offset)[:1]

    def of_kind(self, *kinds: str) -> list[NameUse]:
        """Return the names of some kinds in the order of the text."""
        return [use for use in self.uses.values() if any(use.is_a(kind) for kind in kinds)]

    # ---- reading

    def _form(self, form: Node) -> None:
        is_rule = form.is_list and bool(form.parts) and (form.name == "<=" or is_unmistakable(form.parts[0].text))
        formulas = form.parts[1:] if is_rule else [form]
        for index, formula in enumerate(formulas):
            for literal in formula.literals():
                self._literal(literal, is_head=index == 0)

    def _literal(self, literal: Node, *, is_head: bool) -> None:
        name, given = literal.name, literal.parts[1:]
        if literal.is_list and name == "distinct":
            self._terms(given)
        elif name in RELATIONS:
            for index, term in enumerate(given):
                kind = _kind_of_argument(name, index)
                use = self._note(term, kind)
                if use is not None and is_head and name in _DEFINING and (name == "role" or kind not in ("", "role")):
                    use.definitions.append(literal)
                if name == "goal" and index == 1:
                    self._goal_value(term, use)
                self._terms(term.parts[1:])
        else:
            use = self._note(literal, "relation")
            if use is not None and is_head:
                use.definitions.append(literal)
            self._terms(given)

    def _goal_value(self, term: Node, use: NameUse | None) -> None:
        if use is not None and not term.is_list:
            use.goal_value = True
        self.variable_goals |= term.text.startswith("?")

    def _terms(self, terms: list[Node]) -> None:
        waiting = terms[::-1]
        while waiting:
            term = waiting.pop()
            self._note(term, "")
            waiting += reversed(term.parts[1:] if term.name else term.parts)

    def _note(self, node: Node, kind: str) -> NameUse | None:
        """Record the name of a term or sentence; return None if it has no name."""
        name = node.name
        if not name or name.startswith("?") or name in CONNECTIVES:
            return None
        if name in RELATIONS and node.is_list:
            return None
        word = node if node.text else node.parts[0]
        use = self.uses.setdefault(name, NameUse(word.text))
        arity = len(node.parts) - 1 if node.is_list else 0
        use.kinds[kind or ("function" if arity else "constant"), arity] = None
        return use


def _kind_of_argument(keyword: str, index: int) -> str:
    """Return the kind of an argument of a keyword; empty if it is an ordinary term."""
    for kind, places in (("fluent", _FLUENT_AT), ("role", _ROLE_AT), ("move", _MOVE_AT), ("percept", _PERCEPT_AT)):
        if places.get(keyword) == index:
            return kind
    return ""


# ---- the outline of a sheet

# Limits of the entries, and of the characters of a title.
MAX_ENTRIES = 5_000
_MAX_TITLE = 60


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A fact or rule."""

    title: str  # the head, shortened
    form: Node  # the whole fact or rule
    head: Node  # the head of the fact or rule
    is_rule: bool  # False for a fact


def outline(tree: KifTree) -> list[OutlineEntry]:
    """Return the facts and rules of a text in their order, at most `MAX_ENTRIES`."""
    entries = []
    for form in tree.forms[:MAX_ENTRIES]:
        is_rule = form.is_list and form.name == "<=" and len(form.parts) > 1
        head = form.parts[1] if is_rule else form
        title = " ".join(tree.text[head.start : min(head.end, head.start + 4 * _MAX_TITLE)].split())
        entries.append(
            OutlineEntry(title if len(title) <= _MAX_TITLE else title[: _MAX_TITLE - 3] + "...", form, head, is_rule)
        )
    return entries


# ---- a new name for a symbol in the whole sheet, or for a variable in its rule

_NAME = re.compile(r"[A-Za-z0-9_+\-.]+")
_NUMBER = re.compile(r"[0-9]+")
_WORDS_OF_GDL = {*KEYWORD_ARITIES, *CONNECTIVES, "knows"}


class RenameError(Exception):
    """Report that a name cannot be renamed; the text is one sentence."""


def renameable_at(names: SheetNames, offset: int) -> Node:
    """Return the word at an offset if it can be renamed."""
    word = names.tree.word_at(offset)
    if word is None:
        raise RenameError("there is no name here")
    if word.text.startswith("?"):
        return word
    if word.name in _WORDS_OF_GDL or word.name not in names.uses:
        raise RenameError(f"{shown(word.text)} is a word of GDL, which cannot be renamed")
    if names.uses[word.name].goal_value:
        raise RenameError(f"{shown(word.text)} is a goal value, which cannot be renamed")
    if names.variable_goals and _NUMBER.fullmatch(word.text):
        raise RenameError(f"{word.text} may be a goal value, because a goal of this sheet contains a variable")
    return word


def renamed_at(names: SheetNames, offset: int, new: str) -> tuple[list[Node], str]:
    """Return the words to be replaced, and the word that replaces each of them."""
    word = renameable_at(names, offset)
    is_variable = word.text.startswith("?")
    bare = new.removeprefix("?") if is_variable else new
    if _NAME.fullmatch(bare) is None or len(bare) >= MAX_SYMBOL:
        raise RenameError(f"{shown(new)!r} is not a name: use letters, digits and _ + - .")
    if is_variable:
        new = f"?{bare}"
        others = {each.name for each in word.form.words()}
        where = "this rule has"
    elif new.lower() in _WORDS_OF_GDL:
        raise RenameError(f"{new} is a word of GDL and cannot be a name")
    else:
        others = set(names.uses)
        where = "this sheet has"
    if new.lower() in others - {word.name}:
        raise RenameError(f"{where} the name {shown(new)} already")
    return names.occurrences(offset), new
