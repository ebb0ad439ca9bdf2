"""Compile the C++ tests, and the sources that they are linked with, under sanitizers.

Every `tests/csrc/test_*.cpp` is one program. A line `// Links: FOLDER ...` in it names the folders of `csrc` whose
sources belong to it; they are compiled once for all programs. They are not optimised, for most take longer to
optimise than to run; a line `// Flags: FLAG ...` adds flags of the compiler, such as -O1 for one that does not.

As a program it compiles all of them. It needs a compiler only, and so can run while all else is being installed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from places import ROOT

PROGRAMS = sorted((ROOT / "tests" / "csrc").glob("test_*.cpp"))
COMPILER = shlex.split(os.environ.get("CXX", "")) or ["c++" if shutil.which("c++") else "g++"]
# Undefined behaviour ends the program by a trap: code that tells what happened takes a third longer to compile. A null
# pointer ends it without a check, and an object that is too small is seen by the other sanitizer; these checks, one for
# each access, would take a fifth more.
SANITIZED = [
    "-O1",
    "-g1",
    "-fsanitize=address,undefined",
    "-fno-sanitize=null,alignment,object-size,vptr",
    "-fsanitize-undefined-trap-on-error",
]
FLAGS = ["-std=c++17", *SANITIZED, "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT / 'csrc'}"]

# Inlined and then instrumented, the boards of the games take a minute and a half to compile, not ten seconds, and run
# no faster.
FLAGS_OF_FOLDER = {"csrc/games": ["-fno-inline"], "tests/csrc": ["-O0"]}

# Grounding needs clingo's library, which is not built for sanitizers; C++ tests read ground programs from files.
WITHOUT = {"clingo_grounder.cpp", "compile_game.cpp"}


class CommandError(Exception):
    """Hold what a command printed that ended with another exit status than 0."""


def words_of(program: Path, title: str) -> list[str]:
    """Read a line `// Title: word ...` of a test program; no words where there is none."""
    match = re.search(rf"^// {title}:(.*)$", program.read_text(), re.MULTILINE)
    return match.group(1).split() if match else []


def linked_sources(program: Path) -> list[Path]:
    """List the sources of csrc that a test program is linked with."""
    folders = [ROOT / "csrc" / name for name in words_of(program, "Links")]
    return [source for folder in folders for source in sorted(folder.glob("*.cpp")) if source.name not in WITHOUT]


# Of where memory was taken two calls are kept; to keep thirty takes a fifth of the time of some programs.
ENVIRONMENT = {"ASAN_OPTIONS": "malloc_context_size=2", **os.environ}


def run(command: Sequence[str | Path]) -> None:
    """Run a command.

    Raises:
        CommandError: it failed.
    """
    done = subprocess.run(
        [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=ENVIRONMENT
    )
    if done.returncode != 0:
        raise CommandError(f"exit status {done.returncode} from {' '.join(map(str, command))}\n{done.stdout}")


def object_file(source: Path, folder: Path) -> Path:
    """Name the object file of a source below the given folder."""
    return folder / (source.relative_to(ROOT).as_posix().replace("/", "-") + ".o")


def compile_source(source: Path, folder: Path) -> None:
    """Compile a source, unless its object is younger than it and all headers."""
    folders = [ROOT / "csrc", ROOT / "tests" / "csrc"]
    headers = [path for where in folders for path in where.rglob("*") if path.suffix in (".hpp", ".inl")]
    made = object_file(source, folder)
    if made.exists() and made.stat().st_mtime > max(path.stat().st_mtime for path in [source, *headers]):
        return
    # Under another name first, so that an interrupted compiler leaves nothing that looks finished.
    part = made.with_suffix(f".{os.getpid()}.part")
    own_flags = [*FLAGS_OF_FOLDER.get(source.parent.relative_to(ROOT).as_posix(), []), *words_of(source, "Flags")]
    run([*COMPILER, *FLAGS, *own_flags, "-c", source, "-o", part])
    part.replace(made)


def compile_all(workers: ThreadPoolExecutor) -> Path:
    """Compile all test programs and what they are linked with; return the folder of the objects.

    The folder is kept between runs, one for each compiler and set of flags.

    Raises:
        CommandError: a source does not compile.
    """
    key = hashlib.sha256(f"{COMPILER} {FLAGS} {FLAGS_OF_FOLDER}".encode()).hexdigest()[:16]
    folder = ROOT / "build" / "sanitized" / key
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted({*PROGRAMS, *(source for program in PROGRAMS for source in linked_sources(program))})
    list(workers.map(lambda source: compile_source(source, folder), sources))
    return folder


def main() -> int:
    """Compile all; exit status 1, and what the compiler said, where that fails."""
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        try:
            compile_all(workers)
        except CommandError as error:
            workers.shutdown(cancel_futures=True)
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
