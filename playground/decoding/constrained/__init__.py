"""Constrained runs: given token sequences, a grammar, or a list of texts."""
