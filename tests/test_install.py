"""The installation of `make play` and `make test`: its progress lines, and what each of them installs."""

from __future__ import annotations

import doctest
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from places import ROOT


@pytest.fixture
def installer(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("install")


def test_steps_of_the_installation(installer: Any) -> None:
    result = doctest.testmod(installer)
    assert result.attempted > 1 and not result.failed


def test_playing_needs_no_tools_of_developers() -> None:
    def commands(target: str) -> str:
        plan = subprocess.run(
            ["make", "--dry-run", "--always-make", target], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return plan.stdout

    assert "tools/install.py\n" in commands("play") and "--extra dev" not in commands("play")
    assert "tools/install.py\n" in commands("lint") and "tools/install.py --extra dev\n" in commands("lint")


@pytest.mark.slow
def test_a_failure_shows_the_end_of_the_output_of_pip(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "install.py", tmp_path / "tools")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (tmp_path / "setup.py").write_text("raise SystemExit('this setup fails')\n")
    # pip itself is the only package that needs no network.
    (tmp_path / "pyproject.toml").write_text(
        "[build-system]\nrequires = ['pip']\n[project]\nname = 'x'\ndependencies = ['pip']\n"
    )
    done = subprocess.run(
        [sys.executable, "tools/install.py"],
        cwd=tmp_path,
        env={**os.environ, "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert done.stderr.endswith("the installation failed; build/install.log has the full output\n")
    assert "this setup fails" in done.stderr
    assert "this setup fails" in (tmp_path / "build" / "install.log").read_text()
