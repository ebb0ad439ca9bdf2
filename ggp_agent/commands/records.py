"""`ggp-agent records`: list, show, replay, draw, check, export and verify recorded matches."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl import GdlError

from ..common.errors import EXIT_ERROR, PROGRAM, UserError, describe_os_error, located
from ..common.progress import BarDisplay
from ..common.report import print_result
from ..common.terminal_text import amount, csv_text, json_text, printable
from ..mcts.configurations import read_configuration
from ..records.analysis import analyse, analysis_document, analysis_text
from ..records.details import details, details_text, moves_csv, moves_rows
from ..records.match_drawing import MatchDrawing, animated, require_board
from ..records.read_record import is_xml, parse_document, read_bytes, read_document, read_record, record_of
from ..records.record_check import check
from ..records.record_list import (
    HEAD,
    Filter,
    Summary,
    files_of_words,
    find_record,
    list_text,
    read_time,
    record_files,
    record_name,
    role_names,
    skipped_files,
    summary_of,
)
from ..records.record_rules import UnknownRulesError, game_of_notation, kept_rules, notation_of, rules_of, rules_word
from ..records.signing import KEY_FIELD, Verdict, load_key, new_key, read_public, verify
from ..records.values import best_moves_of, require_record, values_of, values_path, write_values
from ..records.viewer import RecordViewer
from ..ui.web.match_page import match_page
from . import _record_puzzles
from ._arguments import (
    DEFAULT_FOLDER,
    FORMATS,
    SUFFIXES,
    add_config_option,
    add_option,
    add_shared,
    positive_int,
    seconds_of,
    write_new,
)

if TYPE_CHECKING:
    from gdl import StateMachine

    from ..records.record_check import RecordDifference

# At most this number of unreadable files of a folder is listed.
_SHOWN_REFUSED = 5
# At most this number of skipped files is in the JSON document.
_LISTED_SKIPPED = 1000
_SHOWN_KEY_CHARACTERS = 24
# Default time for each position of an analysis.
_SECONDS = 1.0


def _list(args: argparse.Namespace) -> int:
    if not args.paths and not Path(DEFAULT_FOLDER).is_dir():
        raise UserError(
            f"the folder {DEFAULT_FOLDER} does not exist here; name a folder of records, or play a match first"
        )
    for word in args.paths:
        near = difflib.get_close_matches(word, ACTIONS, n=1)
        if near and not Path(word).exists():
            raise UserError(f"{word}: there is no such file or folder; did you mean 'ggp-agent records {near[0]}'?")
    wanted = Filter(
        args.game, args.player, args.since, args.until, args.state, args.errors, args.won_by, args.signature
    )
    skipped = skipped_files(args.paths or [DEFAULT_FOLDER])
    summaries: list[Summary] = []
    refused: list[tuple[Path, str]] = []
    status = 0
    for path, named in record_files(args.paths or [DEFAULT_FOLDER]):
        try:
            summary = summary_of(read_document(path), path)
        except UserError as error:
            refused.append((path, str(error)))
            status = EXIT_ERROR if named else status
            continue
        if wanted.admits(summary):
            summaries.append(summary)
    summaries.sort(key=lambda each: (each.started, each.match))
    if args.last is not None:
        summaries = summaries[-args.last :]
    if args.json:
        unreadable = [{"file": str(path), "reason": reason} for path, reason in refused]
        passed_over = {"count": len(skipped), "files": list(map(str, skipped[:_LISTED_SKIPPED]))}
        listed = [each.document() for each in summaries]
        print(json_text({"records": listed, "unreadable": unreadable, "skipped": passed_over}, indent=1))
    elif args.csv:
        print(csv_text((*HEAD, "file"), [(*each.row(), each.file) for each in summaries]), end="")
    else:
        none = "no records" if wanted == Filter() else "no records match the filters"
        print(list_text(summaries) if summaries else none)
    sys.stdout.flush()
    if skipped:
        _note(_skipped_text(skipped))
    for _, reason in refused[:_SHOWN_REFUSED]:
        _complain(reason)
    if len(refused) > _SHOWN_REFUSED:
        _complain(f"and {amount(len(refused) - _SHOWN_REFUSED, 'more file')} that are not match records")
    return status


def _skipped_text(paths: Sequence[Path]) -> str:
    names = ", ".join(f"{path}/" if path.is_dir() else str(path) for path in paths[:_SHOWN_REFUSED])
    more = f" and {len(paths) - _SHOWN_REFUSED} more" if len(paths) > _SHOWN_REFUSED else ""
    return f"skipped, because records are files ending with .json or .xml: {names}{more}"


def _show(args: argparse.Namespace) -> int:
    path = find_record(args.match, args.folder)
    document = read_document(path)
    found = details(record_of(document, path), document, path)
    print_result(found, [details_text(found)], as_json=args.json, indent=1)
    return 0


def _replay(args: argparse.Namespace) -> int:
    path = find_record(args.match, args.folder)
    document = read_document(path)
    record = record_of(document, path)
    game = machine = None
    differences: list[RecordDifference] = []
    try:
        game = rules_of(record, rules_word(record, path, args.rules))
    except UnknownRulesError as error:
        _note(f"not checked: {error}")
    if game is not None and not args.no_check:
        machine = game_of_notation(record, game).machine(args.machine)
        differences = check(record, machine)
        _note(f"checked by the rules of {game.name}: {_found(differences)}")
    roles = role_names(document)
    if not record.roles and machine is not None and len(machine.roles) == len(roles):
        roles = machine.roles
    replay = RecordViewer(record, roles, game=game, machine=machine, differences=differences, say=_print)
    start = args.turn or 0
    if args.turn is not None and start > replay.last:
        raise UserError(f"--turn {start}: the record has turns 0 to {replay.last}")
    if args.all or args.delay or not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
        replay.run(start, delay=args.delay or 0.0)
    else:
        replay.step(start, _ask)
    return 1 if differences else 0


# The exit status, the JSON document and the lines of one record.
_RecordResult = tuple[int, dict[str, Any], Sequence[str]]


def _print_found(args: argparse.Namespace, found: Iterable[_RecordResult]) -> int:
    """Print what is found about each record as soon as it is known, or one document; return the exit status."""
    documents = []
    status = 0
    for status_of_record, document, lines in found:
        status = max(status, status_of_record)
        documents.append(document)
        if not args.json:
            if "error" in document:
                _complain(document["error"])
            for line in lines:
                _print(line)
    if args.json:
        print(json_text({"records": documents}, indent=1))
    return status


def _check(args: argparse.Namespace) -> Iterator[_RecordResult]:
    machines: dict[tuple[str, str, bool], StateMachine] = {}
    for path in files_of_words(args.matches, args.folder):
        try:
            record = read_record(path)
            named = (record.game, record.game_address, notation_of(record) is None)
            if named not in machines:
                game = rules_of(record, rules_word(record, path, args.rules))
                machines[named] = game_of_notation(record, game).machine(args.machine)
            differences = check(record, machines[named])
        except (UserError, GdlError, OSError) as error:
            yield EXIT_ERROR, {"file": str(path), "error": located(error, path)}, ()
            continue
        found = [dataclasses.asdict(each) for each in differences]
        lines = [f"{record.match_id}: {_found(differences)}, {amount(len(record.moves), 'turn')}"]
        lines += [f"    {each}" for each in differences]
        yield int(bool(differences)), {"file": str(path), "match": record.match_id, "differences": found}, lines


def _export(args: argparse.Namespace) -> int:
    out = Path(args.out) if args.out is not None else None
    into = out is not None and (out.is_dir() or args.out.endswith("/"))
    form = args.format or (FORMATS.get(out.suffix, "json") if out is not None and not into else "json")
    if len(args.matches) > 1 and not into and (form != "csv" or out is None):
        raise UserError("several matches need --out FOLDER (ending with / if it does not exist), or --out FILE.csv")
    texts: dict[str, bytes] = {}
    rows: list[tuple[object, ...]] = []
    for word in args.matches:
        path = find_record(word, args.folder)
        original = read_bytes(path)
        document = parse_document(original, path)
        record = record_of(document, path)
        found = details(record, document, path)
        rows += moves_rows(found)
        if form == "json":
            data = record.data() if is_xml(original) else original
        else:
            text = f"{details_text(found)}\n" if form == "text" else moves_csv(moves_rows(found))
            data = text.encode(errors="replace")
        name = record_name(path) + SUFFIXES[form]
        if name in texts:
            raise UserError(f"{word}: another match would be written to the same file {name}; export them one by one")
        texts[name] = data
    if out is None:
        sys.stdout.buffer.write(next(iter(texts.values())))
        return 0
    if not into:
        data = moves_csv(rows).encode(errors="replace") if form == "csv" else next(iter(texts.values()))
        write_new({out: data}, force=args.force)
    else:
        write_new({out / name: data for name, data in texts.items()}, force=args.force)
    return 0


def _verify(args: argparse.Namespace) -> Iterator[_RecordResult]:
    wanted = read_public(args.key) if args.key is not None else None
    for path in files_of_words(args.matches, args.folder):
        try:
            document = read_document(path)
        except UserError as error:
            yield EXIT_ERROR, {"file": str(path), "error": str(error)}, ()
            continue
        verdict, why = verify(document)
        match, key = document["matchId"], str(document.get(KEY_FIELD, ""))
        shown = f"{key[:_SHOWN_KEY_CHARACTERS]}.."
        if verdict is Verdict.VALID and wanted is not None and key != wanted:
            verdict, why = Verdict.BAD, f"the signature is valid, but of another key, {shown}"
        status = {Verdict.VALID: 0, Verdict.UNKNOWN: EXIT_ERROR}.get(verdict, 1)
        text = f"valid, by {shown}" if verdict is Verdict.VALID else f"{verdict}: {why}"
        found = {"file": str(path), "match": match, "verdict": str(verdict), "why": why, "key": key}
        yield status, found, [f"{match}: {text}"]


def _key(args: argparse.Namespace) -> int:
    path = Path(args.file)
    print((new_key(path) if args.new else load_key(path)).public)
    return 0


def _analyse(args: argparse.Namespace) -> int:
    path = find_record(args.match, args.folder)
    require_record(path)
    record = read_record(path)
    with BarDisplay(f"{record.match_id}: positions", len(record.moves) + 1) as display:
        found = analyse(
            record,
            source=path,
            rules=rules_word(record, path, args.rules),
            seconds=seconds_of(args, _SECONDS),
            simulations=args.simulations,
            config=read_configuration(args.config),
            on_position=lambda done, count, values: display.show(completed=done),
        )
    kept = values_path(path)
    try:
        write_values(kept, record, found.values, found.best)
    except OSError as error:
        raise UserError(f"the values cannot be stored: {describe_os_error(error)}") from None
    parts = analysis_text(record, found), printable(f"stored: {kept}")
    print_result(analysis_document(record, found), parts, as_json=args.json, indent=1)
    return 0


def _html(args: argparse.Namespace) -> int:
    """Write a match as one HTML page."""
    path = find_record(args.match, args.folder)
    text = match_page(_drawing(args, path))
    write_new({_named(args.out, path, ".html"): text.encode(errors="replace")}, force=args.force)
    return 0


def _svg(args: argparse.Namespace) -> int:
    """Write a match as an animated SVG, one position, or a picture for each turn."""
    path = find_record(args.match, args.folder)
    drawing = _drawing(args, path)
    name = record_name(path)
    try:
        require_board(drawing)
        if args.turn is not None:
            files = {_named(args.out, path, f".{args.turn}.svg"): drawing.picture(args.turn).svg}
        elif args.out is not None and (args.out.endswith("/") or Path(args.out).is_dir()):
            digits = len(str(drawing.last))
            folder = Path(args.out)
            turns = range(drawing.last + 1)
            files = {folder / f"{name}.{turn:0{digits}}.svg": drawing.picture(turn).svg for turn in turns}
        else:
            files = {_named(args.out, path, ".svg"): animated(drawing, args.seconds)}
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    write_new({file: text.encode() for file, text in files.items()}, force=args.force)
    return 0


def _gif(args: argparse.Namespace) -> int:
    """Write a match as a GIF."""
    from ..records.match_drawing import gif

    path = find_record(args.match, args.folder)
    try:
        data = gif(_drawing(args, path), args.seconds, args.width)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    write_new({_named(args.out, path, ".gif"): data}, force=args.force)
    return 0


def _drawing(args: argparse.Namespace, path: Path) -> MatchDrawing:
    """Return the drawing of a record: by `--rules`, by the rules stored beside the record, or by the catalogue."""
    record = read_record(path)
    kept = kept_rules(record, path.parent) if args.rules is None else None
    return MatchDrawing(record, args.rules, values_of(record, path), kept, best_moves_of(record, path))


def _named(out: str | None, record: Path, suffix: str) -> Path:
    """Return the path of a new file: as given, or with the name of the record, by default in the current folder."""
    name = record_name(record) + suffix
    if out is None:
        return Path(name)
    return Path(out) / name if out.endswith("/") or Path(out).is_dir() else Path(out)


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "replay": _replay,
    "check": lambda args: _print_found(args, _check(args)),
    "export": _export,
    "analyse": _analyse,
    "puzzles": _record_puzzles.run,
    "html": _html,
    "svg": _svg,
    "gif": _gif,
    "verify": lambda args: _print_found(args, _verify(args)),
    "key": _key,
}


# ---- helpers


def _found(differences: Sequence[RecordDifference]) -> str:
    return amount(len(differences), "difference") if differences else "same"


def _ask(prompt: str) -> str:
    """Read a line; print the prompt to stdout, because `input` prints it to stderr if stdout is not a terminal."""
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        print()
        raise EOFError
    return line


def _print(text: str) -> None:
    print("\n".join(map(printable, text.split("\n"))))


def _note(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)


def _complain(text: str) -> None:
    _note(f"{PROGRAM}: error: {text}")


DESCRIPTION = """\
Work with match records: of this program, GGP-Base and Tiltyard, and XML records of 2005 to 2008.

