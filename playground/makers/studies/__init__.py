"""Studies of the bundled pair: its drafters on every kind of text, and the papers' orderings of methods."""
