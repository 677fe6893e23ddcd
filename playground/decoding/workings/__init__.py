"""Shown, never read back: the numbers that lenses draw, and the reasons for the outcome of each draw."""
