"""Which web pages may send messages to a player.

A browser lets any page it shows send requests to the user's own machine, so a page that somebody happens to visit could
end a match. Managers are no browsers: their requests carry neither Origin nor Sec-Fetch-Site. What a browser sends is
answered when it comes from a page of this machine, or of an origin that was named. A page that has its own name
resolved to this machine (DNS rebinding) tells by its Host that it is a stranger.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from ..errors import UserError

ANY = "*"


class AllowedPages:
    """Hold the origins whose pages may send messages, beside those of this machine.

    >>> pages = AllowedPages(["https://manager.example"])
    >>> [bool(pages.refusal({"origin": origin})) for origin in
    ...  ("https://manager.example", "http://localhost:8000", "https://other.example", "null")]
    [False, False, True, True]

    Args:
        origins: scheme, host and port as browsers send them, such as https://manager.example:8443; `*` for all pages.

    Raises:
        UserError: one of them is no origin.
    """

    def __init__(self, origins: Sequence[str]) -> None:
        self._origins = {origin if origin == ANY else _origin(origin) for origin in origins}

    def refusal(self, headers: Mapping[str, str]) -> str:
        """Return why a request is refused, empty when it is not; names of headers are in lower case."""
        if ANY in self._origins:
            return ""
        origin = headers.get("origin")
        if origin is None:
            match headers.get("sec-fetch-site", "none"):
                case "none":  # no browser, or its user has typed the address
                    return ""
                case "same-origin" if _is_of_this_machine(f"http://{headers.get('host', '')}"):
                    return ""
            return _REFUSED
        return "" if origin.lower() in self._origins or _is_of_this_machine(origin) else _REFUSED


_REFUSED = "messages of web pages are answered for this machine and for the origins that may send them only"


def _origin(text: str) -> str:
    try:
        parts = urlsplit(text)
        sound = (
            parts.scheme in ("http", "https") and parts.hostname and text.lower() == f"{parts.scheme}://{parts.netloc}"
        )
        if sound and parts.username is None and (parts.port is None or parts.port > 0):
            return text.lower()
    except ValueError:
        pass
    raise UserError(f"{text!r} is no origin; give scheme, host and port, such as https://manager.example:8443, or *")


def _is_of_this_machine(origin: str) -> bool:
    try:
        host = urlsplit(origin).hostname or ""
    except ValueError:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
