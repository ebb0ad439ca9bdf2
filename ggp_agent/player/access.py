"""Which hosts and which web pages may send messages to a player.

A browser lets any page it shows send requests to the user's own machine, so a page that somebody happens to visit could
end a match. Managers are no browsers: their requests carry neither Origin nor Sec-Fetch-Site. What a browser sends is
answered when it comes from a page of this machine, or of an origin that was named. A page that has its own name
resolved to this machine (DNS rebinding) is recognised by its Host header, which names another machine.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from ..errors import UserError

ANY = "*"

_REFUSED = "messages of web pages are answered for this machine and for the origins that may send them only"


class AllowedHosts:
    """The hosts that may connect; all may where none is named.

    >>> hosts = AllowedHosts(["10.0.0.0/8", "127.0.0.1"])
    >>> hosts.admit("10.1.2.3"), hosts.admit("::ffff:127.0.0.1"), hosts.admit("192.0.2.1")
    (True, True, False)

    Args:
        names: addresses, networks such as 10.0.0.0/8, or names, which are looked up now and not again.

    Raises:
        UserError: a name is unknown.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._networks = [network for name in names for network in _networks(name)]

    def admit(self, address: str) -> bool:
        """Tell whether a host may connect."""
        if not self._networks:
            return True
        try:
            host = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        mapped = getattr(host, "ipv4_mapped", None)
        return any((mapped or host) in network for network in self._networks)


class AllowedPages:
    """The origins whose pages may send messages, beside those of this machine.

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


def _networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    with contextlib.suppress(ValueError):
        return [ipaddress.ip_network(name, strict=False)]
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        raise UserError(
            f"{name or 'an empty text'}: no such host; give an address, a network such as 10.0.0.0/8 or a name"
        ) from None
    return [ipaddress.ip_network(address.partition("%")[0]) for address in sorted(found)]


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
