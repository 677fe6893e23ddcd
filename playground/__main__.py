"""`python -m playground`: the headless interface."""

import sys

from playground.cli import main

if __name__ == "__main__":
    sys.exit(main())
