"""The names in the messages to and from one player: the names of the rule sheet, or other names.

With invented names a player can recognise a game only by the structure of its rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gdl import GdlError, RuleSheet, parse_term
from gdl.language.forms import MAX_CHARACTERS
from gdl.language.rule_sheet import Literal, Rule
from gdl.language.terms import Spellings, relation, to_kif

from ..protocol.messages import BUSY, NIL
from .other_names import INTEGER, KEPT_WORDS, WORD


class UnknownNameError(Exception):
    """A player sent a name that does not exist in its rules."""


class Wording:
    """Encode rules and moves for one player, and decode its answers.

    >>> from random import Random
    >>> from gdl import parse_sheet
    >>> from ggp_agent.game.other_names import invented_names
    >>> sheet = parse_sheet("(role white) (init (cell 1 ?x))")
    >>> plain = Wording(sheet)
    >>> plain.encode("(mark 1 1)"), plain.decode("( MARK 1 1 )")
    ('( mark 1 1 )', '(MARK 1 1)')
    >>> scrambled = Wording(sheet, invented_names(sheet, Random(1)))
    >>> scrambled.decode(scrambled.encode("(cell 1 white)"))
    '(cell 1 white)'
    """

    def __init__(self, sheet: RuleSheet, names: Mapping[str, str] | None = None) -> None:
        self._sheet = sheet
        self._theirs = dict(names or {})
        self._ours = {theirs: ours for ours, theirs in self._theirs.items()}
        self._spellings = sheet.spellings
        if self._theirs:
            kept = [word for word in sheet.spellings.by_lower_case.values() if word not in self._theirs]
            self._spellings = Spellings({word.lower(): word for word in (*kept, *self._ours)})

    def rules(self, state: Iterable[str] | None = None) -> str:
        """Return the text of the rules in START and PREVIEW."""
        text = "".join(f"{self.encode(str(rule))} " for rule in self._rules(state))
        if len(text) > MAX_CHARACTERS:  # players read no longer rules
            text = "".join(self.rename(str(rule)) for rule in self._rules(state))
            text = text.replace(" (", "(").replace(") ", ")")
        return text

    def lines(self) -> str:
        """Return the rules as canonical KIF, one per line."""
        return "\n".join(self.rename(str(rule)) for rule in self._sheet.rules)

    def encode(self, term: str) -> str:
        """Encode a move, role or rule, with blanks inside the parentheses as in GGP-Base."""
        return self.rename(term).replace("(", "( ").replace(")", " )")

    def rename(self, term: str) -> str:
        """Return a term in the names of the player, as canonical KIF."""
        if not self._theirs:
            return term
        return WORD.sub(lambda word: self._theirs.get(word[0], word[0]), term)

    def decode(self, text: str) -> str:
        """Parse a move in any spelling; return it as canonical KIF in the names of the rule sheet."""
        term = to_kif(parse_term(text, self._spellings))
        if not self._theirs:
            return term
        return WORD.sub(lambda word: self._our_name(word[0]), term)

    def read_move(self, text: str, legal: Sequence[str]) -> tuple[str, str, str]:
        """Parse the move of a player; return move, error code of the record, and description of the error.

        >>> from gdl import parse_sheet
        >>> wording = Wording(parse_sheet("(role white) (init (cell 1 ?x))"))
        >>> wording.read_move("( Mark 1 1 )", ["(Mark 1 1)"]), wording.read_move("(", ["noop"])
        (('(Mark 1 1)', '', ''), ('', 'IN (', "'(' is not a move"))
        """
        shown, problem = excerpt(text), ""
        try:
            move = self.decode(text)
            if move in legal:
                return move, "", ""
        except GdlError:
            return "", f"IN {shown}".strip(), f"{shown!r} is not a move"
        except UnknownNameError as error:
            move, problem = shown, f": {error}"
        if move.lower() in (BUSY, NIL):
            return "", f"IN {move.lower()}", f"answers {move.lower()!r} to PLAY"
        if " ?" in f" {move}":
            return "", f"IN {shown}", f"{shown!r} contains a variable"
        return "", f"IL {excerpt(move)}", f"{excerpt(move)} is not a legal move{problem}"

    def _our_name(self, word: str) -> str:
        if word in self._ours:
            return self._ours[word]
        if word in KEPT_WORDS or INTEGER.fullmatch(word):
            return word
        raise UnknownNameError(f"{word[:100]!r} is not a name of the player's rules")

    def _rules(self, state: Iterable[str] | None) -> Iterator[Rule]:
        if state is None:
            yield from self._sheet.rules
            return
        for rule in self._sheet.rules:
            if relation(rule.head.sentence)[0] != "init":
                yield rule
        for fluent in state:
            yield Rule(Literal(parse_term(f"(init {fluent})", self._sheet.spellings)))


def excerpt(text: str) -> str:
    """Return a text as one line of bounded length."""
    return " ".join(text.split())[:200]
