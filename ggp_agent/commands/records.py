"""`ggp-agent records`: recorded matches, listed, shown, replayed, checked, exported, verified."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ._arguments import add_cache_option, add_machine_option, natural_number, positive_int, positive_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from ..record_check import Difference

SUMMARY = "list, show, replay, check, export and verify recorded matches"

DESCRIPTION = """\
Look into match records: those that `match` and `play` write, and those of GGP-Base and Tiltyard.

ACTION is one of those below; without one, the records of a folder are listed, so `records` alone means `records list
matches`. MATCH is the identifier of a match, a beginning of it that no other has, or the file of a record.
"""

EPILOG = """\
examples:
  ggp-agent records
  ggp-agent records old/ --player agent --errors --since 2d
  ggp-agent records list --game connect_four --csv > matches.csv
  ggp-agent records show connect_four.17637
  ggp-agent records replay connect_four.17637
  ggp-agent records check matches/
  ggp-agent records export connect_four.17637 --out match.csv
  ggp-agent records key --new host.pem
  ggp-agent records verify matches/

'ggp-agent records ACTION --help' explains an action.
"""

DEFAULT_SUBCOMMAND = "list"
DEFAULT_FOLDER = "matches"

# Files of a folder that are no records and are told of one by one.
_TOLD = 5
_FORMATS = {".json": "json", ".txt": "text", ".csv": "csv"}
_SUFFIXES = {format: suffix for suffix, format in _FORMATS.items()}
_SHOWN_KEY = 24


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, summary: str, more: str = "") -> argparse.ArgumentParser:
        return actions.add_parser(
            name,
            help=summary,
            description=f"{summary[:1].upper()}{summary[1:]}.{more}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    _add_list(add("list", "list records in a table, the oldest first", _LIST_HELP))
    show = add("show", "tell all about a match: clocks, times of each player, errors, joint moves")
    _add_matches(show, "MATCH", several=False)
    show.add_argument("--json", action="store_true", help="print one JSON document")
    _add_replay(add("replay", "replay a match in the terminal, move by move", _REPLAY_HELP))
    check = add("check", "hold records against the rules", _CHECK_HELP)
    _add_matches(check, "MATCH|FOLDER", several=True)
    _add_rules(check)
    check.add_argument("--json", action="store_true", help="print one JSON document")
    export = add("export", "write matches as JSON, text or CSV", _EXPORT_HELP)
    _add_matches(export, "MATCH", several=True)
    export.add_argument("--out", metavar="FILE|FOLDER", help="where to (default: print)")
    export.add_argument("--format", choices=tuple(_SUFFIXES), help="what to write (default: as FILE ends, else json)")
    verify = add("verify", "verify the signatures of records", _VERIFY_HELP)
    _add_matches(verify, "MATCH|FOLDER", several=True)
    verify.add_argument("--key", metavar="KEY", help="the key that must have signed: a key file, or the key as text")
    verify.add_argument("--json", action="store_true", help="print one JSON document")
    key = add("key", "make a key for `match --sign`, or print the public part of one", _KEY_HELP)
    key.add_argument("file", metavar="FILE", help="the private key")
    key.add_argument("--new", action="store_true", help="make it; no file is ever overwritten")


_LIST_HELP = """

State `running` is what a record says until its match ends; it stays where the host was killed. Names in filters may
hold wildcards, such as 'agent*'. A time is a date (2026-11-21), a date and time (2026-11-21T18:30), or how long ago
(90m, 12h, 3d, 2w).
"""
_REPLAY_HELP = """

On a terminal each turn waits for a key: Enter goes on, b back, a number to that turn, q leaves. Where the rules are
known (a game of the catalogue, or --rules) the record is held against them, too; the exit status is 1 when they differ.
"""
_CHECK_HELP = """

Every move must be legal, every state, the end and the goals be those of the rules. The exit status is 1 when something
differs, 2 when a record cannot be read or its rules are not known.
"""
_EXPORT_HELP = """

