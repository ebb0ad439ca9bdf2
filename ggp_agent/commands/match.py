"""`ggp-agent match`: run one match between players."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import random
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.files import write_whole

from ..common.errors import PROGRAM, UserError
from ..common.terminal_text import amount, json_text, printable
from ..game.load import load_game
from ..game.roles import RANDOM_ROLE, is_chance, roles_to_play
from ..game.sheet_errors import note_sheet_errors
from ..manager.conditions import MAX_DRAWN, ON_ERROR, TOLERANCE, Conditions, PlayerFailedError
from ..manager.display import MatchDisplay
from ..manager.match_manager import MatchManager, last_state, require_resumable
from ..manager.players import Players, read_spec
from ..manager.publisher import Publisher
from ..manager.seats import MatchObserver, Seat
from ..mcts.configurations import read_player_configuration
from ..protocol.clocks import MAX_TURNS
from ..protocol.dialects import DIALECTS, GGP_BASE, Dialect
from ..protocol.messages import NUMBERED, PERCEPT_FORMS
from ..protocol.text_command import EXEC
from ..protocol.web_client import require_web_address
from ..records.keeper import RecordKeeper, sole_writer
from ..records.match_drawing import MatchDrawing, animated
from ..records.match_record import MatchRecord, new_match_id
from ..records.played_turns import require_game
from ..records.read_record import read_record
from ..records.record_rules import UnknownRulesError, by_rules, keep_rules, notation_of, rules_of, rules_word
from ..records.signing import load_key
from ._arguments import add_game_argument, add_option, add_output, add_shared, require_outputs

if TYPE_CHECKING:
    from contextlib import ExitStack

    from ..game.game import Game, State

# How often a player process may be restarted in one match.
_RESTARTS = 3


def mistake(text: str) -> UserError:
    """Return a UserError that refers to the help of `match`."""
    return UserError(f"{text} (see 'ggp-agent match --help')")


def check_spec(spec: str) -> None:
    """Refuse a SPEC that names no player, whose configuration cannot be read, or whose program does not exist."""
    try:
        player = read_spec(spec)
        if player.text is not None:
            player.text.require_program(Path())
    except UserError as error:
        raise mistake(str(error)) from None
    if player.config:
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
    specs, seating = {}, []
    for role, player in zip(record.roles, record.players, strict=True):
        seed = seeds.getrandbits(31)
        name = "" if is_chance(role) else f"{role} ({player})"
        if name:
            own_seed = None if args.seed is None else seed
            specs[name] = dataclasses.replace(read_spec(player), native=not args.no_native, seed=own_seed)
        seating.append((role, player, name))
    restarts = 0 if args.no_restart else _RESTARTS
    players = stack.enter_context(Players(specs, observer.note, restarts=restarts, logs=True, dialect=dialect))
    return stack.enter_context(players.seated(seating))


DESCRIPTION = """\
Run one match between players and write its record.

GAME is the path of a .kif file, its URL, the URL of a game in a repository, or a name of the catalogue. SPEC is a
player: 'agent' (tree search), 'agent:CONFIG' (configured by a TOML file or key=value,...), 'random', 'legal' (the first
legal move), each started here in its own process, the address of a running player, such as localhost:9147, or
'exec:COMMAND', a text player: a program that reads each turn as one line of JSON and writes its move. Give one SPEC per
role, in the order of the rules; the manager itself plays a role called 'random'. Without any SPEC, agents play all
roles.

If a player sends no legal move in time, a random move is played and the record gives the reason: TO (too late), CE (no
connection), IN (not understood), IL (not legal). After three such moves in a row the player loses the match (or see
--on-error). The manager tries again to reach a player without connection, and restarts a local player that exits.

In a game with hidden information (GDL-II), each player receives only the percepts of its role.

A match that is not over after --max-turns turns is stopped: its record says so, and has no goals.

--resume continues an interrupted match: its record contains the game, the players and the clocks.
"""

EPILOG = """\
examples:
  ggp-agent match connect_four --player agent --player random
  ggp-agent match tic_tac_toe --player agent localhost:9148 --playclock 2
  ggp-agent match breakthrough --player agent:mine.toml agent:yours.toml
  ggp-agent match connect_four --player agent "exec:python3 my_player.py"
  ggp-agent match connect_four --player agent "exec:./model.sh?retries=2"
  ggp-agent match hex --player agent "exec:./model.sh?moves=no&board=text"
  ggp-agent match breakthrough --playclock 5 1   # 5 s a move for the first role
  ggp-agent match my_game.kif --player legal random --scramble --previewclock 2
  ggp-agent match kuhn_poker --dialect dresden --percepts plain
  ggp-agent match connect_four --publish http://matches.example.org/
  ggp-agent match --resume matches/connect_four.1795237465779.8a01.json
