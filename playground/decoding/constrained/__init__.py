"""A run that is confined: to given token sequences, a grammar or a list of texts."""
