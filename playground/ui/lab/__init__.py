"""The Lab tab: the theory that one can touch."""
