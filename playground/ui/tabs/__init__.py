"""One tab per file."""
