"""Link the C++ tests, which are compiled under sanitizers, and run them.

A line `// Games: NAME ...` in a program names games of the catalogue; it is given the path of each ground program as
an argument, in that order. Names in a line `// Rules: NAME ...` likewise stand for the rules as the reasoner reads
them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from sanitized import (
    COMPILER,
    PROGRAMS,
    THREAD_PROGRAMS,
    CommandError,
    compile_all,
    flags_of,
    linked_sources,
    object_file,
    run,
    why_no_thread_sanitizer,
    words_of,
)

from gdl import parse_sheet
from gdl.compile.ground import ground
from gdl.machines.reasoner import reasoner_text
from kif_games import rules


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


@pytest.fixture(scope="module")
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Path, Future[None]]]:
    """Link and start the programs of all tests that were asked for, as many at a time as there are cores."""
    calls = [getattr(item, "callspec", None) for item in request.session.items]
    wanted = [call.params.get("program") for call in calls if call is not None]
    programs = [program for program in wanted if program in PROGRAMS]
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        try:
            objects = compile_all(workers, PROGRAMS)
        except CommandError as error:
            workers.shutdown(cancel_futures=True)
            pytest.fail(str(error), pytrace=False)
        yield {
            program: workers.submit(link_and_run, program, objects, tmp_path_factory.mktemp(program.stem))
            for program in programs
        }


def link_and_run(program: Path, objects: Path, folder: Path) -> None:
    """Link a program, and run it with what it wants to be given."""
    executable = folder / program.stem
    # The program last: of an inline function that several objects have the first is linked, the optimised one.
    linked = [object_file(source, objects) for source in [*linked_sources(program), program]]
    run([*COMPILER, *flags_of(program), *linked, "-o", executable])
    ground_programs = [ground_program(name, folder) for name in words_of(program, "Games")]
    rule_programs = [rule_program(name, folder) for name in words_of(program, "Rules")]
    run([executable, *ground_programs, *rule_programs])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program(program: Path, running: dict[Path, Future[None]]) -> None:
    try:
        running[program].result()
    except CommandError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.mark.parametrize("program", THREAD_PROGRAMS, ids=lambda program: program.stem)
def test_threads(program: Path, tmp_path: Path) -> None:
    why = why_no_thread_sanitizer()
    if why:
        pytest.skip(why)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        try:
            link_and_run(program, compile_all(workers, [program]), tmp_path)
        except CommandError as error:
            pytest.fail(str(error), pytrace=False)
