"""Errors keep their content when they are sent from one process to another."""

import pickle

import pytest

from gdl.language.errors import GdlError, GdlLimitError, GdlRuleError, GdlSyntaxError
from gdl.language.rule_sheet import Position


@pytest.mark.parametrize("kind", [GdlSyntaxError, GdlRuleError, GdlLimitError])
def test_errors_survive_pickling(kind: type[GdlError]) -> None:
    error = kind("wrong", source="game.kif", position=Position(2, 3), text="(a\n(b ())\n")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == str(error) == "game.kif:2:3: wrong"
    assert (copy.message, copy.source, copy.position) == ("wrong", "game.kif", Position(2, 3))
    assert copy.excerpt == error.excerpt == "(b ())\n  ^"
