"""The server over real sockets: the requests of known managers, good and bad."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from ggp_agent.errors import UserError
from ggp_agent.match_messages import PlayerSettings
from ggp_agent.nursery import Nursery
from ggp_agent.player import Player
from ggp_agent.server import MAX_REQUEST, PlayerServer

RULES = (
    "((role r)(init (s 1))(<= (legal r (a 1)) (true (s 1)))(<= (legal r b) (true (s 1)))"
    "(<= (next (s 2)) (does r ?m))(<= terminal (true (s 2)))(goal r 100))"
)
HEAD = "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\nReceiver: P\r\n"
AVAILABLE = "((name tester) (status available) (species legal) (thinking nil))"


@pytest.fixture
def server(nursery: Nursery) -> Iterator[PlayerServer]:
    player = Player("tester", PlayerSettings("legal"), nursery)
    with PlayerServer("127.0.0.1", 0, player.answer, request_timeout=2) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.shutdown()
        thread.join()
    player.close()


def exchange(server: PlayerServer, request: bytes, *, half_close: bool = False, timeout: float = 5) -> bytes:
    """Send raw bytes and return all that comes back until the server closes."""
    with socket.create_connection(server.server_address[:2], timeout=timeout) as connection:
        connection.sendall(request)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while data := connection.recv(65536):
            received += data
        return received


def post(server: PlayerServer, text: str) -> str:
    body = text.encode()
    head = f"{HEAD}Content-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    reply = exchange(server, head + body)
    assert reply.startswith(b"HTTP/1.0 200 OK\r\n")
    return reply.partition(b"\r\n\r\n")[2].decode()


def test_reply_headers_are_those_of_known_players(server: PlayerServer) -> None:
    reply = exchange(server, f"{HEAD}Content-Type: text/acl\r\nContent-Length: 8\r\n\r\n( INFO )".encode())
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.decode().split("\r\n") == [
        "HTTP/1.0 200 OK",
        "Content-type: text/acl",
        f"Content-length: {len(body)}",
        "Access-Control-Allow-Origin: *",
        "Access-Control-Allow-Methods: POST, GET, OPTIONS",
        "Access-Control-Allow-Headers: Content-Type",
        "Access-Control-Allow-Age: 86400",
    ]
    assert body.decode() == AVAILABLE


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)",
        b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( PING )",
        b"GET /%28%20INFO%20%29 HTTP/1.0\r\nHost: x\r\n\r\n\r\n",
        b"GET /(+INFO+) HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"POST / HTTP/1.1\nCONTENT-LENGTH:9\n\n ( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: 400\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: x\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: 13\r\n\r\n( INFO ) junk",
        b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO ) junk",
        b"POST / HTTP/1.0\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\n\r\n",
    ],
    ids=lambda request: request.decode().encode("unicode_escape").decode()[:60],
)
def test_variants_of_info(server: PlayerServer, request_bytes: bytes) -> None:
    assert exchange(server, request_bytes).partition(b"\r\n\r\n")[2].decode() == AVAILABLE


def test_post_without_length_until_the_sender_closes(server: PlayerServer) -> None:
    reply = exchange(server, b"POST / HTTP/1.0\r\n\r\n( INFO )", half_close=True)
    assert reply.endswith(AVAILABLE.encode())


def test_length_may_count_characters_where_bytes_are_more(server: PlayerServer) -> None:
    rules = RULES.replace("(a 1)", "(größe 1)")
    text = f"( START m.1 r {rules} 2 1)"
    head = f"{HEAD}Content-Length: {len(text)}\r\n\r\n"
    assert exchange(server, (head + text).encode()).endswith(b"\r\n\r\nready")
    reply = exchange(server, f"{HEAD}Content-Length: 16\r\n\r\n( PLAY m.1 NIL )".encode())
    body = reply.partition(b"\r\n\r\n")[2]
    assert body.decode() == "(größe 1)"
    assert f"Content-length: {len(body)}\r\n".encode() in reply


@pytest.mark.parametrize("text", ["hello", "( HELLO x )", "( INFO ", ")", "()", "( PLAY )", "(START m r)", "\x00\xff"])
def test_garbage_is_answered_nil(server: PlayerServer, text: str) -> None:
    assert post(server, text) == "nil"
    assert post(server, "( INFO )") == AVAILABLE


def test_options_tells_browsers_that_they_may_post(server: PlayerServer) -> None:
    reply = exchange(server, b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: null\r\n\r\n")
    assert reply.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"Access-Control-Allow-Origin: *\r\n" in reply


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"PUT / HTTP/1.0\r\n\r\n", b"501"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n(" % (MAX_REQUEST + 1), b"413"),
        (b"POST / HTTP/1.0\r\nX: " + b"x" * 70000 + b"\r\n\r\n", b"431"),
    ],
    ids=["verb", "line", "size", "header"],
)
def test_what_is_no_request_is_refused(server: PlayerServer, request_bytes: bytes, status: bytes) -> None:
    assert exchange(server, request_bytes).startswith(b"HTTP/1.0 " + status)
    assert post(server, "( INFO )") == AVAILABLE


def test_slow_sender_is_dropped(server: PlayerServer) -> None:
    with socket.create_connection(server.server_address[:2], timeout=5) as connection:
        began = time.monotonic()
        with pytest.raises(OSError, match=r"pipe|reset"):
            for byte in b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )" * 10:
                connection.sendall(bytes([byte]))
                time.sleep(0.1)
        assert time.monotonic() - began < 4


def test_a_whole_match(server: PlayerServer) -> None:
    assert post(server, "( PREVIEW ((role r)) 2 )") == "ready"
    assert post(server, "( PLAY m.1 NIL )") == "busy"
    assert post(server, f"(start m.1 R {RULES} 3 2 extra stuff)") == "ready"
    assert "(status busy)" in post(server, "( INFO )")
    assert post(server, f"( START m.2 r {RULES} 3 2)") == "busy"
    assert post(server, "( PREVIEW ((role r)) 2 )") == "busy"
    assert post(server, "( ABORT m.2 )") == "busy"
    assert post(server, "( PLAY m.1 NIL )") == "(a 1)"
    assert post(server, "(play M.1 nil)") == "(a 1)"
    assert post(server, "( STOP m.1 ((a 1) ) )") == "done"
    assert post(server, "( INFO )") == AVAILABLE
    assert post(server, f"( START m.3 r {RULES} 3 2)") == "ready"
    assert post(server, "( ABORT m.3 )") == "aborted"
    assert post(server, "( INFO )") == AVAILABLE


def test_rules_that_cannot_be_played_are_refused(server: PlayerServer) -> None:
    for rules in ("()", "((role r))", "((legal r a) terminal)", "((role r) (<= (legal r ?x)))", "((role (a))(<=))"):
        assert post(server, f"( START m.1 r {rules} 3 2)") == "busy"
        assert post(server, "( INFO )") == AVAILABLE
    assert post(server, f"( START m.1 stranger {RULES} 3 2)") == "busy"
    assert post(server, "( INFO )") == AVAILABLE


def test_port_in_use_is_named(server: PlayerServer) -> None:
    port = server.server_address[1]
    with pytest.raises(UserError, match=f"127.0.0.1:{port}: address already in use"):
        PlayerServer("127.0.0.1", int(port), lambda text, received: "")
