"""Numbers folded from a trace. Nothing here asks a model, reads a clock or draws."""
