"""Front door for a checkout: the same as the installed command `ggp-agent`."""

import sys

from ggp_agent.cli import main

if __name__ == "__main__":
    sys.exit(main())
