"""The version and the commit of the program."""

from pathlib import Path

__version__ = "0.3.0"


def commit() -> str:
    """Return the commit of this program, with `+` if files have changed; empty if it is unknown."""
    import subprocess  # the start of a command needs the version only

    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return ""

    def git(*words: str) -> str:
        found = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
        return found.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""
