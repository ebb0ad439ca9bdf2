"""An endless stream of mutants of captured requests: cut, spliced, enlarged, misspelt; equal for equal seeds."""

from __future__ import annotations

import random
import re
import urllib.parse
from collections.abc import Callable, Iterator

from wire_samples import RULES, captured_probes, captured_requests, own_requests, post

NUMBERS = [
    *b"0 -1 1 2 7 8 9 16 255 256 65536 4194304 4194305 2147483647 2147483648 4294967296 9223372036854775808".split(),
    *b"1e309 -1e309 1e308 nan inf -0 0x10 1_000 0000000000008 +8 0.5 1e-320 \xd9\xa3".split(),
    b"9" * 5000,
]

HOSTILE = [
    b"%s%s%n%x", b"{0}{0.__class__}", b"${jndi:ldap://127.0.0.1/a}", b"{{7*7}}", b"../../../../etc/passwd", b"\x00",
    b"\x1b[2J\x1b]0;x\x07", b"`id`", b"$(id)", b"__import__('os')", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    b"\xe2\x80\xae", b"(" * 1000, b")" * 1000, b"(" * 100_000, b"a " * 20_000, b";", b"; ( \n", b"\r\n\r\n", b"\n\n",
    b"Transfer-Encoding: chunked\r\n", b"Content-Length: 3\r\n", b"Expect: 100-continue\r\n", b"X: y\r\n" * 150,
    b"?x", b"(<= (p ?x) (p (f ?x)))", b"(role", b"nil", b"\r", b" ", b"%28", b"+", b"\t",
]  # fmt: skip


def samples() -> list[bytes]:
    """Return the requests from which mutants are made."""
    return own_requests() + [probe.request for probe in captured_probes()] + captured_requests()


def mutants(seed: int) -> Iterator[bytes]:
    """Yield an endless stream of requests; equal seeds give equal requests."""
    source = random.Random(seed)
    originals = samples()
    # First every truncation of every sample of some hundred bytes, mixed among the others.
    cuts = [(sample, end) for sample in originals if len(sample) < 500 for end in range(len(sample))]
    source.shuffle(cuts)
    while True:
        if cuts and source.random() < 0.2:
            sample, end = cuts.pop()
            yield sample[:end]
            continue
        data = source.choice(originals)
        for _ in range(source.choice((1, 1, 1, 2, 2, 4, 8))):
            data = source.choice(MUTATIONS)(data, source, originals)[: 1 << 21]
        if source.random() < 0.5:
            data = _with_length(data)
        yield data


def _with_length(data: bytes) -> bytes:
    """Correct the length, so that the error in the message is found and not only a wrong length."""
    head, gap, body = data.partition(b"\r\n\r\n")
    return re.sub(rb"(?i)(content-length:\s*)\S*", rb"\g<1>%d" % len(body), head, count=1) + gap + body


def _flip(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    flipped = bytearray(data)
    for _bit in range(source.randint(1, 8)):
        if flipped:
            flipped[source.randrange(len(flipped))] ^= 1 << source.randrange(8)
    return bytes(flipped)


def _span(data: bytes, source: random.Random) -> tuple[int, int]:
    first, second = source.randint(0, len(data)), source.randint(0, len(data))
    return min(first, second), max(first, second)


def _truncate(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    return data[: source.randint(0, len(data))]


def _remove(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    start, end = _span(data, source)
    return data[:start] + data[end:]


def _duplicate(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    start, end = _span(data, source)
    return data[:end] + data[start:end] * source.choice((1, 1, 2, 20)) + data[end:]


def _splice(data: bytes, source: random.Random, originals: list[bytes]) -> bytes:
    other = source.choice(originals)
    return data[: source.randint(0, len(data))] + other[source.randint(0, len(other)) :]


def _length(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    number = source.choice((source.choice(NUMBERS), b"%d" % source.randint(-10, 5000)))
    return re.sub(rb"(?i)(content-length:\s*)\S*", lambda found: found[1] + number, data, count=1)


def _number(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    found = list(re.finditer(rb"\d+", data))
    if not found:
        return data
    place = source.choice(found)
    return data[: place.start()] + source.choice(NUMBERS) + data[place.end() :]


def _insert(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    at = source.randint(0, len(data))
    return data[:at] + source.choice(HOSTILE) + data[at:]


def _encode(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    head, gap, body = data.partition(b"\r\n\r\n")
    way = source.randrange(6)
    if way == 0:
        return head + gap + body.decode("latin-1").encode("utf-16")
    if way == 1:
        return head + gap + body.replace(b"a", "ä".encode("latin-1"))
    if way == 2:
        return head + gap + body.replace(b"a", "größe".encode())
    if way == 3:
        return b"GET /" + urllib.parse.quote(body).encode()[:60_000] + b" HTTP/1.0\r\n\r\n"
    if way == 4:
        return data.replace(b"\r\n", b"\n")
    return data.swapcase()


RUNS = [b" ", b"\t", b"\n", b"a", b"1", b"(", b")", b"()", b"(a ", b";", b"%20", b"+", b"\xff", b"HTTP/1.1 ", b"a:\n"]


def _long_run(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    """Insert one piece repeatedly, up to the limit of a message and sometimes beyond."""
    piece = source.choice(RUNS)
    at = source.choice((source.randint(0, len(data)), data.find(b"\r\n\r\n") + 4, len(data) - 1))
    return data[:at] + piece * (int(10 ** source.uniform(2, 6.2)) // len(piece)) + data[at:]


def _large_message(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    """Replace the rules of a START by many rules, or the moves of a PLAY by many moves."""
    rules = source.choice((b"(role r)", b"(<= (p ?x) (q ?x))", b"(a 1) ", b"((b))"))
    many = rules * (int(10 ** source.uniform(3, 5.7)) // len(rules))
    way = source.choice((b"( START m.%d r (%s) 2 1 )", b"( PLAY m.%d (%s) )", b"( PREVIEW (m.%d %s) 2 )"))
    return post((way % (source.randint(1, 3), many)).decode())


def _same_start(data: bytes, source: random.Random, _: list[bytes]) -> bytes:
    """Return the same START each time, with the longest clocks."""
    return post(f"( START m.1 r {RULES} 86400 86400 )")


MUTATIONS: list[Callable[[bytes, random.Random, list[bytes]], bytes]] = [
    _flip, _flip, _truncate, _remove, _duplicate, _splice, _length, _number, _insert, _encode,
    _flip, _truncate, _remove, _duplicate, _splice, _length, _number, _insert, _encode,
    _long_run, _large_message, _same_start,
]  # fmt: skip
