"""`ggp-agent match`: host one match."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ._arguments import add_cache_option, add_modules_option, positive_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack
    from pathlib import Path

    from ..manager import Observer, Seat
    from ..match_record import MatchRecord

SUMMARY = "host one match between players"

DESCRIPTION = """\
Host one match and write its record.

GAME is the path of a .kif file or a name of the catalogue. SPEC says what plays: 'agent' (tree search), 'agent:FILE'
(configured by a TOML file), 'random', 'legal' (the first legal move), each started here in a process of its own, or
the address of a player that runs already, such as http://localhost:9147. Give one SPEC per role, in the order of the
rules; a role called 'random' is played by the manager itself. Without any, agents play all roles.

A player that gives no legal move in time has one drawn at random; the record tells.
"""

EPILOG = """\
examples:
  ggp-agent match connect_four --player agent --player random
  ggp-agent match tic_tac_toe --player agent http://localhost:9148 --startclock 5 --playclock 2
  ggp-agent match breakthrough --player agent:mine.toml agent:yours.toml
  ggp-agent match my_game.kif --player legal random --json
"""

_POLICIES = ("agent", "random", "legal")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("game", metavar="GAME", help="a .kif file or a name of the catalogue")
    parser.add_argument(
        "--player",
        metavar="SPEC",
        action="extend",
        nargs="+",
        help="agent, agent:FILE, random, legal or http://host:port; one per role, in order (default: agents)",
    )
    parser.add_argument(
        "--startclock", type=positive_seconds, default=10.0, metavar="S", help="seconds to prepare (default: 10)"
    )
    parser.add_argument(
        "--playclock", type=positive_seconds, default=5.0, metavar="S", help="seconds per move (default: 5)"
    )
    parser.add_argument("--record", metavar="FILE", help="where to write the record (default: matches/<match>.json)")
    parser.add_argument("--sign", metavar="KEYFILE", help="sign the record ('ggp-agent records key' makes the key)")
    parser.add_argument("--seed", type=int, help="seed of all random choices (default: random)")
    add_modules_option(parser)
    add_cache_option(parser)
    parser.add_argument("--json", action="store_true", help="print the record instead of the moves")


def run(args: argparse.Namespace) -> int:
    """Host the match."""
    import contextlib
    import json
    import signal
    import sys
    from pathlib import Path

    from ..errors import UserError
    from ..games import load_game
    from ..machines import load_machine
    from ..manager import MatchHost
    from ..match_display import MatchDisplay
    from ..match_record import MatchRecord, new_match_id
    from ..signing import load_key

    for spec in args.player or ():
        _check_spec(spec)
    if args.record is not None and Path(args.record).is_dir():
        raise UserError(f"--record {args.record}: this is a directory; give the path of a file")
    key = load_key(Path(args.sign)) if args.sign is not None else None
    game = load_game(args.game)
    machine = load_machine(game.sheet)
    players = _players_of_roles(game.name, machine.roles, args.player)
    record = MatchRecord(
        match_id=new_match_id(game.name),
        game=game.name,
        game_address=game.address,
        roles=machine.roles,
        players=tuple(players),
        start_clock=args.startclock,
        play_clock=args.playclock,
        key=key,
    )
    path = Path(args.record) if args.record is not None else Path("matches") / f"{record.match_id}.json"
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with contextlib.ExitStack() as stack:
            display = stack.enter_context(MatchDisplay(quiet=args.json))
            seats = _take_seats(record, args.seed, not args.no_modules, display, stack)
            host = MatchHost(
                game, machine, seats, record, save=lambda: record.write(path), observer=display, seed=args.seed
            )
            host.run()
    except KeyboardInterrupt:
        _tell_interruption(record, path)
        raise
    if args.json:
        print(json.dumps({**record.document(), "record": str(path)}, ensure_ascii=False, indent=1))
    else:
        print(f"record: {path}")
    sys.stdout.flush()
    return 0


def _check_spec(spec: str) -> None:
    from pathlib import Path

    from ..client import PlayerClient
    from ..errors import UserError
    from ..search_config import SearchConfig

    if "://" in spec:
        PlayerClient(spec, spec)
        return
    policy, config = _split_spec(spec)
    if policy not in _POLICIES or (config is not None and policy != "agent"):
        raise UserError(f"no player is called {spec!r}; give {', '.join(_POLICIES)}, agent:FILE or http://host:port")
    if config is not None:
        SearchConfig.load(Path(config))


def _split_spec(spec: str) -> tuple[str, str | None]:
    """Split `agent:FILE` into policy and configuration."""
    policy, colon, config = spec.partition(":")
    return policy, config if colon else None


def _players_of_roles(game: str, roles: Sequence[str], specs: Sequence[str] | None) -> list[str]:
    """Deal the specs to the roles; a role called `random` takes none."""
    from ..errors import UserError
    from ..games import RANDOM_ROLE

    played = [role for role in roles if role.lower() != RANDOM_ROLE]
    if specs is None:
        specs = ["agent"] * len(played)
    if len(specs) != len(played):
        given = "1 player is" if len(specs) == 1 else f"{len(specs)} players are"
        raise UserError(
            f"{game} has {len(played)} role{'s' * (len(played) != 1)} to play ({', '.join(played)}), {given} given; "
            "give one --player for each"
        )
    remaining = iter(specs)
    return [RANDOM_ROLE if role.lower() == RANDOM_ROLE else next(remaining) for role in roles]


def _take_seats(
    record: MatchRecord, seed: int | None, modules: bool, observer: Observer, stack: ExitStack
) -> list[Seat]:
    """Start the players that are to run here, all at once, and connect the rest."""
    import random

    from ..client import PlayerClient
    from ..games import RANDOM_ROLE
    from ..manager import Seat
    from ..player_process import PlayerProcess

    seeds = random.Random(seed)
    processes: dict[int, PlayerProcess] = {}
    for index, (role, player) in enumerate(zip(record.roles, record.players, strict=True)):
        own_seed = seeds.getrandbits(31)
        if role.lower() == RANDOM_ROLE or "://" in player:
            continue
        policy, config = _split_spec(player)
        process = PlayerProcess(
            policy,
            config=config,
            seed=own_seed if seed is not None else None,
            modules=modules,
            note=lambda line, role=role, player=player: observer.note(f"{role} ({player}): {line}"),  # type: ignore[misc]
        )
        processes[index] = stack.enter_context(process)
    seats = []
    for index, (role, player) in enumerate(zip(record.roles, record.players, strict=True)):
        if role.lower() == RANDOM_ROLE:
            seats.append(Seat(role, player, None))
        else:
            url = processes[index].url() if index in processes else player
            seats.append(Seat(role, player, PlayerClient(url, player)))
    return seats


def _tell_interruption(record: MatchRecord, path: Path) -> None:
    import sys

    where = f"; the record so far: {path}" if record.states else ""
    print(f"interrupted after {len(record.moves)} turns{where}", file=sys.stderr)
