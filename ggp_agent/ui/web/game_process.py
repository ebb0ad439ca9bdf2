"""The entry point of the process of a game on the page."""

from __future__ import annotations

from multiprocessing.connection import Connection

from gdl import GdlError

from ...common.errors import UserError, one_line
from ...game.hidden_information import has_hidden_information
from ...game.load import game_of_text, load_game
from .game_pipe import GamePipe
from .game_worker import GameWorker
from .hidden_worker import HiddenWorker
from .worker_messages import Begin


def play(connection: Connection, begin: Begin) -> None:
    """Play a game until the server closes the pipe."""
    pipe = GamePipe(connection)
    try:
        game = game_of_text(begin.text, begin.name) if begin.text else load_game(begin.word)
        worker = HiddenWorker if has_hidden_information(game) else GameWorker
        worker(pipe, begin, game).serve()
    except (GdlError, UserError, OSError) as error:
        if not isinstance(error, ConnectionError):
            pipe.send("failed", {"message": one_line(error)})
    except ValueError as error:  # the search does not support this machine
        pipe.send("failed", {"message": f"{begin.name}: {error}"})
