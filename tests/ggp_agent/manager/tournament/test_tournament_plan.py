"""Tournament files: reading, and one line with the place for each error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tournaments import QUICK, lay_out, set_up

from ggp_agent.manager.tournament.director import workers_for
from ggp_agent.manager.tournament.plan import contradiction, read_plan
from ggp_agent.manager.tournament.tournament_store import Store

TWO = '[players]\na = "random"\nb = "legal"\n'
PUZZLE = 'games = ["puzzle.kif"]\n'
NIM = 'games = ["nim.kif"]\n'

MISTAKES = {
    "not TOML": ("games = [", "not TOML: "),
    "the same player twice": (NIM + TWO + 'a = "legal"\n', "not TOML: "),
    "no players": (NIM, "players is missing; give a table of names and what plays"),
    "no games": (TWO, "games is missing; give an array of games"),
    "unknown key": (NIM + "rouns = 2\n" + TWO, "; did you mean rounds?"),
    "unknown key of a player": (
        NIM + TWO + '[players.c]\nplayer = "agent"\nponders = true\n',
        "unknown key players.c.ponders",
    ),
    "no clock": (
        NIM + "playclock = 0\n" + TWO,
        "playclock must be a number of seconds above 0 and at most 86,400, not 0",
    ),
    "endless clock": (NIM + "startclock = inf\n" + TWO, "startclock must be a number of seconds above 0"),
    "a clock of days": (NIM + "playclock = 86401\n" + TWO, "at most 86,400, not 86401"),
    "unknown schedule": (
        NIM + 'schedule = "knockout"\n' + TWO,
        "schedule must be round-robin, gauntlet, swiss or elimination",
    ),
    "no end": (NIM + "rounds = 1000000\n" + TWO, "rounds: these are 2,000,000 matches, but the limit is 1,000,000"),
    "a Swiss end": (NIM + 'schedule = "swiss"\nmatches = 9\n' + TWO, "matches is not allowed in a Swiss tournament"),
    "no challenger": (NIM + 'schedule = "gauntlet"\n' + TWO, "challenger is missing"),
    "strange challenger": (NIM + 'schedule = "gauntlet"\nchallenger = "z"\n' + TWO, "challenger must be one of the"),
    "useless challenger": (NIM + 'challenger = "a"\n' + TWO, 'challenger is only for schedule = "gauntlet"'),
    "unknown game": ('games = ["nym"]\n' + TWO, "games, entry 1: no game is called 'nym'"),
    "missing game": ('games = ["nim.kif", "nam.kif"]\n' + TWO, "games, entry 2: "),
    "game twice": ('games = ["nim.kif", "./nim.kif"]\n' + TWO, "games, entry 2: the game nim occurs twice"),
    "bad game": ('games = ["bad.kif"]\n' + TWO, "games, entry 1: "),
    "empty list": (
        "games = []\n" + TWO,
        "games must be an array of catalogue names, .kif files and URLs, not an empty one",
    ),
    "more roles than players": (
        'games = ["puzzle.kif", "three_hunters"]\n' + TWO,
        "games: three_hunters has 3 roles to play (red, green, blue), there are 2 players",
    ),
    "unknown player": (NIM + TWO + 'c = "agnet"\n', "players.c: unknown player 'agnet'"),
    "configuration of another": (NIM + TWO + 'c = "random:x.toml"\n', "players.c: unknown player"),
    "missing configuration": (NIM + TWO + 'c = "agent:x.toml"\n', "players.c.config: "),
    "bad configuration": (
        NIM + TWO + "c = { player = 'agent', config = { in_flight = 0 } }\n",
        "players.c.config.in_flight must be 1 .. 512",
    ),
    "useless configuration": (
        NIM + TWO + "c = { player = 'legal', config = {} }\n",
        "players.c.config is only for player",
    ),
    "no kind": (
        NIM + TWO + "c = { thinks = true }\n",
        "players.c must have one of player, url, command and exec, not none",
    ),
    "two kinds": (NIM + TWO + "c = { player = 'agent', url = 'http://x' }\n", "not player and url"),
    "bad address": (NIM + TWO + 'c = "https://example.org"\n', "players.c: 'https://example.org' is not the address"),
    "no port": (NIM + TWO + "c = { command = 'java rival' }\n", "players.c.command must contain {port}"),
    "open quote": (NIM + TWO + "c = { command = 'java \"rival {port}' }\n", "players.c.command: no closing quotation"),
    "names alike": (NIM + TWO + '" A " = "legal"\n', "players. A : the name is already used by a"),
    "empty name": (NIM + TWO + '"" = "legal"\n', "players: '' is not a name"),
    "line break in a name": (NIM + TWO + '"c\\nd" = "legal"\n', "players: 'c\\nd' is not a name"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_error_is_one_line_with_its_place(tmp_path: Path, refusal: Callable[..., str], mistake: str) -> None:
    text, expected = MISTAKES[mistake]
    file = lay_out(tmp_path, text)
    (tmp_path / "bad.kif").write_text("(role a) (legal")
    line = refusal("tournament", str(file))
    assert line.startswith(f"{file}: ") and expected in line
    assert not (tmp_path / "cup.db").exists()


def test_missing_file(refusal: Callable[..., str], tmp_path: Path) -> None:
    assert "cannot read the tournament: no such file" in refusal("tournament", str(tmp_path / "cup.toml"))
    assert "this tournament does not exist" in refusal("tournament", str(tmp_path / "cup.toml"), "--report")


def test_all_kinds_of_players(tmp_path: Path) -> None:
    text = """