"""

_START_CLOCK, _PLAY_CLOCK = 10.0, 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser, nargs="?", native=False)
    add_option(
        parser,
        "--player",
        "SPEC",
        "agent, agent:CONFIG, random, legal, exec:COMMAND or host:port; one per role, in order (default: agents)",
        action="extend",
        nargs="+",
    )
    add_option(parser, "--startclock", "clock", "seconds to prepare, once or once per role (default: 10)", nargs="+")
    add_option(parser, "--playclock", "clock", "seconds per move, once or once per role (default: 5)", nargs="+")
    _add_message_options(parser)
    add_option(parser, "--max-turns", "turns", f"stop the match after N turns (default: {MAX_TURNS:,})")
    add_option(
        parser,
        "--on-error",
        ON_ERROR,
        f"after {amount(MAX_DRAWN, 'turn')} in a row without a legal move in time, a player loses the match "
        "(default), is replaced by random moves, or stops the match",
    )
    add_option(parser, "--resume", "RECORD", "continue the match of this record, in the same file")
    add_output(parser, "--record", continues="resume", help="file of the record (default: matches/<match>.json)")
    add_output(parser, "--svg", help="after the match, draw it as an animated SVG")
    add_option(parser, "--sign", "KEYFILE", "sign the record ('ggp-agent records key' creates the key)")
    add_option(parser, "--publish", "URL", "post the match to this spectator server, state by state, as GGP-Base does")
    add_option(parser, "--no-restart", "flag", "do not restart local players that exit")
    add_option(parser, "--seed", "integer", "seed of all random choices (default: random)")
    add_shared(parser, "--no-native", "--no-cache")
    add_option(parser, "--json", "flag", "print the record instead of the moves")


def _add_message_options(parser: argparse.ArgumentParser) -> None:
    add_option(parser, "--tolerance", "seconds or 0", "seconds to accept a reply after the end of a clock (default: 1)")
    add_option(parser, "--previewclock", "clock", "send the rules S seconds before START (default: no preview)")
    add_option(parser, "--scramble", "flag", "scramble the names in the rules, differently for each player")
    add_option(parser, "--dialect", ("ggp-base", "dresden"), "form of requests (default: ggp-base)")
    add_option(
        parser,
        "--percepts",
        PERCEPT_FORMS,
        "form of PLAY and STOP in games with percepts (GDL-II): 'numbered' with turn and last move (default), or "
        "'plain'",
    )


def run(args: argparse.Namespace) -> int:
    """Run the match."""
    for spec in args.player or ():
        check_spec(spec)
    if args.publish is not None:
        require_web_address(args.publish)
    key = load_key(Path(args.sign)) if args.sign is not None else None
    named = args.record if args.record is not None else args.resume
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.ExitStack() as stack:
        if args.resume is not None and Path(args.resume).exists():
            stack.enter_context(sole_writer(Path(named)))  # before the record is read
        game, record, conditions = _prepare(args)
        record.key = key
        start = game.initial_state()
        note_sheet_errors(game)
        if record.states:
            last_state(record, start)  # before any player is started
        if args.resume is None and named is not None:
            stack.enter_context(sole_writer(Path(named)))
        require_outputs(args)  # another process may have created a file since the first check
        path = Path(named) if named is not None else Path("matches") / f"{record.match_id}.json"
        if named is None:
            keep_rules(game, path.parent)
        keeper = _host(args, start, record, conditions, path, stack)
    status = _print_result(args.json, record, keeper.failure, path)
    if args.svg is not None:
        _draw(record, rules_word(record, Path(args.resume or path), args.game), Path(args.svg))
    return status


def _host(
    args: argparse.Namespace,
    start: State,
    record: MatchRecord,
    conditions: Conditions,
    path: Path,
    stack: ExitStack,
) -> RecordKeeper:
    """Play the match to its end; return the keeper of its record."""
    display = stack.enter_context(MatchDisplay(quiet=args.json))
    publish = None
    if args.publish is not None:
        publish = stack.enter_context(Publisher(args.publish, display.note)).publish
    keeper = RecordKeeper(record, path, display.note, publish)
    try:
        seats = take_seats(record, args, conditions.dialect, display, stack)
        manager = MatchManager(
            start, seats, record, save=keeper.save, observer=display, seed=args.seed, conditions=conditions
        )
        display.our_name = manager.our_name
        manager.run()
    except PlayerFailedError as error:
        raise UserError(f"{error}; correct this, then continue with --resume {path}") from None
    except KeyboardInterrupt:
        stack.close()
        _report_interruption(record, keeper, path)
        raise
    if keeper.failure is not None:
        keeper.save()
    return keeper


def _print_result(as_json: bool, record: MatchRecord, failure: str | None, path: Path) -> int:
    """Print the record or its path; return the exit status."""
    if as_json:
        print(json_text({**record.document(), "record": str(path)}, indent=1))
    elif failure is None:
        print(printable(f"record: {path}"))
    sys.stdout.flush()
    return 0 if failure is None else _report_loss(failure, path)


def _draw(record: MatchRecord, game: str | None, path: Path) -> None:
    try:
        write_whole(path, animated(MatchDrawing(record, game)).encode())
    except (UserError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"--svg {path}: {reason}; the match is recorded") from None


def _prepare(args: argparse.Namespace) -> tuple[Game, MatchRecord, Conditions]:
    """Start a record, or resume an interrupted match."""
    if args.resume is not None:
        return _resume(args)
    if args.game is None:
        raise mistake("the argument GAME is required, or --resume RECORD")
    game = by_rules(load_game(args.game))
    roles = game.sheet.roles()
    start_clocks = clocks_of_roles("--startclock", args.startclock or [_START_CLOCK], roles)
    play_clocks = clocks_of_roles("--playclock", args.playclock or [_PLAY_CLOCK], roles)
    conditions = Conditions(
        tolerance=TOLERANCE if args.tolerance is None else args.tolerance,
        preview_clock=args.previewclock,
        scramble_seed=_new_seed(args.seed) if args.scramble else None,
        start_clocks=start_clocks if len(set(start_clocks)) > 1 else (),
        play_clocks=play_clocks if len(set(play_clocks)) > 1 else (),
        dialect=GGP_BASE if args.dialect is None else DIALECTS[args.dialect],
        max_turns=args.max_turns or MAX_TURNS,
        percept_form=args.percepts or NUMBERED,
        on_error=args.on_error or ON_ERROR[0],
    )
    record = MatchRecord(
        match_id=new_match_id(game.name),
        game=game.name,
        game_address=game.address,
        roles=roles,
        players=tuple(players_of_roles(game.name, roles, args.player)),
        start_clock=max(start_clocks),
        play_clock=max(play_clocks),
    )
    return game, record, conditions


def _resume(args: argparse.Namespace) -> tuple[Game, MatchRecord, Conditions]:
    """Read the record of an interrupted match."""
    options = ("startclock", "playclock", "tolerance", "previewclock", "dialect", "percepts", "on_error")
    given = [name.replace("_", "-") for name in options if getattr(args, name) is not None]
    if given or args.scramble:
        raise mistake(f"--{(given or ['scramble'])[0]} is given, but a resumed match keeps the values of its record")
    path = Path(args.resume)
    record = read_record(path)
    require_resumable(record, path)
    word = rules_word(record, path, args.game)
    try:
        game = rules_of(record, word)
    except UnknownRulesError:
        name = record.game[:60] or "this game"
        raise UserError(f"{path}: {name} is not in the catalogue; name its .kif file before --resume") from None
    if (native := notation_of(record)) is not None:
        raise UserError(f"{path}: the moves are in the notation of fast:{native.name}; such a match cannot be resumed")
    if word == args.game:  # a file beside the record is named by the digest of its rules
        require_game(record, game, path)
        record.game = game.name
    if args.player is not None:
        record.players = tuple(players_of_roles(record.game, record.roles, args.player))
    for player, role in zip(record.players, record.roles, strict=True):
        if not is_chance(role):
            if player.startswith(EXEC) and args.player is None:
                raise mistake(f"{path}: the record names the command {player[:80]!r}; to run it, repeat --player")
            check_spec(player)
    try:
        conditions = Conditions.read(record)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None
    return game, record, _with_turn_limit(conditions, args.max_turns, record, path)


def _with_turn_limit(conditions: Conditions, limit: int | None, record: MatchRecord, path: Path) -> Conditions:
    """Change the turn limit of a match that is resumed, if one is given; refuse a match that has reached its limit."""
    if limit is not None:
        conditions = dataclasses.replace(conditions, max_turns=limit)
    if (played := len(record.moves)) >= conditions.max_turns:
        raise UserError(f"{path}: the match has {played:,} turns, its limit; give a larger --max-turns to resume it")
    return conditions


def _new_seed(seed: int | None) -> int:
    return random.Random(None if seed is None else f"scramble {seed}").getrandbits(32)


def _report_interruption(record: MatchRecord, keeper: RecordKeeper, path: Path) -> None:
    where = ""
    if keeper.failure is not None:
        where = f"; the record could not be written: {path}: {keeper.failure}"
    elif record.states:
        where = f"; the record so far: {path}"
    print(printable(f"interrupted after {amount(len(record.moves), 'turn')}{where}"), file=sys.stderr)


def _report_loss(reason: str, path: Path) -> int:
    """Print that the record file lacks the last turns; return the exit status."""
    text = f"{PROGRAM}: error: {path}: {reason}; the file contains only the match up to an earlier turn"
    print(printable(text), file=sys.stderr)
    return 1
