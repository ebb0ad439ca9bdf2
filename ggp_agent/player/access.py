"""Which hosts and which web pages may send messages to a player.

A browser lets any page it shows send requests to the user's own machine, so a foreign page could play or end a match.
The headers of a request show where it comes from:

- A browser sends `Origin` with every POST. It must be an origin of this machine, or one that the user allows.
- A browser sends `Sec-Fetch-Site` to addresses that it trusts, such as loopback addresses. It must not be foreign.
- A GET to another address carries neither. Therefore a GET cannot change anything: it is answered for INFO only.
- A page that has its own name resolved to this machine (DNS rebinding) sends this name in `Host`. Where a request has
  no `Origin`, `Host` must be a name of this machine, a name that the user allows, an IP address, or a name without a
  dot. A stranger cannot register a name without a dot in the DNS, and game managers of a local network use such names.

Game managers are not browsers: their requests carry neither `Origin` nor `Sec-Fetch-Site`, and some have no `Host`.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from ..common.errors import UserError
from ..protocol.host_names import ANY, SHOWN, HostNames, host_name, is_address, is_loopback

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
    """The origins whose pages may send messages, beside pages of this machine; and the names of this machine.

    >>> pages = AllowedPages(["https://manager.example"])
    >>> [bool(pages.refusal({"origin": origin})) for origin in
    ...  ("https://manager.example", "http://localhost:8000", "https://other.example", "null")]
    [False, False, True, True]
    >>> [bool(pages.refusal({"host": host})) for host in ("", "localhost:9147", "192.0.2.1", "player", "evil.example")]
    [False, False, False, False, True]

    Args:
        origins: scheme, host and port as browsers send them, such as https://manager.example:8443; `*` for all pages.
        names: host names that a request may name in its Host header, beside names of this machine; `*` for all names.

    Raises:
        UserError: one of them is no origin or no host name.
    """

    def __init__(self, origins: Sequence[str], names: Iterable[str] = ()) -> None:
        self._origins = {origin if origin == ANY else _origin(origin) for origin in origins}
        self._names = HostNames(names)

    def refusal(self, headers: Mapping[str, str], authority: str = "") -> str:
        """Return why a request is refused, empty when it is not.

        Args:
            headers: the headers of the request, with names in lower case.
            authority: host and port of the request's target where this is a whole URL; it replaces the Host header.
        """
        if ANY in self._origins:
            return ""
        origin = headers.get("origin")
        if origin is not None:
            return "" if origin.lower() in self._origins or _is_of_this_machine(origin) else _REFUSED
        host = host_name(authority or headers.get("host", ""))
        match headers.get("sec-fetch-site", "none"):
            case "none":
                return "" if self._is_ours(host) else f"no name of this player: {host[:SHOWN]!a} in the Host header"
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
    raise UserError(f"{text!r} is no origin; give scheme, host and port, such as https://manager.example:8443, or *")


def _is_of_this_machine(origin: str) -> bool:
    try:
        return is_loopback(urlsplit(origin).hostname or "")
    except ValueError:
        return False
