"""What a reader prefers among a target's own continuations, and how the target learns it."""
