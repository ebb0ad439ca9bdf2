"""Who may ask the page's server for what: hosts, origins, sizes; and what a browser may do with the answers.

The server starts processes and writes records, so a page of somebody else's, which any browser lets send requests to
this machine, must not reach it. Every request names in `Host` the address that the browser believes in; another name
than ours is a page that has its name resolved to this machine (DNS rebinding). A change of state also has to come from
our own page, as `Origin` tells, or from no browser at all, and says that its body is JSON, which no form can send.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...protocol.host_names import SHOWN, HostNames, host_name, is_address

# Of a request's body, in bytes; the largest public rule sheets have some 300,000.
MOST_BYTES = 2 << 20
# Of a length that is told.
_MOST_DIGITS = 18

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_READING = ("GET", "HEAD")


class Access:
    """Refuse requests that are not for us, not from our page, or too large; add the headers that keep the page safe.

    Args:
        app: answers the others.
        names: names by which the server is reached; names of this machine by default.
        addresses: whether it is also reached under addresses, as where it listens for other machines. Nobody can have
            a number resolved to something else.
    """

    def __init__(self, app: ASGIApp, names: HostNames | None = None, *, addresses: bool = False) -> None:
        self._app = app
        self._addresses = addresses
        self._names = names or HostNames(asking_dns=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        status, reason = self.refusal(scope["method"], Headers(scope=scope))
        if reason:
            await JSONResponse({"error": reason}, status)(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)

    def refusal(self, method: str, headers: Headers) -> tuple[int, str]:
        """Return the status and the reason for which a request is refused; an empty reason where it is not.

        >>> access = Access(None)
        >>> access.refusal("GET", Headers({"host": "localhost:9180"})), access.refusal("GET", Headers({"host": "x.y"}))
        ((200, ''), (403, 'this server is not called x.y'))
        >>> ours = {"host": "localhost:9180", "content-type": "application/json", "content-length": "2"}
        >>> access.refusal("POST", Headers({**ours, "origin": "http://localhost:9180"}))
        (200, '')
        >>> access.refusal("POST", Headers({**ours, "origin": "http://localhost:8000"}))
        (403, 'changes are made from the own page of this server only')
        """
        host = headers.get("host", "")
        if not self._is_ours(host):
            return 403, f"this server is not called {host[:SHOWN]}"
        if method in _READING:
            return 200, ""
        origin = headers.get("origin")
        foreign = origin is not None and origin.lower() != f"http://{host.lower()}"
        if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "changes are made from the own page of this server only"
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal() and len(length) <= _MOST_DIGITS):
            return 411, "tell the length of the body"
        if int(length) > MOST_BYTES:
            return 413, f"the body has {int(length):,} bytes; {MOST_BYTES:,} are the most"
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 415, "send JSON, and say so: Content-Type: application/json"
        return 200, ""

    def _is_ours(self, header: str) -> bool:
        host = host_name(header)
        return self._names.include(host) or (self._addresses and is_address(host))
