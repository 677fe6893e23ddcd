"""The models of a pair, target and draft: how they are trained, exported, measured and described."""
