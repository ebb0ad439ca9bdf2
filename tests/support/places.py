"""Places in the file system that tests read from."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
CORPUS = SHARED / "corpus"
REFERENCE = SHARED / "reference"
