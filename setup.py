"""Build the C++17 core and its Cython bindings with ninja, one extension for each folder of csrc.

pyproject.toml has everything else. Objects stay in `build/objects`. A second build compiles only what has changed,
according to the dependency files of the compiler and of Cython. ccache is used if it is installed.
"""

import filecmp
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import clingo
import ninja
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

ROOT = Path(__file__).parent

# The extensions, those that compile longest first, and the folder of csrc that each of them binds.
MODULES = {
    "ggp_agent._games": "games",
    "gdl._network": "network",
    "ggp_agent._search": "search",
    "ggp_agent._hidden": "hidden",
    "gdl._reasoner": "reasoner",
    "gdl._simulation": "simulation",
    "gdl._simulator": "arrays",
    "ggp_agent._learning": "learning",
}
# Sums of floating-point numbers decide trees, so they must not depend on fused instructions of the processor.
# Warnings need 3 % of the time; the C++ tests compile every source with them.
FLAGS = "-std=c++17 -g0 -DNDEBUG -fvisibility=hidden -ffp-contract=off -Wno-all -w"
# GCC collects garbage more seldom, which takes 0.5 GB for the largest source and saves 3 % of the time.
GCC_FLAGS = " --param ggc-min-expand=400 --param ggc-min-heapsize=1000000"
# Levels of optimisation. -O3 takes a fifth longer and makes only native games, kernels and, by 2 %, the search faster.
# Bindings, and the names of the fields of a configuration, have no loop worth optimising: -Og compiles them in two
# thirds of the time.
HOT, WARM, COLD = "-O3", "-O2", "-Og"
HOT_MODULES = ("ggp_agent._games", "ggp_agent._search")
COLD_SOURCES = ("config_fields",)
# A source `*.kernel.cpp` is compiled once for each instruction set.
INSTRUCTION_SETS = ("portable", "avx2", "avx512")
# Sources of a folder are compiled in units of several sources, because their headers take most of the time. A source
# of the games takes longer than its headers.
UNIT_BYTES = {"games": 0}
DEFAULT_UNIT_BYTES = 160_000

# Standard headers that are compiled once for all optimised sources, because they take a third of the time of a small
# source. Sources include what they use: the tests under sanitizers are compiled without this.
STANDARD_HEADERS = (
    "algorithm array atomic chrono cmath cstring functional memory numeric optional stdexcept string vector"
)

RULES = """\
builddir = {folder}
rule cython
  command = {python} -m cython --cplus -3 -X boundscheck=False -X wraparound=False --depfile -I . -o $out $in
  depfile = $out.dep
  deps = gcc
  description = translate $in
compile = {compiler} {flags} -I {folder} -I csrc -I {python_headers} -MMD -MF
rule headers
  command = $compile $out.d $flags -x c++-header $in -o $out
  depfile = $out.d
  deps = gcc
  description = compile $in
rule compile
  command = $compile $out.d $flags -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = compile $in
rule link
  command = {linker} $in -o $out
  description = link $out
"""


def extension(module: str, folder: str) -> Extension:
    """Describe a Cython module together with the folder of csrc that it binds."""
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc" / folder).rglob("*.cpp"))
    return Extension(module, [f"{module.replace('.', '/')}.pyx", *sources], language="c++")


def folder_of(source: Path) -> str:
    """Return the folder of csrc that has a source; empty for a file that the build writes."""
    return source.parts[1] if source.parts[0] == "csrc" else ""


def write(path: Path, text: str) -> None:
    """Write a file unless it has this text: ninja compiles again what depends on a newer file."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def compilations(sources: list[Path], units_in: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield each source or unit of sources of a folder of csrc, the name of its object, and its flags.

    Args:
        sources: the sources.
        units_in: the prefix of the paths of units.
    """
    others = []
    for source in sources:
        if source.name.endswith(".kernel.cpp"):
            for isa in INSTRUCTION_SETS:
                yield source, f"{source.stem}.{isa}", f"-DGGP_ISA={isa} -DGGP_{isa.upper()}"
        elif source.stem in COLD_SOURCES:
            yield source, source.stem, ""
        else:
            others.append(source)
    for unit in units(others, UNIT_BYTES.get(folder_of(sources[0]), DEFAULT_UNIT_BYTES)):
        source = unit[0]
        if len(unit) > 1:
            source = Path(f"{units_in}.{unit[0].stem}.unit.cpp")
            write(source, "".join(f'#include "{path.relative_to("csrc")}"\n' for path in unit))
        yield source, unit[0].stem, ""


def level_of(source: Path, module: str) -> str:
    """Return the level of optimisation of a source or a unit of sources of an extension."""
    if source.stem in COLD_SOURCES:
        return COLD
    return HOT if module in HOT_MODULES or source.name.endswith(".kernel.cpp") else WARM


def standard_header(folder: Path, level: str) -> Path:
    """Return the header that is compiled once for a level: GCC optimises a source as the header that it reads."""
    return folder / f"standard{level}.hpp"


