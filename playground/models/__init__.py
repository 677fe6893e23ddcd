"""Models that run. Every one answers one question: the next-token logits at these nodes of the token tree."""
