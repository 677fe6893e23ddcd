"""How many inputs each property is held to: a few in the test command, always the same ones; many by hand.

PLAYGROUND_INPUTS=5600 nice python -m pytest -c .pytest.ini -n0 tests/properties   # each time new ones
"""

import os

from hypothesis import HealthCheck, settings

USUAL = 15
ASKED = int(os.environ.get("PLAYGROUND_INPUTS", "0"))

settings.register_profile(
    "playground",
    max_examples=ASKED or USUAL,
    derandomize=not ASKED,
    deadline=None,  # a busy machine is no fault
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.load_profile("playground")