def build(folder: Path, write_rules: Callable[[], None], *targets: str) -> None:
    """Run ninja in the current folder; a damaged folder of objects is made again, once.

    Raises:
        CompileError: a source does not compile.
    """
    for attempt in (1, 2):
        folder.mkdir(parents=True, exist_ok=True)
        write_rules()
        failed = []
        jobs = str(os.cpu_count() or 1)
        command = [Path(ninja.BIN_DIR, "ninja"), "-j", jobs, "-f", folder / "build.ninja", *targets]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
            assert running.stdout is not None
            for line in running.stdout:
                print(line, end="", flush=True)
                if line.startswith("FAILED: "):
                    failed.append(line.split()[-1])
        if running.returncode == 0:
            return
        # The linker and ninja itself fail only on damaged files, as after a full disk.
        if attempt == 1 and not any(step.endswith((".o", ".cpp")) for step in failed):
            print(f"{folder} is damaged: all objects are compiled again", flush=True)
            shutil.rmtree(folder)
        else:
            raise CompileError(f"cannot compile {', '.join(failed) or folder}")


def units(sources: list[Path], most_bytes: int) -> Iterator[list[Path]]:
    """Divide sources into groups of at most this size, or of one source."""
    unit: list[Path] = []
    size = 0
    for source in sources:
        size += source.stat().st_size
        if unit and size > most_bytes:
            yield unit
            unit, size = [], source.stat().st_size
        unit.append(source)
    if unit:
        yield unit


def edges(module: str, binding: str, sources: list[Path], folder: Path, precompiled: bool) -> Iterator[str]:
    """Yield the lines of the ninja file that make an extension.

    Args:
        module: the name of the extension.
        binding: its Cython source.
        sources: its C++ sources.
        folder: the folder of the objects.
        precompiled: whether optimised sources use a precompiled header.
    """
    translated = folder / f"{module}.cpp"
    yield f"build {translated}: cython {binding}\n"
    objects = []
    # Of an inline function that several objects have, the linker takes the first: not the one of the bindings.
    for source, name, flags in [*compilations(sources, folder / module), (translated, "bindings", "")]:
        objects.append(f"{folder / module}.{name}.o")
        needed = [folder / "compiler.txt"]
        level = COLD if source == translated else level_of(source, module)
        if precompiled and level != COLD:
            needed.append(Path(f"{standard_header(folder, level)}.gch"))
            flags += f" -include {standard_header(folder, level)}"
        yield f"build {objects[-1]}: compile {source} | {' '.join(map(str, needed))}\n  flags = {level} {flags}\n"
    yield f"build {folder / module}.so: link {' '.join(objects)}\n"


class NinjaBuild(build_ext):
    """Compile the objects of all extensions in parallel over all cores, each object once."""

    def build_extensions(self) -> None:
        """Run ninja, and copy the extensions to the places that setuptools names."""
        os.chdir(ROOT)
        folder = Path("build", "objects", sysconfig.get_config_var("SOABI"))
        try:
            build(folder, lambda: self.write_rules(folder))
            for each in self.extensions:
                install(folder / f"{each.name}.so", Path(self.get_ext_fullpath(each.name)))
        except OSError as error:
            raise CompileError(f"{error.filename}: {error.strerror}") from error
        except KeyboardInterrupt:
            raise SystemExit(130) from None

    def write_rules(self, folder: Path) -> None:
        """Write the ninja file and the files that it refers to."""
        ccache = shutil.which("ccache")
        compiler = [*([ccache] if ccache else []), *self.compiler.compiler_so_cxx]
        version = subprocess.run([self.compiler.compiler_so_cxx[0], "--version"], capture_output=True, text=True)
        # All objects depend on this file, so another compiler of the same name compiles them again.
        write(folder / "compiler.txt", version.stdout)
        # The folder of this header has another name in each build environment of pip.
        write(folder / "clingo.h", Path(clingo.__file__).with_name("clingo.h").read_text())
        rules = RULES.format(
            folder=folder,
            python=shlex.quote(sys.executable),
            compiler=shlex.join(compiler),
            linker=shlex.join(self.compiler.linker_so_cxx),
            flags=FLAGS + (GCC_FLAGS if "Free Software Foundation" in version.stdout else ""),
            python_headers=shlex.quote(sysconfig.get_path("include")),
        )
        lines = [rules]
        precompiled = not ccache  # ccache stores no object that uses such a header
        for level in (HOT, WARM) if precompiled else ():
            header = standard_header(folder, level)
            write(header, "".join(f"#include <{name}>\n" for name in STANDARD_HEADERS.split()))
            lines.append(f"build {header}.gch: headers {header} | {folder / 'compiler.txt'}\n  flags = {level}\n")
        for each in self.extensions:
            binding, *sources = each.sources
            lines += edges(each.name, binding, [Path(source) for source in sources], folder, precompiled)
        write(folder / "build.ninja", "".join(lines))


def install(built: Path, target: Path) -> None:
    """Copy an extension unless the target is the same file; running programs keep the earlier one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or not filecmp.cmp(built, target, shallow=True):
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        shutil.copy2(built, part)
        part.replace(target)


if __name__ == "__main__":
    setup(
        ext_modules=[extension(module, folder) for module, folder in MODULES.items()],
        cmdclass={"build_ext": NinjaBuild},
    )
