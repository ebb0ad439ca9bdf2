"""Open the page at a state from Python."""

from __future__ import annotations

import threading
import webbrowser
from functools import cache
from pathlib import Path

from ...common.errors import UserError, require_type
from ...game.game import State
from .page_server import WebServer
from .set_position import position_address, position_document


def open_page(state: State, *, records: str = "matches") -> str:
    """Open the web page in the browser at a state, to play or analyse it, and return its address.

    The first call with a folder starts a server on this machine, at a free port. The server ends with the process.

    Args:
        state: a state of a game of the catalogue whose fluents determine it.
        records: the folder in which games are recorded.

    Raises:
        UserError: the game is not in the catalogue or hides information.
        ArgumentTypeError: `state` is not a `State`.
    """
    require_type(state, State, "state", "a State")
    word = state.game.word
    if state.game.guide is None:
        raise UserError(f"{word} is not in the catalogue, so the page cannot show its positions")
    position_document(word, " ".join(state.fluents))
    address = _server(records).address + position_address(word, state.fluents)
    webbrowser.open(address)
    return address


@cache
def _server(records: str) -> WebServer:
    server = WebServer("127.0.0.1", 0, Path(records))
    threading.Thread(target=server.serve, name="page", daemon=True).start()
    return server
