"""What runs. Every model answers one question: the next-token logits at these nodes of the token tree."""
