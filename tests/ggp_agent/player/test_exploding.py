"""Players and commands with games for which no network can be compiled."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import pytest
from exploding_sheets import EXPLODING, LONG_BODIES, WITHOUT_END, compilers, is_alive, many_moves
from quick import few
from waiting import wait_for
from wire_server import MakePlayer, running

from gdl import CompilerLimits, ReferenceMachine, choose_machine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.player.server.player import Player
from ggp_agent.protocol.client import PlayerClient


def play_three_turns(player: Player, sheet: str, start_clock: float, play_clock: float) -> tuple[list[int], list[int]]:
    """Play over HTTP, with a legal move in each turn; return the match processes and their compilers at the end."""
    reference = ReferenceMachine(parse_sheet(sheet))
    with running(player.answer) as server:
        client = PlayerClient(server.address, "player")
        assert client.exchange(f"( START m r ({sheet}) {start_clock} {play_clock} )", 200).text == "ready"
        state, moves = reference.initial(), "NIL"
        for _ in range(3):
            reply = client.exchange(f"( PLAY m {moves} )", 60)
            assert reference.is_legal(state, "r", reply.text)
            state, moves = reference.next(state, [reply.text]), f"({reply.text})"
        processes = [process.pid for process in player._matches["m"].processes() if process.pid is not None]
        compiling = [compiler for process in processes for compiler in compilers(process)]
        assert client.exchange(f"( STOP m {moves} )", 60).text == "done"
    return processes, compiling


@pytest.mark.parametrize("policy", ["agent", "random"])
@pytest.mark.parametrize("name", few(sorted(EXPLODING), 1))
def test_legal_moves_come_in_time(name: str, policy: str, make: MakePlayer) -> None:
    player = make(policy)
    processes, compiling = play_three_turns(player, EXPLODING[name], 1, 0.5)
    assert compiling or policy == "random"  # the moves came before the end of the compilation
    player.close()
    wait_for(lambda: not any(map(is_alive, [*processes, *compiling])))


HARD = {**WITHOUT_END, "many moves": many_moves(), "long body": LONG_BODIES["negations"]}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "policy"), few([*((name, "agent") for name in sorted(HARD)), ("trees", "random")], 1))
def test_legal_moves_of_hard_rules_come_in_time(name: str, policy: str, make: MakePlayer) -> None:
    start_clock = 180 if name == "long body" else 1  # the reading takes long
    play_three_turns(make(policy), HARD[name], start_clock, 1)


STUCK = """
(role left) (role right) (init (step 1)) (<= (next (step 2)) (true (step 1)))
(legal right wait) (legal right stay) (<= (legal left wait) (true (step 1))) (goal left 50) (goal right 50)
(<= terminal (true (step 9)))
"""


@pytest.mark.parametrize("policy", ["agent", "random"])
def test_a_role_without_a_move_is_answered_immediately(policy: str, make: MakePlayer) -> None:
    player = make(policy)
    assert player.answer(f"( START m left ({STUCK}) 1 86399.75 )") == "ready"
    assert player.answer("( PLAY m NIL )") == "wait"
    began = time.monotonic()
    assert player.answer("( PLAY m (wait wait) )") == "nil"
    assert time.monotonic() - began < 300
    assert player.answer("( PLAY m (wait wait) )") == "nil"


BEYOND = """
(role r) (init (step 1)) (legal r lose) (legal r win) (<= (next (step 2)) (true (step 1)))
(<= (next (made ?m)) (does r ?m)) (<= terminal (true (step 2)))
"""
BEYOND_GOALS = {
    "constants": "(<= (goal r 150) (true (made win)))\n(<= (goal r -20) (true (made lose)))",
    "variable": "(worth win 150) (worth lose -20)\n(<= (goal r ?n) (true (made ?m)) (worth ?m ?n))",
}


@pytest.mark.parametrize("name", few(sorted(BEYOND_GOALS), 1))
def test_goals_outside_the_range_are_cut_to_it(
    name: str, make: MakePlayer, caplog: pytest.LogCaptureFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = BEYOND + BEYOND_GOALS[name]
    player = make("agent")
    assert player.answer(f"( START m r ({rules}) 30 30 )") == "ready"
    assert player.answer("( PLAY m NIL )") == "win"
    assert player.answer("( STOP m (win) )") == "done"
    # The end is reported in the background.
    (line,) = wait_for(lambda: [line for line in map(str, caplog.messages) if "beyond 0 to 100" in line])
    assert line.endswith("the goal value 150 of r is beyond 0 to 100 and counts as 100")
    path = tmp_path / "game.kif"
    path.write_text(rules.strip())
    with contextlib.chdir(tmp_path):
        assert main(["match", str(path), "--player", "legal", "--startclock", "1", "--playclock", "1"]) == 0
    assert "the goal value -20 of r is beyond 0 to 100 and counts as 0" in "".join(capsys.readouterr())


def test_inspect_shows_strategies_and_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GGP_AGENT_CACHE", str(tmp_path / "cache"))

    def inspect(*arguments: str) -> dict[str, object]:
        assert main(["inspect", "tic_tac_toe", "--json", *arguments]) == 0
        document: dict[str, object] = json.loads(capsys.readouterr().out)
        return document

    first, second = inspect(), inspect()
    assert (first["machine"], first["strategy"], first["cached"]) == ("network", "split", False)
    assert second == {**first, "cached": True, "parse_cpu_s": second["parse_cpu_s"], "load_cpu_s": second["load_cpu_s"]}
    (tried,) = first["strategies"]  # type: ignore[misc]
    assert (tried["strategy"], tried["outcome"], tried["reason"], tried["gates"]) == (
        "split",
        "network",
        "",
        first["gates"],
    )
    assert 0 < tried["cpu_s"] < first["load_cpu_s"]
    assert main(["inspect", "tic_tac_toe"]) == 0
    assert "network (split, from the cache)" in capsys.readouterr().out
    assert inspect("--no-cache")["cached"] is False


def test_inspect_shows_a_game_without_a_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "clock.kif"
    path.write_text(EXPLODING["counter"])
    limits = CompilerLimits(max_rules=10_000)
    monkeypatch.setattr("ggp_agent.commands.inspect.choose_machine", lambda sheet: choose_machine(sheet, limits=limits))
    assert main(["inspect", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["machine"], found["gates"], found["fluents"]) == ("reasoner", None, None)
    assert [strategy["outcome"] for strategy in found["strategies"]] == ["size"] * 3
    assert main(["inspect", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "magic: the ground program is too large" in shown and "machine  reasoner" in shown
    assert main(["inspect", str(path), "--show", "moves"]) == 2
    assert "clock: there is no network to show" in capsys.readouterr().err
