"""Install the program from its folder into the virtual environment `.venv`; the Makefile runs this program.

    python tools/install.py
    python tools/install.py --extra dev

The first command compiles and installs the program. The second adds the packages of an extra and compiles nothing.
It prints one line for each step. The full output of pip and of the build is in `build/install.log`; after an error its
end is printed. It uses the standard library only.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = "ggp-agent"
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
LOG = ROOT / "build" / "install.log"
PIP = [str(PYTHON), "-m", "pip", "install", "--no-compile", "--disable-pip-version-check", "--progress-bar", "off"]
# Lines of the log that are printed after an error.
_LINES_AFTER_ERROR = 30

_DOWNLOADING = re.compile(r"\s*Downloading ([\w.]+?)-\d\S* \((.*)\)")
_INSTALLING = re.compile(r"Installing collected packages: (.*)")
_COMPILING = re.compile(r" *\[(\d+)/(\d+)\] ")


def steps(lines: Iterable[str]) -> Iterator[str]:
    """Yield a line of progress for each step in the output of pip, and for each tenth of the output of ninja.

    >>> output = ["Collecting numpy", "  Downloading numpy-2.4.1-cp311.whl (16.8 MB)",
    ...           "Installing collected packages: numpy, ninja", "[1/20] translate gdl/_network.pyx",
    ...           "[2/20] compile csrc/network/circuit/network.cpp", "[20/20] link gdl._network.so"]
    >>> for line in steps(output):
    ...     print(line)
    downloading numpy (16.8 MB)
    installing 2 packages
    compiling: 2 of 20
    compiling: 20 of 20

    Args:
        lines: the output.
    """
    tenths = 0
    for line in lines:
        if found := _DOWNLOADING.match(line):
            yield f"downloading {found[1]} ({found[2]})"
        elif found := _INSTALLING.match(line):
            yield f"installing {len(found[1].split(','))} packages"
        elif (found := _COMPILING.match(line)) and 10 * int(found[1]) // int(found[2]) > tenths:
            tenths = 10 * int(found[1]) // int(found[2])
            yield f"compiling: {found[1]} of {found[2]}"


def start(command: list[str]) -> subprocess.Popen[str]:
    """Start a command whose output is read."""
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )


def finish(running: subprocess.Popen[str]) -> None:
    """Print the progress of a command until it ends; append its output to the log.

    Raises:
        subprocess.CalledProcessError: the command failed.
    """
    output: list[str] = []
    with running, LOG.open("a", encoding="utf-8") as log:
        assert running.stdout is not None
        for step in steps(copied(running.stdout, output)):
            print(step, flush=True)
        log.writelines(output)
    if running.returncode:
        sys.stderr.writelines(output[-_LINES_AFTER_ERROR:])
        raise subprocess.CalledProcessError(running.returncode, running.args)


def copied(lines: Iterable[str], output: list[str]) -> Iterator[str]:
    """Yield lines unchanged; append them to `output`."""
    for line in lines:
        output.append(line)
        yield line


def install(extra: str | None) -> None:
    """Create the environment, and install the program or packages.

    Args:
        extra: the extra of pyproject.toml whose packages are added to the installed program; None to install it.

    Raises:
        subprocess.CalledProcessError: a command failed.
    """
    LOG.parent.mkdir(exist_ok=True)
    LOG.write_text("")
    if not PYTHON.exists():
        print("creating the virtual environment .venv", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    if extra is not None:
        # pip finds the requirements of the extra in the installed program.
        finish(start([*PIP, f"{PROJECT}[{extra}]"]))
        return
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    finish(start([*PIP, *settings["build-system"]["requires"]]))
    # The core is compiled while the packages are installed, and without another environment for the build.
    compiling = start([*PIP, "--verbose", "--no-deps", "--no-build-isolation", "--editable", "."])
    try:
        finish(start([*PIP, *settings["project"]["dependencies"]]))
        finish(compiling)
    finally:
        compiling.terminate()


def main() -> int:
    """Parse the command line and install."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--extra", metavar="NAME", help="extra of pyproject.toml to add, such as dev")
    try:
        install(parser.parse_args().extra)
        return 0
    except KeyboardInterrupt:
        return 130
    except subprocess.CalledProcessError as error:
        print(f"the installation failed; {LOG.relative_to(ROOT)} has the full output", file=sys.stderr)
        return error.returncode
    except OSError as error:
        print(f"the installation failed: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
