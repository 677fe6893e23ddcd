"""Paths in a checkout of everything that is not code."""

from pathlib import Path

ROOT = Path(__file__).parents[1]  # the folder that holds the package
ASSETS = ROOT / "assets"
