"""Recordings that tabs open on: a race, a sweep and a recommendation."""
