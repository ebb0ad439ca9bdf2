"""The hosts and web pages that may send messages to a player.

A browser allows any page to send requests to the user's own machine, so a foreign page could play or end a match.
The headers of a request show its origin:

- A browser sends `Origin` with every POST. It must be an origin of this machine, or one that the user allows.
- A browser sends `Sec-Fetch-Site` to trusted addresses, such as loopback addresses. It must not be foreign.
- A GET to another address has neither header. Therefore GET is answered for INFO only, which changes nothing.
- A page that lets its own name resolve to this machine (DNS rebinding) sends this name in `Host`. If a request has no
  `Origin`, `Host` must be a name of this machine, a name that the user allows, an IP address, or a name without a dot.
  Names without a dot cannot be registered in the DNS, and game managers of a local network use them.

Game managers are not browsers: their requests have neither `Origin` nor `Sec-Fetch-Site`, and some have no `Host`.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from ..common.errors import UserError
from ..protocol.host_names import ANY, SHOWN, HostNames, host_name, is_address, is_loopback

_REFUSED = "only web pages of this machine and of allowed origins may send messages"


class AllowedHosts:
    """The hosts that may connect; all hosts if the list is empty.

    >>> hosts = AllowedHosts(["10.0.0.0/8", "127.0.0.1"])
    >>> hosts.admit("10.1.2.3"), hosts.admit("::ffff:127.0.0.1"), hosts.admit("192.0.2.1")
    (True, True, False)
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._networks = [network for name in names for network in _networks(name)]

    def admit(self, address: str) -> bool:
        """Return whether a host may connect."""
        if not self._networks:
            return True
        try:
            host = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        mapped = getattr(host, "ipv4_mapped", None)
        return any((mapped or host) in network for network in self._networks)


class AllowedPages:
    """The origins, besides this machine, whose web pages may send messages, and the allowed names in the Host header.

    >>> pages = AllowedPages(["https://manager.example"])
    >>> [bool(pages.refusal({"origin": origin})) for origin in
    ...  ("https://manager.example", "http://localhost:8000", "https://other.example", "null")]
    [False, False, True, True]
    >>> [bool(pages.refusal({"host": host})) for host in ("", "localhost:9147", "192.0.2.1", "player", "evil.example")]
    [False, False, False, False, True]
    """

    def __init__(self, origins: Sequence[str], names: Iterable[str] = ()) -> None:
        self._origins = {origin if origin == ANY else _origin(origin) for origin in origins}
        self._names = HostNames(names)

    def refusal(self, headers: Mapping[str, str], authority: str = "") -> str:
        """Return the reason why a request is refused; empty if it is allowed."""
        if ANY in self._origins:
            return ""
        origin = headers.get("origin")
        if origin is not None:
            return "" if origin.lower() in self._origins or _is_of_this_machine(origin) else _REFUSED
        host = host_name(authority or headers.get("host", ""))
        match headers.get("sec-fetch-site", "none"):
            case "none":
                return "" if self._is_ours(host) else f"the Host header has an unknown host name: {host[:SHOWN]!a}"
            case "same-origin" if is_loopback(host):
                return ""
        return _REFUSED

    def _is_ours(self, host: str) -> bool:
        return "." not in host or is_address(host) or self._names.include(host)


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
    raise UserError(
        f"{text!r} is not an origin; give scheme, host and port, such as https://manager.example:8443, or *"
    )


def _is_of_this_machine(origin: str) -> bool:
    try:
        return is_loopback(urlsplit(origin).hostname or "")
    except ValueError:
        return False
