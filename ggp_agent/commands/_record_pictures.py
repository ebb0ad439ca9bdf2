"""`ggp-agent records html`, `svg` and `gif`: matches as pages and pictures."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..common.errors import UserError
from ..records.animation import animated, require_board
from ..records.match_drawing import MatchDrawing
from ..records.read_record import read_record
from ..records.record_list import find_record, record_name
from ..records.record_rules import kept_rules
from ..records.values import best_moves_of, values_of
from ..ui.web.match_page import match_page
from ._arguments import write_new

_SVG, _HTML, _GIF = ".svg", ".html", ".gif"


def html(args: argparse.Namespace) -> int:
    """Write a match as one HTML page."""
    path = find_record(args.match, Path(args.folder))
    text = match_page(_drawing(args, path))
    write_new({_named(args.out, path, _HTML): text.encode(errors="replace")}, force=args.force)
    return 0


def svg(args: argparse.Namespace) -> int:
    """Write a match as an animated SVG, one position, or a picture for each turn."""
    path = find_record(args.match, Path(args.folder))
    drawing = _drawing(args, path)
    name = record_name(path)
    try:
        require_board(drawing)
        if args.turn is not None:
            files = {_named(args.out, path, f".{args.turn}{_SVG}"): drawing.picture(args.turn).svg}
        elif args.out is not None and (args.out.endswith("/") or Path(args.out).is_dir()):
            digits = len(str(drawing.last))
            folder = Path(args.out)
            turns = range(drawing.last + 1)
            files = {folder / f"{name}.{turn:0{digits}}{_SVG}": drawing.picture(turn).svg for turn in turns}
        else:
            files = {_named(args.out, path, _SVG): animated(drawing, args.seconds)}
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    write_new({file: text.encode() for file, text in files.items()}, force=args.force)
    return 0


def gif(args: argparse.Namespace) -> int:
    """Write a match as a GIF."""
    from ..records.gif import gif as moving  # needs the extra `gif`

    path = find_record(args.match, Path(args.folder))
    try:
        data = moving(_drawing(args, path), args.seconds, args.width)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    write_new({_named(args.out, path, _GIF): data}, force=args.force)
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
