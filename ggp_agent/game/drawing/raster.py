"""SVG pictures as pixels; needs the extra `gif`."""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...common.errors import UserError

_FONTS = "DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf"


def require_packages(what: str) -> tuple[Any, Any, Any]:
    """Return the modules matplotlib, resvg_py and PIL.Image, which are imported only here."""
    try:
        matplotlib, resvg, image = map(importlib.import_module, ("matplotlib", "resvg_py", "PIL.Image"))
    except ImportError:
        raise UserError(
            f"{what} needs more packages; install them with pip install matplotlib pillow resvg-py"
        ) from None
    return matplotlib, resvg, image


def painted(svg: str, width: int) -> Any:
    """Return an SVG picture as a PIL image in RGB, with the same font on every machine."""
    matplotlib, resvg, image = require_packages("an image of a board")
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    png = resvg.svg_to_bytes(
        svg_string=svg,
        width=width,
        skip_system_fonts=True,
        font_files=[str(fonts / name) for name in _FONTS],
        sans_serif_family="DejaVu Sans",
        monospace_family="DejaVu Sans Mono",
    )
    with image.open(io.BytesIO(png)) as picture:
        return picture.convert("RGB")


def pixels(svg: str, width: int) -> npt.NDArray[np.uint8]:
    """Return an SVG picture as a new array: uint8, [height, width, 3]."""
    return np.array(painted(svg, width), np.uint8)
