"""Front door for a checkout: the same as the installed command `ggp-agent`."""

import importlib.util
import sys

SET_UP = "run 'make play' here once and then '.venv/bin/python run_agent.py', or see README.md"
NEEDED = (
    "lark",
    "clingo",
    "rich",
    "numpy",
    "scipy",
    "gdl._network",
    "gdl._reasoner",
    "gdl._simulation",
    "gdl._simulator",
    "ggp_agent._games",
    "ggp_agent._search",
)


def complaint() -> str:
    """Say what is missing before anything can run; empty where nothing is."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whatever Python a checkout is tried with
        return "this is Python {}.{}, and 3.11 or newer is needed".format(*sys.version_info)
    try:
        missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    except ImportError as error:  # a package that holds one of them needs another one
        missing = [error.name or str(error)]
    return f"{', '.join(missing)} not found: the program is not set up for this Python" if missing else ""


if __name__ == "__main__":
    trouble = complaint()
    if trouble:
        print(f"run_agent.py: error: {trouble}; {SET_UP}", file=sys.stderr)
        sys.exit(2)
    from ggp_agent.cli import main

    sys.exit(main())
