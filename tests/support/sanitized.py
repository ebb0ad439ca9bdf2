"""Compile the C++ tests and the sources of csrc under sanitizers, with ninja.

The sources of a folder `tests/csrc/NAME` and run_tests.cpp are a program that is linked with all of csrc. A line
`// Flags: FLAG ...` of a source adds flags of the compiler. Sources of tests are not optimised, because most take
longer to optimise than to run.

Every `tests/csrc/threads_*.cpp` is a program that is compiled, with its linked sources, under ThreadSanitizer, which
cannot be combined with the other sanitizers. Its lines `// Links: NAME ...` name these folders and sources of csrc.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from places import ROOT

sys.path.insert(0, str(ROOT))
from setup import build, compilations, folder_of, write

TESTS = ROOT / "tests" / "csrc"
SOURCES = sorted(TESTS.glob("*/test_*.cpp"))
THREAD_PROGRAMS = sorted(TESTS.glob("threads_*.cpp"))
FOLDER = ROOT / "build" / "sanitized"
COMPILER = shlex.split(os.environ.get("CXX", "")) or ["c++" if shutil.which("c++") else "g++"]
# Undefined behaviour ends the program by a trap: code that reports it takes a third longer to compile. A null pointer
# ends it without a check, and the other sanitizer detects objects that are too small; these checks, one for each
# access, would take a fifth more.
SANITIZED = (
    "-O1 -g1 -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr"
    " -fsanitize-undefined-trap-on-error"
)
THREAD_SANITIZED = "-O1 -g1 -fsanitize=thread"

# Inlined and then instrumented, the boards of the games take a minute and a half to compile, not ten seconds, and run
# no faster.
FLAGS_OF_FOLDER = {"games": "-fno-inline"}

# Grounding needs clingo's library, which is not built for sanitizers; C++ tests read ground programs from files.
WITHOUT = {"clingo_grounder.cpp", "compile_game.cpp"}

RULES = """\
builddir = {folder}
rule compile
  command = {compiler} -std=c++17 -Wall -Wextra -Werror -pthread -ffp-contract=off -I csrc -I tests/csrc $flags $
    -MMD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = compile $in
rule link
  command = {compiler} -pthread $flags $in -o $out
  description = link $out
"""


class CommandError(Exception):
    """The output of a command that ended with an exit status other than 0."""


def words_of(program: Path, title: str) -> list[str]:
    """Return the words of the lines `// Title: word ...` of a test source."""
    lines = re.findall(rf"^// {title}:(.*)$", program.read_text(), re.MULTILINE)
    return [word for line in lines for word in line.split()]


def program_of(source: Path) -> Path:
    """Return the program with the tests of a source."""
    return FOLDER / (source.stem if source in THREAD_PROGRAMS else f"{source.parent.name}_tests")


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


def why_no_thread_sanitizer() -> str:
    """Return why programs under ThreadSanitizer cannot be built or run on this computer; empty if they can."""
    with tempfile.TemporaryDirectory() as folder:
        source, executable = Path(folder) / "probe.cpp", Path(folder) / "probe"
        source.write_text("#include <thread>\nint main() { std::thread([] {}).join(); }\n")
        try:
            run([*COMPILER, *THREAD_SANITIZED.split(), "-pthread", source, "-o", executable])
            run([executable])
        except CommandError as error:
            return f"ThreadSanitizer does not work here: {str(error).strip().splitlines()[-1]}"
    return ""


def edges() -> Iterator[str]:
    """Yield the lines of the ninja file that make all programs."""

    def core(link: str, prefix: str, sanitizer: str) -> Iterator[str]:
        place = ROOT / "csrc" / link
        sources = sorted(place.rglob("*.cpp")) if place.is_dir() else [place]
        used = [source.relative_to(ROOT) for source in sources if source.name not in WITHOUT]
        of = folder_of(used[0])
        for source, name, flags in compilations(used, FOLDER.relative_to(ROOT) / f"{prefix}.{of}"):
            own = f"{sanitizer} {FLAGS_OF_FOLDER.get(of, '')} {flags}"
            yield from compiled(source, f"{prefix}.{of}.{name}.o", own)

    def compiled(source: Path, name: str, flags: str) -> Iterator[str]:
        objects.append(f"{FOLDER.relative_to(ROOT)}/{name}")
        yield f"build {objects[-1]}: compile {source}\n  flags = {flags}\n"

    objects: list[str] = []
    for of in sorted({path.relative_to(ROOT / "csrc").parts[0] for path in (ROOT / "csrc").rglob("*.cpp")}):
        yield from core(of, "core", SANITIZED)
    every_object = objects
    for folder in sorted({source.parent for source in SOURCES}):
        objects = []
        for source in [TESTS / "run_tests.cpp", *sorted(folder.glob("test_*.cpp"))]:
            yield from compiled(
                source.relative_to(ROOT),
                f"{folder.name}.{source.stem}.o",
                f"{SANITIZED} -O0 {' '.join(words_of(source, 'Flags'))}",
            )
        # The tests last: of an inline function that several objects have the first is linked, the optimised one.
        program = program_of(folder / "test_.cpp").relative_to(ROOT)
        yield f"build {program}: link {' '.join(every_object + objects)}\n  flags = {SANITIZED}\n"
    for source in THREAD_PROGRAMS:
        objects = []
        for link in words_of(source, "Links"):
            yield from core(link, source.stem, THREAD_SANITIZED)
        yield from compiled(source.relative_to(ROOT), f"{source.stem}.o", THREAD_SANITIZED)
        program = program_of(source).relative_to(ROOT)
        yield f"build {program}: link {' '.join(objects)}\n  flags = {THREAD_SANITIZED}\n"


def write_rules() -> None:
    rules = RULES.format(folder=FOLDER.relative_to(ROOT), compiler=shlex.join(COMPILER))
    write(FOLDER / "build.ninja", rules + "".join(edges()))


def compile_programs(sources: Sequence[Path]) -> None:
    """Compile the programs of some sources, and what they are linked with; keep the objects for the next run.

    Raises:
        CompileError: a source does not compile; the output of the compiler was printed.
    """
    os.chdir(ROOT)
    build(FOLDER, write_rules, *sorted({str(program_of(source).relative_to(ROOT)) for source in sources}))