json is the record as it is, to the byte; text is what `show` prints; csv has a line for each move of each role. Several
matches need a folder, or one csv file. No file is overwritten.
"""
_VERIFY_HELP = """

A valid signature says that the record is as the owner of the key wrote it; --key says whose it must be. The exit status
is 1 when a record is not signed or its signature is bad, 2 when it cannot be read or verified.
"""
_KEY_HELP = """

--new writes the private key to FILE, for its owner's eyes only, and the public one to FILE.pub.
"""


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="FOLDER|FILE", nargs="*", help=f"folders of records, or records (default: {DEFAULT_FOLDER})"
    )
    parser.add_argument("--game", metavar="NAME", help="of this game")
    parser.add_argument("--player", metavar="NAME", help="in which this player took part")
    parser.add_argument("--since", type=_time, metavar="TIME", help="that began then or later")
    parser.add_argument("--until", type=_end_time, metavar="TIME", help="that began then or earlier")
    parser.add_argument("--state", choices=("complete", "aborted", "running"), help="that are so far")
    parser.add_argument(
        "--errors",
        nargs="?",
        const="any",
        choices=("any", "TO", "CE", "IN", "IL"),
        help="in which a player failed (this way)",
    )
    parser.add_argument("--won-by", metavar="NAME", help="that this player or role won: no other has so high a goal")
    parser.add_argument("--signature", choices=("valid", "none", "bad", "unknown"), help="whose signature is so")
    parser.add_argument("--last", type=positive_int, metavar="N", help="the latest N of them alone")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    _add_matches(parser, "MATCH", several=False)
    parser.add_argument("--turn", type=natural_number, metavar="N", help="begin there; 0 is the initial state")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--all", action="store_true", help="print all turns at once (always so where there is no terminal)"
    )
    how.add_argument("--delay", type=positive_seconds, metavar="S", help="print all turns, S seconds apart")
    _add_rules(parser)
    parser.add_argument("--no-check", action="store_true", help="do not hold the record against the rules")


def _add_matches(parser: argparse.ArgumentParser, metavar: str, *, several: bool) -> None:
    if several:
        parser.add_argument("matches", metavar=metavar, nargs="+", help="which")
    else:
        parser.add_argument("match", metavar=metavar, help="which")
    parser.add_argument(
        "--folder", default=DEFAULT_FOLDER, metavar="DIR", help=f"where records are (default: {DEFAULT_FOLDER})"
    )


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rules", metavar="GAME", help="the rules, where they are not in the catalogue: a .kif file")
    add_machine_option(parser)
    add_cache_option(parser)


def _time(text: str, *, end: bool = False) -> int:
    from ..record_list import read_time

    try:
        return read_time(text, end=end)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time; give 2026-11-21, 2026-11-21T18:30, or how long ago: 90m, 12h, 3d, 2w"
        ) from None


def _end_time(text: str) -> int:
    return _time(text, end=True)


def run(args: argparse.Namespace) -> int:
    """Do what ACTION says."""
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "list": _list,
        "show": _show,
        "replay": _replay,
        "check": _check,
        "export": _export,
        "verify": _verify,
        "key": _key,
    }
    return actions[args.action](args)


def _list(args: argparse.Namespace) -> int:
    import json
    import sys
    from pathlib import Path

    from ..cli import EXIT_ERROR
    from ..errors import UserError
    from ..record_file import read_document
    from ..record_list import HEAD, Filter, Summary, list_text, record_files, summary_of
    from ..terminal_text import csv_text

    if not args.paths and not Path(DEFAULT_FOLDER).is_dir():
        raise UserError(f"there is no folder {DEFAULT_FOLDER} here; name a folder of records, or play a match first")
    wanted = Filter(
        args.game, args.player, args.since, args.until, args.state, args.errors, args.won_by, args.signature
    )
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
        print(json.dumps({"records": [each.document() for each in summaries], "unreadable": unreadable}, indent=1))
    elif args.csv:
        print(csv_text((*HEAD, "file"), [(*each.row(), each.file) for each in summaries]), end="")
    elif summaries:
        print(list_text(summaries))
    else:
        print("no records" + " are so" * (wanted != Filter()))
    sys.stdout.flush()
    for _, reason in refused[:_TOLD]:
        _complain(reason)
    if len(refused) > _TOLD:
        _complain(f"and {len(refused) - _TOLD} more files that are no match records")
    return status


def _show(args: argparse.Namespace) -> int:
    import json

    from ..record_details import details_text

    told, _ = _details(args.match, args.folder)
    print(json.dumps(told, indent=1) if args.json else details_text(told))
    return 0


def _replay(args: argparse.Namespace) -> int:
    import sys

    from ..errors import UserError
    from ..record_file import read_document, record_of
    from ..record_list import role_names
    from ..record_replay import Replay
    from ..record_rules import UnknownRulesError, rules_of

    path = _find(args.match, args.folder)
    document = read_document(path)
    record = record_of(document, path)
    game = machine = None
    differences: list[Difference] = []
    try:
        game = rules_of(record, args.rules)
    except UnknownRulesError as error:
        _note(f"not checked: {error}")
    if game is not None and not args.no_check:
        machine, differences = _compared(record, game, args.machine)
        _note(f"checked by the rules of {game.name}: {_found(differences)}")
    roles = role_names(document) if record.roles or machine is None else machine.roles
    replay = Replay(record, roles, game=game, machine=machine, differences=differences, say=_print)
    start = args.turn or 0
    if args.turn is not None and start > replay.last:
        raise UserError(f"--turn {start}: the record has the turns 0 to {replay.last}")
    if args.all or args.delay or not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
        replay.run(start, delay=args.delay or 0.0)
    else:
        replay.step(start, _ask)
    return 1 if differences else 0


def _check(args: argparse.Namespace) -> int:
    import dataclasses
    import json

    from gdl import GdlError

    from ..cli import EXIT_ERROR, describe_os_error
    from ..errors import UserError
    from ..record_file import read_record
    from ..record_rules import rules_of

    documents: list[dict[str, Any]] = []
    status = 0
    for path in _files(args.matches, args.folder):
        try:
            record = read_record(path)
            _, differences = _compared(record, rules_of(record, args.rules), args.machine)
        except (UserError, GdlError, OSError) as error:
            status = EXIT_ERROR
            reason = describe_os_error(error) if isinstance(error, OSError) else str(error)
            reason = reason if reason.startswith(str(path)) else f"{path}: {reason}"
            documents.append({"file": str(path), "error": reason})
            if not args.json:
                _complain(reason)
            continue
        status = status or int(bool(differences))
        found = [dataclasses.asdict(each) for each in differences]
        documents.append({"file": str(path), "match": record.match_id, "differences": found})
        if not args.json:
            _print(f"{record.match_id}: {_found(differences)}, {len(record.moves)} turns")
            for each in differences:
                _print(f"    {each}")
    if args.json:
        print(json.dumps({"records": documents}, indent=1))
    return status


def _export(args: argparse.Namespace) -> int:
    import sys
    from pathlib import Path

    from ..errors import UserError
    from ..record_details import details_text, moves_csv, moves_rows
    from ..record_file import read_bytes

    out = Path(args.out) if args.out is not None else None
    into = out is not None and (out.is_dir() or args.out.endswith("/"))
    form = args.format or (_FORMATS.get(out.suffix, "json") if out is not None and not into else "json")
    if len(args.matches) > 1 and not into and (form != "csv" or out is None):
        raise UserError("several matches need --out FOLDER (ending with / where it is new), or --out FILE.csv")
    texts: dict[str, bytes] = {}
    rows: list[tuple[object, ...]] = []
    for word in args.matches:
        told, path = _details(word, args.folder)
        rows += moves_rows(told)
        if form == "json":
            data = read_bytes(path)
        else:
            text = f"{details_text(told)}\n" if form == "text" else moves_csv(moves_rows(told))
            data = text.encode(errors="replace")
        texts[path.name.removesuffix(".json") + _SUFFIXES[form]] = data
    if out is None:
        sys.stdout.buffer.write(next(iter(texts.values())))
        return 0
    if not into:
        data = moves_csv(rows).encode(errors="replace") if form == "csv" else next(iter(texts.values()))
        _write_new({out: data})
    else:
        _write_new({out / name: data for name, data in texts.items()})
    return 0


def _verify(args: argparse.Namespace) -> int:
    import json

    from ..cli import EXIT_ERROR
    from ..errors import UserError
    from ..record_file import read_document
    from ..signing import KEY_FIELD, Verdict, read_public, verify

    wanted = read_public(args.key) if args.key is not None else None
    documents: list[dict[str, Any]] = []
    status = 0
    for path in _files(args.matches, args.folder):
        try:
            document = read_document(path)
        except UserError as error:
            status = EXIT_ERROR
            documents.append({"file": str(path), "error": str(error)})
            if not args.json:
                _complain(str(error))
            continue
        verdict, why = verify(document)
        key = str(document.get(KEY_FIELD, ""))
        if verdict is Verdict.VALID and wanted is not None and key != wanted:
            verdict, why = Verdict.BAD, f"it is valid, but by another key, {key[:_SHOWN_KEY]}.."
        if verdict is Verdict.UNKNOWN:
            status = EXIT_ERROR
        elif verdict is not Verdict.VALID:
            status = status or 1
        documents.append(
            {"file": str(path), "match": document["matchId"], "verdict": str(verdict), "why": why, "key": key}
        )
        if not args.json:
            told = f"valid, by {key[:_SHOWN_KEY]}.." if verdict is Verdict.VALID else f"{verdict}: {why}"
            _print(f"{document['matchId']}: {told}")
    if args.json:
        print(json.dumps({"records": documents}, indent=1))
    return status


def _key(args: argparse.Namespace) -> int:
    from pathlib import Path

    from ..signing import load_key, new_key

    path = Path(args.file)
    key = new_key(path) if args.new else load_key(path)
    print(key.public)
    return 0


# ---- what several actions need


def _find(word: str, folder: str) -> Path:
    from pathlib import Path

    from ..record_list import find_record

    return find_record(word, Path(folder))


def _files(words: Sequence[str], folder: str) -> Iterator[Path]:
    """Yield the records that identifiers, files and folders name."""
    from pathlib import Path

    from ..record_list import record_files

    for word in words:
        if Path(word).is_dir():
            yield from (path for path, _ in record_files([word]))
        else:
            yield _find(word, folder)


def _details(word: str, folder: str) -> tuple[dict[str, Any], Path]:
    from ..record_details import details
    from ..record_file import read_document, record_of

    path = _find(word, folder)
    document = read_document(path)
    return details(record_of(document, path), document, path), path


def _compared(record: Any, game: Any, kind: str) -> tuple[Any, list[Difference]]:
    from ..machines import machine_of
    from ..record_check import check

    machine = machine_of(game, kind)
    return machine, check(record, machine)


def _found(differences: Sequence[Difference]) -> str:
    count = len(differences)
    return "same" if not count else f"{count} difference{'s' * (count > 1)}"


def _write_new(files: dict[Path, bytes]) -> None:
    """Write files none of which is there yet."""
    from ..errors import UserError
    from ..whole_file import write_whole

    for path in files:
        if path.exists():
            raise UserError(f"--out {path}: this exists already; name a new one")
    for path, data in files.items():
        write_whole(path, data)
        _note(f"written: {path}")


def _ask(prompt: str) -> str:
    """Read a line; the prompt goes to stdout even where stderr leads elsewhere, as that of `input` does not."""
    import sys

    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        print()
        raise EOFError
    return line


def _print(text: str) -> None:
    from ..terminal_text import printable

    print("\n".join(map(printable, text.split("\n"))))


def _note(text: str) -> None:
    import sys

    from ..terminal_text import printable

    print(printable(text), file=sys.stderr, flush=True)


def _complain(text: str) -> None:
    from ..cli import PROGRAM

    _note(f"{PROGRAM}: error: {text}")
