"""Rules to a ground program, by clingo (Gebser, Kaminski, Kaufmann and Schaub, TPLP 2019)."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from .. import _network
from .._simulator import StopFlag
from ..language.errors import GdlLimitError, GdlRuleError
from ..language.playable import require_playable
from ..language.rule_sheet import RuleSheet
from .arithmetic import with_arithmetic
from .asp import AspProgram, asp_program, relevant
from .clauses import Auxiliaries, clauses
from .split import split

# Limit beyond which a network would be too large: five million rules take about 600 MB.
MAX_GROUND_RULES = 5_000_000
MAX_SECONDS = 600.0


def to_asp(sheet: RuleSheet) -> AspProgram:
    """Translate the rules on which play depends, split (`gdl.compile.split`), to a program for clingo."""
    require_playable(sheet)
    auxiliaries = Auxiliaries()
    # Relevance comes last: clauses share auxiliary relations, and the definition of one may stand in any clause.
    return asp_program(relevant(split(clauses(with_arithmetic(sheet), auxiliaries), auxiliaries)))


def to_asp_plain(sheet: RuleSheet) -> AspProgram:
    """Translate the rules on which play depends, without splitting, to a program for clingo; errors as in `to_asp`."""
    require_playable(sheet)
    return asp_program(relevant(clauses(with_arithmetic(sheet), Auxiliaries())))


@cache
def clingo_library() -> str:
    """Find the shared library inside clingo's Python package (or, in some builds, next to it)."""
    for module in ("clingo._clingo", "_clingo"):
        spec = find_spec(module)
        if spec is not None and spec.origin is not None:
            return spec.origin
    raise ImportError("the Python package clingo is installed without its compiled library; install it again")


def ground(
    sheet: RuleSheet,
    *,
    stop: StopFlag | None = None,
    max_rules: int = MAX_GROUND_RULES,
    max_seconds: float = MAX_SECONDS,
) -> _network.GroundProgram:
    """Ground a sheet."""
    return _ground(sheet, to_asp(sheet), stop or StopFlag(), max_rules, max_seconds)


def ground_plain(sheet: RuleSheet) -> _network.GroundProgram:
    """Ground a sheet without splitting rules, which would hide symmetries; errors as in `ground`."""
    return _ground(sheet, to_asp_plain(sheet), StopFlag(), MAX_GROUND_RULES, MAX_SECONDS)


def _ground(
    sheet: RuleSheet, program: AspProgram, flag: StopFlag, max_rules: int, max_seconds: float
) -> _network.GroundProgram:
    try:
        return _network.ground(
            clingo_library(), program.text, program.constants, sheet.roles(), flag, max_rules, max_seconds
        )
    except OverflowError as error:
        raise GdlLimitError(str(error), source=sheet.source) from None
    except MemoryError:
        raise GdlLimitError("there is not enough memory for the ground program", source=sheet.source) from None
    except RuntimeError as error:
        raise GdlRuleError(str(error), source=sheet.source) from None
