"""Drafters other than a small model of the same tokenizer: first layers of the target, the text, another vocabulary."""
