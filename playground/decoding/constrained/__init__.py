"""A run that can write one of the given token sequences, and nothing else."""
