"""Charts of one run, which the player shows next to it."""
