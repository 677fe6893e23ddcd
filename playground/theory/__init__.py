"""Equations of the papers, on plain numbers and numpy arrays. Nothing here has seen a model or a trace."""
