"""The build of the core: what is compiled again after a change, after damage and after an error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from places import ROOT
from setuptools.errors import CompileError

sys.path.insert(0, str(ROOT))
import setup as core

RULES = """\
builddir = objects
rule compile
  command = {compiler} -MMD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = compile $in
rule link
  command = {compiler} $in -o $out
  description = link $out
build objects/one.o: compile one.cpp
build objects/two.o: compile two.cpp
build objects/program.so: link objects/one.o objects/two.o
"""


class Sources:
    """A program of two sources, of which one includes a header."""

    def __init__(self) -> None:
        self.objects = Path("objects")
        Path("two.hpp").write_text("int two();\n")
        Path("one.cpp").write_text("int main() { return 0; }\n")
        Path("two.cpp").write_text('#include "two.hpp"\nint two() { return 2; }\n')

    def write_rules(self) -> None:
        core.write(self.objects / "build.ninja", RULES.format(compiler=os.environ.get("CXX") or "c++"))

    def compile(self, capfd: pytest.CaptureFixture[str]) -> list[str]:
        core.build(self.objects, self.write_rules)
        return sorted(line.split()[-1] for line in capfd.readouterr().out.splitlines() if line.startswith("["))


EVERYTHING = ["objects/program.so", "one.cpp", "two.cpp"]


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Sources:
    monkeypatch.chdir(tmp_path)
    made = Sources()
    assert made.compile(capfd) == EVERYTHING
    return made


def test_only_what_a_change_affects_is_compiled_again(sources: Sources, capfd: pytest.CaptureFixture[str]) -> None:
    assert sources.compile(capfd) == []
    Path("two.hpp").write_text("int two();\nint three();\n")
    assert sources.compile(capfd) == ["objects/program.so", "two.cpp"]


@pytest.mark.parametrize("name", ["two.o", ".ninja_log", ".ninja_deps", "build.ninja"])
def test_a_damaged_folder_is_compiled_again(name: str, sources: Sources, capfd: pytest.CaptureFixture[str]) -> None:
    (sources.objects / name).write_bytes(b"\0damaged\n")
    sources.compile(capfd)
    assert os.access(sources.objects / "program.so", os.X_OK)
    assert sources.compile(capfd) == []


def test_an_error_keeps_what_is_compiled(sources: Sources, capfd: pytest.CaptureFixture[str]) -> None:
    two = Path("two.cpp").read_text()
    Path("two.cpp").write_text("int two() { return }\n")
    with pytest.raises(CompileError, match=r"^cannot compile objects/two\.o$"):
        core.build(sources.objects, sources.write_rules)
    assert "two.cpp:1" in capfd.readouterr().out
    Path("two.cpp").write_text(two)
    assert sources.compile(capfd) == ["objects/program.so", "two.cpp"]


def test_units_keep_the_order_of_sources(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.cpp" for number in range(4)]
    for path, size in zip(paths, (10, 30, 50, 5), strict=True):
        path.write_text("x" * size)
    assert list(core.units(paths, 40)) == [paths[:2], paths[2:3], paths[3:]]
    assert list(core.units([], 40)) == []
    assert list(core.units(paths, 0)) == [[path] for path in paths]
