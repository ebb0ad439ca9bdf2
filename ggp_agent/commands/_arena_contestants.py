"""The two contestants of `ggp-agent arena`, configurations of the search or text players, and their limits."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arena.arena import Contestant
from ..arena.text_contestant import ANSWER_MILLISECONDS, TextContestant
from ..common.errors import UserError
from ..common.terminal_text import amount, printable
from ..mcts.configurations import read_configuration
from ..protocol.text_command import EXEC, TextCommand
from ._arguments import clock_seconds, positive_int, positive_milliseconds

if TYPE_CHECKING:
    from ..arena.arena import AnyContestant
    from ..protocol.text_turn import TextAnswers

_SIDES = ("a", "b")
_LIMITS = ("simulations", "milliseconds")
_NAMES_OF_LIMITS = " ".join(f"--{kind}" for kind in _LIMITS)


def add_contestant_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of contestants and limits."""
    for side in _SIDES:
        parser.add_argument(
            f"--{side}", metavar="CONFIG", required=True, help=f"configuration {side}, or {EXEC}COMMAND"
        )
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument(
        "--simulations",
        type=positive_int,
        nargs="+",
        metavar="N",
        help="simulations per move; two numbers: limits of a and b",
    )
    limit.add_argument(
        "--milliseconds",
        type=positive_milliseconds,
        nargs="+",
        metavar="M",
        help="processor time per move, of text players wall-clock time; one or two numbers",
    )
    parser.add_argument(
        "--seconds-per-answer",
        type=clock_seconds,
        metavar="S",
        help=f"wall-clock time per move of text players (default: as --milliseconds, else {_default_seconds():g})",
    )
    parser.add_argument(
        "--in-flight",
        type=positive_int,
        metavar="K",
        help="simulations of a match in progress at once, if the configuration does not set it",
    )


def read_contestants(args: argparse.Namespace, hides_information: bool) -> tuple[AnyContestant, ...]:
    """Return a and b."""
    specs = [getattr(args, side) for side in _SIDES]
    commands = [TextCommand.read(spec) if spec.startswith(EXEC) else None for spec in specs]
    _require_limits(args, commands)
    limits = {kind: _numbers(args, kind) for kind in _LIMITS}
    contestants: list[AnyContestant] = []
    try:
        for number, (side, spec, command) in enumerate(zip(_SIDES, specs, commands, strict=True)):
            simulations, milliseconds = (limits[kind][number] for kind in _LIMITS)
            if command is not None:
                command.require_program(Path())
                if args.seconds_per_answer is not None:
                    milliseconds = 1000 * args.seconds_per_answer
                contestants.append(TextContestant(side, command, milliseconds or ANSWER_MILLISECONDS))
                continue
            config = read_configuration(spec)
            in_flight = args.in_flight or (None if simulations is None or hides_information else 1)
            config = replace(config, in_flight=config.in_flight or in_flight)
            contestants.append(Contestant(side, config, simulations, milliseconds))
    except ValueError as error:
        raise UserError(str(error)) from None
    return tuple(contestants)


def contestant_document(contestant: AnyContestant, answers: TextAnswers) -> dict[str, Any]:
    """Return a contestant as a JSON document, a text player with the counts of its answers."""
    if isinstance(contestant, TextContestant):
        return contestant.document() | {"answers": asdict(answers)}
    return {
        "config": asdict(contestant.config),
        "simulations": contestant.simulations,
        "milliseconds": contestant.milliseconds,
        "in_flight": contestant.config.in_flight,
    }


def answers_text(name: str, answers: TextAnswers) -> str:
    """Return the counts of the answers of a text player in one line.

    >>> from ggp_agent.protocol.text_turn import TextAnswers
    >>> answers_text("b", TextAnswers(412))
    'answers of b: 412 turns, no errors'
    >>> answers_text("b", TextAnswers(412, late=3, retried=1, error="the program has not answered in time"))
    'answers of b: 3 late, 1 retried in 412 turns; first error: the program has not answered in time'
    """
    if not str(answers):
        return f"answers of {name}: {amount(answers.requests, 'turn')}, no errors"
    first = f"; first error: {printable(answers.error)}" if answers.error else ""
    return f"answers of {name}: {answers} in {amount(answers.requests, 'turn')}{first}"


def _default_seconds() -> float:
    return ANSWER_MILLISECONDS / 1000


def _require_limits(args: argparse.Namespace, commands: list[TextCommand | None]) -> None:
    """Refuse limits that are missing or have no effect."""
    texts = len(commands) - commands.count(None)
    if texts < len(_SIDES) and args.simulations is None and args.milliseconds is None:
        raise UserError(f"one of the arguments {_NAMES_OF_LIMITS} is required")
    if texts == 0 and args.seconds_per_answer is not None:
        raise UserError(f"--seconds-per-answer: neither a nor b is a text player ({EXEC}COMMAND); leave it out")
    if texts and args.simulations is not None and len(args.simulations) > 1:
        raise UserError("--simulations: give one number; simulations do not limit a text player")
    if texts == len(_SIDES):
        for option, given in (("--simulations", args.simulations), ("--in-flight", args.in_flight)):
            if given is not None:
                raise UserError(f"{option}: no effect, because a and b are text players; leave it out")


def _numbers(args: argparse.Namespace, kind: str) -> list[Any]:
    """Return the limit of each side; None if this kind of limit is not given."""
    given = getattr(args, kind)
    if given is None:
        return [None] * len(_SIDES)
    if len(given) > len(_SIDES):
        raise UserError(f"--{kind}: give one number, or one for a and one for b, not {len(given)}")
    return list(given) * len(_SIDES) if len(given) == 1 else list(given)
