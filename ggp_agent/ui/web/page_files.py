"""The responses with the files of the page: its script and style sheet as one file each, and pictures.

The name of a script or style sheet has a digest of its text, so browsers keep it for a year.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from .bundle import STATIC, script, style


class Pictures(StaticFiles):
    """Serve pictures, which a browser keeps for an hour."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)

    def file_response(self, *args: Any, **options: Any) -> Response:
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = "max-age=3600"
        return response


@cache
def _bundles() -> dict[str, tuple[str, str]]:
    """Return the script and the style sheet of the page, in this order, by name: text and media type."""
    files = ((script("main.js"), ".js", "text/javascript"), (style(), ".css", "text/css"))
    return {hashlib.sha256(text.encode()).hexdigest()[:16] + suffix: (text, kind) for text, suffix, kind in files}


async def page(_: Request) -> Response:
    """Return the page with the addresses of its script and style sheet."""
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    code, looks = _bundles()
    text = text.replace("/static/main.js", f"/bundle/{code}").replace("/static/page.css", f"/bundle/{looks}")
    return HTMLResponse(text, headers={"Cache-Control": "no-cache"})


async def bundle(request: Request) -> Response:
    """Return the script or the style sheet of the page."""
    found = _bundles().get(request.path_params["name"])
    if found is None:
        return JSONResponse({"error": "not found; load the page again"}, 404)
    return Response(found[0], media_type=found[1], headers={"Cache-Control": "max-age=31536000, immutable"})
