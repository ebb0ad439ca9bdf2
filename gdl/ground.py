"""Rules to a ground program, by clingo (Gebser, Kaminski, Kaufmann and Schaub, TPLP 2019)."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from . import _core
from .asp import AspProgram, asp_program, relevant
from .clauses import Auxiliaries, clauses
from .errors import GdlLimitError, GdlRuleError
from .rules import RuleSheet
from .split import split
from .terms import relation

# Beyond these a network would be too large to be of use.
MAX_GROUND_RULES = 20_000_000
MAX_SECONDS = 600.0


def to_asp(sheet: RuleSheet) -> AspProgram:
    """Translate the rules on which play depends to a program for clingo.

    Raises:
        GdlRuleError: the sheet has no roles, or a rule cannot be given a meaning.
    """
    require_roles(sheet)
    auxiliaries = Auxiliaries()
    # Relevance comes last: clauses share auxiliary relations, and what defines one may stand with any of them.
    return asp_program(relevant(split(clauses(sheet, auxiliaries), auxiliaries)))


def require_roles(sheet: RuleSheet) -> None:
    """Refuse sheets that cannot be a game at all.

    Raises:
        GdlRuleError: the sheet is empty, names no role, or hides information (GDL-II).
    """
    if not sheet.rules:
        raise GdlRuleError("the sheet holds no rules", source=sheet.source)
    if not sheet.roles():
        raise GdlRuleError("the sheet has no roles; add facts such as (role white)", source=sheet.source)
    for rule in sheet.rules:
        if relation(rule.head.sentence)[0] == "sees":
            message = "'sees' makes this a game of hidden information (GDL-II), which cannot be played yet"
            raise GdlRuleError(message, source=sheet.source, position=rule.position)


@cache
def _clingo_library() -> str:
    """Find the shared library inside clingo's Python package (or, in some builds, beside it)."""
    for module in ("clingo._clingo", "_clingo"):
        spec = find_spec(module)
        if spec is not None and spec.origin is not None:
            return spec.origin
    raise ImportError("the Python package clingo is installed without its compiled library; install it again")


def ground(
    sheet: RuleSheet,
    *,
    stop: _core.StopFlag | None = None,
    max_rules: int = MAX_GROUND_RULES,
    max_seconds: float = MAX_SECONDS,
) -> _core.GroundProgram:
    """Ground a sheet.

    Args:
        stop: set it from another thread to end early.
        max_rules: give up at this many ground rules.
        max_seconds: give up after this time.

    Raises:
        GdlRuleError: the rules describe no game that can be grounded; the message says why.
        GdlLimitError: grounding was stopped or went beyond a limit.
    """
    program = to_asp(sheet)
    flag = stop or _core.StopFlag()
    try:
        return _core.ground(
            _clingo_library(), program.text, program.constants, sheet.roles(), flag, max_rules, max_seconds
        )
    except OverflowError as error:
        raise GdlLimitError(str(error), source=sheet.source) from None
    except RuntimeError as error:
        raise GdlRuleError(str(error), source=sheet.source) from None
