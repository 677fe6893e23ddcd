"""Generative recommendation: a model writes the identifiers of the items that a user may want next."""
