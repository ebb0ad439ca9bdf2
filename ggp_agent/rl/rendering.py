"""The pictures that `render()` of an environment returns."""

from __future__ import annotations

from typing import Any

from ..game.drawing.game_drawing import GameDrawing
from ..game.drawing.raster import pixels, require_packages
from ..game.lanes import Lanes

# The modes of `render()`: text, and an image as an array, uint8, [height, width, 3].
RENDER_MODES = ("ansi", "rgb_array")

# The width of an image, in pixels.
_WIDTH = 480


class Renderer:
    """Draw the first state of lanes.

    Args:
        lanes: the lanes.
        mode: "ansi", "rgb_array" or None.

    Raises:
        ValueError: there is no such mode.
        UserError: the packages for images are missing.
    """

    def __init__(self, lanes: Lanes, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be 'ansi' or None, or 'rgb_array' for an image, not {mode!r}")
        self._lanes = lanes
        self._mode = mode
        if mode == "rgb_array":
            require_packages("render_mode 'rgb_array'")

    def render(self) -> Any:
        """Return the board as text, or as an array: uint8, [height, width, 3]; None without a mode."""
        if self._mode is None:
            return None
        state = self._lanes.state(0)
        if self._mode == "ansi":
            return str(state)
        drawing = GameDrawing(state.machine, state.game.guide, state.game.appearance)
        return pixels(drawing.svg(state.packed), _WIDTH)
