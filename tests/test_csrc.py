"""Compile the C++ tests under sanitizers and run them.

Every `tests/csrc/test_*.cpp` is one program. A line `// Links: FOLDER ...` in it names the folders of
`csrc` whose sources belong to it. Folders are compiled once for all programs. A line `// Games: NAME ...` names games
of the catalogue; the program is given the path of each ground program as an argument, in that order. Names in a line
`// Rules: NAME ...` likewise stand for the rules as the reasoner reads them. A line `// Flags: FLAG ...` adds flags of
the compiler, such as -O0 for a program that takes longer to optimise than to run.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from places import ROOT

from gdl import parse_sheet
from gdl.compile.ground import ground
from gdl.machines.reasoner import reasoner_text
from kif_games import rules

PROGRAMS = sorted((ROOT / "tests" / "csrc").glob("test_*.cpp"))
COMPILER = shlex.split(os.environ.get("CXX", "")) or ["c++" if shutil.which("c++") else "g++"]
SANITIZED = ["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FLAGS = ["-std=c++17", *SANITIZED, "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT / 'csrc'}"]

# Inlined and then instrumented, the boards of these take a minute and a half to compile, not ten seconds, and run no
# faster.
FLAGS_OF_FOLDER = {"games": ["-fno-inline"]}

# Grounding needs clingo's library, which is not built for sanitizers; C++ tests read ground programs from files.
WITHOUT = {"clingo_grounder.cpp", "compile_game.cpp"}


def words_of(program: Path, title: str) -> list[str]:
    """Read a line `// Title: word ...` of a test program; no words where there is none."""
    match = re.search(rf"^// {title}:(.*)$", program.read_text(), re.MULTILINE)
    return match.group(1).split() if match else []


def linked_sources(program: Path) -> list[Path]:
    """List the sources of csrc that a test program is linked with."""
    folders = [ROOT / "csrc" / name for name in words_of(program, "Links")]
    return [source for folder in folders for source in sorted(folder.glob("*.cpp")) if source.name not in WITHOUT]


def ground_program(name: str, folder: Path) -> Path:
    """Write the ground program of a game of the catalogue to a file."""
    path = folder / f"{name}.ground"
    path.write_text(str(ground(parse_sheet(rules(name), source=name))))
    return path


def rule_program(name: str, folder: Path) -> Path:
    """Write the clauses of a game of the catalogue to a file."""
    path = folder / f"{name}.rules"
    path.write_text(reasoner_text(parse_sheet(rules(name), source=name)))
    return path


def run(command: Sequence[str | Path]) -> None:
    """Run a command; fail the test with its output when it fails."""
    done = subprocess.run(
        [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        pytest.fail(f"exit status {done.returncode} from {command[0]}\n{done.stdout}", pytrace=False)


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
    own_flags = [*FLAGS_OF_FOLDER.get(source.parent.name, []), *words_of(source, "Flags")]
    run([*COMPILER, *FLAGS, *own_flags, "-c", source, "-o", part])
    part.replace(made)


@pytest.fixture(scope="module")
def workers() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        yield workers


@pytest.fixture(scope="module")
def objects(workers: ThreadPoolExecutor) -> Path:
    """Compile all test programs and what they are linked with; return the folder of the objects.

    The folder is kept between runs, one for each compiler and set of flags.
    """
    key = hashlib.sha256(f"{COMPILER} {FLAGS} {FLAGS_OF_FOLDER}".encode()).hexdigest()[:16]
    folder = ROOT / "build" / "sanitized" / key
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted({*PROGRAMS, *(source for program in PROGRAMS for source in linked_sources(program))})
    list(workers.map(lambda source: compile_source(source, folder), sources))
    return folder


@pytest.fixture(scope="module")
def running(
    request: pytest.FixtureRequest, workers: ThreadPoolExecutor, objects: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[Path, Future[None]]:
    """Link and start the programs of all tests that were asked for, as many at a time as there are cores."""
    calls = [getattr(item, "callspec", None) for item in request.session.items]
    programs = [call.params["program"] for call in calls if call is not None and "program" in call.params]
    return {
        program: workers.submit(link_and_run, program, objects, tmp_path_factory.mktemp(program.stem))
        for program in programs
    }


def link_and_run(program: Path, objects: Path, folder: Path) -> None:
    """Link a program, and run it with what it wants to be given."""
    executable = folder / program.stem
    run([*COMPILER, *FLAGS, *(object_file(s, objects) for s in [program, *linked_sources(program)]), "-o", executable])
    ground_programs = [ground_program(name, folder) for name in words_of(program, "Games")]
    rule_programs = [rule_program(name, folder) for name in words_of(program, "Rules")]
    run([executable, *ground_programs, *rule_programs])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program(program: Path, running: dict[Path, Future[None]]) -> None:
    running[program].result()
