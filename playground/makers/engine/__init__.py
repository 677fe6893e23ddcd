"""Measurements of the engine: against other engines, and as prompts, drafts and batches grow."""
