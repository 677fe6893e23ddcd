"""Lossy rules, whose output distribution is not the target's: thresholds, a mixture, and the relaxed depth rule."""
