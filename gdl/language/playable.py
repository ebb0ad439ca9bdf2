"""What a sheet needs before any machine looks at it."""

from __future__ import annotations

from .errors import GdlRuleError
from .rules import RuleSheet, literals
from .terms import relation


def require_playable(sheet: RuleSheet) -> None:
    """Refuse sheets that are no game, or none that can be played yet.

    Raises:
        GdlRuleError: the sheet is empty, names no role in a fact, hides information (GDL-II) or asks for
            knowledge (GDL-III).
    """
    if not sheet.rules:
        raise GdlRuleError("holds no rules; give a rule sheet in KIF", source=sheet.source)
    if not sheet.roles():
        raise GdlRuleError("names no role; a game needs facts such as (role white)", source=sheet.source)
    for rule in sheet.rules:
        if relation(rule.head.sentence) == ("sees", 2):
            message = "games of imperfect information (sees, GDL-II) cannot be played yet"
            raise GdlRuleError(message, source=sheet.source, position=rule.position)
        for formula in rule.body:
            for literal in literals(formula):
                if relation(literal.sentence)[0] == "knows":
                    message = "games with knowledge (knows, GDL-III) cannot be played"
                    raise GdlRuleError(message, source=sheet.source, position=literal.position)
