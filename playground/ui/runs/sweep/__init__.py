"""The Sweep tab: one method over a grid of settings."""
