"""Install the program from its folder into the virtual environment `.venv`; the Makefile runs this program.

    python tools/install.py
    python tools/install.py --extra dev

The first command compiles and installs the program. The second adds the packages of an extra and compiles nothing.
It prints one line for each step: the environment, the packages, each compiled module. The full output of pip is in
`build/install.log`; after an error its end is printed. It uses the standard library only.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = "ggp-agent"
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
LOG = ROOT / "build" / "install.log"
# Lines of the log that are printed after an error.
_LINES_AFTER_ERROR = 30

# Lines of pip, setuptools and Cython, which are indented in the output of pip, and the step that each begins.
_TRANSLATING = re.compile(r"\s*\[ *\d+/\d+\] Cythonizing ")
_COMPILING = re.compile(r"\s*building '([\w.]+)' extension")
_DOWNLOADING = re.compile(r"  Downloading ([\w.]+?)-\d\S* \((.*)\)")
_INSTALLING = re.compile(r"Installing collected packages: (.*)")


def steps(lines: Iterable[str], modules: int) -> Iterator[str]:
    """Yield a line of progress for each step in the output of `pip install --verbose`.

    >>> output = ["Obtaining file:///agent", "  Installing build dependencies: started",
    ...           "  [1/2] Cythonizing gdl/_network.pyx", "  [2/2] Cythonizing gdl/_reasoner.pyx",
    ...           "  Downloading numpy-2.4.1-cp311.whl (16.8 MB)", "  building 'gdl._network' extension",
    ...           "  building 'gdl._reasoner' extension", "Installing collected packages: numpy, ggp-agent"]
    >>> for line in steps(output, 2):
    ...     print(line)
    preparing the build: setuptools, Cython
    translating 2 modules to C++
    downloading numpy (16.8 MB)
    compiling module 1 of 2: gdl._network
    compiling module 2 of 2: gdl._reasoner
    installing 2 packages

    Args:
        lines: the output of pip.
        modules: the number of modules that the build compiles.
    """
    translating = False
    compiled: list[str] = []
    for line in lines:
        if line.startswith("  Installing build dependencies: started"):
            yield "preparing the build: setuptools, Cython"
        elif _TRANSLATING.match(line) and not translating:
            translating = True
            yield f"translating {modules} modules to C++"
        elif (found := _COMPILING.match(line)) and found[1] not in compiled:
            compiled.append(found[1])
            yield f"compiling module {len(compiled)} of {modules}: {found[1]}"
        elif found := _DOWNLOADING.match(line):
            yield f"downloading {found[1]} ({found[2]})"
        elif found := _INSTALLING.match(line):
            yield f"installing {len(found[1].split(','))} packages"


def copied(lines: Iterable[str], tail: deque[str]) -> Iterator[str]:
    """Yield lines unchanged; write them to the log and to `tail`."""
    with LOG.open("w", encoding="utf-8") as log:
        for line in lines:
            log.write(line)
            log.flush()
            tail.append(line)
            yield line


def install(extra: str | None) -> int:
    """Create the environment, install the program or packages, and return the exit status of pip.

    Args:
        extra: the extra of pyproject.toml whose packages are added to the installed program; None to install it.
    """
    LOG.parent.mkdir(exist_ok=True)
    if not PYTHON.exists():
        print("creating the virtual environment .venv", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    # pip finds the requirements of the extra in the installed program.
    target = ["--editable", "."] if extra is None else [f"{PROJECT}[{extra}]"]
    command = [str(PYTHON), "-m", "pip", "install", "--verbose", "--no-compile", "--disable-pip-version-check"]
    command += ["--progress-bar", "off", *target]
    modules = len([*ROOT.glob("gdl/*.pyx"), *ROOT.glob("ggp_agent/*.pyx")])
    tail: deque[str] = deque(maxlen=_LINES_AFTER_ERROR)
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        assert pip.stdout is not None
        for step in steps(copied(pip.stdout, tail), modules):
            print(step, flush=True)
    if pip.returncode:
        sys.stderr.write("".join(tail))
        print(f"the installation failed; {LOG.relative_to(ROOT)} has the full output of pip", file=sys.stderr)
    return pip.returncode


def main() -> int:
    """Parse the command line and install."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--extra", metavar="NAME", help="extra of pyproject.toml to add, such as dev")
    try:
        return install(parser.parse_args().extra)
    except KeyboardInterrupt:
        return 130
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the installation failed: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
