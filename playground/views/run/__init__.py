"""Charts of one run, which the player shows beside it."""
