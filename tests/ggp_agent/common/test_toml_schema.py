"""Sections of TOML files: arrays of tables, tables of names, required keys, and one line for whatever is wrong."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ggp_agent.common.errors import UserError
from ggp_agent.common.toml_file import parse_toml
from ggp_agent.common.toml_schema import (
    Array,
    Flag,
    Named,
    NonEmptyText,
    Real,
    Seconds,
    Section,
    Table,
    TextOr,
    Whole,
    Word,
    key,
    read_section,
    table,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits(Section):
    seconds: float | None = key(Seconds(3600), None)
    decisive: bool = key(Flag(), True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget(Section):
    name: str = key(NonEmptyText(), help="a name")
    simulations: int = key(Whole(1, 1000))
    limits: Limits = table(Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(Section):
    games: tuple[str, ...] = key(Array(NonEmptyText(), of="names of games"))
    budgets: tuple[Budget, ...] = key(Array(Table(Budget), of="tables [[budgets]]"), ())
    variants: dict[str, str | Limits] = key(Named(TextOr(Table(Limits)), of="names and variants"), None)
    order: str = key(Word("fixed", "drawn"), "fixed")
    share: float = key(Real(0, 1), 0.5)


def read(text: str) -> Study:
    return read_section(Study, parse_toml(text, "my.toml"), "my.toml")


def test_a_whole_file() -> None:
    text = """
games = ["hex", "nim"]
order = "drawn"
share = 1
[[budgets]]
name = "few"
simulations = 10
[[budgets]]
name = "many"
simulations = 1000
limits.seconds = 2
[variants]
plain = "default"
quick = { decisive = false }
"""
    assert read(text) == Study(
        games=("hex", "nim"),
        order="drawn",
        share=1,
        budgets=(Budget(name="few", simulations=10), Budget(name="many", simulations=1000, limits=Limits(seconds=2.0))),
        variants={"plain": "default", "quick": Limits(decisive=False)},
    )
    assert read('games = ["hex"]').budgets == ()


BUDGET = 'games = ["hex"]\n[[budgets]]\nname = "few"\nsimulations = 1\n[[budgets]]\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "games is missing; give an array of names of games"),
        ("games = []", "games must be an array of names of games, not an empty one"),
        ('games = "hex"', 'games must be an array of names of games, not "hex"'),
        ('games = ["hex", 3]', "games, entry 2: must be a string, not 3"),
        ('games = ["hex", " "]', 'games, entry 2: must be a string that is not empty, not " "'),
        (BUDGET, "budgets, entry 2: name is missing; give a name"),
        (BUDGET + 'name = "a"', "budgets, entry 2: simulations is missing; give a whole number 1 .. 1000"),
        (BUDGET + 'name = "a"\nsimulations = 0', "budgets, entry 2: simulations must be 1 .. 1000, not 0"),
        (BUDGET + "simulation = 1", "did you mean simulations?"),
        (BUDGET + "limits.seconds = 0", "budgets, entry 2: limits.seconds must be a number of seconds above 0 and at"),
        (BUDGET + "limits = 1", "budgets, entry 2: limits must be a table, not 1"),
        ('games = ["hex"]\nbudgets = [1]', "budgets, entry 1: must be a table, not 1"),
        ('games = ["hex"]\nvariants = {}', "variants must be a table of names and variants, not an empty one"),
        ('games = ["hex"]\n[variants]\na = 1', "variants.a must be a string or a table, not 1"),
        ('games = ["hex"]\n[variants.a]\nb = 1', "unknown key variants.a.b; known are seconds, decisive"),
        ('games = ["hex"]\norder = "fix"', 'order must be fixed or drawn, not "fix"; did you mean fixed?'),
        ('games = ["hex"]\nshare = true', "share must be a number 0 .. 1, not true"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(text: str, told: str) -> None:
    with pytest.raises(UserError) as caught:
        read(text)
    assert str(caught.value).startswith("my.toml: ") and told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_values_are_refused_from_python_too() -> None:
    with pytest.raises(ValueError, match=r"^simulations must be 1 .. 1000, not 0$"):
        Budget(name="a", simulations=0)
    with pytest.raises(TypeError, match=r"^budgets, entry 1: must be a Budget, not int$"):
        Study(games=("hex",), budgets=(1,))
