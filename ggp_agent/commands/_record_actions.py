"""The actions of `ggp-agent records`."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl import GdlError

from ..common.errors import EXIT_ERROR, PROGRAM, UserError, describe_os_error
from ..common.terminal_text import amount, csv_text, json_text, printable
from ..records.details import details, details_text, moves_csv, moves_rows
from ..records.read_record import is_xml, parse_document, read_bytes, read_document, read_record, record_of
from ..records.record_check import check
from ..records.record_list import (
    HEAD,
    Filter,
    Summary,
    find_record,
    list_text,
    record_files,
    record_name,
    role_names,
    skipped_files,
    summary_of,
)
from ..records.record_rules import UnknownRulesError, machine_of_record, notation_of, rules_of
from ..records.signing import KEY_FIELD, Verdict, load_key, new_key, read_public, verify
from ..records.viewer import RecordViewer
from . import _record_analysis, _record_pictures
from ._arguments import DEFAULT_FOLDER, FORMATS, SUFFIXES, write_new

if TYPE_CHECKING:
    from gdl import StateMachine

    from ..records.record_check import RecordDifference

# At most this number of unreadable files of a folder is listed.
_SHOWN_REFUSED = 5
# At most this number of skipped files is in the JSON document.
_LISTED_SKIPPED = 1000
_SHOWN_KEY_CHARACTERS = 24


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
    elif summaries:
        print(list_text(summaries))
    else:
        print("no records" + " match the filters" * (wanted != Filter()))
    sys.stdout.flush()
    if skipped:
        _note(_skipped_text(skipped))
    for _, reason in refused[:_SHOWN_REFUSED]:
        _complain(reason)
    if len(refused) > _SHOWN_REFUSED:
        _complain(f"and {amount(len(refused) - _SHOWN_REFUSED, 'more file')} that are not match records")
    return status


def _skipped_text(paths: Sequence[Path]) -> str:
    names = ", ".join(str(path) + "/" * path.is_dir() for path in paths[:_SHOWN_REFUSED])
    more = f" and {len(paths) - _SHOWN_REFUSED} more" if len(paths) > _SHOWN_REFUSED else ""
    return f"skipped, because records are files ending with .json or .xml: {names}{more}"


def _show(args: argparse.Namespace) -> int:
    path = _find(args.match, args.folder)
    document = read_document(path)
    found = details(record_of(document, path), document, path)
    print(json_text(found, indent=1) if args.json else details_text(found))
    return 0


def _replay(args: argparse.Namespace) -> int:
    path = _find(args.match, args.folder)
    document = read_document(path)
    record = record_of(document, path)
    game = machine = None
    differences: list[RecordDifference] = []
    try:
        game = rules_of(record, args.rules)
    except UnknownRulesError as error:
        _note(f"not checked: {error}")
    if game is not None and not args.no_check:
        machine = machine_of_record(record, game, args.machine)
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


def _check(args: argparse.Namespace) -> int:
    documents: list[dict[str, Any]] = []
    machines: dict[tuple[str, str, bool], StateMachine] = {}
    status = 0
    for path in _files(args.matches, args.folder):
        try:
            record = read_record(path)
            named = (record.game, record.game_address, notation_of(record) is None)
            if named not in machines:
                machines[named] = machine_of_record(record, rules_of(record, args.rules), args.machine)
            differences = check(record, machines[named])
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
            _print(f"{record.match_id}: {_found(differences)}, {amount(len(record.moves), 'turn')}")
            for each in differences:
                _print(f"    {each}")
    if args.json:
        print(json_text({"records": documents}, indent=1))
    return status


def _export(args: argparse.Namespace) -> int:
    out = Path(args.out) if args.out is not None else None
    into = out is not None and (out.is_dir() or args.out.endswith("/"))
    form = args.format or (FORMATS.get(out.suffix, "json") if out is not None and not into else "json")
    if len(args.matches) > 1 and not into and (form != "csv" or out is None):
        raise UserError("several matches need --out FOLDER (ending with / if it does not exist), or --out FILE.csv")
    texts: dict[str, bytes] = {}
    rows: list[tuple[object, ...]] = []
    for word in args.matches:
        path = _find(word, args.folder)
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


def _verify(args: argparse.Namespace) -> int:
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
            verdict, why = Verdict.BAD, f"the signature is valid, but of another key, {key[:_SHOWN_KEY_CHARACTERS]}.."
        if verdict is Verdict.UNKNOWN:
            status = EXIT_ERROR
        elif verdict is not Verdict.VALID:
            status = status or 1
        documents.append(
            {"file": str(path), "match": document["matchId"], "verdict": str(verdict), "why": why, "key": key}
        )
        if not args.json:
            text = f"valid, by {key[:_SHOWN_KEY_CHARACTERS]}.." if verdict is Verdict.VALID else f"{verdict}: {why}"
            _print(f"{document['matchId']}: {text}")
    if args.json:
        print(json_text({"records": documents}, indent=1))
    return status


def _key(args: argparse.Namespace) -> int:
    path = Path(args.file)
    key = new_key(path) if args.new else load_key(path)
    print(key.public)
    return 0


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "replay": _replay,
    "check": _check,
    "export": _export,
    "analyse": _record_analysis.analysed,
    "html": _record_pictures.html,
    "svg": _record_pictures.svg,
    "gif": _record_pictures.gif,
    "verify": _verify,
    "key": _key,
}


# ---- helpers


def _find(word: str, folder: str) -> Path:
    return find_record(word, Path(folder))


def _files(words: Sequence[str], folder: str) -> Iterator[Path]:
    """Yield the paths of the records that the words (identifiers, files or folders) name."""
    for word in words:
        if Path(word).is_dir():
            yield from (path for path, _ in record_files([word]))
        else:
            yield _find(word, folder)


def _found(differences: Sequence[RecordDifference]) -> str:
    count = len(differences)
    return "same" if not count else amount(count, "difference")


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
