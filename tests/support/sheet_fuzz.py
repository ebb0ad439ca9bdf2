"""Mutated rule sheets through `load_game`: `make fuzz-sheets`, and a small number in the tests.

    python tests/support/sheet_fuzz.py --sheets 10000 --seed 1

Each mutant is a file that is loaded in a process with a limit of memory. It must be a game, or be rejected with one
line that begins with the file and contains line and column if the error has a position. Other exceptions, slow or large
loads and processes that die are reported. Equal seeds make equal mutants.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from places import CORPUS, ROOT
from random_sheets import random_sheet

from gdl import GdlError
from ggp_agent.common.errors import UserError
from ggp_agent.common.processes import how_it_ended
from ggp_agent.game.load import load_game
from kif_games import catalogue, rules

# CPU-seconds that one sheet may take, and the seconds on the clock after which its process is killed.
CPU_SECONDS = 5.0
PATIENCE = 60
# Megabytes of address space of the process.
MEMORY_MB = 2048
# The longest sheets of the corpus that are mutated; characters.
_LONGEST = 60_000

_TOKEN = re.compile(rb"[()]|[^\s()]+")
_PLACED = re.compile(r":[0-9]+:[0-9]+: \S")
# Errors about the whole sheet have no position.
_WHOLE = re.compile(r": (names no role|contains no rules); ")

_PIECES = [
    b"(", b")", b"()", b"((", b";", b"?", b"?x", b" ", b"\n", b"\r", b"\t", b"\0", b"\xff", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", "\u2028".encode(), "ä".encode(), b'"', b"'", b"|", b"#", b"<=", b"=>", b"=", b"not", b"or", b"and",
    b"distinct", b"role", b"init", b"true", b"does", b"next", b"legal", b"goal", b"terminal", b"sees", b"base",
    b"input", b"random", b"0", b"-1", b"101", b"1" * 400, b"a" * 1200, b"(" * 300, b")" * 300, b"(not " * 150,
    b"(f " * 200,
    b"(<= a b)", b"(role (f a))",
]  # fmt: skip

Mutation = Callable[[bytes, random.Random], bytes]


def _bytes(data: bytes, source: random.Random) -> bytes:
    place = source.randrange(len(data) + 1)
    return data[:place] + bytes([source.randrange(256)]) + data[place + source.randrange(2) :]


def _cut(data: bytes, source: random.Random) -> bytes:
    first, last = sorted(source.randrange(len(data) + 1) for _ in range(2))
    return data[:first] + data[last:] if source.random() < 0.5 else data[first:last]


def _double(data: bytes, source: random.Random) -> bytes:
    first = source.randrange(len(data) + 1)
    last = min(len(data), first + source.randrange(1, 400))
    return data[:last] + data[first:last] * source.randrange(1, 20) + data[last:]


def _insert(data: bytes, source: random.Random) -> bytes:
    place = source.randrange(len(data) + 1)
    return data[:place] + source.choice(_PIECES) + data[place:]


def _token(data: bytes, source: random.Random) -> bytes:
    found = list(_TOKEN.finditer(data))
    if not found:
        return data
    one, other = source.choice(found), source.choice(found)
    new = source.choice((b"", other[0], b"%s %s" % (one[0], other[0]), source.choice(_PIECES)))
    return data[: one.start()] + new + data[one.end() :]


_MUTATIONS: tuple[Mutation, ...] = (_bytes, _cut, _double, _insert, _insert, _token, _token, _token)


def originals() -> list[bytes]:
    """Return the sheets to mutate: sheets of the catalogue, random sheets, and public sheets if available."""
    sheets = [rules(name).encode() for name in catalogue()]
    sheets += [random_sheet(random.Random(number)).encode() for number in range(50)]
    sheets += [path.read_bytes() for path in sorted((CORPUS / "rules").glob("*.kif"))]
    return [sheet for sheet in sheets if len(sheet) <= _LONGEST]


def mutant(sheets: list[bytes], seed: int, number: int) -> bytes:
    source = random.Random(f"{seed} {number}")
    data = source.choice(sheets)
    for _ in range(source.choice((1, 1, 2, 3, 8))):
        data = source.choice(_MUTATIONS)(data, source) or b"("
    return data


def load(path: Path) -> tuple[str, str]:
    """Load one sheet; return the outcome as one word, and the error message, empty if it is correct."""
    began = time.process_time()
    try:
        load_game(path)
        kind, text = "game", ""
    except (GdlError, UserError) as error:
        kind, text = "refused", str(error)
    except Exception as error:
        return "fault", f"{type(error).__name__}: {error}"
    spent = time.process_time() - began
    if spent > CPU_SECONDS:
        return "fault", f"it took {spent:.1f} CPU-seconds"
    if kind == "refused" and (len(text.splitlines()) != 1 or (str(path) not in text and path.stem not in text)):
        return "fault", f"the error is not one line about the file: {text!r}"
    if kind == "refused" and _PLACED.search(text) is None:
        return ("unplaced", "") if _WHOLE.search(text) else ("fault", f"the error has no place: {text!r}")
    return kind, ""


def work(first: int, last: int, seed: int) -> None:
    """Load mutants, and print a line for each: number, outcome, error message."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 20, MEMORY_MB << 20))
    sheets = originals()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.kif"
        for number in range(first, last):
            path.write_bytes(mutant(sheets, seed, number))
            signal.alarm(PATIENCE)  # which ends the process
            kind, wrong = load(path)
            print(number, kind, ascii(wrong), flush=True)


def fuzz(count: int, seed: int, say: Callable[[str], None]) -> list[str]:
    """Load mutants, report progress after each thousand, and return error messages; an empty list if all is correct."""
    faults: list[str] = []
    outcomes: Counter[str] = Counter()
    done, began = 0, time.monotonic()
    while done < count:
        words = [sys.executable, __file__, "--work", str(done), str(count), "--seed", str(seed)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(__file__).parent)])}
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            for line in process.stdout:
                number, kind, wrong = line.rstrip("\n").split(" ", 2)
                done = int(number) + 1
                outcomes[kind] += 1
                if kind == "fault":
                    faults.append(f"sheet {number}: {wrong}")
                if done % 1000 == 0:
                    say(f"{done:8} sheets, {time.monotonic() - began:6.0f} s, {_told(outcomes)}")
        if done < count:
            faults.append(f"sheet {done}: its process ended with {how_it_ended(process.returncode)}")
            done += 1
    say(f"{count:,} sheets in {time.monotonic() - began:.0f} s: {_told(outcomes)}; faults: {len(faults)}")
    return faults


def _told(outcomes: Counter[str]) -> str:
    return ", ".join(f"{kind} {number:,}" for kind, number in sorted(outcomes.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sheets", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=int, nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work is not None:
        work(*args.work, args.seed)
        return 0
    faults = fuzz(args.sheets, args.seed, lambda line: print(line, flush=True))
    for fault in faults[:20]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
