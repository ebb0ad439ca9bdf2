"""Run a command and end it, and what it started, as soon as standard input is closed.

A script of its own that needs the standard library alone: `python -I end_with_parent.py COMMAND ...`. Whoever holds the
other end of standard input may be killed in any way, the command ends with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

# Seconds from the request to end to the end by force.
_GRACE = 1.0


def main() -> int:
    """Run the command that the arguments name; return its status."""
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
        process.wait(_GRACE)
    _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """Tell the command and what it started, which share a process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


if __name__ == "__main__":
    sys.exit(main())
