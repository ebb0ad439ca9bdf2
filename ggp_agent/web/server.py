"""Listen for the page and serve it until told to end."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path

import uvicorn

from ..errors import UserError
from .app import WebApp

# Connections that are still open after the end are given up after so many seconds.
_ENDING = 2
# Open at the same time; a page takes two or three.
_MOST_CONNECTIONS = 256


class WebServer:
    """Serve the page at one address.

    Args:
        host, port: where to listen; port 0 for any that is free.
        records: folder of the matches that are shown and recorded.
        tournaments: folder of the tournaments that are shown.
        configurations: folder of those that agents may play with.
        recording: whether games are recorded.

    Attributes:
        address: of the page.
        is_local: whether only this machine can reach it.

    Raises:
        UserError: nobody can listen there.
    """

    def __init__(
        self,
        host: str,
        port: int,
        records: Path,
        *,
        tournaments: Path = Path(),
        configurations: Path = Path(),
        recording: bool = True,
    ) -> None:
        self._socket = _listening(host, port)
        name, number = self._socket.getsockname()[:2]
        self.is_local = ipaddress.ip_address(name).is_loopback
        shown = "localhost" if ipaddress.ip_address(name).is_unspecified else host
        self.address = f"http://{f'[{shown}]' if ':' in shown else shown}:{number}/"
        hosts = {host, "" if self.is_local else socket.gethostname()} - {""}
        self._app = WebApp(
            records,
            tournaments=tournaments,
            configurations=configurations,
            recording=recording,
            hosts=hosts,
            addresses=not self.is_local,
        )
        config = uvicorn.Config(
            self._app.asgi,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_ENDING,
        )
        self._server = _Server(config, self._app)

    def serve(self) -> None:
        """Serve until Ctrl-C or `stop`; Ctrl-C in the main thread ends it with a KeyboardInterrupt, as usual."""
        with self._socket:
            self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End `serve`, from any thread."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    """End streams before waiting for the connections that carry them."""

    def __init__(self, config: uvicorn.Config, app: WebApp) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and end games and streams."""
        self._app.close()
        await super().shutdown(sockets)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(128)
        except BaseException:
            listener.close()
            raise
        return listener
    except (OSError, OverflowError, UnicodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UserError(f"cannot listen at {host}:{port}: {reason[:1].lower()}{reason[1:]}; choose another") from None
