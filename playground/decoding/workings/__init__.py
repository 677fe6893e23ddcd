"""What is only shown: the numbers that lenses draw, and the reasons that say what became of a draw."""
