"""Rules stored on disk by their text: equal to parsed rules, and checked like other entries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gdl import GdlSyntaxError, RuleSheet, parse_sheet
from gdl.compile import kept_sheets
from gdl.compile.cache import Cache
from gdl.compile.kept_sheets import kept_sheet
from gdl.language.rule_sheet import Literal
from kif_games import catalogue, rules

ALL = """; every kind of formula
(role Robot) (init (at (s (s 0)))) (init done)
(<= (legal ?P (go ?x)) (ROLE ?p) (not (and (true (at ?x)) done)) (or (distinct ?x (s 0)) (not (true ?x))))
(<= terminal (and) (or))
"""


def places(sheet: RuleSheet) -> list[object]:
    """Return the positions of rules, which equality of sheets ignores."""
    heads = [(rule.position, rule.head.position) for rule in sheet.rules]
    bodies = [[(type(part), part.position) for part in rule.body] for rule in sheet.rules]
    return [sheet.source, dict(sheet.spellings.by_lower_case), heads, bodies]


def test_stored_rules_agree_with_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    texts = {"all": ALL, **{name: rules(name) for name in [*catalogue()][::4]}}
    read = {name: kept_sheet(text, source=name, cache=cache) for name, text in texts.items()}
    monkeypatch.setattr(kept_sheets, "parse_sheet", lambda *_, **__: pytest.fail("it is parsed again"))
    for name, text in texts.items():
        again, parsed = kept_sheet(text, source=name, cache=cache), parse_sheet(text, source=name)
        assert again == parsed == read[name]
        assert places(again) == places(parsed)
        assert str(again) == str(parsed)
    assert kept_sheet(ALL, source="elsewhere", cache=cache).source == "elsewhere"


@pytest.mark.parametrize("content", [b"", b"[]", b"[{}, [1]]", b'[{}, [[["or", [], 1, 1], [], 1, 1]]]', b"[" * 9999])
def test_invalid_entries_are_written_again(content: bytes, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    kept_sheet(ALL, cache=cache)
    (entry,) = tmp_path.iterdir()
    whole = entry.read_bytes()
    cache.write_beside(entry.name.removesuffix(".beside"), content)
    assert entry.read_bytes() != whole
    assert kept_sheet(ALL, cache=cache) == parse_sheet(ALL)
    assert entry.read_bytes() == whole


def test_texts_with_errors_are_not_stored(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(GdlSyntaxError, match="<text>:1:9: "):
            kept_sheet("(role r))", cache=Cache(tmp_path))
    assert not list(tmp_path.iterdir())


def test_deep_terms_are_stored(tmp_path: Path) -> None:
    text = f"(role r) (init {'(f ' * 97}a{')' * 97})"
    assert kept_sheet(text, cache=Cache(tmp_path)) == kept_sheet(text, cache=Cache(tmp_path)) == parse_sheet(text)
    assert isinstance(parse_sheet(text).rules[1].head, Literal) and len(list(tmp_path.iterdir())) == 1


def test_a_known_game_is_played_without_parser_or_numpy(tmp_path: Path) -> None:
    program = """
import sys
import ggp_agent as ggp
ggp.load_game("tic_tac_toe").initial_state().legal_moves()
print(sorted({"lark", "numpy", "scipy", "clingo", "requests"} & set(sys.modules)))
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "[]\n"
