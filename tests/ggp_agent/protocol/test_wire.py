"""Requests in all forms that managers, browsers and other programs are known to send."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator

import pytest
from wire_fuzz import fuzz
from wire_mutants import mutants
from wire_samples import HEAD, RULES, captured_probes, post
from wire_server import AVAILABLE, ask, body_of, connect, exchange, rest, running

from ggp_agent.player.server.player_server import PlayerServer
from ggp_agent.protocol.messages import parse_presence

# Our answers to the captured probes, in the order and with the titles of the capture. A number is a refusal.
ANSWERS = {
    "INFO": "available",
    "info lower case, tight parens": "available",
    "ABORT unknown match": "busy",
    "PLAY unknown match": "busy",
    "STOP unknown match": "busy",
    "PREVIEW list rules": "ready",
    "START": "ready",
    "INFO while in match": "busy",
    "START second match while busy": "busy",
    "PLAY NIL": "(a 1)",
    "PLAY nil lower, again first move": "(a 1)",
    "STOP with moves": "done",
    "INFO after": "available",
    "START lower case keyword, role upper": "ready",
    "PLAY m.3": "(a 1)",
    "ABORT m.3": "aborted",
    "INFO after abort": "available",
    "START extra args": "ready",
    "STOP m.4 NIL": "done",
    "GET url-encoded": "available",
    "GET plus-encoded": "available",
    "OPTIONS": "",
    "PUT": "405",
    "POST without content-length, half-closed": "available",
    "POST upper CONTENT-LENGTH, LF only": "available",
    "POST with garbage body": "nil",
    "POST unknown verb": "nil",
    "POST empty": "available",
    "POST content-length too short": "available",
    "POST trailing garbage after list": "available",
    "POST missing close paren": "nil",
    "INFO last (is it still alive)": "available",
}
# The peer chose the other one of two legal moves, or none because the role was in capitals.
MOVES = ("PLAY nil lower, again first move", "PLAY m.3")


@pytest.fixture
def server() -> Iterator[PlayerServer]:
    with running() as running_server:
        yield running_server


def summary(reply: bytes) -> str:
    """Reduce a reply to one word: the status of an INFO, the body of another reply, the code of a refusal."""
    if not reply.startswith(b"HTTP/1.0 200 "):
        return reply[9:12].decode()
    body = body_of(reply)
    return parse_presence(body).status if "status" in body else body


def test_captured_probes_are_answered(server: PlayerServer) -> None:
    probes = captured_probes()
    if not probes:
        pytest.skip("no captured probes at ../shared/reference/wire_probes.txt")
    assert [probe.title for probe in probes] == list(ANSWERS)
    for probe in probes:
        answer = summary(exchange(server, probe.request, half_close="half-closed" in probe.title))
        assert answer == ANSWERS[probe.title], probe.title
        if probe.closed and probe.title not in MOVES:  # we give the same answer as the peer
            assert probe.body is not None
            theirs = summary(b"HTTP/1.0 200 OK\r\nContent-length: %d\r\n\r\n" % len(probe.body) + probe.body)
            assert re.sub(r"\( | \)", lambda found: found[0].strip(), theirs) == answer, probe.title


CHUNKED = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
TWO = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n( INFO )"


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"post / http/1.0\r\ncontent-length: 6\r\n\r\n(info)",
        b"POST / HTTP/1.0\nContent-Length:6\n\n(INFO)",
        b"\r\n\r\nPOST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST   /   HTTP/1.0  \r\nContent-Length \t: 6\r\n\r\n(INFO)",
        b"POST / HTTP/2.7\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST * HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST  HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST http://localhost:9147/ HTTP/1.1\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST /../../etc/passwd?x={0}&y=%s HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: -6\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 6.0\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 0x6\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: \xd9\xa6\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 00000000000000000006\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 6, 6\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 1\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length:\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: 400\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: x\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: 13\r\n\r\n( INFO ) junk",
        b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO ) junk",
        b"POST / HTTP/1.0\r\nContent-Length: 11\r\n\r\n( INFO ) ))",
        b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )\xff\x00",
        b"POST / HTTP/1.0\r\nContent-Length: 11\r\n\r\n\xef\xbb\xbf( INFO )",
        b"POST / HTTP/1.0\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\n\r\n",
        b"POST / HTTP/1.0\r\nX: a\r\n b\r\n\tc\r\n: d\r\ne\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET /%28%20INFO%20%29 HTTP/1.0\r\nHost: x\r\n\r\n\r\n",
        b"GET /(+INFO+) HTTP/1.0\r\n\r\n",
        b"get /( info ) http/1.1\r\nhost: x\r\n\r\n",
        b"GET http://localhost:9147/%28INFO%29 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET HTTPS://LOCALHOST/(INFO) HTTP/1.1\r\n\r\n",
        b"GET /(INFO)\r\n",
        b"GET /\n",
        (CHUNKED + "3\r\n(IN\r\n3;x=\"y\"\r\nFO)\r\n0\r\nTrailer: x\r\n\r\n").encode(),
        (CHUNKED + "3\n(IN\n03\nFO)\n0\n\n").encode(),
        (CHUNKED + "6\r\n(INFO)\r\n0\r\n\r\n").encode() + TWO,
        TWO + TWO,
        TWO + b"PUT / HTTP/1.1\r\n\r\n" + b"( ABORT m )" * 100,
        TWO.replace(b"Host: x", b"Connection: keep-alive\r\nKeep-Alive: timeout=60"),
        TWO.replace(b"Host: x", b"Connection: Upgrade\r\nUpgrade: h2c"),
    ],
    ids=lambda request: request.decode("latin-1").encode("unicode_escape").decode()[:70],
)  # fmt: skip
def test_variants_of_info(server: PlayerServer, request_bytes: bytes) -> None:
    assert body_of(exchange(server, request_bytes)) == AVAILABLE


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("(PING)", "ready"), ("ping", "ready"), ("( Ping m.1 )", "ready"), ("(INFO x y)", AVAILABLE),
        ("", AVAILABLE), (" \r\n ", AVAILABLE), ("; nothing", AVAILABLE),
        ("hello", "nil"), ("( HELLO x )", "nil"), ("( INFO ", "nil"), (")", "nil"), ("()", "nil"), ("( PLAY )", "nil"),
        ("(START m r)", "nil"), ("\x00\xff", "nil"), ("((INFO))", "nil"), ("(INFO\x00)", "nil"),
        ("( PLAY m.1 3 (a 1) ((sees b)) )", "busy"), ("( STOP m.1 3 NIL NIL )", "busy"),
        (f"( START m r {RULES} 1e309 1 )", "nil"), (f"( START m r {RULES} 1 nan )", "nil"),
        (f"( START m r {RULES} -1 1 )", "nil"), (f"( START m r {RULES} 1 inf )", "nil"),
        ("( ABORT m.1 )", "busy"), ("(PREVIEW x 2)", "ready"), ("( PREVIEW () 9e9 )", "nil"),
    ],
)  # fmt: skip
def test_messages_are_answered(server: PlayerServer, text: str, reply: str) -> None:
    assert ask(server, text) == reply
    assert ask(server, "( INFO )") == AVAILABLE


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"PUT / HTTP/1.0\r\n\r\n", "405"),
        (b"DELETE /(INFO) HTTP/1.1\r\nHost: x\r\n\r\n", "405"),
        (b"CONNECT a:1 HTTP/1.1\r\n\r\n", "405"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "405"),
        (b"nonsense\r\n\r\n", "400"),
        (b"( INFO )\r\n", "400"),
        (b"POST /\r\n", "400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", "400"),
        (b"\r\n" * 200, "400"),
        ((CHUNKED + "x\r\n").encode(), "400"),
        ((CHUNKED + "-1\r\n").encode(), "400"),
        ((CHUNKED + "0x3\r\nabc\r\n").encode(), "400"),
        ((CHUNKED + "1" * 2000).encode(), "400"),
        ((CHUNKED + "ffffffff\r\n").encode(), "413"),
        (b"POST / HTTP/1.0\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n(", "413"),
        (b"GET /" + b"(" * 200_000, "414"),
        (b"POST / HTTP/1.0\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", "431"),
        (b"POST / HTTP/1.0\r\n" + b"X: y\r\n" * 200 + b"\r\n(INFO)", "431"),
    ],
    ids=lambda value: (
        value.decode("latin-1").encode("unicode_escape").decode()[:40] if isinstance(value, bytes) else ""
    ),
)
def test_invalid_requests_are_refused(server: PlayerServer, request_bytes: bytes, status: str) -> None:
    reply = exchange(server, request_bytes)
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.0 {status} ".encode())
    assert body.isascii() and len(body.splitlines()) == 1
    assert (b"\r\nAllow: POST, GET, OPTIONS" in head) == (status == "405")
    assert ask(server, "( INFO )") == AVAILABLE


def test_verb_head_is_refused_without_a_body(server: PlayerServer) -> None:
    head, _, body = exchange(server, b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 405 ") and body == b""


def test_options_are_answered_and_closed(server: PlayerServer) -> None:
    reply = exchange(server, b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: null\r\n\r\n")
    assert body_of(reply) == ""
    assert b"Access-Control-Allow-Origin: *\r\n" in reply
    assert b"Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n" in reply


@pytest.mark.parametrize(("version", "expected"), [("1.1", b"HTTP/1.1 100 Continue\r\n\r\n"), ("1.0", b"")])
def test_expect_continue(server: PlayerServer, version: str, expected: bytes) -> None:
    with connect(server) as connection:
        connection.sendall(f"POST / HTTP/{version}\r\nExpect: 100-Continue\r\nContent-Length: 8\r\n\r\n".encode())
        if expected:
            assert connection.recv(100) == expected
        connection.sendall(b"( INFO )")
        assert body_of(rest(connection)) == AVAILABLE


def test_length_may_count_characters_where_bytes_are_more(server: PlayerServer) -> None:
    text = f"( START m.1 r {RULES.replace('(a 1)', '(größe 1)')} 2 1)"
    with connect(server) as connection:
        data = f"{HEAD}Content-Length: {len(text)}\r\n\r\n{text}".encode()
        connection.sendall(data[:-1])
        time.sleep(0.1)  # the last byte is beyond the declared length and arrives in a separate packet
        connection.sendall(data[-1:])
        assert body_of(rest(connection)) == "ready"
    assert ask(server, "( PLAY m.1 NIL )") == "(größe 1)"


def test_a_message_in_capitals(server: PlayerServer) -> None:
    assert ask(server, f"( START M.1 R {RULES} 2 1)".upper()) == "ready"
    assert ask(server, "( PLAY M.1 NIL )") == "(A 1)"
    assert ask(server, "( STOP M.1 (A 1) )") == "done"  # a bare move of the only role


def test_a_request_in_many_pieces(server: PlayerServer) -> None:
    with connect(server) as connection:
        for byte in post("( INFO )"):
            connection.sendall(bytes([byte]))
            time.sleep(0.001)
        assert body_of(rest(connection)) == AVAILABLE


@pytest.mark.parametrize(
    "text",
    [
        "%s%s%n", "{0.__class__}", "${jndi:ldap://127.0.0.1:9/a}", "../../../etc/passwd", "$(id)`id`", "{{7*7}}",
        "\x1b[2J\x1b]0;title\x07", "\u202e\u2066", "\ufeff", "a" * 100_000, "é" * 1000,
    ],
    ids=lambda text: text.encode("unicode_escape").decode()[:30],
)  # fmt: skip
def test_hostile_words_are_words(server: PlayerServer, text: str) -> None:
    for message in (text, f"( {text} )", f"( PLAY {text} NIL )", f"( ABORT {text} )", f"( INFO {text} )"):
        assert ask(server, message) in ("nil", "busy", AVAILABLE)
    assert ask(server, f"( START {text} r {RULES} 2 1)") in ("ready", "nil")
    assert ask(server, f"( PLAY {text} NIL )") in ("(a 1)", "nil", "busy")


@pytest.mark.parametrize(
    "body",
    [
        b"(" * 100_000, b")" * 100_000, b"(" * 100_000 + b")" * 100_000, b"(a " * 50_000 + b")" * 50_000,
        b"( PLAY m " + b"(a " * 50_000 + b")" * 50_001, b"( PLAY m (" + b"a " * 1_000_000 + b"))", b"\x00" * 1_000_000,
        b"\xff" * 1_000_000, b"(" * 2_000_000,
    ],
    ids=lambda body: repr(body[:12]),
)  # fmt: skip
def test_deep_and_long_messages_are_refused(server: PlayerServer, body: bytes) -> None:
    began = time.process_time()
    request = f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body
    assert body_of(exchange(server, request, half_close=True)) == ("busy" if b"PLAY" in body else "nil")
    assert ask(server, "( INFO )") == AVAILABLE
    assert time.process_time() - began < 20


def test_sixteen_megabytes_are_refused(server: PlayerServer) -> None:
    body = b"( PLAY m (" + b"a " * (8 * 1024 * 1024) + b"))"
    with connect(server) as connection:
        connection.sendall(b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body))
        connection.sendall(body)
        assert rest(connection).startswith(b"HTTP/1.0 413 ")
    for head in ("", "Transfer-Encoding: chunked\r\n"):
        with connect(server) as connection:
            connection.sendall(f"POST / HTTP/1.0\r\n{head}\r\n{len(body):x}\r\n".encode() + body)
            assert rest(connection).startswith(b"HTTP/1.0 413 ")
    assert ask(server, "( INFO )") == AVAILABLE


def test_equal_seeds_make_equal_mutants() -> None:
    first, again, other = (list(itertools.islice(mutants(seed), 300)) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert len(set(first)) > 200


@pytest.mark.slow
def test_a_thousand_mutants_do_no_harm() -> None:
    lines: list[str] = []
    faults = fuzz(1200, 600, 20_251_121, lines.append, within=30.0)
    assert not faults, "\n".join([*lines, *faults])
