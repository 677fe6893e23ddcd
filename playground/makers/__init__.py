"""Rooms that only the makers use: training of the bundled models, studies of them, and the engine's benchmark."""
