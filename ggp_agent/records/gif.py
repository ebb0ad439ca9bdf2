"""A recorded match as an animated GIF; needs the extra `gif`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..game.drawing.raster import painted, require_packages
from .match_drawing import REST, MatchDrawing, require_few_turns

if TYPE_CHECKING:
    from PIL import Image
else:
    _, _, Image = require_packages("a GIF")

# The shortest duration that viewers respect, and the longest of the format; seconds.
_SHORTEST, _LONGEST = 0.02, 655.0


def gif(drawing: MatchDrawing, seconds: float = 1.0, width: int = 480) -> bytes:
    """Return the GIF of a match, which repeats for ever."""
    require_few_turns(drawing)
    shown = round(1000 * min(max(seconds, _SHORTEST), _LONGEST / REST))
    # All pictures share one palette, so that unchanged areas need no space.
    colours = _colours([_painted(drawing, turn, width) for turn in (0, drawing.last // 2, drawing.last)])
    turns = range(drawing.last + 1)
    first, *others = (
        _painted(drawing, turn, width).quantize(palette=colours, dither=Image.Dither.NONE) for turn in turns
    )
    data = io.BytesIO()
    durations = [shown] * drawing.last + [REST * shown]
    first.save(data, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    return data.getvalue()


def _painted(drawing: MatchDrawing, turn: int, width: int) -> Image.Image:
    """Return the image of a position."""
    picture: Image.Image = painted(drawing.picture(turn).svg, width)
    return picture


def _colours(pictures: Sequence[Image.Image]) -> Image.Image:
    """Return an image with the palette of several images."""
    width, height = pictures[0].size
    all_of_them = Image.new("RGB", (width, height * len(pictures)))
    for number, picture in enumerate(pictures):
        all_of_them.paste(picture, (0, height * number))
    return all_of_them.quantize()
