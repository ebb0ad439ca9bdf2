"""`ggp-agent records analyse`: search all positions of a match, store and print the results."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..common.errors import UserError, describe_os_error
from ..common.progress import BarDisplay
from ..common.terminal_text import json_text, printable, table
from ..mcts.configurations import read_configuration
from ..records.analysis import Analysis, analyse
from ..records.match_record import MatchRecord
from ..records.read_record import read_record
from ..records.record_list import find_record, role_names
from ..records.values import losses, require_record, rounded, values_path, write_values

# Default time for each position.
_SECONDS = 1.0


def analysed(args: argparse.Namespace) -> int:
    """Search all positions of a match."""
    path = find_record(args.match, Path(args.folder))
    require_record(path)
    record = read_record(path)
    seconds = _SECONDS if args.seconds is None and args.simulations is None else args.seconds
    with BarDisplay(f"{record.match_id}: positions", len(record.moves) + 1) as display:
        found = analyse(
            record,
            source=path,
            rules=args.rules,
            seconds=seconds,
            simulations=args.simulations,
            config=read_configuration(args.config),
            on_position=lambda done, count, values: display.show(completed=done),
        )
    kept = values_path(path)
    try:
        write_values(kept, record, found.values, found.best)
    except OSError as error:
        raise UserError(f"the values cannot be stored: {describe_os_error(error)}") from None
    _print(record, found, kept, as_json=args.json)
    return 0


def _print(record: MatchRecord, found: Analysis, kept: Path, *, as_json: bool) -> None:
    roles = role_names(record.document())
    worst = losses(found.values, record.moves, found.best)
    if as_json:
        worst_turns = [
            {"turn": each.turn, "role": roles[each.role], "lost": round(each.lost, 1), "better": each.better}
            for each in worst
        ]
        document = {"match": record.match_id, "roles": roles, "values": rounded(found.values), "losses": worst_turns}
        print(json_text(document, indent=1))
        return
    marks: dict[int, list[str]] = {}
    for each in worst:
        better = f", better: {each.better}" if each.better else ""
        marks.setdefault(each.turn, []).append(f"{roles[each.role]} lost {each.lost:.0f}{better}")
    rows = []
    for turn, values in enumerate(found.values):
        moves = record.moves[turn - 1] if turn else [""] * len(roles)
        shown = ["" if value is None else f"{value:.0f}" for value in values or ()]
        rows.append((str(turn), printable(" ".join(moves)), *shown, "; ".join(map(printable, marks.get(turn, [])))))
    names = [printable(role) for role in roles]
    print(table(("turn", "moves", *names, "lost most"), rows, right=("turn", *names)))
    print(printable(f"stored: {kept}"))
