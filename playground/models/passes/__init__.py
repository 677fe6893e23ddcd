"""One forward pass over the nodes of a tree: transformers' own, a lean one, compiled or replayed, and its cache."""
