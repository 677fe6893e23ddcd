"""What is only shown: the numbers that lenses draw, and the sentences that say what became of a draw."""
