"""Mutated requests against a real server: `make fuzz`, and a small number in the tests.

    python tests/support/wire_fuzz.py --requests 1000000 --seed 1

A server with a real player runs in a separate process. Clients send it mutants of captured requests as fast as they
can, including long runs of one character, large messages and copies of one START, and now and then INFO, which must be
answered within half a second. Meanwhile a match is played, and each of its moves must arrive in time. Crashes,
tracebacks, requests without an end, late or missing moves, and leaked threads, file descriptors and memory are
reported. Equal seeds send equal mutants.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from match_hosting import LONG, TURNS
from places import ROOT
from wire_mutants import mutants
from wire_samples import post

# Seconds that the fuzzed server gives a request to arrive, and that a client waits for the end of a connection.
REQUEST_TIMEOUT = 1.0
PATIENCE = 60.0
CLIENTS = 32
# Seconds within which a valid request is answered meanwhile; limits in megabytes of the memory of the server, and of
# its growth at the end; threads and files that the matches may use.
GOOD_WITHIN = 0.5
MEMORY = 150.0
MEMORY_GROWTH = 20.0
SPARE = 16
# Requests of a client between two valid ones.
BETWEEN_CHECKS = 50
# Seconds: the clock of the match that is played meanwhile, and the time that managers wait beyond it.
PLAYCLOCK = 1.0
TOLERANCE = 1.0


@dataclass
class Outcome:
    answers: Counter[str] = field(default_factory=Counter)
    unanswered: list[bytes] = field(default_factory=list)
    slowest_check: float = 0.0
    failed_checks: list[str] = field(default_factory=list)


class Target:
    def __init__(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self._log.close()

    def tracebacks(self) -> list[str]:
        """Return the tracebacks in the log, without quotations in log lines."""
        self._log.seek(0)
        return re.findall(r"Traceback \(most recent.*?\n(?=\S)[^\n]*", self._log.read().decode(errors="replace"), re.S)

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def settle(self, threads: int, files: int, seconds: float = 10.0) -> tuple[int, int]:
        """Wait until threads and files fall to their former numbers; return the numbers."""
        until = time.monotonic() + seconds
        while True:
            now = self.threads(), self.files()
            if (now[0] <= threads and now[1] <= files) or time.monotonic() > until:
                return now
            time.sleep(0.1)


def attack(port: int, requests: Iterator[bytes], seed: int) -> Outcome:
    """Send requests from many clients at once; each mutant is cut off, closed or read in one of several ways."""
    outcome = Outcome()
    lock = threading.Lock()

    def client(number: int) -> None:
        source = random.Random(f"{seed} {number}")
        sent = 0
        while True:
            with lock:
                data = next(requests, None)
            if data is None:
                return
            ending = send(port, data, source)
            with lock:
                outcome.answers[ending] += 1
                if ending == "no end":
                    outcome.unanswered.append(data)
            sent += 1
            if sent % BETWEEN_CHECKS == 0:
                check(port, outcome, lock)

    clients = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    check(port, outcome, lock)
    return outcome


def send(port: int, data: bytes, source: random.Random) -> str:
    """Send one request and return its outcome: a status, `closed` without one, `left` early, or `no end`."""
    way = source.random()
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        try:
            if way < 0.1 and data:  # in two parts
                at = source.randrange(len(data))
                connection.sendall(data[:at])
                time.sleep(0.002)
                connection.sendall(data[at:])
            else:
                connection.sendall(data)
            if way > 0.95:
                return "left"
            if way > 0.9:  # a reset instead of a normal end
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return "left"
            if way < 0.75:
                connection.shutdown(socket.SHUT_WR)
            while block := connection.recv(65536):
                received += block
        except TimeoutError:
            return "no end"
        except OSError:
            pass  # the server has closed the connection
    return received[9:12].decode(errors="replace") if received.startswith(b"HTTP/1.") else "closed"


def check(port: int, outcome: Outcome, lock: threading.Lock) -> None:
    """Send a valid request, which must be answered within a second."""
    began = time.monotonic()
    reply = ask(port, "( INFO )")
    seconds = time.monotonic() - began
    with lock:
        outcome.slowest_check = max(outcome.slowest_check, seconds)
        if not re.search(r"\(status (available|busy)\)", reply):
            outcome.failed_checks.append(f"{reply[-80:]!r} after {seconds:.2f} s")


class GoodMatch:
    """Play matches one after the other while other clients send mutants.

    Every move must arrive at most `tolerance` seconds after its clock.
    """

    def __init__(self, port: int, tolerance: float) -> None:
        self.moves = 0
        self.slowest = 0.0
        self.faults: list[str] = []
        self._port = port
        self._tolerance = tolerance
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._play)

    def __enter__(self) -> GoodMatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _play(self) -> None:
        match = 0
        while not self._ended.is_set():
            match += 1
            if self._ask(f"( START good.{match} left ({LONG}) 5 {PLAYCLOCK} )", 5.0) != "ready":
                continue  # all places are taken; matches of other clients end soon
            moves = "NIL"
            for turn in range(TURNS):
                move = self._ask(f"( PLAY good.{match} {moves} )", PLAYCLOCK + self._tolerance)
                self.moves += 1
                if move.lower() not in ("wait", f"(wave {turn})"):
                    self.faults.append(f"turn {turn}: {move!r}")
                moves = f"({move} wait)"
                self._ended.wait(0.05)
            self._ask(f"( STOP good.{match} {moves} )", 5.0)

    def _ask(self, text: str, within: float) -> str:
        began = time.monotonic()
        reply = ask(self._port, text)
        seconds = time.monotonic() - began
        if text.startswith("( PLAY"):
            self.slowest = max(self.slowest, seconds)
        if seconds > within:
            self.faults.append(f"{text[:20]}... was answered after {seconds:.2f} s")
        return reply


def ask(port: int, text: str) -> str:
    """Post a message and return the reply, empty if there is none."""
    reply = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(post(text))
        while block := connection.recv(65536):
            reply += block
    return reply.partition(b"\r\n\r\n")[2].decode(errors="replace")


def serve() -> None:
    """Serve a player until standard input is closed; print the port."""
    from wire_server import legal_player

    from ggp_agent.common.processes import use_one_arena
    from ggp_agent.player.match.messages import PlayerSettings
    from ggp_agent.player.server.log import LineHandler, player_log
    from ggp_agent.player.server.player_server import PlayerServer

    use_one_arena()  # as the command does, and this:
    sys.setswitchinterval(0.001)
    player = legal_player(PlayerSettings("legal", matches=4), silence=1.0)
    with (
        player_log(LineHandler()),
        PlayerServer("127.0.0.1", 0, player.answer, request_timeout=REQUEST_TIMEOUT) as server,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.buffer.read()
        server.shutdown()
    player.close()


def fuzz(count: int, chunk: int, seed: int, say: Callable[[str], None], within: float = GOOD_WITHIN) -> list[str]:
    """Send mutants in chunks, report each chunk, and return error messages; an empty list if all is correct."""
    source = mutants(seed)
    target = Target()
    faults: list[str] = []
    slowest, sent, moves, began = 0.0, 0, 0, time.monotonic()
    try:
        # Data that is loaded and built once is not a leak.
        attack(target.port, (next(source) for _ in range(200)), seed)
        threads, files = target.settle(0, 0, 1.5 * REQUEST_TIMEOUT)
        memory = 0.0
        say(f"{'sent':>8} {'per s':>6} {'threads':>7} {'files':>5} {'MB':>6} {'INFO':>6} {'PLAY':>6}  answers")
        while sent < count and target.process.poll() is None:
            part = min(chunk, count - sent)
            since = time.monotonic()
            with GoodMatch(target.port, max(TOLERANCE, within)) as match:
                outcome = attack(target.port, (next(source) for _ in range(part)), seed + sent)
            rate = part / (time.monotonic() - since)
            sent += part
            now = target.settle(threads, files)
            answers = ", ".join(f"{name} {number}" for name, number in sorted(outcome.answers.items()))
            say(
                f"{sent:8} {rate:6.0f} {now[0]:7} {now[1]:5} {target.memory():6.1f} {outcome.slowest_check:6.2f} "
                f"{match.slowest:6.2f}  {answers}"
            )
            slowest = max(slowest, outcome.slowest_check)
            moves += match.moves
            faults += match.faults
            faults += [f"no end: {data[:300]!r}" for data in outcome.unanswered]
            faults += [f"a good request failed: {text}" for text in outcome.failed_checks]
            memory = memory or target.memory()  # memory of large messages is used again
            if target.memory() > MEMORY:
                faults.append(f"{target.memory():.1f} MB are held")
            if now[0] > threads + SPARE or now[1] > files + SPARE:
                faults.append(f"{threads} threads and {files} files became {now[0]} and {now[1]}")
        if target.process.poll() is not None:
            faults.append(f"the server ended with status {target.process.poll()}")
        elif target.memory() > memory + MEMORY_GROWTH:
            faults.append(f"{memory:.1f} MB became {target.memory():.1f}")
        faults += target.tracebacks()
    finally:
        target.close()
    if slowest > within:
        faults.append(f"a good request was answered after {slowest:.2f} s")
    seconds = time.monotonic() - began
    say(f"{sent:,} requests in {seconds:.0f} s; slowest INFO {slowest:.2f} s; {moves:,} moves; faults: {len(faults)}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--chunk", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve()
        return 0
    faults = fuzz(args.requests, args.chunk, args.seed, lambda line: print(line, flush=True))
    for fault in faults[:20]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