Without an ACTION the records of a folder are listed: `records` is `records list matches`. MATCH is the identifier of a
match, the beginning of an identifier that only one match has, or the file of a record.
"""

EPILOG = """\
examples:
  ggp-agent records
  ggp-agent records old/ --player agent --errors --since 2d
  ggp-agent records list --game connect_four --csv > matches.csv
  ggp-agent records show MATCH
  ggp-agent records replay MATCH
  ggp-agent records check matches/
  ggp-agent records export MATCH --out match.csv
  ggp-agent records analyse MATCH --seconds 2
  ggp-agent records puzzles matches/ --json
  ggp-agent records html MATCH --out public/
  ggp-agent records svg MATCH --seconds 0.5
  ggp-agent records gif MATCH --width 320
  ggp-agent records key --new host.pem
  ggp-agent records verify matches/

'ggp-agent records ACTION --help' explains an action.
"""

DEFAULT_SUBCOMMAND = "list"

# Limits of the width of a GIF in pixels.
_MIN_WIDTH, _MAX_WIDTH = 32, 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, summary: str, more: str = "") -> argparse.ArgumentParser:
        return actions.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.{more}")

    _add_list(add("list", "list records in a table, oldest first", _LIST_HELP))
    show = add("show", "show the details of a match: clocks, times of each player, errors, joint moves")
    _add_matches(show, "MATCH", several=False)
    add_shared(show, "--json")
    _add_replay(add("replay", "replay a match in the terminal, move by move", _REPLAY_HELP))
    check = add("check", "check records by the rules", _CHECK_HELP)
    _add_matches(check, "MATCH|FOLDER", several=True)
    add_shared(check, "--rules", "--machine", "--no-cache", "--json")
    export = add("export", "write matches as JSON, text or CSV", _EXPORT_HELP)
    _add_matches(export, "MATCH", several=True)
    add_option(export, "--out", "FILE|FOLDER", "output file or folder (default: standard output)")
    add_shared(export, "--force")
    add_option(export, "--format", SUFFIXES, "output format (default: by the suffix of FILE, else json)")
    _add_analyse(add("analyse", "search every position of a match", _ANALYSE_HELP))
    _record_puzzles.add_arguments(add("puzzles", "find positions with one winning move", _record_puzzles.HELP))
    html = add("html", "write a match as one page that needs no server", _HTML_HELP)
    _add_matches(html, "MATCH", several=False)
    add_option(html, "--out", "FILE|FOLDER", "output file (default: MATCH.html here)")
    add_shared(html, "--force", "--rules")
    svg = add("svg", "draw a match as an animated SVG, or single positions", _SVG_HELP)
    _add_picture(svg, "FILE|FOLDER/", "MATCH.svg")
    add_option(svg, "--turn", "natural", "draw only this position; 0 is the initial state")
    gif = add("gif", "draw a match as an animated GIF", _GIF_HELP)
    _add_picture(gif, "FILE|FOLDER", "MATCH.gif")
    add_option(gif, "--width", "N", "width in pixels", 480, type=_width)
    verify = add("verify", "verify the signatures of records", _VERIFY_HELP)
    _add_matches(verify, "MATCH|FOLDER", several=True)
    add_option(verify, "--key", "KEY", "the expected public key: a key file, or the key as text")
    add_shared(verify, "--json")
    key = add("key", "create a key for `match --sign`, or print its public part", _KEY_HELP)
    key.add_argument("file", metavar="FILE", help="the private key")
    add_option(key, "--new", "flag", "create the key; existing files are never overwritten")


_LIST_HELP = """

