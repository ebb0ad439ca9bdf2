"""A web server on loopback for tests: pages by path, and the received requests."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Page:
    """The response of a path; `then` is called before anything is sent."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    then: Callable[[], None] = lambda: None


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Site:
    """Serve pages while the context is open; the path `*` stands for all other paths.

    Attributes:
        pages: the pages by path; they may be changed at any time.
        requests: the received requests, in order of arrival.
        drip: bytes of a path that are sent one by one without end, a tenth of a second apart.
    """

    def __init__(self, pages: dict[str, Page] | None = None, port: int = 0) -> None:
        self.pages = pages or {}
        self.requests: list[Request] = []
        self.drip: dict[str, bytes] = {}
        self.closing = threading.Event()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                site.requests.append(Request(self.command, self.path, headers, self.rfile.read(length)))
                if self.path in site.drip:
                    while not site.closing.wait(0.1):
                        self.wfile.write(site.drip[self.path])
                    return
                page = site.pages.get(self.path) or site.pages.get("*") or Page(b"not here", 404)
                page.then()
                if page.headers.get("ETag") and headers.get("if-none-match") == page.headers["ETag"]:
                    page = Page(status=304)
                self.send_response(page.status)
                for name, value in {"Content-Length": str(len(page.body)), **page.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(page.body)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                pass  # the client has closed the connection

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def paths(self) -> list[str]:
        """Return the requested paths, and clear them."""
        asked = [request.path for request in self.requests]
        self.requests.clear()
        return asked

    def __enter__(self) -> Site:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()
