"""Studies of the makers: comparisons of drafters, the papers' orderings, agreement of two races."""
