"""Access control of the page's server: hosts, origins, sizes, and security headers of responses.

The server starts processes and writes records, so web pages of other origins must not use it, although any browser lets
them send requests to this machine. The header `Host` of a request is the name in the browser's address bar; a foreign
name means that its DNS entry was pointed at this machine (DNS rebinding). A request that changes something must also
have our `Origin`, or none (not a browser), and a JSON content type, which a form cannot send.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...protocol.host_names import SHOWN, HostNames, host_name, is_address

# Maximal size of a request's body in bytes; the largest public rule sheets have about 300,000.
MOST_BYTES = 2 << 20
# Maximal digits of a Content-Length.
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
    """Refuse requests with a foreign host or origin or a large body; add security headers to all responses."""

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
        """Return the status and the reason of a refusal; the reason is empty if the request is accepted.

        >>> access = Access(None)
        >>> access.refusal("GET", Headers({"host": "localhost:9180"})), access.refusal("GET", Headers({"host": "x.y"}))
        ((200, ''), (403, 'this server does not have the name x.y'))
        >>> ours = {"host": "localhost:9180", "content-type": "application/json", "content-length": "2"}
        >>> access.refusal("POST", Headers({**ours, "origin": "http://localhost:9180"}))
        (200, '')
        >>> access.refusal("POST", Headers({**ours, "origin": "http://localhost:8000"}))
        (403, 'only the page of this server may make changes')
        """
        host = headers.get("host", "")
        if not self._is_ours(host):
            return 403, f"this server does not have the name {host[:SHOWN]}"
        if method in _READING:
            return 200, ""
        origin = headers.get("origin")
        foreign = origin is not None and origin.lower() != f"http://{host.lower()}"
        if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "only the page of this server may make changes"
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal() and len(length) <= _MOST_DIGITS):
            return 411, "send the length of the body (Content-Length)"
        if int(length) > MOST_BYTES:
            return 413, f"the body has {int(length):,} bytes; at most {MOST_BYTES:,} are allowed"
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 415, "send JSON with Content-Type: application/json"
        return 200, ""

    def _is_ours(self, header: str) -> bool:
        host = host_name(header)
        return self._names.include(host) or (self._addresses and is_address(host))
