"""Search on games whose rules are evaluated as they are."""

from __future__ import annotations

import pytest
from places import CORPUS

from gdl import CompilerLimits, GdlLimitError, ReasonerMachine, load_machine, parse_sheet, read_sheet
from gdl.compile.cache import FOLDER_VARIABLE, OFF
from gdl.machines import choose
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules

# Stopping at once ends the game; going on never does.
GROWING = """
    (role r) (init (count 0)) (legal r go) (<= (legal r stop) (true (count 0)))
    (<= (next (count (s ?n))) (true (count ?n)) (does r go))
    (<= (next over) (does r stop)) (<= terminal (true over))
    (<= (goal r 10) (true over)) (<= (goal r 0) (not (true over)))
"""


def hashes(machine: ReasonerMachine, simulations: int, advance: bool = True) -> list[int]:
    searcher = Searcher(machine, SearchConfig(in_flight=8, seed=5))
    statistics = searcher.run(simulations=simulations)
    assert statistics.simulations == simulations
    state = machine.initial()
    for role, move in zip(machine.roles, statistics.best, strict=True):
        assert move in machine.legal(state, role)
    found = [searcher.tree_hash()]
    if advance:
        searcher.advance(statistics.best)
        assert searcher.root == machine.next(state, statistics.best)
        searcher.run(simulations=simulations)
        found.append(searcher.tree_hash())
    return found


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "three_hunters"])
def test_the_same_seed_makes_the_same_tree(name: str) -> None:
    sheet = parse_sheet(rules(name), source=name)
    machine = ReasonerMachine(sheet)
    first = hashes(machine, 200)
    assert hashes(machine, 200) == first
    assert hashes(ReasonerMachine(sheet), 200) == first


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of rule sheets is not here")
def test_chess_is_searched() -> None:
    machine = ReasonerMachine(read_sheet(CORPUS / "rules" / "chess.kif"))
    assert hashes(machine, 8, advance=False) == hashes(machine, 8, advance=False)


def test_a_search_reports_a_limit_and_stays_usable() -> None:
    machine = ReasonerMachine(parse_sheet(GROWING))
    searcher = Searcher(machine, SearchConfig(in_flight=8))
    for _ in range(3):
        with pytest.raises(OverflowError, match="nest deeper than 200"):
            searcher.run(simulations=100)
        assert {move.move for move in searcher.statistics().moves["r"]} == {"go", "stop"}
    searcher.advance(["stop"])
    assert searcher.statistics().terminal and searcher.statistics().values == {"r": 10.0}


def test_rules_too_large_for_a_network_are_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = parse_sheet(rules("tic_tac_toe"), source="tic_tac_toe")
    assert load_machine(sheet).kind == "network"
    assert load_machine(sheet, "reasoner").kind == "reasoner"
    monkeypatch.setenv(FOLDER_VARIABLE, OFF)
    few = CompilerLimits(max_rules=10)
    monkeypatch.setattr(choose, "CompilerLimits", lambda *given: CompilerLimits(*given) if given else few)
    assert load_machine(sheet).kind == "reasoner"
    with pytest.raises(GdlLimitError, match="too large"):
        load_machine(sheet, "network")
