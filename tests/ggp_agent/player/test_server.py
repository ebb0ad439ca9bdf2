"""The server over real sockets: complete matches, and limits for misbehaving peers."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from waiting import wait_for
from wire_samples import HEAD, RULES, own_requests, post
from wire_server import AVAILABLE, ask, body_of, connect, exchange, open_files, reset, rest, running, settled

from ggp_agent.common.errors import UserError
from ggp_agent.player.server import player_server as server_module
from ggp_agent.player.server.player_server import PlayerServer
from ggp_agent.protocol import http_request
from ggp_agent.protocol.connections import Caller


@pytest.fixture
def server() -> Iterator[PlayerServer]:
    with running() as running_server:
        yield running_server


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


def test_a_whole_match(server: PlayerServer) -> None:
    assert ask(server, "( PREVIEW ((role r)) 2 )") == "ready"
    assert ask(server, "( PLAY m.1 NIL )") == "busy"
    assert ask(server, f"(start m.1 R {RULES} 3 2 extra stuff)") == "ready"
    assert "(status busy)" in ask(server, "( INFO )")
    assert ask(server, f"( START m.2 r {RULES} 3 2)") == "busy"
    assert ask(server, "( PREVIEW ((role r)) 2 )") == "busy"
    assert ask(server, "( STOP m.2 NIL )") == "busy"
    assert ask(server, "( ABORT m.2 )") == "busy"
    assert ask(server, "( PLAY m.1 NIL )") == "(a 1)"
    assert ask(server, "(play M.1 nil)") == "(a 1)"
    assert ask(server, "( STOP m.1 ((a 1) ) )") == "done"
    assert ask(server, "( INFO )") == AVAILABLE
    assert ask(server, f"( START m.3 r {RULES} 3 2)") == "ready"
    assert ask(server, "( ABORT m.3 )") == "aborted"
    assert ask(server, "( INFO )") == AVAILABLE


def test_rules_that_cannot_be_played_are_refused(server: PlayerServer) -> None:
    for rules in ("()", "((role r))", "((legal r a) terminal)", "((role r) (<= (legal r ?x)))", "((role (a))(<=))"):
        assert ask(server, f"( START m.1 r {rules} 3 2)") == "busy"
        assert ask(server, "( INFO )") == AVAILABLE
    assert ask(server, f"( START m.1 stranger {RULES} 3 2)") == "busy"
    assert ask(server, "( INFO )") == AVAILABLE


# ---- the clock


def test_the_clock_starts_when_the_connection_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    accepted, go = threading.Event(), threading.Event()

    class LateThread(threading.Thread):
        def run(self) -> None:
            accepted.set()
            assert go.wait(60)
            super().run()

    moments: list[float] = []

    def answer(text: str, received: float, caller: Caller) -> str:
        moments.append(received)
        return "noop"

    with running(answer) as server:
        monkeypatch.setattr(server_module.threading, "Thread", LateThread)
        with connect(server) as connection:
            assert accepted.wait(60)
            waiting = time.monotonic()
            connection.sendall(post("( PLAY m NIL )"))
            go.set()
            assert body_of(rest(connection)) == "noop"
    assert moments[0] <= waiting


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports when a connection was established")
def test_the_clock_runs_while_a_connection_waits_to_be_accepted() -> None:
    moments: list[float] = []

    def answer(text: str, received: float, caller: Caller) -> str:
        moments.append(received)
        return "noop"

    began = time.monotonic()
    with PlayerServer("127.0.0.1", 0, answer) as server, connect(server) as connection:
        connection.sendall(post("( PLAY m NIL )"))
        time.sleep(0.1)
        waiting = time.monotonic()
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert body_of(rest(connection)) == "noop"
    # The system counts in units of at most 10 ms.
    assert began - 0.02 <= moments[0] < waiting


# ---- slow and silent peers


def test_slow_sender_is_dropped() -> None:
    with running(request_timeout=0.5) as server, connect(server) as connection:
        began = time.monotonic()
        with pytest.raises(OSError, match=r"pipe|reset"):
            for byte in post("( INFO )" + "x" * 1000):
                connection.sendall(bytes([byte]))
                time.sleep(0.1)  # the whole request takes more than 100 s
        assert time.monotonic() - began > 0.4


@pytest.mark.parametrize(
    "start",
    [
        b"", b"P", b"POST / HTTP/1.0\r\nX: ", b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( IN",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n( IN",
    ],
    ids=lambda start: repr(start[-12:]),
)  # fmt: skip
def test_half_open_connections_are_dropped(start: bytes) -> None:
    with running(request_timeout=0.3) as server, connect(server) as connection:
        connection.sendall(start)
        assert rest(connection) == b""


def test_slow_reader_of_a_reply_is_dropped(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(server_module, "REPLY_TIMEOUT", 0.3)
    threads, files = threading.active_count(), open_files()
    reply = "x" * 50_000_000
    with running(lambda text, received, caller: reply) as server, connect(server) as connection:
        connection.sendall(post("( STOP m NIL )"))
        wait_for(lambda: "not delivered: timed out" in caplog.text)
    assert settled(threads, files)


def test_connections_of_keep_alive_clients_are_closed(server: PlayerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "LINGER_SECONDS", 0.2)
    threads = threading.active_count()
    with connect(server) as connection:
        request = post("( INFO )", HEAD.replace("1.0", "1.1") + "Connection: keep-alive\r\n")
        connection.sendall(request)
        assert body_of(rest(connection)) == AVAILABLE
        assert settled(threads, 1 << 20)
        with pytest.raises(OSError, match=r"pipe|reset"):  # the next request needs a new connection
            for _ in range(100):
                connection.sendall(request)
                time.sleep(0.01)


# ---- many connections


def test_silent_connections_do_not_block_others() -> None:
    with running(request_timeout=120) as server:
        silent = [connect(server) for _ in range(server_module.MAX_CONNECTIONS // 2 + 20)]
        began = time.monotonic()
        assert ask(server, "( INFO )") == AVAILABLE
        assert ask(server, "( INFO )", host="127.0.0.2") == AVAILABLE
        assert silent[0].recv(1) == b""  # the oldest connection is closed
        assert time.monotonic() - began < 60
        silent[-1].sendall(post("( INFO )"))
        assert body_of(rest(silent[-1])) == AVAILABLE  # the newest connection is open
        for connection in silent:
            connection.close()


def test_connections_that_wait_for_an_answer_stay_open(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 6)
    go = threading.Event()
    asked = threading.Semaphore(0)

    def answer(text: str, received: float, caller: Caller) -> str:
        if "INFO" in text:
            return AVAILABLE
        asked.release()
        assert go.wait(60)
        return "noop"

    with running(answer) as server:
        thinking = [connect(server) for _ in range(3)] + [connect(server, "127.0.0.2") for _ in range(3)]
        for connection in thinking:
            connection.sendall(post("( PLAY m NIL )"))
            assert asked.acquire(timeout=60)
        for host in ("127.0.0.1", "127.0.0.2", "127.0.0.3"):
            with pytest.raises((OSError, AssertionError)):
                ask(server, "( INFO )", host=host)
        go.set()
        for connection in thinking:
            assert body_of(rest(connection)) == "noop"
            connection.close()
        wait_for(lambda: not len(server._connections))
        assert ask(server, "( INFO )") == AVAILABLE
    assert caplog.text.count("too many connections") == 3  # once per host


def test_only_allowed_hosts_may_connect(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_WARNING_SECONDS", 600.0)
    with running(allow=["127.0.0.2", "127.1.0.0/16"], request_timeout=120) as server:
        for _ in range(5):
            began = time.monotonic()
            with connect(server) as connection, pytest.raises(OSError, match=r"pipe|reset|^$"):
                if rest(connection) == b"":
                    raise OSError
            assert time.monotonic() - began < 30
        assert caplog.text.count("refused a request from 127.0.0.1: this host may not connect") == 1
        assert ask(server, "( INFO )", host="127.0.0.2") == AVAILABLE
        assert ask(server, "( INFO )", host="127.1.2.3") == AVAILABLE
    with running(allow=["localhost"]) as server:
        assert ask(server, "( INFO )") == AVAILABLE


@pytest.mark.parametrize("name", ["no such host", "10.0.0.0/33", "host.invalid", "", "a" * 300])
def test_unknown_hosts_are_refused(name: str) -> None:
    with pytest.raises(UserError, match="no such host; give an address"):
        PlayerServer("127.0.0.1", 0, lambda text, received, caller: "", allow=[name])


def test_ipv6() -> None:
    try:
        server = PlayerServer("::1", 0, lambda text, received, caller: "noop", allow=["::1"])
    except UserError:
        pytest.skip("no IPv6 here")
    with server:
        assert server.address.startswith("http://[::1]:")
        threading.Thread(target=server.handle_request, daemon=True).start()
        with socket.create_connection(server.server_address[:2], timeout=60) as connection:
            connection.sendall(post("( PLAY m NIL )"))
            assert body_of(rest(connection)) == "noop"


# ---- broken connections


def end_orderly(connection: socket.socket) -> None:
    connection.close()


def end_half(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_WR)
    rest(connection)
    connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("end", [end_orderly, end_half, reset])
def test_connections_cut_at_every_byte(
    end: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_request, "GRACE_SECONDS", 0.05)
    caplog.set_level(logging.DEBUG)
    with running() as server:
        assert ask(server, "( INFO )") == AVAILABLE
        threads, files = threading.active_count(), open_files()
        for request in (post("( PLAY m.1 NIL )"), *(request for request in own_requests() if b"1.1" in request)):
            for length in range(len(request) + 1):
                connection = connect(server)
                connection.sendall(request[:length])
                end(connection)
        assert ask(server, "( INFO )") == AVAILABLE
        assert settled(threads, files)
    assert not [record for record in caplog.records if record.exc_info]


def test_peers_that_close_before_the_reply(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def answer(text: str, received: float, caller: Caller) -> str:
        time.sleep(0.05)
        return AVAILABLE if "INFO" in text else "(mark 1 1)" * 20_000

    with running(answer) as server:
        threads, files = threading.active_count(), open_files()
        for end in (end_orderly, reset) * 5:
            connection = connect(server)
            connection.sendall(post("( PLAY m NIL )"))
            end(connection)
        wait_for(lambda: "not delivered" in caplog.text)
        assert settled(threads, files)
        assert len(ask(server, "( PLAY m NIL )")) == 200_000
    assert not [record for record in caplog.records if record.exc_info]


def test_a_failing_player_still_gets_a_reply(caplog: pytest.LogCaptureFixture) -> None:
    def answer(text: str, received: float, caller: Caller) -> str:
        raise RuntimeError("a fault")

    with running(answer) as server:
        assert ask(server, "( PLAY m NIL )") == "nil"
        assert ask(server, "( PING )") == "ready"
    assert "a fault" in caplog.text
