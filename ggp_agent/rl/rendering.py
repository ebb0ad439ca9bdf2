"""The pictures that `render()` of an environment returns."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..game.drawing.game_drawing import GameDrawing
from ..game.drawing.raster import pixels, require_packages
from ..game.lanes import Lanes

# The metadata of environments that draw: the modes of `render()`, text and an image as an array, and the number of
# images per second of a video.
RENDER_MODES = ("ansi", "rgb_array")
RENDER_FPS = 1

# The width of an image, in pixels.
_WIDTH = 480


class Renderer:
    """Draw the states of lanes."""

    def __init__(self, lanes: Lanes, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be 'ansi' or None, or 'rgb_array' for an image, not {mode!r}")
        self._lanes = lanes
        self._mode = mode
        if mode == "rgb_array":
            require_packages("render_mode 'rgb_array'")

    def __getstate__(self) -> dict[str, Any]:
        """Return the arguments; copies and pickles make the drawing again."""
        return {"_lanes": self._lanes, "_mode": self._mode}

    def render(self, lane: int = 0) -> Any:
        """Return the board of a lane as text, or as an array: uint8, [height, width, 3]; None without a mode.

        All images of a game have the same size, with even numbers, which video formats need.
        """
        if self._mode is None:
            return None
        state = self._lanes.state(lane)
        return (
            str(state) if self._mode == "ansi" else _with_even_height(pixels(self._drawing.svg(state.packed), _WIDTH))
        )

    @cached_property
    def _drawing(self) -> GameDrawing:
        return GameDrawing(self._lanes.machine, self._lanes.game.guide, self._lanes.game.appearance)


def _with_even_height(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return an image without its last row if the number of rows is odd; the row belongs to the margin."""
    return image[: len(image) // 2 * 2]
