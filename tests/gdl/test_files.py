"""Atomic writing of files, and the files that killed writers leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from gdl.files import remove_unfinished, write_whole

# Writes a file and stops after the data is on the disk and before the file is renamed.
STOPPED = """
import os, sys
from pathlib import Path
from gdl.files import write_whole
def stop(*_):
    print("written", flush=True)
    sys.stdin.read()
os.replace = stop
write_whole(Path(sys.argv[1]), b"{}")
"""


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob(".*.part"))


def make_old(paths: list[Path]) -> None:
    for path in paths:
        os.utime(path, (0, time.time() - 3600))


def test_files_of_a_killed_writer_are_removed(tmp_path: Path) -> None:
    target = tmp_path / "m.1.json"
    command = [sys.executable, "-c", STOPPED, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == "written\n"
        left = parts(tmp_path)
        make_old(left)
        remove_unfinished(tmp_path, ".json")
        assert parts(tmp_path) == left  # the writer still runs
        writer.send_signal(signal.SIGKILL)
        writer.wait(60)
    (tmp_path / ".m.2.json.young.part").write_text("{")
    (tmp_path / ".note.txt.other.part").write_text("{")
    make_old([tmp_path / ".note.txt.other.part"])
    (tmp_path / ".m.3.json.link.part").symlink_to(target)
    os.mkfifo(tmp_path / ".m.4.json.pipe.part")
    remove_unfinished(tmp_path, ".json")
    assert [path.name for path in parts(tmp_path)] == [
        ".m.2.json.young.part",
        ".m.3.json.link.part",
        ".m.4.json.pipe.part",
        ".note.txt.other.part",
    ]


def test_a_missing_folder_and_a_complete_file_are_accepted(tmp_path: Path) -> None:
    remove_unfinished(tmp_path / "none", ".json")
    write_whole(tmp_path / "a.json", b"1")
    write_whole(tmp_path / "a.json", b"2", durable=False)
    assert (tmp_path / "a.json").read_bytes() == b"2" and parts(tmp_path) == []
