"""Run a command, and end it with its child processes when standard input is closed.

A script that needs only the standard library: `python -I end_with_parent.py [--input FD] COMMAND ...`. The command ends
together with the process at the other end of standard input, even if that process is killed. The command reads from the
file descriptor FD, by default nothing. `ending_with_parent` returns the words of such a command.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

# Seconds between SIGTERM and SIGKILL.
_KILL_SECONDS = 1.0


def ending_with_parent(words: Sequence[str], source: int | None = None) -> list[str]:
    """Return the words that run a command with this script."""
    option = [] if source is None else ["--input", str(source)]
    return [sys.executable, "-I", __file__, *option, *words]


def main() -> int:
    """Run the command given by the arguments; return its exit status, or 128 and the signal that has ended it."""
    words, source = sys.argv[1:], subprocess.DEVNULL
    if words[0] == "--input":
        words, source = words[2:], int(words[1])
    try:
        process = subprocess.Popen(words, stdin=source, start_new_session=True)
    except OSError as error:
        print(f"{words[0]}: {(error.strerror or str(error)).lower()}", file=sys.stderr)
        return 127
    if source != subprocess.DEVNULL:
        # Only the command keeps its input and output open, so the other ends notice that it closes them.
        os.close(source)
        os.dup2(2, 1)
    threading.Thread(target=_end_with_owner, args=(process,), daemon=True).start()
    status = process.wait()
    _signal(process, signal.SIGKILL)
    return status if status >= 0 else 128 - status


def _end_with_owner(process: subprocess.Popen[bytes]) -> None:
    while os.read(0, 4096):
        pass
    _signal(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_KILL_SECONDS)
    _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the process group of the command."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


if __name__ == "__main__":
    sys.exit(main())
