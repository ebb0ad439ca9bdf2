"""Players and clocks of a match: from the arguments of `match` to seats."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from ..common.errors import UserError
from ..common.terminal_text import amount
from ..game.roles import RANDOM_ROLE, is_chance, roles_to_play
from ..manager.player_process import AGENT, PlayerProcess, read_spec
from ..manager.seats import MatchObserver, Seat, TextSeat
from ..mcts.configurations import read_player_configuration
from ..protocol.client import PlayerClient
from ..protocol.dialects import Dialect
from ..protocol.text_process import TextProcess
from ..records.match_record import MatchRecord

# How often a player process may be restarted in one match.
_RESTARTS = 3


def mistake(text: str) -> UserError:
    """Return a UserError that refers to the help of `match`."""
    return UserError(f"{text} (see 'ggp-agent match --help')")


def check_spec(spec: str) -> None:
    """Refuse a SPEC that names no player, whose configuration cannot be read, or whose program does not exist."""
    try:
        player = read_spec(spec)
        if player.command is not None:
            player.command.require_program(Path())
    except UserError as error:
        raise mistake(str(error)) from None
    if player.config is not None:
        read_player_configuration(player.config)


def players_of_roles(game: str, roles: Sequence[str], specs: Sequence[str] | None) -> list[str]:
    """Assign the specs to the roles, in order; a role called `random` needs none."""
    played = roles_to_play(roles)
    if specs is None:
        specs = ["agent"] * len(played)
    if len(specs) != len(played):
        given = "1 player is" if len(specs) == 1 else f"{len(specs)} players are"
        raise mistake(
            f"{game} has {amount(len(played), 'role')} to play ({', '.join(played)}), {given} given; "
            "give one --player for each"
        )
    remaining = iter(specs)
    return [RANDOM_ROLE if is_chance(role) else next(remaining) for role in roles]


def clocks_of_roles(option: str, clocks: Sequence[float], roles: Sequence[str]) -> tuple[float, ...]:
    """Assign the clocks to the roles, in order; a role called `random` gets the longest clock."""
    played = roles_to_play(roles)
    if len(clocks) not in (1, len(played)):
        raise mistake(
            f"{option}: {len(clocks)} clocks for {len(played)} roles ({', '.join(played)}); give 1, or 1 each"
        )
    remaining = iter(clocks if len(clocks) > 1 else [clocks[0]] * len(played))
    return tuple(max(clocks) if is_chance(role) else next(remaining) for role in roles)


def take_seats(
    record: MatchRecord, args: argparse.Namespace, dialect: Dialect, observer: MatchObserver, stack: ExitStack
) -> list[Seat]:
    """Start the local players, all at once, and connect to the others."""
    seeds = random.Random(args.seed)
    specs = [None if is_chance(role) else read_spec(player) for role, player in _seating(record)]
    processes: dict[int, PlayerProcess] = {}
    for index, (role, player) in enumerate(_seating(record)):
        own_seed = seeds.getrandbits(31)
        spec = specs[index]
        if spec is None or not spec.policy:
            continue
        process = PlayerProcess(
            spec.policy,
            config=spec.config,
            seed=own_seed if args.seed is not None else None,
            modules=not args.no_native,
            note=_note_of(role, player, observer),
            restarts=0 if args.no_restart else _RESTARTS,
        )
        processes[index] = stack.enter_context(process)
    seats = []
    for index, (role, player) in enumerate(_seating(record)):
        spec = specs[index]
        if spec is None:
            seats.append(Seat(role, player, None))
        elif spec.command is not None:
            program = TextProcess(
                spec.command.words,
                restarts=0 if args.no_restart else _RESTARTS,
                note=_note_of(role, player, observer),
            )
            text = TextSeat(stack.enter_context(program), spec.command)
            seats.append(Seat(role, player, None, text=text))
        else:
            url = spec.url or processes[index].url()
            seats.append(Seat(role, player, PlayerClient(url, player, dialect), spec.policy == AGENT))
    return seats


def _note_of(role: str, player: str, observer: MatchObserver) -> Callable[[str], None]:
    """Return a function that passes a line of a player's log to the observer."""
    return lambda line: observer.note(f"{role} ({player}): {line}")


def _seating(record: MatchRecord) -> list[tuple[str, str]]:
    return list(zip(record.roles, record.players, strict=True))