The state `running` means that the record has no end: the match is still running, or its manager was killed. Names in
filters may contain wildcards, such as 'agent*'. A time is a date (2026-11-21), a date and time (2026-11-21T18:30), or a
time span before now (90m, 12h, 3d, 2w).
"""
_REPLAY_HELP = """

On a terminal each turn waits for a key: Enter shows the next turn, b the previous one, a number that turn, q quits. If
the rules are known (by the catalogue or --rules) the record is also checked; the exit status is 1 if it differs.
"""
_CHECK_HELP = """

All moves must be legal, and all states, the end and the goals must agree with the rules. The exit status is 1 if
something differs, 2 if a record cannot be read or its rules are unknown.
"""
_EXPORT_HELP = """

json is the unchanged record, or an XML record as JSON; text is the output of `show`; csv has a line for
each move of each role. Several matches need a folder, or one csv file. Existing files are replaced only with --force.
"""
_ANALYSE_HELP = """

Prints the expected goal of each role after each turn (mean goal, 0 to 100), and the turns that lost most. The values
are stored next to the record in MATCH.values; the web page and exported pages show them.
"""
_HTML_HELP = """

The page contains all positions and loads nothing else. Existing files are replaced only with --force.
"""
_SVG_HELP = """

The animation also runs as an image on a page. --turn N draws one position, --out FOLDER/ one file for each turn.
Existing files are replaced only with --force. A game without a board cannot be drawn.
"""
_GIF_HELP = """

