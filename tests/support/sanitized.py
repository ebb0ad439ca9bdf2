"""Compile the C++ tests and their linked sources under sanitizers.

Every `tests/csrc/test_*.cpp` is one program. Its lines `// Links: NAME ...` name the folders of `csrc`, or single
sources, that belong to it; they are compiled once for all programs. They are not optimised, because most take longer to
optimise than to run; a line `// Flags: FLAG ...` adds flags of the compiler, such as -O1 for a slow program.

Every `tests/csrc/threads_*.cpp` is a program that is compiled, with its linked sources, under ThreadSanitizer,
which cannot be combined with the other sanitizers.

Run as a program, it compiles all of them. It needs only a compiler, so it can run while other things are installed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from places import ROOT

PROGRAMS = sorted((ROOT / "tests" / "csrc").glob("test_*.cpp"))
THREAD_PROGRAMS = sorted((ROOT / "tests" / "csrc").glob("threads_*.cpp"))
COMPILER = shlex.split(os.environ.get("CXX", "")) or ["c++" if shutil.which("c++") else "g++"]
# Undefined behaviour ends the program by a trap: code that reports it takes a third longer to compile. A null pointer
# ends it without a check, and the other sanitizer detects objects that are too small; these checks, one for each
# access, would take a fifth more.
SANITIZED = [
    "-O1",
    "-g1",
    "-fsanitize=address,undefined",
    "-fno-sanitize=null,alignment,object-size,vptr",
    "-fsanitize-undefined-trap-on-error",
]
_ALWAYS = ["-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT / 'csrc'}"]
FLAGS = ["-std=c++17", *SANITIZED, *_ALWAYS]
THREAD_FLAGS = ["-std=c++17", "-O1", "-g1", "-fsanitize=thread", *_ALWAYS]

# Inlined and then instrumented, the boards of the games take a minute and a half to compile, not ten seconds, and run
# no faster.
FLAGS_OF_FOLDER = {"csrc/games": ["-fno-inline"], "csrc/learning": ["-ffp-contract=off"], "tests/csrc": ["-O0"]}

# Grounding needs clingo's library, which is not built for sanitizers; C++ tests read ground programs from files.
WITHOUT = {"clingo_grounder.cpp", "compile_game.cpp"}


class CommandError(Exception):
    """The output of a command that ended with an exit status other than 0."""


def words_of(program: Path, title: str) -> list[str]:
    """Read the lines `// Title: word ...` of a test program; no words if there is none."""
    lines = re.findall(rf"^// {title}:(.*)$", program.read_text(), re.MULTILINE)
    return [word for line in lines for word in line.split()]


def linked_sources(program: Path) -> list[Path]:
    """List the sources of csrc that a test program is linked with."""
    places = [ROOT / "csrc" / name for name in words_of(program, "Links")]
    sources = [sorted(place.glob("*.cpp")) if place.is_dir() else [place] for place in places]
    return [source for group in sources for source in group if source.name not in WITHOUT]


# Two stack frames are stored for each allocation; storing thirty takes a fifth of the time of some programs.
ENVIRONMENT = {"ASAN_OPTIONS": "malloc_context_size=2", **os.environ}


def run(command: Sequence[str | Path]) -> None:
    """Run a command.

    Raises:
        CommandError: the command failed.
    """
    done = subprocess.run(
        [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=ENVIRONMENT
    )
    if done.returncode != 0:
        raise CommandError(f"exit status {done.returncode} from {' '.join(map(str, command))}\n{done.stdout}")


def object_file(source: Path, folder: Path) -> Path:
    """Return the object file of a source below the given folder."""
    return folder / (source.relative_to(ROOT).as_posix().replace("/", "-") + ".o")


def flags_of(program: Path) -> list[str]:
    """Return the flags to compile and link a program and its linked sources."""
    return THREAD_FLAGS if program in THREAD_PROGRAMS else FLAGS


def why_no_thread_sanitizer() -> str:
    """Return why programs under ThreadSanitizer cannot be built or run on this computer; empty if they can."""
    with tempfile.TemporaryDirectory() as folder:
        source, executable = Path(folder) / "probe.cpp", Path(folder) / "probe"
        source.write_text("#include <thread>\nint main() { std::thread([] {}).join(); }\n")
        try:
            run([*COMPILER, *THREAD_FLAGS, source, "-o", executable])
            run([executable])
        except CommandError as error:
            return f"ThreadSanitizer does not work here: {str(error).strip().splitlines()[-1]}"
    return ""


def compile_source(source: Path, folder: Path, flags: Sequence[str]) -> None:
    """Compile a source, unless its object is newer than the source and all headers."""
    folders = [ROOT / "csrc", ROOT / "tests" / "csrc"]
    headers = [path for where in folders for path in where.rglob("*") if path.suffix in (".hpp", ".inl")]
    made = object_file(source, folder)
    if made.exists() and made.stat().st_mtime > max(path.stat().st_mtime for path in [source, *headers]):
        return
    # Under another name first, so that an interrupted compiler leaves nothing that looks finished.
    part = made.with_suffix(f".{os.getpid()}.part")
    own_flags = [*FLAGS_OF_FOLDER.get(source.parent.relative_to(ROOT).as_posix(), []), *words_of(source, "Flags")]
    run([*COMPILER, *flags, *own_flags, "-c", source, "-o", part])
    part.replace(made)


def compile_all(workers: ThreadPoolExecutor, programs: Sequence[Path]) -> Path:
    """Compile test programs with the same flags, and their linked sources; return the folder of the objects.

    The folder is kept between runs, one for each compiler and set of flags.

    Raises:
        CommandError: a source does not compile.
    """
    flags = flags_of(programs[0])
    key = hashlib.sha256(f"{COMPILER} {flags} {FLAGS_OF_FOLDER}".encode()).hexdigest()[:16]
    folder = ROOT / "build" / "sanitized" / key
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted({*programs, *(source for program in programs for source in linked_sources(program))})
    list(workers.map(lambda source: compile_source(source, folder, flags), sources))
    return folder


def main() -> int:
    """Compile everything; on failure print the output of the compiler and return exit status 1."""
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        try:
            compile_all(workers, PROGRAMS)
            if not why_no_thread_sanitizer():
                compile_all(workers, THREAD_PROGRAMS)
        except CommandError as error:
            workers.shutdown(cancel_futures=True)
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
