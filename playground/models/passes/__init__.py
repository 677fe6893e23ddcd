"""One forward pass over the nodes of a tree: transformers' own or a lean one, and the cache of keys and values."""
