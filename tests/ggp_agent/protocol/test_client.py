"""Messages to players that make every error possible on a socket."""

from __future__ import annotations

import itertools
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from raw_player import HEAD, RawPlayer, free_port, reply

from ggp_agent.common.errors import UserError
from ggp_agent.protocol import client as client_module
from ggp_agent.protocol.client import OutgoingRequest, PlayerClient, exchange_all
from ggp_agent.protocol.http_client import MAX_REPLY, PlayerConnection
from ggp_agent.protocol.messages import Reply


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def sends(data: bytes) -> Callable[[socket.socket, str], None]:
    return lambda connection, message: connection.sendall(data)


def keeps_open(data: bytes) -> Callable[[socket.socket, str], None]:
    """Answer with these bytes, and wait until the manager closes the connection."""

    def handle(connection: socket.socket, message: str) -> None:
        connection.sendall(data)
        connection.recv(1)

    return handle


def drips(data: bytes, pause: float) -> Callable[[socket.socket, str], None]:
    def handle(connection: socket.socket, message: str) -> None:
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(pause)

    return handle


def resets(connection: socket.socket, message: str) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

LATE = "no reply within 1 s"

# The behaviour of the player, the text or error code, and a part of the error description.
GOOD = {
    "usual": (sends(reply("( mark 1 2 )")), "( mark 1 2 )"),
    "no length": (sends(HEAD + b"\r\n( mark 1 2 )"), "( mark 1 2 )"),
    "no length, in drops": (drips(HEAD + b"\r\nnoop", 0.002), "noop"),
    "no reason": (sends(b"HTTP/1.1 200\r\ncontent-LENGTH:4\r\n\r\nnoop"), "noop"),
    "bare line feeds": (sends(b"HTTP/1.0 200 OK\nContent-Length: 4\n\nnoop"), "noop"),
    "blanks": (sends(HEAD + b"\r\n\r\n  noop \r\n"), "noop"),
    "stays open": (keeps_open(reply("noop")), "noop"),
    "length of nothing": (sends(HEAD + b"Content-length: 0\r\n\r\nnoop"), "noop"),
    "length that is no number": (sends(HEAD + b"Content-length: many\r\n\r\nnoop"), "noop"),
    "length of ages": (sends(HEAD + b"Content-length: 99999999999999999999\r\n\r\nnoop"), "noop"),
    "too short a length for a list": (sends(HEAD + b"Content-length: 3\r\n\r\n( mark 1 2 )"), "( mark 1 2 )"),
    "too long a length for a list": (sends(HEAD + b"Content-length: 99\r\n\r\n( mark 1 2 )"), "( mark 1 2 )"),
    "characters counted, not bytes": (sends(HEAD + b"Content-length: 5\r\n\r\n(\xc3\xa4 \xc3\xb6)"), "(ä ö)"),
    "list and more": (sends(HEAD + b"Content-length: 5\r\n\r\n(a b)<html>"), "(a b)"),
    "chunks": (sends(CHUNKED + b"3\r\n( m\r\n6\r\nove 1)\r\n0\r\n\r\n"), "( move 1)"),
    "a head before the head": (sends(b"HTTP/1.1 100 Continue\r\n\r\n" + reply("noop")), "noop"),
    "broken bytes": (sends(reply("x").replace(b"x", b"\xff")), "\ufffd"),
    "empty": (sends(HEAD + b"\r\n"), ""),
}
BAD = {
    "nothing": (sends(b""), "CE", "closed without a reply"),
    "reset": (resets, "CE", "closed without a reply"),
    "half a head": (sends(HEAD), "CE", "cut off within its headers"),
    "too long a length for a word": (sends(HEAD + b"Content-length: 9\r\n\r\nnoop"), "CE", "after 4 of 9 bytes"),
    "never": (keeps_open(b""), "TO", LATE),
    "head only": (keeps_open(HEAD), "TO", LATE),
    "half a list": (keeps_open(HEAD + b"Content-length: 7\r\n\r\n( mark 1"), "TO", LATE),
    "no length, stays open": (keeps_open(HEAD + b"\r\nnoop"), "TO", LATE),
    "a byte a second": (drips(reply("noop"), 0.9), "TO", LATE),
    "endless": (drips(HEAD + b"\r\n" + b"x" * 200, 0.02), "TO", LATE),
    "10 MB": (sends(HEAD + b"\r\n" + b"(x)" * 3_500_000), "IN", f"longer than {MAX_REPLY:,} bytes"),
    "10 MB declared": (keeps_open(HEAD + b"Content-length: 10000000\r\n\r\n" + b"x" * 90_000), "IN", "longer than"),
    "10 MB of head": (sends(HEAD + b"x" * 10_000_000), "CE", "its headers are too long"),
    "10 MB of long lines": (sends(HEAD + (b"x: " + b"y" * 60_000 + b"\r\n") * 160), "CE", "its headers are too long"),
    "10 MB of short lines": (sends(HEAD + b"x: y\r\n" * 1_600_000), "CE", "not HTTP: 'got more than 100 headers'"),
    "half a chunk": (sends(CHUNKED + b"9\r\n( mov"), "CE", "cut off within a chunk"),
    "half a status": (sends(b"HTTP/1.0 2"), "CE", "cut off within its headers"),
    "garbage": (sends(bytes(range(256)) * 4), "CE", "not HTTP"),
    "garbage, stays open": (keeps_open(b"hello"), "CE", "not HTTP: b'hello'"),
    "no head": (sends(b"noop"), "CE", "not HTTP"),
    "not quite HTTP": (sends(b"HTTP/oops 200 OK\r\n\r\nnoop"), "CE", "not HTTP"),
    "redirect": (keeps_open(b"HTTP/1.0 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"), "CE", "status 302 Found"),
    "not found": (sends(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnoop"), "CE", "status 404 Not Found"),
    "failure": (sends(b"HTTP/1.0 500\r\n\r\nnoop"), "CE", "HTTP status 500"),
}  # fmt: skip


def test_errors_of_all_players_are_reported_at_the_same_time(stack: ExitStack) -> None:
    names = [*GOOD, *BAD]
    players = [stack.enter_context(RawPlayer({**GOOD, **BAD}[name][0])) for name in names]
    # a caller of its port gets a connection from the system, and nobody ever answers
    deaf = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    clients = [PlayerClient(url, "p") for url in [*(player.url for player in players), url_of(deaf)]]
    # The players that are late would need at least 4 s. The other players have enough time on a busy machine.
    limits = [1.0 if BAD.get(name, ("", "", ""))[1] == "TO" else 60.0 for name in names] + [1.0]
    threads, files = threading.active_count(), open_files()
    replies = exchange_all(
        [OutgoingRequest(client, "( PLAY m NIL )", limit) for client, limit in zip(clients, limits, strict=True)]
    )
    by_name = dict(zip(names, replies, strict=False))
    assert {name: by_name[name].text for name in GOOD} == {name: text for name, (_, text) in GOOD.items()}
    assert {by_name[name].error for name in GOOD} == {""}
    for name, (_, code, words) in BAD.items():
        assert (name, by_name[name].error, by_name[name].text) == (name, code, "")
        assert words in by_name[name].detail
    assert (replies[-1].error, replies[-1].detail) == ("TO", LATE)
    assert threading.active_count() <= threads + len(names)  # only threads of the players are left
    assert not any(thread.name in ("request", "host name") for thread in threading.enumerate())
    stack.close()
    assert open_files() <= files


def send_with_retries(client: PlayerClient, text: str) -> Reply:
    return exchange_all([OutgoingRequest(client, text, 20.0)])[0]


def url_of(listening: socket.socket) -> str:
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("text", ["( move 12 34 )", "move12"])
def test_a_reply_cut_at_any_byte_is_not_read_as_another_move(stack: ExitStack, text: str) -> None:
    whole = reply(text)

    def cut(connection: socket.socket, message: str) -> None:
        connection.sendall(whole[: int(message)])

    player = stack.enter_context(RawPlayer(cut))
    client = PlayerClient(player.url, "p")
    lengths = range(len(whole) + 1)
    *cuts, last = exchange_all([OutgoingRequest(client, str(length), 20.0) for length in lengths])
    assert (last.text, last.error) == (text, "")
    assert {(reply.text, reply.error) for reply in cuts} == {("", "CE")}
    assert sorted(map(int, player.messages)) == list(lengths)  # no message was sent twice to a running player


@pytest.mark.parametrize("text", ["( move 12 34 )", "move12"])
def test_a_reply_may_come_in_two_parts(stack: ExitStack, text: str) -> None:
    whole = reply(text)

    def split(connection: socket.socket, message: str) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(whole[: int(message)])
        time.sleep(0.01)
        connection.sendall(whole[int(message) :])
        connection.recv(1)  # the connection stays open, but the reply is complete

    client = PlayerClient(stack.enter_context(RawPlayer(split)).url, "p")
    replies = exchange_all([OutgoingRequest(client, str(length), 20.0) for length in range(len(whole))])
    assert {(reply.text, reply.error) for reply in replies} == {(text, "")}


def test_a_player_that_closes_before_it_has_read(stack: ExitStack) -> None:
    listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

    def close_at_once() -> None:
        for _ in range(2):  # the message, and the check whether the player runs
            listening.accept()[0].close()

    thread = threading.Thread(target=close_at_once)
    thread.start()
    answer = send_with_retries(PlayerClient(url_of(listening), "p"), "( START " + "x" * 8_000_000)
    thread.join()
    assert (answer.error, answer.detail) == ("CE", "the connection was closed without a reply")


def test_a_player_that_never_reads(stack: ExitStack) -> None:
    listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    answer = PlayerClient(url_of(listening), "p").exchange("( START " + "x" * 16_000_000, 1.0)
    assert (answer.error, answer.detail) == ("TO", "no reply within 1 s")


def test_each_message_has_its_own_connection_and_ignores_the_environment(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads: list[bytes] = []
    kept = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nSet-Cookie: a=b\r\nContent-Length: 4\r\n\r\nnoop"
    listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

    def serve() -> None:
        for _ in range(2):
            with listening.accept()[0] as connection:
                heads.append(connection.recv(65536))
                connection.sendall(kept)
                assert connection.recv(1) == b""  # the manager hangs up

    thread = threading.Thread(target=serve)
    thread.start()
    nobody = f"http://127.0.0.1:{free_port()}"
    sent: list[bytes] = []
    sendall = PlayerConnection.sendall
    monkeypatch.setattr(PlayerConnection, "sendall", lambda self, data: (sent.append(data), sendall(self, data)))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, nobody)
    client = PlayerClient(url_of(listening), "p")
    texts = [client.exchange("( INFO )", 20.0).text for _ in range(2)]
    thread.join()
    assert texts == ["noop", "noop"]
    assert sent == heads  # headers and message are sent in one piece
    assert heads[0] == heads[1]
    assert heads[0].endswith(b"\r\n\r\n( INFO )")


def test_interrupted_exchanges_close_their_connections(stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(3)
    hung_up = threading.Semaphore(0)

    def silent(connection: socket.socket, message: str) -> None:
        both.wait()
        assert connection.recv(1) == b""
        hung_up.release()

    def interrupted(_: threading.Thread) -> None:
        both.wait()
        raise KeyboardInterrupt

    player = stack.enter_context(RawPlayer(silent))
    clients = [PlayerClient(player.url, "p") for _ in range(2)]
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(threading.Thread, "join", interrupted)
        exchange_all([OutgoingRequest(client, "( PLAY m NIL )", 3600.0) for client in clients])
    for _ in clients:
        assert hung_up.acquire(timeout=60)


def test_connecting_to_a_player_that_starts_late_is_retried(stack: ExitStack) -> None:
    port = free_port()
    notes: list[str] = []
    started: list[float] = []

    def begin(note: str) -> None:
        notes.append(note)
        started.append(time.monotonic())
        stack.enter_context(RawPlayer(sends(reply("ready")), port))

    client = PlayerClient(f"http://127.0.0.1:{port}", "p")
    answer = exchange_all([OutgoingRequest(client, "( START )", 20.0, on_unreachable=begin)])[0]
    assert (answer.text, answer.error) == ("ready", "")
    assert answer.seconds <= time.monotonic() - started[0]  # the clock of the player began with the connection
    assert notes == ["connection refused"]


def test_a_message_is_sent_again_to_a_player_that_crashed_and_restarted(stack: ExitStack) -> None:
    second: list[RawPlayer] = []

    def die(connection: socket.socket, message: str) -> None:
        connection.sendall(HEAD)
        first.die()

    def come_back(note: str) -> None:
        second.append(stack.enter_context(RawPlayer(sends(reply("noop")), first.port)))

    first = stack.enter_context(RawPlayer(die))
    client = PlayerClient(first.url, "p")
    answer = exchange_all([OutgoingRequest(client, "( PLAY m NIL )", 20.0, on_unreachable=come_back)])[0]
    assert (answer.text, answer.error) == ("noop", "")
    assert first.messages == second[0].messages == ["( PLAY m NIL )"]


def test_reconnecting_to_a_lost_player_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(0.0, 0.1)  # each attempt takes 0.1 s
    monkeypatch.setattr(client_module, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(client_module, "RECONNECT_SECONDS", 0.45)
    attempts = [0]
    connect = client_module.connect

    def counted(*arguments: Any) -> PlayerConnection:
        attempts[-1] += 1
        return connect(*arguments)

    monkeypatch.setattr(client_module, "connect", counted)
    client = PlayerClient(f"http://127.0.0.1:{free_port()}", "p")
    notes: list[str] = []
    replies = []
    for _ in range(4):
        replies += exchange_all([OutgoingRequest(client, "( PLAY m NIL )", 20.0, on_unreachable=notes.append)])
        attempts.append(0)
    assert {(reply.error, reply.detail) for reply in replies} == {("CE", "connection refused")}
    assert attempts == [4, 1, 1, 1, 0]  # after the time for reconnecting, one attempt per message
    assert notes == ["connection refused"]  # reported once
    with RawPlayer(sends(reply("noop")), client.address.port):
        assert send_with_retries(client, "( PLAY m NIL )").text == "noop"
    notes.clear()
    exchange_all([OutgoingRequest(client, "( PLAY m NIL )", 20.0, on_unreachable=notes.append)])
    assert notes == ["connection refused"]  # a reached player gets the full time again


@pytest.mark.parametrize("answers", [True, False])
def test_an_unknown_host_is_reported_as_no_connection(answers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def look_up(*_: Any, **__: Any) -> None:
        if not answers:
            ended.wait()
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    answer = PlayerClient("http://no-such-host.invalid:9147", "p").exchange("( INFO )", 60.0 if answers else 0.2)
    ended.set()
    assert answer.error == "CE"
    told = "name or service not known" if answers else "the name server does not answer"
    assert answer.detail == f"no-such-host.invalid: {told}"


def test_all_addresses_of_a_host_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawPlayer(sends(reply("noop"))) as player:
        addresses = [(socket.AF_INET, ("127.0.0.1", free_port())), (socket.AF_INET, ("127.0.0.1", player.port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(kind, 1, 6, "", at) for kind, at in addresses])
        assert send_with_retries(PlayerClient(player.url, "p"), "( PLAY m NIL )").text == "noop"


def test_a_connection_to_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    connect = socket.socket.connect

    def connect_from_that_port(self: socket.socket, address: tuple[str, int]) -> None:
        self.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.bind(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_from_that_port)
    answer = PlayerClient(f"http://127.0.0.1:{port}", "p").exchange("hello", 5.0)
    assert (answer.error, answer.detail) == ("CE", "connection refused")


@pytest.mark.parametrize(
    "url",
    ["https://localhost", "http://", "http://h:port", "http://h:0", "http://h:99999", "http://h/a b",
     "http://h/\r\nEvil: 1", "http://[::1", "http://.h", "ftp://h:1"],
)  # fmt: skip
def test_invalid_addresses_are_refused(url: str) -> None:
    with pytest.raises(UserError, match="give http://host:port"):
        PlayerClient(url, "p")


def test_exchanges_in_many_threads_do_not_disturb_each_other() -> None:
    replies: list[Reply] = []

    def talk(number: int) -> None:
        client = PlayerClient(player.url, f"p{number}")
        for _ in range(5):
            replies.append(client.exchange(str(number), 20.0))

    def echo(connection: socket.socket, message: str) -> None:
        connection.sendall(reply(message))

    with RawPlayer(echo) as player:
        threads = [threading.Thread(target=talk, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(int(each.text) for each in replies) == sorted(list(range(8)) * 5)
