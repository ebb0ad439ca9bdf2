"""What is shipped: the archive of sources has all that git knows, and a wheel works where nothing else is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from places import ROOT, known_to_git

from ggp_agent import __version__

# What git knows, and those who have the archive of sources do not need.
ONLY_IN_GIT = (".ci/", ".github/", ".gitignore")
# What the archive of sources has besides.
ONLY_IN_ARCHIVE = ("PKG-INFO", "setup.cfg", "ggp_agent.egg-info/")
PACKAGES = ("gdl", "ggp_agent", "kif_games")

needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")


def set_up(*arguments: str) -> None:
    """Run setup.py, which compiles nothing if the core was compiled in this checkout."""
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def extensions() -> list[Path]:
    """Return the extensions that were built for this Python."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return [path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).glob(f"*{suffix}")]


@pytest.mark.slow
@needs_git
def test_the_archive_of_sources_is_complete(tmp_path: Path) -> None:
    set_up("egg_info", "--egg-base", str(tmp_path), "sdist", "--formats", "gztar", "--dist-dir", str(tmp_path))
    (archive,) = tmp_path.glob("*.tar.gz")
    assert archive.name == f"ggp_agent-{__version__}.tar.gz"
    with tarfile.open(archive) as files:
        names = {file.name.partition("/")[2] for file in files if file.isfile()}
    names = {name for name in names if not name.startswith(ONLY_IN_ARCHIVE)}
    assert names == {name for name in known_to_git() if not name.startswith(ONLY_IN_GIT)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    assert len(extensions()) == 8
    base = ["egg_info", "--egg-base", str(folder), "build", "--build-base", str(folder / "build")]
    set_up(*base, "bdist_wheel", "--bdist-dir", str(folder / "bdist"), "--dist-dir", str(folder))
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
@needs_git
def test_the_wheel_is_complete(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        names = {name for name in files.namelist() if ".dist-info/" not in name}
    sources = {name for name in known_to_git() if name.startswith(tuple(f"{package}/" for package in PACKAGES))}
    assert names == {name for name in sources if not name.endswith(".pyx")} | {str(path) for path in extensions()}


@pytest.mark.slow
def test_the_wheel_works_without_a_compiler(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-index", "--no-deps", "--no-compile", str(wheel)], check=True)
    # What the package depends on is taken from here; folders named so are not searched for further .pth files, so
    # the checkout is not found by one.
    (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    script = shutil.copy(ROOT / "tests" / "support" / "smoke.py", tmp_path)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GGP_AGENT"))}
    environment["PATH"] = str(python.parent)
    done = subprocess.run(
        [python, script], cwd=tmp_path, env={**environment, "CC": "", "CXX": ""}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"ggp-agent {__version__} works: {site}")
    assert (python.parent / "ggp-agent").exists()


def test_the_version_is_the_same_everywhere() -> None:
    assert f"\n## {__version__} " in (ROOT / "CHANGELOG.md").read_text()
    assert re.search(rf"^version: {re.escape(__version__)}$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "ggp_agent.common.version.__version__"}
