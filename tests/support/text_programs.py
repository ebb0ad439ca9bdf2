"""Programs of text players in tests."""

from __future__ import annotations

# The beginning of a program, which stores its process id and the requests that it reads in files of its folder.
HEAD = """
import json, os, signal, sys, time
open("pids", "a").write(f"{os.getpid()}\\n")
def requests():
    for line in sys.stdin:
        open("requests", "a").write(line)
        yield json.loads(line)
def answer(text):
    print(text, flush=True)
"""
