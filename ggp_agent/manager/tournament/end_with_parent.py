"""Run a command, and end it with its child processes when standard input is closed.

A script that needs only the standard library: `python -I end_with_parent.py COMMAND ...`. The command ends together
with the process at the other end of standard input, even if that process is killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

# Seconds between SIGTERM and SIGKILL.
_KILL_SECONDS = 1.0


def main() -> int:
    """Run the command given by the arguments; return its exit status."""
    try:
        process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        print(f"{sys.argv[1]}: {(error.strerror or str(error)).lower()}", file=sys.stderr)
        return 127
    threading.Thread(target=_end_with_owner, args=(process,), daemon=True).start()
    status = process.wait()
    _signal(process, signal.SIGKILL)
    return status


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
