"""Players and commands that are given games no network can be compiled for."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from gdl import CompilerLimits, ReferenceMachine, climb, parse_sheet
from ggp_agent.cli import main
from ggp_agent.manager.client import PlayerClient
from ggp_agent.player.match_messages import PlayerSettings
from ggp_agent.player.nursery import Nursery
from ggp_agent.player.player import Player
from ggp_agent.player.server import PlayerServer
from tests.exploding_sheets import EXPLODING, compilers, is_alive


@pytest.mark.parametrize("policy", ["agent", "random"])
@pytest.mark.parametrize("name", sorted(EXPLODING))
def test_legal_moves_come_in_time(name: str, policy: str, nursery: Nursery) -> None:
    player = Player("player", PlayerSettings(policy, 1), nursery)
    reference = ReferenceMachine(parse_sheet(EXPLODING[name]))
    with PlayerServer("127.0.0.1", 0, player.answer) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        client = PlayerClient(server.address, "player")
        assert client.exchange(f"( START m r ({EXPLODING[name]}) 1 1 )", 1.5).text == "ready"
        state, moves = reference.initial(), "NIL"
        for _ in range(4):
            began = time.monotonic()
            reply = client.exchange(f"( PLAY m {moves} )", 1.5)
            assert time.monotonic() - began < 1.2
            assert reply.text in reference.legal(state, "r")
            state, moves = reference.next(state, [reply.text]), f"({reply.text})"
        (process,) = player._matches["m"].processes()
        assert process.pid is not None
        running = [process.pid, *compilers(process.pid)]
        assert client.exchange(f"( STOP m {moves} )", 1.5).text == "done"
        server.shutdown()
    player.close()
    until = time.monotonic() + 10
    while any(map(is_alive, running)):
        assert time.monotonic() < until, "the compiler runs on after the match"
        time.sleep(0.02)


def test_inspect_tells_of_rungs_and_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GGP_AGENT_CACHE", str(tmp_path / "cache"))

    def inspect(*arguments: str) -> dict[str, object]:
        assert main(["inspect", "tic_tac_toe", "--json", *arguments]) == 0
        document: dict[str, object] = json.loads(capsys.readouterr().out)
        return document

    first, second = inspect(), inspect()
    assert (first["machine"], first["rung"], first["cached"]) == ("network", "split", False)
    assert second == {**first, "cached": True, "parse_cpu_s": second["parse_cpu_s"], "load_cpu_s": second["load_cpu_s"]}
    (rung,) = first["rungs"]  # type: ignore[misc]
    assert (rung["rung"], rung["outcome"], rung["reason"], rung["gates"]) == ("split", "network", "", first["gates"])
    assert 0 < rung["cpu_s"] < first["load_cpu_s"]
    assert main(["inspect", "tic_tac_toe"]) == 0
    assert "network (split, from the cache)" in capsys.readouterr().out
    assert inspect("--no-cache")["cached"] is False


def test_inspect_tells_of_a_game_without_a_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "clock.kif"
    path.write_text(EXPLODING["counter"])
    limits = CompilerLimits(max_rules=10_000)
    monkeypatch.setattr("gdl.climb", lambda sheet: climb(sheet, limits=limits))
    assert main(["inspect", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["machine"], found["gates"], found["fluents"]) == ("reasoner", None, None)
    assert [rung["outcome"] for rung in found["rungs"]] == ["size"] * 3
    assert main(["inspect", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "magic: the ground program is too large" in shown and "machine  reasoner" in shown
    assert main(["inspect", str(path), "--show", "moves"]) == 2
    assert "clock: there is no network to show" in capsys.readouterr().err