Like `svg`, but larger and less sharp. Requires the packages of pip install matplotlib pillow resvg-py.
"""
_VERIFY_HELP = """

A valid signature shows that the owner of the key wrote this record; --key gives the expected key. The exit status is 1
if a record is not signed or its signature is bad, 2 if it cannot be read or verified.
"""
_KEY_HELP = """

--new writes the private key to FILE, readable only by its owner, and the public key to FILE.pub.
"""


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="FOLDER|FILE", nargs="*", help=f"folders of records, or records (default: {DEFAULT_FOLDER})"
    )
    add_option(parser, "--game", "NAME", "only matches of this game")
    add_option(parser, "--player", "NAME", "only matches of this player")
    add_option(parser, "--since", "TIME", "only matches started at this time or later", type=_time)
    add_option(parser, "--until", "TIME", "only matches started at this time or earlier", type=_end_time)
    add_option(parser, "--state", ("complete", "aborted", "running"), "only matches in this state")
    add_option(
        parser,
        "--errors",
        ("any", "TO", "CE", "IN", "IL"),
        "only matches with an error of a player (of this kind)",
        nargs="?",
        const="any",
    )
    add_option(parser, "--won-by", "NAME", "only matches that this player or role won alone")
    add_option(parser, "--signature", ("valid", "none", "bad", "unknown"), "only records with this kind of signature")
    add_option(parser, "--last", "count", "only the latest N matches")
    form = parser.add_mutually_exclusive_group()
    add_shared(form, "--json")
    add_option(form, "--csv", "flag", "print comma-separated values")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    _add_matches(parser, "MATCH", several=False)
    add_option(parser, "--turn", "natural", "first turn to show; 0 is the initial state")
    how = parser.add_mutually_exclusive_group()
    add_option(how, "--all", "flag", "print all turns at once (always if there is no terminal)")
    add_option(how, "--delay", "seconds", "print all turns with a delay of S seconds")
    add_shared(parser, "--rules", "--machine", "--no-cache")
    add_option(parser, "--no-check", "flag", "do not check the record by the rules")


def _add_analyse(parser: argparse.ArgumentParser) -> None:
    _add_matches(parser, "MATCH", several=False)
    add_option(parser, "--seconds", "seconds", "seconds for each position (default: 1)")
    add_option(parser, "--simulations", "count", "maximal simulations for each position")
    add_config_option(parser)
    add_shared(parser, "--rules", "--no-cache", "--json")


def _add_picture(parser: argparse.ArgumentParser, out: str, usual: str) -> None:
    _add_matches(parser, "MATCH", several=False)
    add_option(parser, "--out", out, f"output (default: {usual} here)")
    add_shared(parser, "--force")
    add_option(parser, "--seconds", "seconds", "seconds for each turn", 1.0)
    add_shared(parser, "--rules")


def _add_matches(parser: argparse.ArgumentParser, metavar: str, *, several: bool) -> None:
    if several:
        parser.add_argument("matches", metavar=metavar, nargs="+", help="one or more matches")
    else:
        parser.add_argument("match", metavar=metavar, help="the match")
    add_option(parser, "--folder", "DIR", "folder of the records", DEFAULT_FOLDER, type=Path)


def _width(text: str) -> int:
    width = positive_int(text)
    if not _MIN_WIDTH <= width <= _MAX_WIDTH:
        raise argparse.ArgumentTypeError(f"{text} is not a valid width; give {_MIN_WIDTH} to {_MAX_WIDTH}")
    return width


def _time(text: str, *, end: bool = False) -> int:
    try:
        return read_time(text, end=end)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; give 2026-11-21, 2026-11-21T18:30, or a time span before now: 90m, 12h, 3d, 2w"
        ) from None


def _end_time(text: str) -> int:
    return _time(text, end=True)


def run(args: argparse.Namespace) -> int:
    """Run the action."""
    return ACTIONS[args.action](args)
