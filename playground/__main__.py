"""`python -m playground`: the headless interface."""

import sys
import warnings

if not sys.warnoptions:  # those of libraries are for their callers: the tests make them errors
    warnings.simplefilter("ignore")

from playground.environment import check_environment
from playground.makers.commands import main

if __name__ == "__main__":
    check_environment()
    sys.exit(main())
