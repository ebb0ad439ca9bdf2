"""Run the C++ tests, which are compiled under sanitizers.

A line `// Games: NAME ...` of a source names games of the catalogue. The arguments of its tests are the paths of the
ground programs of these games, and then the paths of the rules that a line `// Rules: NAME ...` names, as the reasoner
reads them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from sanitized import (
    SOURCES,
    THREAD_PROGRAMS,
    CommandError,
    compile_programs,
    program_of,
    run,
    why_no_thread_sanitizer,
    words_of,
)
from setuptools.errors import CompileError

from gdl import parse_sheet
from gdl.compile.ground import ground
from gdl.machines.reasoner import reasoner_text
from kif_games import rules

pytestmark = pytest.mark.slow


def ground_program(name: str, folder: Path) -> Path:
    path = folder / f"{name}.ground"
    path.write_text(str(ground(parse_sheet(rules(name), source=name))))
    return path


def rule_program(name: str, folder: Path) -> Path:
    path = folder / f"{name}.rules"
    path.write_text(reasoner_text(parse_sheet(rules(name), source=name)))
    return path


@pytest.fixture(scope="module")
def compiled(request: pytest.FixtureRequest) -> None:
    """Compile the programs of all tests that were selected."""
    calls = [getattr(item, "callspec", None) for item in request.session.items]
    wanted = {call.params["source"] for call in calls if call is not None and "source" in call.params}
    if why_no_thread_sanitizer():
        wanted -= set(THREAD_PROGRAMS)
    try:
        compile_programs(sorted(wanted))
    except CompileError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.mark.parametrize("source", [*SOURCES, *THREAD_PROGRAMS], ids=lambda source: source.stem)
def test_source(source: Path, compiled: None, tmp_path: Path) -> None:
    why = why_no_thread_sanitizer() if source in THREAD_PROGRAMS else ""
    if why:
        pytest.skip(why)
    name = [] if source in THREAD_PROGRAMS else [source.stem.removeprefix("test_")]
    ground_programs = [ground_program(game, tmp_path) for game in words_of(source, "Games")]
    rule_programs = [rule_program(game, tmp_path) for game in words_of(source, "Rules")]
    try:
        run([program_of(source), *name, *ground_programs, *rule_programs])
    except CommandError as error:
        pytest.fail(str(error), pytrace=False)
