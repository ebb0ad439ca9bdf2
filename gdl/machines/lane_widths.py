"""The numbers of lanes of simulators, and the setting that fixes it."""

from __future__ import annotations

import os

from ..language.errors import GdlError

LANE_WIDTHS = (64, 128, 256, 512)

# Environment variable with the number of lanes of every simulator whose caller requests no number.
LANES_VARIABLE = "GGP_AGENT_LANES"


def fixed_lanes() -> int | None:
    """Return the number of lanes from the environment; None if the fastest number is used."""
    wanted = os.environ.get(LANES_VARIABLE)
    if not wanted:
        return None
    if wanted not in map(str, LANE_WIDTHS):
        raise GdlError(f"{wanted} is not a number of lanes; use 64, 128, 256 or 512", source=LANES_VARIABLE)
    return int(wanted)
