"""Compile the C++ tests under sanitizers and run them.

Every `tests/csrc/test_*.cpp` is one program. A line `// Links: FOLDER ...` in it names the folders of
`csrc` whose sources belong to it. Folders are compiled once for all programs.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAMS = sorted((ROOT / "tests" / "csrc").glob("test_*.cpp"))
COMPILER = shlex.split(os.environ.get("CXX", "")) or ["c++" if shutil.which("c++") else "g++"]
SANITIZED = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FLAGS = ["-std=c++17", *SANITIZED, "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT / 'csrc'}"]


def linked_folders(program: Path) -> list[str]:
    """Read which folders of csrc a test program is linked with."""
    match = re.search(r"^// Links:(.*)$", program.read_text(), re.MULTILINE)
    return match.group(1).split() if match else []


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


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile all test programs and the folders that they name, in parallel; return the folder of the objects."""
    folder = tmp_path_factory.mktemp("csrc")
    folders = sorted({name for program in PROGRAMS for name in linked_folders(program)})
    sources = [*PROGRAMS, *(source for name in folders for source in sorted((ROOT / "csrc" / name).glob("*.cpp")))]
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        list(workers.map(lambda s: run([*COMPILER, *FLAGS, "-c", s, "-o", object_file(s, folder)]), sources))
    return folder


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program(program: Path, objects: Path) -> None:
    sources = [source for name in linked_folders(program) for source in sorted((ROOT / "csrc" / name).glob("*.cpp"))]
    executable = objects / program.stem
    run([*COMPILER, *FLAGS, *(object_file(s, objects) for s in [program, *sources]), "-o", executable])
    run([executable])
