"""The text of training: its tokens, the corpus they make, and what the target writes for its draft."""
