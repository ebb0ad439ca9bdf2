"""Games whose address is still in use although they no longer run: they continue from their record.

The identifier of a game is the last part of the identifier of its match, and so of the file name of its record.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gdl import GdlError

from ...common.errors import UserError
from ...records.record_rules import playing_word, rules_of
from .replays import Replays
from .requests import begin_of
from .seat_configurations import Configurations
from .worker_messages import Begin

_IDENTIFIER = re.compile(r"[0-9a-f]{16}")


def resumed_begin(
    identifier: str, replays: Replays, configurations: Configurations, folder: str | None
) -> Begin | None:
    """Return the description of a game that continues from its record; None if this is not possible.

    Games with hidden information, and games whose rules are not in the catalogue, cannot be continued.
    """
    name = None if folder is None or not _IDENTIFIER.fullmatch(identifier) else replays.latest_of(identifier)
    if name is None:
        return None
    record = replays.match_record(name)
    if record.percepts:
        return None
    try:
        word = playing_word(rules_of(record, None).name)
    except (UserError, GdlError):
        return None
    body = {
        "game": word,
        "players": dict(zip(record.roles, record.players, strict=False)),
        "seconds": record.play_clock,
        "record": name,
    }
    return replace(begin_of(body, replays, configurations, folder), identifier=identifier, resumed=True)
