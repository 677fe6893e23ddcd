"""Commands of the makers: studies of the bundled pair, and its training."""
