"""A position as a page without scripts. Other sites may show the page in a frame if the user allows this.

All other pages act for the person at the browser, so no site may frame them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ...records.titles import result_words, title_of
from .requests import require_listed
from .set_position import fluents_of, game_of, position_address, state_of

_STYLE = """\
body { margin: 0; height: 100vh; display: flex; flex-direction: column; font: 1rem system-ui, sans-serif }
svg { flex: 1; min-height: 0 }
p { margin: .4rem; text-align: center }"""


def board_routes(frames: Sequence[str]) -> list[Route]:
    """Return the routes of the page; `frames` are the origins of the sites that may frame it."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors "
    headers = {"Content-Security-Policy": policy + (" ".join(frames) or "'none'")}

    async def answer(request: Request) -> Response:
        return HTMLResponse(await run_in_threadpool(board_page, **request.path_params), headers=headers)

    return [Route(path, answer) for path in ("/board/{game}", "/board/{game}/{fluents:path}")]


def board_page(game: str, fluents: str | None = None) -> str:
    """Return the page of a position of a game of the catalogue, given as text; the initial position without a text."""
    require_listed(game)
    found = game_of(game)
    state = found.start if fluents is None else state_of(found.start, fluents_of(fluents))
    who = result_words(state.goals) if state.is_terminal else f"{' and '.join(state.choosing) or 'no role'} to move"
    caption = escape(f"{title_of(game)}: {who}.")
    link = f'<a href="/{position_address(game, state.fluents)}" target="_blank">Play or analyse</a>'
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{caption}</title>
<style>{_STYLE}</style>
</head>
<body>
{found.drawing.svg(state.packed)}
<p>{caption} {link}</p>
</body>
</html>
"""
