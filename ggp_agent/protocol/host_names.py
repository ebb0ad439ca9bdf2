"""The host names that a server on this machine accepts in the Host header, and the origins of web pages.

A browser writes the requested host name into this header, and a web page cannot change it. A foreign page can let a
name of its own resolve to this machine (DNS rebinding) and then access the server. The unknown name in the header
reveals such a request.
"""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import re
import socket
from collections.abc import Iterable

from ..common.errors import UserError

ANY = "*"

# Characters of a host name in messages.
SHOWN = 80

_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,126}")
_ORIGIN = re.compile(rf"https?://(?:{_NAME.pattern}|\[[0-9a-f:.]+\])(?::([0-9]{{1,5}}))?")


def host_name(header: str) -> str:
    """Return the host of a Host header or of a URL's authority, without port and brackets, in lower case.

    >>> [host_name(text) for text in ("LOCALHOST:9147", "[::1]:80", "a.example.", "::1", "")]
    ['localhost', '::1', 'a.example', '::1', '']
    """
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    name, _, port = text.rpartition(":")
    if ":" not in name and (port.isdecimal() or (name and not port)):
        text = name
    return text.removesuffix(".")


def is_address(host: str) -> bool:
    """Return whether a host is an IP address, which DNS cannot redirect.

    >>> is_address("192.0.2.1"), is_address("fe80::1%eth0"), is_address("a.example")
    (True, True, False)
    """
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether a host is `localhost` or a loopback address.

    >>> is_loopback("localhost"), is_loopback("127.3.2.1"), is_loopback("::1"), is_loopback("10.0.0.1")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class HostNames:
    """The names of this machine, and further names that the user allows.

    >>> names = HostNames(["player.example"])
    >>> names.include("player.example"), names.include("localhost"), names.include("stranger.example")
    (True, True, False)
    """

    def __init__(self, names: Iterable[str] = (), *, asking_dns: bool = True) -> None:
        self._names = {_checked(name) for name in names}
        self._asking_dns = asking_dns

    def include(self, host: str) -> bool:
        """Return whether a host name, as returned by `host_name`, is one of the names."""
        return is_loopback(host) or ANY in self._names or host in self._names or host in self._own

    @functools.cached_property
    def _own(self) -> frozenset[str]:
        name = socket.gethostname()
        found = {name, f"{name.partition('.')[0]}.local"}
        if self._asking_dns:
            with contextlib.suppress(OSError, UnicodeError):
                official, aliases, _ = socket.gethostbyaddr(name)
                found.update((official, *aliases))
        return frozenset(host_name(each) for each in found) - {""}


def _checked(name: str) -> str:
    found = name.lower().removesuffix(".")
    if found == ANY or is_address(found) or _NAME.fullmatch(found):
        return found
    raise UserError(f"{name[:SHOWN]!r} is not a host name; give a name without port, such as player.example, or *")


def checked_origin(text: str) -> str:
    """Return the origin of a web page in lower case, or `*`; raise UserError for other texts.

    >>> checked_origin("https://Manager.example:8443"), checked_origin("*")
    ('https://manager.example:8443', '*')
    """
    found = _ORIGIN.fullmatch(text.lower())
    if text == ANY or (found and 0 < int(found[1] or 443) < 1 << 16):
        return text.lower()
    raise UserError(
        f"{text[:SHOWN]!r} is not an origin; give scheme, host and port, such as https://site.example:8443, or *"
    )
