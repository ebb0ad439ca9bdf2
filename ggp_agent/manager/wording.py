"""The names in which one player is told of a game, and tells its moves: those of the sheet, or a scrambling of them.

A scrambling gives every symbol and every variable another name, the same one wherever it stands; keywords and integers
stay. A player can tell nothing from such names, so that a game is known by its rules alone, if at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from random import Random

from gdl import RuleSheet, parse_term
from gdl.language.rule_sheet import KEYWORD_ARITIES, Literal, Rule
from gdl.language.terms import Spellings, relation, to_kif

_WORD = re.compile(r"[^\s()]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_KEPT = {*KEYWORD_ARITIES, "<=", "not", "or", "and", "distinct"}
# What players and managers say instead of a move.
_RESERVED = {"nil", "busy", "ready", "done", "aborted"}
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


class UnknownNameError(Exception):
    """Report a name that the player was never told."""


class Wording:
    """The names of a game for one player: rules and moves are encoded for it, and what it answers is decoded.

    >>> from gdl import parse_sheet
    >>> sheet = parse_sheet("(role white) (init (cell 1 ?x))")
    >>> plain = Wording(sheet)
    >>> plain.encode("(mark 1 1)"), plain.decode("( MARK 1 1 )")
    ('( mark 1 1 )', '(MARK 1 1)')
    >>> scrambled = Wording(sheet, Random(1))
    >>> scrambled.decode(scrambled.encode("(cell 1 white)"))
    '(cell 1 white)'

    Args:
        sheet: the rules.
        random: chooses the names of a scrambling; None keeps those of the sheet.
    """

    def __init__(self, sheet: RuleSheet, random: Random | None = None) -> None:
        self._sheet = sheet
        self._theirs: dict[str, str] = {} if random is None else _scrambling(str(sheet), random)
        self._ours = {theirs: ours for ours, theirs in self._theirs.items()}
        self._spellings = sheet.spellings
        if self._theirs:
            kept = [word for word in sheet.spellings.by_lower_case.values() if word not in self._theirs]
            self._spellings = Spellings({word.lower(): word for word in (*kept, *self._ours)})

    def rules(self, state: Iterable[str] | None = None) -> str:
        """Return the rules as they stand inside START and PREVIEW.

        Args:
            state: fluents with which the game is to begin, instead of the initial ones.
        """
        return "".join(f"{self.encode(str(rule))} " for rule in self._rules(state))

    def encode(self, term: str) -> str:
        """Write a move or role (or rule) of ours, with blanks inside the parentheses as GGP-Base has them."""
        if self._theirs:
            term = _WORD.sub(lambda word: self._theirs.get(word[0], word[0]), term)
        return term.replace("(", "( ").replace(")", " )")

    def decode(self, text: str) -> str:
        """Read a move in any spelling, with any blanks and comments; returns it in canonical KIF and our names.

        Raises:
            GdlError: the text is not exactly one term.
            UnknownNameError: it holds a name that the player was not told.
        """
        term = to_kif(parse_term(text, self._spellings))
        if not self._theirs:
            return term
        return _WORD.sub(lambda word: self._our_name(word[0]), term)

    def _our_name(self, word: str) -> str:
        if word in self._ours:
            return self._ours[word]
        if word in _KEPT or _INTEGER.fullmatch(word):
            return word
        raise UnknownNameError(f"{word[:100]!r} is a name that the player was not told")

    def _rules(self, state: Iterable[str] | None) -> Iterator[Rule]:
        if state is None:
            yield from self._sheet.rules
            return
        for rule in self._sheet.rules:
            if relation(rule.head.sentence)[0] != "init":
                yield rule
        for fluent in state:
            yield Rule(Literal(parse_term(f"(init {fluent})", self._sheet.spellings)))


def _scrambling(rules: str, random: Random) -> dict[str, str]:
    """Invent a name for each symbol and each variable of a text."""
    words = sorted(set(_WORD.findall(rules)))
    taken = _KEPT | _RESERVED | {word.lower().lstrip("?") for word in words}
    table = {}
    for word in words:
        if word.lower() in _KEPT or _INTEGER.fullmatch(word):
            continue
        while (name := _invented(random)) in taken:
            pass
        taken.add(name)
        table[word] = f"?{name}" if word.startswith("?") else name
    return table


def _invented(random: Random) -> str:
    syllables = random.randint(3, 4)
    return "".join(random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(syllables))
