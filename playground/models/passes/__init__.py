"""One forward pass over the nodes of a tree: transformers' own, a lean one or its replay, and the cache it fills."""
