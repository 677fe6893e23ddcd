"""Exits from the middle of a target, trained to say what its last layer will."""
