"""Run the command line as `python -m ggp_agent`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
