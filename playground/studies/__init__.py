"""What the makers of the playground run: comparisons of drafters, the papers' orderings, agreement of two races."""
