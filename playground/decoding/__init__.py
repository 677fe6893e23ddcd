"""Decoding: one loop (`decode`), one file per method, verification rules as pure functions."""
