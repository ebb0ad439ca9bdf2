"""Who may connect to a player, and how many at once."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
from collections import Counter
from collections.abc import Iterable

from ..errors import UserError


class AllowedHosts:
    """Hold the hosts that may connect; all may where none is named.

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


def _networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    with contextlib.suppress(ValueError):
        return [ipaddress.ip_network(name, strict=False)]
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        raise UserError(
            f"--allow {name}: no such host; give an address, a network such as 10.0.0.0/8 or a name"
        ) from None
    return [ipaddress.ip_network(address.partition("%")[0]) for address in sorted(found)]


class Slot:
    """Stand for one connection; `whole` is set while its request is being answered."""

    __slots__ = ("connection", "host", "whole")

    def __init__(self, connection: socket.socket, host: str) -> None:
        self.connection = connection
        self.host = host
        self.whole = False


class Connections:
    """Count the connections, and make room for new ones.

    Where there are too many, the oldest one that has not sent its whole request is cut off: an honest manager sends it
    in a few milliseconds, so whoever opens connections and says nothing cannot keep others out. Those whose request
    is being answered are never cut off.

    Args:
        most: connections in all.
        most_of_host: connections of one host.
    """

    def __init__(self, most: int, most_of_host: int) -> None:
        self._most = most
        self._most_of_host = most_of_host
        self._lock = threading.Lock()
        self._slots: dict[Slot, None] = {}  # in the order of their coming
        self._of_host: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._slots)

    def admit(self, connection: socket.socket, host: str) -> Slot | None:
        """Take a connection in; None when there is no room for it."""
        with self._lock:
            if self._of_host[host] >= self._most_of_host and not self._cut_off(host):
                return None
            if len(self._slots) >= self._most and not self._cut_off(None):
                return None
            slot = Slot(connection, host)
            self._slots[slot] = None
            self._of_host[host] += 1
            return slot

    def release(self, slot: Slot) -> None:
        """Let a connection go; again is harmless."""
        with self._lock:
            self._remove(slot)

    def _cut_off(self, host: str | None) -> bool:
        """Cut off the oldest incomplete connection, of one host or of any; return whether there was one."""
        for slot in self._slots:
            if not slot.whole and (host is None or slot.host == host):
                self._remove(slot)
                with contextlib.suppress(OSError):
                    slot.connection.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it
                return True
        return False

    def _remove(self, slot: Slot) -> None:
        if slot in self._slots:
            del self._slots[slot]
            self._of_host[slot.host] -= 1
            if not self._of_host[slot.host]:
                del self._of_host[slot.host]
