"""Hostile requests: the player continues to play and answer, with bounded memory."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from quick import few
from served import Match, Serve, Served
from small_games import NIM
from waiting import wait_for
from wire_samples import post
from wire_server import rest

from ggp_agent.player.server.player_server import REQUEST_TIMEOUT
from kif_games import rules

# The memory in MB by which the server process may grow; 50 incomplete requests have 95 MB.
GROWTH = 60.0


def connect(served: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.port), timeout=60)


def megabytes(served: Served) -> float:
    pages = int(Path(f"/proc/{served.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def threads(served: Served) -> int:
    return len(os.listdir(f"/proc/{served.process.pid}/task"))


@contextlib.contextmanager
def sending(served: Served, request: bytes, connections: int) -> Iterator[Callable[[], int]]:
    """Send a request repeatedly on several connections at a time; return the number of requests."""
    ended = threading.Event()
    sent = [0] * connections

    def send(number: int) -> None:
        while not ended.is_set():
            with contextlib.suppress(OSError), connect(served) as connection:
                connection.sendall(request)
                rest(connection)
            sent[number] += 1

    senders = [threading.Thread(target=send, args=(number,)) for number in range(connections)]
    for sender in senders:
        sender.start()
    try:
        yield lambda: sum(sent)
    finally:
        ended.set()
        for sender in senders:
            sender.join()


@pytest.mark.parametrize(
    "request_bytes",
    few(
        [
            b"POST / HTTP/1.0\r\nContent-Length: 400001\r\n\r\n" + b" " * 400_000 + b"1",
            b"POST / HTTP/1.0\r\nContent-Length: 400002\r\n\r\n(" + b" " * 400_000 + b"1",
            b"GET " + b" " * 60_000 + b"x HTTP/1.x\r\n\r\n",
            b"GET /" + b" HTTP/1.1" * 6_000 + b"x\r\n\r\n",
            b"POST / HTTP/1.0\r\n" + b" " * 60_000 + b":\r\n\r\n",
            b"GET /" + b"http://" * 9_000 + b" HTTP/1.1\r\n\r\n",
        ],
        2,
    ),
    ids=["blanks", "a list of blanks", "a line of blanks", "a line of versions", "a header of blanks", "addresses"],
)
def test_no_request_takes_the_processor(serve: Serve, request_bytes: bytes) -> None:
    served = serve("--player", "legal")
    with connect(served) as connection:
        connection.sendall(request_bytes)
        rest(connection)
    assert served.info().status == "available"
    cpu = sum(map(int, Path(f"/proc/{served.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    # CPU-seconds of the process; without limits one such request took more than a minute.
    assert cpu / os.sysconf("SC_CLK_TCK") < 30


def test_large_messages_do_not_delay_a_match(serve: Serve) -> None:
    served = serve("--player", "legal")
    before = megabytes(served)
    match = Match(served, rules("breakthrough"), "white", 20, 3)
    body = "(role r)" * 60_000
    for message in (f"( START m.2 r ({body}) 20 3 )", f"( START m.1 r ({body}) 20 3 )", f"( PLAY m.2 ({body}) )", body):
        with sending(served, post(message), 8) as sent:
            wait_for(lambda sent=sent: sent() > 8)
            for _ in range(2):
                match.play()
                assert served.info().status == "busy"
    assert megabytes(served) - before < GROWTH


def test_bytes_of_incomplete_requests_are_limited(serve: Serve) -> None:
    served = serve("--player", "legal")
    before = megabytes(served)
    open_list = b"POST / HTTP/1.0\r\nContent-Length: 2000000\r\n\r\n(" + b"a " * 950_000
    with contextlib.ExitStack() as stack:
        for _ in range(50):
            connection = stack.enter_context(connect(served))
            with contextlib.suppress(OSError):  # the largest is cut off when there are too many bytes
                connection.sendall(open_list)
        assert served.info().status == "available"
        assert megabytes(served) - before < GROWTH


def answered_of(connections: list[socket.socket], least: int) -> list[socket.socket]:
    """Return the connections that have an answer; an empty list if their number is too small."""
    answered, _, _ = select.select(connections, [], [], 0)
    return answered if len(answered) >= least else []


def test_a_start_sent_many_times_does_not_block_others(serve: Serve) -> None:
    served = serve()
    start = post(f"( START m.1 first ({NIM}) 3600 5 )")
    with contextlib.ExitStack() as stack:
        copies = [stack.enter_context(connect(served)) for _ in range(70)]
        for copy in copies:
            copy.sendall(start)
        answered = wait_for(lambda: answered_of(copies, len(copies) - 1))  # one of them waits
        assert all(rest(copy).endswith(b"\r\n\r\nready") for copy in answered)
        assert served.info().status == "busy"
        assert len(answered_of(copies, 0)) == len(answered)
        (waiting,) = set(copies) - set(answered)
        few = threads(served)
        waiting.close()
        wait_for(lambda: threads(served) < few)  # closed connections are detected
        assert served.ask("( PLAY m.1 NIL )").startswith("(take ")
        copies = [stack.enter_context(connect(served)) for _ in range(60)]
        for copy in copies:
            copy.sendall(post("( PLAY m.1 ((take 9) noop) )"))
        assert served.info().status == "busy"
        assert served.ask("( ABORT m.1 )") == "aborted"
    assert served.info().status == "available"


def test_clocks_of_more_than_a_day_are_refused(serve: Serve) -> None:
    served = serve("--player", "legal")
    for clocks in ("86401 5", "5 1e7", "1e300 1"):
        assert served.ask(f"( START m.1 first ({NIM}) {clocks} )") == "nil"
    assert served.info().status == "available"
    wait_for(lambda: "86400 at most" in served.log.read_text())


def test_a_low_limit_of_open_files(serve: Serve) -> None:
    served = serve("--player", "legal", files=64)
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(connect(served))
        began = time.monotonic()
        assert served.info().status == "available"
        assert time.monotonic() - began < REQUEST_TIMEOUT  # idle connections end later
        assert served.ask(f"( START m.1 first ({NIM}) 20 5 )") == "ready"
        assert served.ask("( PLAY m.1 NIL )") == "(take 1)"


def test_an_unrestricted_server_causes_a_warning(serve: Serve) -> None:
    served = serve("--host", "0.0.0.0", "--player", "legal")
    wait_for(lambda: "restrict this with --allow HOST" in served.log.read_text())
    served = serve("--host", "0.0.0.0", "--allow", "127.0.0.0/8", "--player", "legal")
    assert served.info().status == "available"
    assert served.log.read_text().count("--allow HOST") == 1