games = ["nim.kif", "tic_tac_toe"]
schedule = "gauntlet"
challenger = "tuned"
[players]
plain = "agent"
tuned = { player = "agent", config = "tuned.toml", modules = false }
bold = { player = "agent", config = { selection = { exploration = 1.25 } } }
brief = "agent:selection.exploration=1.25"
remote = "http://localhost"
near = "localhost:9148"
next = { url = "127.0.0.1" }
rival = "java -jar 'my rival.jar' {port}"
listed = { command = ["x", "--port={port}"], thinks = false }
"""
    (tmp_path / "tuned.toml").write_text("in_flight = 8\n")
    plan = read_plan(lay_out(tmp_path, text))
    plain, tuned, bold, brief, remote, near, next_, rival, listed = plan.entrants
    assert (plain.policy, plain.config, plain.native, plain.thinks) == ("agent", "", True, True)
    assert "in_flight = 8\n" in tuned.config and not tuned.native
    assert "exploration = 1.25\n" in bold.config
    assert brief.config == bold.config
    assert (remote.url, remote.thinks) == ("http://localhost:9147", False)
    assert (near.url, next_.url) == ("http://localhost:9148", "http://127.0.0.1:9147")
    assert (rival.command, rival.thinks) == (("java", "-jar", "my rival.jar", "{port}"), True)
    assert (listed.command, listed.thinks) == (("x", "--port={port}"), False)
    assert [game.name for game in plan.games] == ["nim", "tic_tac_toe"]
    assert plan.keys.challenger == "tuned"
    # Two players search in each match, and each has a core.
    assert [workers_for(plan, count)[0] for count in (1, 2, 3, 4, 8)] == [1, 1, 1, 2, 4]


def test_allowed_changes_between_runs(tmp_path: Path) -> None:
    def document(**values: object) -> dict[str, object]:
        return {**read_plan(lay_out(tmp_path, QUICK.format(rounds=2))).document(), **values}

    before = document()
    assert contradiction(before, document(rounds=5), 2) == ""
    assert contradiction(before, document(rounds=1), 2) == "rounds is 1 now, and 2 were set up"
    assert contradiction(before, document(clock=1.5), 2) == "clock is new"
    assert contradiction(before, document(playclock=1.5), 2) == "playclock is 1.5 now and was 5.0"
    assert contradiction(document(matches=9), document(matches=12), 2) == ""
    assert contradiction(document(matches=9), document(matches=3), 2) == "matches is 3 now and was 9"
    assert "is new" in contradiction(before, document(players={**before["players"], "x": {}}), 2)  # type: ignore[dict-item]
    (tmp_path / "other.kif").write_text("")
    text = QUICK.format(rounds=2).replace('dice = "random"', 'dice = "legal"')
    assert contradiction(before, read_plan(lay_out(tmp_path, text)).document(), 2) == "players: dice has changed"


def test_raised_limits_continue_the_schedule(tmp_path: Path) -> None:
    def waiting(store: Store, rounds: int, matches: int = 0) -> list[tuple[int, str, tuple[str | None, ...], int]]:
        text = QUICK.format(rounds=rounds).replace("rounds", f"matches = {matches}\nrounds" if matches else "rounds")
        plan = read_plan(lay_out(tmp_path, text))
        set_up(plan, store)
        return store.waiting()

    with Store(tmp_path / "whole.db", new=True) as store:
        whole = waiting(store, 5)
        assert len(whole) == 20
        assert waiting(store, 5) == whole
    with Store(tmp_path / "parts.db", new=True) as store:
        for rounds, matches, count in ((1, 0, 4), (4, 6, 6), (4, 7, 7), (4, 0, 16), (5, 0, 20)):
            assert waiting(store, rounds, matches) == whole[:count]
